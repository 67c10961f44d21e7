//! The virtual clock: a search of fixed size takes a known simulated time, so its end is known
//! before it begins. The earliest end is searched first, with everything that happened before it.
//! A game repeats bit for bit, however busy the machine is.

use std::time::{Duration, Instant};

use super::{Chair, Player, Table};
use crate::arena::clock::Micros;
use crate::arena::dialect::Heard;
use crate::arena::play::Termination;
use crate::arena::process::Output;
use crate::types::Seat;

/// Real time an engine may take for one answer; only a broken one needs it.
const ANSWER: Duration = Duration::from_secs(60);

/// Repeatable noise from numbers that name an event.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl Table<'_> {
    pub(super) fn run_virtual(&mut self, rate: u64, latency: Micros, seed: u64) {
        self.begin_turns();
        self.schedule(rate, latency, seed);
        while self.ending.is_none() && !self.interrupted() {
            let seats = self.play.seats();
            let due = seats.iter().filter_map(|s| Some((self.states[s.index()].due?, *s))).min();
            let flags = seats.iter().filter_map(|s| Some((self.clocks[s.index()].flag_at()?, *s)));
            let flag = flags.clone().min();
            match (due, flag) {
                // A move at the instant of a flag comes first.
                (Some((at, seat)), flag) if flag.is_none_or(|(flag, _)| at <= flag) => {
                    self.now = at;
                    self.states[seat.index()].due = None;
                    self.answer(seat);
                }
                (_, Some((at, _))) => {
                    let fallen: Vec<Seat> = flags.filter(|f| f.0 == at).map(|f| f.1).collect();
                    self.now = at;
                    self.flag(&fallen);
                }
                _ => {
                    let seat = seats[0];
                    let detail = "everybody waits and no clock runs".to_string();
                    self.lose(seat, Termination::Stall, detail);
                }
            }
            self.schedule(rate, latency, seed);
        }
    }

    /// Gives everyone who has something to answer the moment of his answer.
    fn schedule(&mut self, rate: u64, latency: Micros, seed: u64) {
        for &seat in self.play.seats() {
            let Some(chair) = &self.chairs[seat.index()] else { continue };
            let state = &mut self.states[seat.index()];
            // Who waits is asked again when something happens, even before he meant to be.
            let woken = state.needs_ask && state.waiting;
            if state.due.is_some() && !woken {
                continue;
            }
            if state.needs_ask {
                let nodes = chair.limits.nodes.unwrap_or(1);
                let search = (nodes as i128 * 1_000_000 / i128::from(rate.max(1))) as Micros;
                // Without noise equal searches would end in lockstep on both boards.
                let event = mix(seed ^ mix(chair.identity ^ mix(u64::from(state.made))));
                let jitter = (event % (search / 8 + 1000) as u64) as Micros;
                let at = self.now + latency + search + jitter;
                state.due = Some(state.due.map_or(at, |due| due.min(at)));
                state.ask_at = None;
            } else if let Some(at) = state.ask_at.take() {
                state.due = Some(at.max(self.now));
            }
        }
    }

    /// Asks now and waits for the answer. Who cannot move has none to give, but may have something
    /// to say to his partner.
    fn answer(&mut self, seat: Seat) {
        let (sees, speaks_first) = match &self.chairs[seat.index()] {
            Some(Chair { player: Player::Engine(engine), .. }) => {
                (engine.sees_both_boards(), engine.speaks_first())
            }
            _ => (false, true),
        };
        let has_words = sees && speaks_first;
        if !has_words && !self.play.can_move(seat) {
            self.states[seat.index()].needs_ask = false;
            return self.wait(seat, None);
        }
        self.ask(seat);
        self.listen(seat, false);
        // What comes after an answer would be heard before the next question or not as the machine
        // happens to be busy. With a sign of life all of it has come, and none of it counts.
        if !speaks_first
            && let Some(Chair { player: Player::Engine(engine), .. }) =
                &mut self.chairs[seat.index()]
            && engine.ping()
        {
            self.listen(seat, true);
        }
    }

    /// Hears an engine out until its answer, or only until its sign of life.
    fn listen(&mut self, seat: Seat, only_sign: bool) {
        let end = Instant::now() + ANSWER;
        let mut done = false;
        while !done && self.ending.is_none() {
            let Ok(stamped) = self.lines.recv_deadline(end.min(Instant::now() + ANSWER / 60))
            else {
                if self.interrupted() {
                    return;
                }
                self.give_up(seat, end);
                continue;
            };
            let Some(from) = self.seat_of(stamped.source) else { continue };
            match stamped.output {
                Output::Closed => {
                    self.note(format!("{} left {from}", self.now));
                    self.lose(from, Termination::Left, "the engine ended".to_string());
                }
                Output::Line(line) => {
                    let heard = match &mut self.chairs[from.index()] {
                        Some(Chair { player: Player::Engine(engine), .. }) => engine.hear(&line),
                        _ => None,
                    };
                    match heard {
                        // Only the one who was asked is listened to: what others say in between
                        // comes at a moment that no simulated clock knows.
                        Some(Heard::Ready) if from == seat => done = only_sign,
                        Some(heard) if from == seat && !only_sign => {
                            if matches!(heard, Heard::Move(_) | Heard::Wait) {
                                self.states[seat.index()].asked = None;
                            }
                            self.heard(seat, heard);
                            done = self.states[seat.index()].asked.is_none();
                        }
                        _ => {}
                    }
                }
            }
            self.give_up(seat, end);
        }
    }

    fn give_up(&mut self, seat: Seat, end: Instant) {
        if Instant::now() >= end && self.ending.is_none() {
            let detail = format!("no answer in {} s", ANSWER.as_secs());
            self.lose(seat, Termination::Stall, detail);
        }
    }
}
