//! Input of every kind, spoilt: nothing that comes from outside may stop the program, and what is
//! refused may change nothing. `PROPTEST_CASES` sets the cases of each test (default 256).

mod support;

use std::fs;

use klotz::protocol::{ubi, uci, xboard};
use klotz::record::{bpgn, epd};
use klotz::rules::bughouse::{Boards, Match};
use klotz::rules::game::Game;
use klotz::rules::{Position, Rules, notation};
use klotz::types::{BoardId, Move};
use proptest::prelude::*;
use proptest::sample::Index;
use support::mutate::nearly;
use support::{data, repository};

fn fens() -> Vec<String> {
    let mut fens = Vec::new();
    for file in fs::read_dir(repository().join("engine-tests/perft")).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        fens.extend(text.lines().filter_map(|line| line.strip_prefix("fen ")).map(str::to_owned));
    }
    let cases = fs::read_to_string(data("cases.tsv")).unwrap();
    let setups = cases.lines().filter_map(|line| line.split('\t').nth(2));
    let plain = setups.filter_map(|setup| setup.strip_prefix("position fen "));
    fens.extend(plain.map(|fen| fen.split(" moves").next().unwrap_or(fen).to_owned()));
    assert!(fens.len() > 60, "only {} positions", fens.len());
    fens
}

fn lines(protocol: &str) -> Vec<String> {
    let text = fs::read_to_string(data("lines").join(protocol).with_extension("txt")).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Readers of lines never see their ends.
fn one_line(protocol: &str) -> impl Strategy<Value = String> {
    nearly(lines(protocol)).prop_map(|text| text.replace(['\n', '\r'], " "))
}

fn rule_sets() -> impl Strategy<Value = Rules> {
    prop::sample::select(vec![
        Rules::CHESS,
        Rules::CRAZYHOUSE,
        Rules { chess960: true, ..Rules::CRAZYHOUSE },
        Rules::BUGHOUSE,
        Rules::BUGHOUSE_OTB,
        Rules::BUGHOUSE_SWEDISH,
    ])
}

/// A position reached from a start position by moves chosen by number.
fn walk(start: Position, choices: &[Index]) -> Game {
    let mut game = Game::new(start);
    for choice in choices {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            break;
        }
        game.play(moves[choice.index(moves.len())]).unwrap();
    }
    game
}

