//! What a GUI says to an engine in UCI, Klotz' own words for two boards included.

use std::fmt;
use std::str::FromStr;

use vampirc_uci::{UciMessage, parse_strict};

use crate::protocol::grammar::setup::Setup;
use crate::protocol::grammar::words::{
    Clocks, Hand, WordError, Words, bad, clock_words, hand_text, quoted, split_first, two_hands,
};

/// The limits of a search.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Go {
    /// White's milliseconds; GUIs send negative ones when a flag is about to fall.
    pub wtime: Option<i64>,
    /// Black's milliseconds.
    pub btime: Option<i64>,
    /// White's increment.
    pub winc: Option<i64>,
    /// Black's increment.
    pub binc: Option<i64>,
    /// Moves to the next time control.
    pub movestogo: Option<u32>,
    /// Plies.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Mate in that many moves.
    pub mate: Option<u32>,
    /// Milliseconds for this move.
    pub movetime: Option<i64>,
    /// Until `stop`.
    pub infinite: bool,
    /// On the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
    /// Only these moves.
    pub searchmoves: Vec<String>,
    /// Count positions to this depth instead of searching.
    pub perft: Option<u32>,
    /// What was passed over, since it could not be read.
    pub faults: Vec<WordError>,
}

/// A message from the GUI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci`
    Uci,
    /// `debug on` or `off`.
    Debug(bool),
    /// `isready`
    IsReady,
    /// `setoption name … [value …]`
    SetOption {
        /// The option's name.
        name: String,
        /// Its value; none for a button.
        value: Option<String>,
    },
    /// `register …`, which asks for nothing.
    Register,
    /// `ucinewgame`
    NewGame,
    /// `position …`
    Position(Setup),
    /// `go …`
    Go(Go),
    /// `stop`
    Stop,
    /// `ponderhit`
    PonderHit,
    /// `quit`
    Quit,
    /// `holding [W] [B]`: the hands of the own board, White's first.
    Holding(Hand, Hand),
    /// `pholding [W] [B]`: the hands of the partner's board.
    PartnerHolding(Hand, Hand),
    /// `pmove M`: a move was made on the partner's board.
    PartnerMove(String),
    /// `clock wA bA wB bB`, in milliseconds; `-` for one that is not known.
    Clock(Clocks),
    /// `ptell TEXT`: what the partner says.
    PartnerTell(String),
    /// `d`: show the position.
    Display,
    /// `eval`: show the static value.
    Eval,
    /// `bench [DEPTH]`
    Bench(Option<u32>),
}

impl Command {
    /// Reads a line that is not empty.
    pub fn parse(line: &str) -> Result<Command, WordError> {
        let (word, rest) = split_first(line);
        Ok(match word {
            "position" => Command::Position(Setup::parse(rest)?),
            "go" => Command::Go(go(rest)),
            "holding" => {
                let (white, black, _) = two_hands(rest)?;
                Command::Holding(white, black)
            }
            "pholding" => {
                let (white, black, _) = two_hands(rest)?;
                Command::PartnerHolding(white, black)
            }
            "pmove" => Command::PartnerMove(Words::new(rest).need("pmove", "a move")?.to_string()),
            "clock" => Command::Clock(Words::new(rest).clocks()?),
            "ptell" => Command::PartnerTell(rest.to_string()),
            "d" => Command::Display,
            "eval" => Command::Eval,
            "bench" => Command::Bench(match Words::new(rest).next() {
                Some(_) => Some(Words::new(rest).number("bench", "a depth")?),
                None => None,
            }),
            // These stand alone; what a GUI adds to them changes nothing.
            "uci" | "isready" | "ucinewgame" | "stop" | "ponderhit" | "quit" => plain(word)?,
            "register" => plain(line).unwrap_or(Command::Register),
            "debug" => plain(line).map_err(|_| bad("debug", rest, "on or off"))?,
            "setoption" => set_option(line, rest)?,
            other => return Err(WordError::Unknown(quoted(other))),
        })
    }
}

/// The words that say the same in every UCI dialect are left to the library.
fn plain(line: &str) -> Result<Command, WordError> {
    let message = parse_strict(line).ok().and_then(|messages| messages.into_iter().next());
    Ok(match message {
        Some(UciMessage::Uci) => Command::Uci,
        Some(UciMessage::Debug(on)) => Command::Debug(on),
        Some(UciMessage::IsReady) => Command::IsReady,
        Some(UciMessage::Register { .. }) => Command::Register,
        Some(UciMessage::UciNewGame) => Command::NewGame,
        Some(UciMessage::Stop) => Command::Stop,
        Some(UciMessage::PonderHit) => Command::PonderHit,
        Some(UciMessage::Quit) => Command::Quit,
        Some(UciMessage::SetOption { name, value }) => {
            Command::SetOption { name, value: value.map(|value| value.trim().to_string()) }
        }
        _ => return Err(WordError::Unknown(quoted(line))),
    })
}

