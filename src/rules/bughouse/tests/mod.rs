//! Matches by hand-made cases, and random ones against the reference.

mod exchange;
mod random;

use super::*;
use crate::rules::{Rules, Status};
use crate::types::{BoardId, Role, Seat, Square, Team};

const A: BoardId = BoardId::A;
const B: BoardId = BoardId::B;
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";
/// Black to move has neither move nor check.
const STUCK: &str = "7k/5Q2/6K1/8/8/8/8/8[] b - - 0 1";

fn rules(base: Rules, options: &[(&str, &str)]) -> Rules {
    let mut rules = base;
    for (option, value) in options {
        rules.set(option, value).unwrap();
    }
    rules
}

fn exchange_rules() -> Rules {
    rules(Rules::BUGHOUSE, &[("promotion", "exchange")])
}

fn table(fens: &str, rules: Rules) -> Match {
    Match::from_boards(Boards::from_fen(fens, rules).unwrap())
}

/// Plays `A:e2e4 B:d2d4 …`.
fn play(table: &mut Match, moves: &str) {
    for text in moves.split_whitespace() {
        try_play(table, text).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
}

fn try_play(table: &mut Match, text: &str) -> Result<Played, String> {
    let (board, text) = text.split_once(':').unwrap();
    let board = if board == "A" { A } else { B };
    let (mv, exchange) = table.boards().read_uci(board, text).map_err(|e| e.to_string())?;
    table.play(board, mv, exchange).map_err(|e| e.to_string())
}

fn ended(table: &Match) -> String {
    table.result().map(|result| result.to_string()).unwrap_or_default()
}

fn board_of(fen: &str) -> &str {
    fen.split(' ').next().unwrap()
}

#[test]
fn captures_cross_and_keep_their_colour() {
    let mut table = Match::new(Rules::BUGHOUSE).unwrap();
    play(&mut table, "A:e2e4 A:d7d5 A:e4d5 B:e2e4 B:P@e3");
    assert_eq!(
        board_of(&table.boards().board(B).fen()),
        "rnbqkbnr/pppppppp/8/8/4P3/4p3/PPPP1PPP/RNBQKBNR[]"
    );
    play(&mut table, "A:d8d5");
    assert_eq!(table.boards().hand(Seat::WhiteB, Role::Pawn), 1);
    // A promoted piece arrives as a pawn.
    let fens = format!("r6Q~/8/8/8/8/8/8/k1K5[] b - - 0 1 | {START}");
    let mut table = self::table(&fens, Rules::BUGHOUSE);
    play(&mut table, "A:a8h8");
    assert_eq!(table.boards().hand(Seat::WhiteB, Role::Pawn), 1);
    assert_eq!(table.boards().hand(Seat::WhiteB, Role::Queen), 0);
}

#[test]
fn boards_do_not_wait_for_each_other() {
    let mut table = Match::new(Rules::BUGHOUSE).unwrap();
    play(&mut table, "B:e2e4 B:e7e5 B:g1f3 A:d2d4 B:b8c6");
    assert!(table.to_move(Seat::BlackA) && table.to_move(Seat::WhiteB));
    assert!(!table.to_move(Seat::WhiteA));
    assert_eq!(table.moves().len(), 5);
    assert_eq!(table.moves()[3].seat, Seat::WhiteA);
}

#[test]
fn two_board_text_is_read_and_refused_by_name() {
    let both = format!("{START} | {START}");
    for text in [both.clone(), both.replace(" | ", "|"), format!("  {both}  ")] {
        assert_eq!(Boards::from_fen(&text, Rules::BUGHOUSE).unwrap().fen(), both);
    }
    let error = |text: &str| Boards::from_fen(text, Rules::BUGHOUSE).unwrap_err().to_string();
    assert_eq!(error(START), "two boards are written 'A | B'; here are 1 positions");
    assert_eq!(
        error(&format!("{both} | {START}")),
        "two boards are written 'A | B'; here are 3 positions"
    );
    let two_kings = START.replace("rnbq", "rnbk");
    assert!(error(&format!("{START} | {two_kings}")).starts_with("board B: "));
    let heavy = START.replace("[]", "[PPPPPPPPPPPPPPPPQ]");
    assert_eq!(
        error(&format!("{heavy} | {heavy}")),
        "98 pieces on both boards and in all hands: two sets hold 64"
    );
    assert!(Boards::from_fen(&both, Rules::CRAZYHOUSE).is_err());
}

#[test]
fn keys_tell_boards_and_hands_apart() {
    let other = START.replace(" w ", " b ");
    let key = |text: String| Boards::from_fen(&text, Rules::BUGHOUSE).unwrap().key();
    let keys = [
        key(format!("{START} | {START}")),
        key(format!("{START} | {other}")),
        key(format!("{other} | {START}")),
        key(format!("{other} | {other}")),
    ];
    for (i, a) in keys.iter().enumerate() {
        for b in &keys[i + 1..] {
            assert_ne!(a, b);
        }
    }
    assert!(size_of::<Boards>() <= 512, "{}", size_of::<Boards>());
}

#[test]
fn mate_on_either_board_wins_for_the_team() {
    let mate = "5rk1/5p1p/5P2/8/8/8/8/6K1[Qq] w - - 0 1";
    for (fens, mv, winner, text) in [
        (format!("{mate} | {START}"), "A:Q@g7", Team::One, "BlackA checkmated"),
        (format!("{START} | {mate}"), "B:Q@g7", Team::Two, "BlackB checkmated"),
    ] {
        let mut table = table(&fens, Rules::BUGHOUSE);
        play(&mut table, mv);
        let result = *table.result().unwrap();
        assert_eq!(result.winner, Some(winner));
        assert_eq!(result.halves[winner as usize], 2);
        assert_eq!((result.reason, result.to_string().as_str()), (MatchEnd::Mate, text));
        assert_eq!(result.seat.map(Seat::board), result.board);
        assert_eq!(result.bpgn(), if winner == Team::One { "1-0" } else { "0-1" });
        assert!(try_play(&mut table, "A:e2e4").is_err());
        assert_eq!(table.flag(Seat::WhiteA), Err(MatchError::Over(result)));
    }
}

#[test]
fn a_check_that_could_be_blocked_ends_nothing() {
    let mut table = Match::new(Rules::BUGHOUSE).unwrap();
    play(&mut table, "A:f2f3 A:e7e5 A:g2g4 A:d8h4");
    assert_eq!(table.boards().board(A).status(), Status::Wait);
    assert_eq!(table.result(), None);
    assert!(try_play(&mut table, "A:a2a3").is_err());
    // The partner sends a pawn and the block is played.
    play(&mut table, "B:e2e4 B:d7d5 B:e4d5 B:d8d5 A:P@g3");
    assert_eq!(table.result(), None);
}

#[test]
fn players_lose_by_flag_resignation_and_leaving() {
    type Act = fn(&mut Match, Seat) -> Result<(), MatchError>;
    let acts: [(Act, MatchEnd, &str); 3] = [
        (Match::flag, MatchEnd::Flag, "forfeits on time"),
        (Match::resign, MatchEnd::Resign, "resigns"),
        (Match::leave, MatchEnd::Left, "left the table"),
    ];
    for (act, reason, text) in acts {
        for seat in Seat::ALL {
            let mut table = Match::new(Rules::BUGHOUSE).unwrap();
            act(&mut table, seat).unwrap();
            let result = *table.result().unwrap();
            assert_eq!((result.winner, result.reason), (Some(seat.team().other()), reason));
            assert_eq!((result.seat, result.board), (Some(seat), Some(seat.board())));
            assert_eq!(result.to_string(), format!("{seat} {text}"));
        }
    }
}

#[test]
fn an_illegal_move_loses_only_where_the_option_says() {
    let mut online = Match::new(Rules::BUGHOUSE).unwrap();
    assert!(try_play(&mut online, "A:e2e5").is_err());
    online.illegal(Seat::WhiteA).unwrap();
    assert_eq!(online.result(), None);
    let mut otb = Match::new(Rules::BUGHOUSE_OTB).unwrap();
    otb.illegal(Seat::WhiteB).unwrap();
    assert_eq!(ended(&otb), "WhiteB made an illegal move");
    assert_eq!(otb.result().unwrap().winner, Some(Team::One));
}

#[test]
fn a_table_where_nobody_can_act_is_dead() {
    let mut dead = table(&format!("{STUCK} | {STUCK}"), Rules::BUGHOUSE);
    assert_eq!(ended(&dead), "drawn by dead table");
    assert_eq!(dead.result().unwrap().halves, [1, 1]);
    assert!(dead.agree_draw().is_err());
    // One player who can move is enough, be it by a drop.
    let with_drop = STUCK.replace("[]", "[n]");
    assert_eq!(table(&format!("{STUCK} | {with_drop}"), Rules::BUGHOUSE).result(), None);
    // In check and waiting counts as well; the last move made it so.
    let check = "8/8/8/8/8/5k2/7r/5K2[] b - - 0 1";
    let mut table = table(&format!("{STUCK} | {check}"), Rules::BUGHOUSE);
    assert_eq!(table.result(), None);
    play(&mut table, "B:h2h1");
    assert_eq!(ended(&table), "drawn by dead table");
}

#[test]
fn the_cap_counts_both_boards() {
    let late = START.replace("0 1", "0 200");
    let mut table = table(&format!("{late} | {}", late.replace("200", "201")), Rules::BUGHOUSE);
    play(&mut table, "A:g1f3");
    assert_eq!(table.result(), None);
    play(&mut table, "B:g1f3");
    assert_eq!(ended(&table), "drawn by 800 moves played");
    // Mate on the last move counts.
    let mate = "5rk1/5p1p/5P2/8/8/8/8/6K1[Qq] w - - 0 400";
    let mut table = self::table(&format!("{mate} | {START}"), Rules::BUGHOUSE);
    play(&mut table, "B:g1f3 A:Q@g7");
    assert_eq!(ended(&table), "BlackA checkmated");
    let endless = rules(Rules::BUGHOUSE, &[("move_cap", "none")]);
    let mut table = self::table(&format!("{late} | {late}"), endless);
    play(&mut table, "A:g1f3 B:g1f3 A:g8f6 B:g8f6");
    assert_eq!(table.result(), None);
}

#[test]
fn no_repetition_draw_in_a_match() {
    let mut table = Match::new(Rules::BUGHOUSE).unwrap();
    play(&mut table, &"A:g1f3 A:g8f6 A:f3g1 A:f6g8 ".repeat(6));
    assert_eq!(table.result(), None);
}

#[test]
fn simultaneous_ends_follow_the_option() {
    let mate_a = "5rk1/5p1p/5P2/8/8/8/8/6K1[Qq] w - - 0 1";
    let fens = format!("{mate_a} | {mate_a}");
    let mate = |table: &Match, board| {
        let (mv, exchange) = table.boards().read_uci(board, "Q@g7").unwrap();
        Event::Play { board, mv, exchange }
    };
    let start = table(&fens, Rules::BUGHOUSE);
    let cases: [(Vec<Event>, &str, &str); 7] = [
        (vec![mate(&start, A), mate(&start, B)], "BlackA checkmated", "drawn by simultaneous ends"),
        (
            vec![Event::Flag(Seat::WhiteA), Event::Flag(Seat::WhiteB)],
            "WhiteA forfeits on time",
            "drawn by simultaneous ends",
        ),
        // Two of one team.
        (
            vec![Event::Flag(Seat::WhiteA), Event::Flag(Seat::BlackB)],
            "WhiteA forfeits on time",
            "WhiteA forfeits on time",
        ),
        (
            vec![mate(&start, A), Event::Flag(Seat::BlackB)],
            "BlackA checkmated",
            "drawn by simultaneous ends",
        ),
        (
            vec![Event::Flag(Seat::BlackB), mate(&start, A)],
            "BlackB forfeits on time",
            "drawn by simultaneous ends",
        ),
        // Resigning is an act, not an end that happens: the first counts.
        (
            vec![Event::Resign(Seat::WhiteB), Event::Resign(Seat::WhiteA)],
            "WhiteB resigns",
            "WhiteB resigns",
        ),
        (vec![], "", ""),
    ];
    for (events, first, draw) in cases {
        for (value, expected) in [("first-event", first), ("draw", draw)] {
            let set = rules(Rules::BUGHOUSE, &[("simultaneous", value)]);
            let mut table = table(&fens, set);
            table.apply_simultaneous(&events).unwrap();
            assert_eq!(ended(&table), expected, "{events:?} {value}");
        }
    }
    // If one event is refused, none has happened.
    let mut table = start.clone();
    let illegal = crate::types::Move::quiet(Square::A1, Square::A2);
    let bad = Event::Play { board: B, mv: illegal, exchange: None };
    let set = [mate(&start, B), bad];
    let draws = rules(Rules::BUGHOUSE, &[("simultaneous", "draw")]);
    let mut strict = self::table(&fens, draws);
    assert!(strict.apply_simultaneous(&set).is_err());
    assert_eq!((strict.boards().fen(), strict.result()), (table.boards().fen(), None));
    // Under first-event what comes after the end is void, right or wrong.
    table.apply_simultaneous(&set).unwrap();
    assert_eq!(ended(&table), "BlackB checkmated");
}

#[test]
fn a_match_is_drawn_by_agreement() {
    let mut table = Match::new(Rules::BUGHOUSE).unwrap();
    table.agree_draw().unwrap();
    let result = table.result().unwrap();
    assert_eq!((result.winner, result.halves, result.bpgn()), (None, [1, 1], "1/2-1/2"));
    assert_eq!(ended(&table), "drawn by agreement");
    let ends = rules(Rules::BUGHOUSE_OTB, &[("board_draw", "ends-match")]);
    let mut table = Match::new(ends).unwrap();
    table.agree_board_draw(B).unwrap();
    assert_eq!(
        (ended(&table).as_str(), table.result().unwrap().board),
        ("drawn by agreement", Some(B))
    );
}

#[test]
fn after_a_drawn_board_the_other_plays_on() {
    let mate = "5rk1/5p1p/5P2/8/8/8/7r/6K1[Qq] w - - 0 1";
    let mut table = table(&format!("{START} | {mate}"), Rules::BUGHOUSE_OTB);
    table.agree_board_draw(A).unwrap();
    assert_eq!((table.stopped(), table.result()), (Some(A), None));
    assert!(!table.to_move(Seat::WhiteA) && table.to_move(Seat::WhiteB));
    assert_eq!(try_play(&mut table, "A:e2e4").unwrap_err(), "board A was drawn and stands still");
    assert!(table.flag(Seat::BlackA).is_err() && table.agree_board_draw(A).is_err());
    // What is taken goes to the hands of the drawn board, where it stays.
    play(&mut table, "B:g1h2");
    assert_eq!(table.boards().hand(Seat::BlackA, Role::Rook), 1);
    play(&mut table, "B:Q@a3 B:Q@g7");
    let result = *table.result().unwrap();
    assert_eq!((result.winner, result.halves), (Some(Team::Two), [1, 3]));
    assert_eq!(result.to_string(), "BlackB checkmated, board A drawn before");
}

#[test]
fn both_boards_drawn_are_summed() {
    let mut table = Match::new(Rules::BUGHOUSE_OTB).unwrap();
    table.agree_board_draw(B).unwrap();
    play(&mut table, "A:e2e4");
    table.agree_board_draw(A).unwrap();
    let result = table.result().unwrap();
    assert_eq!(
        (result.reason, result.halves, result.winner),
        (MatchEnd::BoardScores, [2, 2], None)
    );
    // The only board left is dead once its mover can do nothing: no piece can come.
    let mut table = self::table(&format!("{START} | {STUCK}"), Rules::BUGHOUSE_OTB);
    table.agree_board_draw(A).unwrap();
    assert_eq!(ended(&table), "drawn by dead table, board A drawn before");
    assert_eq!(table.result().unwrap().halves, [2, 2]);
    // Flagging alone on the other board loses a point of two.
    let mut table = Match::new(Rules::BUGHOUSE_OTB).unwrap();
    table.agree_board_draw(B).unwrap();
    table.flag(Seat::BlackA).unwrap();
    assert_eq!(table.result().unwrap().halves, [3, 1]);
}
