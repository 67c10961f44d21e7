//! Every row of `data/cases.tsv`: rules and protocol corners seen in other programs' bug reports.
//!
//! Each kind of question is answered in one way, from the row's own words:
//!
//! | through | questions |
//! | --- | --- |
//! | binary (UCI) | `fen…`, `count moves`, `perft N`, forced mates, mates in 1 by `go mate`, options, `uci`/`isready` output, searches with drops only or with no move, castling and promotion as written |
//! | binary (CECP) | hands after `holding`, the waiting player |
//! | library | legality, lists, status, repetition, draws, notation, PGN, passed pieces, two boards |

mod cases_protocol;
mod support;

use std::fs;

use klotz::rules::bughouse::Match;
use klotz::rules::game::{EndReason, Game};
use klotz::rules::{Position, Rules, Status, notation};
use klotz::types::{BoardId, Color, Move, Role};
use support::{data, sorted_hand};

/// One row.
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) variant: String,
    pub(crate) setup: String,
    pub(crate) question: String,
    pub(crate) expected: String,
}

pub(crate) type Answer = Result<String, String>;

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(data("cases.tsv")).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [id, variant, setup, question, expected, ..] = columns[..] else {
                panic!("too few columns: {line}");
            };
            Row {
                id: id.into(),
                variant: variant.into(),
                setup: setup.into(),
                question: question.into(),
                expected: expected.into(),
            }
        })
        .collect()
}

/// How a row is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Through {
    Library,
    Binary,
}

fn through(row: &Row) -> Through {
    let question = row.question.as_str();
    let binary = row.id.starts_with("pro-")
        || ["perft ", "fen", "count moves", "forced mate", "list mates in 1 (go", "castling moves"]
            .iter()
            .any(|start| question.starts_with(start));
    let library = ["fen4 after undo", "fen4 A | fen4 B"];
    if binary && !library.iter().any(|start| question.starts_with(start)) {
        Through::Binary
    } else {
        Through::Library
    }
}

/// What both ways need of a row's rules.
pub(crate) fn rules(row: &Row) -> Rules {
    match row.variant.as_str() {
        "crazyhouse+chess960" => Rules { chess960: true, ..Rules::CRAZYHOUSE },
        "bughouse" | "bughouse (two boards)" => Rules::BUGHOUSE,
        _ => Rules::CRAZYHOUSE,
    }
}

/// `position … [moves …]` played on the library.
pub(crate) fn play(setup: &str, rules: Rules) -> Result<Game, String> {
    let text = setup.trim().strip_prefix("position").unwrap_or(setup).trim();
    let (start, moves) = match text.split_once(" moves") {
        Some((start, moves)) => (start, moves),
        None => (text, ""),
    };
    let start = match start.strip_prefix("fen ") {
        Some(fen) => Position::from_fen(fen, rules).map_err(|error| error.to_string())?,
        None => Position::start(rules),
    };
    let mut game = Game::new(start);
    for text in moves.split_whitespace() {
        let mv = notation::from_uci(game.position(), text).map_err(|error| error.to_string())?;
        game.play(mv).map_err(|error| error.to_string())?;
    }
    Ok(game)
}

fn yes_no(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}

fn listed(position: &Position, wanted: impl Fn(Move) -> bool) -> String {
    let mut moves: Vec<String> = position
        .legal_moves()
        .into_iter()
        .filter(|mv| wanted(*mv))
        .map(|mv| notation::to_uci(position, mv))
        .collect();
    moves.sort_unstable();
    if moves.is_empty() { "-".into() } else { moves.join(" ") }
}

fn status(position: &Position) -> String {
    match position.status() {
        Status::Ongoing => "ongoing",
        Status::Checkmate => "checkmate",
        Status::Stalemate => "stalemate",
        Status::Wait => "wait",
    }
    .into()
}

/// The first fields of a FEN, its hand in one order.
pub(crate) fn fields(fen: &str, count: usize) -> String {
    sorted_hand(fen).split_whitespace().take(count).collect::<Vec<_>>().join(" ")
}

