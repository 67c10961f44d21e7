//! Play or wait.
//!
//! Both boards' clocks run while both movers wait, so a lead over the diagonal stays what it is,
//! and the side behind must move first or lose. Waiting while the partner is to move only burns the
//! own clock, unless what he sends is worth it. Every wait ends, and always before the flag.

use std::time::Duration;

use super::arrivals::Arrivals;
use super::inbox::Inbox;
use super::table::{Moment, Table};
use crate::types::{BoardId, HAND_ROLES, MATE_IN_MAX, Role, Value};

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
    /// The match is better decided on the other board.
    Elsewhere,
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
    /// What the other board is worth to the team, where somebody looked.
    pub other: Option<Value>,
    /// What each piece would change.
    pub hopes: Hopes,
    /// The pieces the partner can take with his next move that mate here.
    pub mating: [bool; 5],
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
/// What a value means on a board that decides the match, from matches of the engine with itself.
const SCALE: f64 = 550.0;
/// By how many thousandths the other board must promise more than a lost one: to sit down, to stay
/// seated, and where every move is mated.
const GAIN: i32 = 250;
const GAIN_SITTING: i32 = 150;
const GAIN_MATED: i32 = 30;

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

/// Chances to win in thousandths that go with a value.
fn chance(value: Value) -> i32 {
    (1000.0 / (1.0 + (-f64::from(value) / SCALE).exp())).round() as i32
}

/// Two partners who wait for each other lose together. Where both are mated, the one on board B
/// goes on; who cannot move waits for the other in any case.
fn may_outsit_partner(table: &Table) -> bool {
    table.seat.board() == BoardId::A
        && table.other.as_ref().is_some_and(|other| other.has_legal_move())
}

/// How much of a long wait is sound, by who moves on the other board. While he may only be thinking,
/// a moment; then he is sitting, and of two who sit one goes on. Nothing happens at a table at which
/// both do, and nobody would be asked again before the time given here is over.
fn until(table: &Table, most: Duration) -> Duration {
    match (table.partner_to_move(), table.lead()) {
        (Some(true), _) if may_outsit_partner(table) => most,
        // He must move before we must.
        (Some(false), Some(lead)) if lead > MARGIN => most,
        _ => most.min(table.patience_with_other()),
    }
}

/// How long to stand still in a lost position, so that the match is decided on the other board.
fn elsewhere(situation: &Situation) -> Option<Duration> {
    let Situation { table, value, other, waited, .. } = *situation;
    if value > LOST {
        return None;
    }
    let mated = value <= -MATE_IN_MAX;
    let gain = chance(other?) - chance(value);
    let wanted = match (mated, waited.is_zero()) {
        (true, _) => GAIN_MATED,
        (false, true) => GAIN,
        // Standing up cannot be taken back, sitting can.
        (false, false) => GAIN_SITTING,
    };
    if gain < wanted {
        return None;
    }
    let mine = table.clocks.get(table.seat)?;
    if table.other.is_none() {
        // Nothing is to be lost by sitting here, and nothing is known of whom to wait for.
        return Some(mine.saturating_sub(RESERVE)).filter(|time| mated && !time.is_zero());
    }
    let opponent = table.clocks.get(table.seat.opponent())?;
    let keep = if mated { RESERVE } else { RESERVE.max(opponent / KEPT) };
    let most = mine.saturating_sub(keep);
    let time = match (table.partner_to_move()?, table.lead()?) {
        // A partner who sits has his reasons, and only a mated board has none to go on.
        (true, _) if !mated => most.min(table.patience_with_other()),
        _ => until(table, most),
    };
    (!time.is_zero()).then_some(time)
}

/// How long to wait for a piece that mates: that the partner can take with his next move or, where
/// his board is not known, that he was asked for.
fn for_mate(table: &Table, waited: Duration) -> Option<Duration> {
    let mut moment = table.patience_with_other();
    let mine = table.clocks.get(table.seat);
    let mut keep = RESERVE.max(mine.unwrap_or_default() / KEPT);
    if table.other.is_none() {
        // He may not be able to help: that must not cost the lead on the own board.
        moment = moment.saturating_sub(waited);
        keep = keep.max(table.clocks.get(table.seat.opponent()).unwrap_or_default() * 2 / 3);
    }
    let most = mine.map_or(moment, |mine| mine.saturating_sub(keep));
    Some(most.min(moment)).filter(|time| !time.is_zero())
}

/// Decides for the player on move.
pub fn decide(situation: &Situation, inbox: &mut Inbox, now: Moment) -> Decision {
    let Situation { table, value, hopes, arrivals, waited, .. } = *situation;
    if !table.own.has_legal_move() {
        return Decision::Wait(None, Reason::NoMove);
    }
    // A mate is played: on the other board the race may be going the other way.
    if value >= MATE_IN_MAX || inbox.move_now() {
        return Decision::Play;
    }
    if let Some(time) = elsewhere(situation) {
        return Decision::Wait(Some(time), Reason::Elsewhere);
    }
    if let Some(slot) = situation.mating.iter().position(|mates| *mates)
        && let Some(time) = for_mate(table, waited)
    {
        return Decision::Wait(Some(time), Reason::Mates(HAND_ROLES[slot]));
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
        && let Some(time) = left(true).map(|most| until(table, most))
        && !time.is_zero()
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
    if let Some(time) = left(false)
        && let Some((_, role)) = hope(value + MUCH, 60)
    {
        let time = time.min(Duration::from_secs(3));
        return Decision::Wait(Some(time), Reason::Wins(role));
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
