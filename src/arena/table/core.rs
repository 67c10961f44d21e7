//! The state of a table and what every event does to it, whoever decides when it happens.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::{
    Chair, Driver, Finished, Incident, Interrupt, Player, Scene, Sight, TableConfig, TableMove,
    Watcher,
};
use crate::arena::clock::{Micros, SECOND, SeatClock, TimeControl};
use crate::arena::dialect::{Heard, View};
use crate::arena::play::{Ending, Play, Termination};
use crate::arena::process::{Output, Stamped};
use crate::types::{Color, Seat};

/// What a table knows of one seat.
#[derive(Clone, Debug, Default)]
pub(super) struct SeatState {
    /// It is to move and has not been asked since something it should know of happened.
    pub needs_ask: bool,
    /// When it was asked and has not answered.
    pub asked: Option<Micros>,
    /// It said that it waits.
    pub waiting: bool,
    /// When to ask a waiting player again, should nothing happen before.
    pub ask_at: Option<Micros>,
    /// On a virtual clock: when its answer will be there.
    pub due: Option<Micros>,
    /// It was told to go on with its turn.
    pub nudged: bool,
    /// Moves made.
    pub made: u32,
    /// How long it means to wait, while its answer is taken back.
    sits_for: Option<u64>,
    /// That it waits on this turn has been told.
    told_wait: bool,
    /// Illegal moves in a row.
    pub(super) refusals: u32,
    /// Drops of pieces it only hopes for, on this turn.
    pub(super) hopes: u32,
    /// How often it was set up anew for a fault of its own.
    pub(super) revivals: u32,
    /// Its offer of a draw stands.
    pub(super) offers_draw: bool,
    thought: Option<(i32, u32)>,
    talk: (Micros, u32),
}

/// How long a waiting engine that has a move is left alone when nothing happens.
const ASK_AGAIN: Micros = SECOND / 2;
/// Words a second that are passed on to a partner.
const TALK_LIMIT: u32 = 4;
/// How long engines may take to get ready for a game.
const SETTLE: Duration = Duration::from_secs(10);

/// A game in progress.
pub struct Table<'a> {
    pub(super) config: &'a TableConfig,
    pub(super) play: Play,
    pub(super) clocks: [SeatClock; 4],
    pub(super) names: [String; 4],
    pub(super) chairs: [Option<Chair>; 4],
    pub(super) states: [SeatState; 4],
    pub(super) lines: &'a Receiver<Stamped>,
    pub(super) watcher: &'a mut dyn Watcher,
    pub(super) interrupt: &'a Interrupt,
    pub(super) ending: Option<Ending>,
    pub(super) now: Micros,
    pub(super) moves: Vec<TableMove>,
    pub(super) early: Vec<Stamped>,
    log: Vec<String>,
    pub(super) incidents: Vec<Incident>,
    start: String,
}

/// Borrows the table's fields one by one, so that a chair can be borrowed beside them.
macro_rules! view {
    ($table:expr, $seat:expr) => {
        View {
            play: &$table.play,
            seat: $seat,
            now: $table.now,
            clocks: &$table.clocks,
            names: &$table.names,
            limits: $table.chairs[$seat.index()].as_ref().map(|c| c.limits).unwrap_or_default(),
        }
    };
}
pub(super) use view;

