//! One move of a node tried: pruned, extended, reduced, and searched as deep as it deserves.

use crate::rules::{CheckInfo, Position};
use crate::types::{MATE_IN_MAX, Move, VALUE_INF, Value, is_mate};

use super::history::{Context, piece_to};
use super::tt::Bound;
use super::worker::Thread;

/// What the table knows of a node.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub mv: Option<Move>,
    pub value: Value,
    pub bound: Option<Bound>,
    pub depth: i32,
}

/// What is known of a node while its moves are tried: the same for each of them.
pub(super) struct Node {
    pub ply: usize,
    pub depth: i32,
    pub cut: bool,
    pub in_check: bool,
    pub improving: bool,
    pub was_pv: bool,
    pub static_eval: Value,
    pub table: Known,
    pub excluded: Option<Move>,
    pub killers: [Option<Move>; 2],
    pub counter: Option<Move>,
    pub context: Context,
    pub checking: CheckInfo,
    pub doubles: i32,
}

/// How far a node's moves have been tried.
pub(super) struct Standing {
    pub alpha: Value,
    pub beta: Value,
    /// The best value so far.
    pub best: Value,
    /// Number of the move now tried, from 1.
    pub count: usize,
}

/// What came of a move.
pub(super) enum Trial {
    /// Not worth a search.
    Pruned,
    /// Nor are the quiet moves that follow.
    QuietsPruned,
    /// Not worth a search, as it can hardly be better than this.
    Futile(Value),
    /// Its value.
    Searched(Value),
    /// The node's value, whatever the move's.
    Settled(Value),
}

impl Thread<'_> {
    /// Tries a move. What it tells is worth nothing if the search was stopped.
    #[inline(always)]
    pub(super) fn try_move<const PV: bool>(
        &mut self,
        position: &Position,
        node: &Node,
        mv: Move,
        standing: Standing,
    ) -> Trial {
        let &Node { ply, depth, cut, in_check, static_eval, .. } = node;
        let Standing { alpha, beta, best, count } = standing;
        let shared = self.shared;
        let params = shared.params;
        let root = PV && ply == 0;
        let quiet = !mv.is_tactical();
        let checks = position.gives_check_with(&node.checking, mv);
        let reduction = shared.reductions.of(depth, count);
        let history = if quiet {
            let us = position.turn();
            self.memory.history.quiet(us, mv, piece_to(position, mv), &node.context)
        } else {
            self.memory.history.capture(position, mv)
        };

        if !root && best > -MATE_IN_MAX {
            let after = (depth - 1 - reduction / 1024).max(0);
            if quiet && !checks {
                let enough = params.lmp_base + depth * depth * params.lmp_factor / 100;
                let share = if node.improving { 100 } else { params.lmp_worsening };
                let enough = enough * share / 100;
                if depth <= params.lmp_depth && count as i32 > enough {
                    return Trial::QuietsPruned;
                }
                if after < 5 && history < -params.hist_prune * (after + 1) {
                    return Trial::Pruned;
                }
                let margin = params.fut_base + params.fut_margin * after;
                if !in_check
                    && after < params.fut_depth
                    && static_eval + margin + history / 256 <= alpha
                {
                    return Trial::Futile(static_eval + margin);
                }
                if after <= params.see_quiet_depth
                    && !position.see_ge(mv, -params.see_quiet * after * after)
                {
                    return Trial::Pruned;
                }
            } else {
                let margin = if quiet { params.see_check } else { params.see_capture };
                if depth <= params.see_depth && !position.see_ge(mv, -margin * depth) {
                    return Trial::Pruned;
                }
            }
        }

        let mut extension = 0;
        if !root && (ply as i32) < 2 * self.root_depth {
            if Some(mv) == node.table.mv
                && node.excluded.is_none()
                && depth >= params.singular_depth
                && node.table.depth >= depth - 3
                && matches!(node.table.bound, Some(Bound::Lower | Bound::Exact))
                && !is_mate(node.table.value)
            {
                let limit = node.table.value - params.singular_margin * depth / 2;
                self.frame(ply).excluded = Some(mv);
                let value =
                    self.node::<false>(position, ply, limit - 1, limit, (depth - 1) / 2, cut);
                self.frame(ply).excluded = None;
                if self.stopped {
                    return Trial::Pruned;
                }
                if value < limit {
                    extension = 1;
                    if !PV && value < limit - params.double_margin && node.doubles < 10 {
                        extension = 2;
                        self.frame(ply).doubles = node.doubles + 1;
                    }
                } else if params.multi_cut != 0 && value >= beta && !is_mate(value) {
                    return Trial::Settled(value);
                } else if node.table.value >= beta {
                    extension = -params.singular_less;
                } else if cut {
                    extension = -params.singular_cut;
                }
            } else if checks && depth < params.check_depth && position.see_ge(mv, 0) {
                extension = 1;
            }
        }

        let new_depth = depth - 1 + extension;
        let next = self.enter(position, ply, mv);
        let mut value = -VALUE_INF;
        let mut full = !PV || count > 1;
        if depth >= params.lmr_depth && count > 1 + usize::from(root) && !(in_check && count <= 3) {
            let reduction = reduction + self.more_reduction(node, mv, quiet, checks, history);
            let reduced = (new_depth - reduction / 1024).clamp(1.min(new_depth), new_depth);
            value = -self.node::<false>(&next, ply + 1, -alpha - 1, -alpha, reduced, true);
            full = value > alpha && reduced < new_depth;
            // What a much reduced search liked gets a cheaper look before the full depth.
            if full && new_depth - reduced >= params.lmr_stage {
                let halfway = (new_depth + reduced) / 2;
                value = -self.node::<false>(&next, ply + 1, -alpha - 1, -alpha, halfway, true);
                full = value > alpha;
            }
        }
        if full {
            value = -self.node::<false>(&next, ply + 1, -alpha - 1, -alpha, new_depth, !cut);
        }
        if PV && (count == 1 || value > alpha) {
            value = -self.node::<true>(&next, ply + 1, -beta, -alpha, new_depth, false);
        }
        self.leave();
        self.frame(ply).doubles = node.doubles;
        Trial::Searched(value)
    }

    /// What the circumstances of a late move add to its reduction, in 1024ths of a ply.
    #[inline(always)]
    fn more_reduction(
        &self,
        node: &Node,
        mv: Move,
        quiet: bool,
        checks: bool,
        history: i32,
    ) -> i32 {
        let params = self.shared.params;
        let mut more = self.lmr_deep * (node.depth - params.lmr_deep_from).max(0);
        if node.cut {
            more += params.lmr_cut;
        }
        if node.was_pv {
            more -= params.lmr_pv;
        }
        if !node.improving {
            more += params.lmr_worsening;
        }
        if checks {
            more -= params.lmr_check;
        }
        if quiet {
            if node.killers.contains(&Some(mv)) || node.counter == Some(mv) {
                more -= params.lmr_killer;
            }
            more -= history * 1024 / (4 * params.lmr_history);
        } else {
            more -= params.lmr_capture + history * 1024 / (2 * params.lmr_history);
        }
        if self.before(node.ply, 0).cutoffs > 3 {
            more += params.lmr_cutoffs;
        }
        more
    }
}
