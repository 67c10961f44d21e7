//! The searcher: what outlives one search, and the threads that run it.
//!
//! Lazy SMP: every thread searches the same root with its own histories, sharing only the
//! transposition table, and the threads vote at the end. The pool is our own because a search
//! blocks its threads for minutes, which the global pool's other users would notice.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::eval::Networks;
use crate::rules::Position;
use crate::types::{MATE_IN_MAX, Move, Score, VALUE_INF, Value, mated_in};

use super::deepen::Finding;
use super::params::{Params, Reductions};
use super::step::Turns;
use super::time::Budget;
use super::tt::Table;
use super::worker::{Apart, Memory, RootMove, Shared, Thread};
use super::{Control, Event, Outcome, Request, SearchError};

/// More threads than any machine this will meet has processors.
const MOST_THREADS: usize = 1024;
/// Bytes of stack a searching thread needs: a node's frame holds a move list, and the tree is up to
/// 128 nodes deep.
pub const STACK: usize = 16 << 20;

/// A search engine for one board at a time, with its table, histories and threads.
pub struct Searcher {
    table: Table,
    pool: ThreadPool,
    memories: Vec<Mutex<Memory>>,
    params: Params,
    networks: Networks,
    reductions: Reductions,
    stays: bool,
    in_turns: bool,
    /// Whether there is anything to forget.
    used: bool,
}

fn build(threads: usize) -> Result<(ThreadPool, Vec<Mutex<Memory>>), SearchError> {
    if threads == 0 || threads > MOST_THREADS {
        return Err(SearchError::Threads { asked: threads, most: MOST_THREADS });
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK)
        .thread_name(|i| format!("search-{i}"))
        .build()
        .map_err(|error| SearchError::Spawn(error.to_string()))?;
    let memories = (0..threads).map(|_| Mutex::new(Memory::new())).collect();
    Ok((pool, memories))
}

impl Searcher {
    /// A searcher with so many threads and mebibytes of table.
    pub fn new(threads: usize, hash_mb: usize) -> Result<Searcher, SearchError> {
        let (pool, memories) = build(threads)?;
        let params = Params::default();
        let reductions = Reductions::new(&params);
        Ok(Searcher {
            table: Table::new(hash_mb)?,
            pool,
            memories,
            params,
            networks: Networks::embedded(),
            reductions,
            stays: false,
            in_turns: false,
            used: false,
        })
    }

    /// Replaces the table by an empty one of another size; when refused, the old one stays.
    pub fn set_hash(&mut self, mb: usize) -> Result<(), SearchError> {
        self.table = Table::new(mb)?;
        Ok(())
    }

    /// The table's size in mebibytes.
    pub fn hash_mb(&self) -> usize {
        self.table.mb()
    }

