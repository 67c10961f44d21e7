//! What a table server and an engine say to each other in UBI.

use std::fmt;

use vampirc_uci::UciMessage;

use crate::protocol::grammar::decl::OptionDecl;
use crate::protocol::grammar::info::{Info, board};
use crate::protocol::grammar::setup::Setup;
use crate::protocol::grammar::words::{
    WordError, Words, bad, number, quoted, role_slot, split_first,
};
use crate::protocol::uci::grammar as uci;
use crate::types::{BoardId, HAND_ROLES, Role, Weight, Word};

/// How urgent or how dangerous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `low`
    Low,
    /// `medium`
    Medium,
    /// `high`
    High,
    /// `critical`, of threats only.
    Critical,
}

/// Why to hurry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `time`
    Time,
    /// `pressure`
    Pressure,
}

/// A message between partners: `teammsg` on the way out, `partnermsg` on the way in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// `need PIECE [urgency …]`
    Need(Role, Option<Level>),
    /// `stall [duration MOVES]`
    Stall(Option<u32>),
    /// `play_fast [reason …]`
    PlayFast(Option<Reason>),
    /// `material ±N`
    Material(i32),
    /// `threat …`
    Threat(Level),
}

/// A message from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `ubi`
    Ubi,
    /// `isready`
    IsReady,
    /// `setoption name … [value …]`
    SetOption {
        /// The option's name.
        name: String,
        /// Its value; none for a button.
        value: Option<String>,
    },
    /// `ubinewgame`
    NewGame,
    /// `position …`
    Position(Setup),
    /// `partnermsg …`
    Partner(Message),
    /// `go board …`
    Go {
        /// The board to move on.
        board: BoardId,
        /// Hints that limit the search.
        limits: uci::Go,
    },
    /// `stop [board …]`
    Stop(Option<BoardId>),
    /// `metadata KEY VALUE`
    Metadata(String, String),
    /// `quit`
    Quit,
}

/// A message from the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `id name …`
    Name(String),
    /// `id author …`
    Author(String),
    /// `option …`
    Option(OptionDecl),
    /// `ubiok`
    UbiOk,
    /// `readyok`
    ReadyOk,
    /// `info board … …`
    Info(Box<Info>),
    /// `bestmove board … MOVE`
    BestMove {
        /// The board.
        board: BoardId,
        /// The move; none for `(none)`.
        best: Option<String>,
    },
    /// `teammsg …`
    Team(Message),
    /// Any other line.
    Other(String),
}

impl Level {
    const ALL: [(Level, &str); 4] = [
        (Level::Low, "low"),
        (Level::Medium, "medium"),
        (Level::High, "high"),
        (Level::Critical, "critical"),
    ];

    fn parse(text: &str) -> Result<Level, WordError> {
        let found = Level::ALL.iter().find(|(_, name)| *name == text);
        found.map(|(level, _)| *level).ok_or_else(|| bad("level", text, "low, medium or high"))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Level::ALL[*self as usize].1)
    }
}

impl Message {
    /// Reads what follows the word `teammsg` or `partnermsg`.
    pub fn parse(rest: &str) -> Result<Message, WordError> {
        let mut words = Words::new(rest);
        let kind = words.need("message", "a type")?;
        let value = match kind {
            "need" | "material" | "threat" => words.need("message", "a value")?,
            _ => "",
        };
        let mut parameter = |name: &str| match words.next() {
            Some(word) if word == name => Ok(words.next()),
            Some(other) => Err(bad("message", other, "a parameter of this type")),
            None => Ok(None),
        };
        Ok(match kind {
            "need" => {
                let mut chars = value.chars();
                let slot = chars.next().filter(|_| chars.next().is_none()).and_then(role_slot);
                let role = slot.map(|slot| HAND_ROLES[slot]);
                let role = role.ok_or_else(|| bad("piece", value, "p, n, b, r or q"))?;
                Message::Need(role, parameter("urgency")?.map(Level::parse).transpose()?)
            }
            "stall" => Message::Stall(
                parameter("duration")?
                    .map(|text| number("duration", text, "a number of moves"))
                    .transpose()?,
            ),
            "play_fast" => Message::PlayFast(match parameter("reason")? {
                None => None,
                Some("time") => Some(Reason::Time),
                Some("pressure") => Some(Reason::Pressure),
                Some(other) => return Err(bad("reason", other, "time or pressure")),
            }),
            "material" => {
                let bare = value.strip_prefix('+').unwrap_or(value);
                Message::Material(number("material", bare, "a number of centipawns")?)
            }
            "threat" => Message::Threat(Level::parse(value)?),
            other => return Err(WordError::Unknown(format!("message {}", quoted(other)))),
        })
    }
}

