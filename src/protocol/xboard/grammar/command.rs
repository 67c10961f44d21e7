//! What XBoard and its kin say to an engine.

use std::fmt;

use crate::protocol::grammar::talk::is_move;
use crate::protocol::grammar::words::{
    Hand, WordError, Words, bad, hand_text, number, quoted, role_slot, split_first, two_hands,
};
use crate::types::{Color, HAND_ROLES, Role};

/// The piece a `holding` line says was just added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tell {
    /// Whose hand it joined.
    pub color: Color,
    /// What it is.
    pub role: Role,
}

/// `option NAME` or `option NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetOption {
    /// The option's name.
    pub name: String,
    /// Its value; none for a button.
    pub value: Option<String>,
}

/// A message from the GUI.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `xboard`
    XBoard,
    /// `protover N`
    Protover(u32),
    /// `accepted FEATURE`; the feature is empty in tinyChessServer's bare `accepted`.
    Accepted(String),
    /// `rejected FEATURE`
    Rejected(String),
    /// `new`
    New,
    /// `variant NAME`
    Variant(String),
    /// `quit`
    Quit,
    /// `force`
    Force,
    /// `go`
    Go,
    /// `playother`
    PlayOther,
    /// `white`: White is to move, the engine plays Black.
    White,
    /// `black`: Black is to move, the engine plays White.
    Black,
    /// `level MOVES BASE INCREMENT`
    Level {
        /// Moves a session; 0 = the whole game.
        moves: u32,
        /// Centiseconds of a session.
        base: u64,
        /// Centiseconds added for each move.
        increment: u64,
    },
    /// `st SECONDS`, in centiseconds
    MoveTime(u64),
    /// `sd PLIES`
    Depth(u32),
    /// `nps N`: N nodes count as a second; 0 means the wall clock.
    NodesPerSecond(i64),
    /// `time N`: the engine's clock in centiseconds.
    Time(i64),
    /// `otim N`: the opponent's.
    OpponentTime(i64),
    /// `usermove M`, or a move standing alone.
    Move(String),
    /// `?`
    MoveNow,
    /// `ping N`
    Ping(String),
    /// `draw`
    Draw,
    /// `result R {comment}`
    Result(String),
    /// `setboard FEN`
    SetBoard(String),
    /// `hint`
    Hint,
    /// `bk`
    Book,
    /// `undo`
    Undo,
    /// `remove`
    Remove,
    /// `hard`
    Hard,
    /// `easy`
    Easy,
    /// `post`
    Post,
    /// `nopost`
    NoPost,
    /// `analyze`
    Analyze,
    /// `exit`
    Exit,
    /// `.`
    Status,
    /// `pause`
    Pause,
    /// `resume`
    Resume,
    /// `memory MB`
    Memory(u64),
    /// `cores N`
    Cores(u64),
    /// `option …`
    Option(SetOption),
    /// `exclude M` or `exclude all`
    Exclude(String),
    /// `include M` or `include all`
    Include(String),
    /// `holding [W] [B] [cP]`
    Holding {
        /// White's hand.
        white: Hand,
        /// Black's hand.
        black: Hand,
        /// What was added, when the GUI says so.
        added: Option<Tell>,
    },
    /// `partner NAME`; without a name the partnership ends.
    Partner(Option<String>),
    /// `ptell TEXT`
    PartnerTell(String),
    /// `pmove M`
    PartnerMove(String),
    /// `pholding [W] [B] [cP]`
    PartnerHolding(Hand, Hand),
    /// `psetboard FEN`
    PartnerSetBoard(String),
    /// `ptime N`: the partner's clock in centiseconds.
    PartnerTime(i64),
    /// `potim N`: the clock of the partner's opponent.
    PartnerOpponentTime(i64),
    /// A word that asks nothing of this engine.
    Ignored(String),
}

