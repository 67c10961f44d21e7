//! What every grammar needs: blanks, numbers, hands, and one kind of error.

use std::fmt::Display;
use std::str::{FromStr, SplitWhitespace};

use crate::types::{HAND_ROLES, Role};

/// Pieces of one colour in a hand, in the order of [`HAND_ROLES`].
pub type Hand = [u8; 5];

/// Why a line is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    /// The first word is none of the protocol's.
    #[error("unknown command '{0}'")]
    Unknown(String),
    /// Something the word needs is not there.
    #[error("{0} without {1}")]
    Missing(&'static str, &'static str),
    /// A value that is not what stands there.
    #[error("{what} '{value}' is not {want}")]
    Bad {
        /// The name of the value.
        what: &'static str,
        /// The text that stood there.
        value: String,
        /// What should have stood there.
        want: &'static str,
    },
}

/// A text as error messages quote it: control characters replaced, long ones cut.
pub fn quoted(text: &str) -> String {
    let mut out: String =
        text.chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().nth(60).is_some() {
        out.push('…');
    }
    out
}

pub(crate) fn bad(what: &'static str, value: &str, want: &'static str) -> WordError {
    WordError::Bad { what, value: quoted(value), want }
}

/// The words of a line, one after the other.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    inner: std::iter::Peekable<SplitWhitespace<'a>>,
}

impl<'a> Words<'a> {
    /// The words of `line`.
    pub fn new(line: &'a str) -> Words<'a> {
        Words { inner: line.split_whitespace().peekable() }
    }

    /// The next word, left where it is.
    pub fn peek(&mut self) -> Option<&'a str> {
        self.inner.peek().copied()
    }

    /// The next word, or an error that says what is missing.
    pub fn need(&mut self, word: &'static str, what: &'static str) -> Result<&'a str, WordError> {
        self.next().ok_or(WordError::Missing(word, what))
    }

    /// The next word as a number that the type can hold.
    pub fn number<T: FromStr>(
        &mut self,
        word: &'static str,
        want: &'static str,
    ) -> Result<T, WordError> {
        let text = self.need(word, want)?;
        number(word, text, want)
    }

    /// Four numbers, or `-` for one that is not known: the clocks in the order WhiteA, BlackA,
    /// WhiteB, BlackB.
    pub fn clocks(&mut self) -> Result<Clocks, WordError> {
        let mut clocks = [None; 4];
        for clock in &mut clocks {
            if self.peek() == Some("-") {
                self.next();
            } else {
                *clock = Some(self.number("clock", "four numbers of milliseconds")?);
            }
        }
        Ok(clocks)
    }

    /// All remaining words, one blank between them.
    pub fn rest(self) -> String {
        join(self)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.inner.next()
    }
}

/// Four clocks in milliseconds, as far as they are told.
pub type Clocks = [Option<i64>; 4];

/// Writes four clocks.
pub fn clock_words(clocks: &Clocks) -> String {
    join(clocks.map(|left| left.map_or_else(|| "-".to_string(), |left| left.to_string())))
}

/// Words with one blank between them.
pub fn join<T: Display>(words: impl IntoIterator<Item = T>) -> String {
    let mut out = String::new();
    for word in words {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word.to_string());
    }
    out
}

/// A text as a number. A leading plus sign is refused, as every protocol writes numbers bare.
pub fn number<T: FromStr>(
    what: &'static str,
    text: &str,
    want: &'static str,
) -> Result<T, WordError> {
    if text.starts_with('+') {
        return Err(bad(what, text, want));
    }
    text.parse().map_err(|_| bad(what, text, want))
}

/// The first word of a line and what follows it, without the blanks between.
pub fn split_first(line: &str) -> (&str, &str) {
    let line = line.trim();
    match line.find(char::is_whitespace) {
        Some(at) => (&line[..at], line[at..].trim_start()),
        None => (line, ""),
    }
}

/// Reads `[…] […]` as two hands, White's first. Letters of either case count, and those of no piece
/// do not; `[-]` is empty. What follows the second bracket is returned.
pub fn two_hands(text: &str) -> Result<(Hand, Hand, &str), WordError> {
    let (white, rest) = one_hand(text)?;
    let (black, rest) = one_hand(rest)?;
    Ok((white, black, rest.trim()))
}

fn one_hand(text: &str) -> Result<(Hand, &str), WordError> {
    const WANT: &str = "[pieces] [pieces], White's first";
    let inner = text.trim_start().strip_prefix('[').ok_or_else(|| bad("holding", text, WANT))?;
    let end = inner.find(']').ok_or_else(|| bad("holding", text, WANT))?;
    let mut hand = Hand::default();
    for c in inner[..end].chars().filter(|c| !c.is_whitespace() && *c != '-') {
        let Some(slot) = role_slot(c) else { continue };
        hand[slot] = hand[slot]
            .checked_add(1)
            .ok_or_else(|| bad("holding", text, "a hand that pieces can fill"))?;
    }
    Ok((hand, &inner[end + 1..]))
}

/// What stands in a hand of this line and is no piece that can be held.
pub fn no_piece(line: &str) -> Option<char> {
    let hands = line.split('[').skip(1).filter_map(|part| part.split_once(']'));
    let mut held = hands.flat_map(|(hand, _)| hand.chars());
    held.find(|c| !c.is_whitespace() && *c != '-' && role_slot(*c).is_none())
}

/// The index in a hand of a piece letter.
pub fn role_slot(c: char) -> Option<usize> {
    Role::from_char(c).and_then(|role| HAND_ROLES.iter().position(|&r| r == role))
}

/// A hand in brackets, queens first, as `holding` writes it.
pub fn hand_text(hand: &Hand) -> String {
    let mut out = String::from("[");
    for (slot, &count) in hand.iter().enumerate().rev() {
        for _ in 0..count {
            out.push(HAND_ROLES[slot].upper_char());
        }
    }
    out.push(']');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_are_read_in_any_order_and_case() {
        let (white, black, rest) = two_hands("[QNpP]  [-] WP").expect("two hands");
        assert_eq!((white, black, rest), ([2, 1, 0, 0, 1], [0; 5], "WP"));
        assert_eq!(hand_text(&white), "[QNPP]");
        let odd = "[QZ1K] [-]";
        assert_eq!(two_hands(odd).map(|hands| hands.0), Ok([0, 0, 0, 0, 1]));
        assert_eq!((no_piece(odd), no_piece("holding [Q n] [-] WZ")), (Some('Z'), None));
        assert!(two_hands("[Q []").is_err());
        assert!(two_hands(&format!("[{}] []", "P".repeat(300))).is_err());
    }

    #[test]
    fn errors_quote_no_more_than_a_line() {
        let error = bad("depth", &"9".repeat(1000), "a number");
        assert!(error.to_string().len() < 120);
        assert_eq!(number::<u32>("depth", "-3", "a number of plies").ok(), None);
        assert_eq!(number::<u32>("depth", "+3", "a number of plies").ok(), None);
    }

    #[test]
    fn first_word_and_rest() {
        assert_eq!(split_first("  ptell  go  now "), ("ptell", "go  now"));
        assert_eq!(split_first("quit"), ("quit", ""));
        assert_eq!(split_first(""), ("", ""));
    }
}
