//! What an engine says to a GUI in UCI.

use std::fmt;

use vampirc_uci::{Serializable, UciMessage};

use crate::protocol::grammar::decl::OptionDecl;
use crate::protocol::grammar::info::Info;
use crate::protocol::grammar::words::{WordError, Words, split_first};

/// A message from the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `id name …`
    Name(String),
    /// `id author …`
    Author(String),
    /// `option …`
    Option(OptionDecl),
    /// `uciok`
    UciOk,
    /// `readyok`
    ReadyOk,
    /// `info …`
    Info(Box<Info>),
    /// `bestmove …`
    BestMove {
        /// The move; none for `(none)`, `0000` and the like.
        best: Option<String>,
        /// The reply the engine expects.
        ponder: Option<String>,
    },
    /// `ptell TEXT`: words for the partner.
    PartnerTell(String),
    /// Any other line: engines print banners, and `copyprotection` asks nothing of anyone.
    Other(String),
}

impl Reply {
    /// Reads a line. Only a known word with a value that is none is an error.
    pub fn parse(line: &str) -> Result<Reply, WordError> {
        let (word, rest) = split_first(line);
        Ok(match word {
            "id" => match split_first(rest) {
                ("name", name) => Reply::Name(name.to_string()),
                ("author", author) => Reply::Author(author.to_string()),
                _ => Reply::Other(line.trim().to_string()),
            },
            "option" => Reply::Option(OptionDecl::parse_uci(rest)?),
            "uciok" => Reply::UciOk,
            "readyok" => Reply::ReadyOk,
            "info" => Reply::Info(Box::new(Info::parse(rest)?)),
            "bestmove" => {
                let mut words = Words::new(rest);
                let best = words.next().and_then(real_move);
                let ponder = match words.next() {
                    Some("ponder") => words.next().and_then(real_move),
                    _ => None,
                };
                Reply::BestMove { best, ponder }
            }
            "ptell" => Reply::PartnerTell(rest.to_string()),
            _ => Reply::Other(line.trim().to_string()),
        })
    }
}

/// The ways engines say that they have no move.
pub(crate) fn real_move(text: &str) -> Option<String> {
    let none = matches!(text, "(none)" | "0000" | "none" | "NULL" | "null" | "pass" | "a1a1");
    (!none).then(|| text.to_string())
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = |name, author| UciMessage::Id { name, author }.serialize();
        match self {
            Reply::Name(name) => f.write_str(&id(Some(name.clone()), None)),
            Reply::Author(author) => f.write_str(&id(None, Some(author.clone()))),
            Reply::Option(decl) => f.write_str(&decl.uci()),
            Reply::UciOk => f.write_str(&UciMessage::UciOk.serialize()),
            Reply::ReadyOk => f.write_str(&UciMessage::ReadyOk.serialize()),
            Reply::Info(info) => info.fmt(f),
            Reply::BestMove { best, ponder } => {
                write!(f, "bestmove {}", best.as_deref().unwrap_or("(none)"))?;
                ponder.as_ref().map_or(Ok(()), |mv| write!(f, " ponder {mv}"))
            }
            Reply::PartnerTell(text) => write!(f, "ptell {text}"),
            Reply::Other(text) => f.write_str(text),
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
            "id name Klotz 0.1",
            "id author the Klotz authors",
            "option name Hash type spin default 16 min 1 max 65536",
            "uciok",
            "readyok",
            "info depth 3 score mate 2 nodes 10 pv e2e4",
            "info string hello there",
            "bestmove e2e4 ponder P@e5",
            "bestmove (none)",
            "ptell +n",
            "copyprotection ok",
        ] {
            assert_eq!(Reply::parse(line).expect(line).to_string(), line);
        }
    }

    #[test]
    fn every_way_to_have_no_move() {
        for none in ["(none)", "0000", "NULL"] {
            let reply = Reply::parse(&format!("bestmove {none} ponder (none)")).expect("reply");
            assert_eq!(reply, Reply::BestMove { best: None, ponder: None });
        }
    }

    proptest! {
        #[test]
        fn no_line_panics(
            word in prop::sample::select(vec!["", "id", "option name x type", "info", "bestmove"]),
            tail in "\\PC{0,80}",
        ) {
            let _ = Reply::parse(&format!("{word} {tail}"));
        }
    }
}
