//! The position against shakmaty's Crazyhouse, which was written by others, in random games.

use std::collections::HashSet;

use shakmaty::variant::Crazyhouse;
use shakmaty::{CastlingMode, EnPassantMode, Position as _, fen::Fen};

use super::*;
use crate::types::{Color, HAND_ROLES, Move, MoveList, Role, Square};

/// Positions that between them have every kind of move.
const POSITIONS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1",
    "2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - - 0 1",
    "r1bqk2r/pppp1ppp/2n1p3/4P3/1b1Pn3/2NB1N2/PPP2PPP/R1BQK2R[] b KQkq - 0 1",
    "4k3/1Q~6/8/8/4b3/8/Kpp5/8[] b - - 0 1",
    "rnbqkb1r/ppp1pp1p/5n2/3pP3/8/8/PPP2PPP/RNBQKBNR[Pp] w KQkq d6 0 3",
    "r3k2r/pppq1p1p/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1P1P/R3K2R[Pp] w KQkq - 0 1",
    "3k4/1P4P1/8/8/8/8/1p4p1/3K4[RBrb] w - - 0 1",
    "4k3/4r3/8/8/8/8/8/4K3[QRBNPqn] w - - 0 1",
];

/// Every kind put together is the whole, and each holds only what its name says.
fn kinds_agree(pos: &Position) {
    let all: HashSet<Move> = pos.legal_moves().into_iter().collect();
    let of = |kind| {
        let mut list = MoveList::new();
        pos.generate(kind, &mut list);
        list
    };
    let parts: Vec<Move> =
        [Gen::Captures, Gen::Quiets, Gen::Drops].into_iter().flat_map(of).collect();
    assert_eq!(parts.len(), all.len(), "{pos:?}");
    assert_eq!(parts.iter().copied().collect::<HashSet<_>>(), all, "{pos:?}");
    assert_eq!(pos.count_legal_moves(), all.len(), "{pos:?}");
    assert_eq!(pos.has_legal_move(), !all.is_empty(), "{pos:?}");
    assert!(of(Gen::Captures).iter().all(|mv| mv.is_tactical()));
    let checks = |kind| of(kind).into_iter().filter(|mv| pos.after(*mv).in_check()).count();
    for (checking, kind) in [(Gen::QuietChecks, Gen::Quiets), (Gen::DropChecks, Gen::Drops)] {
        let listed = of(checking);
        assert!(listed.iter().all(|mv| pos.after(*mv).in_check()), "{pos:?}");
        assert_eq!(listed.len(), checks(kind), "{pos:?}");
    }
    for mv in &all {
        assert_eq!(pos.gives_check(*mv), pos.after(*mv).in_check(), "{pos:?} {mv:?}");
        let text = notation::to_uci(pos, *mv);
        assert_eq!(notation::from_uci(pos, &text), Ok(*mv), "{pos:?}");
        let san = notation::to_san(pos, *mv);
        assert_eq!(notation::from_san(pos, &san), Ok(*mv), "{pos:?} {san}");
    }
}

/// Of all 16-bit moves exactly the generated ones are legal.
fn packed_moves_agree(pos: &Position) {
    let all: HashSet<Move> = pos.legal_moves().into_iter().collect();
    for mv in (0..=u16::MAX).filter_map(Move::from_raw) {
        assert_eq!(pos.is_legal(mv), all.contains(&mv), "{pos:?} {mv:?} {:x}", mv.raw());
    }
}

fn oracle(fen: &str) -> Crazyhouse {
    fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
}

/// A FEN's fields but for the hand's order and the counters.
fn essence(fen: &str) -> String {
    let fields: Vec<&str> = fen.split(' ').collect();
    let (board, hand) = fields[0].split_once('[').unwrap();
    let mut hand: Vec<char> = hand.trim_end_matches(']').chars().collect();
    hand.sort_unstable();
    format!("{board}[{}] {}", hand.into_iter().collect::<String>(), fields[1..4].join(" "))
}

