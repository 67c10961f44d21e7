//! The rows that are asked through the real binary.

use klotz::rules::{Position, notation};

use crate::support::process::Klotz;
use crate::{Answer, Row, fields, normal, play, rules};

/// Answers a row and compares; `Err` says what came instead.
pub(crate) fn check(row: &Row, uci: &mut Klotz) -> Answer {
    let question = row.question.as_str();
    if row.setup.starts_with("xboard:") {
        return holdings(row);
    }
    if row.setup.starts_with("uci") || question == "option line" {
        return greeting(row);
    }
    prepare(row, uci);
    if question.starts_with("search runs") {
        uci.say("go infinite");
        uci.until_word("info");
        uci.say("stop");
        let best = best_move(uci);
        return accept(best.contains('@'), best);
    }
    if question.starts_with("engine must neither") {
        uci.say("go wtime 60000 btime 60000");
        uci.say("stop");
        let best = best_move(uci);
        return accept(["(none)", "0000"].contains(&best.as_str()), best);
    }
    if question.starts_with("answers at once") || question.starts_with("list mates in 1 (go") {
        return no_mate_in_one(row, uci);
    }
    if question.starts_with("forced mate within") {
        return forced_mate(row, uci);
    }
    if question == "letter case" {
        return letter_case(uci);
    }
    if question == "result" {
        let refused: Vec<String> = uci.settled();
        return accept(refused.is_empty(), refused.join(" ; "));
    }
    let count = if question.starts_with("fen4") { 4 } else { 6 };
    let got = match question.strip_prefix("perft ") {
        Some(depth) => nodes(&perft(uci, depth)),
        None if question == "count moves" => nodes(&perft(uci, "1")),
        None if question.starts_with("castling moves") => castling(row, &perft(uci, "1")),
        None => fields(&shown(uci), count),
    };
    accept(got == normal(&row.expected), got)
}

fn accept(holds: bool, got: impl Into<String>) -> Answer {
    if holds { Ok(got.into()) } else { Err(got.into()) }
}

/// Sets the variant and the position, as a GUI would.
fn prepare(row: &Row, uci: &mut Klotz) {
    let (variant, chess960) = match row.variant.split_once('+') {
        Some((variant, _)) => (variant, true),
        None => (row.variant.as_str(), false),
    };
    let variant = if variant == "any" { "crazyhouse" } else { variant };
    uci.say("ucinewgame");
    uci.say(&format!("setoption name UCI_Variant value {variant}"));
    uci.say(&format!("setoption name UCI_Chess960 value {chess960}"));
    assert_eq!(uci.settled(), Vec::<String>::new(), "complaints about {variant}");
    if let Some(position) = row.setup.split(" ; ").find(|part| part.starts_with("position")) {
        uci.say(position);
    }
}

fn perft(uci: &mut Klotz, depth: &str) -> Vec<String> {
    uci.say(&format!("go perft {depth}"));
    uci.until(|line| line.starts_with("Nodes searched"))
}

fn nodes(lines: &[String]) -> String {
    let last = lines.last().map_or("", String::as_str);
    last.rsplit(' ').next().unwrap_or_default().to_owned()
}

/// The FEN that `d` shows.
fn shown(uci: &mut Klotz) -> String {
    uci.say("d");
    let lines = uci.settled();
    let fen = lines.iter().find_map(|line| line.split_once("Fen: ").map(|(_, fen)| fen.trim()));
    fen.map_or_else(|| lines.join(" ; "), str::to_owned)
}

/// The moves of `go perft 1` that castle, by what the library says of them.
fn castling(row: &Row, lines: &[String]) -> String {
    let Ok(game) = play(&row.setup, rules(row)) else { return "no position".into() };
    let mut moves: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.split_once(':').map(|(mv, _)| mv.trim()))
        .filter(|mv| notation::from_uci(game.position(), mv).is_ok_and(|mv| mv.is_castle()))
        .collect();
    moves.sort_unstable();
    moves.join(" ")
}

