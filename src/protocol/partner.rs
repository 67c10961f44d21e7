//! Partners' words between the grammars and the engine.

use super::grammar::talk::Talk;
use super::ubi::grammar::{Level, Message};
use crate::engine::{WaitReason, Word};
use crate::rules::{Position, notation};
use crate::types::{Role, Weight};

/// What a message means to the engine; small talk and clocks mean nothing to it.
pub(super) fn word_of(talk: &Talk, position: &Position) -> Option<Word> {
    Some(match talk {
        Talk::Sit => Word::Sit,
        Talk::Go => Word::Go,
        Talk::MoveNow => Word::MoveNow,
        Talk::Play(text) => Word::Play(notation::from_uci(position, text).ok()?),
        Talk::Fast => Word::Fast,
        Talk::Slow => Word::Slow,
        Talk::Need(role, weight) => Word::Need(*role, *weight),
        Talk::Deny(role, weight) => Word::Deny(*role, *weight),
        Talk::Trade => Word::Trade,
        Talk::NoTrade => Word::NoTrade,
        Talk::Dead => Word::Dead,
        Talk::Fine => Word::Fine,
        Talk::Clock(_) | Talk::OpponentClock(_) | Talk::Help => return None,
    })
}

/// What the engine says, for a partner in CECP or UCI.
pub(super) fn said(word: Word) -> Option<String> {
    let talk = match word {
        Word::Sit => Talk::Sit,
        Word::Go => Talk::Go,
        Word::MoveNow | Word::Play(_) => return None,
        Word::Fast => Talk::Fast,
        Word::Slow => Talk::Slow,
        Word::Need(role, weight) => Talk::Need(role, weight),
        Word::Deny(role, weight) => Talk::Deny(role, weight),
        Word::Trade => Talk::Trade,
        Word::NoTrade => Talk::NoTrade,
        Word::Dead => Talk::Dead,
        Word::Fine => Talk::Fine,
    };
    talk.say()
}

/// A UBI message to the engine. A sum of material is no wish.
pub(super) fn heard_in_ubi(message: &Message) -> Option<Word> {
    Some(match message {
        Message::Need(role, level) => Word::Need(*role, weight_of(*level)),
        Message::Stall(_) => Word::Sit,
        Message::PlayFast(_) => Word::Fast,
        Message::Threat(Level::Critical) => Word::Dead,
        Message::Threat(Level::Low) => Word::Fine,
        Message::Threat(_) => Word::NoTrade,
        Message::Material(_) => return None,
    })
}

/// What the engine says, for a partner in UBI, which has no word for some things.
pub(super) fn said_in_ubi(word: Word) -> Option<Message> {
    Some(match word {
        Word::Need(role, weight) => Message::Need(role, Some(level_of(weight))),
        // It cannot be said which piece is dangerous, only that something is.
        Word::Deny(_, Weight::High) => Message::Threat(Level::High),
        Word::Sit => Message::Stall(None),
        Word::Fast => Message::PlayFast(None),
        Word::Dead => Message::Threat(Level::Critical),
        Word::Fine => Message::Threat(Level::Low),
        _ => return None,
    })
}

fn weight_of(level: Option<Level>) -> Weight {
    match level {
        Some(Level::Low) => Weight::Low,
        Some(Level::High | Level::Critical) => Weight::High,
        Some(Level::Medium) | None => Weight::Medium,
    }
}

fn level_of(weight: Weight) -> Level {
    match weight {
        Weight::Low => Level::Low,
        Weight::Medium => Level::Medium,
        Weight::High => Level::High,
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
        WaitReason::Asked => "the partner asks for it".to_string(),
    }
}
