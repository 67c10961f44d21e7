//! Training positions in memory, read from files of games.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use klotz::eval::nnue::features::{self, Code, INPUTS, View};
use klotz::rules::{Position, Rules};
use klotz::types::{BoardId, Color, Move, is_mate};
use rayon::prelude::*;

use crate::format::{Block, Game, Loss, Ply, Reader, STRAY};
use crate::model::sigmoid;

/// One training position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    start: u32,
    count: u8,
    /// Output bucket.
    pub bucket: u8,
    /// Bit 0 black to move, bits 1 and 2 white's and black's view mirrored, bits 3 and 4 twice
    /// the result for the mover, bit 5 the result counts.
    flags: u8,
    /// Where white's and black's kings stand in their views.
    kings: [u8; 2],
    /// The search's score for the mover, in centipawns.
    pub score: i16,
}

impl Sample {
    /// The game's result for the mover: 0, 0.5 or 1.
    pub fn result(&self) -> f32 {
        f32::from(self.flags >> 3 & 3) / 2.0
    }

    /// Whether the game's result says something about this position.
    pub fn result_counts(&self) -> bool {
        self.flags >> 5 & 1 == 1
    }
}

/// What becomes of played positions: which are kept, with which scores, and what of them is shown.
#[derive(Clone, Copy, Debug)]
pub struct Selection {
    /// How the search's scores become training scores.
    pub smoothing: Smoothing,
    /// Positions in check are kept as well.
    pub checks: bool,
    /// Positions whose best move takes or promotes are kept as well.
    pub tactical: bool,
    /// Pieces of a role in one hand beyond this number are not shown.
    pub hand_slots: u8,
}

impl Selection {
    fn keeps(&self, position: &Position, mv: Move, score: i16) -> bool {
        match filter(position, mv, score) {
            None => true,
            Some(Reason::Check) => self.checks && (self.tactical || !mv.is_tactical()),
            Some(Reason::Tactical) => self.tactical,
            Some(Reason::Mate | Reason::Decided | Reason::Stray) => false,
        }
    }
}

/// Many positions.
#[derive(Default)]
pub struct Samples {
    list: Vec<Sample>,
    codes: Vec<Code>,
}

/// Why a position is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The mover is in check.
    Check,
    /// The best move takes or promotes.
    Tactical,
    /// The score is a mate.
    Mate,
    /// The score is far beyond where it matters.
    Decided,
    /// A random move was made, nothing was searched.
    Stray,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Reason; 5] =
        [Reason::Check, Reason::Tactical, Reason::Mate, Reason::Decided, Reason::Stray];
}

/// Scores beyond this teach nothing but size.
const DECIDED: i16 = 4000;

/// Whether a position is fit for training.
pub fn filter(position: &Position, mv: Move, score: i16) -> Option<Reason> {
    if score == STRAY {
        Some(Reason::Stray)
    } else if is_mate(score.into()) {
        Some(Reason::Mate)
    } else if position.in_check() {
        Some(Reason::Check)
    } else if mv.is_tactical() {
        Some(Reason::Tactical)
    } else if score.abs() > DECIDED {
        Some(Reason::Decided)
    } else {
        None
    }
}

/// The rules of a variant by the name in a file's settings.
pub fn rules(variant: &str) -> Result<Rules> {
    match variant {
        "crazyhouse" => Ok(Rules::CRAZYHOUSE),
        "bughouse" => Ok(Rules::BUGHOUSE),
        other => anyhow::bail!("unknown variant '{other}': crazyhouse or bughouse"),
    }
}