fn best_move(uci: &mut Klotz) -> String {
    let lines = uci.until_word("bestmove");
    lines.last().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned()
}

/// No mate is claimed, and every line of play is legal.
fn no_mate_in_one(row: &Row, uci: &mut Klotz) -> Answer {
    let position = row.setup.split(" ; ").find(|part| part.starts_with("position"));
    let game = play(position.unwrap_or_default(), rules(row))?;
    uci.say("go mate 1");
    let lines = uci.until_word("bestmove");
    for line in &lines {
        if line.contains("score mate") {
            return Err(line.clone());
        }
        if let Some((_, pv)) = line.split_once(" pv ") {
            legal_line(*game.position(), pv)?;
        }
    }
    Ok(String::new())
}

fn legal_line(mut position: Position, pv: &str) -> Result<(), String> {
    for text in pv.split_whitespace() {
        let mv = notation::from_uci(&position, text).map_err(|error| format!("{pv}: {error}"))?;
        position.make(mv);
    }
    Ok(())
}

fn forced_mate(row: &Row, uci: &mut Klotz) -> Answer {
    let within: i32 = row.question.split(' ').find_map(|word| word.parse().ok()).unwrap_or(0);
    let game = play(&row.setup, rules(row))?;
    uci.say(&format!("go mate {within} nodes 30000000"));
    let lines = uci.until_word("bestmove");
    let found = lines.iter().rev().find_map(|line| {
        let (_, rest) = line.split_once(" score mate ")?;
        let moves: i32 = rest.split(' ').next()?.parse().ok()?;
        Some((moves, line.split_once(" pv ")?.1.to_owned()))
    });
    let Some((moves, pv)) = found else { return Err(lines.join("\n")) };
    legal_line(*game.position(), &pv)?;
    accept((1..=within).contains(&moves), format!("mate in {moves}: {pv}"))
}

/// Promotions end in a lower-case letter, drops begin with an upper-case one.
fn letter_case(uci: &mut Klotz) -> Answer {
    uci.say("position fen 3k4/1P4P1/8/8/8/8/1p4p1/3K4[RBrb] w - - 0 1");
    let lines = perft(uci, "1");
    let moves: Vec<&str> =
        lines.iter().filter_map(|line| line.split_once(':').map(|(mv, _)| mv)).collect();
    let promotions = moves.iter().filter(|mv| mv.len() == 5);
    let drops = moves.iter().filter(|mv| mv.contains('@'));
    let wrong: Vec<&&str> = promotions
        .clone()
        .filter(|mv| !mv.ends_with(|c: char| c.is_ascii_lowercase()))
        .chain(drops.clone().filter(|mv| !mv.starts_with(|c: char| c.is_ascii_uppercase())))
        .collect();
    accept(wrong.is_empty() && promotions.count() > 0 && drops.count() > 0, format!("{wrong:?}"))
}

/// What a fresh engine says to `uci` and `isready`.
fn greeting(row: &Row) -> Answer {
    let mut engine = Klotz::start(&[], "uci");
    let hello = engine.until(|line| line.trim() == "uciok");
    engine.say("isready");
    let ready = engine.until(|line| line.trim() == "readyok");
    if row.question == "option line" {
        let words = "option name UCI_Variant type combo default ";
        let line = hello.iter().find(|line| line.starts_with(words));
        let line = line.ok_or("no such option")?;
        let lists = |value: &str| line.split(" var ").any(|var| var.trim() == value);
        return accept(lists("crazyhouse") && lists("bughouse"), line.clone());
    }
    if row.question.starts_with("trailing white space") {
        let last = [hello.last(), ready.last()];
        return accept(
            last == [Some(&"uciok".into()), Some(&"readyok".into())],
            format!("{last:?}"),
        );
    }
    let stray: Vec<&String> = hello
        .iter()
        .filter(|line| {
            let word = line.split(' ').next().unwrap_or_default();
            !["", "id", "option", "uciok"].contains(&word)
        })
        .chain(ready.iter().filter(|line| *line != "readyok" && !line.starts_with("info string")))
        .collect();
    accept(stray.is_empty(), format!("{stray:?}"))
}

