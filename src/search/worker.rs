//! One thread of the search: its memory, its path from the root, and when it must stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arrayvec::ArrayVec;

use crate::eval::{Evaluator, Networks};
use crate::rules::{Captured, Position, Status, Variant};
use crate::types::{Key, MATE_IN_MAX, MAX_PLY, Move, VALUE_INF, Value, mated_in};

use super::history::{Context, History, piece_to, row};
use super::mate::MateSearch;
use super::params::{Params, Reductions};
use super::step::{TURN, Turns};
use super::time::Budget;
use super::tt::{Bound, Table};
use super::{BRIEF, Control, Event, Request};

/// A line of moves.
pub(super) type Line = ArrayVec<Move, MAX_PLY>;

/// Stands for an evaluation that does not exist, as in check.
pub(super) const NO_EVAL: Value = VALUE_INF + 1;
/// Frames before the root, so that looking back needs no test.
const BEFORE: usize = 4;

/// What a node leaves for those below and beside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub mv: Option<Move>,
    /// Row of the continuation tables that the move made here opens.
    pub row: Option<u32>,
    pub eval: Value,
    pub killers: [Option<Move>; 2],
    pub excluded: Option<Move>,
    /// What captures since the root are worth to the mover's team.
    pub team: Value,
    /// The capture that led here mates on the other board.
    pub decided: bool,
    pub doubles: i32,
    /// Cutoffs among this frame's nodes since the grandparent began.
    pub cutoffs: u32,
}

impl Frame {
    const EMPTY: Frame = Frame {
        mv: None,
        row: None,
        eval: NO_EVAL,
        killers: [None; 2],
        excluded: None,
        team: 0,
        decided: false,
        doubles: 0,
        cutoffs: 0,
    };
}

/// Keys of the game and of the path, with a filter that makes the common answer cheap.
#[derive(Debug)]
pub(super) struct Keys {
    keys: Vec<Key>,
    filter: Box<[u16]>,
    root: usize,
}

/// Mebibytes of each thread's table of mates.
const MATE_MB: usize = 8;
const FILTER: usize = 1 << 13;

impl Keys {
    fn new() -> Keys {
        Keys { keys: Vec::new(), filter: vec![0; FILTER].into_boxed_slice(), root: 0 }
    }

    fn start(&mut self, history: &[Key], root: Key) {
        self.filter.fill(0);
        self.keys.clear();
        self.keys.reserve(history.len() + MAX_PLY + 8);
        for &key in history {
            self.push(key);
        }
        self.root = self.keys.len();
        self.push(root);
    }

    #[inline(always)]
    fn push(&mut self, key: Key) {
        self.filter[key as usize & (FILTER - 1)] += 1;
        self.keys.push(key);
    }

    #[inline(always)]
    fn pop(&mut self) {
        if let Some(key) = self.keys.pop() {
            self.filter[key as usize & (FILTER - 1)] -= 1;
        }
    }

    /// Whether the last position stood once since the root, or twice in all.
    #[inline]
    fn repeated(&self) -> bool {
        let Some((&last, earlier)) = self.keys.split_last() else { return false };
        if self.filter[last as usize & (FILTER - 1)] < 2 {
            return false;
        }
        let mut seen = 0;
        for (i, &key) in earlier.iter().enumerate().rev() {
            if key == last {
                seen += 1;
                if i >= self.root || seen >= 2 {
                    return true;
                }
            }
        }
        false
    }
}

/// What a thread keeps from one search to the next.
pub(super) struct Memory {
    pub history: History,
    pub frames: Box<[Frame]>,
    pub lines: Box<[Line]>,
    pub keys: Keys,
    pub evaluator: Evaluator,
    pub mate: MateSearch,
}

impl Memory {
    pub fn new() -> Memory {
        Memory {
            history: History::new(),
            frames: vec![Frame::EMPTY; MAX_PLY + 2 * BEFORE].into_boxed_slice(),
            lines: vec![Line::new(); MAX_PLY + 2].into_boxed_slice(),
            keys: Keys::new(),
            evaluator: Evaluator::default(),
            mate: MateSearch::new(MATE_MB),
        }
    }
}

/// A move at the root with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub mv: Move,
    pub score: Value,
    /// Score of the last finished iteration.
    pub previous: Value,
    pub average: Value,
    pub bound: Bound,
    pub seldepth: usize,
    pub nodes: u64,
    /// Place in the order before the first iteration.
    pub rank: usize,
    /// The line found; empty stands for the move alone, which is all that most ever have.
    line: Vec<Move>,
}

impl RootMove {
    pub fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            score: -VALUE_INF,
            previous: -VALUE_INF,
            average: -VALUE_INF,
            bound: Bound::Exact,
            seldepth: 0,
            nodes: 0,
            rank: 0,
            line: Vec::new(),
        }
    }

    /// The move and what follows it.
    pub fn line(&self) -> &[Move] {
        if self.line.is_empty() { std::slice::from_ref(&self.mv) } else { &self.line }
    }

    /// Replaces the line, which begins with the move.
    pub fn set_line(&mut self, line: impl IntoIterator<Item = Move>) {
        self.line.clear();
        self.line.extend(line.into_iter().take(MAX_PLY));
    }
}

