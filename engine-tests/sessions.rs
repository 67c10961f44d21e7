//! Whole sessions of words that make sense alone and seldom together, through the real sessions
//! without a process around them: every request gets its answer, every line is one of the
//! protocol's, and the end of input ends the session. `SESSIONS` sets the cases of each test.

mod support;

use std::fs;
use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use klotz::protocol::{serve, ubi, uci, xboard};
use proptest::prelude::*;
use support::data;
use support::mutate::nearly;

/// Nothing here takes longer unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

fn cases() -> ProptestConfig {
    let cases = std::env::var("SESSIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(24);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// What a session writes.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Says all lines at once and hears everything until the session ends.
fn converse(script: &[String]) -> Vec<String> {
    let sink = Sink::default();
    let text = script.join("\n");
    let start = Instant::now();
    serve(Cursor::new(text.into_bytes()), Box::new(sink.clone())).unwrap();
    assert!(start.elapsed() < PATIENCE, "{script:#?}");
    let bytes = sink.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

/// Lines that make sense, and now and then one seen elsewhere and spoilt.
fn script(protocol: &str, words: &'static [&'static str]) -> impl Strategy<Value = Vec<String>> {
    let file = data("lines").join(protocol).with_extension("txt");
    let seen: Vec<String> = fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect();
    let spoilt = nearly(seen).prop_map(|text| text.replace(['\n', '\r'], " "));
    // What quits, logs to a file, takes much memory or long is left to other tests.
    let quiet = |line: &String| {
        let lower = line.to_lowercase();
        !["quit", "log", "file", "hash", "threads", "memory", "cores", "perft", "bench", "option"]
            .iter()
            .any(|word| lower.contains(word))
    };
    let line = prop_oneof![
        9 => prop::sample::select(words).prop_map(str::to_owned),
        1 => spoilt.prop_filter("too much for here", quiet),
    ];
    let first = protocol.to_owned();
    prop::collection::vec(line, 1..30).prop_map(move |mut lines| {
        lines.insert(0, first.clone());
        lines
    })
}

const UCI: &[&str] = &[
    "isready",
    "ucinewgame",
    "setoption name UCI_Variant value bughouse",
    "setoption name UCI_Variant value crazyhouse",
    "setoption name UCI_Variant value chess",
    "setoption name UCI_TwoBoard value true",
    "setoption name UCI_TwoBoard value false",
    "setoption name UCI_Seat value BlackB",
    "setoption name UCI_Seat value team1",
    "setoption name UCI_Seat value mover",
    "setoption name MultiPV value 3",
    "setoption name Rules value bughouse-swedish",
    "setoption name promotion value exchange",
    "position startpos",
    "position startpos moves e2e4 e7e5",
    "position startpos moves e2e4 e2e4",
    "position startpos | startpos clock 900 900 900 900",
    "position startpos | startpos clock 900 800 700 10 moves 1e2e4 1d7d5 1e4d5 2e2e4",
    "position fen 4k3/P7/8/8/8/8/8/4K3[] w - - 0 1 | 4k3/8/8/8/8/8/8/Q2QK3[] b - - 0 1",
    "position fen k7/8/1Q6/8/8/8/8/6K1[] b - - 0 1",
    "position fen R5k1/5ppp/8/8/8/8/8/4K3[] b - - 0 1",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position",
    "go depth 2",
    "go nodes 50",
    "go movetime 5",
    "go wtime 30 btime 30",
    "go infinite",
    "go",
    "go ponder wtime 50 btime 50",
    "go searchmoves e2e4 a2a3 depth 2",
    "go searchmoves e2e5",
    "go mate 1",
    "go depth x",
    "go banana",
    "stop",
    "ponderhit",
    "holding [QN] [p]",
    "pholding [] [R]",
    "pmove e2e4",
    "pmove d7d5",
    "clock 500 400 300 200",
    "ptell sit",
    "ptell go",
    "ptell +n",
    "ptell move e2e4",
    "d",
    "eval",
    "debug on",
    "hello",
];

const UBI: &[&str] = &[
    "isready",
    "ubinewgame",
    "metadata position white_A",
    "metadata position white_A,black_B",
    "metadata seat BlackA",
    "metadata game_result 1-0",
    "setoption name TeamMessageMode value full",
    "setoption name promotion value exchange",
    "position startpos | startpos clock 900 900 900 900",
    "position k7/8/1Q6/8/8/8/8/6K1[] b - - 0 1 | startpos clock 200 200 200 200",
    "position k7/8/1Q6/8/8/8/8/6K1[n] b - - 0 1 | startpos clock 200 200 200 200",
    "position startpos | k7/8/1Q6/8/8/8/8/6K1[] b - - 0 1 clock 100 200 300 0",
    "position startpos clock 1 2 3 4",
    "go board A",
    "go board B",
    "go board A nodes 50",
    "go board B movetime 5",
    "go board A infinite",
    "go board B depth banana",
    "go board C",
    "go",
    "stop",
    "stop board A",
    "partnermsg stall",
    "partnermsg need n urgency high",
    "partnermsg threat critical",
    "partnermsg dance",
    "hello",
];

const XBOARD: &[&str] = &[
    "protover 2",
    "accepted otherboard",
    "new",
    "variant crazyhouse",
    "variant bughouse",
    "variant normal",
    "variant atomic",
    "level 0 0:01 0",
    "st 0.01",
    "sd 2",
    "time 20",
    "otim 20",
    "post",
    "hard",
    "easy",
    "force",
    "go",
    "playother",
    "usermove e2e4",
    "usermove e7e5",
    "d2d4",
    "d7d5",
    "usermove a1a8",
    "setboard R5k1/5ppp/8/8/8/8/8/4K3[] b - - 0 1",
    "setboard k7/8/8/8/8/8/6P1/4K2Q[QQ] w - - 0 1",
    "setboard 8/8/8/8/8/8/8/8 w - - 0 1",
    "holding [Q] [R] BR",
    "holding [] []",
    "partner Ann",
    "partner",
    "ptell sit",
    "ptell go",
    "ptell time 100",
    "pmove e2e4",
    "pholding [] [N]",
    "psetboard rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] b KQkq - 0 1",
    "ptime 100",
    "potim 100",
    "undo",
    "remove",
    "analyze",
    ".",
    "exit",
    "exclude all",
    "include e2e4",
    "hint",
    "draw",
    "?",
    "pause",
    "resume",
    "result 1-0 {White mates}",
    "hello there",
];

/// How many lines begin with a word.
fn count(lines: &[String], start: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(start)).count()
}

/// What a session says in which nothing of the table makes sense, and what its log notes of that.
fn doubts(protocol: &str, log: &str, lines: &[&str]) -> (Vec<String>, Vec<String>) {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("doubts-{protocol}"));
    let _ = fs::remove_file(&path);
    let mut script = vec![protocol.to_string(), format!("{log}{}", path.display())];
    script.extend(lines.iter().map(|line| line.to_string()));
    let said = converse(&script);
    let log = fs::read_to_string(path).unwrap();
    let noted = log.lines().filter_map(|line| line.split_once(" ! "));
    let mut noted: Vec<String> = noted.map(|(_, what)| what.to_string()).collect();
    noted.sort();
    (said, noted)
}

