//! What an engine says to XBoard.

use std::fmt;

use crate::protocol::grammar::decl::OptionDecl;
use crate::protocol::grammar::words::{WordError, split_first};
use crate::types::Score;

/// One `name=value` of a `feature` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feature {
    /// `option="…"`
    Option(OptionDecl),
    /// A number.
    Number(String, i64),
    /// A text.
    Text(String, String),
}

/// A line of thinking output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thinking {
    /// Depth in plies.
    pub depth: u32,
    /// The score, from the engine's view.
    pub score: Score,
    /// Centiseconds since the search began.
    pub time: u64,
    /// Positions searched.
    pub nodes: u64,
    /// The deepest ply, positions a second and tablebase hits, when told.
    pub extra: Option<[u64; 3]>,
    /// The best line, and whatever the engine writes there.
    pub pv: String,
}

/// A message from the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `feature …`
    Features(Vec<Feature>),
    /// `move M`
    Move(String),
    /// `pong N`
    Pong(String),
    /// A line of thinking.
    Thinking(Thinking),
    /// `offer draw`
    OfferDraw,
    /// `resign`
    Resign,
    /// `1-0 {…}`, `0-1 {…}` or `1/2-1/2 {…}`
    Result {
        /// The result token.
        result: String,
        /// The reason in braces.
        reason: String,
    },
    /// `Hint: M`
    Hint(String),
    /// `Illegal move (reason): M`
    IllegalMove {
        /// Why.
        reason: String,
        /// The move.
        mv: String,
    },
    /// `Error (reason): LINE`
    Error {
        /// Why.
        reason: String,
        /// The line.
        line: String,
    },
    /// `tellics ptell TEXT`: words for the partner.
    PartnerTell(String),
    /// Any other `tellics`: words for the server.
    TellIcs(String),
    /// `telluser TEXT`, `tellusererror TEXT` and the like, with the word that leads them.
    Tell(String, String),
    /// `stat01: time nodes ply left total currmove`
    Status(String),
    /// `# …`
    Comment(String),
    /// Any other line.
    Other(String),
}

/// Scores of at least this are mates, as GUIs read them.
const MATE: i64 = 100_000;

impl Reply {
    /// Reads a line.
    pub fn parse(line: &str) -> Result<Reply, WordError> {
        let line = line.trim();
        let (word, rest) = split_first(line);
        let text = || rest.to_string();
        Ok(match word {
            "feature" => Reply::Features(features(rest)),
            "move" => Reply::Move(text()),
            // As GNU Chess once said it, and some engines still do.
            "My" if rest.starts_with("move is") => {
                Reply::Move(rest.rsplit([' ', ':']).next().unwrap_or_default().to_string())
            }
            "pong" => Reply::Pong(text()),
            "offer" if rest == "draw" => Reply::OfferDraw,
            "resign" => Reply::Resign,
            "1-0" | "0-1" | "1/2-1/2" => Reply::Result {
                result: word.to_string(),
                reason: rest.trim_matches(['{', '}', ' ']).to_string(),
            },
            "Hint:" => Reply::Hint(text()),
            "Illegal" | "Error" => complaint(line).unwrap_or_else(|| Reply::Other(line.into())),
            "tellics" => match rest.strip_prefix("ptell ") {
                Some(words) => Reply::PartnerTell(words.trim().to_string()),
                None => Reply::TellIcs(text()),
            },
            "telluser" | "tellusererror" | "tellall" | "tellothers" | "tellopponent"
            | "tellicsnoalias" | "askuser" => Reply::Tell(word.to_string(), text()),
            "stat01:" => Reply::Status(text()),
            comment if comment.starts_with('#') => {
                Reply::Comment(line.trim_start_matches('#').trim().to_string())
            }
            _ => thinking(line).map_or_else(|| Reply::Other(line.to_string()), Reply::Thinking),
        })
    }
}

/// `Illegal move (reason): M`, `Illegal move: M`, `Error (reason): LINE`.
fn complaint(line: &str) -> Option<Reply> {
    let (illegal, rest) = match line.strip_prefix("Illegal move") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("Error")?),
    };
    let rest = rest.trim_start();
    let (reason, rest) = match rest.strip_prefix('(') {
        Some(inner) => inner.split_once("):").or_else(|| inner.split_once(')'))?,
        None => ("", rest),
    };
    let (reason, rest) = (reason.to_string(), rest.trim_start_matches(':').trim().to_string());
    Some(if illegal {
        Reply::IllegalMove { reason, mv: rest }
    } else {
        Reply::Error { reason, line: rest }
    })
}

fn features(text: &str) -> Vec<Feature> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let Some((name, after)) = rest.split_once('=') else {
            break;
        };
        let name = name.trim().to_string();
        let (value, after, is_text) = match after.strip_prefix('"') {
            Some(inner) => {
                let (value, after) = inner.split_once('"').unwrap_or((inner, ""));
                (value, after, true)
            }
            None => {
                let (value, after) = after.split_once(char::is_whitespace).unwrap_or((after, ""));
                (value, after, false)
            }
        };
        out.push(if name == "option" {
            // One that cannot be read must not cost the others.
            OptionDecl::parse_xboard(value)
                .map_or_else(|_| Feature::Text(name, value.to_string()), Feature::Option)
        } else {
            match value.parse() {
                Ok(number) if !is_text => Feature::Number(name, number),
                _ => Feature::Text(name, value.to_string()),
            }
        });
        rest = after.trim_start();
    }
    out
}

