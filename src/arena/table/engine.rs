//! An engine at a table: its process and its dialect.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};

use crate::arena::dialect::{Dialect, Heard, Protocol, View, dialect};
use crate::arena::play::{Play, Played};
use crate::arena::process::{Output, Process, Program, Stamped, TrafficLog};

/// A started engine.
#[derive(Debug)]
pub struct Engine {
    process: Process,
    dialect: Box<dyn Dialect>,
    options: Vec<(String, String)>,
    source: usize,
}

/// How long a CECP engine may take to name its features before its silence counts as consent.
const SILENT_GREETING: Duration = Duration::from_secs(2);

impl Engine {
    /// Starts an engine and waits for its greeting. Lines of other sources that come in meanwhile
    /// are dropped, so engines are started before a game, never during one.
    #[allow(clippy::too_many_arguments)]
    pub fn start(
        name: &str,
        program: &Program,
        protocol: Protocol,
        options: &[(String, String)],
        source: usize,
        channel: (&Sender<Stamped>, &Receiver<Stamped>),
        patience: Duration,
        log: TrafficLog,
    ) -> Result<Engine, String> {
        let process = Process::start(name, program, source, channel.0.clone(), log)?;
        let options = options.to_vec();
        let mut engine = Engine { process, dialect: dialect(protocol), options, source };
        let mut lines = Vec::new();
        engine.dialect.greet(&mut lines);
        engine.send(lines);
        let silent = engine.dialect.silent_greeting();
        let wait = if silent { SILENT_GREETING.min(patience) } else { patience };
        match engine.await_heard(channel.1, wait, |heard| heard == &Heard::Identified) {
            Err(Lost::Silent) if silent => Ok(engine),
            Err(Lost::Silent) => Err(format!(
                "engine '{name}': no answer to its {protocol} greeting in {} s",
                wait.as_secs()
            )),
            Err(Lost::Dead) => Err(format!("engine '{name}' ended while greeting in {protocol}")),
            Ok(()) => Ok(engine),
        }
    }

    /// Whether it can play what the table plays, and takes its options; the reason names it.
    pub fn check(&self, play: &Play) -> Result<(), String> {
        let mut options = self.options.iter();
        let refusal = || options.find_map(|(name, value)| self.dialect.refuses(name, value));
        match self.dialect.unfit(play).or_else(refusal) {
            Some(reason) => Err(format!("engine '{}' {reason}", self.process.name())),
            None => Ok(()),
        }
    }

    /// Sets its options once before any game, one by one, and waits for what it says: one that it
    /// refuses would otherwise be played without. An engine that cannot tell when it has read them
    /// is believed, as is one that keeps silent.
    pub fn try_options(
        &mut self,
        play: &Play,
        lines: &Receiver<Stamped>,
        patience: Duration,
    ) -> Result<(), String> {
        let options = std::mem::take(&mut self.options);
        let mut out = Vec::new();
        self.dialect.set_game(play, &mut out);
        let mut told = Ok(true);
        for (i, (name, value)) in options.iter().enumerate() {
            if i == 0 && !out.is_empty() {
                let game = std::mem::take(&mut out);
                told = self.try_lines(game, "the rules of the game", lines, patience);
            }
            if told != Ok(true) {
                break;
            }
            self.dialect.set_option(name, value, &mut out);
            let what = format!("option {name}={value}");
            told = self.try_lines(std::mem::take(&mut out), &what, lines, patience);
        }
        self.options = options;
        told.map(|_| ())
    }

    /// Sends lines that may be refused; `false` where no answer tells.
    fn try_lines(
        &mut self,
        out: Vec<String>,
        what: &str,
        lines: &Receiver<Stamped>,
        patience: Duration,
    ) -> Result<bool, String> {
        self.send(out);
        if !self.ping() {
            return Ok(false);
        }
        let mut complaint = None;
        let ready = self.await_line(lines, patience, |engine, line| {
            complaint = complaint.take().or_else(|| engine.dialect.complaint(line));
            engine.hear(line) == Some(Heard::Ready)
        });
        let name = self.process.name();
        match (complaint, ready) {
            (Some(why), _) => Err(format!("engine '{name}' refuses {what}: {why}")),
            (None, Err(Lost::Dead)) => Err(format!("engine '{name}' ended at {what}")),
            (None, Err(Lost::Silent)) => Ok(false),
            (None, Ok(())) => Ok(true),
        }
    }