/// A refusal is one line that says something, and not a book.
fn is_a_sentence(text: &str) {
    assert!(!text.is_empty() && text.len() < 2000 && !text.contains('\n'), "{text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_fen_is_read_or_refused(text in nearly(fens()), rules in rule_sets()) {
        match Position::from_fen(&text, rules) {
            Ok(position) => {
                let written = position.fen();
                let again = Position::from_fen(&written, rules).unwrap();
                prop_assert_eq!(again.fen(), written);
                prop_assert_eq!(again.key(), position.key());
                let moves = position.legal_moves();
                prop_assert_eq!(moves.len(), position.count_legal_moves());
                position.status();
                for mv in moves {
                    let mut after = position;
                    after.make(mv);
                    prop_assert!(Position::from_fen(&after.fen(), rules).is_ok(), "{mv:?} in {text}");
                }
            }
            Err(error) => is_a_sentence(&error.to_string()),
        }
    }

    #[test]
    fn two_boards_are_read_or_refused(a in nearly(fens()), b in nearly(fens()), bar in " ?\\| ?") {
        let text = format!("{a}{bar}{b}");
        match Boards::from_fen(&text, Rules::BUGHOUSE) {
            Ok(boards) => {
                let again = Boards::from_fen(&boards.fen(), Rules::BUGHOUSE).unwrap();
                prop_assert_eq!(again.key(), boards.key());
            }
            Err(error) => is_a_sentence(&error.to_string()),
        }
    }

    #[test]
    fn a_move_is_legal_or_refused(
        choices in prop::collection::vec(any::<Index>(), 0..40),
        texts in prop::collection::vec(nearly(moves()), 1..20),
        rules in rule_sets(),
        raw in any::<u16>(),
    ) {
        let game = walk(Position::start(rules), &choices);
        let position = game.position();
        for text in texts {
            for read in [notation::from_uci(position, &text), notation::from_san(position, &text)] {
                match read {
                    Ok(mv) => {
                        prop_assert!(position.is_legal(mv), "{text} read as {mv:?}");
                        let uci = notation::to_uci(position, mv);
                        prop_assert_eq!(notation::from_uci(position, &uci), Ok(mv));
                    }
                    Err(error) => is_a_sentence(&error.to_string()),
                }
            }
        }
        if let Some(mv) = Move::from_raw(raw) {
            let mut copy = game.clone();
            if copy.play(mv).is_err() {
                prop_assert_eq!(copy.position().key(), position.key());
                prop_assert_eq!(copy.position().fen(), position.fen());
            }
        }
    }

    #[test]
    fn a_refused_move_leaves_the_table(
        choices in prop::collection::vec(any::<Index>(), 0..60),
        text in nearly(moves()),
    ) {
        let mut table = Match::new(Rules::BUGHOUSE).unwrap();
        for choice in &choices {
            let board = if choice.index(2) == 0 { BoardId::A } else { BoardId::B };
            let moves = table.boards().legal_moves(board);
            if table.result().is_some() || moves.is_empty() {
                break;
            }
            table.play(board, moves[choice.index(moves.len())], None).unwrap();
        }
        for board in BoardId::ALL {
            let before = table.boards().fen();
            match table.boards().read_uci(board, &text) {
                Ok((mv, exchange)) => {
                    if table.clone().play(board, mv, exchange).is_err() {
                        prop_assert_eq!(table.boards().fen(), before);
                    }
                }
                Err(error) => is_a_sentence(&error.to_string()),
            }
        }
    }

    #[test]
    fn bpgn_is_read_or_refused(text in nearly(records())) {
        for game in bpgn::read(&text).take(50) {
            match game {
                Ok(game) => {
                    let written = game.to_string();
                    let again: Vec<_> = bpgn::read(&written).collect();
                    prop_assert_eq!(again.len(), 1, "{}", &written);
                    let again = again.into_iter().next().unwrap();
                    prop_assert!(again.is_ok(), "{written}: {again:?}");
                    game.winner();
                }
                Err(error) => is_a_sentence(&error.to_string()),
            }
        }
        if let Err(error) = epd::read(&text) {
            is_a_sentence(&error.to_string());
        }
    }

    #[test]
    fn uci_grammar_is_stable(line in one_line("uci")) {
        match uci::grammar::Command::parse(&line) {
            Ok(command) => {
                let written = command.to_string();
                let again = uci::grammar::Command::parse(&written).map(|c| c.to_string());
                prop_assert_eq!(again, Ok(written));
            }
            Err(error) => is_a_sentence(&error.to_string()),
        }
        if let Ok(reply) = uci::grammar::Reply::parse(&line) {
            is_a_line(&reply.to_string());
        }
    }

    #[test]
    fn xboard_grammar_is_stable(line in one_line("xboard")) {
        match xboard::grammar::Command::parse(&line) {
            Ok(command) => {
                let written = command.to_string();
                let again = xboard::grammar::Command::parse(&written).map(|c| c.to_string());
                prop_assert_eq!(again, Ok(written));
            }
            Err(error) => is_a_sentence(&error.to_string()),
        }
        if let Ok(reply) = xboard::grammar::Reply::parse(&line) {
            is_a_line(&reply.to_string());
        }
    }

    #[test]
    fn ubi_grammar_is_stable(line in one_line("ubi")) {
        match ubi::grammar::Command::parse(&line) {
            Ok(command) => {
                let written = command.to_string();
                let again = ubi::grammar::Command::parse(&written).map(|c| c.to_string());
                prop_assert_eq!(again, Ok(written));
            }
            Err(error) => is_a_sentence(&error.to_string()),
        }
        if let Ok(reply) = ubi::grammar::Reply::parse(&line) {
            is_a_line(&reply.to_string());
        }
    }
}

fn is_a_line(text: &str) {
    assert!(!text.trim_end_matches('\n').contains('\n'), "{text:?}");
}

fn moves() -> Vec<String> {
    let moves = "e2e4 e7e5 e1g1 e1h1 e7e8q b7a8n P@e4 p@e5 @e4 N@f3 Q@d7 e4 Nf3 Nbd2 R1e2 O-O O-O-O 0-0 exd5 \
                 exd8=Q+ dxe8=N# N@f3+ P@e4 @g2# bxa8=Qd1 e7e8qd1";
    moves.split_whitespace().map(str::to_owned).collect()
}

fn records() -> Vec<String> {
    let tags = "[Event \"a match\"]\n[WhiteA \"A\"][BlackA \"B\"]\n[WhiteB \"C\"]\n[BlackB \"D\"]\n\
                [TimeControl \"180+0\"]\n[Result \"1-0\"]\n\n";
    let games = [
        "1A. e4{179.2} 1a. e5{178.8} 1B. d4{179.9} 1b. d5{[ts=3.2]} {C:hello} 2A. Nf3{[%clk 0:02:58]}\n\
         {BlackB checkmated} 1-0\n",
        "1A. f3 1a. e5 2A. g4 2a. Qh4 1B. P@e3 {D resigns} 0-1\n",
        "{drawn by agreement} 1/2-1/2\n",
        "1A. e4{-3.1} *\n",
    ];
    let mut records: Vec<String> = games.iter().map(|game| format!("{tags}{game}")).collect();
    records.push(records.concat());
    records.push(
        "[SetUp \"1\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - | 8/8/8/8/8/8/8/8 b - -\"]\n\n*\n".into(),
    );
    records
}