/// Plays a game again and shows every position with the move made there.
pub fn replay(
    game: &Game,
    rules: Rules,
    mut show: impl FnMut(&Position, &Ply, Move),
) -> Result<()> {
    let mut boards = Vec::with_capacity(2);
    for fen in game.start.split(" | ") {
        boards.push(
            Position::from_fen(fen, rules).with_context(|| format!("start position '{fen}'"))?,
        );
    }
    for (number, ply) in game.plies.iter().enumerate() {
        let board = boards.get(ply.board.index()).context("a ply on a board that is not there")?;
        let mv = Move::from_raw(ply.mv)
            .filter(|&mv| board.is_legal(mv))
            .with_context(|| format!("ply {number}: illegal move {:#06x}", ply.mv))?;
        show(board, ply, mv);
        let captured = boards[ply.board.index()].make(mv);
        if let (Some(captured), [_, _]) = (captured, &boards[..]) {
            boards[ply.board.other().index()].add_to_hand(captured.color, captured.role)?;
        }
    }
    Ok(())
}

/// Which games are held out of training: one in 50, whatever other files there are.
pub fn held_out(seed: u64, block: u32, game: usize) -> bool {
    let id = seed ^ (u64::from(block) << 20 | game as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    fastrand::Rng::with_seed(id).u8(..50) == 0
}

impl Samples {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// A position by its number.
    #[inline(always)]
    pub fn get(&self, index: u32) -> &Sample {
        &self.list[index as usize]
    }

    /// The inputs a position lights.
    #[inline(always)]
    pub fn codes(&self, sample: &Sample) -> &[Code] {
        &self.codes[sample.start as usize..][..usize::from(sample.count)]
    }

    /// The mover's and the opponent's view of the inputs: how codes turn into rows, and where the
    /// king stands.
    #[inline(always)]
    pub fn views(&self, sample: &Sample) -> [(&'static [Code; INPUTS], u8); 2] {
        let turn = |color, bit: u8| features::orientation(color, sample.flags >> bit & 1 == 1);
        let white = (turn(Color::White, 1), sample.kings[0]);
        let black = (turn(Color::Black, 2), sample.kings[1]);
        if sample.flags & 1 == 0 { [white, black] } else { [black, white] }
    }

    /// Adds a position; `white_score` is the game's result for White, where it counts.
    pub fn push(
        &mut self,
        position: &Position,
        hand_slots: u8,
        score: i16,
        white_score: Option<f32>,
    ) {
        let start = self.codes.len();
        features::active(position, |code| {
            if features::hand_slot(code).is_none_or(|slot| slot < hand_slots) {
                self.codes.push(code);
            }
        });
        let black = position.turn() == Color::Black;
        let seen = [Color::White, Color::Black].map(|color| View::of(color, position.king(color)));
        let result = white_score.map_or(0.5, |score| if black { 1.0 - score } else { score });
        let flags = u8::from(black)
            | u8::from(seen[0].mirrored) << 1
            | u8::from(seen[1].mirrored) << 2
            | ((result * 2.0) as u8) << 3
            | u8::from(white_score.is_some()) << 5;
        let pieces = position.hand_total(Color::White) + position.hand_total(Color::Black);
        self.list.push(Sample {
            start: start as u32,
            count: (self.codes.len() - start) as u8,
            bucket: features::bucket(pieces) as u8,
            flags,
            kings: seen.map(|view| view.king),
            score,
        });
    }

    /// Puts all positions into the first output bucket.
    pub fn forget_buckets(&mut self) {
        self.list.iter_mut().for_each(|sample| sample.bucket = 0);
    }

    fn append(&mut self, mut other: Samples) -> Result<()> {
        let offset = u32::try_from(self.codes.len()).ok();
        let offset = offset.filter(|_| self.codes.len() + other.codes.len() <= u32::MAX as usize);
        let offset =
            offset.context("more positions than this trainer can hold: leave some files out")?;
        other.list.iter_mut().for_each(|sample| sample.start += offset);
        self.list.append(&mut other.list);
        self.codes.append(&mut other.codes);
        Ok(())
    }

    /// A checksum over everything, to notice other data at a resumed run.
    pub fn fingerprint(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(bytemuck::cast_slice(&self.codes));
        for sample in &self.list {
            hasher.update(&sample.score.to_le_bytes());
            hasher.update(&[sample.flags, sample.bucket, sample.kings[0], sample.kings[1]]);
        }
        hasher.finalize()
    }
}

/// Positions to train on, positions to judge by, and what was read for them.
#[derive(Default)]
pub struct Data {
    /// For training.
    pub train: Samples,
    /// Of games that were held out.
    pub held_out: Samples,
    /// Games read.
    pub games: u64,
    /// Plies read.
    pub plies: u64,
    /// Games that could not be played again.
    pub bad_games: u64,
    /// What was unreadable in the files.
    pub loss: Loss,
}

/// How the search's scores become training scores.
#[derive(Clone, Copy, Debug)]
pub struct Smoothing {
    /// Weight of what the following searches said of the same game, 0 for the position's own
    /// search alone.
    pub weight: f32,
    /// Centipawns for one unit of the logistic function.
    pub scale: f32,
}

/// Each ply's score with the later ones of its board mixed in: a search of a few hundred nodes errs,
/// and the searches after it have seen what came of the move.
fn smoothed(game: &Game, smoothing: Smoothing) -> Vec<i16> {
    let Smoothing { weight, scale } = smoothing;
    if weight == 0.0 {
        return game.plies.iter().map(|ply| ply.score).collect();
    }
    // What the mover of each board can expect, as seen from the ply after.
    let mut later: [Option<f32>; 2] = [None; 2];
    let mut scores: Vec<i16> = game
        .plies
        .iter()
        .rev()
        .map(|ply| {
            if ply.score == STRAY {
                later[ply.board.index()] = None;
                return STRAY;
            }
            let own = sigmoid(f32::from(ply.score) / scale);
            let later = &mut later[ply.board.index()];
            let mixed = later.map_or(own, |later| (1.0 - weight) * own + weight * (1.0 - later));
            *later = Some(mixed);
            // Far from certain ends, where the logistic function can be turned back.
            let mixed = mixed.clamp(1e-4, 1.0 - 1e-4);
            (scale * (mixed / (1.0 - mixed)).ln()).round() as i16
        })
        .collect();
    scores.reverse();
    scores
}

/// Plays a game again and shows what is kept of it: the position, its score as chosen, and the
/// game's result for White where it counts.
pub fn labelled(
    game: &Game,
    rules: Rules,
    selection: Selection,
    mut show: impl FnMut(&Position, i16, Option<f32>),
) -> Result<()> {
    let mut scores = smoothed(game, selection.smoothing).into_iter().enumerate();
    // The result tells of what was played since the last random move.
    let told_from = game.plies.iter().rposition(|ply| ply.score == STRAY).unwrap_or(0);
    replay(game, rules, |position, ply, mv| {
        let (number, label) = scores.next().unwrap_or((0, ply.score));
        if !selection.keeps(position, mv, ply.score) {
            return;
        }
        let score = game.outcome.score();
        let white_score = match game.decided {
            // The team of WhiteA plays Black on board B.
            Some(board) if board == ply.board => {
                Some(if board == BoardId::A { score } else { 1.0 - score })
            }
            Some(_) => None,
            None => Some(score),
        };
        show(position, label, white_score.filter(|_| number >= told_from));
    })
}

fn add_game(game: &Game, rules: Rules, selection: Selection, into: &mut Samples) -> Result<()> {
    labelled(game, rules, selection, |position, label, white_score| {
        into.push(position, selection.hand_slots, label, white_score);
    })
}

fn add_blocks(
    data: &mut Data,
    blocks: &[Block],
    seed: u64,
    rules: Rules,
    selection: Selection,
) -> Result<()> {
    let parts: Vec<Data> = blocks
        .par_iter()
        .map(|block| {
            let mut part = Data::default();
            for (number, game) in block.games.iter().enumerate() {
                let held = held_out(seed, block.index, number);
                let into = if held { &mut part.held_out } else { &mut part.train };
                part.bad_games += u64::from(add_game(game, rules, selection, into).is_err());
                part.games += 1;
                part.plies += game.plies.len() as u64;
            }
            part
        })
        .collect();
    for part in parts {
        data.train.append(part.train)?;
        data.held_out.append(part.held_out)?;
        data.games += part.games;
        data.plies += part.plies;
        data.bad_games += part.bad_games;
    }
    Ok(())
}

/// Memory that is free by the system's account, where it tells.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Reads files of games, of one variant all.
pub fn load(paths: &[PathBuf], selection: Selection, bar: &ProgressBar) -> Result<Data> {
    // A ply takes 4 bytes in the file and, if kept, about 36 inputs of 2 bytes and 12 more.
    const MEMORY_FOR_A_BYTE: u64 = 16;
    let size: u64 =
        paths.iter().filter_map(|path| path.metadata().ok()).map(|meta| meta.len()).sum();
    let needed = size * MEMORY_FOR_A_BYTE;
    if let Some(available) = available_memory() {
        let mib = |bytes: u64| bytes >> 20;
        ensure!(
            needed <= available,
            "about {} MiB of memory needed for these files, {} MiB available",
            mib(needed),
            mib(available)
        );
    }
    bar.set_length(size);
    let mut data = Data::default();
    let mut variant: Option<String> = None;
    for path in paths {
        let name = path.display();
        let mut reader = Reader::open(path)?;
        let settings = reader.settings().clone();
        let first = variant.get_or_insert_with(|| settings.variant.clone());
        ensure!(*first == settings.variant, "{name}: {} among files of {first}", settings.variant);
        let rules = rules(&settings.variant).with_context(|| name.to_string())?;
        let base = bar.position();
        loop {
            let blocks: Vec<Block> =
                reader.by_ref().take(64).collect::<Result<_>>().context(name.to_string())?;
            if blocks.is_empty() {
                break;
            }
            add_blocks(&mut data, &blocks, settings.seed, rules, selection)
                .with_context(|| name.to_string())?;
            bar.set_position(base + reader.progress().0);
        }
        let loss = reader.loss();
        if loss.blocks > 0 {
            bar.suspend(|| {
                eprintln!("{name}: {} damaged blocks left out ({} bytes)", loss.blocks, loss.bytes)
            });
        }
        data.loss.blocks += loss.blocks;
        data.loss.games += loss.games;
        data.loss.bytes += loss.bytes;
    }
    ensure!(data.train.len() > 0, "no position to train on in {} file(s)", paths.len());
    Ok(data)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Positions of random games with random labels.
    pub fn random_samples(count: usize, seed: u64) -> Samples {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut samples = Samples::default();
        while samples.len() < count {
            let mut position = Position::start(Rules::CRAZYHOUSE);
            for _ in 0..60 {
                let moves = position.legal_moves();
                if moves.is_empty() || samples.len() == count {
                    break;
                }
                position.make(moves[rng.usize(..moves.len())]);
                samples.push(
                    &position,
                    u8::MAX,
                    rng.i16(-900..900),
                    (rng.u8(..4) > 0).then(|| f32::from(rng.u8(..3)) / 2.0),
                );
            }
        }
        samples
    }

    #[test]
    fn a_sample_keeps_what_it_was_given() {
        let mut samples = Samples::default();
        let mut position = Position::start(Rules::CRAZYHOUSE);
        samples.push(&position, u8::MAX, 12, Some(1.0));
        position.make(position.legal_moves()[0]);
        samples.push(&position, u8::MAX, -7, Some(1.0));
        samples.push(&position, u8::MAX, 3, None);
        let of = |index| {
            (
                samples.get(index).score,
                samples.get(index).result(),
                samples.get(index).result_counts(),
            )
        };
        assert_eq!((of(0), of(1), of(2)), ((12, 1.0, true), (-7, 0.0, true), (3, 0.5, false)));
        assert_eq!(samples.codes(samples.get(0)).len(), 32);
        // Kings on e1 and e8: both views mirrored, and the same for both players at the start.
        let views = samples.views(samples.get(0));
        let turned = |view: usize| {
            let mut list: Vec<Code> = samples
                .codes(samples.get(0))
                .iter()
                .map(|&code| views[view].0[usize::from(code)])
                .collect();
            list.sort_unstable();
            list
        };
        assert_eq!(turned(0), turned(1));
    }

    #[test]
    fn what_is_kept_and_shown_can_be_chosen() {
        let smoothing = Smoothing { weight: 0.0, scale: 400.0 };
        let usual = Selection { smoothing, checks: false, tactical: false, hand_slots: u8::MAX };
        let fen = "4k3/8/8/3p4/4P3/8/8/4K3[PPPp] w - - 0 1";
        let position = Position::from_fen(fen, Rules::CRAZYHOUSE).expect("a position");
        let find = |position: &Position, tactical: bool| {
            let found = position.legal_moves().into_iter().find(|mv| mv.is_tactical() == tactical);
            found.expect("such a move")
        };
        let (quiet, takes) = (find(&position, false), find(&position, true));
        assert!(usual.keeps(&position, quiet, 0) && !usual.keeps(&position, takes, 0));
        assert!(Selection { tactical: true, ..usual }.keeps(&position, takes, 0));
        assert!(!Selection { tactical: true, ..usual }.keeps(&position, takes, 31_990));
        let fen = "4k3/8/8/8/8/8/4r3/4K3[] w - - 0 1";
        let check = Position::from_fen(fen, Rules::CRAZYHOUSE).expect("a position");
        let mv = find(&check, false);
        assert!(!usual.keeps(&check, mv, 0));
        assert!(Selection { checks: true, ..usual }.keeps(&check, mv, 0));
        let count = |hand_slots| {
            let mut samples = Samples::default();
            samples.push(&position, hand_slots, 0, None);
            samples.codes(samples.get(0)).len()
        };
        assert_eq!((count(u8::MAX), count(2), count(1)), (8, 7, 6));
    }

    #[test]
    fn later_scores_of_the_same_board_are_mixed_in() {
        let ply = |score, board| Ply { mv: 1, score, board };
        let game = Game {
            start: String::new(),
            outcome: crate::format::Outcome::Draw,
            end: crate::format::End::Drawn,
            decided: None,
            plies: vec![ply(0, BoardId::A), ply(100, BoardId::B), ply(-200, BoardId::A)],
        };
        let with = |weight| smoothed(&game, Smoothing { weight, scale: 400.0 });
        assert_eq!(with(0.0), [0, 100, -200]);
        // The opponent's -200 is 200 for the mover before him; the last score stays.
        let scores = with(0.5);
        assert!((95..=105).contains(&scores[0]) && scores[1..] == [100, -200], "{scores:?}");
    }

    #[test]
    fn a_random_move_cuts_what_was_before_from_what_came_after() {
        let start = Position::start(Rules::CRAZYHOUSE);
        let (mut position, mut plies) = (start, Vec::new());
        for score in [0, 10, STRAY, 30, 40] {
            let mv = position.legal_moves()[0];
            plies.push(Ply { mv: mv.raw(), score, board: BoardId::A });
            position.make(mv);
        }
        let game = Game {
            start: start.fen(),
            outcome: crate::format::Outcome::Win,
            end: crate::format::End::Mate,
            decided: None,
            plies,
        };
        let smoothing = Smoothing { weight: 0.5, scale: 400.0 };
        assert_eq!(smoothed(&game, smoothing)[1..3], [10, STRAY]);
        let mut samples = Samples::default();
        let usual = Selection { smoothing, checks: true, tactical: true, hand_slots: u8::MAX };
        add_game(&game, Rules::CRAZYHOUSE, usual, &mut samples).expect("a legal game");
        let told: Vec<bool> =
            (0..samples.len() as u32).map(|i| samples.get(i).result_counts()).collect();
        assert_eq!(told, [false, false, true, true]);
    }
}