/// Each of these kinds was noted, and each once.
fn assert_noted(noted: &[String], kinds: &[&str]) {
    let found: Vec<&str> = noted.iter().filter_map(|line| line.split(": ").next()).collect();
    assert_eq!(found, kinds, "{noted:#?}");
}

const NONSENSE: [&str; 5] =
    ["a hand", "clock", "clocks", "the partner's board", "the partner's word"];

#[test]
fn uci_uses_what_is_sound_and_notes_the_rest_once() {
    let bad_board = "position startpos | 8/8/8/8 w clock 60000 60000 60000 60000";
    let hands = "[QQQQQQQQQQQQQQQQQQQQQQQQqqqqqqqqqq]";
    let too_many = format!("position startpos | 4k3/8/8/8/8/8/8/4K3{hands} w - - 0 1");
    let table = "position startpos | startpos clock 60000 60000 60000 60000";
    let mut script = vec![
        "setoption name UCI_Variant value bughouse",
        "setoption name UCI_TwoBoard value true",
        "setoption name UCI_Seat value WhiteA",
        table,
    ];
    for _ in 0..3 {
        script.extend(["ptell you should sit", "ptell +x", "ptell move e2e5", "holding [QZ] [p1]"]);
        script.extend(["clock -5 60000 60000 60000", "clock 900000 60000 60000 60000"]);
        script.extend(["pmove e2e5", "pholding [Z] []", "pmove e7e5"]);
    }
    script.push("d");
    script.extend([bad_board, bad_board, &too_many, &too_many, "d", "go nodes 50"]);
    let (said, noted) = doubts("uci", "setoption name Debug Log File value ", &script);
    assert_noted(&noted, &NONSENSE);
    assert_eq!(count(&said, "info string error: pmove refused"), 1, "{said:#?}");
    assert_eq!(count(&said, "info string error"), 1, "{said:#?}");
    // What was sound of the hands is there, and no piece that nobody told of.
    assert!(
        said.iter().any(|line| line.starts_with("Fen: ") && line.contains("[Qp]")),
        "{said:#?}"
    );
    assert!(!said.iter().any(|line| line.contains("QQ")), "{said:#?}");
    let best: Vec<_> = said.iter().filter(|line| line.starts_with("bestmove ")).collect();
    assert!(best.len() == 1 && !best[0].contains("(none)"), "{said:#?}");
}

