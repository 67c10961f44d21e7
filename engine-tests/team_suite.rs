//! Team positions: `team/suite.jsonl`, two boards and four clocks a line with all right answers.
//!
//! The answers are found anew by trying every move and reply. `make_the_suite` (ignored) made the
//! file from matches the engine played against itself; it can be run again with other seeds.

#[path = "team/kinds.rs"]
mod kinds;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

use kinds::{Case, Kind};
use klotz::engine::{Clock, Engine, Event, Task};
use klotz::rules::bughouse::{Boards, Match};
use klotz::rules::{Position, Rules, Variant, notation};
use klotz::search::{Control, Limits, Request, Searcher};
use klotz::types::{BoardId, Score};
use support::repository;

fn suite() -> Vec<(serde_json::Value, Boards, BoardId)> {
    let path = repository().join("engine-tests/team/suite.jsonl");
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let fen = value["position"].as_str().unwrap();
            let boards = Boards::from_fen(fen, Rules::BUGHOUSE).unwrap();
            let board = if value["go"] == "A" { BoardId::A } else { BoardId::B };
            (value, boards, board)
        })
        .collect()
}

#[test]
fn every_answer_is_right() {
    let suite = suite();
    assert!(suite.len() >= 60, "{} positions", suite.len());
    let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
    for (line, boards, board) in suite {
        let kind = Kind::named(line["kind"].as_str().unwrap()).expect("a known kind");
        let case = Case::new(kind, boards, board).unwrap_or_else(|| panic!("not {kind:?}: {line}"));
        assert_eq!(case.to_json(), line);
        *kinds.entry(kind).or_default() += 1;
    }
    for (kind, name) in Kind::ALL {
        assert!(kinds.get(&kind).is_some_and(|count| *count >= 6), "{name}: {kinds:?}");
    }
}

/// What the engine does in a position: the move it plays within a second, or that it waits. The
/// clocks are real, so this is for measuring, not for a machine that is busy with other things.
fn answer(
    engine: &mut Engine,
    line: &serde_json::Value,
    boards: &Boards,
    board: BoardId,
    score: &mut String,
) -> String {
    let position = *boards.board(board);
    let clocks: Vec<Duration> = line["clock"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ms| Duration::from_millis(ms.as_u64().unwrap()))
        .collect();
    engine.new_game();
    engine.see(BoardId::ALL.map(|board| Some(*boards.board(board))));
    engine.set_clocks([0, 1, 2, 3].map(|seat| Some(clocks[seat])));
    let own = clocks[boards.mover(board).index()];
    let start = Instant::now();
    let mut limits = Limits::new(start);
    limits.clock = Some(Clock { remaining: own, increment: Duration::ZERO, moves_to_go: None });
    let history = Vec::new();
    let task =
        Task { position, history, limits, multipv: 1, ponder: false, patient: true, prompt: false };
    engine.go(board, task).unwrap();
    // A move is asked for after a second. Waiting may begin once a full think is over, and is
    // waiting only if a second later there is still no move.
    let second = Duration::from_secs(1);
    let mut until = start + second * if line["best"][0] == "wait" { 5 } else { 1 };
    let mut stopped = false;
    let signals = engine.signals().clone();
    loop {
        match signals.recv_deadline(until) {
            Ok(signal) => match engine.absorb(signal) {
                Some(Event::Sit(..)) => until = Instant::now() + second,
                Some(Event::Answer(_, answer)) => {
                    let mv = answer.best.map(|mv| notation::to_uci(&position, mv));
                    *score = answer.score.to_string();
                    let late = start.elapsed() >= own;
                    return if late { "flag".to_owned() } else { mv.unwrap_or_default() };
                }
                _ => {}
            },
            Err(_) if engine.sitting(board) => {
                engine.cancel(board);
                return "wait".to_owned();
            }
            Err(_) if stopped => return "nothing".to_owned(),
            Err(_) => {
                engine.stop(board);
                stopped = true;
                until += second;
            }
        }
    }
}

#[test]
#[ignore = "a minute on the real clock"]
fn the_engine_finds_them() {
    for parts in [true, false] {
        let mut engine = Engine::new().unwrap();
        engine.settings_mut().set_variant(Variant::Bughouse, false);
        engine.set("TeamPlay", Some(if parts { "true" } else { "false" })).unwrap();
        let mut table: BTreeMap<Kind, (usize, usize)> = BTreeMap::new();
        let mut flags = 0;
        for (line, boards, board) in suite() {
            let kind = Kind::named(line["kind"].as_str().unwrap()).unwrap();
            let mut score = String::new();
            let found = answer(&mut engine, &line, &boards, board, &mut score);
            let best = line["best"].as_array().unwrap();
            let right = best.iter().any(|mv| mv.as_str() == Some(&found));
            flags += usize::from(found == "flag");
            let row = table.entry(kind).or_default();
            row.0 += usize::from(right);
            row.1 += 1;
            if parts && !right {
                println!("{}: {found} ({score}) in {line}", kind.name());
            }
        }
        let right: usize = table.values().map(|row| row.0).sum();
        let all: usize = table.values().map(|row| row.1).sum();
        println!("TeamPlay {parts}: {right} of {all} right, {flags} on time; {table:?}");
        assert_eq!(flags, 0);
        assert!(!parts || right * 100 >= all * 85, "{right} of {all}");
    }
}

