//! What an engine is told and what it says, per protocol and per engine.
//!
//! A dialect turns what happens at a table into the lines one engine understands, and its lines
//! into what the table needs to know. It keeps the engine's state (is it thinking, must an answer
//! be thrown away), never the game's.

mod ubi;
mod uci;
mod xboard;

use std::fmt;
use std::str::FromStr;

use super::clock::{Micros, SeatClock, TimeControl};
use super::play::{Play, Played};
use crate::types::{BoardId, Seat};

/// The protocols an engine may speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// The Universal Chess Interface.
    #[default]
    Uci,
    /// The Chess Engine Communication Protocol.
    Xboard,
    /// The Universal Bughouse Interface.
    Ubi,
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(text: &str) -> Result<Protocol, String> {
        match text {
            "uci" => Ok(Protocol::Uci),
            "xboard" | "cecp" => Ok(Protocol::Xboard),
            "ubi" => Ok(Protocol::Ubi),
            _ => Err(format!("protocol '{text}' is none of uci, xboard, ubi")),
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Protocol::Uci => "uci",
            Protocol::Xboard => "xboard",
            Protocol::Ubi => "ubi",
        })
    }
}

/// What bounds an engine's thinking besides its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoLimits {
    /// Plies.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Time is simulated: no clock may bound the search, or it would not repeat.
    pub untimed: bool,
}

/// What a dialect needs to know of the table.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The boards.
    pub play: &'a Play,
    /// The seat of the engine.
    pub seat: Seat,
    /// The present moment.
    pub now: Micros,
    /// The clocks in the order of [`Seat::ALL`].
    pub clocks: &'a [SeatClock; 4],
    /// The players' names in the same order.
    pub names: &'a [String; 4],
    /// The engine's limits.
    pub limits: GoLimits,
}

impl View<'_> {
    /// Milliseconds left to a seat, never below zero.
    fn ms(&self, seat: Seat) -> i64 {
        (self.clocks[seat.index()].remaining(self.now) / 1000).max(0)
    }

    fn control(&self) -> TimeControl {
        self.clocks[self.seat.index()].control()
    }
}

/// What an engine said, as far as the table cares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The greeting is over.
    Identified,
    /// It has done all it was told so far.
    Ready,
    /// A move.
    Move(String),
    /// It has no move to play now: it waits.
    Wait,
    /// It has begun to wait, so many milliseconds at most, and will answer in its own time.
    Sitting(Option<u64>),
    /// It resigns.
    Resign,
    /// It offers a draw.
    OfferDraw,
    /// It says that the game is over.
    Claim(String),
    /// It refuses what it was sent.
    Refused(String),
    /// Words for its partner.
    Talk(String),
    /// The answer that was thrown away is in; it can be asked again.
    Free,
    /// Its view of the game.
    Thought {
        /// Centipawns from its own view; mates beyond ±30000.
        score: i32,
        /// Plies.
        depth: u32,
    },
}

/// Lines to send.
pub type Lines = Vec<String>;

/// One engine's way to talk.
pub trait Dialect: fmt::Debug + Send {
    /// The first lines.
    fn greet(&mut self, out: &mut Lines);

    /// How long to wait for the greeting's end before taking silence for consent.
    fn silent_greeting(&self) -> bool {
        false
    }

    /// Reads a line; lines to answer at once go to `out`.
    fn hear(&mut self, line: &str, out: &mut Lines) -> Option<Heard>;

    /// Why this engine cannot play what the table plays.
    fn unfit(&self, play: &Play) -> Option<String>;

    /// Why an option cannot be set, as far as the engine's greeting tells.
    fn refuses(&self, _name: &str, _value: &str) -> Option<String> {
        None
    }

    /// Sets options, variant and start position of a new game.
    fn new_game(&mut self, options: &[(String, String)], view: &View<'_>, out: &mut Lines);

    /// It is this engine's turn and its clock runs.
    fn ask(&mut self, view: &View<'_>, out: &mut Lines);

    /// Breaks its thinking off; the answer is not wanted, and [`Heard::Free`] tells when it is in.
    /// `false` where that cannot be.
    fn cancel(&mut self, _out: &mut Lines) -> bool {
        false
    }

    /// A move was played at the table, by whoever.
    fn played(&mut self, played: &Played, view: &View<'_>, out: &mut Lines);

    /// Words of the partner.
    fn tell(&mut self, text: &str, out: &mut Lines);

    /// Its move was refused, or it has lost its way: set the game up anew. It is then asked again.
    fn revive(&mut self, view: &View<'_>, out: &mut Lines);

    /// The game is over.
    fn game_over(&mut self, result: &str, reason: &str, out: &mut Lines);

    /// Asks for a sign of life, which is heard as [`Heard::Ready`]; `false` for an engine that
    /// cannot give one.
    fn ping(&mut self, out: &mut Lines) -> bool;

    /// Whether an answer is still to come that nobody wants any more.
    fn owes(&self) -> bool {
        false
    }

    /// The name the engine gives itself.
    fn own_name(&self) -> Option<&str>;

    /// Whether the engine sees both boards by itself.
    fn sees_both_boards(&self) -> bool {
        false
    }

    /// Whether what it has to say about a request always comes before its answer.
    fn speaks_first(&self) -> bool {
        false
    }
}

/// The dialect for a protocol.
pub fn dialect(protocol: Protocol) -> Box<dyn Dialect> {
    match protocol {
        Protocol::Uci => Box::<uci::Uci>::default(),
        Protocol::Xboard => Box::<xboard::Xboard>::default(),
        Protocol::Ubi => Box::<ubi::Ubi>::default(),
    }
}

/// `[QRB] [qrb]` as `holding` wants it: upper case, White's hand first.
fn brackets(play: &Play, board: BoardId) -> String {
    use crate::types::Color;
    let hand = |color| play.hand_text(Seat::new(board, color)).to_ascii_uppercase();
    format!("[{}] [{}]", hand(Color::White), hand(Color::Black))
}

/// The variant's name in UCI; in CECP chess is `normal`.
fn variant_name(play: &Play) -> &'static str {
    super::tournament::book::variant_name(play.rules())
}
