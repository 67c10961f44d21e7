//! Time controls and players' clocks in integer microseconds. `now` is always passed in.

use std::fmt;
use std::str::FromStr;

/// A moment or a duration in microseconds. Moments count from the start of the match.
pub type Micros = i64;

/// Microseconds in a second.
pub const SECOND: Micros = 1_000_000;

/// How long a player may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// `[moves/][min:]sec[+inc]`.
    Clock {
        /// Moves until the base is added again; none for the whole game.
        moves: Option<u32>,
        /// Time at the start.
        base: Micros,
        /// Added after each move.
        increment: Micros,
    },
    /// A fixed time for each move.
    PerMove(Micros),
    /// No clock.
    Infinite,
}

impl TimeControl {
    /// Three minutes, the default of a bughouse table.
    pub const THREE_MINUTES: TimeControl =
        TimeControl::Clock { moves: None, base: 180 * SECOND, increment: 0 };
}

/// Seconds with up to six digits behind the point.
fn seconds(text: &str) -> Option<Micros> {
    let value: f64 = text.parse().ok()?;
    (value.is_finite() && (0.0..=1e7).contains(&value)).then(|| (value * 1e6).round() as Micros)
}

impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeControl, String> {
        let fault =
            || format!("time control '{text}' is not [moves/][minutes:]seconds[+increment]");
        if text == "inf" {
            return Ok(TimeControl::Infinite);
        }
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(moves.parse::<u32>().map_err(|_| fault())?), rest),
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let base = match base.split_once(':') {
            Some((minutes, rest)) => {
                let minutes: u32 = minutes.parse().map_err(|_| fault())?;
                Micros::from(minutes) * 60 * SECOND + seconds(rest).ok_or_else(fault)?
            }
            None => seconds(base).ok_or_else(fault)?,
        };
        let increment = seconds(increment).ok_or_else(fault)?;
        if base == 0 && increment == 0 || moves == Some(0) {
            return Err(format!("time control '{text}' leaves no time to move"));
        }
        // A player with no base has his increment for the first move.
        let base = if base == 0 { increment } else { base };
        Ok(TimeControl::Clock { moves, base, increment })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |us: Micros| us as f64 / 1e6;
        match self {
            TimeControl::Clock { moves, base, increment } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                write!(f, "{}+{}", part(*base), part(*increment))
            }
            TimeControl::PerMove(us) => write!(f, "{}/move", part(*us)),
            TimeControl::Infinite => f.write_str("inf"),
        }
    }
}

/// One player's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatClock {
    control: TimeControl,
    remaining: Micros,
    moves: u32,
    since: Option<Micros>,
    /// What a player may overstep unpunished.
    margin: Micros,
}

impl SeatClock {
    /// A stopped clock.
    pub fn new(control: TimeControl, margin: Micros) -> SeatClock {
        let remaining = match control {
            TimeControl::Clock { base, .. } => base,
            TimeControl::PerMove(us) => us,
            TimeControl::Infinite => 0,
        };
        SeatClock { control, remaining, moves: 0, since: None, margin }
    }

    /// The time control.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Starts it, unless it runs already.
    pub fn start(&mut self, now: Micros) {
        self.since.get_or_insert(now);
    }

    /// Since when it runs.
    pub fn running_since(&self) -> Option<Micros> {
        self.since
    }

    /// What is left at a moment; below zero once the flag is down. Without a clock, zero.
    pub fn remaining(&self, now: Micros) -> Micros {
        match (self.control, self.since) {
            (TimeControl::Infinite, _) => 0,
            (_, Some(since)) => self.remaining - (now - since).max(0),
            (_, None) => self.remaining,
        }
    }

    /// The moment the flag falls, while it runs.
    pub fn flag_at(&self) -> Option<Micros> {
        match self.control {
            TimeControl::Infinite => None,
            _ => self.since.map(|since| since + self.remaining + self.margin),
        }
    }

    /// Moves left until time is added, for controls that count moves.
    pub fn moves_to_go(&self) -> Option<u32> {
        match self.control {
            TimeControl::Clock { moves: Some(period), .. } => Some(period - self.moves % period),
            _ => None,
        }
    }

    /// Stops it for a move made at `now`. `false` when the flag had fallen before, in which case
    /// the clock stands at what was left.
    pub fn press(&mut self, now: Micros) -> bool {
        let in_time = self.flag_at().is_none_or(|flag| now <= flag);
        let left = self.remaining(now);
        self.since = None;
        self.remaining = left;
        if in_time {
            self.moves += 1;
            // A player inside the margin goes on from zero.
            self.remaining = left.max(0);
            match self.control {
                TimeControl::Clock { moves, base, increment } => {
                    self.remaining += increment;
                    if moves.is_some_and(|period| self.moves.is_multiple_of(period)) {
                        self.remaining += base;
                    }
                }
                TimeControl::PerMove(us) => self.remaining = us,
                TimeControl::Infinite => {}
            }
        }
        in_time
    }

    /// Stops it at the end of a match.
    pub fn stop(&mut self, now: Micros) {
        self.remaining = self.remaining(now);
        self.since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_read() {
        let read = |text: &str| text.parse::<TimeControl>();
        let clock = |moves, base, increment| Ok(TimeControl::Clock { moves, base, increment });
        assert_eq!(read("180+0"), clock(None, 180 * SECOND, 0));
        assert_eq!(read("40/1:30.5+0.25"), clock(Some(40), 90_500_000, 250_000));
        assert_eq!(read("0+0.1"), clock(None, 100_000, 100_000));
        assert_eq!(read("inf"), Ok(TimeControl::Infinite));
        for bad in ["", "x", "0", "-5", "5+", "0/5", "1:2:3", "nan", "1e9", "5+-1"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert_eq!(read("40/90+0.5").unwrap().to_string(), "40/90+0.5");
    }

    #[test]
    fn a_clock_runs_and_is_pressed() {
        let mut clock = SeatClock::new("2/10+1".parse().unwrap(), 0);
        clock.start(100);
        clock.start(200);
        assert_eq!(clock.flag_at(), Some(100 + 10 * SECOND));
        assert_eq!(clock.remaining(100 + 4 * SECOND), 6 * SECOND);
        assert_eq!(clock.moves_to_go(), Some(2));
        assert!(clock.press(100 + 4 * SECOND));
        assert_eq!(clock.remaining(0), 7 * SECOND);
        clock.start(0);
        // The very instant of the flag is still in time: move before flag.
        assert!(clock.press(7 * SECOND));
        assert_eq!(clock.remaining(0), 11 * SECOND);
        clock.start(0);
        assert!(!clock.press(11 * SECOND + 1));
        assert_eq!(clock.remaining(0), -1);
    }

    #[test]
    fn margins_and_fixed_times() {
        let mut clock = SeatClock::new(TimeControl::PerMove(SECOND), 50_000);
        clock.start(0);
        assert!(clock.press(1_050_000));
        assert_eq!(clock.remaining(0), SECOND);
        let mut none = SeatClock::new(TimeControl::Infinite, 0);
        none.start(0);
        assert_eq!(none.flag_at(), None);
        assert!(none.press(1 << 40));
    }
}
