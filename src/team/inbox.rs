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
/// What was obeyed and brought nothing is not obeyed again for so long: a `sit`, a move that cost
/// something, a wish for a piece. Who asks for the wrong thing, or means harm, costs that much once.
const DEAF: Duration = Duration::from_secs(30);
/// A board that was given up is taken for lost so long, if nothing else is said.
const LOST: Duration = Duration::from_secs(90);
/// A partner's move is played if it costs no more than this.
const OBEY: Value = 150;
/// What costs no more than this costs nothing: two searches differ by as much.
const CHEAP: Value = 30;
/// `fast` and `slow`, `trade` and `notrade` count for so long.
const MOOD: Duration = Duration::from_secs(30);

/// What the partner said so far, as far as it still counts.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    needs: [Option<(Weight, Moment)>; 5],
    denies: [Option<(Weight, Moment)>; 5],
    /// Since when `sit` counts.
    sit: Option<Moment>,
    /// For how long it was obeyed before, and when that ended.
    sat: (Duration, Moment),
    now: bool,
    play: Option<Move>,
    /// When a move was played that the partner wanted, although it cost something.
    misled: Option<Moment>,
    /// When he last got a piece that he had wanted.
    fed: Option<Moment>,
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
                let (sat, until) = self.sat;
                if now.saturating_sub(until) >= DEAF {
                    self.sat.0 = Duration::ZERO;
                }
                // Saying it again does not begin the time anew, and is no way around its end; nor is
                // a `go` in between.
                if self.sit.is_none() && (sat < SIT || self.sat.0.is_zero()) {
                    self.sit = Some(now);
                    self.now = false;
                }
            }
            Word::Go | Word::MoveNow => {
                self.stand_up(now);
                self.now = true;
            }
            Word::Play(mv) => {
                self.play = Some(mv);
            }
            Word::Fast => self.hurry = Some((true, now)),
            Word::Slow => self.hurry = Some((false, now)),
            Word::Need(role, weight) => {
                // He got one, and the match goes on.
                let weight = if self.is_fed(now) { Weight::Low } else { weight };
                set(&mut self.needs, role, weight, now);
            }
            Word::Deny(role, weight) => set(&mut self.denies, role, weight, now),
            Word::Trade => self.trade = Some((true, now)),
            Word::NoTrade => self.trade = Some((false, now)),
            Word::Dead => self.dead = Some(now),
            Word::Fine => {
                self.dead = None;
                self.needs = [None; 5];
                self.denies = [None; 5];
                self.stand_up(now);
            }
        }
    }

    /// Whether he got, not long ago, a piece he had wanted.
    fn is_fed(&self, now: Moment) -> bool {
        fresh(self.fed.map(|at| ((), at)), DEAF, now).is_some()
    }

    /// What was sat so far stays sat.
    fn stand_up(&mut self, now: Moment) {
        if let Some(since) = self.sit.take() {
            self.sat = (self.sat.0 + now.saturating_sub(since), now);
        }
    }

    /// We have moved: what was said about that move is done with.
    pub fn moved(&mut self) {
        self.now = false;
        self.play = None;
    }

    /// A piece came: what was waited for may be here, and the wait has brought something.
    pub fn arrived(&mut self) {
        self.sit = None;
        self.sat = Default::default();
    }

    /// The partner got a piece. One that he wanted much is wanted no more, and for a while no other
    /// wish counts for much: it would have decided the match.
    pub fn gave(&mut self, role: Role, now: Moment) {
        let slot = role_index(role);
        if self.need(role, now).is_some_and(|weight| weight > Weight::Low) {
            self.fed = Some(now);
            for need in self.needs.iter_mut().flatten() {
                need.0 = Weight::Low;
            }
        }
        if let Some(need) = self.needs.get_mut(slot) {
            *need = None;
        }
    }

    /// How much a move may cost that the partner wants to see.
    pub fn indulgence(&self, now: Moment) -> Value {
        if fresh(self.misled.map(|at| ((), at)), DEAF, now).is_some() { 0 } else { OBEY }
    }

    /// The partner's move is played, and costs so much.
    pub fn obeyed(&mut self, cost: Value, now: Moment) {
        if cost > CHEAP {
            self.misled = Some(now);
        }
    }

    /// How long the partner's `sit` still counts.
    pub fn sit_left(&mut self, now: Moment) -> Option<Duration> {
        let since = self.sit?;
        let sat = self.sat.0 + now.saturating_sub(since);
        let left = SIT.checked_sub(sat).filter(|left| !left.is_zero());
        if left.is_none() {
            self.stand_up(now);
        }
        left
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

    /// Whether his board is lost, by what he said last of it. Who has said so does not say it again.
    pub fn lost(&self, now: Moment) -> bool {
        fresh(self.dead.map(|at| ((), at)), LOST, now).is_some()
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
