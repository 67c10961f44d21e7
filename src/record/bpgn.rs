//! The bughouse game notation as text: tags, moves of both boards in the order of play, clocks.
//!
//! Real files disagree in many things, so the reader takes several dialects: clocks in bare braces
//! (`{179.2}`), in `{[%clk 0:02:59.2]}` and as time since the start (`{[ts=0.8]}`), several tags on
//! a line, moves attached to their number or not, clocks that run backwards, unfinished games.

use std::fmt;

use super::{RecordError, printable, wrap};
use crate::types::{Seat, Team};

/// A time beside a move, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// What is left on the mover's clock after the move.
    Remaining(i64),
    /// The time since the start of the match.
    Elapsed(i64),
}

/// A move as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// The line it stands on, counted from 1; 0 in a game not read from a file.
    pub line: usize,
    /// Whose move.
    pub seat: Seat,
    /// The board's move number.
    pub number: u32,
    /// The move in SAN.
    pub san: String,
    /// The time beside it.
    pub stamp: Option<Stamp>,
}

/// A game as its file tells it, not yet replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bpgn {
    /// The line of the first tag or move.
    pub line: usize,
    /// Tags in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The line of each tag; empty in a game not read from a file.
    pub tag_lines: Vec<usize>,
    /// Moves of both boards in the order of play.
    pub moves: Vec<RecordedMove>,
    /// Comments, each with the number of moves before it.
    pub comments: Vec<(usize, String)>,
    /// The comment that tells the end, such as `BlackB checkmated`.
    pub ending: Option<String>,
    /// The line the ending stands on.
    pub ending_line: usize,
    /// The closing token: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// The last line of a game that breaks off without a closing token; else 0.
    pub broken_off: usize,
}

/// How a record says the match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// This seat lost, in this way.
    Lost(Seat, LossKind),
    /// A draw.
    Draw,
    /// Unfinished, or nothing that says who won.
    Unknown,
}

/// Ways to lose a match that BPGN files tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// Mated.
    Checkmated,
    /// Out of time.
    Flag,
    /// Resigned.
    Resigned,
    /// Left the table or was removed.
    Other,
}

impl Bpgn {
    /// The first value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// The line of a tag, as far as it is known.
    pub fn tag_line(&self, name: &str) -> usize {
        let at = self.tags.iter().position(|(n, _)| n.eq_ignore_ascii_case(name));
        at.and_then(|at| self.tag_lines.get(at)).copied().unwrap_or(self.line)
    }

    /// Sets a tag in place, or appends it.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.tags.iter_mut().find(|(n, _)| n == name) {
            Some(tag) => tag.1 = value,
            None => self.tags.push((name.to_string(), value)),
        }
    }

    /// The seat of a player's name, or of a seat's own name.
    pub fn seat_of(&self, name: &str) -> Option<Seat> {
        let seated =
            |seat: &Seat| self.tag(seat.name()).is_some_and(|n| n.eq_ignore_ascii_case(name));
        name.parse().ok().or_else(|| Seat::ALL.into_iter().find(seated))
    }

    /// How the match ended, from the ending's words and the seats. The result token is only asked
    /// when they say nothing: files of real servers disagree about whose view it takes.
    pub fn claim(&self) -> Claim {
        let said = self.ending.as_deref().and_then(|ending| {
            let lower = ending.to_ascii_lowercase();
            if lower.contains("drawn") || lower.contains("draw ") || lower == "draw" {
                return Some(Claim::Draw);
            }
            let (at, kind) =
                ENDINGS.iter().find_map(|(words, kind)| Some((lower.find(words)?, *kind)))?;
            let name = ending.get(..at)?.trim();
            self.seat_of(name).map(|seat| Claim::Lost(seat, kind))
        });
        said.unwrap_or(if self.result == "1/2-1/2" { Claim::Draw } else { Claim::Unknown })
    }

    /// The team that won, if any did: by the words of the ending, else by the tags this project
    /// writes, else by the result token, told from the view of WhiteA and BlackB.
    pub fn winner(&self) -> Option<Team> {
        match self.claim() {
            Claim::Lost(seat, _) => return Some(seat.team().other()),
            Claim::Draw => return None,
            Claim::Unknown => {}
        }
        if let Some(seat) = self.tag("LosingSeat").and_then(|s| s.parse::<Seat>().ok()) {
            return Some(seat.team().other());
        }
        match self.result.as_str() {
            "1-0" => Some(Team::One),
            "0-1" => Some(Team::Two),
            _ => None,
        }
    }
}

const ENDINGS: [(&str, LossKind); 7] = [
    ("checkmated", LossKind::Checkmated),
    ("is mated", LossKind::Checkmated),
    ("forfeits on time", LossKind::Flag),
    ("forfeits by", LossKind::Other),
    ("resigns", LossKind::Resigned),
    ("resigned", LossKind::Resigned),
    ("left the table", LossKind::Other),
];