fn play_random_game(seed: u64, start: &str) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut ours = Position::from_fen(start, Rules::CRAZYHOUSE).unwrap();
    let mut theirs = oracle(start);
    for ply in 0..120 {
        assert_eq!(ours.compute_key(), ours.key(), "{ours:?}");
        let fen = ours.fen();
        let their_fen = Fen::from_position(&theirs, EnPassantMode::Legal).to_string();
        assert_eq!(essence(&fen), essence(&their_fen), "seed {seed} ply {ply}");
        let reread = Position::from_fen(&fen, Rules::CRAZYHOUSE).unwrap();
        assert_eq!((reread, reread.key()), (ours, ours.key()), "{fen}");
        let mut moves: Vec<String> =
            ours.legal_moves().into_iter().map(|mv| notation::to_uci(&ours, mv)).collect();
        let mut expected: Vec<String> = theirs
            .legal_moves()
            .into_iter()
            .map(|mv| mv.to_uci(CastlingMode::Standard).to_string())
            .collect();
        moves.sort_unstable();
        expected.sort_unstable();
        assert_eq!(moves, expected, "{fen}");
        if moves.is_empty() {
            assert_eq!(ours.status() == Status::Checkmate, theirs.is_checkmate(), "{fen}");
            return;
        }
        if ply % 8 == 0 {
            kinds_agree(&ours);
        }
        let text = &moves[rng.usize(..moves.len())];
        let mv = notation::from_uci(&ours, text).unwrap();
        let captured = ours.make(mv);
        let their_move = text.parse::<shakmaty::uci::UciMove>().unwrap().to_move(&theirs).unwrap();
        assert_eq!(captured.is_some(), their_move.is_capture());
        theirs.play_unchecked(their_move);
    }
}

#[test]
fn random_games_agree_with_shakmaty() {
    for (index, start) in POSITIONS.into_iter().enumerate() {
        for seed in 0..6 {
            play_random_game(seed * 100 + index as u64, start);
        }
    }
}

#[test]
fn every_packed_move_is_judged() {
    for fen in POSITIONS {
        packed_moves_agree(&Position::from_fen(fen, Rules::CRAZYHOUSE).unwrap());
    }
    let mut rng = fastrand::Rng::with_seed(7);
    for rules in [Rules::CRAZYHOUSE, Rules { chess960: true, ..Rules::CRAZYHOUSE }] {
        let mut pos = Position::start(rules);
        for _ in 0..60 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            pos.make(moves[rng.usize(..moves.len())]);
            packed_moves_agree(&pos);
        }
    }
}

#[test]
fn perft_of_published_positions() {
    for (index, depth, nodes) in [
        (0, 4, 197_281),
        (1, 2, 75_353),
        (2, 3, 58_057),
        (3, 4, 132_758),
        (4, 3, 248_392),
        (5, 3, 238_044),
        (6, 3, 886_489),
        (7, 3, 769_344),
    ] {
        let pos = Position::from_fen(POSITIONS[index], Rules::CRAZYHOUSE).unwrap();
        assert_eq!(perft(&pos, depth), nodes, "{}", POSITIONS[index]);
        assert_eq!(perft_divide(&pos, depth).iter().map(|(_, n)| n).sum::<u64>(), nodes);
    }
    let rules = Rules { chess960: true, ..Rules::CRAZYHOUSE };
    let fen = "bqnrkbr1/pppppp1p/8/8/8/8/PPPPPP1P/BQNRKBR1[NPnp] w GDgd - 0 1";
    assert_eq!(perft(&Position::from_fen(fen, rules).unwrap(), 3), 594_210);
}

#[test]
fn bughouse_mate_needs_that_no_piece_could_help() {
    for (fen, expected) in [
        ("4R1k1/5ppp/8/8/8/8/8/4K3[] b - - 0 1", Status::Wait),
        ("6rk/5Npp/8/8/8/8/8/6K1[] b - - 0 1", Status::Checkmate),
        ("6k1/6Q1/6K1/8/8/8/8/8[qrbnp] b - - 0 1", Status::Checkmate),
        ("8/8/8/8/8/5kn1/8/r4K2[] w - - 0 1", Status::Checkmate),
        ("k7/8/1Q6/8/8/8/8/6K1[] b - - 0 1", Status::Wait),
        ("k7/8/1Q6/8/8/8/8/6K1[n] b - - 0 1", Status::Ongoing),
    ] {
        let pos = Position::from_fen(fen, Rules::BUGHOUSE).unwrap();
        assert_eq!(pos.status(), expected, "{fen}");
    }
}

#[test]
fn captures_go_where_the_variant_sends_them() {
    let fen = "r6Q~/8/8/8/8/8/8/k1K5[] b - - 0 1";
    for (rules, hand) in [(Rules::CRAZYHOUSE, 1), (Rules::BUGHOUSE, 0)] {
        let mut pos = Position::from_fen(fen, rules).unwrap();
        let captured = pos.make(Move::capture(Square::A8, Square::H8));
        assert_eq!(captured, Some(Captured { role: Role::Pawn, color: Color::White }));
        assert_eq!(pos.hand(Color::Black, Role::Pawn), hand);
        assert!(HAND_ROLES.into_iter().skip(1).all(|role| pos.hand(Color::Black, role) == 0));
    }
}