#[test]
fn xboard_uses_what_is_sound_and_notes_the_rest_once() {
    let mut script = vec!["new", "variant bughouse", "accepted", "partner Ann", "st 0.01"];
    for _ in 0..3 {
        script.extend([
            "ptell you should sit",
            "ptell +x",
            "holding [QZ] []",
            "time -5",
            "time 6000",
        ]);
        script.extend(["otim 100", "otim 90000", "ptime -1", "pmove e2e5", "pholding [Z] []"]);
        script
            .push("psetboard rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[QQQQQQQQQ] w KQkq - 0 1");
    }
    script.extend(["psetboard 8/8", "pmove e2e4", "force", "playother", "usermove e2e4"]);
    let (said, noted) = doubts("xboard", "option Debug_Log_File=", &script);
    assert_noted(&noted, &NONSENSE);
    assert_eq!(count(&said, "Error"), 1, "{said:#?}");
    assert_eq!(count(&said, "move "), 1, "{said:#?}");
}

#[test]
fn ubi_uses_what_is_sound_and_notes_the_rest_once() {
    let bad_board = "position startpos | 8/8/8/8 w - - 0 1 clock 60000 60000 60000 60000";
    let mut script = vec!["metadata seat WhiteA"];
    for _ in 0..3 {
        script.extend(["partnermsg dance", "partnermsg need z", bad_board]);
        script.push("position startpos | startpos clock -5 60000 60000 60000");
        script.push("position startpos | startpos clock 900000 60000 60000 60000");
    }
    script.extend([bad_board, "go board B", "go board A nodes 50"]);
    let (said, noted) = doubts("ubi", "setoption name Debug Log File value ", &script);
    assert_noted(&noted, &NONSENSE[1..]);
    let errors: Vec<_> = said.iter().filter(|line| line.contains("error")).collect();
    assert_eq!(errors.len(), 2, "one word not understood, one board not known: {said:#?}");
    assert_eq!(count(&said, "bestmove board B (none)"), 1, "{said:#?}");
    let best: Vec<_> = said.iter().filter(|line| line.starts_with("bestmove board A")).collect();
    assert!(best.len() == 1 && !best[0].contains("(none)"), "{said:#?}");
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn uci_answers_every_go(script in script("uci", UCI)) {
        let said = converse(&script);
        let commands: Vec<_> = script.iter().filter_map(|l| uci::grammar::Command::parse(l.trim()).ok()).collect();
        let asked = commands.iter().filter(|c| matches!(c, uci::grammar::Command::Go(_))).count();
        prop_assert_eq!(count(&said, "bestmove"), asked, "{:#?}\n{:#?}", script, said);
        let ready = commands.iter().filter(|c| matches!(c, uci::grammar::Command::IsReady)).count();
        prop_assert_eq!(count(&said, "readyok"), ready, "{:#?}\n{:#?}", script, said);
        for line in &said {
            let known = matches!(uci::grammar::Reply::parse(line), Ok(reply) if !matches!(reply, uci::grammar::Reply::Other(_)));
            let shown = ["Board: ", "Fen: ", "Key: ", "Checkers:", "Status: ", "Evaluation: "];
            prop_assert!(known || shown.iter().any(|s| line.starts_with(s)), "{}", line);
        }
    }

    #[test]
    fn ubi_answers_no_more_than_it_was_asked(script in script("ubi", UBI)) {
        let said = converse(&script);
        for board in ["A", "B"] {
            let asked = count(&script, &format!("go board {board}"));
            let answered = count(&said, &format!("bestmove board {board}"));
            prop_assert!(answered <= asked, "{:#?}\n{:#?}", script, said);
        }
        for line in &said {
            let known = matches!(ubi::grammar::Reply::parse(line), Ok(reply) if !matches!(reply, ubi::grammar::Reply::Other(_)));
            prop_assert!(known, "{}", line);
        }
    }

    #[test]
    fn xboard_speaks_only_its_words(script in script("xboard", XBOARD)) {
        let mut script = script;
        script.push("ping 77".to_owned());
        let said = converse(&script);
        prop_assert_eq!(count(&said, "pong 77"), 1, "{:#?}\n{:#?}", script, said);
        for line in &said {
            let reply = xboard::grammar::Reply::parse(line);
            let known = matches!(&reply, Ok(reply) if !matches!(reply, xboard::grammar::Reply::Other(_)));
            prop_assert!(known, "{}", line);
        }
        // In a bughouse game nothing is claimed.
        if script.iter().all(|line| !line.starts_with("variant") && line != "new") {
            return Ok(());
        }
        let only_bughouse = script.iter().filter(|l| l.starts_with("variant")).all(|l| l == "variant bughouse");
        if only_bughouse && script[1] == "variant bughouse" && count(&script, "new") == 0 {
            for result in ["1-0", "0-1", "1/2-1/2"] {
                prop_assert_eq!(count(&said, result), 0, "{:#?}\n{:#?}", script, said);
            }
        }
    }
}