fn set_option(line: &str, rest: &str) -> Result<Command, WordError> {
    // The library's grammar wants a value after the word; GUIs send none for an empty text.
    if let Some(head) =
        rest.strip_suffix("value").filter(|head| head.ends_with(char::is_whitespace))
    {
        let name = split_first(head).1.trim();
        if head.starts_with("name") && !name.is_empty() && !name.contains(" value ") {
            return Ok(Command::SetOption { name: name.into(), value: Some(String::new()) });
        }
    }
    plain(line).map_err(|_| WordError::Missing("setoption", "name NAME [value VALUE]"))
}

/// Reads limits. A GUI waits for its move whatever it wrote, so what cannot be read is passed over
/// and kept as a fault.
fn go(rest: &str) -> Go {
    let mut go = Go::default();
    let mut words = Words::new(rest);
    while let Some(word) = words.next() {
        if let Err(fault) = limit(&mut go, word, &mut words) {
            go.faults.push(fault);
        }
    }
    go
}

fn limit(go: &mut Go, word: &str, words: &mut Words<'_>) -> Result<(), WordError> {
    const MS: &str = "a number of milliseconds";
    match word {
        "wtime" => go.wtime = Some(value(words, "wtime", MS)?),
        "btime" => go.btime = Some(value(words, "btime", MS)?),
        "winc" => go.winc = Some(value(words, "winc", MS)?),
        "binc" => go.binc = Some(value(words, "binc", MS)?),
        "movestogo" => go.movestogo = Some(value(words, "movestogo", "a number of moves")?),
        "depth" => go.depth = Some(value(words, "depth", "a number of plies")?),
        "nodes" => go.nodes = Some(value(words, "nodes", "a number of nodes")?),
        "mate" => go.mate = Some(value(words, "mate", "a number of moves")?),
        "movetime" => go.movetime = Some(value(words, "movetime", MS)?),
        "perft" => go.perft = Some(value(words, "perft", "a number of plies")?),
        "infinite" => go.infinite = true,
        "ponder" => go.ponder = true,
        "searchmoves" => {
            while let Some(mv) = words.peek().filter(|word| !is_limit(word)) {
                go.searchmoves.push(mv.to_string());
                words.next();
            }
        }
        other => return Err(WordError::Unknown(format!("go {}", quoted(other)))),
    }
    Ok(())
}

/// The number behind a word. Where the next limit stands instead, it is left for itself.
fn value<T: FromStr>(
    words: &mut Words<'_>,
    word: &'static str,
    want: &'static str,
) -> Result<T, WordError> {
    match words.peek() {
        Some(next) if is_limit(next) => Err(WordError::Missing(word, want)),
        _ => words.number(word, want),
    }
}

fn is_limit(word: &str) -> bool {
    const LIMITS: [&str; 13] = [
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "depth",
        "nodes",
        "mate",
        "movetime",
        "perft",
        "infinite",
        "ponder",
        "searchmoves",
    ];
    LIMITS.contains(&word)
}

