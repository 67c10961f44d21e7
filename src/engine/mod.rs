//! The engine as every client uses it: positions and limits in, events out, never waiting.
//!
//! An [`Engine`] belongs to one thread, the client's. The searches run on threads of their own and
//! report through [`Engine::signals`]; the client takes each [`Signal`] from there and hands it to
//! [`Engine::absorb`], which tells what it means now. So everything that changes the engine happens
//! in one place, one thing after the other: a result that a later update made obsolete is dropped
//! there, and every request gets exactly one answer.
//!
//! Knows search and rules; never protocol text.

mod around;
mod expert;
mod lane;
mod settings;
mod team;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::rules::{Position, Status};
use crate::search::{Control, Outcome, Request, Searcher};
use crate::types::{BoardId, Key, Move, Score};

use around::Around;
use lane::{Found, Job, Lane, SearchId};
use team::{Due, Prepared, Thoughts};

pub use crate::search::bench::{DEPTH as BENCH_DEPTH, Report as BenchReport};
pub use crate::search::{Bound, Clock, Info, Limits, STACK, SearchError};
pub use crate::team::{Parts, Reason as WaitReason, Word};
pub use lane::Signal;
pub use settings::{
    Audience, Change, MOST_THREADS, MessageMode, OptionError, OptionKind, OptionSpec, Player,
    Settings,
};

/// What an engine is asked to find a move for.
#[derive(Clone, Debug)]
pub struct Task {
    /// The board.
    pub position: Position,
    /// Keys of the game's earlier positions, oldest first.
    pub history: Vec<Key>,
    /// When to stop. Time counts from `limits.start` whatever happens during the search.
    pub limits: Limits,
    /// How many lines to report.
    pub multipv: usize,
    /// Thinking on the opponent's time until [`Engine::ponderhit`].
    pub ponder: bool,
    /// A player who has no move but is not mated waits for a piece instead of answering.
    pub patient: bool,
    /// Nobody's time passes while the engine thinks, as where a table counts nodes for time. Then no
    /// answer is held back: who waits says so, and for how long, and is asked again.
    pub prompt: bool,
}

/// What the engine tells its client.
#[derive(Clone, Debug)]
pub enum Event {
    /// Lines of thinking about this position.
    Infos(BoardId, Box<Position>, Vec<Info>),
    /// The root move being searched, the time so far, and the move's number.
    CurrMove(BoardId, Box<Position>, u32, Move, u32),
    /// The one answer to a request.
    Answer(BoardId, Box<Answer>),
    /// Leaf counts by first move.
    Perft(Box<Position>, Vec<(Move, u64)>),
    /// The figures of a bench.
    Bench(BenchReport),
    /// All changes asked for are made.
    Ready,
    /// A change could not be made.
    Refused(SearchError),
    /// A word for the partner of the player on this board.
    Say(BoardId, Word),
    /// The answer is held back by choice, for so long at the most.
    Sit(BoardId, WaitReason, Duration),
}

/// A move, or that there is none.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The position it is for.
    pub position: Position,
    /// The move; none where no move exists.
    pub best: Option<Move>,
    /// The reply expected.
    pub ponder: Option<Move>,
    /// The score for the mover.
    pub score: Score,
    /// Plies searched.
    pub depth: u32,
    /// Whether the search ended in an error of ours, and the move is just any legal one.
    pub broken: bool,
}

/// A request that is not answered yet.
struct Active {
    task: Task,
    id: SearchId,
    /// Nothing is searched while a patient player waits.
    control: Option<Arc<Control>>,
    /// Stopped by the client: whatever comes next is the answer.
    stopped: bool,
    thoughts: Thoughts,
}

/// Work that is no search for a move.
struct Side {
    id: SearchId,
    position: Position,
    control: Arc<Control>,
}

/// The engine.
pub struct Engine {
    settings: Settings,
    lanes: [Option<Lane>; 2],
    active: [Option<Active>; 2],
    side: Option<Side>,
    signals: Receiver<Signal>,
    sender: Sender<Signal>,
    last_id: SearchId,
    /// Changes of table and threads that are not made yet.
    changing: usize,
    /// Brief searches run on the client's thread.
    here: bool,
    around: Around,
}

