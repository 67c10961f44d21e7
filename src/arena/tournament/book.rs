//! Openings: positions from lists, or from the first moves of games.

use std::path::Path;

use super::config::Openings;
use crate::arena::play::Play;
use crate::record::{bpgn, check, epd, pgn};
use crate::rules::{Rules, Variant};

/// A start position, of one board or of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Board A, or the only one.
    pub first: String,
    /// Board B, where the line tells both.
    pub second: Option<String>,
}

/// A loaded list of openings.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// The openings in the order they are played.
    pub openings: Vec<Opening>,
    /// Checksum of the file.
    pub checksum: u32,
}

impl Book {
    /// Reads and checks a file; a fault is named with its line.
    pub fn load(source: &Openings, rules: Rules, seed: u64) -> Result<Book, String> {
        let path = &source.file;
        let name = path.display();
        let bytes = std::fs::read(path).map_err(|e| format!("openings {name}: {e}"))?;
        let text = String::from_utf8_lossy(&bytes);
        let format = match &source.format {
            Some(format) => format.as_str(),
            None => by_extension(path),
        };
        let fault = |e: &dyn std::fmt::Display| format!("openings {name}, {e}");
        let mut openings = match format {
            "bpgn" if !is_double(rules) => {
                return Err(format!("openings {name}: two boards are for bughouse only"));
            }
            "bpgn" => from_bpgn(&text, source.plies).map_err(|e| fault(&e))?,
            "pgn" => from_pgn(&text, rules, source.plies).map_err(|e| fault(&e))?,
            _ => from_epd(&text, rules).map_err(|e| fault(&e))?,
        };
        if openings.is_empty() {
            return Err(format!("openings {name}: no position in it"));
        }
        if source.random {
            fastrand::Rng::with_seed(seed).shuffle(&mut openings);
        }
        let (start, count) = (source.start.max(1), openings.len());
        if start > count {
            return Err(format!("openings {name}: start={start}, but it has only {count}"));
        }
        openings.rotate_left(start - 1);
        Ok(Book { openings, checksum: crc32fast::hash(&bytes) })
    }

    /// The opening of a block. Two boards get two different ones, since with the same one on both
    /// a swap of the teams would repeat the game.
    pub fn block(&self, block: usize, double: bool) -> Option<(String, Option<String>)> {
        let count = self.openings.len();
        if count == 0 {
            return None;
        }
        let line = &self.openings[block % count];
        if !double || line.second.is_some() {
            return Some((line.first.clone(), line.second.clone()));
        }
        let (p, q) = (&self.openings[2 * block % count], &self.openings[(2 * block + 1) % count]);
        Some((p.first.clone(), Some(q.first.clone())))
    }
}

fn by_extension(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()) {
        Some("pgn") => "pgn",
        Some("bpgn") => "bpgn",
        _ => "epd",
    }
}

fn from_epd(text: &str, rules: Rules) -> Result<Vec<Opening>, String> {
    let lines = epd::read(text).map_err(|e| e.to_string())?;
    let mut openings = Vec::with_capacity(lines.len());
    for line in lines {
        let opening = (line.first, line.second);
        let play =
            Play::new(rules, Some(&opening)).map_err(|e| format!("line {}: {e}", line.line))?;
        if play.ending().is_some() {
            return Err(format!("line {}: the game is over there", line.line));
        }
        openings.push(Opening { first: opening.0, second: opening.1 });
    }
    Ok(openings)
}

fn from_pgn(text: &str, rules: Rules, plies: Option<usize>) -> Result<Vec<Opening>, String> {
    let mut openings = Vec::new();
    for (i, game) in pgn::read(text).into_iter().enumerate() {
        let fault = |e: String| format!("game {}: {e}", i + 1);
        let start = game.tag("FEN").map(|fen| (fen.to_string(), None));
        let mut play = Play::new(rules, start.as_ref()).map_err(fault)?;
        if play.is_double() {
            return Err("games of one board cannot open two; use epd or bpgn".to_string());
        }
        for mv in game.moves.iter().take(plies.unwrap_or(usize::MAX)) {
            let seat = play.seats().iter().copied().find(|seat| play.to_move(*seat));
            let Some(seat) = seat else { break };
            play.play(seat, &mv.san).map_err(|e| fault(e.to_string()))?;
        }
        if play.ending().is_none() {
            openings.push(Opening { first: play.fen(), second: None });
        }
    }
    Ok(openings)
}

fn from_bpgn(text: &str, plies: Option<usize>) -> Result<Vec<Opening>, String> {
    let mut openings = Vec::new();
    for game in bpgn::read(text) {
        let mut game = game.map_err(|e| e.to_string())?;
        game.moves.truncate(plies.unwrap_or(usize::MAX));
        // How it ended is of no account for its first moves.
        game.ending = None;
        (game.result, game.broken_off) = ("*".to_string(), 0);
        let kept = |name: &str| ["FEN", "Rules"].iter().any(|k| k.eq_ignore_ascii_case(name));
        game.tags.retain(|(name, _)| kept(name));
        let replay = check::bpgn(&game).map_err(|e| e.to_string())?;
        if replay.table.result().is_none() {
            let fen = replay.table.boards().fen();
            let (a, b) = fen.split_once('|').unwrap_or((&fen, &fen));
            openings.push(Opening { first: a.trim().into(), second: Some(b.trim().into()) });
        }
    }
    Ok(openings)
}

/// Whether a rule set plays on two boards.
pub fn is_double(rules: Rules) -> bool {
    rules.variant == Variant::Bughouse
}

/// What a rule set plays.
pub fn variant_name(rules: Rules) -> &'static str {
    match rules.variant {
        Variant::Chess => "chess",
        Variant::Crazyhouse => "crazyhouse",
        Variant::Bughouse => "bughouse",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";
    const B: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR[] w KQkq - 0 2";

    #[test]
    fn lists_are_checked_line_by_line() {
        assert_eq!(from_epd(&format!("{A}\n\n{B};\n"), Rules::CRAZYHOUSE).unwrap().len(), 2);
        let error =
            from_epd(&format!("{A}\nk7/8/8/8/8/8/8/8 w - -\n"), Rules::CRAZYHOUSE).unwrap_err();
        assert!(error.starts_with("line 2: "), "{error}");
        let error = from_epd(&format!("{A} | {B}\n"), Rules::CRAZYHOUSE).unwrap_err();
        assert!(error.contains("two boards"), "{error}");
    }

    #[test]
    fn two_boards_open_differently() {
        let one = |fen: &str| Opening { first: fen.to_string(), second: None };
        let book = Book { openings: vec![one("p"), one("q"), one("r")], checksum: 0 };
        assert_eq!(book.block(1, true), Some(("r".into(), Some("p".into()))));
        assert_eq!(book.block(1, false), Some(("q".into(), None)));
        assert_eq!(Book::default().block(0, true), None);
    }

    #[test]
    fn games_are_cut_at_a_ply() {
        let games = "[White \"a\"]\n\n1. e4 e5 2. Nf3 *\n";
        let openings = from_pgn(games, Rules::CRAZYHOUSE, Some(2)).unwrap();
        assert_eq!(openings[0].first, B);
        assert!(from_pgn("1. e5 *", Rules::CRAZYHOUSE, None).unwrap_err().starts_with("game 1"));
        let both = from_bpgn("[WhiteA \"a\"]\n\n1A. e4 1B. d4 1a. e5 *\n", Some(2)).unwrap();
        assert!(both[0].second.as_ref().unwrap().contains("3P4"));
    }
}