    fn await_heard(
        &mut self,
        lines: &Receiver<Stamped>,
        patience: Duration,
        wanted: impl Fn(&Heard) -> bool,
    ) -> Result<(), Lost> {
        self.await_line(lines, patience, |engine, line| {
            engine.hear(line).is_some_and(|heard| wanted(&heard))
        })
    }

    fn await_line(
        &mut self,
        lines: &Receiver<Stamped>,
        patience: Duration,
        mut wanted: impl FnMut(&mut Engine, &str) -> bool,
    ) -> Result<(), Lost> {
        let end = Instant::now() + patience;
        loop {
            let Ok(stamped) = lines.recv_deadline(end) else { return Err(Lost::Silent) };
            if stamped.source != self.source {
                continue;
            }
            match stamped.output {
                Output::Closed => return Err(Lost::Dead),
                Output::Line(line) => {
                    if wanted(self, &line) {
                        return Ok(());
                    }
                }
            }
            // A flood never lets the channel run dry.
            if Instant::now() > end {
                return Err(Lost::Silent);
            }
        }
    }

    fn send(&self, lines: Vec<String>) {
        self.process.send(&lines);
    }

    /// The number its lines carry.
    pub fn source(&self) -> usize {
        self.source
    }

    /// The name it gives itself.
    pub fn own_name(&self) -> Option<&str> {
        self.dialect.own_name()
    }

    /// Whether its process has ended.
    pub fn is_dead(&mut self) -> bool {
        self.process.is_dead()
    }

    /// Reads a line of it; what has to be answered at once is answered.
    pub fn hear(&mut self, line: &str) -> Option<Heard> {
        let mut out = Vec::new();
        let heard = self.dialect.hear(line, &mut out);
        self.send(out);
        heard
    }

    /// Asks for a sign of life; `false` for an engine that cannot give one.
    pub fn ping(&mut self) -> bool {
        let mut out = Vec::new();
        let can = self.dialect.ping(&mut out);
        self.send(out);
        can
    }

    /// Whether an answer is still to come that nobody wants any more.
    pub fn owes(&self) -> bool {
        self.dialect.owes()
    }

    /// Whether it sees both boards by itself.
    pub(super) fn sees_both_boards(&self) -> bool {
        self.dialect.sees_both_boards()
    }

    /// Whether what it has to say about a request always comes before its answer.
    pub(super) fn speaks_first(&self) -> bool {
        self.dialect.speaks_first()
    }

    /// Whether a late answer may disturb the next game, and nothing but a new start helps.
    pub fn may_answer_late(&self) -> bool {
        self.dialect.may_answer_late()
    }

    /// Whether it must be set up anew when a piece of its board was taken by a move of the other.
    pub(super) fn loses_track(&self) -> bool {
        self.dialect.loses_track()
    }

    /// Passes on an offer of its opponent; `false` where it cannot hear one.
    pub(super) fn offer_draw(&mut self) -> bool {
        let mut out = Vec::new();
        let can = self.dialect.offer_draw(&mut out);
        self.send(out);
        can
    }

    pub(super) fn new_game(&mut self, view: &View<'_>) {
        let mut out = Vec::new();
        self.dialect.new_game(&self.options, view, &mut out);
        self.send(out);
    }

    pub(super) fn ask(&mut self, view: &View<'_>) {
        let mut out = Vec::new();
        self.dialect.ask(view, &mut out);
        self.send(out);
    }

    pub(super) fn played(&mut self, played: &Played, view: &View<'_>) {
        let mut out = Vec::new();
        self.dialect.played(played, view, &mut out);
        self.send(out);
    }

    /// Breaks its thinking off. Whether an answer is still to come, [`Engine::owes`] tells.
    pub(super) fn cancel(&mut self) -> bool {
        let mut out = Vec::new();
        let can = self.dialect.cancel(&mut out);
        self.send(out);
        can
    }

    pub(super) fn tell(&mut self, text: &str) {
        let mut out = Vec::new();
        self.dialect.tell(text, &mut out);
        self.send(out);
    }

    pub(super) fn revive(&mut self, view: &View<'_>) {
        let mut out = Vec::new();
        self.dialect.revive(view, &mut out);
        self.send(out);
    }

    pub(super) fn game_over(&mut self, result: &str, reason: &str) {
        let mut out = Vec::new();
        self.dialect.game_over(result, reason, &mut out);
        self.send(out);
    }
}

/// How an engine was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It gives no answer.
    Silent,
    /// It has ended.
    Dead,
}
