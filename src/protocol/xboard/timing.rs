//! CECP's clocks: `level`, `st`, `sd`, `nps`, `time`, `otim`.

use std::time::{Duration, Instant};

use crate::engine::{Clock, Limits};
use crate::types::Seat;

/// How the engine's time is meted out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    /// Nobody said.
    Unknown,
    /// `level`: moves a session (0 = all), centiseconds of base and increment.
    Level(u32, u64, u64),
    /// `st`: centiseconds for each move.
    Each(u64),
}

/// What is known of time.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    control: Control,
    depth: Option<u32>,
    /// Nodes that count as a second, instead of the wall clock.
    nps: Option<u64>,
    /// The engine's clock in centiseconds.
    pub(super) own: Option<i64>,
    /// The others' clocks: the opponent's, the partner's, and that of the partner's opponent.
    pub(super) opponent: Option<i64>,
    pub(super) partner: Option<i64>,
    pub(super) diagonal: Option<i64>,
}

/// Think so long when nobody said anything about time.
const UNTOLD: Duration = Duration::from_secs(5);

impl Timing {
    pub(super) fn new() -> Timing {
        Timing {
            control: Control::Unknown,
            depth: None,
            nps: None,
            own: None,
            opponent: None,
            partner: None,
            diagonal: None,
        }
    }

    /// `new` lifts the limit of depth and of nodes; the time control stays.
    pub(super) fn new_game(&mut self) {
        self.depth = None;
        self.nps = None;
        self.own = None;
        (self.opponent, self.partner, self.diagonal) = (None, None, None);
    }

    /// All clocks of a table as far as they are known, the engine having this seat.
    pub(super) fn clocks(&self, seat: Seat) -> [Option<Duration>; 4] {
        Seat::ALL.map(|other| {
            let left = match other {
                _ if other == seat => self.own,
                _ if other == seat.opponent() => self.opponent,
                _ if other == seat.partner() => self.partner,
                _ => self.diagonal,
            };
            left.map(|left| centiseconds(left.max(0) as u64))
        })
    }

    pub(super) fn level(&mut self, moves: u32, base: u64, increment: u64) {
        self.control = Control::Level(moves, base, increment);
        self.own = None;
    }

    pub(super) fn each(&mut self, centiseconds: u64) {
        self.control = Control::Each(centiseconds);
    }

    pub(super) fn depth(&mut self, plies: u32) {
        self.depth = Some(plies);
    }

    pub(super) fn nodes_per_second(&mut self, nodes: i64) {
        self.nps = u64::try_from(nodes).ok().filter(|nodes| *nodes > 0);
    }

    pub(super) fn own(&mut self, centiseconds: i64) {
        self.own = Some(centiseconds);
    }

    /// The engine has moved: where the GUI tells no clock, we keep it.
    pub(super) fn moved(&mut self, used: Duration, own_moves: u32) {
        let Control::Level(moves, base, increment) = self.control else { return };
        let left = self.own.unwrap_or(base as i64) - (used.as_millis() / 10) as i64;
        let mut left = left.saturating_add(increment as i64);
        if moves > 0 && own_moves.is_multiple_of(moves) {
            left = left.saturating_add(base as i64);
        }
        self.own = Some(left);
    }

    /// The limits of a move asked for at `start`, the engine having made `own_moves` before.
    pub(super) fn limits(&self, start: Instant, overhead: Duration, own_moves: u32) -> Limits {
        let mut limits = Limits::new(start);
        limits.overhead = overhead;
        limits.depth = self.depth;
        let nodes = |centiseconds: u64, nps: u64| (centiseconds.saturating_mul(nps) / 100).max(1);
        match (self.control, self.nps) {
            (Control::Each(each), Some(nps)) => limits.nodes = Some(nodes(each, nps)),
            (Control::Each(each), None) => limits.movetime = Some(centiseconds(each)),
            (Control::Level(moves, base, increment), nps) => {
                let left = self.own.unwrap_or(base as i64).max(0) as u64;
                match nps {
                    Some(nps) => limits.soft_nodes = Some(nodes(left / 40 + increment / 2, nps)),
                    None => {
                        limits.clock = Some(Clock {
                            remaining: centiseconds(left),
                            increment: centiseconds(increment),
                            moves_to_go: (moves > 0).then(|| moves - own_moves % moves.max(1)),
                        });
                    }
                }
            }
            (Control::Unknown, _) => match self.own {
                Some(left) => {
                    limits.clock = Some(Clock {
                        remaining: centiseconds(left.max(0) as u64),
                        increment: Duration::ZERO,
                        moves_to_go: None,
                    });
                }
                None if self.depth.is_none() => limits.movetime = Some(UNTOLD),
                None => {}
            },
        }
        limits
    }
}

fn centiseconds(n: u64) -> Duration {
    Duration::from_millis(n.saturating_mul(10))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(timing: &Timing, own_moves: u32) -> Limits {
        timing.limits(Instant::now(), Duration::ZERO, own_moves)
    }

    #[test]
    fn sessions_of_moves() {
        let mut timing = Timing::new();
        timing.level(40, 30_000, 0);
        timing.own(12_345);
        let clock = limits(&timing, 42).clock.expect("a clock");
        assert_eq!(clock.remaining, Duration::from_millis(123_450));
        assert_eq!(clock.moves_to_go, Some(38));
    }

    #[test]
    fn a_clock_nobody_tells_is_kept() {
        let mut timing = Timing::new();
        timing.level(0, 6000, 200);
        timing.moved(Duration::from_secs(10), 1);
        let clock = limits(&timing, 1).clock.expect("a clock");
        assert_eq!(clock.remaining, Duration::from_secs(52));
        assert_eq!((clock.increment, clock.moves_to_go), (Duration::from_secs(2), None));
    }

    #[test]
    fn nodes_instead_of_seconds() {
        let mut timing = Timing::new();
        timing.nodes_per_second(1);
        timing.each(2000 * 100);
        assert_eq!(limits(&timing, 0).nodes, Some(2000));
        timing.new_game();
        assert_eq!(limits(&timing, 0).movetime, Some(Duration::from_secs(2000)));
    }

    #[test]
    fn a_late_clock_is_empty() {
        let mut timing = Timing::new();
        timing.own(-5);
        assert_eq!(limits(&timing, 0).clock.map(|c| c.remaining), Some(Duration::ZERO));
    }
}
