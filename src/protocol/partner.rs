//! Partners' words between the grammars and the engine.

use super::grammar::talk::Talk;
use super::grammar::words::quoted;
use super::output::Output;
use crate::engine::{WaitReason, Word};
use crate::rules::bughouse::TWO_SETS;
use crate::rules::{Position, notation};
use crate::types::Role;

/// What a message means to the engine; clocks and a cry for help mean nothing to it.
pub(super) fn word_of(talk: &Talk, position: &Position) -> Option<Word> {
    match talk {
        Talk::Word(word) => Some(*word),
        Talk::Play(text) => Some(Word::Play(notation::from_uci(position, text).ok()?)),
        Talk::Clock(_) | Talk::OpponentClock(_) | Talk::Help => None,
    }
}

/// Notes milliseconds that no clock can show.
pub(super) fn doubt_clocks(before: &[Option<i64>], now: &[Option<i64>], out: &mut Output) {
    // More than any increment.
    const JUMP: i64 = 60_000;
    for (before, now) in before.iter().zip(now) {
        if now.is_some_and(|now| now < 0) {
            out.doubt("clock", "less than nothing, taken as nothing");
        }
        if before.zip(*now).is_some_and(|(before, now)| now > before.saturating_add(JUMP)) {
            out.doubt("clocks", "one runs backwards");
        }
    }
}

/// What a partner said, which is noted if it says nothing to us.
pub(super) fn hear(text: &str, position: &Position, out: &mut Output) -> Option<Word> {
    let talk = Talk::parse(text);
    let word = talk.as_ref().and_then(|talk| word_of(talk, position));
    if word.is_none() && !matches!(talk, Some(Talk::Clock(_) | Talk::OpponentClock(_) | Talk::Help))
    {
        out.doubt("the partner's word", quoted(text));
    }
    word
}

/// Whether both boards and all hands cannot be those of one table. While boards and hands are told
/// one after the other, a piece on its way stands on a board and lies in a hand.
pub(super) fn contradict(own: &Position, other: &Position, out: &mut Output) -> bool {
    const ON_THEIR_WAY: u32 = 2;
    let total = own.piece_total() + other.piece_total();
    if total > TWO_SETS + ON_THEIR_WAY {
        out.doubt("the partner's board", format!("{total} pieces on both boards and in all hands"));
    }
    total > TWO_SETS + ON_THEIR_WAY
}

/// Why an answer is held back, for people.
pub(super) fn reason_text(reason: WaitReason) -> String {
    let piece = |role: Role| format!("{role:?}").to_ascii_lowercase();
    match reason {
        WaitReason::NoMove => "no move until a piece comes".to_string(),
        WaitReason::Saves(role) => format!("a {} would save", piece(role)),
        WaitReason::Mates(role) => format!("a {} would mate", piece(role)),
        WaitReason::Wins(role) => format!("a {} would win", piece(role)),
        WaitReason::Outlast => "the other side must move first".to_string(),
        WaitReason::Elsewhere => "the other board stands better".to_string(),
        WaitReason::Asked => "the partner asks for it".to_string(),
    }
}