fn by_library(row: &Row) -> Answer {
    let rules = rules(row);
    if let Some(moves) = row.setup.strip_prefix("both startpos ;") {
        return two_boards(moves, rules);
    }
    if let Some(pgn) = row.setup.strip_prefix("PGN ") {
        let position = play_pgn(pgn, rules)?;
        return Ok(format!("{} {}", fields(&position.fen(), 4), status(&position)));
    }
    let question = row.question.as_str();
    if question == "valid position" {
        let valid = play(&row.setup, rules).is_ok();
        return Ok(if valid { "valid" } else { "invalid" }.into());
    }
    if question == "same repetition key" {
        let keys: Result<Vec<_>, String> = row
            .setup
            .split(" | ")
            .map(|setup| play(setup, rules).map(|game| game.position().key()))
            .collect();
        return Ok(yes_no(keys?.windows(2).all(|pair| pair[0] == pair[1])));
    }
    if let Some((setup, arrival)) = row.setup.split_once(" ; holding ") {
        return arrival_counts(setup, arrival, rules);
    }
    let mut game = play(&row.setup, rules)?;
    if question == "fen4 after undo of last move" {
        game.undo();
        return Ok(fields(&game.position().fen(), 4));
    }
    let position = *game.position();
    if let Some(uci) = question.strip_prefix("legal ") {
        let read = notation::from_uci(&position, uci).is_ok_and(|mv| position.is_legal(mv));
        let listed = listed(&position, |mv| {
            let written = notation::to_uci(&position, mv);
            written == uci || mv.is_castle() && castles_to(mv, uci)
        });
        if read != (listed != "-") {
            return Err(format!("read as {read}, but generated are {listed}"));
        }
        return Ok(yes_no(read));
    }
    if let Some(san) = question.strip_prefix("UCI of SAN ") {
        return notation::from_san(&position, san.trim_matches('"'))
            .map(|mv| notation::to_uci(&position, mv))
            .map_err(|error| error.to_string());
    }
    Ok(match question {
        "count moves" => position.count_legal_moves().to_string(),
        "count drops" => {
            position.legal_moves().iter().filter(|mv| mv.is_drop()).count().to_string()
        }
        "list drops" => listed(&position, Move::is_drop),
        "list moves" => listed(&position, |_| true),
        "list mates in 1" => listed(&position, |mv| {
            let mut after = position;
            after.make(mv);
            after.status() == Status::Checkmate
        }),
        "status" => status(&position),
        "occurrences of the final position" => game.occurrences().to_string(),
        "drawn or claimable (50/75-move rule)" => {
            yes_no(game.outcome().is_some_and(|end| end.reason == EndReason::FiftyMoves))
        }
        "drawn by insufficient material" => {
            yes_no(game.outcome().is_some_and(|end| end.reason == EndReason::InsufficientMaterial))
        }
        "written hand contains digits" => {
            let fen = position.fen();
            let hand = fen.split(['[', ']']).nth(1).ok_or("no hand was written")?;
            yes_no(hand.contains(|c: char| c.is_ascii_digit()))
        }
        "move understood as" => {
            let mv = *game.moves().last().ok_or("no move")?;
            game.undo();
            notation::to_uci(game.position(), mv)
        }
        "piece passed to the partner (letter case = colour)" => {
            let mv = *game.moves().last().ok_or("no move")?;
            game.undo();
            let mut before = *game.position();
            let captured = before.make(mv).ok_or("nothing was captured")?;
            match captured.color {
                Color::White => captured.role.upper_char(),
                Color::Black => captured.role.char(),
            }
            .into()
        }
        _ if question.starts_with("can a white rook ever arrive") => {
            let here = position.by_piece(Color::White, Role::Rook) & !position.promoted();
            let two_sets = 4;
            yes_no(here.count() + usize::from(position.hand(Color::White, Role::Rook)) < two_sets)
        }
        other => return Err(format!("a question of no known kind: {other}")),
    })
}