/// Something written now and then, kept off the cache lines that every node reads.
#[repr(align(128))]
pub(super) struct Apart<T>(pub T);

/// What all threads of one search share.
pub(super) struct Shared<'a> {
    pub table: &'a Table,
    pub params: &'a Params,
    pub networks: &'a Networks,
    pub reductions: &'a Reductions,
    pub request: &'a Request,
    pub control: &'a Control,
    pub budget: &'a Budget,
    /// Set when the main thread has decided to end.
    pub halt: Apart<AtomicBool>,
    /// Nodes of all threads, brought up to date now and then.
    pub nodes: Apart<AtomicU64>,
    pub node_limit: Option<u64>,
    /// Goes into every key of the table.
    pub salt: Key,
    /// Where the threads are to search in turns.
    pub turns: Option<Turns>,
}

/// Whether the side to move mates with its next move: then nothing that comes later counts.
#[cold]
fn mates_at_once(position: &Position) -> bool {
    let checking = position.check_info();
    position.legal_moves().into_iter().any(|mv| {
        position.gives_check_with(&checking, mv) && position.after(mv).status() == Status::Checkmate
    })
}

/// One searching thread.
pub(super) struct Thread<'a> {
    pub shared: &'a Shared<'a>,
    pub memory: &'a mut Memory,
    pub on_event: &'a (dyn Fn(Event) + Sync),
    pub index: usize,
    pub nodes: u64,
    flushed: u64,
    /// When to look up next.
    next_look: u64,
    pub stopped: bool,
    /// The search is no brief one.
    pub underway: bool,
    pub seldepth: usize,
    pub root_depth: i32,
    pub roots: Vec<RootMove>,
    /// Which of the root's best lines is being searched.
    pub line_index: usize,
    pub variant: Variant,
    /// Nodes the root's mate search has had, and whether it has answered.
    pub mate_spent: u64,
    pub mate_settled: bool,
    /// Root moves asked about as first moves of a mate, with the nodes spent on them.
    pub asked: Vec<(Move, u64)>,
    /// From which depth on nodes are asked for a mate by checks.
    pub mate_depth: i32,
    /// By how much reductions grow with depth.
    pub lmr_deep: i32,
    /// How much each history counts.
    weights: [i32; 5],
}

