//! Random bughouse matches: no piece is created or lost, hands fit what was captured, keys and FENs
//! agree, and the moves of every position are written down for pyffish to count again
//! (`clients/test_bughouse.py`).
//!
//! `KLOTZ_BUGHOUSE_MATCHES` sets how many (default 100; the acceptance run is 10,000),
//! `KLOTZ_BUGHOUSE_EVERY` which positions are written (default every 10th: pyffish takes a
//! millisecond for each).

mod support;

use std::fmt::Write as _;
use std::path::Path;

use klotz::rules::bughouse::{Boards, Match};
use klotz::rules::{Position, PromotionRule, Rules, notation};
use klotz::types::{BoardId, Color, HAND_ROLES, Role, Seat};

const PLIES: usize = 300;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |value| value.parse().unwrap())
}

fn matches() -> u64 {
    number("KLOTZ_BUGHOUSE_MATCHES", 100)
}

/// Pieces of each colour and kind on both boards and in all hands; what a pawn became is a pawn.
fn census(boards: &Boards) -> [[usize; 6]; 2] {
    let count = |color: Color, role: Role| -> usize {
        BoardId::ALL
            .into_iter()
            .map(|id| {
                let board = boards.board(id);
                let standing = board.by_piece(color, role) & !board.promoted();
                let promoted = board.by_color(color) & board.promoted();
                let pawns = if role == Role::Pawn { promoted.count() } else { 0 };
                let hand = if role == Role::King { 0 } else { board.hand(color, role) };
                standing.count() + pawns + usize::from(hand)
            })
            .sum()
    };
    [Color::White, Color::Black].map(|color| Role::ALL.map(|role| count(color, role)))
}

/// Two sets: pawns, knights, bishops, rooks, queens, kings.
const TWO_SETS: [usize; 6] = [16, 4, 4, 4, 2, 2];

fn hand_of(boards: &Boards, seat: Seat) -> [u8; 5] {
    HAND_ROLES.map(|role| boards.hand(seat, role))
}

/// One board's position as the script reads it: its FEN and its legal moves.
fn record(out: &mut String, position: &Position) {
    let mut moves: Vec<String> =
        position.legal_moves().into_iter().map(|mv| notation::to_uci(position, mv)).collect();
    moves.sort_unstable();
    writeln!(out, "{}\t{}", position.fen(), moves.join(" ")).unwrap();
}

/// Plays one match; returns the plies played. Each position on the way is checked, and recorded
/// if asked for.
fn play(seed: u64, rules: Rules, mut out: Option<&mut String>) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut table = Match::new(rules).unwrap();
    let every = number("KLOTZ_BUGHOUSE_EVERY", 10);
    for ply in 0..PLIES {
        let boards = *table.boards();
        assert_eq!(census(&boards), [TWO_SETS; 2], "seed {seed}, ply {ply}: {}", boards.fen());
        let again = Boards::from_fen(&boards.fen(), rules).unwrap();
        assert_eq!(again.key(), boards.key(), "{}", boards.fen());
        let board = if rng.bool() { BoardId::A } else { BoardId::B };
        let moves = boards.legal_moves(board);
        if let Some(out) = &mut out
            && (rng.u64(..every) == 0 || table.result().is_some())
        {
            record(out, boards.board(board));
        }
        if table.result().is_some() {
            return ply;
        }
        if moves.is_empty() {
            continue;
        }
        let mv = moves[rng.usize(..moves.len())];
        let mover = boards.mover(board);
        let exchange = mv
            .promotion_role()
            .filter(|_| rules.promotion == PromotionRule::Exchange)
            .map(|role| {
                let squares: Vec<_> = boards.exchanges(mover, role).into_iter().collect();
                squares[rng.usize(..squares.len())]
            });
        let text = boards.write_uci(board, mv, exchange);
        assert_eq!(boards.read_uci(board, &text).unwrap(), (mv, exchange), "{text}");
        let played = table.play(board, mv, exchange).unwrap();
        let after = table.boards();
        let captured = played.captured.map(|captured| captured.role);
        for (seat, gains) in [(mover.partner(), captured), (mover.opponent(), None)] {
            let mut expected = hand_of(&boards, seat);
            if let Some(index) = gains.and_then(|role| HAND_ROLES.iter().position(|r| *r == role)) {
                expected[index] += 1;
            }
            assert_eq!(hand_of(after, seat), expected, "hand of {seat} after {text}, seed {seed}");
        }
        // A refused move changes nothing.
        let before = (after.fen(), after.key());
        if let Some(mv) = klotz::types::Move::from_raw(rng.u16(..))
            && !after.board(board).is_legal(mv)
        {
            assert!(table.play(board, mv, None).is_err());
            assert_eq!((table.boards().fen(), table.boards().key()), before);
        }
    }
    PLIES
}

#[test]
fn no_piece_is_created_or_lost() {
    let mut lines = String::new();
    let plies: usize =
        (0..matches()).map(|seed| play(seed, Rules::BUGHOUSE, Some(&mut lines))).sum();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bughouse-positions.txt");
    std::fs::write(&path, lines).unwrap();
    println!("{} matches, {plies} plies, positions in {}", matches(), path.display());
}

#[test]
fn other_rule_sets_keep_the_pieces_too() {
    let swedish = Rules { promotion: PromotionRule::Exchange, ..Rules::BUGHOUSE_SWEDISH };
    for rules in [Rules::BUGHOUSE_OTB, Rules::BUGHOUSE_SWEDISH, swedish] {
        for seed in 0..matches().div_ceil(4) {
            play(seed, rules, None);
        }
    }
}