/// `holding` in CECP: the brackets are the whole truth, the token is only a hint.
fn holdings(row: &Row) -> Answer {
    let mut engine = Klotz::start(&[], "xboard");
    for line in ["protover 2", "new", "variant bughouse", "force"] {
        engine.say(line);
    }
    if row.setup.contains("before the GUI has processed it") {
        return crossing(&mut engine, row.expected.trim_matches(['[', ']']));
    }
    let holding = row.setup.trim_start_matches("xboard: ");
    engine.say(holding);
    let hands: Vec<&str> = holding.split(['[', ']']).skip(1).step_by(2).collect();
    drops_exactly(&mut engine, hands[0], hands[1])
}

/// The engine drops its knight, the only legal move; a holding that the GUI sent before it saw
/// that arrives after it. Then exactly the expected pieces can be dropped.
fn crossing(engine: &mut Klotz, expected: &str) -> Answer {
    engine.say("setboard 4k3/8/8/8/8/8/6PP/r6K[N] w - - 0 1");
    engine.say("holding [N] []");
    engine.say("st 1");
    engine.say("go");
    let lines = engine.until_word("move");
    let mv = lines.last().cloned().unwrap_or_default();
    if !mv.starts_with("move N@") {
        return Err(mv);
    }
    engine.say("holding [NP] [] WP");
    engine.say("force");
    let mut black = ["e8e7", "e7e8"].iter().cycle();
    for (square, piece) in ["a3", "a4", "a5"].iter().zip(expected.chars()) {
        for mv in [*black.next().unwrap_or(&""), &format!("{piece}@{square}")] {
            if let Some(refusal) = tried(engine, mv) {
                return Err(refusal);
            }
        }
    }
    tried(engine, black.next().unwrap_or(&""));
    match "PNBRQ".chars().find(|piece| tried(engine, &format!("{piece}@a6")).is_none()) {
        Some(piece) => Err(format!("a {piece} too many")),
        None => Ok(String::new()),
    }
}

/// Plays a move in force mode; the refusal if there was one.
fn tried(engine: &mut Klotz, mv: &str) -> Option<String> {
    engine.say(&format!("usermove {mv}"));
    engine.say("ping 7");
    engine.until(|line| line == "pong 7").into_iter().find(|line| line.starts_with("Illegal move"))
}

/// Drops both hands piece by piece on empty ranks, then finds each kind refused.
fn drops_exactly(engine: &mut Klotz, white: &str, black: &str) -> Answer {
    let quiet = [["b1c3", "c3b1"], ["b8c6", "c6b8"]];
    let mut back = [0, 0];
    let mut squares = ('a'..='h').flat_map(|file| [(file, 3), (file, 6)]).collect::<Vec<_>>();
    squares.retain(|square| !matches!(square.0, 'a' | 'c'));
    let mut free = squares.into_iter();
    let (mut hands, mut turn) = ([white.chars(), black.chars()], 0);
    while hands.iter().any(|hand| !hand.as_str().is_empty()) {
        let mv = match hands[turn].next() {
            Some(piece) => {
                let (file, rank) = free.next().ok_or("no square is left")?;
                format!("{piece}@{file}{rank}")
            }
            None => {
                back[turn] += 1;
                quiet[turn][(back[turn] - 1) % 2].to_owned()
            }
        };
        if let Some(refusal) = tried(engine, &mv) {
            return Err(refusal);
        }
        turn = 1 - turn;
    }
    let (file, rank) = free.next().ok_or("no square is left")?;
    for turn in [turn, 1 - turn] {
        for piece in "PNBRQ".chars() {
            if tried(engine, &format!("{piece}@{file}{rank}")).is_none() {
                return Err(format!("a {piece} too many in hand {turn}"));
            }
        }
        back[turn] += 1;
        tried(engine, quiet[turn][(back[turn] - 1) % 2]);
    }
    Ok(String::new())
}
