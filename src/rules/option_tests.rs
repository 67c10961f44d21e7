//! The rule options, each by hand-made cases and by random games against the reference.

use std::collections::BTreeSet;

use super::naive::{Naive, State};
use super::{Position, Rules, Status, Variant, notation};
use crate::types::{Color, HAND_ROLES, Move};

fn rules(base: Rules, options: &[(&str, &str)]) -> Rules {
    let mut rules = base;
    for (option, value) in options {
        rules.set(option, value).unwrap();
    }
    rules
}

fn legal(fen: &str, rules: Rules) -> BTreeSet<String> {
    texts(&Position::from_fen(fen, rules).unwrap())
}

fn texts(position: &Position) -> BTreeSet<String> {
    position.legal_moves().iter().map(|mv| notation::to_uci(position, *mv)).collect()
}

fn play(position: &mut Position, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = notation::from_uci(position, text).unwrap_or_else(|e| panic!("{text}: {e}"));
        position.make(mv);
    }
}

fn status_after(fen: &str, rules: Rules, moves: &str) -> Status {
    let mut position = Position::from_fen(fen, rules).unwrap();
    play(&mut position, moves);
    position.status()
}

/// Every rule set that differs in what may be played.
fn rule_sets() -> Vec<Rules> {
    let mut sets = vec![Rules::CHESS];
    for base in [Rules::CRAZYHOUSE, Rules::BUGHOUSE, Rules::BUGHOUSE_OTB, Rules::BUGHOUSE_SWEDISH] {
        for aggression in ["mate-allowed", "no-mate", "no-check"] {
            for ranks in ["2-7", "3-6"] {
                let options = [("drop_aggression", aggression), ("pawn_drop_ranks", ranks)];
                sets.push(rules(base, &options));
            }
        }
    }
    sets.push(rules(Rules::CRAZYHOUSE, &[("dropped_rook_castles", "true")]));
    sets
}

fn same_state(real: Status, naive: State) -> bool {
    matches!(
        (real, naive),
        (Status::Ongoing, State::Ongoing)
            | (Status::Checkmate, State::Checkmate)
            | (Status::Stalemate, State::Stalemate)
            | (Status::Wait, State::Wait)
    )
}

fn agree(real: &Position, naive: &Naive) {
    let fen = real.fen();
    assert_eq!(texts(real), naive.legal(), "moves of {fen} under {:?}", real.rules());
    assert!(same_state(real.status(), naive.state()), "{:?} of {fen}", real.status());
    assert_eq!(Naive::from_fen(&fen, real.rules()).summary(), naive.summary(), "{fen}");
    assert_eq!(real.key(), real.compute_key(), "{fen}");
    assert_eq!(Position::from_fen(&fen, real.rules()).unwrap().key(), real.key(), "{fen}");
}

/// Plays random games with drops preferred; in bughouse pieces come from nowhere now and then, as
/// the partner would send them.
fn random_games(rules: Rules, games: u64, plies: usize) {
    for seed in 0..games {
        let mut rng = fastrand::Rng::with_seed(seed * 7919 + 1);
        let mut real = Position::start(rules);
        let mut naive = Naive::from_fen(&real.fen(), rules);
        for _ in 0..plies {
            if rules.variant == Variant::Bughouse && rng.u8(..3) == 0 {
                let color = if rng.bool() { Color::White } else { Color::Black };
                let role = HAND_ROLES[rng.usize(..HAND_ROLES.len())];
                if real.add_to_hand(color, role).is_ok() {
                    let letter = if color.is_white() { role.upper_char() } else { role.char() };
                    naive.give(letter);
                }
            }
            agree(&real, &naive);
            let moves = real.legal_moves();
            if moves.is_empty() {
                if real.status() != Status::Wait {
                    break;
                }
                continue;
            }
            let checks: Vec<Move> =
                moves.iter().copied().filter(|mv| real.gives_check(*mv)).collect();
            let mv = if !checks.is_empty() && rng.u8(..3) == 0 {
                checks[rng.usize(..checks.len())]
            } else {
                moves[rng.usize(..moves.len())]
            };
            let passed = naive.play(&notation::to_uci(&real, mv));
            let gives_check = real.gives_check(mv);
            let captured = real.make(mv);
            assert_eq!(real.in_check(), gives_check, "{mv:?} before {}", real.fen());
            let letter = captured.map(|captured| {
                let role = captured.role;
                if captured.color.is_white() { role.upper_char() } else { role.char() }
            });
            assert_eq!(passed, letter, "piece taken by {mv:?} before {}", real.fen());
        }
    }
}

#[test]
fn random_games_agree_with_the_reference() {
    for rules in rule_sets() {
        random_games(rules, 2, 80);
    }
}