impl Command {
    /// Reads a line that is not empty.
    pub fn parse(line: &str) -> Result<Command, WordError> {
        const CS: &str = "a number of centiseconds";
        let (word, rest) = split_first(line);
        let mut words = Words::new(rest);
        let text = || rest.to_string();
        Ok(match word {
            "xboard" => Command::XBoard,
            "protover" => Command::Protover(words.number("protover", "a version")?),
            "accepted" => Command::Accepted(words.next().unwrap_or_default().to_string()),
            "rejected" => Command::Rejected(words.next().unwrap_or_default().to_string()),
            "new" => Command::New,
            "variant" => Command::Variant(words.need("variant", "a name")?.to_string()),
            "quit" => Command::Quit,
            "force" => Command::Force,
            "go" => Command::Go,
            "playother" => Command::PlayOther,
            "white" => Command::White,
            "black" => Command::Black,
            "level" => level(&mut words)?,
            "st" => Command::MoveTime(seconds("st", words.need("st", "a number of seconds")?)?),
            "sd" => Command::Depth(words.number("sd", "a number of plies")?),
            "nps" => Command::NodesPerSecond(words.number("nps", "a number of nodes")?),
            "time" => Command::Time(words.number("time", CS)?),
            "otim" => Command::OpponentTime(words.number("otim", CS)?),
            "usermove" => Command::Move(words.need("usermove", "a move")?.to_string()),
            "?" => Command::MoveNow,
            "ping" => Command::Ping(words.need("ping", "a number")?.to_string()),
            "draw" => Command::Draw,
            "result" => Command::Result(text()),
            "setboard" if rest.is_empty() => return Err(WordError::Missing("setboard", "a FEN")),
            "setboard" => Command::SetBoard(text()),
            "hint" => Command::Hint,
            "bk" => Command::Book,
            "undo" => Command::Undo,
            "remove" => Command::Remove,
            "hard" => Command::Hard,
            "easy" => Command::Easy,
            "post" => Command::Post,
            "nopost" => Command::NoPost,
            "analyze" | "analyse" => Command::Analyze,
            "exit" => Command::Exit,
            "." => Command::Status,
            "pause" => Command::Pause,
            "resume" => Command::Resume,
            "memory" => Command::Memory(words.number("memory", "a number of megabytes")?),
            "cores" => Command::Cores(words.number("cores", "a number of threads")?),
            "option" => Command::Option(option(rest)?),
            "exclude" => Command::Exclude(words.need("exclude", "a move")?.to_string()),
            "include" => Command::Include(words.need("include", "a move")?.to_string()),
            "holding" => {
                let (white, black, tail) = two_hands(rest)?;
                Command::Holding { white, black, added: added(tail)? }
            }
            "partner" => Command::Partner(words.next().map(String::from)),
            "ptell" => Command::PartnerTell(text()),
            "pmove" => Command::PartnerMove(words.need("pmove", "a move")?.to_string()),
            "pholding" => {
                let (white, black, _) = two_hands(rest)?;
                Command::PartnerHolding(white, black)
            }
            "psetboard" if rest.is_empty() => return Err(WordError::Missing("psetboard", "a FEN")),
            "psetboard" => Command::PartnerSetBoard(text()),
            "ptime" => Command::PartnerTime(words.number("ptime", CS)?),
            "potim" => Command::PartnerOpponentTime(words.number("potim", CS)?),
            "random" | "computer" | "name" | "rating" | "ics" | "egtpath" | "setscore" | "lift"
            | "put" | "hover" | "bookpath" | "protocol" | "rejoin" => {
                Command::Ignored(line.trim().to_string())
            }
            comment if comment.starts_with('#') => Command::Ignored(line.trim().to_string()),
            // tinyChessServer passes the opponent's line on as it stands.
            "move" if !rest.is_empty() => Command::Move(words.need("move", "a move")?.to_string()),
            "edit" => return Err(bad("command", "edit", "needed: setboard is offered")),
            mv if rest.is_empty() && looks_like_move(mv) => Command::Move(mv.to_string()),
            other => return Err(WordError::Unknown(quoted(other))),
        })
    }
}

/// Coordinates, drops, and what could be SAN.
fn looks_like_move(word: &str) -> bool {
    let squares = word.bytes().any(|b| b.is_ascii_digit());
    let first = word.bytes().next().unwrap_or_default();
    is_move(word)
        || word.starts_with("O-O")
        || word.starts_with("0-0")
        || word.len() <= 8
            && squares
            && (b"KQRBNP@abcdefgh".contains(&first))
            && word.bytes().all(|b| b"KQRBNPabcdefghqrnx12345678=@+#".contains(&b))
}

/// Seconds, with or without a fraction, as centiseconds.
fn seconds(what: &'static str, text: &str) -> Result<u64, WordError> {
    const WANT: &str = "a number of seconds";
    let value: f64 = number(what, text, WANT)?;
    if !(0.0..1e9).contains(&value) {
        return Err(bad(what, text, WANT));
    }
    Ok((value * 100.0).round() as u64)
}

