//! What an engine tells about its search, as `info` lines of UCI and UBI carry it.

use std::fmt;

use super::words::{WordError, Words, bad, join, number};
use crate::types::{BoardId, Score};

/// Whether a score is what it says, or only a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bound {
    /// The score is exact.
    #[default]
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// One `info` line.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Info {
    /// UBI: the board that is searched.
    pub board: Option<BoardId>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// The deepest ply reached.
    pub seldepth: Option<u32>,
    /// The rank of this line.
    pub multipv: Option<u32>,
    /// The score, from the mover's view.
    pub score: Option<Score>,
    /// What the score bounds.
    pub bound: Bound,
    /// Win, draw and loss in permille.
    pub wdl: Option<[u32; 3]>,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// Positions a second.
    pub nps: Option<u64>,
    /// Permille of the table that is used.
    pub hashfull: Option<u32>,
    /// Tablebase hits.
    pub tbhits: Option<u64>,
    /// Milliseconds since the search began.
    pub time: Option<u64>,
    /// The root move being searched.
    pub currmove: Option<String>,
    /// Its number, from 1.
    pub currmovenumber: Option<u32>,
    /// UBI: what the engine's own hand is worth.
    pub reserve_value: Option<i32>,
    /// UBI: what the partner's hand is worth.
    pub partner_reserve_value: Option<i32>,
    /// The best line.
    pub pv: Vec<String>,
    /// Free text.
    pub string: Option<String>,
}

impl Info {
    /// A line of free text.
    pub fn text(text: impl Into<String>) -> Info {
        Info { string: Some(text.into()), ..Info::default() }
    }

    /// A line that says that the player of a board waits and why, for so many milliseconds at the
    /// most where that is known: `info string sit 1500 board A: a knight would mate`.
    pub fn waits(most: Option<u128>, place: &str, why: &str) -> Info {
        let most = most.map(|ms| format!(" {ms}")).unwrap_or_default();
        Info::text(format!("sit{most}{place}: {why}"))
    }

    /// Whether the line says that its player waits, and for how many milliseconds at the most if it
    /// tells: the number behind `sit`, or one behind `most` somewhere in the line.
    pub fn wait(&self) -> Option<Option<u64>> {
        let mut words = Words::new(self.string.as_deref()?);
        if words.next()?.trim_end_matches(':') != "sit" {
            return None;
        }
        let number = |word: &str| word.trim_end_matches(':').parse().ok();
        Some(words.peek().and_then(number).or_else(|| {
            words.find(|word| *word == "most");
            words.next().and_then(number)
        }))
    }

    /// Reads what follows the word `info`. Keys that are not known are passed over, as foreign
    /// engines have many; a known key with a value that is none is an error.
    pub fn parse(rest: &str) -> Result<Info, WordError> {
        const COUNT: &str = "a number";
        let mut info = Info::default();
        let mut words = Words::new(rest);
        while let Some(key) = words.next() {
            match key {
                "board" => {
                    let name = words.need("info", "board A or B")?;
                    info.board = Some(board(name)?);
                }
                "depth" => info.depth = Some(words.number("depth", COUNT)?),
                "seldepth" => info.seldepth = Some(words.number("seldepth", COUNT)?),
                "multipv" => info.multipv = Some(words.number("multipv", COUNT)?),
                "nodes" => info.nodes = Some(words.number("nodes", COUNT)?),
                "nps" => info.nps = Some(words.number("nps", COUNT)?),
                "hashfull" => info.hashfull = Some(words.number("hashfull", COUNT)?),
                "tbhits" => info.tbhits = Some(words.number("tbhits", COUNT)?),
                "time" => info.time = Some(words.number("time", COUNT)?),
                "currmove" => info.currmove = words.next().map(String::from),
                "currmovenumber" => {
                    info.currmovenumber = Some(words.number("currmovenumber", COUNT)?);
                }
                "reserve_value" => info.reserve_value = Some(signed(&mut words)?),
                "partner_reserve_value" => info.partner_reserve_value = Some(signed(&mut words)?),
                "score" => {
                    let kind = words.need("score", "cp or mate")?;
                    let value = signed(&mut words)?;
                    info.score = Some(match kind {
                        "cp" => Score::Cp(value),
                        "mate" => Score::Mate(value),
                        other => return Err(bad("score", other, "cp or mate")),
                    });
                }
                "lowerbound" => info.bound = Bound::Lower,
                "upperbound" => info.bound = Bound::Upper,
                "wdl" => {
                    let mut wdl = [0; 3];
                    for part in &mut wdl {
                        *part = words.number("wdl", COUNT)?;
                    }
                    info.wdl = Some(wdl);
                }
                "pv" => {
                    while let Some(mv) = words.peek() {
                        if is_key(mv) {
                            break;
                        }
                        info.pv.push(mv.to_string());
                        words.next();
                    }
                }
                "string" => {
                    info.string = Some(join(words.by_ref()));
                }
                _ => {}
            }
        }
        Ok(info)
    }
}