impl fmt::Display for Bpgn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            let value = printable(value, '\0', ' ').replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, "[{name} \"{value}\"]")?;
        }
        writeln!(f)?;
        let mut words = Vec::with_capacity(2 * self.moves.len() + 4);
        let mut comments = self.comments.iter().peekable();
        for at in 0..=self.moves.len() {
            while let Some((_, text)) = comments.next_if(|(after, _)| *after <= at) {
                words.push(format!("{{C:{}}}", printable(text, '}', ')')));
            }
            if let Some(mv) = self.moves.get(at) {
                words.push(format!("{}{}.", mv.number, board_letter(mv.seat)));
                words.push(match mv.stamp {
                    None => mv.san.clone(),
                    Some(Stamp::Remaining(us)) => format!("{}{{{}}}", mv.san, Seconds(us)),
                    Some(Stamp::Elapsed(us)) => format!("{}{{[ts={}]}}", mv.san, Seconds(us)),
                });
            }
        }
        if let Some(ending) = &self.ending {
            words.push(format!("{{{}}}", printable(ending, '}', ')')));
        }
        words.push(if self.result.is_empty() { "*".to_string() } else { self.result.clone() });
        f.write_str(&wrap(words))
    }
}

/// Microseconds as seconds with milliseconds, rounded down as clocks show them.
struct Seconds(i64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.div_euclid(1000);
        let sign = if ms < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:03}", ms.abs() / 1000, ms.abs() % 1000)
    }
}

const fn board_letter(seat: Seat) -> char {
    match seat {
        Seat::WhiteA => 'A',
        Seat::BlackA => 'a',
        Seat::WhiteB => 'B',
        Seat::BlackB => 'b',
    }
}

/// The games of a text. A game that cannot be read is an error in its place, and reading goes on
/// at the next line that starts with a tag.
pub fn read(text: &str) -> Reader<'_> {
    Reader { text, at: 0, line: 1 }
}

/// Iterator over the games of a text.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl Iterator for Reader<'_> {
    type Item = Result<Bpgn, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.game() {
            Ok(game) => game.map(Ok),
            Err(error) => {
                self.skip_to_tags();
                Some(Err(error))
            }
        }
    }
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        self.line += taken.matches('\n').count();
        self.at += bytes;
        taken
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        let blanks = |c: char| c.is_whitespace() || c == '\u{feff}';
        self.advance(rest.len() - rest.trim_start_matches(blanks).len());
    }

    fn at_line_start(&self) -> bool {
        self.text[..self.at].chars().next_back().is_none_or(|c| c == '\n')
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.advance(rest.find('\n').map_or(rest.len(), |end| end + 1));
    }

    fn skip_to_tags(&mut self) {
        loop {
            self.skip_line();
            if self.rest().is_empty() || self.rest().starts_with('[') {
                return;
            }
        }
    }

    /// What stands between an opening character and its closing one.
    fn enclosed(&mut self, close: char, what: &str) -> Result<&'a str, RecordError> {
        let line = self.line;
        match self.rest()[1..].find(close) {
            Some(end) => Ok(&self.advance(end + 2)[1..=end]),
            None => Err(RecordError::new(line, format!("{what} without its closing '{close}'"))),
        }
    }

    fn game(&mut self) -> Result<Option<Bpgn>, RecordError> {
        let mut game = Bpgn::default();
        let mut pending: Option<(Seat, u32)> = None;
        let mut last;
        loop {
            last = self.line;
            self.skip_blanks();
            let line = self.line;
            let Some(first) = self.peek() else { break };
            if game.line == 0 {
                game.line = line;
            }
            match first {
                '%' if self.at_line_start() => self.skip_line(),
                ';' => self.skip_line(),
                '[' => {
                    if !game.moves.is_empty() {
                        break;
                    }
                    let tag = self.tag()?;
                    game.tags.push(tag);
                    game.tag_lines.push(line);
                }
                '{' => {
                    let text = self.enclosed('}', "a comment")?;
                    comment(&mut game, text.trim(), line)?;
                }
                '(' => self.variation()?,
                _ => {
                    let rest = self.rest();
                    let end = rest
                        .find(|c: char| c.is_whitespace() || "{}()[;".contains(c))
                        .unwrap_or(rest.len())
                        .max(first.len_utf8());
                    let word = self.advance(end);
                    if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") {
                        if let Some((seat, number)) = pending {
                            return Err(RecordError::new(
                                line,
                                format!(
                                    "the move after '{number}{}.' is missing",
                                    board_letter(seat)
                                ),
                            ));
                        }
                        game.result = word.to_string();
                        return Ok(Some(game));
                    }
                    read_word(&mut game, &mut pending, word, line)?;
                }
            }
        }
        if game.tags.is_empty() && game.moves.is_empty() {
            return Ok(None);
        }
        // A file cut short is an unfinished game.
        game.result = "*".to_string();
        game.broken_off = last;
        Ok(Some(game))
    }

    fn tag(&mut self) -> Result<(String, String), RecordError> {
        let line = self.line;
        let fault = |what: &str| RecordError::new(line, format!("a tag {what}"));
        let rest = &self.rest()[1..];
        let quote = rest.find('"').ok_or_else(|| fault("without a value in quotes"))?;
        let name = rest[..quote].trim();
        if name.is_empty() || name.contains(|c: char| !c.is_alphanumeric() && c != '_') {
            return Err(fault(&format!(
                "with the name '{}'",
                name.chars().take(40).collect::<String>()
            )));
        }
        let mut value = String::new();
        let mut chars = rest[quote + 1..].char_indices();
        let end = loop {
            match chars.next() {
                Some((i, '"')) => break i,
                Some((_, '\\')) => value.extend(chars.next().map(|(_, c)| c)),
                Some((_, '\n')) | None => {
                    return Err(fault(&format!("'{name}' without its closing quote")));
                }
                Some((_, c)) => value.push(c),
            }
        };
        let after = &rest[quote + 1 + end + 1..];
        let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
        if !after[blanks..].starts_with(']') {
            return Err(fault(&format!("'{name}' without its closing ']'")));
        }
        self.advance(1 + quote + 1 + end + 1 + blanks + 1);
        Ok((name.to_string(), value))
    }

    fn variation(&mut self) -> Result<(), RecordError> {
        let line = self.line;
        let mut depth = 0usize;
        for (i, c) in self.rest().char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.advance(i + 1);
                return Ok(());
            }
        }
        Err(RecordError::new(line, "a variation without its closing ')'"))
    }
}

