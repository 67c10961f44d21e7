//! A worker thread with its searcher. Work for it is queued; what it finds comes back as signals.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::eval::Networks;
use crate::rules::{Position, Variant, perft};
use crate::search::{self, Control, Outcome, Request, SearchError, Searcher, bench};
use crate::types::{BoardId, Move};

/// Names one search among all.
pub(super) type SearchId = u64;

/// Something for the worker to do.
pub(super) enum Job {
    Search(SearchId, Box<Request>, Arc<Control>),
    /// Short looks at other positions, each with a number of its own.
    Probe(SearchId, Vec<(usize, Request)>),
    Perft(SearchId, Box<Position>, u32, Arc<Control>),
    Bench(SearchId, u32),
    Hash(usize),
    Threads(usize),
    Clear,
    Networks(Networks),
}

/// What the worker did.
pub(super) enum Found {
    Infos(SearchId, Vec<search::Info>),
    /// Depth, move and its number.
    CurrMove(SearchId, u32, Move, u32),
    /// A search has ended with this still untold.
    Ended(SearchId, Vec<search::Info>, Option<Outcome>),
    /// `None`: the search broke.
    Outcome(SearchId, Option<Outcome>),
    /// What was said of an outcome has been told: now it is the answer.
    Decided(SearchId, Outcome),
    Probed(SearchId, Vec<(usize, Outcome)>),
    /// The time an answer was held back for is over.
    Alarm(SearchId),
    /// Something to tell that is no answer.
    Notice(Box<super::Event>),
    Perft(SearchId, Vec<(Move, u64)>),
    Bench(SearchId, bench::Report),
    /// A job that is no search is finished, well or not.
    Changed(Result<(), SearchError>),
}

/// A signal and the board whose worker sent it. Give it back to the engine.
pub struct Signal {
    pub(super) board: BoardId,
    pub(super) found: Found,
}

pub(super) struct Lane {
    jobs: Sender<Job>,
    /// No search before this one is wanted any more: what is queued of them is passed over.
    wanted: Arc<AtomicU64>,
    /// Jobs queued or at work.
    open: Arc<AtomicUsize>,
    worker: Arc<Mutex<Worker>>,
}

impl Lane {
    pub(super) fn start(
        board: BoardId,
        mut searcher: Searcher,
        signals: Sender<Signal>,
    ) -> Result<Lane, SearchError> {
        searcher.stay_on_thread();
        let (jobs, queue) = unbounded();
        let lane = Lane {
            jobs,
            wanted: Arc::default(),
            open: Arc::default(),
            worker: Arc::new(Mutex::new(Worker { board, searcher, signals, used: false })),
        };
        let (wanted, open) = (Arc::clone(&lane.wanted), Arc::clone(&lane.open));
        let worker = Arc::clone(&lane.worker);
        thread::Builder::new()
            .name(format!("board-{board}"))
            .stack_size(search::STACK)
            .spawn(move || work(&worker, &queue, &wanted, &open))
            .map_err(|error| SearchError::Spawn(error.to_string()))?;
        Ok(lane)
    }

    /// The search of this name is wanted no longer.
    pub(super) fn forget(&self, id: SearchId) {
        self.wanted.fetch_max(id + 1, Ordering::Relaxed);
    }

    pub(super) fn post(&self, job: Job) {
        if let Job::Search(id, ..) = &job {
            self.wanted.store(*id, Ordering::Relaxed);
        }
        self.open.fetch_add(1, Ordering::Relaxed);
        // The worker lives as long as the queue, so this cannot fail.
        let _ = self.jobs.send(job);
    }

    /// Does a job on the caller's thread; where others are before it, it is queued as they are.
    pub(super) fn post_here(&self, job: Job) {
        // Only the caller adds jobs, so none can slip in between.
        if self.open.load(Ordering::Acquire) > 0 {
            return self.post(job);
        }
        match self.worker.try_lock() {
            Ok(mut worker) => worker.run(job),
            Err(TryLockError::Poisoned(worker)) => worker.into_inner().run(job),
            Err(TryLockError::WouldBlock) => self.post(job),
        }
    }
}

/// Nodes that are searched in a few milliseconds: no client needs an ear in between.
const BRIEF_NODES: u64 = 5_000;

