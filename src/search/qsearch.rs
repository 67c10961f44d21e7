//! Quiescence: the search beyond the horizon, until no capture, promotion or check hangs.

use crate::rules::Position;
use crate::types::{MATE_IN_MAX, MAX_PLY, VALUE_INF, Value, is_mate, mated_in, role_index};

use super::alphabeta::{bound_settles, bound_sharpens};
use super::movepick::MovePicker;
use super::tt::{Bound, Hit, from_table, to_table};
use super::worker::{NO_EVAL, Thread};

/// What a capture may gain, pawn to king: off the board, and into a hand.
const GAIN: [Value; 6] = [215, 630, 610, 840, 1320, 0];

impl Thread<'_> {
    /// Searches captures, promotions and evasions; in the first plies (`depth` 0 and below) checks
    /// too.
    pub(super) fn quiesce<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        mut alpha: Value,
        beta: Value,
        depth: i32,
    ) -> Value {
        if self.must_stop() {
            return 0;
        }
        if PV {
            self.memory.lines[ply].clear();
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if self.frame(ply).decided {
            return mated_in(ply + 1);
        }
        if self.drawn(position) {
            return 0;
        }
        let in_check = position.in_check();
        if ply >= MAX_PLY - 2 {
            if in_check {
                return 0;
            }
            let raw = self.evaluate(position);
            return self.corrected(position, raw, ply);
        }
        let shared = self.shared;
        let params = shared.params;
        let key = position.key() ^ shared.salt;
        let team = self.frame(ply).team;
        let with_checks = depth > -params.qs_checks;
        let level = if in_check || with_checks { 0 } else { -1 };

        let hit = shared.table.probe(key);
        let table_value = hit.map_or(0, |hit| from_table(hit.value, ply, team));
        let table_bound = hit.and_then(|hit| hit.bound);
        if !PV
            && let Some(bound) = table_bound
            && hit.is_some_and(|hit| hit.depth >= level)
            && bound_settles(bound, table_value, beta)
        {
            return table_value;
        }
        let table_move = hit.and_then(|hit| hit.mv).filter(|&mv| position.is_legal(mv));
        let was_pv = PV || hit.is_some_and(|hit| hit.pv);

        let mut best = -VALUE_INF;
        let mut raw = NO_EVAL;
        let mut base = -VALUE_INF;
        if !in_check {
            raw = hit.and_then(|hit| hit.eval).unwrap_or_else(|| self.evaluate(position));
            best = self.corrected(position, raw, ply);
            self.frame(ply).eval = best;
            if let Some(bound) = table_bound
                && bound_sharpens(bound, table_value, best)
                && !is_mate(table_value)
            {
                best = table_value;
            }
            if best >= beta {
                if hit.is_none() {
                    self.store_quiet(key, ply, best, raw, None, Bound::Lower, -2, was_pv);
                }
                return best;
            }
            alpha = alpha.max(best);
            base = best + params.qs_margin;
        } else {
            self.frame(ply).eval = NO_EVAL;
        }

        let context = self.context(ply);
        let mut picker = MovePicker::quiescence(position, table_move, context, with_checks);
        let checking = position.check_info();
        let mut best_move = None;
        let mut count = 0;
        let mut quiet_evasions = 0;
        while let Some(mv) = picker.next(position, &self.memory.history, params, &checking) {
            count += 1;
            if best > -MATE_IN_MAX {
                let quiet = !mv.is_tactical();
                if in_check {
                    if quiet {
                        quiet_evasions += 1;
                        if quiet_evasions > params.qs_evasions {
                            continue;
                        }
                    }
                    if !position.see_ge(mv, 0) {
                        continue;
                    }
                } else if quiet {
                    if !position.see_ge(mv, params.qs_check_see) {
                        continue;
                    }
                } else {
                    if !position.gives_check_with(&checking, mv) && !mv.is_promotion() {
                        let taken = position.role_at(mv.to()).map_or(0, role_index);
                        let most = base + GAIN[taken];
                        if most <= alpha {
                            best = best.max(most);
                            continue;
                        }
                        if base <= alpha && !position.see_ge(mv, 1) {
                            best = best.max(base);
                            continue;
                        }
                    }
                    if !position.see_ge(mv, 0) {
                        continue;
                    }
                }
            }
            let next = self.enter(position, ply, mv);
            let value = -self.quiesce::<PV>(&next, ply + 1, -beta, -alpha, depth - 1);
            self.leave();
            if self.stopped {
                return 0;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if PV {
                        self.extend_line(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }
        if in_check && count == 0 {
            return self.terminal(position, ply);
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        self.store_quiet(key, ply, best, raw, best_move, bound, level, was_pv);
        best
    }

    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn store_quiet(
        &mut self,
        key: u64,
        ply: usize,
        value: Value,
        raw: Value,
        mv: Option<crate::types::Move>,
        bound: Bound,
        depth: i32,
        pv: bool,
    ) {
        let team = self.frame(ply).team;
        self.shared.table.store(
            key,
            &Hit {
                mv,
                value: to_table(value, ply, team),
                eval: (raw != NO_EVAL).then_some(raw),
                depth,
                bound: Some(bound),
                pv,
            },
        );
    }
}