/// A word of the move text: a number, a move, or both in one.
fn read_word(
    game: &mut Bpgn,
    pending: &mut Option<(Seat, u32)>,
    word: &str,
    line: usize,
) -> Result<(), RecordError> {
    let san = match (number(word), *pending) {
        (Some((seat, number, rest)), None) => {
            *pending = Some((seat, number));
            rest
        }
        (Some(_), Some((seat, number))) => {
            let letter = board_letter(seat);
            return Err(RecordError::new(
                line,
                format!("the move after '{number}{letter}.' is missing"),
            ));
        }
        (None, _) => word,
    };
    if san.is_empty() || san.starts_with('$') || san.chars().all(|c| "!?.".contains(c)) {
        return Ok(());
    }
    let Some((seat, number)) = pending.take() else {
        let shown: String = san.chars().take(20).collect();
        return Err(RecordError::new(
            line,
            format!("'{shown}' has no move number with a board letter"),
        ));
    };
    let san = san.trim_end_matches(['!', '?']).to_string();
    game.moves.push(RecordedMove { line, seat, number, san, stamp: None });
    Ok(())
}

/// `12a.` with what follows it in the same word.
fn number(word: &str) -> Option<(Seat, u32, &str)> {
    let digits = word.find(|c: char| !c.is_ascii_digit())?;
    let number = word[..digits].parse().ok()?;
    let letter = word[digits..].chars().next()?;
    let seat = Seat::ALL.into_iter().find(|seat| board_letter(*seat) == letter)?;
    let rest = word[digits + 1..].strip_prefix('.')?;
    Some((seat, number, rest.trim_start_matches('.')))
}

fn comment(game: &mut Bpgn, text: &str, line: usize) -> Result<(), RecordError> {
    // A comment that says it is one is never a time, whatever it holds.
    if let Some(own) = text.strip_prefix("C:") {
        game.comments.push((game.moves.len(), own.to_string()));
        return Ok(());
    }
    let fault = || RecordError::new(line, format!("the time '{text}' cannot be read"));
    let stamp = if let Some(value) = bracketed(text, "[ts=") {
        Some(Stamp::Elapsed(micros(value).ok_or_else(fault)?))
    } else if let Some(value) = bracketed(text, "[%clk ") {
        Some(Stamp::Remaining(micros(value).ok_or_else(fault)?))
    } else {
        micros(text).map(Stamp::Remaining)
    };
    if let Some(stamp) = stamp {
        if let Some(last) = game.moves.last_mut() {
            last.stamp = Some(stamp);
        }
    } else {
        let lower = text.to_ascii_lowercase();
        if ENDINGS.iter().any(|(words, _)| lower.contains(words)) || lower.contains("drawn") {
            game.ending = Some(text.to_string());
            game.ending_line = line;
        } else if !text.is_empty() {
            game.comments.push((game.moves.len(), text.to_string()));
        }
    }
    Ok(())
}