impl Go {
    /// What was passed over, in one line.
    pub fn fault(&self) -> Option<String> {
        let first = self.faults.first()?;
        Some(match self.faults.len() {
            1 => first.to_string(),
            n => format!("{first} (and {} more faults)", n - 1),
        })
    }
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        if self.ponder {
            f.write_str(" ponder")?;
        }
        let numbers = [
            ("wtime", self.wtime),
            ("btime", self.btime),
            ("winc", self.winc),
            ("binc", self.binc),
            ("movestogo", self.movestogo.map(i64::from)),
            ("depth", self.depth.map(i64::from)),
            ("mate", self.mate.map(i64::from)),
            ("movetime", self.movetime),
            ("perft", self.perft.map(i64::from)),
        ];
        for (name, value) in numbers {
            if let Some(value) = value {
                write!(f, " {name} {value}")?;
            }
        }
        if let Some(nodes) = self.nodes {
            write!(f, " nodes {nodes}")?;
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        if !self.searchmoves.is_empty() {
            write!(f, " searchmoves {}", self.searchmoves.join(" "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Uci => f.write_str("uci"),
            Command::Debug(on) => write!(f, "debug {}", if *on { "on" } else { "off" }),
            Command::IsReady => f.write_str("isready"),
            Command::SetOption { name, value: Some(value) } => {
                write!(f, "{}", format!("setoption name {name} value {value}").trim_end())
            }
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::Register => f.write_str("register later"),
            Command::NewGame => f.write_str("ucinewgame"),
            Command::Position(setup) => f.write_str(&setup.uci()),
            Command::Go(go) => go.fmt(f),
            Command::Stop => f.write_str("stop"),
            Command::PonderHit => f.write_str("ponderhit"),
            Command::Quit => f.write_str("quit"),
            Command::Holding(white, black) => {
                write!(f, "holding {} {}", hand_text(white), hand_text(black))
            }
            Command::PartnerHolding(white, black) => {
                write!(f, "pholding {} {}", hand_text(white), hand_text(black))
            }
            Command::PartnerMove(mv) => write!(f, "pmove {mv}"),
            Command::Clock(clocks) => write!(f, "clock {}", clock_words(clocks)),
            Command::PartnerTell(text) => write!(f, "ptell {text}"),
            Command::Display => f.write_str("d"),
            Command::Eval => f.write_str("eval"),
            Command::Bench(None) => f.write_str("bench"),
            Command::Bench(Some(depth)) => write!(f, "bench {depth}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_word_round_trips() {
        for line in [
            "uci",
            "debug on",
            "isready",
            "setoption name Hash value 64",
            "setoption name Clear Hash",
            "setoption name Debug Log File value",
            "ucinewgame",
            "position startpos moves e2e4",
            "position fen 4k3/8/8/8/8/8/8/4K3[Pp] w - - 0 1",
            "go",
            "go ponder wtime 1000 btime -5 winc 10 binc 10 movestogo 40",
            "go depth 300 nodes 99999999999 infinite searchmoves e2e4 P@e4",
            "go mate 4 movetime 1000",
            "go perft 5",
            "stop",
            "ponderhit",
            "quit",
            "holding [QP] []",
            "pholding [] [NN]",
            "pmove e2e4",
            "clock 1000 2000 3000 -1",
            "clock 1000 2000 - -",
            "ptell +n",
            "d",
            "eval",
            "bench",
            "bench 9",
        ] {
            let command = Command::parse(line).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(command.to_string(), line);
        }
    }

    #[test]
    fn gui_habits_are_taken() {
        assert_eq!(Command::parse("isready now"), Ok(Command::IsReady));
        assert_eq!(Command::parse("go "), Ok(Command::Go(Go::default())));
        let go = Command::parse("go searchmoves e2e4 d2d4 depth 3").expect("go");
        assert_eq!(
            go,
            Command::Go(Go {
                depth: Some(3),
                searchmoves: vec!["e2e4".into(), "d2d4".into()],
                ..Go::default()
            })
        );
        assert_eq!(
            Command::parse("setoption name Debug Log File value logs/a b.log"),
            Ok(Command::SetOption {
                name: "Debug Log File".into(),
                value: Some("logs/a b.log".into())
            })
        );
    }

    #[test]
    fn errors_name_the_thing() {
        let error = |line: &str| Command::parse(line).expect_err(line).to_string();
        assert_eq!(error("hello"), "unknown command 'hello'");
        assert_eq!(error("setoption Hash 3"), "setoption without name NAME [value VALUE]");
        assert_eq!(error("debug maybe"), "debug 'maybe' is not on or off");
    }

    #[test]
    fn what_cannot_be_read_is_passed_over_in_a_go() {
        for (line, wanted, faults) in [
            ("go depth -3", "go", &["depth '-3' is not a number of plies"][..]),
            ("go wtime 5 depth", "go wtime 5", &["depth without a number of plies"]),
            ("go fast nodes 7", "go nodes 7", &["unknown command 'go fast'"]),
            ("go depth infinite", "go infinite", &["depth without a number of plies"]),
            (
                "go movetime x depth 4 y",
                "go depth 4",
                &["movetime 'x' is not a number of milliseconds", "unknown command 'go y'"],
            ),
        ] {
            let Ok(Command::Go(go)) = Command::parse(line) else { panic!("{line}") };
            assert_eq!(go.to_string(), wanted);
            assert_eq!(go.faults.iter().map(WordError::to_string).collect::<Vec<_>>(), faults);
        }
    }

    proptest! {
        #[test]
        fn no_line_panics(line in "\\PC{0,80}") {
            let _ = Command::parse(&line);
        }

        #[test]
        fn no_mutation_panics(
            word in prop::sample::select(vec![
                "uci", "go", "go depth", "position startpos", "position fen", "setoption name",
                "holding [Q", "clock 1", "debug", "register", "stop", "ponderhit", "bench",
            ]),
            tail in "[ a-zA-Z0-9@|\\[\\]/~-]{0,60}",
        ) {
            if let Ok(mut command) = Command::parse(&format!("{word} {tail}")) {
                if let Command::Go(go) = &mut command {
                    go.faults.clear();
                }
                let text = command.to_string();
                prop_assert_eq!(Command::parse(&text), Ok(command), "{}", text);
            }
        }
    }
}