/// Whether a search is over before anything can happen that concerns it. At a table of two boards
/// pieces and words come at any moment.
pub(super) fn is_brief(request: &Request) -> bool {
    let Request { position, limits, ponder, .. } = request;
    limits.nodes.is_some_and(|nodes| nodes <= BRIEF_NODES)
        && !(*ponder || limits.infinite || position.rules().variant == Variant::Bughouse)
}

/// What a search tells in its first moments: to wake a client for each line would cost a brief search
/// more than the search itself. Of lines with the same rank the last one counts.
#[derive(Default)]
struct Early(Mutex<Vec<search::Info>>);

impl Early {
    /// What is to be told now that this has come.
    fn pass(&self, id: SearchId, event: search::Event) -> Option<Found> {
        let info = match event {
            search::Event::CurrMove { depth, mv, number } => {
                return Some(Found::CurrMove(id, depth, mv, number));
            }
            search::Event::Underway => {
                let held = self.take();
                return (!held.is_empty()).then_some(Found::Infos(id, held));
            }
            search::Event::Info(info) => info,
        };
        if info.time >= search::BRIEF {
            let mut infos = self.take();
            infos.push(info);
            return Some(Found::Infos(id, infos));
        }
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|old| old.multipv != info.multipv);
        held.push(info);
        None
    }

    fn take(&self) -> Vec<search::Info> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The loop of a worker's thread.
fn work(worker: &Mutex<Worker>, queue: &Receiver<Job>, wanted: &AtomicU64, open: &AtomicUsize) {
    for job in queue {
        let mut worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
        match job {
            Job::Search(id, ..) if id < wanted.load(Ordering::Relaxed) => {}
            job => worker.run(job),
        }
        open.fetch_sub(1, Ordering::Release);
    }
}

/// Who does the jobs of one board.
struct Worker {
    board: BoardId,
    searcher: Searcher,
    signals: Sender<Signal>,
    /// Whether there is anything to forget.
    used: bool,
}

impl Worker {
    fn run(&mut self, job: Job) {
        let Worker { board, searcher, signals, used } = self;
        let tell = |found| {
            // Nobody listens any more only while the process ends.
            let _ = signals.send(Signal { board: *board, found });
        };
        match job {
            Job::Search(id, request, control) => {
                *used = true;
                let early = Early::default();
                let run = AssertUnwindSafe(|| {
                    searcher.search(&request, &control, &|event| {
                        if let Some(found) = early.pass(id, event) {
                            tell(found);
                        }
                    })
                });
                let outcome = catch_unwind(run).ok();
                tell(match early.take() {
                    none if none.is_empty() => Found::Outcome(id, outcome),
                    infos => Found::Ended(id, infos, outcome),
                });
            }
            Job::Probe(id, requests) => {
                *used = true;
                let mut values = Vec::new();
                for (number, request) in requests {
                    let run =
                        AssertUnwindSafe(|| searcher.search(&request, &Control::new(), &|_| {}));
                    if let Ok(outcome) = catch_unwind(run) {
                        values.push((number, outcome));
                    }
                }
                tell(Found::Probed(id, values));
            }
            Job::Perft(id, position, depth, control) => {
                let mut counts = Vec::new();
                for mv in position.legal_moves() {
                    if depth == 0 || control.stopped() {
                        break;
                    }
                    let mut next = *position;
                    next.make(mv);
                    counts.push((mv, perft(&next, depth - 1)));
                }
                tell(Found::Perft(id, counts));
            }
            Job::Bench(id, depth) => {
                *used = true;
                let report = bench::run_with(searcher, depth, &mut |_, _| {});
                tell(Found::Bench(id, report));
            }
            Job::Hash(mb) => tell(Found::Changed(searcher.set_hash(mb))),
            Job::Threads(n) => tell(Found::Changed(searcher.set_threads(n))),
            Job::Clear => {
                if std::mem::take(used) {
                    searcher.clear();
                }
                tell(Found::Changed(Ok(())));
            }
            Job::Networks(networks) => {
                searcher.set_networks(networks);
                tell(Found::Changed(Ok(())));
            }
        }
    }
}