fn signed(words: &mut Words<'_>) -> Result<i32, WordError> {
    let text = words.need("score", "a number")?;
    number("score", text.strip_prefix('+').unwrap_or(text), "a number")
}

fn is_key(word: &str) -> bool {
    const KEYS: [&str; 12] = [
        "depth",
        "seldepth",
        "multipv",
        "score",
        "wdl",
        "nodes",
        "nps",
        "hashfull",
        "tbhits",
        "time",
        "reserve_value",
        "partner_reserve_value",
    ];
    KEYS.contains(&word) || word == "string"
}

/// Reads `A` or `B`.
pub(crate) fn board(name: &str) -> Result<BoardId, WordError> {
    match name {
        "A" | "a" => Ok(BoardId::A),
        "B" | "b" => Ok(BoardId::B),
        other => Err(bad("board", other, "A or B")),
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn put<T: fmt::Display>(
            f: &mut fmt::Formatter<'_>,
            key: &str,
            value: &Option<T>,
        ) -> fmt::Result {
            value.as_ref().map_or(Ok(()), |value| write!(f, " {key} {value}"))
        }
        f.write_str("info")?;
        put(f, "board", &self.board)?;
        put(f, "depth", &self.depth)?;
        put(f, "seldepth", &self.seldepth)?;
        put(f, "multipv", &self.multipv)?;
        put(f, "score", &self.score)?;
        match self.bound {
            Bound::Exact => {}
            Bound::Lower => f.write_str(" lowerbound")?,
            Bound::Upper => f.write_str(" upperbound")?,
        }
        if let Some([win, draw, loss]) = self.wdl {
            write!(f, " wdl {win} {draw} {loss}")?;
        }
        put(f, "nodes", &self.nodes)?;
        put(f, "nps", &self.nps)?;
        put(f, "hashfull", &self.hashfull)?;
        put(f, "tbhits", &self.tbhits)?;
        put(f, "time", &self.time)?;
        put(f, "currmove", &self.currmove)?;
        put(f, "currmovenumber", &self.currmovenumber)?;
        put(f, "reserve_value", &self.reserve_value)?;
        put(f, "partner_reserve_value", &self.partner_reserve_value)?;
        if !self.pv.is_empty() {
            write!(f, " pv {}", self.pv.join(" "))?;
        }
        put(f, "string", &self.string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_line_round_trips() {
        let line = "info depth 12 seldepth 20 multipv 2 score cp -31 lowerbound wdl 400 300 300 \
                    nodes 123456 nps 750000 hashfull 12 tbhits 0 time 164 pv e2e4 P@e5";
        let info = Info::parse(&line[5..]).expect("an info line");
        assert_eq!(info.to_string(), line);
        assert_eq!(info.score, Some(Score::Cp(-31)));
        let ubi = "info board B depth 3 score mate -2 reserve_value 300 pv n@e5 f6e4";
        assert_eq!(Info::parse(&ubi[5..]).expect("UBI").to_string(), ubi);
    }

    #[test]
    fn who_waits_may_say_for_how_long() {
        let wait = |text: &str| Info::parse(&format!("string {text}")).expect(text).wait();
        assert_eq!(wait("sit 1500 board A: a knight would mate"), Some(Some(1500)));
        assert_eq!(wait("sit 20: a knight would mate"), Some(Some(20)));
        assert_eq!(wait("sit: time works for us, on board B, at most 250 ms"), Some(Some(250)));
        assert_eq!(wait("sit: no move on board A until a piece comes"), Some(None));
        assert_eq!(wait("sitting ducks"), None);
        assert_eq!(Info::default().wait(), None);
        let line = Info::waits(Some(1500), " board A", "a knight would mate");
        assert_eq!(line.to_string(), "info string sit 1500 board A: a knight would mate");
    }

    #[test]
    fn foreign_keys_are_passed_over() {
        let info =
            Info::parse("cpuload 500 depth 3 refutation e2e4 string Hello  there").expect("");
        assert_eq!(info.depth, Some(3));
        assert_eq!(info.string.as_deref(), Some("Hello there"));
        assert!(Info::parse("depth x").is_err());
        assert!(Info::parse("score").is_err());
    }
}
