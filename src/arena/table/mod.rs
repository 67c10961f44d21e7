//! One table: seats, clocks, the course of one game.
//!
//! [`Table`] holds the state and applies what happens; the two drivers decide when it happens:
//! the real one by stamped lines and flags, the virtual one by simulated thinking times.

mod adjudicate;
mod core;
mod engine;
mod human;
mod real;
mod referee;
mod simulated;

use std::sync::atomic::AtomicBool;

use super::clock::{Micros, SeatClock, TimeControl};
use super::dialect::GoLimits;
use super::play::{Ending, Play, Played};
use crate::rules::Rules;
use crate::types::Seat;

pub use self::adjudicate::Adjudication;
pub use self::core::Table;
pub use self::engine::{Engine, Lost};
pub use self::real::KEYBOARD;

/// Who sits on a chair.
#[derive(Debug)]
pub enum Player {
    /// An engine.
    Engine(Box<Engine>),
    /// A person who types moves.
    Human,
}

/// A taken seat.
#[derive(Debug)]
pub struct Chair {
    /// The player's name.
    pub name: String,
    /// The player.
    pub player: Player,
    /// How long he may think.
    pub control: TimeControl,
    /// What the flag forgives.
    pub margin: Micros,
    /// Bounds besides the clock.
    pub limits: GoLimits,
    /// Tells players apart whatever seat they take, for the seeds of a virtual clock.
    pub identity: u64,
}

/// What decides when things happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Driver {
    /// The wall clock.
    Real,
    /// Thinking time is simulated from node counts.
    Virtual {
        /// Nodes that take a simulated second.
        rate: u64,
        /// Time that each move costs besides.
        latency: Micros,
        /// Seed of the jitter.
        seed: u64,
    },
}

/// What a table plays by.
#[derive(Clone, Debug)]
pub struct TableConfig {
    /// The rule set.
    pub rules: Rules,
    /// One or two FENs to start from.
    pub opening: Option<(String, Option<String>)>,
    /// Real or virtual time.
    pub driver: Driver,
    /// Ends before the rules end it.
    pub adjudication: Adjudication,
    /// After how long a silent partner is told `go`.
    pub nudge: Option<Micros>,
    /// Longest silence of an engine that has no clock.
    pub patience: Micros,
}

/// Something that went wrong without ending the game, or that ended it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// When.
    pub at: Micros,
    /// Who.
    pub seat: Seat,
    /// What.
    pub what: String,
}

/// A move as the table keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableMove {
    /// The move.
    pub played: Played,
    /// When it was made.
    pub at: Micros,
    /// What the mover has left.
    pub remaining: Micros,
    /// The engine's score and depth, if it gave any.
    pub thought: Option<(i32, u32)>,
    /// The board after the move.
    pub fen: String,
    /// Both hands of the other board after the move, if a piece crossed.
    pub other_hands: Option<(String, String)>,
}

/// What remains of a game.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How it ended.
    pub ending: Ending,
    /// Its moves.
    pub moves: Vec<TableMove>,
    /// The positions it began with.
    pub start: String,
    /// The final position.
    pub fen: String,
    /// What went wrong.
    pub incidents: Vec<Incident>,
    /// The events in order, one a line, on a virtual clock.
    pub log: Vec<String>,
    /// How long it took.
    pub length: Micros,
    /// Everything left on the clocks, in the order of [`Seat::ALL`].
    pub remaining: [Micros; 4],
}

/// What happens at a table, for whoever looks on.
#[derive(Clone, Copy, Debug)]
pub enum Sight<'a> {
    /// The players are ready.
    Start,
    /// A move.
    Move(&'a Played),
    /// A player waits for a piece.
    Wait(Seat),
    /// A player says something to his partner.
    Talk(Seat, &'a str),
    /// Something went wrong.
    Incident(&'a Incident),
    /// An answer to what a person typed.
    Answer(&'a str),
    /// Nothing but time went by.
    Tick,
    /// The end.
    End(&'a Ending),
}

/// The table as it stands.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The boards.
    pub play: &'a Play,
    /// The clocks.
    pub clocks: &'a [SeatClock; 4],
    /// The names.
    pub names: &'a [String; 4],
    /// The moment.
    pub now: Micros,
    /// The moves so far.
    pub moves: &'a [TableMove],
}

/// Someone who looks on.
pub trait Watcher {
    /// Something happened.
    fn saw(&mut self, sight: Sight<'_>, scene: &Scene<'_>);

    /// How often to show the clocks when nothing happens.
    fn tick(&self) -> Option<Micros> {
        None
    }
}

/// Nobody looks on.
impl Watcher for () {
    fn saw(&mut self, _sight: Sight<'_>, _scene: &Scene<'_>) {}
}

/// Set by whoever wants a running game broken off.
pub type Interrupt = AtomicBool;