impl Message {
    /// What it means in any dialect. A sum of material is no wish.
    pub fn word(&self) -> Option<Word> {
        Some(match self {
            Message::Need(role, level) => Word::Need(
                *role,
                match level {
                    Some(Level::Low) => Weight::Low,
                    Some(Level::High | Level::Critical) => Weight::High,
                    Some(Level::Medium) | None => Weight::Medium,
                },
            ),
            Message::Stall(_) => Word::Sit,
            Message::PlayFast(_) => Word::Fast,
            Message::Threat(Level::Critical) => Word::Dead,
            Message::Threat(Level::Low) => Word::Fine,
            Message::Threat(_) => Word::NoTrade,
            Message::Material(_) => return None,
        })
    }

    /// The message for a word; UBI has none for some.
    pub fn of(word: Word) -> Option<Message> {
        Some(match word {
            Word::Need(role, weight) => Message::Need(
                role,
                Some(match weight {
                    Weight::Low => Level::Low,
                    Weight::Medium => Level::Medium,
                    Weight::High => Level::High,
                }),
            ),
            // It cannot be said which piece is dangerous, only that something is.
            Word::Deny(_, Weight::High) => Message::Threat(Level::High),
            Word::Sit => Message::Stall(None),
            Word::Fast => Message::PlayFast(None),
            Word::Dead => Message::Threat(Level::Critical),
            Word::Fine => Message::Threat(Level::Low),
            _ => return None,
        })
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Need(role, None) => write!(f, "need {}", role.char()),
            Message::Need(role, Some(level)) => {
                write!(f, "need {} urgency {level}", role.char())
            }
            Message::Stall(None) => f.write_str("stall"),
            Message::Stall(Some(moves)) => write!(f, "stall duration {moves}"),
            Message::PlayFast(None) => f.write_str("play_fast"),
            Message::PlayFast(Some(Reason::Time)) => f.write_str("play_fast reason time"),
            Message::PlayFast(Some(Reason::Pressure)) => f.write_str("play_fast reason pressure"),
            Message::Material(value) => write!(f, "material {value:+}"),
            Message::Threat(level) => write!(f, "threat {level}"),
        }
    }
}

impl Command {
    /// Reads a line that is not empty.
    pub fn parse(line: &str) -> Result<Command, WordError> {
        let (word, rest) = split_first(line);
        Ok(match word {
            "ubi" => Command::Ubi,
            "ubinewgame" => Command::NewGame,
            "position" => Command::Position(Setup::parse(rest)?),
            "partnermsg" => Command::Partner(Message::parse(rest)?),
            "go" => {
                let (name, hints) = named_board(rest, "go")?;
                let uci::Command::Go(limits) = uci::Command::parse(&format!("go {hints}"))? else {
                    return Err(WordError::Unknown(quoted(line)));
                };
                Command::Go { board: name, limits }
            }
            "stop" if rest.is_empty() => Command::Stop(None),
            "stop" => Command::Stop(Some(named_board(rest, "stop")?.0)),
            "metadata" => {
                let (key, value) = split_first(rest);
                if key.is_empty() {
                    return Err(WordError::Missing("metadata", "a key"));
                }
                Command::Metadata(key.to_string(), value.to_string())
            }
            "isready" | "quit" | "setoption" => match uci::Command::parse(line)? {
                uci::Command::IsReady => Command::IsReady,
                uci::Command::Quit => Command::Quit,
                uci::Command::SetOption { name, value } => Command::SetOption { name, value },
                _ => return Err(WordError::Unknown(quoted(word))),
            },
            other => return Err(WordError::Unknown(quoted(other))),
        })
    }
}

/// `board A` and what follows it.
fn named_board<'a>(rest: &'a str, word: &'static str) -> Result<(BoardId, &'a str), WordError> {
    let (keyword, rest) = split_first(rest);
    let (name, rest) = split_first(rest);
    if keyword != "board" || name.is_empty() {
        return Err(WordError::Missing(word, "board A or board B"));
    }
    Ok((board(name)?, rest))
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Ubi => f.write_str("ubi"),
            Command::IsReady => UciMessage::IsReady.fmt(f),
            Command::SetOption { name, value } => {
                uci::Command::SetOption { name: name.clone(), value: value.clone() }.fmt(f)
            }
            Command::NewGame => f.write_str("ubinewgame"),
            Command::Position(setup) => f.write_str(&setup.ubi()),
            Command::Partner(message) => write!(f, "partnermsg {message}"),
            Command::Go { board, limits } => {
                let hints = limits.to_string();
                write!(f, "go board {board}{}", hints.strip_prefix("go").unwrap_or_default())
            }
            Command::Stop(None) => f.write_str("stop"),
            Command::Stop(Some(board)) => write!(f, "stop board {board}"),
            Command::Metadata(key, value) => {
                f.write_str(format!("metadata {key} {value}").trim_end())
            }
            Command::Quit => f.write_str("quit"),
        }
    }
}

