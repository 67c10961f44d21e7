//! Play or wait.
//!
//! Both boards' clocks run while both movers wait, so a lead over the diagonal stays what it is,
//! and the side behind must move first or lose. Waiting while the partner is to move only burns the
//! own clock, unless what he sends is worth it. Every wait ends, and always before the flag.

use std::time::Duration;

use super::arrivals::Arrivals;
use super::inbox::Inbox;
use super::table::{Moment, Table};
use crate::types::{HAND_ROLES, MATE_IN_MAX, Role, Value};

/// Why to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no move.
    NoMove,
    /// Every move loses, and this piece would save.
    Saves(Role),
    /// This piece would mate.
    Mates(Role),
    /// This piece would win much.
    Wins(Role),
    /// Every move loses, and the diagonal must move before us.
    Outlast,
    /// The partner asked.
    Asked,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Play the best move.
    Play,
    /// Wait so long at the most; `None` where there is nothing else to do.
    Wait(Option<Duration>, Reason),
}

/// The value of the position if a piece of each role came now; unknown where nobody looked.
pub type Hopes = [Option<Value>; 5];

/// What a decision is made from.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The table now.
    pub table: &'a Table,
    /// The value of the best move.
    pub value: Value,
    /// What each piece would change.
    pub hopes: Hopes,
    /// What may arrive.
    pub arrivals: Arrivals,
    /// How long this move has been waited for by choice.
    pub waited: Duration,
}

/// Kept on the clock whatever the reason, and a part of what was there: a piece that comes is no use
/// to a player who cannot play on.
const RESERVE: Duration = Duration::from_millis(1_500);
const KEPT: u32 = 5;
/// A lead that counts as one.
const MARGIN: i64 = 1_000;
/// Worse than this, a position is lost unless something comes.
const LOST: Value = -1_500;
/// A gain that is worth waiting for.
const MUCH: Value = 500;

/// How much longer waiting is sound by the clocks, whatever for, after so long a wait. `dire`: every
/// move loses, so that time is all there is.
pub fn patience(table: &Table, dire: bool, waited: Duration) -> Duration {
    let Some(mine) = table.clocks.get(table.seat) else {
        // Without a clock of ours nothing tells when to stop: a moment only.
        return Duration::from_secs(1).saturating_sub(waited);
    };
    let most = mine.saturating_sub(RESERVE.max((mine + waited) / KEPT));
    if dire {
        return most;
    }
    let short = (mine + waited) / 20;
    let short = most.min(short.min(Duration::from_secs(3)).saturating_sub(waited));
    match (table.partner_to_move(), table.lead()) {
        // The diagonal must move before his flag falls, and it falls before ours.
        (Some(false), Some(lead)) if lead > MARGIN => {
            table.clocks.get(table.seat.diagonal()).map_or(short, |theirs| most.min(theirs))
        }
        // Behind: he can outwait us.
        (Some(false), Some(_)) => Duration::ZERO,
        _ => short,
    }
}

/// Decides for the player on move.
pub fn decide(situation: &Situation, inbox: &mut Inbox, now: Moment) -> Decision {
    let Situation { table, value, hopes, arrivals, waited } = *situation;
    if !table.own.has_legal_move() {
        return Decision::Wait(None, Reason::NoMove);
    }
    // A mate is played: on the other board the race may be going the other way.
    if value >= MATE_IN_MAX || inbox.move_now() {
        return Decision::Play;
    }
    let left = |dire| Some(patience(table, dire, waited)).filter(|left| !left.is_zero());
    let hope = |floor: Value, least: u8| {
        HAND_ROLES
            .into_iter()
            .enumerate()
            .filter(|(slot, _)| arrivals.mine[*slot] >= least)
            .filter_map(|(slot, role)| Some((hopes[slot].filter(|hope| *hope >= floor)?, role)))
            .max_by_key(|(hope, _)| *hope)
    };
    if value <= LOST
        && let Some((_, role)) = hope((value + 2 * MUCH).max(LOST / 2), 1)
        && let Some(time) = left(true)
    {
        return Decision::Wait(Some(time), Reason::Saves(role));
    }
    // Who must move first, loses: let it be him.
    if value <= -MATE_IN_MAX
        && table.partner_to_move() == Some(false)
        && table.lead().is_some_and(|lead| lead > MARGIN)
        && let Some(time) = left(false)
    {
        return Decision::Wait(Some(time), Reason::Outlast);
    }
    if let Some(time) = left(false) {
        if let Some((_, role)) = hope(MATE_IN_MAX, 20) {
            return Decision::Wait(Some(time), Reason::Mates(role));
        }
        if let Some((_, role)) = hope(value + MUCH, 60) {
            let time = time.min(Duration::from_secs(3));
            return Decision::Wait(Some(time), Reason::Wins(role));
        }
    }
    if let Some(asked) = inbox.sit_left(now)
        && let Some(mine) = table.clocks.get(table.seat)
        && let Some(safe) = mine.checked_sub(RESERVE * 2).filter(|safe| !safe.is_zero())
        && table.lead().is_none_or(|lead| lead > -5 * MARGIN)
    {
        return Decision::Wait(Some(asked.min(safe)), Reason::Asked);
    }
    Decision::Play
}
