//! The wall clock: lines carry the moment they arrived, and that moment counts.

use std::time::{Duration, Instant};

use super::{Chair, Player, Sight, Table};
use crate::arena::clock::{Micros, SECOND, TimeControl};
use crate::arena::play::Termination;
use crate::arena::process::{Output, Stamped};
use crate::types::Seat;

/// The number of the keyboard among the sources of lines.
pub const KEYBOARD: usize = usize::MAX;

/// How long to wait for lines that were stamped before a flag but are not here yet.
const GRACE: Micros = 3_000;
/// How often to look for an interrupt.
const POLL: Micros = SECOND / 5;

impl Table<'_> {
    pub(super) fn run_real(&mut self) {
        let epoch = Instant::now();
        let since = |at: Instant| at.saturating_duration_since(epoch).as_micros() as Micros;
        self.begin_turns();
        let mut shown = 0;
        for stamped in std::mem::take(&mut self.early) {
            if self.ending.is_none() {
                self.line(stamped, 0);
            }
        }
        while self.ending.is_none() && !self.interrupted() {
            self.now = since(Instant::now());
            self.ask_all();
            if let Some(every) = self.watcher.tick()
                && self.now - shown >= every
            {
                shown = self.now;
                self.see(Sight::Tick);
            }
            let wake = epoch + Duration::from_micros(self.next_timer().max(0) as u64);
            match self.lines.recv_deadline(wake) {
                Ok(stamped) => {
                    let at = since(stamped.at);
                    // What was to happen before this line, unless an earlier line is still to come.
                    self.timers(at);
                    self.now = self.now.max(at);
                    if self.ending.is_none() {
                        self.line(stamped, at);
                    }
                }
                Err(_) => {
                    self.now = since(Instant::now());
                    self.timers(self.now);
                }
            }
        }
    }

    fn ask_all(&mut self) {
        for &seat in self.play.seats() {
            if self.states[seat.index()].needs_ask {
                self.ask(seat);
            }
        }
    }

    /// The next moment at which something happens by itself.
    fn next_timer(&self) -> Micros {
        let mut next = self.now + self.watcher.tick().unwrap_or(POLL).min(POLL);
        for seat in self.play.seats() {
            let state = &self.states[seat.index()];
            let flag = self.clocks[seat.index()].flag_at().map(|at| at + GRACE);
            let nudge = self.config.nudge.zip(state.asked).map(|(after, asked)| asked + after);
            let nudge = nudge.filter(|_| !state.nudged);
            for at in [flag, nudge, state.ask_at].into_iter().flatten() {
                next = next.min(at);
            }
        }
        next
    }

    fn timers(&mut self, now: Micros) {
        let fallen: Vec<(Micros, Seat)> = {
            let flag = |seat: &Seat| self.clocks[seat.index()].flag_at().map(|at| (at, *seat));
            let mut all: Vec<_> = self.play.seats().iter().filter_map(flag).collect();
            all.retain(|(at, _)| at + GRACE <= now);
            all.sort_unstable();
            all
        };
        if let Some(&(first, _)) = fallen.first() {
            self.now = first;
            let together = fallen.iter().take_while(|(at, _)| *at == first);
            let seats: Vec<Seat> = together.map(|(_, seat)| *seat).collect();
            return self.flag(&seats);
        }
        for &seat in self.play.seats() {
            let state = &mut self.states[seat.index()];
            if state.ask_at.is_some_and(|at| at <= now) {
                state.ask_at = None;
                state.needs_ask = true;
            }
            let Some(asked) = state.asked else { continue };
            if let Some(after) = self.config.nudge
                && !state.nudged
                && asked + after <= now
                && self.play.is_double()
            {
                state.nudged = true;
                self.tell(seat, "go");
            }
            let endless = self.clocks[seat.index()].control() == TimeControl::Infinite;
            let engine =
                matches!(self.chairs[seat.index()], Some(Chair { player: Player::Engine(_), .. }));
            if endless && engine && asked + self.config.patience <= now {
                let seconds = self.config.patience / SECOND;
                self.lose(seat, Termination::Stall, format!("no answer in {seconds} s"));
            }
        }
    }

    fn line(&mut self, stamped: Stamped, at: Micros) {
        if stamped.source == KEYBOARD {
            match stamped.output {
                Output::Line(line) => self.typed(&line),
                Output::Closed => self.keyboard_closed(),
            }
            return;
        }
        let Some(seat) = self.seat_of(stamped.source) else { return };
        match stamped.output {
            Output::Closed => {
                self.note(format!("{at} left {seat}"));
                self.lose(seat, Termination::Left, "the engine ended".to_string());
            }
            Output::Line(line) => {
                let heard = match &mut self.chairs[seat.index()] {
                    Some(Chair { player: Player::Engine(engine), .. }) => engine.hear(&line),
                    _ => None,
                };
                let Some(heard) = heard else { return };
                // The stamp counts for the mover's clock, not the moment of its handling.
                let handled = self.now;
                self.now = at;
                self.heard(seat, heard);
                self.now = self.now.max(handled);
            }
        }
    }
}