#[test]
#[ignore = "makes the suite anew from matches of the engine against itself"]
fn make_the_suite() {
    const EACH: usize = 10;
    let mut searcher = Searcher::new(1, 16).unwrap();
    let mut pool = Vec::new();
    let mut made: BTreeMap<Kind, Vec<Case>> = BTreeMap::new();
    for seed in 0..160 {
        let positions = self_play(&mut searcher, seed);
        // Boards of one moment of one match first.
        let mut used = BTreeSet::new();
        for pair in &positions {
            consider(&mut searcher, &mut made, *pair, EACH / 2 + 2, &mut used);
        }
        pool.extend(positions);
    }
    // Then boards of different matches, for the kinds that are rare.
    let mut rng = fastrand::Rng::with_seed(4);
    for _ in 0..150_000 {
        let (one, two) = (pool[rng.usize(..pool.len())], pool[rng.usize(..pool.len())]);
        let (a, b) = (*one.board(BoardId::A), *two.board(BoardId::B));
        if let Ok(boards) = Boards::new(a, b) {
            consider(&mut searcher, &mut made, boards, EACH, &mut BTreeSet::new());
        }
        if Kind::ALL.iter().all(|(kind, _)| made.get(kind).is_some_and(|c| c.len() >= EACH)) {
            break;
        }
    }
    // Two boards on which whoever moves is mated never met by chance: they are sought out.
    let boards = pool.iter().flat_map(|both| BoardId::ALL.map(|board| *both.board(board)));
    let lost: Vec<Position> = boards.filter(kinds::lost).collect();
    for (i, a) in lost.iter().enumerate() {
        for b in lost.iter().skip(i + 1 + rng.usize(..20)).step_by(7).take(1) {
            if let Ok(boards) = Boards::new(*a, *b) {
                consider(&mut searcher, &mut made, boards, EACH, &mut BTreeSet::new());
            }
        }
    }
    let mut text = String::new();
    for (kind, cases) in &made {
        println!("{kind:?}: {}", cases.len());
        for case in cases {
            text.push_str(&case.to_json().to_string());
            text.push('\n');
        }
    }
    fs::write(repository().join("engine-tests/team/suite.jsonl"), text).unwrap();
}

fn consider(
    searcher: &mut Searcher,
    made: &mut BTreeMap<Kind, Vec<Case>>,
    boards: Boards,
    each: usize,
    used: &mut BTreeSet<Kind>,
) {
    for board in BoardId::ALL {
        for (kind, _) in Kind::ALL {
            let cases = made.entry(kind).or_default();
            // One of a kind from a match: its neighbours would be the same case.
            if cases.len() >= each || used.contains(&kind) {
                continue;
            }
            let Some(case) = Case::new(kind, boards, board) else { continue };
            // Neither board may be decided by itself, unless that is the point.
            let point = matches!(kind, Kind::WaitOutTheClock | Kind::Race);
            if point || !mate_seen(searcher, &boards, board) {
                cases.push(case);
                used.insert(kind);
                return;
            }
        }
    }
}

fn mate_seen(searcher: &mut Searcher, boards: &Boards, board: BoardId) -> bool {
    let mut limits = Limits::new(Instant::now());
    limits.nodes = Some(5_000);
    let request = Request::new(*boards.board(board), limits);
    let found = searcher.search(&request, &Control::new(), &|_| {});
    matches!(found.score, Score::Mate(_))
}

/// Plays a match at a few hundred nodes a move; returns its positions after the opening.
fn self_play(searcher: &mut Searcher, seed: u64) -> Vec<Boards> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut table = Match::new(Rules::BUGHOUSE).unwrap();
    let mut positions = Vec::new();
    let mut idle = 0;
    while table.result().is_none() && idle < 40 && table.moves().len() < 300 {
        let board = if rng.bool() { BoardId::A } else { BoardId::B };
        let position = *table.boards().board(board);
        let moves = position.legal_moves();
        if moves.is_empty() {
            idle += 1;
            continue;
        }
        idle = 0;
        let mv = if table.moves().len() < 10 || rng.u8(..20) == 0 {
            moves[rng.usize(..moves.len())]
        } else {
            let mut limits = Limits::new(Instant::now());
            limits.nodes = Some(300);
            let request = Request::new(position, limits);
            let found = searcher.search(&request, &Control::new(), &|_| {});
            found.best.unwrap_or(moves[0])
        };
        table.play(board, mv, None).unwrap();
        if table.moves().len() > 24 && table.result().is_none() {
            positions.push(*table.boards());
        }
    }
    positions
}