fn bracketed<'a>(text: &'a str, open: &str) -> Option<&'a str> {
    let from = text.find(open)? + open.len();
    let length = text[from..].find(']')?;
    Some(text[from..from + length].trim())
}

/// `179.2`, `2:59.2`, `0:02:59.2` and negative ones in microseconds.
fn micros(text: &str) -> Option<i64> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut seconds: i64 = 0;
    for part in whole.split(':') {
        if part.is_empty() || part.len() > 9 || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        seconds = seconds.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    let digits = format!("{:0<6}", fraction.get(..fraction.len().min(6))?);
    let micros: i64 = digits.parse().ok()?;
    Some(sign * seconds.checked_mul(1_000_000)?.checked_add(micros)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Bpgn {
        read(text).next().unwrap().unwrap()
    }

    #[test]
    fn dialects() {
        let game = one(
            "[Event \"x\"][WhiteA \"ann\"] [BlackA \"bob\"]\r\n[WhiteB \"cy\"]\n[BlackB \"dee\"]\n\n\
             {C:seen somewhere}1A. e4{179.2} 1a.e5 {[%clk 0:02:58.8]}\n1B. d4 {[ts=1.25]} 1b. d5{-0.5}\n\
             2A. Nf3!? $1 (2A. f4 (x)) 2a... Nc6 {180.1} {dee checkmated} 0-1\n",
        );
        assert_eq!(game.tags.len(), 5);
        assert_eq!(game.moves.len(), 6);
        assert_eq!(game.moves[0].stamp, Some(Stamp::Remaining(179_200_000)));
        assert_eq!(game.moves[1].stamp, Some(Stamp::Remaining(178_800_000)));
        assert_eq!(game.moves[2].stamp, Some(Stamp::Elapsed(1_250_000)));
        assert_eq!(game.moves[3].stamp, Some(Stamp::Remaining(-500_000)));
        assert_eq!((game.moves[4].san.as_str(), game.moves[4].line), ("Nf3", 7));
        assert_eq!(game.moves[5].seat, Seat::BlackA);
        assert_eq!(game.claim(), Claim::Lost(Seat::BlackB, LossKind::Checkmated));
        // The token says the opposite of the words, as real files do; the words count.
        assert_eq!(game.winner(), Some(Team::Two));
        assert_eq!(game.comments, vec![(0, "seen somewhere".to_string())]);
    }

    #[test]
    fn writes_what_it_reads() {
        let text = "[Event \"a \\\"b\\\" \\\\\"]\n[WhiteA \"x\"]\n\n{C:hello} 1A. e4{179.200} 1B. \
                    P@e4{0.001} {WhiteB forfeits on time} 1-0\n";
        let game = one(text);
        assert_eq!(game.to_string(), text);
        assert_eq!(game.tag("event"), Some("a \"b\" \\"));
        // A comment that holds something like a time stays a comment.
        let game = one("1A. Nf3{C:[%clk :0:02:58]} *");
        assert_eq!(game.comments, vec![(1, "[%clk :0:02:58]".to_string())]);
        assert_eq!(one(&game.to_string()).comments, game.comments);
    }

    #[test]
    fn several_games_and_faults_with_lines() {
        let text = "[WhiteA \"a\"]\n1A. e4 1a. e5 *\n\n[WhiteA \"b\"]\n\ne4 1a. e5 1-0\n[WhiteA \"c\"]\n1A. d4";
        let games: Vec<_> = read(text).collect();
        assert_eq!(games.len(), 3);
        assert_eq!(games[0].as_ref().unwrap().result, "*");
        let fault = games[1].as_ref().unwrap_err();
        assert_eq!(fault.line, 6);
        assert!(fault.what.contains("e4"));
        assert_eq!(games[2].as_ref().unwrap().moves.len(), 1);
        for bad in [
            "[WhiteA \"a",
            "[WhiteA a]",
            "{never closed",
            "1A. 1a. e5 1-0",
            "[A \"b\" c]",
            "1A. 1-0",
            "(1",
        ] {
            assert!(read(bad).next().unwrap().is_err(), "{bad}");
        }
        assert!(read(" \n\u{feff}\n").next().is_none());
    }

    #[test]
    fn times() {
        assert_eq!(micros("0:02:59.1"), Some(179_100_000));
        assert_eq!(micros("5"), Some(5_000_000));
        for bad in ["", "x", "1:", ".5", "1.x", "99999999999", "1.2.3", "-"] {
            assert_eq!(micros(bad), None, "{bad}");
        }
        assert_eq!(Seconds(-1_500_000).to_string(), "-1.500");
        assert_eq!(Seconds(179_234_567).to_string(), "179.234");
    }
}
