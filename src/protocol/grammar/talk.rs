//! What bughouse partners say to each other, one meaning for every dialect.

use crate::types::{HAND_ROLES, Role};

pub use crate::types::Weight;

use super::words::role_slot;

/// One thing said by a partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Talk {
    /// Wait: don't move until told.
    Sit,
    /// Don't wait any longer.
    Go,
    /// Move at once.
    MoveNow,
    /// Play this move.
    Play(String),
    /// Hurry.
    Fast,
    /// There is time.
    Slow,
    /// A piece of this kind is wanted.
    Need(Role, Weight),
    /// A piece of this kind must not be given away.
    Deny(Role, Weight),
    /// Trade freely.
    Trade,
    /// Trade nothing.
    NoTrade,
    /// I am being mated.
    Dead,
    /// The danger is over.
    Fine,
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
        Some(match words.as_slice() {
            ["sit" | "sitting?" | "stop" | "wait"] => Talk::Sit,
            ["go"] => Talk::Go,
            ["move"] => Talk::MoveNow,
            ["move" | "play", _] if is_move(text.split_whitespace().nth(1)?) => {
                Talk::Play(text.split_whitespace().nth(1)?.to_string())
            }
            ["fast" | "faster" | "hurry" | "time"] => Talk::Fast,
            ["slow" | "slower"] => Talk::Slow,
            ["time", n] => Talk::Clock(n.parse().ok()?),
            ["otim", n] => Talk::OpponentClock(n.parse().ok()?),
            ["+trades" | "+trade" | "trade" | "trades"] => Talk::Trade,
            ["-trades" | "-trade" | "notrade" | "notrades"] => Talk::NoTrade,
            ["no", "trade" | "trades"] => Talk::NoTrade,
            ["dead" | "---"] => Talk::Dead,
            ["x" | "ok" | "safe"] => Talk::Fine,
            ["help"] => Talk::Help,
            ["need", piece] => Talk::Need(role(piece)?, Weight::Medium),
            [piece, "mates"] => Talk::Need(role(piece)?, Weight::High),
            [piece, "mates", "me"] => Talk::Deny(role(piece)?, Weight::High),
            ["no", piece] => Talk::Deny(role(piece)?, Weight::Medium),
            [one] => return signed(one).or_else(|| bare_move(text.trim())),
            _ => return None,
        })
    }

    /// The word as we say it over CECP and UCI: lower case, one token. What we never say is `None`.
    pub fn say(&self) -> Option<String> {
        let repeated = |sign: char, role: Role, weight: Weight| {
            let count = weight as usize + 1;
            let sign: String = std::iter::repeat_n(sign, count).collect();
            format!("{sign}{}", role.char())
        };
        Some(match self {
            Talk::Sit => "sit".into(),
            Talk::Go => "go".into(),
            Talk::Fast => "fast".into(),
            Talk::Slow => "slow".into(),
            Talk::Need(role, weight) => repeated('+', *role, *weight),
            Talk::Deny(role, weight) => repeated('-', *role, *weight),
            Talk::Trade => "+trades".into(),
            Talk::NoTrade => "-trades".into(),
            Talk::Dead => "dead".into(),
            Talk::Fine => "x".into(),
            Talk::Clock(n) => format!("time {n}"),
            Talk::OpponentClock(n) => format!("otim {n}"),
            Talk::MoveNow | Talk::Play(_) | Talk::Help => return None,
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
fn signed(word: &str) -> Option<Talk> {
    let sign = word.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let piece = word.trim_start_matches(sign);
    let weight = match word.len() - piece.len() {
        1 => Weight::Low,
        2 => Weight::Medium,
        _ => Weight::High,
    };
    let role = role(piece)?;
    Some(if sign == '+' { Talk::Need(role, weight) } else { Talk::Deny(role, weight) })
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
        use Talk::*;
        let cases = [
            ("sit", Sit),
            ("GO", Go),
            ("move", MoveNow),
            ("move e2e4", Play("e2e4".into())),
            ("N@f7", Play("N@f7".into())),
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
            ("time 4500", Clock(4500)),
            ("otim 10", OpponentClock(10)),
            ("no trades", NoTrade),
            ("help", Help),
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
        for talk in [
            Talk::Sit,
            Talk::Go,
            Talk::Fast,
            Talk::Need(Role::Pawn, Weight::High),
            Talk::Deny(Role::Queen, Weight::Low),
            Talk::NoTrade,
            Talk::Dead,
            Talk::Fine,
        ] {
            let said = talk.say().expect("a word");
            assert_eq!(Talk::parse(&said), Some(talk));
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