#[test]
fn restricted_drops() {
    let fen = "6k1/5ppp/8/8/8/8/8/4K3[RN] w - - 0 1";
    let mate = Move::drop(Role::Rook, Square::E8);
    let check = Move::drop(Role::Knight, Square::H6);
    for (value, mate_allowed, check_allowed) in
        [("mate-allowed", true, true), ("no-mate", false, true), ("no-check", false, false)]
    {
        let mut rules = Rules::CRAZYHOUSE;
        rules.set("drop_aggression", value).unwrap();
        let pos = Position::from_fen(fen, rules).unwrap();
        assert_eq!(pos.is_legal(mate), mate_allowed, "{value}");
        assert_eq!(pos.is_legal(check), check_allowed, "{value}");
        kinds_agree(&pos);
    }
    // In bughouse a piece could still stand in the way: no mate, so allowed.
    let mut rules = Rules::BUGHOUSE;
    rules.set("drop_aggression", "no-mate").unwrap();
    assert!(Position::from_fen(fen, rules).unwrap().is_legal(mate));
}

#[test]
fn exchanges_count_what_enters_a_hand() {
    let pos = |fen| Position::from_fen(fen, Rules::CRAZYHOUSE).unwrap();
    // Rook takes a defended promoted queen: the queen is gone, a pawn won, the rook lost.
    let promoted = pos("4k3/8/8/4Q~3/3P4/8/K7/4r3[] b - - 0 1");
    let take = Move::capture(Square::E1, Square::E5);
    assert!(promoted.see_ge(take, 100) && !promoted.see_ge(take, 101));
    let defended = pos("4k3/8/8/4p3/3P4/8/8/K3R3[] w - - 0 1");
    assert!(defended.see_ge(Move::capture(Square::D4, Square::E5), 200));
    let guarded = pos("4k3/8/3p4/4p3/8/8/8/K3R3[] w - - 0 1");
    let take = Move::capture(Square::E1, Square::E5);
    assert!(guarded.see_ge(take, 200 - 750) && !guarded.see_ge(take, 200 - 749));
    assert!(!guarded.see_ge(Move::quiet(Square::E1, Square::E4), 1));
    let drop = pos("4k3/8/3p4/8/8/8/8/K7[N] w - - 0 1");
    assert!(!drop.see_ge(Move::drop(Role::Knight, Square::E5), 0));
    assert!(drop.see_ge(Move::drop(Role::Knight, Square::E4), 0));
}

/// What an observer is told, applied to the old position, gives the new one.
#[test]
fn observers_see_every_change() {
    #[derive(Default)]
    struct Tally(i64, i64);
    impl BoardObserver for Tally {
        fn put(&mut self, sq: Square, color: Color, role: Role, promoted: bool) {
            self.0 += weight(sq, color, role, promoted);
        }
        fn take(&mut self, sq: Square, color: Color, role: Role, promoted: bool) {
            self.0 -= weight(sq, color, role, promoted);
        }
        fn hand(&mut self, color: Color, role: Role, before: u8, after: u8) {
            let unit = 1 << (4 * role as i64 + i64::from(color.is_white()) * 30);
            self.1 += (i64::from(after) - i64::from(before)) * unit;
        }
    }
    fn weight(sq: Square, color: Color, role: Role, promoted: bool) -> i64 {
        let index = i64::from(sq.to_u32()) * 100 + role as i64 * 10 + i64::from(promoted) * 5;
        index * index * if color.is_white() { 1 } else { 7 }
    }
    fn tally(pos: &Position) -> (i64, i64) {
        let mut tally = Tally::default();
        for sq in pos.occupied() {
            let (color, role) = (pos.color_at(sq).unwrap(), pos.role_at(sq).unwrap());
            tally.put(sq, color, role, pos.promoted().contains(sq));
        }
        for color in Color::ALL {
            for role in HAND_ROLES {
                tally.hand(color, role, 0, pos.hand(color, role));
            }
        }
        (tally.0, tally.1)
    }
    let mut rng = fastrand::Rng::with_seed(11);
    for fen in POSITIONS {
        let mut pos = Position::from_fen(fen, Rules::CRAZYHOUSE).unwrap();
        let (board, hands) = tally(&pos);
        let mut seen = Tally(board, hands);
        for _ in 0..80 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            pos.make_with(moves[rng.usize(..moves.len())], &mut seen);
            assert_eq!((seen.0, seen.1), tally(&pos), "{pos:?}");
        }
    }
}
