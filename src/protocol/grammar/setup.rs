//! `position` as UCI and UBI share it: one or two boards, clocks and moves, still as text.

use std::fmt;

use super::words::{Clocks, WordError, Words, clock_words, join};

/// Where one board starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The array of the variant.
    Startpos,
    /// A FEN, with or without hands.
    Fen(String),
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Start::Startpos => f.write_str("startpos"),
            Start::Fen(fen) => f.write_str(fen),
        }
    }
}

/// A whole `position` message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The board, or board A.
    pub first: Start,
    /// Board B, when both boards are told.
    pub second: Option<Start>,
    /// The clocks, where any are told.
    pub clocks: Option<Clocks>,
    /// Moves from there on. With two boards each begins with the board's number (`1e2e4`, `2N@f3`).
    pub moves: Vec<String>,
}

impl Setup {
    /// Reads what follows the word `position`.
    pub fn parse(rest: &str) -> Result<Setup, WordError> {
        // Hivemind writes the bar without blanks; it occurs in no FEN and no move.
        let spaced = rest.replace('|', " | ");
        let mut words = Words::new(&spaced);
        let first = start(&mut words)?;
        let second = if words.peek() == Some("|") {
            words.next();
            Some(start(&mut words)?)
        } else {
            None
        };
        let mut clocks = None;
        let mut moves = Vec::new();
        while let Some(word) = words.next() {
            match word {
                "clock" => clocks = Some(words.clocks()?),
                "moves" => moves = words.by_ref().map(String::from).collect(),
                "|" => return Err(super::words::bad("position", word, "two boards at most")),
                other => return Err(WordError::Unknown(super::words::quoted(other))),
            }
        }
        Ok(Setup { first, second, clocks, moves })
    }

    /// How many of this message's moves another told already, where this one only adds moves to it.
    pub fn goes_on(&self, told: &Setup) -> Option<usize> {
        let same = self.first == told.first && self.second == told.second;
        let bare = self.clocks.is_none() && self.moves.starts_with(&told.moves);
        (same && bare).then_some(told.moves.len())
    }

    /// The form of UCI: `fen` before a FEN.
    pub fn uci(&self) -> String {
        let fen = |start: &Start| match start {
            Start::Startpos => "startpos".to_string(),
            Start::Fen(fen) => format!("fen {fen}"),
        };
        let mut out = format!("position {}", fen(&self.first));
        self.tail(&mut out, "moves");
        out
    }

    /// The form of UBI: a FEN stands bare.
    pub fn ubi(&self) -> String {
        let mut out = format!("position {}", self.first);
        self.tail(&mut out, "moves");
        out
    }

    fn tail(&self, out: &mut String, moves: &str) {
        if let Some(second) = &self.second {
            out.push_str(&format!(" | {second}"));
        }
        if let Some(clocks) = &self.clocks {
            out.push_str(&format!(" clock {}", clock_words(clocks)));
        }
        if !self.moves.is_empty() {
            for word in std::iter::once(moves).chain(self.moves.iter().map(String::as_str)) {
                out.push(' ');
                out.push_str(word);
            }
        }
    }
}

fn start(words: &mut Words<'_>) -> Result<Start, WordError> {
    match words.peek() {
        Some("startpos") => {
            words.next();
            return Ok(Start::Startpos);
        }
        Some("fen" | "bfen") => {
            words.next();
        }
        _ => {}
    }
    let mut fen = Vec::new();
    while let Some(word) = words.peek() {
        if matches!(word, "moves" | "clock" | "|") {
            break;
        }
        fen.push(word);
        words.next();
    }
    if fen.is_empty() {
        return Err(WordError::Missing("position", "startpos or a FEN"));
    }
    Ok(Start::Fen(join(fen)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_game_goes_on() {
        let read = |text: &str| Setup::parse(text).expect("a position");
        let told = read("startpos moves e2e4 e7e5");
        assert_eq!(read("startpos moves e2e4 e7e5 g1f3").goes_on(&told), Some(2));
        assert_eq!(told.goes_on(&told), Some(2));
        for other in ["startpos moves e2e4", "startpos moves e2e4 e7e6 g1f3", "startpos | startpos"]
        {
            assert_eq!(read(other).goes_on(&told), None, "{other}");
        }
        let fen = "fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1 moves e1e2";
        assert_eq!(read(fen).goes_on(&told), None);
    }

    #[test]
    fn one_board() {
        let setup = Setup::parse("startpos moves e2e4 P@e5").expect("a position");
        assert_eq!(setup.first, Start::Startpos);
        assert_eq!(setup.moves, ["e2e4", "P@e5"]);
        assert_eq!(setup.uci(), "position startpos moves e2e4 P@e5");
        let empty = Setup::parse("fen 8/8/8/8/8/8/8/8[] w - - 0 1 moves").expect("no moves");
        assert!(empty.moves.is_empty());
    }

    #[test]
    fn two_boards_in_every_dialect() {
        let text = "position fen 4k3/8 w - - 0 1 | startpos clock 1 2 3 -4 moves 1e2e4 2N@f3";
        let setup = Setup::parse(&text["position ".len()..]).expect("two boards");
        assert_eq!(setup.clocks, Some([1, 2, 3, -4].map(Some)));
        assert_eq!(setup.second, Some(Start::Startpos));
        assert_eq!(setup.uci(), text);
        let own = "position startpos | startpos clock - - 3 4";
        let setup = Setup::parse(&own["position ".len()..]).expect("one board's clocks");
        assert_eq!(setup.clocks, Some([None, None, Some(3), Some(4)]));
        assert_eq!(setup.uci(), own);
        let hivemind = Setup::parse("fen 4k3/8 w - - 0 1|4k3/8 b - - 0 1 moves 1e2e4").expect("it");
        assert_eq!(hivemind.second, Some(Start::Fen("4k3/8 b - - 0 1".into())));
        let ubi = Setup::parse("startpos | 4k3/8 b - - 0 1 clock 1 2 3 4").expect("UBI");
        assert_eq!(ubi.ubi(), "position startpos | 4k3/8 b - - 0 1 clock 1 2 3 4");
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |text: &str| Setup::parse(text).expect_err("an error").to_string();
        assert_eq!(error(""), "position without startpos or a FEN");
        assert_eq!(error("startpos |"), "position without startpos or a FEN");
        assert_eq!(error("startpos clock 1 2"), "clock without four numbers of milliseconds");
        assert_eq!(error("startpos a b"), "unknown command 'a'");
    }
}