fn level(words: &mut Words<'_>) -> Result<Command, WordError> {
    const WANT: &str = "MOVES MINUTES[:SECONDS] INCREMENT";
    let moves = words.number("level", WANT)?;
    let base = words.need("level", WANT)?;
    let base = match base.split_once(':') {
        Some((minutes, rest)) => {
            let minutes: u32 = number("level", minutes, WANT)?;
            u64::from(minutes) * 6000 + seconds("level", rest)?
        }
        None => seconds("level", base)?.saturating_mul(60),
    };
    let increment = seconds("level", words.need("level", WANT)?)?;
    Ok(Command::Level { moves, base, increment })
}

fn option(rest: &str) -> Result<SetOption, WordError> {
    let (name, value) = match rest.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim().to_string())),
        None => (rest.trim(), None),
    };
    if name.is_empty() {
        return Err(WordError::Missing("option", "a name"));
    }
    Ok(SetOption { name: name.to_string(), value })
}

/// The hint `WP` or `bq` after two hands.
fn added(text: &str) -> Result<Option<Tell>, WordError> {
    let error = || bad("holding", text, "W or B and the piece added");
    let mut chars = text.split_whitespace().next().unwrap_or_default().chars();
    let Some(color) = chars.next() else {
        return Ok(None);
    };
    let color = match color {
        'W' | 'w' => Color::White,
        'B' | 'b' => Color::Black,
        _ => return Err(error()),
    };
    let slot = chars.next().and_then(role_slot).ok_or_else(error)?;
    Ok(Some(Tell { color, role: HAND_ROLES[slot] }))
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = match self {
            Command::XBoard => "xboard",
            Command::New => "new",
            Command::Quit => "quit",
            Command::Force => "force",
            Command::Go => "go",
            Command::PlayOther => "playother",
            Command::White => "white",
            Command::Black => "black",
            Command::MoveNow => "?",
            Command::Draw => "draw",
            Command::Hint => "hint",
            Command::Book => "bk",
            Command::Undo => "undo",
            Command::Remove => "remove",
            Command::Hard => "hard",
            Command::Easy => "easy",
            Command::Post => "post",
            Command::NoPost => "nopost",
            Command::Analyze => "analyze",
            Command::Exit => "exit",
            Command::Status => ".",
            Command::Pause => "pause",
            Command::Resume => "resume",
            _ => return self.with_value(f),
        };
        f.write_str(plain)
    }
}

impl Command {
    fn with_value(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Protover(n) => write!(f, "protover {n}"),
            Command::Accepted(feature) => write!(f, "{}", format!("accepted {feature}").trim_end()),
            Command::Rejected(feature) => write!(f, "{}", format!("rejected {feature}").trim_end()),
            Command::Variant(name) => write!(f, "variant {name}"),
            Command::Level { moves, base, increment } => {
                let (minutes, rest) = (base / 6000, base % 6000);
                write!(f, "level {moves} {minutes}")?;
                if rest > 0 {
                    write!(f, ":{}", padded(rest))?;
                }
                write!(f, " {}", fraction(*increment))
            }
            Command::MoveTime(n) => write!(f, "st {}", fraction(*n)),
            Command::Depth(n) => write!(f, "sd {n}"),
            Command::NodesPerSecond(n) => write!(f, "nps {n}"),
            Command::Time(n) => write!(f, "time {n}"),
            Command::OpponentTime(n) => write!(f, "otim {n}"),
            Command::Move(mv) => write!(f, "usermove {mv}"),
            Command::Ping(n) => write!(f, "ping {n}"),
            Command::Result(text) => write!(f, "{}", format!("result {text}").trim_end()),
            Command::SetBoard(fen) => write!(f, "setboard {fen}"),
            Command::Memory(n) => write!(f, "memory {n}"),
            Command::Cores(n) => write!(f, "cores {n}"),
            Command::Option(SetOption { name, value: Some(value) }) => {
                write!(f, "option {name}={value}")
            }
            Command::Option(SetOption { name, value: None }) => write!(f, "option {name}"),
            Command::Exclude(mv) => write!(f, "exclude {mv}"),
            Command::Include(mv) => write!(f, "include {mv}"),
            Command::Holding { white, black, added } => {
                write!(f, "holding {} {}", hand_text(white), hand_text(black))?;
                added.map_or(Ok(()), |tell| {
                    let color = if tell.color == Color::White { 'W' } else { 'B' };
                    write!(f, " {color}{}", tell.role.upper_char())
                })
            }
            Command::Partner(None) => f.write_str("partner"),
            Command::Partner(Some(name)) => write!(f, "partner {name}"),
            Command::PartnerTell(text) => write!(f, "ptell {text}"),
            Command::PartnerMove(mv) => write!(f, "pmove {mv}"),
            Command::PartnerHolding(white, black) => {
                write!(f, "pholding {} {}", hand_text(white), hand_text(black))
            }
            Command::PartnerSetBoard(fen) => write!(f, "psetboard {fen}"),
            Command::PartnerTime(n) => write!(f, "ptime {n}"),
            Command::PartnerOpponentTime(n) => write!(f, "potim {n}"),
            Command::Ignored(line) => f.write_str(line),
            _ => Ok(()),
        }
    }
}

