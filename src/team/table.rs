//! What a player sees of the table at one moment.

use std::time::Duration;

use crate::rules::Position;
use crate::types::{HAND_ROLES, Seat};

/// Time since the match began, as whoever keeps real time counts it.
pub type Moment = Duration;

/// Time left on the four clocks; a clock nobody told of is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    left: [Option<Duration>; 4],
}

impl Clocks {
    /// What a seat has left.
    pub fn get(&self, seat: Seat) -> Option<Duration> {
        self.left[seat.index()]
    }

    /// Sets what a seat has left. Negative times are for the caller to turn into zero.
    pub fn set(&mut self, seat: Seat, left: Option<Duration>) {
        self.left[seat.index()] = left;
    }

    /// Lets a seat's clock run.
    pub fn run(&mut self, seat: Seat, time: Duration) {
        if let Some(left) = &mut self.left[seat.index()] {
            *left = left.saturating_sub(time);
        }
    }
}

/// Which parts of team play are switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Captures are worth what they are in the hands they go to.
    pub trade_worth: bool,
    /// What the other board will send is reckoned with.
    pub arrivals: bool,
    /// Waiting by choice.
    pub waiting: bool,
    /// Speaking and listening.
    pub talk: bool,
}

impl Parts {
    /// Everything.
    pub const ALL: Parts = Parts { trade_worth: true, arrivals: true, waiting: true, talk: true };
    /// A player who looks at his own board only.
    pub const NONE: Parts =
        Parts { trade_worth: false, arrivals: false, waiting: false, talk: false };
}

/// One player's view: his board, the other board if it is known, and the clocks.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Whose view it is.
    pub seat: Seat,
    /// His board.
    pub own: Position,
    /// The other board.
    pub other: Option<Position>,
    /// The clocks, brought up to the present moment.
    pub clocks: Clocks,
    /// How long the player on move on the other board has been seen to think.
    pub thinks: Duration,
}

/// The part of a clock that a player thinks about one move; who takes longer is sitting.
const MOMENT: u32 = 16;

impl Table {
    /// Whether it is his turn.
    pub fn on_move(&self) -> bool {
        self.own.turn() == self.seat.color()
    }

    /// Whether the partner is to move; unknown without the other board.
    pub fn partner_to_move(&self) -> Option<bool> {
        self.other.map(|other| other.turn() == self.seat.partner().color())
    }

    /// By how much his clock is ahead of the diagonal's, if both are known. Negative: behind.
    pub fn lead(&self) -> Option<i64> {
        let mine = self.clocks.get(self.seat)?;
        let theirs = self.clocks.get(self.seat.diagonal())?;
        let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 2);
        Some(millis(mine) - millis(theirs))
    }

    /// For how much longer the player on move on the other board may only be thinking. Afterwards he
    /// is taken to sit.
    pub fn patience_with_other(&self) -> Duration {
        let clocks = [self.seat, self.seat.opponent()].map(|seat| self.clocks.get(seat));
        let longest = clocks.into_iter().flatten().max().unwrap_or_default();
        (longest / MOMENT).max(Duration::from_secs(1)).saturating_sub(self.thinks)
    }

    /// How many pieces of each kind could still come to a colour on this board: what two sets hold
    /// less what is on the board and in hand already. For a table whose other board is unknown.
    pub fn outstanding(&self) -> [u8; 5] {
        let color = self.seat.color();
        let two_sets: [u8; 5] = [16, 4, 4, 4, 2];
        let mut left = [0u8; 5];
        for (slot, role) in HAND_ROLES.into_iter().enumerate() {
            let full = self.own.by_piece(color, role) & !self.own.promoted();
            let mut here = full.count() + usize::from(self.own.hand(color, role));
            if slot == 0 {
                here += (self.own.by_color(color) & self.own.promoted()).count();
            }
            left[slot] = u8::try_from(here).map_or(0, |here| two_sets[slot].saturating_sub(here));
        }
        left
    }
}