/// Four whole numbers, then perhaps three more before a TAB, then the line.
fn thinking(line: &str) -> Option<Thinking> {
    let mut rest = line;
    let mut next = || {
        let (word, after) = split_first(rest);
        let value: i64 = word.trim_end_matches(['.', '&', '+', '-']).parse().ok()?;
        rest = after;
        Some(value)
    };
    let (depth, score) = (next()?, next()?);
    let (time, nodes) = (next()?, next()?);
    let mut extra = None;
    if let Some((numbers, pv)) = rest.split_once('\t') {
        let mut values = numbers.split_whitespace().map(str::parse);
        if let (Some(Ok(a)), Some(Ok(b)), Some(Ok(c))) =
            (values.next(), values.next(), values.next())
        {
            extra = Some([a, b, c]);
            rest = pv;
        }
    }
    let moves = |n: i64| i32::try_from(n).ok();
    let score = match score {
        s if s >= MATE => Score::Mate(moves(s - MATE)?),
        s if s <= -MATE => Score::Mate(moves(s + MATE)?),
        s => Score::Cp(moves(s)?),
    };
    Some(Thinking {
        depth: u32::try_from(depth).ok()?,
        score,
        time: u64::try_from(time).ok()?,
        nodes: u64::try_from(nodes).ok()?,
        extra,
        pv: rest.trim().to_string(),
    })
}

impl fmt::Display for Thinking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = match self.score {
            Score::Cp(cp) => i64::from(cp),
            Score::Mate(moves) if moves > 0 => MATE + i64::from(moves),
            Score::Mate(moves) => -MATE + i64::from(moves),
        };
        write!(f, "{} {score} {} {}", self.depth, self.time, self.nodes)?;
        if let Some([seldepth, nps, hits]) = self.extra {
            write!(f, " {seldepth} {nps} {hits}")?;
        }
        write!(f, "\t{}", self.pv)
    }
}

impl Feature {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Feature::Option(_) => "option",
            Feature::Number(name, _) | Feature::Text(name, _) => name,
        }
    }

    /// Whether it says yes, as a number or as a text.
    pub fn is_on(&self) -> bool {
        match self {
            Feature::Option(_) => false,
            Feature::Number(_, value) => *value == 1,
            Feature::Text(_, value) => value == "1",
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Feature::Option(decl) => write!(f, "option=\"{}\"", decl.xboard()),
            Feature::Number(name, value) => write!(f, "{name}={value}"),
            Feature::Text(name, value) => write!(f, "{name}=\"{value}\""),
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Features(features) => {
                f.write_str("feature")?;
                features.iter().try_for_each(|feature| write!(f, " {feature}"))
            }
            Reply::Move(mv) => write!(f, "move {mv}"),
            Reply::Pong(n) => write!(f, "pong {n}"),
            Reply::Thinking(line) => line.fmt(f),
            Reply::OfferDraw => f.write_str("offer draw"),
            Reply::Resign => f.write_str("resign"),
            Reply::Result { result, reason } => write!(f, "{result} {{{reason}}}"),
            Reply::Hint(mv) => write!(f, "Hint: {mv}"),
            // python-chess reads these two only when no bracket stands within the brackets.
            Reply::IllegalMove { reason, mv } => {
                write!(f, "Illegal move ({}): {mv}", unbracketed(reason))
            }
            Reply::Error { reason, line } => write!(f, "Error ({}): {line}", unbracketed(reason)),
            Reply::PartnerTell(text) => write!(f, "tellics ptell {text}"),
            Reply::TellIcs(text) => write!(f, "tellics {text}"),
            Reply::Tell(word, text) => write!(f, "{word} {text}"),
            Reply::Status(text) => write!(f, "stat01: {text}"),
            Reply::Comment(text) => write!(f, "# {text}"),
            Reply::Other(text) => f.write_str(text),
        }
    }
}

fn unbracketed(text: &str) -> String {
    text.replace('(', "[").replace(')', "]")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_word_round_trips() {
        for line in [
            "feature ping=1 variants=\"normal,crazyhouse\" option=\"Resign -check 0\" done=1",
            "move P@e4",
            "pong 3",
            "9 156 1084 48000\te2e4 e7e5",
            "9 100003 1084 48000 20 750000 0\te2e4",
            "1 -100001 0 12\t",
            "offer draw",
            "resign",
            "1-0 {White mates}",
            "Hint: e2e4",
            "Illegal move (no such piece in hand): N@f3",
            "Error (unknown command 'x'): x",
            "tellics ptell +n",
            "tellics say hi",
            "telluser hello",
            "stat01: 10 20 3 4 30 e2e4",
            "# note",
        ] {
            assert_eq!(Reply::parse(line).expect(line).to_string(), line);
        }
    }

    #[test]
    fn other_engines_lines_are_read() {
        let sjeng = Reply::parse(" 6.    35    12    98231  e4 e5 Nf3").expect("thinking");
        assert!(matches!(sjeng, Reply::Thinking(Thinking { depth: 6, .. })));
        assert_eq!(
            Reply::parse("Illegal move: e2e5").expect("complaint"),
            Reply::IllegalMove { reason: String::new(), mv: "e2e5".into() }
        );
        assert_eq!(Reply::parse("Chess").expect("banner"), Reply::Other("Chess".into()));
        assert_eq!(Reply::parse("My move is: e2e4").expect("a move"), Reply::Move("e2e4".into()));
        let broken = Reply::parse("feature option=\"X -spin banana\" ping=1").expect("features");
        let Reply::Features(all) = broken else { panic!("{broken:?}") };
        assert_eq!(all[1], Feature::Number("ping".into(), 1));
    }

    proptest! {
        #[test]
        fn no_line_panics(
            word in prop::sample::select(vec!["", "feature a=\"", "feature option=\"x -spin 1", "Error (", "9 9 9"]),
            tail in "\\PC{0,60}",
        ) {
            let _ = Reply::parse(&format!("{word} {tail}"));
        }
    }
}
