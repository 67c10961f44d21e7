//! Iterative deepening: the root's moves, aspiration windows, when to stop, what to report.

use std::time::Duration;

use crate::eval;
use crate::rules::{Position, Variant};
use crate::types::{MATE, MATE_IN_MAX, MAX_PLY, Move, Score, VALUE_INF, Value, is_mate, mate_in};

use super::mate::{MateLimits, Verdict};
use super::tt::Bound;
use super::worker::{Line, RootMove, Thread};
use super::{Event, Info};

/// Moves under search are reported only once a search takes this long.
const TALKATIVE: Duration = Duration::from_secs(3);

/// Root moves asked whether they mate although checks alone do not, and the first share of each.
const CANDIDATES: usize = 6;
const ASK: u64 = 25_000;
/// Nodes of the mate search before anything else, where a mate is asked for.
const MATE_FIRST: u64 = 10_000_000;
/// Nodes that completing a mating line may cost.
const COMPLETION: u64 = 40_000;
/// From this score on somebody is suspected of mating by force.
const QUIET_MATE: Value = 900;

/// What one thread found.
pub(super) struct Finding {
    pub depth: i32,
    pub roots: Vec<RootMove>,
}

impl Thread<'_> {
    /// Deepens until a limit is reached. Only the main thread reports and watches the clock.
    pub fn deepen(mut self) -> Finding {
        let shared = self.shared;
        let request = shared.request;
        let position = request.position;
        let main = self.index == 0;
        let deepest = request
            .limits
            .depth
            // Helpers go on as long as the main thread has use for what they find.
            .filter(|_| main)
            .map_or(MAX_PLY as i32 - 8, |d| d.clamp(1, MAX_PLY as u32 - 8) as i32);
        let lines = request.multipv.clamp(1, self.roots.len().max(1));
        let mut finished = 0;
        let mut last_best = None;
        let mut calm = 0.0;
        let mut trend: [Value; 4] = [0; 4];

        self.order_roots(&position);
        if let (true, Some(moves)) = (main, request.limits.mate) {
            let nodes = (self.node_limit() / 2).min(MATE_FIRST);
            let limits = MateLimits { nodes, moves: Some(moves), ..MateLimits::default() };
            if self.prove_root(&position, &limits) {
                self.report(1, 1);
                return Finding { depth: 1, roots: self.roots };
            }
            // A mate without quiet moves was ruled out; a longer one was not.
            self.mate_settled = false;
        }
        for depth in 1..=deepest {
            // Helpers skip some depths, so that the threads spread over the tree.
            if !main
                && depth > 2
                && (depth as usize + self.index).is_multiple_of(3 + self.index % 3)
            {
                continue;
            }
            self.root_depth = depth;
            let params = self.shared.params;
            // Mates begin with moves that look bad: where there may be one, fewer of them are cut short.
            (self.lmr_deep, self.mate_depth) = if self.hot() {
                (params.lmr_deep * params.lmr_hot / 100, params.mate_hot)
            } else {
                (params.lmr_deep, params.mate_depth)
            };
            for root in &mut self.roots {
                root.previous = root.score;
                root.bound = Bound::Exact;
            }
            for line in 0..lines {
                self.line_index = line;
                self.seldepth = 0;
                self.aspire(&position, depth);
                self.sort_roots(0, line + 1);
                if self.stopped {
                    break;
                }
                if main && (line + 1 == lines || self.budget_elapsed() > TALKATIVE) {
                    self.report(depth, lines);
                }
            }
            if self.stopped {
                if main && finished > 0 {
                    self.report(depth, lines);
                }
                break;
            }
            finished = depth;
            if !main {
                continue;
            }
            if self.look_for_mate(&position) {
                self.report(depth, lines);
                if !request.limits.infinite {
                    break;
                }
            }
            let best = &self.roots[0];
            let (mv, score, effort) = (best.mv, best.score, best.nodes);
            if last_best == Some(mv) {
                calm += 1.0;
            } else {
                calm = 0.0;
            }
            last_best = Some(mv);
            let drop = if depth > 4 { trend[depth as usize % 4] - score } else { 0 };
            trend[depth as usize % 4] = score;
            if let Some(moves) = request.limits.mate
                && score >= MATE - (2 * moves as Value).min(MAX_PLY as Value)
            {
                break;
            }
            self.flush();
            if request.limits.soft_nodes.is_some_and(|limit| self.nodes >= limit) {
                break;
            }
            let share = effort as f64 / self.nodes.max(1) as f64;
            let factor = (1.6 - f64::min(calm, 8.0) * 0.11)
                * (1.0 + f64::from(drop.clamp(-60, 150)) / 300.0)
                * (1.5 - 0.8 * share);
            if shared.budget.soft_reached(shared.control, factor) {
                break;
            }
            if shared.budget.is_clocked() && !request.ponder && !request.limits.infinite {
                let forced = self.roots.len() == 1;
                // A mate that deeper search cannot shorten, or a move without alternative.
                let settled = is_mate(score) && depth > 2 * (MATE - score.abs()) + 4;
                if forced && depth >= 6 || settled {
                    break;
                }
            }
        }
        self.flush();
        Finding { depth: finished, roots: self.roots }
    }

    /// Spends the mate search's share of the nodes; says whether it found a mate at the root that
    /// is shorter than what is known.
    fn look_for_mate(&mut self, position: &Position) -> bool {
        let params = self.shared.params;
        let wanted = if self.hot() || self.shared.request.limits.mate.is_some() {
            params.mate_share_hot
        } else {
            params.mate_share
        };
        let share = self.nodes * wanted as u64 / 100;
        if self.mate_spent >= share
            || is_mate(self.roots[0].score)
            || self.variant == Variant::Chess
        {
            return false;
        }
        let limits = MateLimits { nodes: share - self.mate_spent, ..MateLimits::default() };
        if !self.mate_settled {
            self.prove_root(position, &limits)
        } else {
            self.roots[0].score >= QUIET_MATE && self.prove_quiet(position, limits.nodes)
        }
    }

    /// Where checks alone do not mate, a quiet first move may: the moves that took the main search
    /// most effort are asked in turn, the one least asked so far first.
    fn prove_quiet(&mut self, position: &Position, nodes: u64) -> bool {
        let shared = self.shared;
        let (control, budget) = (shared.control, shared.budget);
        let stop = || control.stopped() || budget.hard_reached(control);
        let mut rest: Vec<&RootMove> = self.roots.iter().skip(1).collect();
        rest.sort_by_key(|root| std::cmp::Reverse(root.nodes));
        let candidates: Vec<(Move, Option<Move>)> = self.roots[..1]
            .iter()
            .chain(rest)
            .take(CANDIDATES)
            .map(|root| (root.mv, root.line().get(1).copied()))
            .collect();
        let mut left = nodes;
        while left > 0 && !stop() {
            let asked = |mv: Move| {
                self.asked.iter().find(|(other, _)| *other == mv).map_or(0, |(_, spent)| *spent)
            };
            let Some(&(first, expected)) = candidates
                .iter()
                .filter(|(mv, _)| asked(*mv) < u64::MAX)
                .min_by_key(|(mv, _)| asked(*mv))
            else {
                return false;
            };
            let spent = asked(first);
            let limits = MateLimits { nodes: left.min(ASK + spent), ..MateLimits::default() };
            let verdict = self.memory.mate.prove_move(position, first, expected, &limits, &stop);
            let cost = self.memory.mate.nodes().max(1);
            left = left.saturating_sub(cost);
            self.asked.retain(|(mv, _)| *mv != first);
            let spent = if verdict == Verdict::NoMate { u64::MAX } else { spent + cost };
            self.asked.push((first, spent));
            if self.take_proof(&verdict) {
                return true;
            }
        }
        false
    }

    /// Asks the mate search about the root.
    fn prove_root(&mut self, position: &Position, limits: &MateLimits) -> bool {
        let shared = self.shared;
        let (control, budget) = (shared.control, shared.budget);
        let stop = || control.stopped() || budget.hard_reached(control);
        let verdict = self.memory.mate.search(position, &shared.request.history, limits, &stop);
        self.mate_settled = verdict != Verdict::Unknown;
        self.take_proof(&verdict)
    }

    /// Books what a mate search cost, and makes the mate it proved the best root move.
    fn take_proof(&mut self, verdict: &Verdict) -> bool {
        let cost = self.memory.mate.nodes();
        self.mate_spent += cost;
        self.nodes += cost;
        let Verdict::Mate(proof) = verdict else { return false };
        // Where only some root moves are asked for, the proof may begin with another.
        let Some(found) = self.roots.iter().position(|root| proof.line.first() == Some(&root.mv))
        else {
            return false;
        };
        let root = &mut self.roots[found];
        root.score = mate_in(proof.plies);
        root.average = root.score;
        root.bound = Bound::Exact;
        root.set_line(proof.line.iter().copied());
        root.seldepth = root.seldepth.max(proof.plies);
        self.roots[..=found].rotate_right(1);
        true
    }

    /// Follows a mating line that a table entry or a quick proof cut short to its end.
    fn complete_line(&mut self, index: usize) {
        let root = &self.roots[index];
        let wanted = (MATE - root.score.abs()) as usize;
        if !is_mate(root.score) || root.bound != Bound::Exact || root.line().len() >= wanted {
            return;
        }
        let mut position = self.shared.request.position;
        let mut line: Line = root.line().iter().copied().collect();
        for &mv in &line {
            position.make(mv);
        }
        let mates = (root.score > 0) == line.len().is_multiple_of(2);
        if !mates {
            // The longest defence is as good as any; the table's is the most thorough.
            let known =
                self.shared.table.probe(position.key() ^ self.shared.salt).and_then(|hit| hit.mv);
            let Some(mv) = known.filter(|&mv| position.is_legal(mv)) else { return };
            if line.try_push(mv).is_err() {
                return;
            }
            position.make(mv);
        }
        let limits = MateLimits { nodes: COMPLETION, ..MateLimits::default() };
        let (control, budget) = (self.shared.control, self.shared.budget);
        let stop = || control.stopped() || budget.hard_reached(control);
        let verdict = self.memory.mate.search(&position, &[], &limits, &stop);
        if let Verdict::Mate(proof) = verdict {
            let _ = proof.line.iter().try_for_each(|&mv| line.try_push(mv));
            self.roots[index].set_line(line);
        }
    }

    /// Whether the score tells that one side's king is in great danger.
    fn hot(&self) -> bool {
        let score = self.roots[0].score;
        score > -VALUE_INF && score.abs() >= QUIET_MATE
    }

    fn node_limit(&self) -> u64 {
        self.shared.node_limit.unwrap_or(u64::MAX).saturating_sub(self.nodes)
    }

    fn budget_elapsed(&self) -> Duration {
        self.shared.budget.elapsed()
    }

    /// One line at one depth, in a window around what is expected that widens where it fails.
    fn aspire(&mut self, position: &Position, depth: i32) {
        let params = self.shared.params;
        let expected = self.roots[self.line_index].average;
        let mut delta =
            params.asp_delta + expected.abs().min(2000) / 40 + (self.index as Value % 4) * 4;
        let (mut alpha, mut beta) = (-VALUE_INF, VALUE_INF);
        if depth >= 4 && expected > -VALUE_INF && !is_mate(expected) {
            alpha = (expected - delta).max(-VALUE_INF);
            beta = (expected + delta).min(VALUE_INF);
        }
        let mut failed_high = 0;
        loop {
            let reduced = (depth - failed_high).max(1);
            let value = self.node::<true>(position, 0, alpha, beta, reduced, false);
            self.sort_roots(self.line_index, self.roots.len());
            if self.stopped {
                return;
            }
            if value <= alpha && alpha > -VALUE_INF {
                beta = (alpha + beta) / 2;
                alpha = (value - delta).max(-VALUE_INF);
                failed_high = 0;
            } else if value >= beta && beta < VALUE_INF {
                beta = (value + delta).min(VALUE_INF);
                failed_high = (failed_high + 1).min(3);
            } else {
                return;
            }
            if self.index == 0
                && self.shared.request.multipv <= 1
                && self.budget_elapsed() > TALKATIVE
            {
                self.report(depth, 1);
            }
            delta += delta * 2 / 3;
            if is_mate(value) || delta > 600 {
                (alpha, beta) = (-VALUE_INF, VALUE_INF);
            }
        }
    }

    /// Called for each root move as its search begins.
    pub(super) fn report_move(&mut self, mv: Move, number: usize) {
        if self.underway && self.budget_elapsed() > TALKATIVE {
            (self.on_event)(Event::CurrMove {
                depth: self.root_depth as u32,
                mv,
                number: (number + self.line_index) as u32,
            });
        }
    }

    /// Records a root move's result.
    pub(super) fn note_root(
        &mut self,
        mv: Move,
        value: Value,
        alpha: Value,
        beta: Value,
        count: usize,
        nodes: u64,
    ) {
        let seldepth = self.seldepth;
        // The moves stand in the order they are searched in; one left out shifts them.
        let from = self.line_index + count - 1;
        let Some(root) = self.roots[from..].iter_mut().find(|root| root.mv == mv) else { return };
        root.nodes += nodes;
        if count > 1 && value <= alpha {
            // Nothing but the first move's score is known well enough to keep.
            root.score = -VALUE_INF;
            return;
        }
        let mixes = root.average != -VALUE_INF && !is_mate(root.average) && !is_mate(value);
        root.average = if mixes { (value + root.average) / 2 } else { value };
        root.score = value.clamp(alpha.max(-VALUE_INF), beta);
        root.bound = if value <= alpha {
            Bound::Upper
        } else if value >= beta {
            Bound::Lower
        } else {
            Bound::Exact
        };
        root.seldepth = seldepth;
        root.set_line(std::iter::once(mv).chain(self.memory.lines[1].iter().copied()));
    }

    fn report(&mut self, depth: i32, lines: usize) {
        self.flush();
        let shared = self.shared;
        let time = self.budget_elapsed();
        let nodes = shared.nodes.0.load(std::sync::atomic::Ordering::Relaxed);
        for line in 0..lines.min(self.roots.len()) {
            self.complete_line(line);
        }
        for (i, root) in self.roots.iter().take(lines).enumerate() {
            let fresh = root.score > -VALUE_INF;
            let score = if fresh { root.score } else { root.previous };
            if score == -VALUE_INF {
                continue;
            }
            (self.on_event)(Event::Info(Info {
                depth: if fresh { depth } else { depth - 1 }.max(1) as u32,
                seldepth: root.seldepth as u32,
                multipv: i + 1,
                score: Score::from_value(score),
                bound: if fresh { root.bound } else { Bound::Exact },
                wdl: Some(wdl(score)),
                nodes,
                time,
                hashfull: shared.table.hashfull(),
                pv: root.line().to_vec(),
            }));
        }
    }
}

fn wdl(score: Value) -> [u16; 3] {
    if score >= MATE_IN_MAX {
        [1000, 0, 0]
    } else if score <= -MATE_IN_MAX {
        [0, 0, 1000]
    } else {
        eval::wdl(score)
    }
}
