//! How long to think.

use std::time::{Duration, Instant};

use super::{Control, Limits};

/// The time a search may take: beyond the soft limit it begins nothing new, at the hard one it
/// ends at once.
#[derive(Debug)]
pub(super) struct Budget {
    start: Instant,
    ponder: bool,
    soft: Option<Duration>,
    hard: Option<Duration>,
    /// The time is given, not budgeted: use all of it.
    exact: bool,
}

/// Moves still expected where no time control tells: games with drops are short and sharp, and
/// what is decided early stays decided.
const HORIZON: u32 = 23;
/// With less than this on the clock the share a move may take shrinks: a busy machine can hold an
/// answer back for longer than the overhead says.
const AMPLE: Duration = Duration::from_secs(1);
/// Even with nothing on the clock a move takes this.
const LEAST: Duration = Duration::from_millis(1);

impl Budget {
    pub fn new(limits: &Limits, ponder: bool) -> Budget {
        let (mut soft, mut hard) = (None, None);
        let mut exact = false;
        if let Some(clock) = limits.clock {
            let left = clock.remaining.saturating_sub(limits.overhead);
            let moves = clock.moves_to_go.map_or(HORIZON, |n| n.clamp(1, HORIZON));
            // Only what is on the clock now can be lost; the increment comes after the move.
            let spare = left.saturating_sub(limits.overhead * (moves - 1).min(8));
            let share = spare / moves + clock.increment * 7 / 10;
            if moves == 1 {
                soft = Some((left * 7 / 10).max(LEAST));
                hard = Some((left * 9 / 10).max(LEAST));
            } else {
                let most = left.mul_f64(0.5 * left.div_duration_f64(AMPLE).min(1.0));
                soft = Some(share.min(most * 8 / 10).max(LEAST));
                hard = Some((share * 4).min(most).max(LEAST));
            }
        }
        if let Some(time) = limits.movetime {
            let time = time.saturating_sub(limits.overhead).max(LEAST);
            hard = Some(hard.map_or(time, |h| h.min(time)));
            exact = limits.clock.is_none();
        }
        if limits.infinite {
            (soft, hard) = (None, None);
        }
        Budget { start: limits.start, ponder, soft, hard, exact }
    }

    /// Since when the clock runs; `None` while pondering.
    fn running(&self, control: &Control) -> Option<Instant> {
        if self.ponder { control.hit_at() } else { Some(self.start) }
    }

    /// Time since the search was asked for.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether the clock has the last word here.
    pub fn is_clocked(&self) -> bool {
        self.soft.is_some() && !self.exact
    }

    /// Whether the search must end at once.
    pub fn hard_reached(&self, control: &Control) -> bool {
        match (self.hard, self.running(control)) {
            (Some(hard), Some(since)) => since.elapsed() >= hard,
            _ => false,
        }
    }

    /// Whether nothing new should begin, the soft limit being stretched by `factor`.
    pub fn soft_reached(&self, control: &Control, factor: f64) -> bool {
        match (self.soft, self.running(control)) {
            (Some(soft), Some(since)) => {
                let limit = soft.mul_f64(factor);
                let limit = self.hard.map_or(limit, |hard| limit.min(hard));
                since.elapsed() >= limit
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Clock;
    use super::*;

    fn budget(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> (Duration, Duration) {
        let mut limits = Limits::new(Instant::now());
        limits.overhead = Duration::from_millis(30);
        limits.clock = Some(Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
        });
        let budget = Budget::new(&limits, false);
        (budget.soft.unwrap(), budget.hard.unwrap())
    }

    #[test]
    fn the_hard_limit_never_reaches_the_flag() {
        for remaining in [0, 1, 20, 31, 50, 100, 1000, 60_000, 3_600_000] {
            for increment in [0, 10, 1000, 60_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let (soft, hard) = budget(remaining, increment, moves_to_go);
                    let room = Duration::from_millis(remaining.saturating_sub(30)).max(LEAST);
                    assert!(hard <= room, "{remaining} {increment} {moves_to_go:?}: {hard:?}");
                    assert!(soft <= room.max(LEAST));
                }
            }
        }
    }

    #[test]
    fn little_time_is_kept_for_delays() {
        for (remaining, kept) in [(130, 120), (330, 270), (530, 380), (1030, 500)] {
            let (_, hard) = budget(remaining, 100, None);
            let room = Duration::from_millis(remaining) - hard;
            assert!(room >= Duration::from_millis(kept), "{remaining}: {hard:?}");
        }
    }

    #[test]
    fn pondering_runs_no_clock() {
        let mut limits = Limits::new(Instant::now());
        limits.movetime = Some(Duration::ZERO);
        let budget = Budget::new(&limits, true);
        let control = Control::new();
        std::thread::sleep(Duration::from_millis(2));
        assert!(!budget.hard_reached(&control));
        control.ponderhit(Instant::now() - Duration::from_millis(5));
        assert!(budget.hard_reached(&control));
    }
}
