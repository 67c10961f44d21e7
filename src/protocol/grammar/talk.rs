//! What bughouse partners say to each other, one meaning for every dialect.

use crate::types::{HAND_ROLES, Role, Weight, Word};

use super::words::role_slot;

/// One message of a partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Talk {
    /// A word that means the same on every board.
    Word(Word),
    /// Play this move, which only a position can read.
    Play(String),
    /// My clock in centiseconds, as Fairy-Stockfish tells it.
    Clock(u64),
    /// My opponent's clock in centiseconds.
    OpponentClock(u64),
    /// What do you understand?
    Help,
}

impl Talk {
    /// Understands one message; `None` is small talk or a sentence that can't be read, which must
    /// be treated as silence.
    pub fn parse(text: &str) -> Option<Talk> {
        let lower = text.trim().to_ascii_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        Some(Talk::Word(match words.as_slice() {
            ["sit" | "sitting?" | "stop" | "wait"] => Word::Sit,
            ["go"] => Word::Go,
            ["move"] => Word::MoveNow,
            ["move" | "play", _] => return bare_move(text.split_whitespace().nth(1)?),
            ["fast" | "faster" | "hurry" | "time"] => Word::Fast,
            ["slow" | "slower"] => Word::Slow,
            ["time", n] => return Some(Talk::Clock(n.parse().ok()?)),
            ["otim", n] => return Some(Talk::OpponentClock(n.parse().ok()?)),
            ["+trades" | "+trade" | "trade" | "trades"] => Word::Trade,
            ["-trades" | "-trade" | "notrade" | "notrades"] => Word::NoTrade,
            ["no", "trade" | "trades"] => Word::NoTrade,
            ["dead" | "---"] => Word::Dead,
            ["x" | "ok" | "safe"] => Word::Fine,
            ["help"] => return Some(Talk::Help),
            ["need", piece] => Word::Need(role(piece)?, Weight::Medium),
            [piece, "mates"] => Word::Need(role(piece)?, Weight::High),
            [piece, "mates", "me"] => Word::Deny(role(piece)?, Weight::High),
            ["no", piece] => Word::Deny(role(piece)?, Weight::Medium),
            [one] => return signed(one).map(Talk::Word).or_else(|| bare_move(text.trim())),
            _ => return None,
        }))
    }

    /// The word as we say it over CECP and UCI: lower case, one token. What we never say is `None`.
    pub fn say(&self) -> Option<String> {
        let repeated = |sign: char, role: Role, weight: Weight| {
            let count = weight as usize + 1;
            let sign: String = std::iter::repeat_n(sign, count).collect();
            format!("{sign}{}", role.char())
        };
        Some(match self {
            Talk::Word(word) => match word {
                Word::Sit => "sit".into(),
                Word::Go => "go".into(),
                Word::Fast => "fast".into(),
                Word::Slow => "slow".into(),
                Word::Need(role, weight) => repeated('+', *role, *weight),
                Word::Deny(role, weight) => repeated('-', *role, *weight),
                Word::Trade => "+trades".into(),
                Word::NoTrade => "-trades".into(),
                Word::Dead => "dead".into(),
                Word::Fine => "x".into(),
                Word::MoveNow | Word::Play(_) => return None,
            },
            Talk::Clock(n) => format!("time {n}"),
            Talk::OpponentClock(n) => format!("otim {n}"),
            Talk::Play(_) | Talk::Help => return None,
        })
    }
}

/// A piece by letter or name, one or more of it.
fn role(text: &str) -> Option<Role> {
    let mut chars = text.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return role_slot(c).map(|slot| HAND_ROLES[slot]);
    }
    Some(match text.trim_end_matches('s') {
        "pawn" => Role::Pawn,
        "knight" => Role::Knight,
        "bishop" => Role::Bishop,
        "rook" => Role::Rook,
        "queen" => Role::Queen,
        _ => return None,
    })
}

/// `+n`, `++n`, `---b` and the like.
fn signed(word: &str) -> Option<Word> {
    let sign = word.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let piece = word.trim_start_matches(sign);
    let weight = match word.len() - piece.len() {
        1 => Weight::Low,
        2 => Weight::Medium,
        _ => Weight::High,
    };
    let role = role(piece)?;
    Some(if sign == '+' { Word::Need(role, weight) } else { Word::Deny(role, weight) })
}

fn bare_move(word: &str) -> Option<Talk> {
    is_move(word).then(|| Talk::Play(word.to_string()))
}

/// Whether a word has the shape of a move in coordinates or of a drop. SAN is left out: single
/// words of a chat look too much like it.
pub fn is_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    let square = |at: usize| {
        matches!(bytes.get(at), Some(b'a'..=b'h')) && matches!(bytes.get(at + 1), Some(b'1'..=b'8'))
    };
    let promotion =
        matches!(bytes.get(4), Some(b'q' | b'r' | b'b' | b'n' | b'Q' | b'R' | b'B' | b'N'));
    match bytes.len() {
        3 => bytes[0] == b'@' && square(1),
        4 if bytes[1] == b'@' => role_slot(bytes[0] as char).is_some() && square(2),
        4 => square(0) && square(2),
        5 => square(0) && square(2) && promotion,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_table_of_words() {
        use Word::*;
        for (text, word) in [
            ("sit", Sit),
            ("GO", Go),
            ("move", MoveNow),
            ("+n", Need(Role::Knight, Weight::Low)),
            ("+++q", Need(Role::Queen, Weight::High)),
            ("need rooks", Need(Role::Rook, Weight::Medium)),
            ("n mates", Need(Role::Knight, Weight::High)),
            ("n mates me", Deny(Role::Knight, Weight::High)),
            ("---b", Deny(Role::Bishop, Weight::High)),
            ("no b", Deny(Role::Bishop, Weight::Medium)),
            ("---", Dead),
            ("ok", Fine),
            ("time", Fast),
            ("no trades", NoTrade),
        ] {
            assert_eq!(Talk::parse(text), Some(Talk::Word(word)), "{text}");
        }
        let cases = [
            ("move e2e4", Talk::Play("e2e4".into())),
            ("N@f7", Talk::Play("N@f7".into())),
            ("time 4500", Talk::Clock(4500)),
            ("otim 10", Talk::OpponentClock(10)),
            ("help", Talk::Help),
        ];
        for (text, talk) in cases {
            assert_eq!(Talk::parse(text), Some(talk), "{text}");
        }
    }

    #[test]
    fn sentences_are_silence() {
        for text in ["hi", "sitting (P@f2)", "I need to sit down", "nice", "", "time flies", "+x"] {
            assert_eq!(Talk::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_we_say_is_understood() {
        for word in [
            Word::Sit,
            Word::Go,
            Word::Fast,
            Word::Need(Role::Pawn, Weight::High),
            Word::Deny(Role::Queen, Weight::Low),
            Word::NoTrade,
            Word::Dead,
            Word::Fine,
        ] {
            let said = Talk::Word(word).say().expect("a word");
            assert_eq!(Talk::parse(&said), Some(Talk::Word(word)));
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = Talk::parse(&text);
            let _ = is_move(&text);
        }
    }
}
