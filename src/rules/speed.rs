//! How fast moves are generated and played, beside shakmaty's Crazyhouse in the same run, since
//! absolute times of shared machines say little.

use std::hint::black_box;
use std::time::{Duration, Instant};

use shakmaty::fen::Fen;
use shakmaty::variant::Crazyhouse;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, EnPassantMode, Position as _};

use super::{Position, Rules, perft};

/// The measured positions with the depth that takes a moment: half of them with hands.
pub const POSITIONS: [(&str, u32); 8] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1", 5),
    ("r1bqk2r/pppp1ppp/2n1p3/4P3/1b1Pn3/2NB1N2/PPP2PPP/R1BQK2R[] b KQkq - 0 1", 4),
    ("4k3/1Q~6/8/8/4b3/8/Kpp5/8[] b - - 0 1", 5),
    ("r3k2r/pppq1p1p/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1P1P/R3K2R[] w KQkq - 0 1", 4),
    ("2k5/8/8/8/8/8/8/4K3[Qn] w - - 0 1", 4),
    ("2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - - 0 1", 3),
    ("r5k1/pp1nqp1p/2p4p/3pB1P1/3Pn1n1/2P2NPB/P3B1KP/R4R2[PPPqrb] b - - 0 1", 3),
    ("r2q2k1/1p3rp1/1p5p/pP1P1n2/P1B1Bn2/1BPP4/5PPP/3R1RK1[NPPPqbn] b - - 0 1", 3),
];

/// One position's figures.
#[derive(Clone, Debug)]
pub struct Row {
    /// The position.
    pub fen: &'static str,
    /// Leaves of its perft, on which both agree.
    pub leaves: u64,
    /// Leaves a second, ours and shakmaty's, counted in bulk at the last ply.
    pub perft: (f64, f64),
    /// Moves a second played with the key of every position reached, ours and shakmaty's.
    pub make: (f64, f64),
}

impl Row {
    /// How many times as fast as shakmaty the perft is.
    pub fn perft_ratio(&self) -> f64 {
        self.perft.0 / self.perft.1
    }

    /// How many times as fast as shakmaty moves are played.
    pub fn make_ratio(&self) -> f64 {
        self.make.0 / self.make.1
    }
}

/// Measures every position, the best of `repeats` alternating runs each, and hands each row on as
/// it is done.
pub fn compare(repeats: u32, mut each: impl FnMut(&Row)) -> Vec<Row> {
    let mut rows = Vec::with_capacity(POSITIONS.len());
    for (fen, depth) in POSITIONS {
        let ours = Position::from_fen(fen, Rules::CRAZYHOUSE);
        let theirs = fen.parse::<Fen>().ok();
        let theirs = theirs.and_then(|fen| fen.into_position(CastlingMode::Standard).ok());
        let (Ok(ours), Some(theirs)) = (ours, theirs) else { continue };
        let row = measure(fen, &ours, &theirs, depth, repeats.max(1));
        each(&row);
        rows.push(row);
    }
    rows
}

/// The geometric mean of ratios.
pub fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = ratios.fold((0.0, 0), |(sum, count), ratio| (sum + ratio.ln(), count + 1));
    (sum / f64::from(count.max(1))).exp()
}

fn measure(
    fen: &'static str,
    ours: &Position,
    theirs: &Crazyhouse,
    depth: u32,
    repeats: u32,
) -> Row {
    let mut best = [Duration::MAX; 4];
    let mut counts = [0; 4];
    for _ in 0..repeats {
        let mut time = |index: usize, work: &dyn Fn() -> u64| {
            let start = Instant::now();
            counts[index] = black_box(work());
            best[index] = best[index].min(start.elapsed());
        };
        time(0, &|| perft(black_box(ours), depth));
        time(1, &|| shakmaty_perft(black_box(theirs), depth));
        time(2, &|| walk(black_box(ours), depth - 1));
        time(3, &|| shakmaty_walk(black_box(theirs), depth - 1));
    }
    let rate = |index: usize| counts[index] as f64 / best[index].as_secs_f64().max(1e-9);
    Row { fen, leaves: counts[0], perft: (rate(0), rate(1)), make: (rate(2), rate(3)) }
}

/// Perft with shakmaty, counting in bulk at the last ply as ours does.
pub fn shakmaty_perft(position: &Crazyhouse, depth: u32) -> u64 {
    let moves = position.legal_moves();
    if depth <= 1 {
        return moves.len() as u64;
    }
    moves
        .into_iter()
        .map(|mv| {
            let mut next = position.clone();
            next.play_unchecked(mv);
            shakmaty_perft(&next, depth - 1)
        })
        .sum()
}

/// Plays every line of `depth` plies and uses the key of every position on the way.
fn walk(position: &Position, depth: u32) -> u64 {
    let mut played = 0;
    for mv in position.legal_moves() {
        let next = position.after(mv);
        black_box(next.key());
        played += 1;
        if depth > 1 {
            played += walk(&next, depth - 1);
        }
    }
    played
}

fn shakmaty_walk(position: &Crazyhouse, depth: u32) -> u64 {
    let mut played = 0;
    for mv in position.legal_moves() {
        let mut next = position.clone();
        next.play_unchecked(mv);
        black_box(next.zobrist_hash::<Zobrist64>(EnPassantMode::Legal));
        played += 1;
        if depth > 1 {
            played += shakmaty_walk(&next, depth - 1);
        }
    }
    played
}
