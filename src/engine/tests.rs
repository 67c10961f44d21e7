//! The façade by itself: what it tells for what it is asked, in whatever order the signals come.

use std::time::{Duration, Instant};

use super::*;
use crate::rules::Rules;

/// Longer than any test runs.
const LONG: Duration = Duration::from_secs(3600);

/// Black's only hope is a piece to drop on f8.
fn mated_but_for(hand: &str) -> Position {
    let fen = format!("4R1k1/5ppp/8/8/8/8/8/4K3[{hand}] b - - 0 1");
    Position::from_fen(&fen, Rules::BUGHOUSE).expect("a position")
}

fn asked(position: Position) -> Task {
    let mut limits = Limits::new(Instant::now());
    limits.movetime = Some(Duration::from_millis(1));
    let (history, multipv) = (Vec::new(), 1);
    Task { position, history, limits, multipv, ponder: false, patient: true, prompt: false }
}

/// Takes signals until a search has ended, with the events they mean.
fn until_searched(engine: &mut Engine) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        let signal = engine.signals().recv_timeout(LONG).expect("a signal");
        let last = matches!(signal.found, Found::Outcome(..));
        events.extend(engine.absorb(signal));
        if last {
            return events;
        }
    }
}

fn answers(events: &[Event]) -> usize {
    events.iter().filter(|event| matches!(event, Event::Answer(..))).count()
}

#[test]
fn a_request_on_hold_makes_way_for_the_next() {
    let board = BoardId::A;
    let mut engine = Engine::new().expect("an engine");
    engine.go(board, asked(mated_but_for(""))).expect("a request");
    assert!(engine.waiting(board));
    engine.update(board, mated_but_for("r"), Vec::new()).expect("a search");
    engine.hold(board, LONG);
    assert_eq!(answers(&until_searched(&mut engine)), 0);
    assert!(engine.busy(board) && !engine.waiting(board));
    engine.go(board, asked(mated_but_for("r"))).expect("a request");
    assert_eq!(answers(&until_searched(&mut engine)), 1);
    assert!(!engine.busy(board) && engine.signals().is_empty());
}

#[test]
fn a_request_on_hold_is_answered_when_it_is_stopped() {
    let board = BoardId::A;
    let mut engine = Engine::new().expect("an engine");
    engine.go(board, asked(mated_but_for("r"))).expect("a request");
    engine.hold(board, LONG);
    assert_eq!(answers(&until_searched(&mut engine)), 0);
    engine.stop(board);
    assert_eq!(answers(&until_searched(&mut engine)), 1);
}

#[test]
fn a_brief_search_runs_within_the_request() {
    let board = BoardId::A;
    let mut engine = Engine::new().expect("an engine");
    engine.search_here();
    let brief = || {
        let mut limits = Limits::new(Instant::now());
        limits.nodes = Some(50);
        Task { limits, patient: false, ..asked(Position::start(Rules::CRAZYHOUSE)) }
    };
    engine.go(board, brief()).expect("a request");
    assert!(!engine.signals().is_empty() && engine.busy(board));
    assert_eq!(answers(&until_searched(&mut engine)), 1);
    assert!(engine.quiet());
    // What was asked before is done before.
    engine.new_game();
    engine.go(board, brief()).expect("a request");
    let mut events = Vec::new();
    while !engine.quiet() {
        let signal = engine.signals().recv_timeout(LONG).expect("a signal");
        events.extend(engine.absorb(signal));
    }
    assert!(matches!(events.first(), Some(Event::Ready)), "{events:?}");
    assert_eq!(answers(&events), 1);
}
