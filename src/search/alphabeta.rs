//! The principal variation search. `docs/search.md` explains each part and where it comes from.

use arrayvec::ArrayVec;

use crate::rules::{Position, Variant};
use crate::types::{MATE_IN_MAX, MAX_PLY, Move, VALUE_INF, Value, is_mate, mate_in, mated_in};

use super::movepick::MovePicker;
use super::trial::{Known, Node, Standing, Trial};
use super::tt::{Bound, Hit, from_table, to_table};
use super::worker::{NO_EVAL, Thread};

/// Moves tried before the one that cut off.
pub(super) type Tried = ArrayVec<Move, 48>;

impl Thread<'_> {
    /// Searches a node of the tree to a depth in a window.
    pub(super) fn node<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        cut: bool,
    ) -> Value {
        if depth <= 0 {
            return self.quiesce::<PV>(position, ply, alpha, beta, 0);
        }
        depth = depth.min(MAX_PLY as i32 - 1);
        if self.must_stop() {
            return 0;
        }
        let root = PV && ply == 0;
        let in_check = position.in_check();
        if PV {
            self.memory.lines[ply].clear();
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if !root {
            if self.frame(ply).decided {
                return mated_in(ply + 1);
            }
            if self.drawn(position) {
                return 0;
            }
            if ply >= MAX_PLY - 2 {
                if in_check {
                    return 0;
                }
                let raw = self.evaluate(position);
                return self.corrected(position, raw, ply);
            }
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
        let shared = self.shared;
        let params = shared.params;
        let key = position.key() ^ shared.salt;
        let (excluded, team) = (self.frame(ply).excluded, self.frame(ply).team);
        self.frame(ply + 1).killers = [None; 2];
        self.frame(ply + 2).cutoffs = 0;
        let doubles = self.before(ply, 1).doubles;
        self.frame(ply).doubles = doubles;

        // What the table knows.
        let hit = if excluded.is_some() { None } else { shared.table.probe(key) };
        let table = Known {
            mv: if root {
                Some(self.roots[self.line_index].mv)
            } else {
                hit.and_then(|hit| hit.mv).filter(|&mv| position.is_legal(mv))
            },
            value: hit.map_or(0, |hit| from_table(hit.value, ply, team)),
            bound: hit.and_then(|hit| hit.bound),
            depth: hit.map_or(-100, |hit| hit.depth),
        };
        let was_pv = PV || hit.is_some_and(|hit| hit.pv);
        if !PV
            && table.depth >= depth
            && let Some(bound) = table.bound
            && bound_settles(bound, table.value, beta)
        {
            if let Some(mv) = table.mv
                && table.value >= beta
                && !mv.is_tactical()
            {
                let context = self.context(ply);
                self.memory.history.update_quiet(position, mv, &context, self.bonus(depth));
            }
            return table.value;
        }

        // The static evaluation, sharpened by the table's value.
        let raw = match hit.and_then(|hit| hit.eval) {
            _ if in_check => NO_EVAL,
            Some(eval) => eval,
            None => self.evaluate(position),
        };
        let static_eval = match excluded {
            _ if in_check => NO_EVAL,
            Some(_) => self.frame(ply).eval,
            None => self.corrected(position, raw, ply),
        };
        self.frame(ply).eval = static_eval;
        let eval = match table.bound {
            Some(bound)
                if !in_check
                    && bound_sharpens(bound, table.value, static_eval)
                    && !is_mate(table.value) =>
            {
                table.value
            }
            _ => static_eval,
        };
        let earlier = match (self.before(ply, 2).eval, self.before(ply, 4).eval) {
            (NO_EVAL, NO_EVAL) => VALUE_INF,
            (NO_EVAL, older) => older,
            (newer, _) => newer,
        };
        let improving = !in_check && static_eval > earlier;

        if excluded.is_none() && !in_check && !root {
            self.judge_last_move(position, ply, static_eval);
        }
        if !PV
            && !in_check
            && excluded.is_none()
            && let Some(value) = self.prune_node(
                position,
                ply,
                alpha,
                beta,
                &NodeFacts { depth, cut, eval, static_eval, improving, was_pv, table },
            )
        {
            return value;
        }
        if self.stopped {
            return 0;
        }
        if !root
            && excluded.is_none()
            && depth >= self.mate_depth
            && !is_mate(beta)
            && self.variant != Variant::Chess
            && position.hand_total(position.turn()) > 0
            && let Some(value) = self.glance_for_mate(position, ply, depth)
        {
            return value;
        }
        if (PV || cut) && depth >= params.iir_depth && table.mv.is_none() {
            depth -= 1;
        }

        let context = self.context(ply);
        let mut killers = self.frame(ply).killers;
        killers[params.killers as usize..].fill(None);
        let counter = match params.counters {
            0 => None,
            _ => self.memory.history.counter(&context),
        };
        let mut picker = MovePicker::main(position, table.mv, killers, counter, context);
        let node = Node {
            ply,
            depth,
            cut,
            in_check,
            improving,
            was_pv,
            static_eval,
            table,
            excluded,
            killers,
            counter,
            context,
            checking: position.check_info(),
            doubles,
        };
        let mut root_next = self.line_index;
        let mut best = -VALUE_INF;
        let mut best_move = None;
        let mut count = 0;
        let (mut quiets, mut captures) = (Tried::new(), Tried::new());

        loop {
            let mv = if root {
                let Some(found) = self.roots.get(root_next) else { break };
                root_next += 1;
                found.mv
            } else {
                let history = &self.memory.history;
                let Some(found) = picker.next(position, history, params, &node.checking) else {
                    break;
                };
                found
            };
            if excluded == Some(mv) {
                continue;
            }
            count += 1;
            if root {
                self.report_move(mv, count);
            }
            let nodes_before = self.nodes;
            let standing = Standing { alpha, beta, best, count };
            let trial = self.try_move::<PV>(position, &node, mv, standing);
            if self.stopped {
                return 0;
            }
            let value = match trial {
                Trial::Pruned => continue,
                Trial::QuietsPruned => {
                    picker.skip_quiets();
                    continue;
                }
                Trial::Futile(most) => {
                    if best < most && !is_mate(best) {
                        best = most;
                    }
                    continue;
                }
                Trial::Settled(value) => return value,
                Trial::Searched(value) => value,
            };
            if root {
                self.note_root(mv, value, alpha, beta, count, self.nodes - nodes_before);
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if PV && !root {
                        self.extend_line(ply, mv);
                    }
                    if value >= beta {
                        self.frame(ply).cutoffs += 1;
                        break;
                    }
                    alpha = value;
                }
            }
            if Some(mv) != best_move {
                let list = if mv.is_tactical() { &mut captures } else { &mut quiets };
                let _ = list.try_push(mv);
            }
        }

        if count == 0 {
            return if excluded.is_some() { alpha } else { self.terminal(position, ply) };
        }
        if let Some(mv) = best_move
            && best >= beta
        {
            self.learn(position, ply, mv, depth + i32::from(best > beta + 100), &quiets, &captures);
        } else if best_move.is_none() && !root {
            self.praise_last_move(position, ply, depth);
        }
        if excluded.is_none() && !(root && self.line_index > 0) {
            let bound = if best >= beta {
                Bound::Lower
            } else if PV && best_move.is_some() {
                Bound::Exact
            } else {
                Bound::Upper
            };
            if !in_check
                && !best_move.is_some_and(Move::is_tactical)
                && !is_mate(best)
                && (bound != Bound::Lower || best > static_eval)
                && (bound != Bound::Upper || best < static_eval)
            {
                self.memory.history.correct(position, depth, best - static_eval);
            }
            shared.table.store(
                key,
                &Hit {
                    mv: best_move,
                    value: to_table(best, ply, team),
                    eval: (!in_check).then_some(raw),
                    depth,
                    bound: Some(bound),
                    pv: was_pv,
                },
            );
        }
        debug_assert!(best > -VALUE_INF && best < VALUE_INF);
        best
    }

    /// Ways to be done with a node before trying its moves.
    #[inline]
    fn prune_node(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: Value,
        beta: Value,
        facts: &NodeFacts,
    ) -> Option<Value> {
        let shared = self.shared;
        let params = shared.params;
        let &NodeFacts { depth, cut, eval, static_eval, .. } = facts;

        // Razoring: so far below that only captures could help.
        if depth <= params.razor_depth
            && eval + params.razor_base + params.razor_margin * depth < alpha
        {
            let value = self.quiesce::<false>(position, ply, alpha, alpha + 1, 0);
            if value <= alpha || self.stopped {
                return Some(value);
            }
        }
        // Reverse futility: so far above that a reduced search would only confirm it.
        let margin =
            params.rfp_margin * depth - if facts.improving { params.rfp_improving } else { 0 };
        if !facts.was_pv
            && depth <= params.rfp_depth
            && eval - margin >= beta
            && beta > -MATE_IN_MAX
            && !is_mate(eval)
        {
            return Some((eval + beta) / 2);
        }
        // Null move: if even passing is good enough, a move will be. With a piece in hand there is
        // no zugzwang; without one the old rule of chess holds.
        let passing_is_safe = position.hand_total(position.turn()) > 0
            || (position.by_color(position.turn())
                & !position.by_role(crate::types::Role::Pawn)
                & !position.by_role(crate::types::Role::King))
            .any();
        if depth >= params.null_depth
            && self.before(ply, 1).mv.is_some()
            && eval >= beta
            && static_eval >= beta - 20 * depth + 100
            && beta > -MATE_IN_MAX
            && passing_is_safe
        {
            let above = ((eval - beta) / params.null_eval).min(3);
            let reduction = params.null_base + depth / params.null_divisor + above;
            let next = self.enter_null(position, ply);
            let value =
                -self.node::<false>(&next, ply + 1, -beta, -beta + 1, depth - reduction, !cut);
            self.leave();
            if self.stopped {
                return Some(0);
            }
            if value >= beta {
                let value = if is_mate(value) { beta } else { value };
                if self.variant != Variant::Chess || depth < 12 {
                    return Some(value);
                }
                // In chess zugzwang is real: ask again without passing.
                self.frame(ply).excluded = None;
                let check = self.node_without_null(position, ply, beta, depth - reduction);
                if check >= beta || self.stopped {
                    return Some(value);
                }
            }
        }
        // ProbCut: a capture that comes out far above beta in a shallow search.
        let goal = beta + params.probcut_margin;
        if depth >= params.probcut_depth
            && !is_mate(beta)
            && goal < MATE_IN_MAX
            && !(facts.table.depth >= depth - 3 && facts.table.value < goal)
        {
            let threshold = goal - static_eval;
            // As late moves are reduced more with depth, or it would cost more than the moves it saves.
            let more = params.probcut_deep * (depth - params.probcut_depth) / 1024;
            let shallow = depth - 4 - more;
            let mut picker = MovePicker::probcut(facts.table.mv, threshold);
            let checking = position.check_info();
            while let Some(mv) = picker.next(position, &self.memory.history, params, &checking) {
                if !position.see_ge(mv, threshold) {
                    continue;
                }
                let next = self.enter(position, ply, mv);
                let mut value = -self.quiesce::<false>(&next, ply + 1, -goal, -goal + 1, 0);
                if value >= goal {
                    value = -self.node::<false>(&next, ply + 1, -goal, -goal + 1, shallow, !cut);
                }
                self.leave();
                if self.stopped {
                    return Some(0);
                }
                if value >= goal {
                    let team = self.frame(ply).team;
                    shared.table.store(
                        position.key() ^ shared.salt,
                        &Hit {
                            mv: Some(mv),
                            value: to_table(value, ply, team),
                            eval: None,
                            depth: shallow + 1,
                            bound: Some(Bound::Lower),
                            pv: facts.was_pv,
                        },
                    );
                    return Some(value);
                }
            }
        }
        None
    }

    /// Whether a short mate search proves that the mover mates by checks.
    fn glance_for_mate(&mut self, position: &Position, ply: usize, depth: i32) -> Option<Value> {
        let nodes = (self.shared.params.mate_nodes * depth) as u64;
        let found = self.memory.mate.glance(position, nodes);
        self.nodes += self.memory.mate.nodes();
        let (plies, mv) = found?;
        if ply + plies >= MAX_PLY {
            return None;
        }
        let value = mate_in(ply + plies);
        self.shared.table.store(
            position.key() ^ self.shared.salt,
            &Hit {
                mv: Some(mv),
                value: to_table(value, ply, 0),
                eval: None,
                depth: MAX_PLY as i32,
                bound: Some(Bound::Lower),
                pv: false,
            },
        );
        Some(value)
    }

    /// A verification search whose first ply may not pass.
    fn node_without_null(
        &mut self,
        position: &Position,
        ply: usize,
        beta: Value,
        depth: i32,
    ) -> Value {
        let saved = self.before(ply, 1).mv;
        if ply > 0 {
            self.frame(ply - 1).mv = None;
        }
        let value = self.node::<false>(position, ply, beta - 1, beta, depth, false);
        if ply > 0 {
            self.frame(ply - 1).mv = saved;
        }
        value
    }
}

/// What a node knows of itself before trying moves.
struct NodeFacts {
    depth: i32,
    cut: bool,
    eval: Value,
    static_eval: Value,
    improving: bool,
    was_pv: bool,
    table: Known,
}

/// Whether a bound decides a null window at `beta`.
#[inline(always)]
pub(super) fn bound_settles(bound: Bound, value: Value, beta: Value) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => value >= beta,
        Bound::Upper => value < beta,
    }
}

/// Whether a stored value says more than a static evaluation.
#[inline(always)]
pub(super) fn bound_sharpens(bound: Bound, value: Value, eval: Value) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => value > eval,
        Bound::Upper => value < eval,
    }
}
