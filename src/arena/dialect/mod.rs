//! What an engine is told and what it says, per protocol and per engine.
//!
//! A dialect turns what happens at a table into the messages one engine understands, and its
//! messages into what the table needs to know; how they are written and read, the protocols'
//! grammars know. It keeps the engine's state (is it thinking, must an answer be thrown away),
//! never the game's.

mod ubi;
mod uci;
mod xboard;

use std::fmt;
use std::str::FromStr;

use super::clock::{Micros, SeatClock, TimeControl};
use super::play::{Play, Played};
use crate::protocol::grammar::decl::OptionDecl;
use crate::protocol::grammar::info::Info;
use crate::protocol::grammar::words::{Clocks, Hand};
use crate::types::{BoardId, Color, HAND_ROLES, Score, Seat};

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

    /// Milliseconds left to everyone, in the order of [`Seat::ALL`].
    fn all_ms(&self) -> Clocks {
        Seat::ALL.map(|seat| Some(self.ms(seat)))
    }

    fn control(&self) -> TimeControl {
        self.clocks[self.seat.index()].control()
    }

    /// Both hands of a board, White's first.
    fn hands(&self, board: BoardId) -> (Hand, Hand) {
        let position = self.play.position(board);
        let hand = |color| HAND_ROLES.map(|role| position.hand(color, role));
        (hand(Color::White), hand(Color::Black))
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

impl Heard {
    /// A score in the engine's view at a depth.
    fn thought(score: Score, depth: u32) -> Heard {
        let score = match score {
            Score::Cp(cp) => cp.clamp(-30_000, 30_000),
            Score::Mate(n) if n > 0 => 32_000 - n.min(1000),
            Score::Mate(n) => -32_000 - n.max(-1000),
        };
        Heard::Thought { score, depth }
    }
}

/// Lines to send.
pub type Lines = Vec<String>;

/// Writes a message of a grammar.
fn say(out: &mut Lines, message: impl fmt::Display) {
    out.push(message.to_string());
}

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

    /// Sets variant and rules, where they are options as well.
    fn set_game(&mut self, _play: &Play, _out: &mut Lines) {}

    /// Sets an option.
    fn set_option(&mut self, name: &str, value: &str, out: &mut Lines);

    /// What a line says against what was sent before it. Only words that mean nothing else: most
    /// of what engines say freely is harmless.
    fn complaint(&self, line: &str) -> Option<String>;

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

    /// A piece of its board was taken by no move of that board (promotion by exchange): whether it
    /// must be set up anew to know.
    fn loses_track(&self) -> bool {
        false
    }

    /// Its opponent offers a draw; `false` where it has no way to hear or answer that.
    fn offer_draw(&mut self, _out: &mut Lines) -> bool {
        false
    }

    /// The game is over.
    fn game_over(&mut self, result: &str, reason: &str, out: &mut Lines);

    /// Asks for a sign of life, which is heard as [`Heard::Ready`]; `false` for an engine that
    /// cannot give one.
    fn ping(&mut self, out: &mut Lines) -> bool;

    /// Whether an answer is still to come that nobody wants any more.
    fn owes(&self) -> bool {
        false
    }

    /// Whether an answer to a question of a finished game may still come, and nothing tells when.
    fn may_answer_late(&self) -> bool {
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

/// Why an engine with these declared options does not take one, as far as they tell.
fn refusal(declared: &[OptionDecl], name: &str, value: &str) -> Option<String> {
    // Some engines declare nothing and still take options.
    if declared.is_empty() {
        return None;
    }
    // CECP's habit of writing blanks as underscores goes with every Klotz.
    let same = |other: &str| {
        other.eq_ignore_ascii_case(name) || other.eq_ignore_ascii_case(&name.replace('_', " "))
    };
    match declared.iter().find(|decl| same(&decl.name)) {
        None => Some(format!("has no option '{name}'")),
        Some(decl) => Some(format!("refuses it: {}", decl.accepts(value).err()?)),
    }
}

/// A complaint in UCI's and UBI's free text.
fn complaint(info: &Info) -> Option<String> {
    let (word, what) = info.string.as_deref()?.split_once(':')?;
    word.trim().eq_ignore_ascii_case("error").then(|| what.trim().to_string())
}

/// The variant's name in UCI; in CECP chess is `normal`.
fn variant_name(play: &Play) -> &'static str {
    super::tournament::book::variant_name(play.rules())
}
