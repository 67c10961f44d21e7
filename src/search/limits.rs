//! What a search is asked for, and how it is stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::rules::Position;
use crate::types::{Key, Move};

use super::Outlook;

/// The mover's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Time added for each move.
    pub increment: Duration,
    /// Moves to the next time control, where there is one.
    pub moves_to_go: Option<u32>,
}

/// When a search ends. Several limits may stand together; the first reached ends it.
#[derive(Clone, Debug)]
pub struct Limits {
    /// When the clock began to run.
    pub start: Instant,
    /// Deepest iteration.
    pub depth: Option<u32>,
    /// Nodes at which the search stops at once.
    pub nodes: Option<u64>,
    /// Nodes after which no further iteration begins.
    pub soft_nodes: Option<u64>,
    /// Stop when a mate in this many moves, or fewer, is found.
    pub mate: Option<u32>,
    /// Exact time to use.
    pub movetime: Option<Duration>,
    /// The clock from which time is budgeted.
    pub clock: Option<Clock>,
    /// Time between the decision and its arrival at the clock, kept back.
    pub overhead: Duration,
    /// Search until stopped.
    pub infinite: bool,
    /// Root moves to consider; empty means all.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// No limit at all, the clock having started at `start`.
    pub fn new(start: Instant) -> Limits {
        Limits {
            start,
            depth: None,
            nodes: None,
            soft_nodes: None,
            mate: None,
            movetime: None,
            clock: None,
            overhead: Duration::ZERO,
            infinite: false,
            search_moves: Vec::new(),
        }
    }
}

/// One search to be done.
#[derive(Clone, Debug)]
pub struct Request {
    /// The position to search.
    pub position: Position,
    /// Keys of the game's earlier positions, oldest first, without the current one.
    pub history: Vec<Key>,
    /// When to end.
    pub limits: Limits,
    /// How many best lines to report.
    pub multipv: usize,
    /// What the other board does to this one.
    pub outlook: Outlook,
    /// Searching in the opponent's time: no clock runs before [`Control::ponderhit`].
    pub ponder: bool,
}

impl Request {
    /// A plain request: one line, no history, nothing known of another board.
    pub fn new(position: Position, limits: Limits) -> Request {
        Request {
            position,
            history: Vec::new(),
            limits,
            multipv: 1,
            outlook: Outlook::default(),
            ponder: false,
        }
    }
}

/// The handle by which other threads stop a search or tell it that pondering has hit. One serves
/// one search.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    hit: AtomicBool,
    moment: Mutex<Option<Instant>>,
    bell: Condvar,
}

impl Control {
    /// A fresh handle.
    pub fn new() -> Control {
        Control::default()
    }

    fn moment(&self) -> MutexGuard<'_, Option<Instant>> {
        // An instant cannot be left half written, so a poisoned lock holds nothing wrong.
        self.moment.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the search as soon as it looks.
    pub fn stop(&self) {
        let guard = self.moment();
        self.stop.store(true, Ordering::Relaxed);
        drop(guard);
        self.bell.notify_all();
    }

    /// Whether [`Control::stop`] was called.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The move pondered on was played: the clock runs from `at`.
    pub fn ponderhit(&self, at: Instant) {
        let mut guard = self.moment();
        *guard = Some(at);
        self.hit.store(true, Ordering::Release);
        drop(guard);
        self.bell.notify_all();
    }

    /// Since when the clock runs, once pondering has hit.
    #[inline]
    pub(super) fn hit_at(&self) -> Option<Instant> {
        if self.hit.load(Ordering::Acquire) { *self.moment() } else { None }
    }

    /// Holds a finished result back while the rules of pondering and infinite search demand it.
    pub(super) fn hold(&self, ponder: bool, infinite: bool) {
        let mut guard = self.moment();
        while !self.stopped() && (infinite || ponder && !self.hit.load(Ordering::Acquire)) {
            guard = self.bell.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