#[test]
#[ignore = "minutes; run by hand after a change of the rules"]
fn many_random_games_agree_with_the_reference() {
    for rules in rule_sets() {
        random_games(rules, 40, 250);
    }
}

#[test]
fn every_packed_move_is_judged_as_generated() {
    for rules in rule_sets() {
        let mut rng = fastrand::Rng::with_seed(11);
        let mut position = Position::start(rules);
        for ply in 0..120 {
            let moves = position.legal_moves();
            if ply % 8 == 0 {
                let judged: BTreeSet<Move> = (0..=u16::MAX)
                    .filter_map(Move::from_raw)
                    .filter(|mv| position.is_legal(*mv))
                    .collect();
                let generated: BTreeSet<Move> = moves.iter().copied().collect();
                assert_eq!(judged, generated, "{}", position.fen());
            }
            if moves.is_empty() {
                break;
            }
            position.make(moves[rng.usize(..moves.len())]);
        }
    }
}

#[test]
fn pawns_drop_where_the_option_says() {
    let fen = "4k3/8/8/8/8/8/8/4K3[Pp] w - - 0 1";
    let narrow = rules(Rules::BUGHOUSE, &[("pawn_drop_ranks", "3-6")]);
    for (rules, ranks) in [(Rules::BUGHOUSE, '2'..='7'), (narrow, '3'..='6')] {
        for turn in ["w", "b"] {
            let drops: BTreeSet<char> = legal(&fen.replace(" w ", &format!(" {turn} ")), rules)
                .into_iter()
                .filter_map(|text| text.strip_prefix("P@").and_then(|to| to.chars().nth(1)))
                .collect();
            assert_eq!(drops, ranks.clone().collect());
        }
    }
}

#[test]
fn a_pawn_on_its_first_square_steps_twice_wherever_it_came_from() {
    let fen = "4k3/8/8/8/3p4/8/8/4K3[P] w - - 0 1";
    for rules in [Rules::CRAZYHOUSE, Rules::BUGHOUSE, Rules::BUGHOUSE_OTB, Rules::BUGHOUSE_SWEDISH]
    {
        let mut position = Position::from_fen(fen, rules).unwrap();
        play(&mut position, "P@e2 e8e7 e2e4");
        assert!(texts(&position).contains("d4e3"), "en passant against a dropped pawn");
        play(&mut position, "d4e3");
    }
}

#[test]
fn a_drop_may_mate_only_where_the_option_says() {
    // The knight on f7 smothers; nothing can be put between.
    let smothered = "6rk/6pp/8/8/8/8/8/6K1[N] w - - 0 1";
    // The rook mates in crazyhouse only: Black has nothing in hand, but might get something.
    let back_rank = "6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1";
    let with_block = "6k1/5ppp/8/8/8/8/8/4K3[Rn] w - - 0 1";
    for (fen, drop, base, expected) in [
        (smothered, "N@f7", Rules::BUGHOUSE, [true, false, false]),
        (smothered, "N@f7", Rules::CRAZYHOUSE, [true, false, false]),
        (back_rank, "R@e8", Rules::BUGHOUSE, [true, true, false]),
        (back_rank, "R@e8", Rules::CRAZYHOUSE, [true, false, false]),
        (with_block, "R@e8", Rules::CRAZYHOUSE, [true, true, false]),
        (back_rank, "R@e7", Rules::CRAZYHOUSE, [true, true, true]),
    ] {
        for (value, allowed) in ["mate-allowed", "no-mate", "no-check"].iter().zip(expected) {
            let set = rules(base, &[("drop_aggression", value)]);
            assert_eq!(legal(fen, set).contains(drop), allowed, "{drop} {value} {:?}", set.variant);
        }
    }
    // A move on the board may mate under every value.
    let on_board = "6k1/5ppp/8/8/8/8/8/4RK2[] w - - 0 1";
    let set = rules(Rules::CRAZYHOUSE, &[("drop_aggression", "no-check")]);
    assert_eq!(status_after(on_board, set, "e1e8"), Status::Checkmate);
}

#[test]
fn under_no_check_a_check_may_still_be_answered_by_a_drop() {
    // A rook that blocks on the first rank checks nobody: it stays.
    let fen = "8/8/8/8/8/6k1/8/r5K1[R] w - - 0 1";
    let strict = rules(Rules::CRAZYHOUSE, &[("drop_aggression", "no-check")]);
    assert_eq!(legal(fen, strict), legal(fen, Rules::CRAZYHOUSE));
    // One that blocks on d1 checks the king on d3: it is refused, the others stay.
    let fen = "8/8/8/8/8/3k4/6PP/r5K1[R] w - - 0 1";
    let free = legal(fen, Rules::CRAZYHOUSE);
    let kept = legal(fen, strict);
    let refused: Vec<_> = free.difference(&kept).cloned().collect();
    assert_eq!(refused, ["R@d1"]);
}

