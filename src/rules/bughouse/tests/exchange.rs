//! `promotion = exchange` and what it does to both boards.

use super::*;

/// White on A promotes on a8; the other board is given.
fn promoting(other: &str) -> Match {
    table(&format!("8/P6k/8/8/8/8/8/K7[] w - - 0 1 | {other}"), exchange_rules())
}

#[test]
fn a_pawn_is_exchanged_for_a_piece_of_the_other_board() {
    let mut table = promoting(START);
    let played = try_play(&mut table, "A:a7a8qd1").unwrap();
    assert_eq!((played.captured, played.exchanged), (None, Some(Square::D1)));
    let boards = table.boards();
    assert_eq!(board_of(&boards.board(A).fen()), "Q7/7k/8/8/8/8/8/K7[]");
    assert_eq!(board_of(&boards.board(B).fen()), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR[P]");
    // It is a full piece: captured, it arrives as a queen.
    let fens = format!("7r/P6k/8/8/8/8/8/K7[] w - - 0 1 | {START}");
    let mut table = self::table(&fens, exchange_rules());
    play(&mut table, "A:a7a8qd1");
    assert!(table.boards().board(A).promoted().is_empty());
    play(&mut table, "A:h8a8");
    assert_eq!(table.boards().hand(Seat::WhiteB, Role::Queen), 1);
    // A single piece that fits need not be named; of two the square is asked for.
    let mut table = promoting(START);
    assert_eq!(try_play(&mut table, "A:a7a8q").unwrap().exchanged, Some(Square::D1));
    let error = try_play(&mut promoting(START), "A:a7a8n").unwrap_err();
    assert_eq!(error, "a7a8n must name the knight it takes off the other board: b1 g1");
}

#[test]
fn the_square_is_written_as_bughouse_pro_writes_it() {
    let boards = *promoting(START).boards();
    let (mv, exchange) = boards.read_san(A, "a8=Nb1").unwrap();
    assert_eq!(exchange, Some(Square::B1));
    assert_eq!(boards.write_san(A, mv, exchange), "a8=Nb1");
    assert_eq!(boards.write_uci(A, mv, exchange), "a7a8nb1");
    let (mv, exchange) = boards.read_san(A, "a8=Ra1+").unwrap();
    assert_eq!(boards.write_uci(A, mv, exchange), "a7a8ra1");
    // A capture that promotes with check keeps its mark at the end.
    let fens = format!("1r5k/P7/8/8/8/8/8/K7[] w - - 0 1 | {START}");
    let boards = Boards::from_fen(&fens, exchange_rules()).unwrap();
    let (mv, exchange) = boards.read_uci(A, "a7b8qd1").unwrap();
    assert_eq!(boards.write_san(A, mv, exchange), "axb8=Qd1+");
    assert_eq!(boards.read_san(A, "axb8=Qd1+").unwrap(), (mv, exchange));
    // Nothing else is mistaken for it.
    let start = Boards::start(Rules::BUGHOUSE).unwrap();
    for text in ["Nb1c3", "Nc3", "e4", "Nb1-c3"] {
        let read = start.read_san(A, text);
        assert!(read.is_err() || read.unwrap().1.is_none(), "{text}");
    }
    for text in ["", "+", "é4", "e4é", "qd1", "=Qd1", "a8=Qd1d1", "a7a8qd9", "a7a8kd1", "a8=Kd1"]
    {
        assert!(boards.read_uci(A, text).is_err(), "{text}");
        assert!(boards.read_san(A, text).is_err(), "{text}");
    }
}

#[test]
fn what_cannot_be_exchanged_is_refused_by_name() {
    let error = |other: &str, text: &str| try_play(&mut promoting(other), text).unwrap_err();
    assert_eq!(error(START, "A:a7a8qd8"), "no white queen stands on d8 of the other board");
    assert_eq!(error(START, "A:a7a8qe4"), "no white queen stands on e4 of the other board");
    assert_eq!(error(START, "A:a1b1d1"), "'a1b1d1' is no move");
    // A promoted queen is a pawn.
    let marked = "4k3/8/8/8/1Q~6/8/Q7/4K3[] w - - 0 1";
    assert_eq!(error(marked, "A:a7a8qb4"), "the piece on b4 of the other board is a promoted pawn");
    // A pinned knight shields its own king, a battery's knight the other king.
    for (fen, king) in [
        ("k3r3/8/8/8/8/8/4N3/4K2N[] w - - 0 1", "white"),
        ("4k3/8/8/8/4N3/8/8/K3R2N[] w - - 0 1", "black"),
        ("4k3/8/8/8/4N3/8/8/K3R2N[] b - - 0 1", "black"),
    ] {
        let square = if fen.contains("/4N3/4K") { "e2" } else { "e4" };
        let text = format!("A:a7a8n{square}");
        assert_eq!(
            error(fen, &text),
            format!(
                "taking the piece on {square} of the other board would uncover an attack on the {king} king"
            )
        );
        assert_eq!(try_play(&mut promoting(fen), "A:a7a8n").unwrap().exchanged, Some(Square::H1));
    }
    // Where the option does not say so, no square may be named and nothing leaves the other board.
    let fens = format!("8/P6k/8/8/8/8/8/K7[] w - - 0 1 | {START}");
    let mut online = table(&fens, Rules::BUGHOUSE);
    assert_eq!(
        try_play(&mut online, "A:a7a8qd1").unwrap_err(),
        "a7a8q takes nothing off the other board, so d1 has no meaning"
    );
    play(&mut online, "A:a7a8q");
    assert_eq!(online.boards().board(B).fen(), START);
    assert!(!online.boards().board(A).promoted().is_empty());
}

#[test]
fn a_pawn_stays_where_nothing_can_be_exchanged() {
    let kinds = |table: &Match| {
        let moves = table.boards().legal_moves(A);
        let mut kinds: Vec<char> =
            moves.iter().filter_map(|mv| mv.promotion_role()).map(Role::char).collect();
        kinds.sort_unstable();
        String::from_iter(kinds)
    };
    assert_eq!(kinds(&promoting(START)), "bnqr");
    assert_eq!(kinds(&promoting("4k3/8/8/8/8/8/8/4KB2[] w - - 0 1")), "b");
    let none = promoting("4k3/8/8/8/8/8/8/4K3[QRBN] w - - 0 1");
    assert_eq!(kinds(&none), "");
    let error = try_play(&mut none.clone(), "A:a7a8q").unwrap_err();
    assert!(error.contains("a7a8q"), "{error}");
    // It changes as the other board changes: taken, dropped, pinned.
    let mut table = promoting("3qk3/8/8/8/8/8/8/3QK3[N] b - - 0 1");
    assert_eq!(kinds(&table), "q");
    play(&mut table, "B:d8d1");
    assert_eq!(kinds(&table), "");
    play(&mut table, "B:e1d1 B:e8e7 B:N@e5");
    assert_eq!(kinds(&table), "n");
    // A white queen taken on A may be dropped for Black on B, never exchanged by White.
    assert_eq!(kinds(&promoting("3qk3/8/8/8/8/8/8/4K3[] w - - 0 1")), "");
    // Black promotes by Black's pieces.
    let fens = "k7/8/8/8/8/8/p6K/8[] b - - 0 1 | 3rk3/8/8/8/8/8/8/3QK3[] w - - 0 1";
    let mut black = self::table(fens, exchange_rules());
    play(&mut black, "A:a2a1r");
    assert_eq!(board_of(&black.boards().board(B).fen()), "4k3/8/8/8/8/8/8/3QK3[p]");
    assert_eq!(black.boards().hand(Seat::BlackB, Role::Pawn), 1);
}

#[test]
fn what_an_exchange_does_to_the_other_board() {
    // The check of the piece taken away is gone.
    let mut table = promoting("4k3/8/3N4/8/8/8/8/4K3[] b - - 0 1");
    assert!(table.boards().board(B).in_check());
    play(&mut table, "A:a7a8nd6");
    assert!(!table.boards().board(B).in_check());
    // A piece that checks and hides another attacker stays.
    let battery = promoting("7k/8/5B2/4Q3/8/8/8/K7[] b - - 0 1");
    assert!(battery.boards().exchanges(Seat::WhiteA, Role::Bishop).is_empty());
    assert!(battery.boards().exchanges(Seat::WhiteA, Role::Queen).any());
    // A pinning piece may go, and the pinned one is free.
    let pin = "4k3/4n3/8/8/8/8/8/K3R3[] b - - 0 1";
    let mut table = promoting(pin);
    assert!(!table.boards().legal_moves(B).iter().any(|mv| mv.from() == Some(Square::E7)));
    play(&mut table, "A:a7a8r");
    assert!(table.boards().legal_moves(B).iter().any(|mv| mv.from() == Some(Square::E7)));
    // A rook takes its castling right along; where dropped rooks castle, the king keeps it.
    let castle = "4k3/8/8/8/8/8/8/R3K2R[R] b KQ - 0 1";
    let mut table = promoting(castle);
    play(&mut table, "A:a7a8rh1");
    assert!(table.boards().board(B).fen().contains(" b Q -"));
    let otb = rules(Rules::BUGHOUSE_SWEDISH, &[("promotion", "exchange")]);
    let mut table = self::table(&format!("8/P6k/8/8/8/8/8/K7[] w - - 0 1 | {castle}"), otb);
    play(&mut table, "A:a7a8rh1 B:e8e7");
    assert!(try_play(&mut table.clone(), "B:e1g1").is_err());
    play(&mut table, "B:R@h1 B:e7e6 B:e1g1");
    // En passant that only the knight made safe is off.
    let passing = "8/8/8/8/k2pPN1R/8/8/4K3[] b - e3 0 1";
    let mut table = promoting(passing);
    assert!(table.boards().read_uci(B, "d4e3").is_ok());
    play(&mut table, "A:a7a8n");
    assert!(table.boards().read_uci(B, "d4e3").is_err());
    let board = table.boards().board(B);
    assert_eq!(board.key(), board.compute_key());
}

#[test]
fn an_exchange_can_mate_on_the_other_board() {
    // White on B is checked next to his king; only the bishop can take the queen.
    let other = "6k1/1b6/8/8/8/8/6q1/5B1K[] w - - 0 1";
    let mut table = promoting(other);
    assert_eq!(table.boards().board(B).status(), Status::Ongoing);
    play(&mut table, "A:a7a8b");
    assert_eq!(ended(&table), "WhiteB checkmated");
    assert_eq!(table.result().unwrap().winner, Some(Team::One));
}