impl Reply {
    /// Reads a line. Only a known word with a value that is none is an error.
    pub fn parse(line: &str) -> Result<Reply, WordError> {
        let (word, rest) = split_first(line);
        Ok(match word {
            "ubiok" => Reply::UbiOk,
            "bestmove" => {
                let (board, rest) = named_board(rest, "bestmove")?;
                Reply::BestMove { board, best: Words::new(rest).next().and_then(uci::real_move) }
            }
            "teammsg" => Reply::Team(Message::parse(rest)?),
            _ => match uci::Reply::parse(line)? {
                uci::Reply::Name(name) => Reply::Name(name),
                uci::Reply::Author(author) => Reply::Author(author),
                uci::Reply::Option(decl) => Reply::Option(decl),
                uci::Reply::ReadyOk => Reply::ReadyOk,
                uci::Reply::Info(info) => Reply::Info(info),
                other => Reply::Other(other.to_string()),
            },
        })
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Name(name) => uci::Reply::Name(name.clone()).fmt(f),
            Reply::Author(author) => uci::Reply::Author(author.clone()).fmt(f),
            Reply::Option(decl) => f.write_str(&decl.uci()),
            Reply::UbiOk => f.write_str("ubiok"),
            Reply::ReadyOk => uci::Reply::ReadyOk.fmt(f),
            Reply::Info(info) => info.fmt(f),
            Reply::BestMove { board, best } => {
                write!(f, "bestmove board {board} {}", best.as_deref().unwrap_or("(none)"))
            }
            Reply::Team(message) => write!(f, "teammsg {message}"),
            Reply::Other(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_command_round_trips() {
        for line in [
            "ubi",
            "isready",
            "setoption name Hash value 64",
            "setoption name Clear Hash",
            "ubinewgame",
            "position startpos | startpos clock 180000 180000 180000 180000",
            "partnermsg need n urgency high",
            "partnermsg need b",
            "partnermsg stall duration 2",
            "partnermsg stall",
            "partnermsg play_fast reason pressure",
            "partnermsg material -150",
            "partnermsg threat critical",
            "go board A",
            "go board B depth 12 movetime 300",
            "stop",
            "stop board B",
            "metadata position white_A,black_B",
            "quit",
        ] {
            assert_eq!(Command::parse(line).expect(line).to_string(), line);
        }
    }

    #[test]
    fn every_reply_round_trips() {
        for line in [
            "id name Klotz",
            "id author x",
            "option name Threads type spin default 1 min 1 max 64",
            "ubiok",
            "readyok",
            "info board A depth 4 score cp 20 pv n@f3",
            "info board B string sit until the clock says otherwise",
            "bestmove board A n@f3",
            "bestmove board B (none)",
            "teammsg material +50",
        ] {
            assert_eq!(Reply::parse(line).expect(line).to_string(), line);
        }
    }

    #[test]
    fn words_mean_the_same_in_other_dialects() {
        use crate::protocol::grammar::talk::Talk;
        for (text, message) in [
            ("+++n", "need n urgency high"),
            ("++b", "need b urgency medium"),
            ("sit", "stall"),
            ("fast", "play_fast"),
            ("dead", "threat critical"),
            ("x", "threat low"),
        ] {
            let Some(Talk::Word(word)) = Talk::parse(text) else { panic!("{text}") };
            let written = Message::of(word).expect(text);
            assert_eq!(written.to_string(), message);
            assert_eq!(written.word(), Some(word));
        }
        assert_eq!(Message::of(Word::Go), None);
        assert_eq!(Message::Material(1).word(), None);
    }

    #[test]
    fn errors_name_the_thing() {
        let error = |line: &str| Command::parse(line).expect_err(line).to_string();
        assert_eq!(error("go"), "go without board A or board B");
        assert_eq!(error("go board C"), "board 'C' is not A or B");
        assert_eq!(error("partnermsg need k"), "piece 'k' is not p, n, b, r or q");
        assert_eq!(error("partnermsg sing"), "unknown command 'message sing'");
    }

    proptest! {
        #[test]
        fn no_line_panics(
            word in prop::sample::select(vec![
                "", "go board", "stop", "partnermsg", "position", "metadata", "bestmove board A",
                "teammsg need", "info board",
            ]),
            tail in "\\PC{0,60}",
        ) {
            let line = format!("{word} {tail}");
            let _ = (Command::parse(&line), Reply::parse(&line));
        }
    }
}
