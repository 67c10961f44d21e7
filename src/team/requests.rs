//! What to say to the partner, and when to take it back.

use std::time::Duration;

use super::table::Moment;
use crate::rules::Position;
use crate::types::{HAND_ROLES, MATE, MATE_IN_MAX, Role, Value, Weight, Word};

/// What the own board's searches found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Findings {
    /// The value of the best move.
    pub value: Value,
    /// The value if a piece of each role were in the own hand.
    pub with: [Option<Value>; 5],
    /// The value after the best move if the opponent got a piece of each role.
    pub against: [Option<Value>; 5],
    /// Whether the player waits by choice for a piece.
    pub waiting: bool,
}

impl Findings {
    /// What a player says who has no move: he asks for what frees him, or is as good as mated.
    pub fn stuck(position: &Position) -> Findings {
        let frees = |role| {
            let mut with = *position;
            with.add_to_hand(with.turn(), role).is_ok() && with.has_legal_move()
        };
        let with = HAND_ROLES.map(|role| frees(role).then_some(0));
        Findings { value: -MATE + 2, with, ..Findings::default() }
    }
}

/// Between two words of one seat.
const PAUSE: Duration = Duration::from_secs(3);
/// A wish that still holds is said again after this.
const AGAIN: Duration = Duration::from_secs(18);
/// Gains worth a word.
const MUCH: Value = 400;
const GREAT: Value = 900;
/// A mated player who would stand better than this with a piece is saved by it.
const LOST: Value = -1_500;

/// Remembers what was said, so that nothing is said twice and what no longer holds is taken back.
#[derive(Clone, Debug, Default)]
pub struct Speaker {
    last: Option<Moment>,
    need: Option<(usize, Weight, Moment)>,
    deny: Option<(usize, Weight, Moment)>,
    dead: bool,
}

/// The strongest wish among five values against a base, as slot and weight.
fn strongest(
    values: &[Option<Value>; 5],
    weigh: impl Fn(Value) -> Option<Weight>,
) -> Option<(usize, Weight)> {
    (0..5)
        .filter_map(|slot| Some((slot, weigh(values[slot]?)?)))
        // Of equals the cheaper piece is the easier to get.
        .max_by_key(|(slot, weight)| (*weight, 5 - slot))
}

impl Speaker {
    /// The one word to say now, if any.
    pub fn say(&mut self, found: &Findings, now: Moment) -> Option<Word> {
        if self.last.is_some_and(|last| now.saturating_sub(last) < PAUSE) {
            return None;
        }
        let word = self.choose(found, now)?;
        self.last = Some(now);
        Some(word)
    }

    /// Forgets everything: a new match.
    pub fn reset(&mut self) {
        *self = Speaker::default();
    }

    fn choose(&mut self, found: &Findings, now: Moment) -> Option<Word> {
        let winning = found.value >= MATE_IN_MAX;
        let dead = found.value <= -MATE_IN_MAX;
        let need = (!winning).then(|| {
            strongest(&found.with, |value| match value - found.value {
                _ if value >= MATE_IN_MAX || (dead && value > LOST) => Some(Weight::High),
                gain if gain >= GREAT => Some(Weight::Medium),
                gain if gain >= MUCH && found.waiting => Some(Weight::Low),
                _ => None,
            })
        });
        let need = need.flatten();
        let deny = (!winning && !dead).then(|| {
            strongest(&found.against, |value| match found.value - value {
                _ if value <= -MATE_IN_MAX => Some(Weight::High),
                loss if loss >= 2 * GREAT => Some(Weight::Medium),
                _ => None,
            })
        });
        let deny = deny.flatten();
        // What was said and holds no more is taken back first, all of it by one word.
        let stale = |said: Option<(usize, Weight, Moment)>, holds: Option<(usize, Weight)>| {
            said.is_some_and(|(_, weight, at)| {
                weight >= Weight::Medium && holds.is_none() && now.saturating_sub(at) < AGAIN
            })
        };
        if (self.dead && !dead) || stale(self.need, need) || stale(self.deny, deny) {
            *self = Speaker { last: self.last, ..Speaker::default() };
            return Some(Word::Fine);
        }
        // Who can still be saved asks first.
        if dead && !self.dead && need.is_none_or(|(_, weight)| weight < Weight::High) {
            self.dead = true;
            return Some(Word::Dead);
        }
        if let Some(word) = update(&mut self.deny, deny, now, Word::Deny) {
            return Some(word);
        }
        update(&mut self.need, need, now, Word::Need)
    }
}

fn update(
    said: &mut Option<(usize, Weight, Moment)>,
    wish: Option<(usize, Weight)>,
    now: Moment,
    word: fn(Role, Weight) -> Word,
) -> Option<Word> {
    let (slot, weight) = wish?;
    let known = said.is_some_and(|(old, old_weight, at)| {
        old == slot && old_weight == weight && now.saturating_sub(at) < AGAIN
    });
    if known {
        return None;
    }
    *said = Some((slot, weight, now));
    Some(word(HAND_ROLES[slot], weight))
}