impl<'a> Table<'a> {
    /// Sits the players down, in the order of [`Seat::ALL`].
    pub fn new(
        config: &'a TableConfig,
        chairs: [Option<Chair>; 4],
        lines: &'a Receiver<Stamped>,
        watcher: &'a mut dyn Watcher,
        interrupt: &'a Interrupt,
    ) -> Result<Table<'a>, String> {
        let play = Play::new(config.rules, config.opening.as_ref())?;
        for &seat in play.seats() {
            if chairs[seat.index()].is_none() {
                return Err(format!("nobody sits on {seat}"));
            }
        }
        let clocks = [0, 1, 2, 3].map(|i| match &chairs[i] {
            Some(chair) => SeatClock::new(chair.control, chair.margin),
            None => SeatClock::new(TimeControl::Infinite, 0),
        });
        let names =
            [0, 1, 2, 3].map(|i| chairs[i].as_ref().map(|c| c.name.clone()).unwrap_or_default());
        let start = play.fen();
        Ok(Table {
            config,
            play,
            clocks,
            names,
            chairs,
            states: Default::default(),
            lines,
            watcher,
            interrupt,
            ending: None,
            now: 0,
            moves: Vec::new(),
            early: Vec::new(),
            log: Vec::new(),
            incidents: Vec::new(),
            start,
        })
    }

    /// Plays the game and gives the players back.
    pub fn run(mut self) -> (Finished, [Option<Chair>; 4]) {
        self.ending = self.play.ending();
        self.get_ready();
        if self.ending.is_none() {
            self.see(Sight::Start);
            match self.config.driver {
                Driver::Real => self.run_real(),
                Driver::Virtual { rate, latency, seed } => self.run_virtual(rate, latency, seed),
            }
        }
        self.finish()
    }

    fn finish(mut self) -> (Finished, [Option<Chair>; 4]) {
        let ending =
            self.ending.take().unwrap_or_else(|| Ending::level(Termination::Unfinished, None));
        let now = self.now;
        self.clocks.iter_mut().for_each(|clock| clock.stop(now));
        let (result, reason) = (ending.result(), ending.termination.name());
        self.note(format!("{now} end {result} {reason} {}", ending.seat.map_or("-", Seat::name)));
        for chair in self.chairs.iter_mut().flatten() {
            if let Player::Engine(engine) = &mut chair.player {
                engine.game_over(result, reason);
            }
        }
        self.see(Sight::End(&ending));
        let finished = Finished {
            ending,
            start: self.start,
            fen: self.play.fen(),
            moves: self.moves,
            incidents: self.incidents,
            log: self.log,
            length: now,
            remaining: self.clocks.map(|clock| clock.remaining(now)),
        };
        (finished, self.chairs)
    }

    fn get_ready(&mut self) {
        for seat in Seat::ALL {
            let view = view!(self, seat);
            if let Some(Chair { player: Player::Engine(engine), .. }) =
                &mut self.chairs[seat.index()]
            {
                engine.new_game(&view);
            }
        }
        let mut awaited = Vec::new();
        for seat in Seat::ALL {
            if let Some(Chair { player: Player::Engine(engine), .. }) =
                &mut self.chairs[seat.index()]
                && engine.ping()
            {
                awaited.push(seat);
            }
        }
        self.settle(awaited);
    }

    /// Waits until all of these have given a sign of life and owe no answer to an old question.
    /// Lines go to whom they belong: an engine's last answer may come while another is awaited.
    fn settle(&mut self, awaited: Vec<Seat>) {
        let end = Instant::now() + SETTLE;
        let mut silent = awaited.clone();
        let mut owing = awaited;
        while !(silent.is_empty() && owing.is_empty()) && self.ending.is_none() {
            let received = self.lines.recv_deadline(end);
            let late = Instant::now() >= end;
            let Some(stamped) = received.ok().filter(|_| !late) else {
                let seat = *silent.first().or(owing.first()).unwrap_or(&Seat::WhiteA);
                let detail = format!("was not ready to play in {} s", SETTLE.as_secs());
                return self.lose(seat, Termination::Stall, detail);
            };
            let Some(seat) = self.seat_of(stamped.source) else {
                // What people typed before the start is not lost.
                self.early.push(stamped);
                continue;
            };
            let Some(Chair { player: Player::Engine(engine), .. }) = &mut self.chairs[seat.index()]
            else {
                continue;
            };
            match stamped.output {
                Output::Closed => {
                    let detail = "the engine ended before the game".to_string();
                    return self.lose(seat, Termination::Left, detail);
                }
                Output::Line(line) => {
                    if engine.hear(&line) == Some(Heard::Ready) {
                        silent.retain(|other| *other != seat);
                    }
                    owing = silent.clone();
                    owing.extend(Seat::ALL.into_iter().filter(|seat| {
                        matches!(&self.chairs[seat.index()],
                            Some(Chair { player: Player::Engine(engine), .. }) if engine.owes())
                    }));
                }
            }
        }
    }

    pub(super) fn see(&mut self, sight: Sight<'_>) {
        let scene = Scene {
            play: &self.play,
            clocks: &self.clocks,
            names: &self.names,
            now: self.now,
            moves: &self.moves,
        };
        self.watcher.saw(sight, &scene);
    }

    /// A line of the event log, kept on a virtual clock only: real ones differ from run to run.
    pub(super) fn note(&mut self, line: String) {
        if matches!(self.config.driver, Driver::Virtual { .. }) {
            self.log.push(line);
        }
    }

    pub(super) fn incident(&mut self, seat: Seat, what: String) {
        let incident = Incident { at: self.now, seat, what };
        self.note(format!("{} incident {seat} {}", incident.at, incident.what));
        self.see(Sight::Incident(&incident));
        self.incidents.push(incident);
    }

    pub(super) fn interrupted(&mut self) -> bool {
        let stop = self.interrupt.load(Ordering::Relaxed);
        if stop && self.ending.is_none() {
            let detail = Some("interrupted".to_string());
            self.ending = Some(Ending::level(Termination::Unfinished, detail));
        }
        stop
    }

    /// A player loses by something that is no move.
    pub(super) fn lose(&mut self, seat: Seat, termination: Termination, detail: String) {
        self.ending.get_or_insert(self.play.lose(seat, termination, Some(detail)));
    }

    /// Flags that fell at the present instant.
    pub(super) fn flag(&mut self, seats: &[Seat]) {
        for seat in seats {
            self.note(format!("{} flag {seat}", self.now));
        }
        if self.ending.is_none() {
            self.ending = self.play.flags(seats);
            if let (Some(ending), Some(&seat)) = (&mut self.ending, seats.first())
                && !self.play.can_move(seat)
            {
                ending.detail.get_or_insert("no move was possible".to_string());
            }
        }
    }

    /// Starts the clocks of those whose turn has come; each will be asked.
    pub(super) fn begin_turns(&mut self) {
        for &seat in self.play.seats() {
            let (clock, state) = (&mut self.clocks[seat.index()], &mut self.states[seat.index()]);
            if self.play.to_move(seat) && clock.running_since().is_none() {
                clock.start(self.now);
                state.needs_ask = true;
                state.nudged = false;
            }
        }
    }

    /// Asks an engine for its move. A person sees the board.
    pub(super) fn ask(&mut self, seat: Seat) {
        let view = view!(self, seat);
        let state = &mut self.states[seat.index()];
        state.needs_ask = false;
        state.waiting = false;
        state.ask_at = None;
        state.asked = Some(self.now);
        if let Some(Chair { player: Player::Engine(engine), .. }) = &mut self.chairs[seat.index()] {
            engine.ask(&view);
        }
    }

    /// What an engine said at the present moment.
    pub(super) fn heard(&mut self, seat: Seat, heard: Heard) {
        match heard {
            Heard::Move(text) => self.make_move(seat, &text),
            Heard::Wait => self.wait(seat, None),
            Heard::Sitting(most) => self.sit(seat, most),
            Heard::Resign => {
                self.note(format!("{} resign {seat}", self.now));
                self.lose(seat, Termination::Resign, String::new());
            }
            Heard::OfferDraw => self.offer_by_engine(seat),
            Heard::Claim(text) => self.claim(seat, &text),
            Heard::Refused(text) => self.refusal(seat, &text),
            Heard::Talk(text) => self.talk(seat, &text),
            Heard::Free if self.config.driver == Driver::Real => {
                self.states[seat.index()].needs_ask = self.play.to_move(seat);
            }
            Heard::Free => {
                let most = self.states[seat.index()].sits_for.take();
                self.wait(seat, most);
            }
            Heard::Thought { score, depth } => {
                self.states[seat.index()].thought = Some((score, depth));
            }
            Heard::Identified | Heard::Ready => {}
        }
    }

    /// A move, made at the present moment.
    pub(super) fn make_move(&mut self, seat: Seat, text: &str) {
        if !self.play.to_move(seat) || self.ending.is_some() {
            return;
        }
        if self.clocks[seat.index()].flag_at().is_some_and(|flag| flag < self.now) {
            self.flag(&[seat]);
            return;
        }
        let played = self.play.play(seat, text).or_else(|why| match self.play.named(seat, text) {
            Some(named) => self.play.play(seat, &named),
            None => Err(why),
        });
        let played = match played {
            Ok(played) => played,
            Err(why) => return self.illegal(seat, text, &why.0),
        };
        self.clocks[seat.index()].press(self.now);
        let remaining = self.clocks[seat.index()].remaining(self.now);
        self.note(format!("{} move {seat} {} {remaining}", self.now, played.uci));
        let double = self.play.is_double();
        let state = &mut self.states[seat.index()];
        *state = SeatState {
            made: state.made + 1,
            revivals: if double { 0 } else { state.revivals },
            talk: state.talk,
            thought: state.thought.take(),
            // On one board an offer goes with the move and stands until the opponent's.
            offers_draw: state.offers_draw && !double,
            ..SeatState::default()
        };
        let thought = state.thought.take();
        self.states[seat.opponent().index()].offers_draw &= double;
        let other = seat.board().other();
        self.moves.push(TableMove {
            at: self.now,
            remaining,
            thought,
            fen: self.play.position(seat.board()).fen(),
            other_hands: (played.crossed.is_some() || played.exchanged.is_some()).then(|| {
                let hand = |color| self.play.hand_text(Seat::new(other, color));
                (hand(Color::White), hand(Color::Black))
            }),
            played: played.clone(),
        });
        self.see(Sight::Move(&played));
        let boards = if double { 2 } else { 1 };
        let fallen = |seat: &&Seat| self.clocks[seat.index()].flag_at() == Some(self.now);
        let fallen: Vec<Seat> = self.play.seats().iter().filter(fallen).copied().collect();
        self.ending = self
            .play
            .ending()
            .map(|ending| self.play.beside_flags(ending, &fallen))
            .or_else(|| self.config.adjudication.judge(&self.moves, boards));
        if self.ending.is_some() {
            return;
        }
        for other in Seat::ALL {
            let view = view!(self, other);
            if let Some(Chair { player: Player::Engine(engine), .. }) =
                &mut self.chairs[other.index()]
            {
                engine.played(&played, &view);
                if played.exchanged.is_some()
                    && other.board() != seat.board()
                    && engine.loses_track()
                {
                    self.revive(other);
                }
            }
        }
        self.begin_turns();
        for other in self.play.seats() {
            let state = &mut self.states[other.index()];
            state.needs_ask |= state.waiting;
        }
    }

    pub(super) fn wait(&mut self, seat: Seat, again: Option<u64>) {
        if !self.play.to_move(seat) {
            return;
        }
        let can_move = self.play.can_move(seat);
        let state = &mut self.states[seat.index()];
        let first = !state.told_wait;
        state.told_wait = true;
        state.waiting = true;
        state.asked = None;
        let pause = match again {
            Some(ms) => (ms as Micros).saturating_mul(1000).max(1000),
            None => ASK_AGAIN,
        };
        state.ask_at = can_move.then_some(self.now + pause);
        self.note(format!("{} wait {seat}", self.now));
        if first {
            self.see(Sight::Wait(seat));
        }
    }

    /// An engine waits while it goes on thinking. On the wall clock it answers when it likes; on a
    /// virtual one its answer is taken back, and it is asked again when something has happened.
    fn sit(&mut self, seat: Seat, most: Option<u64>) {
        if self.config.driver == Driver::Real {
            if !std::mem::replace(&mut self.states[seat.index()].told_wait, true) {
                self.see(Sight::Wait(seat));
            }
            return;
        }
        let Some(Chair { player: Player::Engine(engine), .. }) = &mut self.chairs[seat.index()]
        else {
            return;
        };
        self.states[seat.index()].sits_for = most;
        if engine.cancel() && !engine.owes() {
            self.wait(seat, most);
        }
    }

    /// Passes words on to the partner, but not a flood of them.
    pub(super) fn talk(&mut self, seat: Seat, text: &str) {
        let text: String = text.chars().filter(|c| !c.is_control()).take(100).collect();
        let state = &mut self.states[seat.index()];
        if self.now - state.talk.0 >= SECOND {
            state.talk = (self.now, 0);
        }
        state.talk.1 += 1;
        if state.talk.1 > TALK_LIMIT || !self.play.is_double() || text.is_empty() {
            return;
        }
        self.note(format!("{} talk {seat} {text}", self.now));
        self.see(Sight::Talk(seat, &text));
        self.tell(seat.partner(), &text);
        // On the wall clock it is heard at once.
        if self.config.driver != Driver::Real {
            let state = &mut self.states[seat.partner().index()];
            state.needs_ask |= state.waiting;
        }
    }

    pub(super) fn tell(&mut self, seat: Seat, text: &str) {
        if let Some(Chair { player: Player::Engine(engine), .. }) = &mut self.chairs[seat.index()] {
            engine.tell(text);
        }
    }

    /// The seat whose engine has this number.
    pub(super) fn seat_of(&self, source: usize) -> Option<Seat> {
        Seat::ALL.into_iter().find(|seat| {
            matches!(&self.chairs[seat.index()],
                Some(Chair { player: Player::Engine(engine), .. }) if engine.source() == source)
        })
    }
}
