//! Random crazyhouse games in step with shakmaty's `Crazyhouse`: the legal moves, the FEN and the key
//! are compared at every ply, and what Klotz alone knows (staged generation, check without making,
//! legality of any 16-bit move) is compared with what its own rules make of it.
//!
//! `KLOTZ_ORACLE_GAMES` sets the number of games (default 100; the acceptance run is 10,000).

mod support;

use klotz::rules::{Gen, Position, Rules, notation};
use klotz::types::{Move, MoveList};
use shakmaty::fen::Fen;
use shakmaty::variant::Crazyhouse;
use shakmaty::{EnPassantMode, Position as _, Role};
use support::sorted_hand;

const PLIES: usize = 240;

fn games() -> u64 {
    std::env::var("KLOTZ_ORACLE_GAMES").map_or(100, |games| games.parse().unwrap())
}

/// Shakmaty's move in Klotz' encoding.
fn translate(mv: shakmaty::Move) -> Move {
    match mv {
        shakmaty::Move::Normal { from, to, capture, promotion: Some(role), .. } => {
            Move::promotion(from, to, role, capture.is_some())
        }
        shakmaty::Move::Normal { from, to, capture: Some(_), .. } => Move::capture(from, to),
        shakmaty::Move::Normal { role: Role::Pawn, from, to, .. } if from.distance(to) == 2 => {
            Move::double_push(from, to)
        }
        shakmaty::Move::Normal { from, to, .. } => Move::quiet(from, to),
        shakmaty::Move::EnPassant { from, to } => Move::en_passant(from, to),
        shakmaty::Move::Castle { king, rook } => Move::castle(king, rook),
        shakmaty::Move::Put { role, to } => Move::drop(role, to),
    }
}

fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<Move> {
    let mut moves: Vec<Move> = moves.into_iter().collect();
    moves.sort_unstable();
    moves
}

fn staged(position: &Position, stage: Gen) -> Vec<Move> {
    let mut list = MoveList::new();
    position.generate(stage, &mut list);
    sorted(list)
}

/// What does not need the oracle: the parts of the generator agree with the whole.
fn agrees_with_itself(position: &Position, legal: &[Move], rng: &mut fastrand::Rng) {
    let fen = position.fen();
    assert_eq!(position.count_legal_moves(), legal.len(), "{fen}");
    assert_eq!(position.has_legal_move(), !legal.is_empty(), "{fen}");
    let stages = [Gen::Captures, Gen::Quiets, Gen::Drops].map(|stage| staged(position, stage));
    assert_eq!(sorted(stages.concat()), legal, "stages of {fen}");
    let checks = |moves: &[Move]| -> Vec<Move> {
        moves.iter().copied().filter(|mv| position.gives_check(*mv)).collect()
    };
    assert_eq!(staged(position, Gen::QuietChecks), checks(&stages[1]), "quiet checks of {fen}");
    assert_eq!(staged(position, Gen::DropChecks), checks(&stages[2]), "drop checks of {fen}");
    for &mv in legal {
        let mut after = *position;
        after.make(mv);
        assert_eq!(position.gives_check(mv), after.in_check(), "{mv:?} in {fen}");
        assert!(position.is_legal(mv), "{mv:?} in {fen}");
    }
    for _ in 0..64 {
        if let Some(mv) = Move::from_raw(rng.u16(..)) {
            assert_eq!(position.is_legal(mv), legal.binary_search(&mv).is_ok(), "{mv:?} in {fen}");
        }
    }
}

fn play(seed: u64) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut ours = Position::start(Rules::CRAZYHOUSE);
    let mut theirs = Crazyhouse::default();
    for ply in 0..PLIES {
        let legal = sorted(ours.legal_moves());
        let wanted = sorted(theirs.legal_moves().into_iter().map(translate));
        let fen = ours.fen();
        assert_eq!(legal, wanted, "seed {seed}, ply {ply}: {fen}");
        let their_fen = Fen::from_position(&theirs, EnPassantMode::Legal).to_string();
        assert_eq!(sorted_hand(&fen), sorted_hand(&their_fen), "seed {seed}, ply {ply}");
        let read = Position::from_fen(&fen, Rules::CRAZYHOUSE).unwrap();
        assert_eq!(read.key(), ours.key(), "key of {fen}, seed {seed}");
        assert_eq!(read.fen(), fen);
        if seed.is_multiple_of(8) {
            agrees_with_itself(&ours, &legal, &mut rng);
        }
        if legal.is_empty() {
            return ply;
        }
        let mv = legal[rng.usize(..legal.len())];
        let uci = notation::to_uci(&ours, mv);
        assert_eq!(notation::from_uci(&ours, &uci).unwrap(), mv, "{uci} in {fen}");
        let san = notation::to_san(&ours, mv);
        assert_eq!(notation::from_san(&ours, &san).unwrap(), mv, "{san} in {fen}");
        let theirs_mv = theirs.legal_moves().into_iter().find(|m| translate(*m) == mv).unwrap();
        let their_san =
            shakmaty::san::SanPlus::from_move_and_play_unchecked(&mut theirs, theirs_mv);
        // Shakmaty writes a pawn's drop without the letter.
        assert_eq!(san.trim_start_matches('P'), their_san.to_string().trim_start_matches('P'));
        ours.make(mv);
    }
    PLIES
}

#[test]
fn random_games_agree_with_shakmaty() {
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let plies: usize = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..workers)
            .map(|worker| {
                scope.spawn(move || {
                    (0..games()).filter(|seed| seed % workers == worker).map(play).sum::<usize>()
                })
            })
            .collect();
        parts.into_iter().map(|part| part.join().unwrap()).sum()
    });
    println!("{} games, {plies} plies compared", games());
}