#[test]
fn bughouse_mate_needs_a_check_that_no_drop_could_answer() {
    for (fen, moves, expected) in [
        // Fool's mate can be blocked on g3 or f2.
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1",
            "f2f3 e7e5 g2g4 d8h4",
            Status::Wait,
        ),
        // A distant rook on the back rank.
        ("6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1", "R@e8", Status::Wait),
        // The same rook next to the king, guarded.
        ("5rk1/5p1p/5P2/8/8/8/8/6K1[Qq] w - - 0 1", "Q@g7", Status::Checkmate),
        // A knight's check.
        ("6rk/6pp/8/8/8/8/8/6K1[N] w - - 0 1", "N@f7", Status::Checkmate),
        // A pawn's check.
        ("5bkr/3ppp1p/8/8/7B/7N/8/6K1[P] w - - 0 1", "h3g5", Status::Ongoing),
        // Two checks at once: no drop answers both.
        ("8/8/8/8/8/5kn1/8/r4K2[] w - - 0 1", "", Status::Checkmate),
        // One distant check and no move.
        ("8/8/8/8/8/5k2/8/r4K2[] w - - 0 1", "", Status::Wait),
        // No move and no check.
        ("7k/5Q2/6K1/8/8/8/8/8[] b - - 0 1", "", Status::Wait),
        // A piece in hand that can answer is played; one that cannot (a pawn on the first rank)
        // leaves the player waiting for another.
        ("8/8/8/8/8/5k2/8/r4K2[N] w - - 0 1", "", Status::Ongoing),
        ("8/8/8/8/8/5k2/8/r4K2[P] w - - 0 1", "", Status::Wait),
        // A pinned piece cannot take the guarded knight that checks.
        ("k7/8/8/8/8/8/5nPP/r5QK[] w - - 0 1", "", Status::Checkmate),
        ("k7/8/8/8/8/8/5nPP/6QK[] w - - 0 1", "", Status::Ongoing),
    ] {
        assert_eq!(status_after(fen, Rules::BUGHOUSE, moves), expected, "{fen} {moves}");
    }
}

#[test]
fn a_waiting_player_moves_once_a_piece_comes() {
    let mut position =
        Position::from_fen("k7/8/1Q6/8/8/8/8/6K1[] b - - 0 1", Rules::BUGHOUSE).unwrap();
    assert_eq!(position.status(), Status::Wait);
    position.add_to_hand(Color::Black, HAND_ROLES[1]).unwrap();
    assert_eq!(position.status(), Status::Ongoing);
    assert_eq!(position.legal_moves().len(), 61);
}

#[test]
fn a_dropped_rook_castles_only_where_the_option_says() {
    let fen = "4k3/8/8/8/8/8/8/4K2R[R] w K - 0 1";
    let otb = Rules::BUGHOUSE_OTB;
    for (moves, online_castles, otb_castles) in [
        ("", true, true),
        // The rook leaves and another is dropped on its corner.
        ("h1h2 e8d8 R@h1 d8e8", false, true),
        // It comes back itself.
        ("h1h2 e8d8 h2h1 d8e8", false, true),
        // The king has moved: never again.
        ("e1e2 e8d8 e2e1 d8e8", false, false),
        // Not while the corner is empty.
        ("h1h2 e8d8", false, false),
    ] {
        for (rules, castles) in [(Rules::BUGHOUSE, online_castles), (otb, otb_castles)] {
            let mut position = Position::from_fen(fen, rules).unwrap();
            play(&mut position, moves);
            assert_eq!(texts(&position).contains("e1g1"), castles, "{moves} {rules:?}");
        }
    }
    // Captured on the corner, the right returns with the next own rook; an enemy rook has none.
    let fen = "4k3/8/8/8/8/8/6b1/4K2R[Rr] b K - 0 1";
    let mut position = Position::from_fen(fen, otb).unwrap();
    play(&mut position, "g2h1 e1d1");
    assert!(!texts(&position).contains("e1g1"));
    let mut position = Position::from_fen(fen, otb).unwrap();
    play(&mut position, "g2h1 R@a8 e8e7");
    assert!(!texts(&position).contains("e1g1"));
    // The letter means the king: it stands without a rook and survives reading and writing.
    let fen = "4k3/8/8/8/8/8/8/4K3[R] w KQ - 0 1";
    let mut position = Position::from_fen(fen, otb).unwrap();
    assert_eq!(Position::from_fen(&position.fen(), otb).unwrap(), position);
    play(&mut position, "R@a1 e8e7");
    assert!(texts(&position).contains("e1c1"));
    assert!(Position::from_fen(fen, Rules::BUGHOUSE).is_err(), "no rook on h1 to castle with");
}
