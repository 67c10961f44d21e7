//! Random matches: nothing is lost, and the slow reference agrees.

use super::*;
use crate::rules::naive::{Naive, State};
use crate::rules::{PromotionRule, notation};
use crate::types::{Color, HAND_ROLES};

/// Pieces of both boards and hands by colour and kind of origin.
fn census(boards: &Boards) -> [[u32; 6]; 2] {
    let mut count = [[0; 6]; 2];
    for board in BoardId::ALL {
        let position = boards.board(board);
        for color in Color::ALL {
            let row = &mut count[color as usize];
            for role in Role::ALL {
                let all = position.by_piece(color, role);
                let pawns = (all & position.promoted()).count() as u32;
                row[role as usize - 1] += all.count() as u32 - pawns;
                row[0] += pawns;
            }
            for role in HAND_ROLES {
                row[role as usize - 1] += u32::from(position.hand(color, role));
            }
        }
    }
    count
}

#[test]
fn random_matches_keep_all_pieces() {
    let swedish = rules(Rules::BUGHOUSE_SWEDISH, &[("promotion", "exchange")]);
    for set in [Rules::BUGHOUSE, exchange_rules(), swedish] {
        let mut exchanges = 0;
        for seed in 0..40 {
            exchanges += random_match(set, seed);
        }
        assert_eq!(exchanges > 0, set.promotion == PromotionRule::Exchange);
    }
}

/// Plays one match at random, promotions preferred; returns how many pieces were exchanged.
fn random_match(rules: Rules, seed: u64) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut table = Match::new(rules).unwrap();
    let mut exchanges = 0;
    while table.result().is_none() {
        let board = if rng.bool() { A } else { B };
        let moves = table.boards().legal_moves(board);
        if moves.is_empty() {
            continue;
        }
        let promotions: Vec<_> = moves.iter().copied().filter(|mv| mv.is_promotion()).collect();
        let mv = if promotions.is_empty() {
            moves[rng.usize(..moves.len())]
        } else {
            promotions[rng.usize(..promotions.len())]
        };
        let seat = table.boards().mover(board);
        let exchange = mv
            .promotion_role()
            .filter(|_| rules.promotion == PromotionRule::Exchange)
            .map(|role| table.boards().exchanges(seat, role))
            .and_then(|fits| fits.into_iter().nth(rng.usize(..fits.count())));
        exchanges += usize::from(exchange.is_some());
        let before = *table.boards();
        for text in [before.write_uci(board, mv, exchange), before.write_san(board, mv, exchange)] {
            let read = before.read_uci(board, &text).or_else(|_| before.read_san(board, &text));
            assert_eq!(read, Ok((mv, exchange)), "{text} in {}", before.fen());
        }
        table.play(board, mv, exchange).unwrap();
        let after = table.boards();
        assert_eq!(census(after), [[16, 4, 4, 4, 2, 2]; 2], "{}", after.fen());
        for id in BoardId::ALL {
            let position = after.board(id);
            assert_eq!(position.key(), position.compute_key());
        }
        let copy = Boards::from_fen(&after.fen(), rules).unwrap();
        assert_eq!((copy.key(), copy.fen()), (after.key(), after.fen()));
        assert!(table.moves().len() <= 800);
    }
    exchanges
}

fn letter(color: Color, role: Role) -> char {
    if color.is_white() { role.upper_char() } else { role.char() }
}

/// Both boards by the slow reference, exchanges included.
#[test]
fn random_matches_agree_with_the_reference() {
    let swedish = rules(Rules::BUGHOUSE_SWEDISH, &[("promotion", "exchange")]);
    let strict =
        rules(exchange_rules(), &[("drop_aggression", "no-mate"), ("pawn_drop_ranks", "3-6")]);
    for (seed, set) in [Rules::BUGHOUSE, exchange_rules(), swedish, strict].into_iter().enumerate()
    {
        one_match(set, seed as u64, 160);
    }
}

#[test]
#[ignore = "minutes; run by hand after a change of the rules"]
fn many_random_matches_agree_with_the_reference() {
    let swedish = rules(Rules::BUGHOUSE_SWEDISH, &[("promotion", "exchange")]);
    for seed in 0..40 {
        for set in [exchange_rules(), swedish] {
            one_match(set, seed, 500);
        }
    }
}

fn one_match(rules: Rules, seed: u64, moves: usize) {
    let mut rng = fastrand::Rng::with_seed(seed + 77);
    let mut boards = Boards::start(rules).unwrap();
    let mut naive = [A, B].map(|board| Naive::from_fen(&boards.board(board).fen(), rules));
    let exchanging = rules.promotion == PromotionRule::Exchange;
    for _ in 0..moves {
        if exchanging {
            for at in 0..2 {
                for (index, white) in [true, false].into_iter().enumerate() {
                    naive[at].kinds[index] = "nbrq"
                        .chars()
                        .filter(|kind| !naive[1 - at].exchanges(white, *kind).is_empty())
                        .collect();
                }
            }
        }
        for board in BoardId::ALL {
            let position = boards.board(board);
            let texts: std::collections::BTreeSet<String> =
                position.legal_moves().iter().map(|mv| notation::to_uci(position, *mv)).collect();
            let slow = &naive[board.index()];
            assert_eq!(texts, slow.legal(), "board {board} of {}", boards.fen());
            let same = matches!(
                (position.status(), slow.state()),
                (Status::Ongoing, State::Ongoing)
                    | (Status::Checkmate, State::Checkmate)
                    | (Status::Wait, State::Wait)
            );
            assert!(same, "board {board} of {}", boards.fen());
            assert_eq!(Naive::from_fen(&position.fen(), rules).summary(), slow.summary());
        }
        let board = if rng.bool() { A } else { B };
        let position = boards.board(board);
        if position.status() == Status::Checkmate {
            break;
        }
        let moves = position.legal_moves();
        let promotions: Vec<_> = moves.iter().copied().filter(|mv| mv.is_promotion()).collect();
        let pool = if promotions.is_empty() { moves.to_vec() } else { promotions };
        if pool.is_empty() {
            continue;
        }
        let mv = pool[rng.usize(..pool.len())];
        let text = notation::to_uci(position, mv);
        let seat = boards.mover(board);
        let mut exchange = None;
        if let (Some(role), true) = (mv.promotion_role(), exchanging) {
            let slow: Vec<Square> = naive[1 - board.index()]
                .exchanges(seat.color().is_white(), role.char())
                .into_iter()
                .map(|at| Square::new(at as u32))
                .collect();
            let fast: Vec<Square> = boards.exchanges(seat, role).into_iter().collect();
            assert_eq!(fast, slow, "{}", boards.fen());
            exchange = Some(slow[rng.usize(..slow.len())]);
        }
        let played = boards.play(board, mv, exchange).unwrap();
        let passed = naive[board.index()].play(&text);
        assert_eq!(passed, played.captured.map(|piece| letter(piece.color, piece.role)));
        let other = &mut naive[1 - board.index()];
        if let Some(piece) = passed {
            other.give(piece);
        }
        if let Some(square) = exchange {
            other.take_off(square.to_usize());
            other.give(letter(seat.color(), Role::Pawn));
        }
    }
}
