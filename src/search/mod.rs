//! The search: a position, what the other board means to it, and limits in; events and a move out.
//!
//! Knows types, rules and eval. Never text, input, the partner or real waiting: time is asked for
//! only to keep within the limits given. `docs/search.md` explains the parts.

mod alphabeta;
pub mod bench;
mod deepen;
mod history;
mod learning;
mod limits;
pub mod mate;
mod memory;
mod movepick;
mod outlook;
mod params;
mod parts;
mod pool;
mod prove;
mod qsearch;
mod root;
pub mod scaling;
mod step;
mod time;
mod trial;
mod tt;
mod worker;

#[cfg(test)]
mod tests;

use std::time::Duration;

use thiserror::Error;

use crate::types::{Move, Score};

pub use limits::{Clock, Control, Limits, Request};
pub use outlook::Outlook;
pub use params::{ParamError, Params, Tunable};
pub use parts::{PARTS, Part};
pub use pool::{STACK, Searcher};
pub use prove::{Attempt, ProofLimits};
pub use tt::Bound;

/// Why a searcher could not be made or changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SearchError {
    /// The table does not fit into memory.
    #[error("a hash table of {asked} MB is not possible; 1 to {largest} MB are")]
    Hash {
        /// Mebibytes asked for.
        asked: usize,
        /// The most that fits now.
        largest: usize,
    },
    /// A number of threads that makes no sense.
    #[error("{asked} threads are not possible; 1 to {most} are")]
    Threads {
        /// Threads asked for.
        asked: usize,
        /// The most allowed.
        most: usize,
    },
    /// The system refused to start threads.
    #[error("the threads could not be started: {0}")]
    Spawn(String),
}

/// Nobody can read what a search finds within this time, line by line.
pub const BRIEF: Duration = Duration::from_millis(20);

/// What a search tells while it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A line with its score.
    Info(Info),
    /// Told once, when a search has taken longer than [`BRIEF`], or is over and waits to be released:
    /// who held back what came before has no reason to any longer.
    Underway,
    /// The root move now being searched.
    CurrMove {
        /// The iteration's depth.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its number, from 1.
        number: u32,
    },
}

/// A line found, with what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// The iteration's depth.
    pub depth: u32,
    /// The deepest ply reached on the principal variation's search.
    pub seldepth: u32,
    /// Rank of the line, from 1.
    pub multipv: usize,
    /// Its score for the side to move.
    pub score: Score,
    /// What the score says of the true one.
    pub bound: Bound,
    /// Chances of win, draw and loss in thousandths.
    pub wdl: Option<[u16; 3]>,
    /// Nodes of all threads so far.
    pub nodes: u64,
    /// Time since the search was asked for.
    pub time: Duration,
    /// How full the table is, in thousandths.
    pub hashfull: u16,
    /// The line; every move is legal.
    pub pv: Vec<Move>,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The move to play; none where no move exists.
    pub best: Option<Move>,
    /// The answer expected.
    pub ponder: Option<Move>,
    /// The score for the side to move.
    pub score: Score,
    /// The last iteration finished.
    pub depth: u32,
    /// Nodes of all threads.
    pub nodes: u64,
}