    /// Changes the number of threads; histories start anew.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), SearchError> {
        (self.pool, self.memories) = build(threads)?;
        Ok(())
    }

    /// From now on a search with one thread runs on the caller's own, which needs [`STACK`] bytes of
    /// stack. Many short searches then save a change of threads each.
    pub fn stay_on_thread(&mut self) {
        self.stays = true;
    }

    /// From now on several threads search in turns instead of at once. That is slower, but the nodes
    /// they need are the same every time and whatever else the machine does.
    pub fn take_turns(&mut self) {
        self.in_turns = true;
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.memories.len()
    }

    /// Forgets everything learnt: table and histories.
    pub fn clear(&mut self) {
        // Memory never touched need not be touched to clear it: most of a start's time went there.
        if !std::mem::take(&mut self.used) {
            return;
        }
        self.table.clear();
        for memory in &mut self.memories {
            let memory = memory.get_mut().unwrap_or_else(PoisonError::into_inner);
            memory.history.clear();
            memory.mate.clear();
        }
    }

    /// Chooses what judges positions; what was learnt under another judge is forgotten.
    pub fn set_networks(&mut self, networks: Networks) {
        self.networks = networks;
        self.clear();
    }

    /// The tunable numbers.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Replaces all tunable numbers.
    pub fn set_params(&mut self, params: Params) {
        self.reductions = Reductions::new(&params);
        self.params = params;
    }

    /// Searches until a limit is reached or `control` stops it, calling `on_event` from a search
    /// thread. While pondering, and in an infinite search, it returns only once released.
    pub fn search(
        &mut self,
        request: &Request,
        control: &Control,
        on_event: &(dyn Fn(Event) + Sync),
    ) -> Outcome {
        let outcome = self.think(request, control, on_event);
        if request.ponder || request.limits.infinite {
            on_event(Event::Underway);
        }
        control.hold(request.ponder, request.limits.infinite);
        outcome
    }

    fn think(
        &mut self,
        request: &Request,
        control: &Control,
        on_event: &(dyn Fn(Event) + Sync),
    ) -> Outcome {
        let roots = root_moves(request);
        if roots.is_empty() {
            return nothing_to_play(&request.position);
        }
        self.used = true;
        self.table.grow_older();
        let budget = Budget::new(&request.limits, request.ponder);
        let threads = self.memories.len();
        let shared = Shared {
            table: &self.table,
            params: &self.params,
            networks: &self.networks,
            reductions: &self.reductions,
            request,
            control,
            budget: &budget,
            halt: Apart(AtomicBool::new(false)),
            nodes: Apart(AtomicU64::new(0)),
            node_limit: request.limits.nodes.map(|limit| limit.div_ceil(threads as u64)),
            salt: request.outlook.salt(),
            turns: (self.in_turns && threads > 1).then(|| Turns::new(threads)),
        };
        let memories = &self.memories;
        let run = |index: usize, roots: Vec<RootMove>| {
            // A panic elsewhere cannot leave the tables unusable: any content is a valid one.
            let mut memory = memories[index].lock().unwrap_or_else(PoisonError::into_inner);
            let thread = Thread::new(&shared, &mut memory, index, roots, on_event);
            if let Some(turns) = &shared.turns {
                turns.wait(index, 0);
            }
            let finding = thread.deepen();
            if index == 0 {
                shared.halt.0.store(true, Ordering::Relaxed);
            }
            if let Some(turns) = &shared.turns {
                turns.end(index);
            }
            finding
        };
        let findings = if self.stays && threads == 1 {
            vec![run(0, roots)]
        } else {
            self.pool.broadcast(|context| run(context.index(), roots.clone()))
        };
        let nodes = shared.nodes.0.load(Ordering::Relaxed);
        let alone = request.multipv > 1 || request.limits.depth.is_some();
        let chosen = if alone { &findings[0] } else { vote(&findings) };
        let best = &chosen.roots[0];
        Outcome {
            best: Some(best.mv),
            ponder: best.line().get(1).copied(),
            score: Score::from_value(known_score(best)),
            depth: chosen.depth.max(0) as u32,
            nodes,
        }
    }
}

fn known_score(root: &RootMove) -> Value {
    let known = [root.score, root.previous];
    known.into_iter().find(|&score| score > -VALUE_INF).unwrap_or(0)
}

/// The thread whose move the others support best, weighed by depth and score.
fn vote(findings: &[Finding]) -> &Finding {
    let Some(lowest) = findings.iter().map(|f| known_score(&f.roots[0])).min() else {
        return &findings[0];
    };
    let weight =
        |f: &Finding| i64::from(known_score(&f.roots[0]) - lowest + 20) * i64::from(f.depth.max(1));
    let support =
        |mv: Move| -> i64 { findings.iter().filter(|f| f.roots[0].mv == mv).map(&weight).sum() };
    let mut best = &findings[0];
    for finding in &findings[1..] {
        let (old, new) = (known_score(&best.roots[0]), known_score(&finding.roots[0]));
        let better = if old >= MATE_IN_MAX || new >= MATE_IN_MAX {
            new > old
        } else {
            let (a, b) = (support(best.roots[0].mv), support(finding.roots[0].mv));
            b > a || b == a && weight(finding) > weight(best)
        };
        if better && finding.depth > 0 {
            best = finding;
        }
    }
    best
}

fn root_moves(request: &Request) -> Vec<RootMove> {
    let wanted = &request.limits.search_moves;
    request
        .position
        .legal_moves()
        .into_iter()
        .filter(|mv| wanted.is_empty() || wanted.contains(mv))
        .map(RootMove::new)
        .collect()
}

/// The answer where the rules leave no move, or none of those asked for.
fn nothing_to_play(position: &Position) -> Outcome {
    use crate::rules::Status;
    let score = match position.status() {
        Status::Checkmate => Score::from_value(mated_in(0)),
        Status::Ongoing | Status::Stalemate | Status::Wait => Score::Cp(0),
    };
    Outcome { best: None, ponder: None, score, depth: 0, nodes: 0 }
}
