//! PGN of one board: chess and crazyhouse, drops as `N@f3` and `P@e4`.

use std::fmt;
use std::io::Cursor;
use std::ops::ControlFlow;

use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Visitor};

use super::{printable, wrap};

/// A move with what is written behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// The move in SAN.
    pub san: String,
    /// The comment behind it.
    pub comment: Option<String>,
}

/// A game as its file tells it, not yet replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pgn {
    /// Tags in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The main line.
    pub moves: Vec<PgnMove>,
    /// Whether Black moves first, and the number of the first move; only writing asks.
    pub first: (bool, u32),
    /// A comment before the result.
    pub ending: Option<String>,
    /// The closing token.
    pub result: String,
}

impl Pgn {
    /// The first value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

impl fmt::Display for Pgn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            let value = printable(value, '\0', ' ').replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, "[{name} \"{value}\"]")?;
        }
        writeln!(f)?;
        let (mut black, mut number) = self.first;
        let mut words = Vec::with_capacity(3 * self.moves.len());
        let mut interrupted = true;
        for mv in &self.moves {
            if !black {
                words.push(format!("{number}."));
            } else if interrupted {
                words.push(format!("{number}..."));
            }
            words.push(mv.san.clone());
            interrupted = mv.comment.is_some();
            words.extend(mv.comment.as_ref().map(|c| format!("{{{}}}", printable(c, '}', ')'))));
            number += u32::from(black);
            black = !black;
        }
        words.extend(self.ending.as_ref().map(|e| format!("{{{}}}", printable(e, '}', ')'))));
        words.push(if self.result.is_empty() { "*".to_string() } else { self.result.clone() });
        f.write_str(&wrap(words))
    }
}

/// The games of a text. The reader is forgiving: what is no move is passed over, so whether a game
/// is whole, its replay must tell.
pub fn read(text: &str) -> Vec<Pgn> {
    let mut reader = Reader::new(Cursor::new(text.as_bytes()));
    let games: Vec<Pgn> = reader.read_games(&mut Collector).map_while(Result::ok).collect();
    games
}

/// The line on which each game's tags begin, counted from 1.
pub fn first_lines(text: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut in_tags = false;
    for (index, line) in text.lines().enumerate() {
        let tag = line.trim_start().starts_with('[');
        if tag && !in_tags {
            lines.push(index + 1);
        }
        in_tags = tag || (in_tags && line.trim().is_empty());
    }
    lines
}

struct Collector;

impl Visitor for Collector {
    type Tags = Pgn;
    type Movetext = Pgn;
    type Output = Pgn;

    fn begin_tags(&mut self) -> ControlFlow<Pgn, Pgn> {
        ControlFlow::Continue(Pgn::default())
    }

    fn tag(&mut self, game: &mut Pgn, name: &[u8], value: RawTag<'_>) -> ControlFlow<Pgn> {
        let name = String::from_utf8_lossy(name).into_owned();
        game.tags.push((name, value.decode_utf8_lossy().into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: Pgn) -> ControlFlow<Pgn, Pgn> {
        ControlFlow::Continue(game)
    }

    fn san(&mut self, game: &mut Pgn, san: SanPlus) -> ControlFlow<Pgn> {
        let mut san = san.to_string();
        if san.starts_with('@') {
            san.insert(0, 'P');
        }
        game.moves.push(PgnMove { san, comment: None });
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Pgn, comment: RawComment<'_>) -> ControlFlow<Pgn> {
        let text = String::from_utf8_lossy(comment.as_bytes()).trim().to_string();
        if let Some(mv) = game.moves.last_mut() {
            mv.comment.get_or_insert(text);
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Pgn, outcome: pgn_reader::Outcome) -> ControlFlow<Pgn> {
        game.result = outcome.to_string();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Pgn) -> Pgn {
        game
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_and_comments_survive() {
        let mv = |san: &str, comment: Option<&str>| PgnMove {
            san: san.to_string(),
            comment: comment.map(str::to_string),
        };
        let game = Pgn {
            tags: vec![("White".into(), "a \"q\"".into()), ("Result".into(), "1-0".into())],
            moves: vec![
                mv("e5", None),
                mv("N@f3", Some("+0.35/9 0.1s")),
                mv("P@e4+", None),
                mv("O-O", None),
            ],
            first: (true, 1),
            ending: Some("mate".into()),
            result: "1-0".into(),
        };
        let text = game.to_string();
        assert!(
            text.contains("1... e5 2. N@f3 {+0.35/9 0.1s} 2... P@e4+ 3. O-O {mate} 1-0"),
            "{text}"
        );
        let back = &read(&text)[0];
        assert_eq!(back.moves.len(), 4);
        assert_eq!(back.moves[1], game.moves[1]);
        assert_eq!((back.moves[2].san.as_str(), back.result.as_str()), ("P@e4+", "1-0"));
        assert_eq!(back.tag("white"), Some("a \"q\""));
        assert!(read("").is_empty());
    }
}
