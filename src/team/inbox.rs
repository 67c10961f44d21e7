//! What the partner said, and how long it counts.

use std::time::Duration;

use super::outlook::MATING;
use super::table::{Moment, Table};
use crate::search::Outlook;
use crate::types::{Move, Role, Value, Weight, Word, role_index};

/// A wish is forgotten after this: the other board has changed by then.
const WISH: Duration = Duration::from_secs(20);
/// One `sit` is obeyed for so long.
const SIT: Duration = Duration::from_secs(8);
/// After a `sit` that brought nothing, the next is not obeyed for so long.
const DEAF: Duration = Duration::from_secs(30);
/// `fast` and `slow`, `trade` and `notrade` count for so long.
const MOOD: Duration = Duration::from_secs(30);

/// What the partner said so far, as far as it still counts.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    needs: [Option<(Weight, Moment)>; 5],
    denies: [Option<(Weight, Moment)>; 5],
    sit: Option<Moment>,
    /// When an obeyed `sit` ran out.
    sat_out: Option<Moment>,
    now: bool,
    play: Option<Move>,
    hurry: Option<(bool, Moment)>,
    trade: Option<(bool, Moment)>,
    dead: Option<Moment>,
}

fn fresh<T: Copy>(said: Option<(T, Moment)>, lasts: Duration, now: Moment) -> Option<T> {
    said.filter(|(_, at)| now.saturating_sub(*at) < lasts).map(|(what, _)| what)
}

impl Inbox {
    /// Takes in a word.
    pub fn hear(&mut self, word: Word, now: Moment) {
        match word {
            Word::Sit => {
                let deaf = self.sat_out.is_some_and(|out| now.saturating_sub(out) < DEAF);
                // Saying it again does not begin the time anew, and is no way around its end.
                if self.sit.is_none() && !deaf {
                    self.sit = Some(now);
                    self.now = false;
                }
            }
            Word::Go | Word::MoveNow => {
                self.sit = None;
                self.now = true;
            }
            Word::Play(mv) => {
                self.play = Some(mv);
            }
            Word::Fast => self.hurry = Some((true, now)),
            Word::Slow => self.hurry = Some((false, now)),
            Word::Need(role, weight) => set(&mut self.needs, role, weight, now),
            Word::Deny(role, weight) => set(&mut self.denies, role, weight, now),
            Word::Trade => self.trade = Some((true, now)),
            Word::NoTrade => self.trade = Some((false, now)),
            Word::Dead => self.dead = Some(now),
            Word::Fine => {
                self.dead = None;
                self.needs = [None; 5];
                self.denies = [None; 5];
                self.sit = None;
            }
        }
    }

    /// A move was played on the own board: what was said about that move is done with.
    pub fn moved(&mut self) {
        self.now = false;
        self.play = None;
    }

    /// A piece came: what was waited for may be here, and the wait has brought something.
    pub fn arrived(&mut self) {
        self.sit = None;
        self.sat_out = None;
    }

    /// How long the partner's `sit` still counts.
    pub fn sit_left(&mut self, now: Moment) -> Option<Duration> {
        let since = self.sit?;
        match SIT.checked_sub(now.saturating_sub(since)).filter(|left| !left.is_zero()) {
            Some(left) => Some(left),
            None => {
                self.sit = None;
                self.sat_out = Some(now);
                None
            }
        }
    }

    /// Whether the partner wants a move at once.
    pub fn move_now(&self) -> bool {
        self.now
    }

    /// The move the partner wants to see.
    pub fn suggestion(&self) -> Option<Move> {
        self.play
    }

    /// Whether to play fast (`Some(true)`), or whether there is time.
    pub fn hurry(&self, now: Moment) -> Option<bool> {
        if self.dead(now) { Some(true) } else { fresh(self.hurry, MOOD, now) }
    }

    /// Whether the partner says that he is being mated.
    pub fn dead(&self, now: Moment) -> bool {
        fresh(self.dead.map(|at| ((), at)), WISH, now).is_some()
    }

    /// How much the partner wants a role.
    pub fn need(&self, role: Role, now: Moment) -> Option<Weight> {
        fresh(*self.needs.get(role_index(role))?, WISH, now)
    }

    /// Lets what was said change the worth of pieces. Where the other board is known, words count
    /// less than what is seen there.
    pub fn weigh(&self, outlook: &mut Outlook, table: &Table, now: Moment) {
        let seen = table.other.is_some();
        for slot in 0..5 {
            if let Some(weight) = fresh(self.needs[slot], WISH, now) {
                raise(&mut outlook.partner[slot], weight, seen);
            }
            if let Some(weight) = fresh(self.denies[slot], WISH, now) {
                raise(&mut outlook.diagonal[slot], weight, seen);
            }
        }
        match fresh(self.trade, MOOD, now) {
            Some(true) => outlook.partner.iter_mut().for_each(|worth| *worth += *worth / 3),
            Some(false) => outlook.diagonal.iter_mut().for_each(|worth| *worth += *worth / 3),
            None => {}
        }
    }
}

fn set(wishes: &mut [Option<(Weight, Moment)>; 5], role: Role, weight: Weight, now: Moment) {
    if let Some(slot) = wishes.get_mut(role_index(role)) {
        *slot = Some((weight, now));
    }
}

fn raise(worth: &mut Value, weight: Weight, seen: bool) {
    let (add, least) = match weight {
        Weight::Low => (80, 0),
        Weight::Medium => (200, 0),
        // Unseen, a mate is believed for what it is; seen, a deeper mate than ours may be meant.
        Weight::High if seen => (600, 0),
        Weight::High => (0, MATING / 3),
    };
    *worth = (*worth + add).max(least);
}