/// Whether a castling move is the one a row writes by the king's destination.
fn castles_to(mv: Move, uci: &str) -> bool {
    let Some(king) = mv.from() else { return false };
    let side = if mv.to() > king { "g" } else { "c" };
    uci == format!("{king}{side}{}", if king.rank() == klotz::types::Rank::First { 1 } else { 8 })
}

fn arrival_counts(setup: &str, arrival: &str, rules: Rules) -> Answer {
    let mut position = *play(setup, rules)?.position();
    let before = position.count_legal_moves();
    let hands: Vec<&str> = arrival.split(['[', ']']).skip(1).step_by(2).collect();
    for (color, hand) in [Color::White, Color::Black].into_iter().zip(hands) {
        for letter in hand.chars() {
            let role = Role::from_char(letter).ok_or(format!("no piece '{letter}'"))?;
            position.add_to_hand(color, role).map_err(|error| error.to_string())?;
        }
    }
    Ok(format!("{before} / {}", position.count_legal_moves()))
}

fn two_boards(moves: &str, rules: Rules) -> Answer {
    let mut table = Match::new(rules).map_err(|error| error.to_string())?;
    for word in moves.split_whitespace() {
        let (board, uci) = match word.split_once(':') {
            Some(("A", uci)) => (BoardId::A, uci),
            Some(("B", uci)) => (BoardId::B, uci),
            _ => return Err(format!("neither A: nor B: in {word}")),
        };
        let Ok(mv) = notation::from_uci(table.boards().board(board), uci) else {
            return Ok(format!("illegal at {word}"));
        };
        table.play(board, mv, None).map_err(|error| format!("{word}: {error}"))?;
    }
    let side = |board| fields(&table.boards().board(board).fen(), 4);
    Ok(format!("{} | {}", side(BoardId::A), side(BoardId::B)))
}

fn play_pgn(pgn: &str, rules: Rules) -> Result<Position, String> {
    let mut position = Position::start(rules);
    for word in pgn.split_whitespace() {
        let san = word.rsplit('.').next().unwrap_or(word);
        if san.is_empty() || ["1-0", "0-1", "1/2-1/2", "*"].contains(&san) {
            continue;
        }
        let mv = notation::from_san(&position, san).map_err(|error| error.to_string())?;
        position.make(mv);
    }
    Ok(position)
}

/// Hands have no order, so every hand in the expected text is put into one.
fn normal(text: &str) -> String {
    text.split(" | ").map(sorted_hand).collect::<Vec<_>>().join(" | ")
}

/// Asks every row of one way; `answer` says what came instead of what was expected.
fn ask(way: Through, mut answer: impl FnMut(&Row) -> Answer) {
    let rows = rows();
    assert!(rows.len() >= 143, "only {} rows", rows.len());
    let mut asked = 0;
    let mut failures = Vec::new();
    for row in rows.iter().filter(|row| through(row) == way) {
        asked += 1;
        if let Err(got) = answer(row) {
            let Row { id, question, expected, .. } = row;
            failures.push(format!("{id}: {question}: expected {expected}, got {got}"));
        }
    }
    println!("{asked} of {} rows through the {way:?}", rows.len());
    assert!(failures.is_empty(), "{} rows:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn rows_through_the_library() {
    ask(Through::Library, |row| {
        let answer = by_library(row)?;
        if answer == normal(&row.expected) { Ok(answer) } else { Err(answer) }
    });
}

#[test]
fn rows_through_the_binary() {
    let mut uci = support::process::Klotz::uci();
    ask(Through::Binary, |row| cases_protocol::check(row, &mut uci));
    assert!(uci.close(), "klotz did not end cleanly");
}

#[test]
fn a_wrong_row_is_noticed() {
    let row = |question: &str| Row {
        id: "x".into(),
        variant: "crazyhouse".into(),
        setup: "position startpos".into(),
        question: question.into(),
        expected: String::new(),
    };
    assert_eq!(by_library(&row("count moves")), Ok("20".into()));
    assert_eq!(by_library(&row("legal e2e5")), Ok("no".into()));
    assert!(by_library(&row("weather")).is_err());
}
