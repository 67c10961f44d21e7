//! Partners' words between the grammars and the engine.

use super::grammar::talk::Talk;
use crate::engine::{WaitReason, Word};
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