impl Engine {
    /// An engine with the default settings.
    pub fn new() -> Result<Engine, SearchError> {
        let (sender, signals) = unbounded();
        let mut engine = Engine {
            settings: Settings::default(),
            lanes: [None, None],
            active: [None, None],
            side: None,
            signals,
            sender,
            last_id: 0,
            changing: 0,
            here: false,
            around: Around::new(),
        };
        engine.lane(BoardId::A)?;
        Ok(engine)
    }

    /// From now on a search of so few nodes that nothing happens meanwhile runs on the client's own
    /// thread, which needs [`STACK`] bytes of stack: to wake another thread and be woken by it costs
    /// a good part of such a search. What it finds comes by [`Engine::signals`] all the same.
    pub fn search_here(&mut self) {
        self.here = true;
    }

    /// The options' values.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The options' values, for what a protocol sets by words of its own.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Sets an option.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Change, OptionError> {
        let change = self.settings.set(name, value)?;
        match change {
            Change::Hash => self.change(Job::Hash),
            Change::Threads => {
                let threads = self.settings.threads;
                self.change(|_| Job::Threads(threads));
            }
            Change::Clear => self.change(|_| Job::Clear),
            Change::Networks => {
                let networks = self.settings.networks();
                self.change(|_| Job::Networks(networks.clone()));
            }
            Change::Stored | Change::Rules | Change::Log => {}
        }
        Ok(change)
    }

    /// Forgets what earlier games taught.
    pub fn new_game(&mut self) {
        self.leave_table();
        self.change(|_| Job::Clear);
    }

    fn change(&mut self, job: impl Fn(usize) -> Job) {
        let share = self.hash_share();
        for lane in self.lanes.iter().flatten() {
            lane.post(job(share));
            self.changing += 1;
        }
    }

    /// Mebibytes for each of the boards that are searched.
    fn hash_share(&self) -> usize {
        let boards = self.lanes.iter().flatten().count().max(1);
        (self.settings.hash / boards).max(1)
    }

    /// The worker of a board, started when it is first needed. Two boards share the memory.
    fn lane(&mut self, board: BoardId) -> Result<&Lane, SearchError> {
        let index = board.index();
        if self.lanes[index].is_none() {
            let others = self.lanes.iter().flatten().count();
            let share = (self.settings.hash / (others + 1)).max(1);
            for lane in self.lanes.iter().flatten() {
                lane.post(Job::Hash(share));
                self.changing += 1;
            }
            let mut searcher = Searcher::new(self.settings.threads, share)?;
            searcher.set_networks(self.settings.networks());
            self.lanes[index] = Some(Lane::start(board, searcher, self.sender.clone())?);
        }
        match &self.lanes[index] {
            Some(lane) => Ok(lane),
            None => Err(SearchError::Spawn(format!("no worker for board {board}"))),
        }
    }

    /// Where the workers' signals arrive.
    pub fn signals(&self) -> &Receiver<Signal> {
        &self.signals
    }

    /// Whether a request about this board is open.
    pub fn busy(&self, board: BoardId) -> bool {
        self.active[board.index()].is_some()
    }

    /// Whether anything is searched or awaited, on any board.
    pub fn any_busy(&self) -> bool {
        self.active.iter().any(Option::is_some) || self.side.is_some()
    }

    /// Whether table and threads are as the options say.
    pub fn settled(&self) -> bool {
        self.changing == 0
    }

    /// Whether no signal is there and none will come unless something more is asked for.
    pub fn quiet(&self) -> bool {
        !self.any_busy() && self.settled() && self.signals.is_empty()
    }

    /// The position of an open request.
    pub fn position(&self, board: BoardId) -> Option<&Position> {
        self.active[board.index()].as_ref().map(|active| &active.task.position)
    }

    /// Whether an open request waits for a piece, since its player has no move.
    pub fn waiting(&self, board: BoardId) -> bool {
        self.active[board.index()].as_ref().is_some_and(|active| active.control.is_none())
    }

    /// Whether an open request ponders still.
    pub fn pondering(&self, board: BoardId) -> bool {
        self.active[board.index()].as_ref().is_some_and(|active| active.task.ponder)
    }

    /// Asks for a move. An open request about the same board is dropped without an answer.
    pub fn go(&mut self, board: BoardId, task: Task) -> Result<(), SearchError> {
        self.cancel(board);
        self.around.asked(board, task.position.turn(), task.prompt);
        self.begin(board, task, Thoughts::default())
    }

    fn begin(
        &mut self,
        board: BoardId,
        task: Task,
        mut thoughts: Thoughts,
    ) -> Result<(), SearchError> {
        let id = self.next_id();
        let control = if task.patient && !task.prompt && task.position.status() == Status::Wait {
            self.cry(board, &task.position);
            None
        } else {
            let control = Arc::new(Control::new());
            let Prepared { outlook, limits, mating } = self.prepare(board, &task);
            thoughts.outlook = outlook.clone();
            thoughts.mating = mating;
            let request = Request {
                position: task.position,
                history: task.history.clone(),
                limits,
                multipv: task.multipv,
                outlook,
                ponder: task.ponder,
            };
            let here = self.here && self.settings.threads == 1 && lane::is_brief(&request);
            let job = Job::Search(id, Box::new(request), Arc::clone(&control));
            let lane = self.lane(board)?;
            if here {
                lane.post_here(job)
            } else {
                lane.post(job)
            }
            Some(control)
        };
        self.active[board.index()] = Some(Active { task, id, control, stopped: false, thoughts });
        Ok(())
    }

    fn next_id(&mut self) -> SearchId {
        self.last_id += 1;
        self.last_id
    }

    /// The board of an open request changed: another position, or another hand. What was learnt
    /// stays in the table, and the time used so far stays used. Without an open request this does
    /// nothing.
    pub fn update(
        &mut self,
        board: BoardId,
        position: Position,
        history: Vec<Key>,
    ) -> Result<(), SearchError> {
        let Some(mut active) = self.active[board.index()].take() else { return Ok(()) };
        if let Some(control) = &active.control {
            control.stop();
        }
        let sat = active.stand_up();
        if sat || active.control.is_none() {
            active.task.limits = after_waiting(active.task.limits);
        }
        active.task.position = position;
        active.task.history = history;
        let legal = position.legal_moves();
        let wanted = &mut active.task.limits.search_moves;
        wanted.retain(|mv| legal.contains(mv));
        let thoughts = active.thoughts.for_new_search();
        self.begin(board, active.task, thoughts)?;
        if active.stopped {
            self.stop(board);
        }
        Ok(())
    }

    /// Ends a search: its answer follows. A player who waits answers that he has no move.
    pub fn stop(&mut self, board: BoardId) {
        let Some(active) = &mut self.active[board.index()] else { return };
        active.stopped = true;
        let held = active.held();
        match &active.control {
            Some(_) if held.is_some() => {
                let found = Found::Outcome(active.id, held);
                let _ = self.sender.send(Signal { board, found });
            }
            Some(control) => control.stop(),
            None => {
                let found = Found::Outcome(active.id, None);
                let _ = self.sender.send(Signal { board, found });
            }
        }
    }

    /// Ends everything that runs: perft as well.
    pub fn stop_all(&mut self) {
        BoardId::ALL.into_iter().for_each(|board| self.stop(board));
        if let Some(side) = &self.side {
            side.control.stop();
        }
    }

    /// Ends a search without an answer.
    pub fn cancel(&mut self, board: BoardId) {
        let Some(active) = self.active[board.index()].take() else { return };
        if let Some(control) = active.control {
            control.stop();
        }
        if let Some(lane) = &self.lanes[board.index()] {
            lane.forget(active.id);
        }
    }

    /// The move that was pondered on has been played: the clock runs from `at`.
    pub fn ponderhit(&mut self, board: BoardId, at: Instant) {
        let Some(active) = &mut self.active[board.index()] else { return };
        if active.task.ponder {
            active.task.ponder = false;
            active.task.limits.start = at;
            if let Some(control) = &active.control {
                control.ponderhit(at);
            }
        }
    }

    /// Counts leaves, first move by first move.
    pub fn perft(&mut self, position: Position, depth: u32) -> Result<(), SearchError> {
        self.aside(position, |id, control| Job::Perft(id, Box::new(position), depth, control))
    }

    /// Runs the bench on this engine's own table, which it empties.
    pub fn bench(&mut self, position: Position, depth: u32) -> Result<(), SearchError> {
        self.aside(position, |id, _| Job::Bench(id, depth))
    }

    fn aside(
        &mut self,
        position: Position,
        job: impl FnOnce(SearchId, Arc<Control>) -> Job,
    ) -> Result<(), SearchError> {
        let id = self.next_id();
        let control = Arc::new(Control::new());
        let job = job(id, Arc::clone(&control));
        self.lane(BoardId::A)?.post(job);
        self.side = Some(Side { id, position, control });
        Ok(())
    }

    /// What a signal means now; `None` if it has been overtaken.
    pub fn absorb(&mut self, signal: Signal) -> Option<Event> {
        let Signal { board, found } = signal;
        let current = |active: &Option<Active>, id: SearchId| {
            active.as_ref().filter(|active| active.id == id).map(|_| ())
        };
        let active = &mut self.active[board.index()];
        match found {
            Found::Infos(id, infos) => {
                current(active, id)?;
                let position = Box::new(active.as_ref()?.task.position);
                Some(Event::Infos(board, position, infos))
            }
            Found::Ended(id, infos, outcome) => {
                current(active, id)?;
                let found = Found::Outcome(id, outcome);
                let _ = self.sender.send(Signal { board, found });
                let position = Box::new(active.as_ref()?.task.position);
                Some(Event::Infos(board, position, infos))
            }
            Found::CurrMove(id, depth, mv, number) => {
                current(active, id)?;
                let position = Box::new(active.as_ref()?.task.position);
                Some(Event::CurrMove(board, position, depth, mv, number))
            }
            Found::Outcome(id, None) => {
                current(active, id)?;
                self.answer(board, None)
            }
            Found::Outcome(id, Some(mut outcome)) => {
                current(active, id)?;
                match self.consider(board, &mut outcome) {
                    Due::Now => self.answer(board, Some(outcome)),
                    Due::Later(event) => event,
                    // Words first: after the answer the partner might hear them too late, and a
                    // table that simulates time could not tell what moment they belong to.
                    Due::After(events) => {
                        events.into_iter().for_each(|event| self.notice(board, event));
                        let found = Found::Decided(id, outcome);
                        let _ = self.sender.send(Signal { board, found });
                        None
                    }
                }
            }
            Found::Decided(id, outcome) => {
                current(active, id)?;
                self.answer(board, Some(outcome))
            }
            Found::Probed(id, values) => {
                self.probed(board, id, &values);
                None
            }
            Found::Alarm(id) => {
                current(active, id)?;
                self.reconsider(board);
                None
            }
            Found::Notice(event) => Some(*event),
            Found::Perft(id, counts) => {
                let side = self.side.take_if(|side| side.id == id)?;
                Some(Event::Perft(Box::new(side.position), counts))
            }
            Found::Bench(id, report) => {
                self.side.take_if(|side| side.id == id)?;
                Some(Event::Bench(report))
            }
            Found::Changed(result) => {
                self.changing = self.changing.saturating_sub(1);
                match result {
                    Err(error) => Some(Event::Refused(error)),
                    Ok(()) if self.changing == 0 => Some(Event::Ready),
                    Ok(()) => None,
                }
            }
        }
    }

    /// The end of a request. Without an outcome its player waits, or its search broke.
    fn answer(&mut self, board: BoardId, outcome: Option<Outcome>) -> Option<Event> {
        let Active { task, control, .. } = self.active[board.index()].take()?;
        let position = task.position;
        if outcome.as_ref().is_some_and(|outcome| outcome.best.is_some()) {
            self.around.inboxes[board.index()].moved();
        }
        let broken = control.is_some() && outcome.is_none();
        let answer = match outcome {
            Some(found) => Answer {
                position,
                best: found.best.filter(|mv| position.is_legal(*mv)),
                ponder: found.ponder,
                score: found.score,
                depth: found.depth,
                broken,
            },
            None => Answer {
                position,
                best: position.legal_moves().first().copied(),
                ponder: None,
                score: Score::Cp(0),
                depth: 0,
                broken,
            },
        };
        Some(Event::Answer(board, Box::new(answer)))
    }

    /// The static value of a position, in centipawns for the mover.
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.settings.networks().evaluate(position)
    }

    /// Time kept back of every move.
    pub fn overhead(&self) -> Duration {
        Duration::from_millis(self.settings.overhead)
    }
}

/// The limits of a player who has waited: what he waited is gone from his clock, and what he has
/// left is budgeted from now on.
fn after_waiting(mut limits: Limits) -> Limits {
    let now = Instant::now();
    if let Some(clock) = &mut limits.clock {
        let waited = now.saturating_duration_since(limits.start);
        clock.remaining = clock.remaining.saturating_sub(waited);
    }
    limits.start = now;
    limits
}