impl<'a> Thread<'a> {
    pub fn new(
        shared: &'a Shared<'a>,
        memory: &'a mut Memory,
        index: usize,
        roots: Vec<RootMove>,
        on_event: &'a (dyn Fn(Event) + Sync),
    ) -> Thread<'a> {
        let request = shared.request;
        memory.keys.start(&request.history, request.position.key());
        let network = shared.networks.get(request.position.rules().variant);
        memory.evaluator.start(network, &request.position);
        memory.frames.fill(Frame::EMPTY);
        memory.history.start();
        Thread {
            shared,
            memory,
            on_event,
            index,
            nodes: 0,
            flushed: 0,
            next_look: 0,
            stopped: false,
            underway: false,
            seldepth: 0,
            root_depth: 0,
            roots,
            line_index: 0,
            variant: request.position.rules().variant,
            mate_spent: 0,
            mate_settled: false,
            asked: Vec::new(),
            mate_depth: shared.params.mate_depth,
            lmr_deep: shared.params.lmr_deep,
            weights: {
                let params = shared.params;
                let Params { hist_quiet, hist_reply, hist_plan, hist_older, hist_low, .. } =
                    *params;
                [hist_quiet, hist_reply, hist_plan, hist_older, hist_low]
            },
        }
    }

    #[inline(always)]
    pub fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.memory.frames[ply + BEFORE]
    }

    /// The frame `back` plies before one.
    #[inline(always)]
    pub fn before(&self, ply: usize, back: usize) -> &Frame {
        &self.memory.frames[ply + BEFORE - back]
    }

    /// What was played before a node.
    #[inline(always)]
    pub fn context(&self, ply: usize) -> Context {
        Context {
            rows: [self.before(ply, 1).row, self.before(ply, 2).row, self.before(ply, 4).row],
            low: History::low(ply),
            weights: self.weights,
        }
    }

    /// Publishes the nodes counted since the last time.
    pub fn flush(&mut self) {
        self.shared.nodes.0.fetch_add(self.nodes - self.flushed, Ordering::Relaxed);
        self.flushed = self.nodes;
    }

    /// Whether the search must end; looked at by every node, answered anew now and then.
    #[inline(always)]
    pub fn must_stop(&mut self) -> bool {
        if self.nodes >= self.next_look
            || self.shared.node_limit.is_some_and(|limit| self.nodes >= limit)
        {
            self.look_up();
        }
        self.stopped
    }

    #[cold]
    fn look_up(&mut self) {
        self.flush();
        self.next_look = self.nodes + 512;
        let shared = self.shared;
        if let Some(turns) = &shared.turns {
            self.next_look = self.nodes + TURN;
            turns.wait(self.index, self.nodes);
        }
        if shared.control.stopped() || shared.halt.0.load(Ordering::Relaxed) {
            self.stopped = true;
        }
        if shared.node_limit.is_some_and(|limit| self.nodes >= limit) {
            self.stopped = true;
        }
        if self.index == 0 && !self.underway && shared.budget.elapsed() >= BRIEF {
            self.underway = true;
            (self.on_event)(Event::Underway);
        }
        // A first iteration is always finished, so that there is something to play.
        if self.index == 0 && self.root_depth > 1 && shared.budget.hard_reached(shared.control) {
            self.stopped = true;
        }
    }

    /// The position after a move, its path recorded.
    #[inline]
    pub fn enter(&mut self, position: &Position, ply: usize, mv: Move) -> Position {
        // Asked for this early, the table's line is there when the next node looks.
        self.shared.table.prefetch(position.rough_key_after(mv) ^ self.shared.salt);
        let row = row(position.turn(), piece_to(position, mv));
        let mut next = *position;
        let captured = self.memory.evaluator.make(&mut next, mv);
        self.memory.keys.push(next.key());
        self.nodes += 1;
        let gained = self.gained(ply, captured);
        let outlook = &self.shared.request.outlook;
        let decided = captured.is_some_and(|captured| outlook.decides(ply, captured.role))
            && !mates_at_once(&next);
        let frame = self.frame(ply);
        frame.mv = Some(mv);
        frame.row = Some(row);
        let team = frame.team + gained;
        let next_frame = self.frame(ply + 1);
        next_frame.team = -team;
        next_frame.decided = decided;
        next
    }

    /// What a capture puts into the partner's hand, or the diagonal's.
    #[inline]
    fn gained(&self, ply: usize, captured: Option<Captured>) -> Value {
        match captured {
            Some(captured) if self.variant == Variant::Bughouse => {
                self.shared.request.outlook.worth(ply.is_multiple_of(2), captured.role)
            }
            _ => 0,
        }
    }

    /// The position after passing.
    #[inline]
    pub fn enter_null(&mut self, position: &Position, ply: usize) -> Position {
        let mut next = *position;
        next.make_null();
        self.memory.evaluator.pass();
        self.shared.table.prefetch(next.key() ^ self.shared.salt);
        self.memory.keys.push(next.key());
        self.nodes += 1;
        let frame = self.frame(ply);
        frame.mv = None;
        frame.row = None;
        let team = frame.team;
        let next_frame = self.frame(ply + 1);
        next_frame.team = -team;
        next_frame.decided = false;
        next
    }

    /// Steps back from [`Thread::enter`] or [`Thread::enter_null`].
    #[inline(always)]
    pub fn leave(&mut self) {
        self.memory.keys.pop();
        self.memory.evaluator.back();
    }

    /// Whether the rules call this position drawn whatever follows.
    #[inline]
    pub fn drawn(&self, position: &Position) -> bool {
        if self.variant == Variant::Bughouse {
            return false;
        }
        if self.memory.keys.repeated() {
            return true;
        }
        let capped =
            position.rules().move_cap.is_some_and(|cap| position.game_ply() >= u32::from(cap));
        let fifty = self.variant == Variant::Chess && position.halfmove_clock() >= 100;
        (capped || fifty) && (!position.in_check() || position.has_legal_move())
    }

    /// The static evaluation without what the line gained for the team.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        self.memory.evaluator.evaluate(position)
    }

    /// A static evaluation with the corrections learnt and the team's gains.
    #[inline]
    pub fn corrected(&self, position: &Position, raw: Value, ply: usize) -> Value {
        let team = self.before(ply, 0).team;
        (raw + self.memory.history.correction(position, self.shared.params) + team)
            .clamp(-MATE_IN_MAX + 1, MATE_IN_MAX - 1)
    }

    /// The value of a position without moves.
    #[cold]
    pub fn terminal(&mut self, position: &Position, ply: usize) -> Value {
        let shared = self.shared;
        let outlook = &shared.request.outlook;
        match position.status() {
            Status::Checkmate => mated_in(ply),
            Status::Wait if position.in_check() => -outlook.frozen + ply as Value,
            Status::Wait => {
                let value = self.evaluate(position) + self.before(ply, 0).team - outlook.stuck;
                value.clamp(-MATE_IN_MAX + 1, MATE_IN_MAX - 1)
            }
            Status::Stalemate | Status::Ongoing => 0,
        }
    }

    /// Puts a move in front of the line found below it.
    #[inline]
    pub fn extend_line(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.memory.lines.split_at_mut(ply + 1);
        let (line, below) = (&mut upper[ply], &lower[0]);
        line.clear();
        line.push(mv);
        for &next in below.iter().take(MAX_PLY - 1) {
            line.push(next);
        }
    }
}