/// Centiseconds as seconds, with a fraction only where there is one.
fn fraction(centiseconds: u64) -> String {
    match centiseconds % 100 {
        0 => (centiseconds / 100).to_string(),
        rest => format!("{}.{rest:02}", centiseconds / 100),
    }
}

fn padded(centiseconds: u64) -> String {
    match centiseconds % 100 {
        0 => format!("{:02}", centiseconds / 100),
        rest => format!("{:02}.{rest:02}", centiseconds / 100),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_word_round_trips() {
        for line in [
            "xboard",
            "protover 2",
            "accepted otherboard",
            "rejected san",
            "new",
            "variant crazyhouse",
            "quit",
            "force",
            "go",
            "playother",
            "white",
            "black",
            "level 40 5 0",
            "level 0 2:30 12",
            "level 0 0:00.50 0.10",
            "st 30",
            "st 0.05",
            "sd 9",
            "nps 0",
            "time 1234",
            "otim -20",
            "usermove P@e4",
            "?",
            "ping 7",
            "draw",
            "result 1-0 {White mates}",
            "setboard 4k3/8/8/8/8/8/8/4K3[] w - - 0 1",
            "hint",
            "bk",
            "undo",
            "remove",
            "hard",
            "easy",
            "post",
            "nopost",
            "analyze",
            "exit",
            ".",
            "pause",
            "resume",
            "memory 64",
            "cores 2",
            "option Resign=1",
            "option Clear Hash",
            "exclude all",
            "include e2e4",
            "holding [PP] []",
            "holding [Q] [N] BN",
            "partner",
            "partner Ann",
            "ptell +n",
            "pmove e2e4",
            "pholding [] [Q]",
            "psetboard 4k3/8/8/8/8/8/8/4K3[] w - - 0 1",
            "ptime 100",
            "potim 200",
            "random",
            "# comment",
            "egtpath syzygy /tmp",
        ] {
            let command = Command::parse(line).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(command.to_string(), line);
        }
    }

    #[test]
    fn moves_may_stand_alone() {
        for mv in ["e2e4", "e7e8q", "P@e4", "@e4", "N@f3", "Nf3", "O-O", "exd5", "Nbxd7+", "e8=Q"] {
            assert_eq!(Command::parse(mv), Ok(Command::Move(mv.into())), "{mv}");
        }
        for no in ["egg", "4", "hello", "Queen", "a1b"] {
            assert!(
                !matches!(Command::parse(no), Ok(Command::Move(_))) || no == "a1b",
                "{no} is no move"
            );
        }
        assert_eq!(Command::parse("move e2e4"), Ok(Command::Move("e2e4".into())));
    }

    #[test]
    fn errors_name_the_thing() {
        let error = |line: &str| Command::parse(line).expect_err(line).to_string();
        assert_eq!(error("sd -3"), "sd '-3' is not a number of plies");
        assert_eq!(error("st soon"), "st 'soon' is not a number of seconds");
        assert_eq!(error("level 0"), "level without MOVES MINUTES[:SECONDS] INCREMENT");
        assert_eq!(error("holding [Q] [] XP"), "holding 'XP' is not W or B and the piece added");
        assert_eq!(error("hello there"), "unknown command 'hello'");
    }

    proptest! {
        #[test]
        fn no_line_panics(line in "\\PC{0,80}") {
            let _ = Command::parse(&line);
        }

        #[test]
        fn what_is_read_is_written_alike(
            word in prop::sample::select(vec![
                "level", "st", "time", "holding [Q] [P]", "option", "exclude", "ping", "nps",
                "usermove", "setboard", "accepted", "memory", "ptell", "result",
            ]),
            tail in "[ a-zA-Z0-9:.=@\\[\\]-]{0,30}",
        ) {
            if let Ok(command) = Command::parse(&format!("{word} {tail}")) {
                let text = command.to_string();
                prop_assert_eq!(Command::parse(&text), Ok(command), "{}", text);
            }
        }
    }
}
