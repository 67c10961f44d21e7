//! Records of games: BPGN for bughouse, PGN for one board, EPD for positions.
//!
//! Reading is done in two steps: the text alone ([`bpgn::read`], [`pgn::read`], [`epd::read`]),
//! then the replay against the rules ([`check`]).

pub mod bpgn;
pub mod check;
pub mod epd;
pub mod pgn;

/// What is wrong with a record, and on which line of its file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct RecordError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl RecordError {
    /// A fault on a line; what it quotes of the file is kept on one line of its own.
    pub fn new(line: usize, what: impl Into<String>) -> RecordError {
        RecordError { line, what: printable(&what.into(), '\0', ' ') }
    }
}

/// Whether a text holds bughouse matches rather than games of one board: only they name four seats.
pub fn is_bpgn(text: &str) -> bool {
    !text.lines().any(|line| line.trim_start().starts_with("[White \""))
        || text.contains("[WhiteA \"")
}

/// Text in quotes or braces cannot hold the characters that end it, nor control characters.
fn printable(text: &str, closing: char, instead: char) -> String {
    text.chars()
        .map(|c| {
            if c == closing {
                instead
            } else if c.is_control() {
                ' '
            } else {
                c
            }
        })
        .collect()
}

/// Breaks words into lines of at most 80 columns.
fn wrap(words: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words {
        if column > 0 {
            let fits = column + 1 + word.len() <= 80;
            text.push(if fits { ' ' } else { '\n' });
            column = if fits { column + 1 } else { 0 };
        }
        column += word.len();
        text.push_str(&word);
    }
    text.push('\n');
    text
}
