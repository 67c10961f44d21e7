//! How fast to play, from four clocks.

use std::time::Duration;

use super::inbox::Inbox;
use super::table::{Moment, Table};

/// What to do to the time a move would get by the own clock alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The time left to reckon with; never more than is on the clock.
    pub left: Duration,
    /// The most of an increment to reckon with.
    pub increment: Duration,
}

/// Percentages of the own clock to reckon with.
const HURRY: u32 = 25;
const SLOWEST: u32 = 100;
const FASTEST: u32 = 35;
/// With less on the clock losing on time is the greatest danger.
const SHORT: Duration = Duration::from_secs(2);

/// The pace of the next move. The side that is ahead of its diagonal owns the right to wait, so who
/// falls behind plays faster until he has caught up; who is asked to hurry hurries.
pub fn pace(table: &Table, inbox: &Inbox, now: Moment) -> Option<Pace> {
    let mine = table.clocks.get(table.seat)?;
    let mut percent = SLOWEST;
    if let Some(theirs) = table.clocks.get(table.seat.diagonal()) {
        // Twice as far behind is twice as fast, within bounds.
        let ratio = (mine.as_millis() + 1) * 100 / (theirs.as_millis() + 1);
        percent = u32::try_from(ratio).unwrap_or(SLOWEST).clamp(FASTEST, SLOWEST);
    }
    match inbox.hurry(now) {
        Some(true) => percent = percent.min(HURRY),
        Some(false) => percent = SLOWEST,
        None => {}
    }
    // A busy machine may take a player off for a good part of a second: of what little is left, most
    // is kept against that, and an increment that is still to come helps nobody.
    let safe = mine.saturating_sub(SHORT.saturating_sub(mine) / 4);
    let increment = if mine < SHORT { mine / 10 } else { Duration::MAX };
    Some(Pace { left: (mine * percent / 100).min(safe), increment })
}
