//! What a node teaches: about its own moves, and about the one that led to it.

use crate::rules::Position;
use crate::types::{Move, Value};

use super::alphabeta::Tried;
use super::history::piece_to_of;
use super::worker::{NO_EVAL, Thread};

impl Thread<'_> {
    pub(super) fn bonus(&self, depth: i32) -> i32 {
        let params = self.shared.params;
        (params.bonus_factor * depth).min(params.bonus_max)
    }

    /// Remembers what cut off, and what did not.
    pub(super) fn learn(
        &mut self,
        position: &Position,
        ply: usize,
        mv: Move,
        depth: i32,
        quiets: &Tried,
        captures: &Tried,
    ) {
        let params = self.shared.params;
        let bonus = self.bonus(depth);
        let malus = (params.malus_factor * depth).min(params.malus_max);
        let context = self.context(ply);
        if mv.is_tactical() {
            self.memory.history.update_capture(position, mv, bonus);
        } else {
            let frame = self.frame(ply);
            if frame.killers[0] != Some(mv) {
                frame.killers = [Some(mv), frame.killers[0]];
            }
            let history = &mut self.memory.history;
            history.set_counter(&context, mv);
            history.update_quiet(position, mv, &context, bonus);
            for &other in quiets {
                history.update_quiet(position, other, &context, -malus);
            }
        }
        for &other in captures {
            self.memory.history.update_capture(position, other, -malus);
        }
    }

    /// The move that led to a node, if it was quiet.
    fn last_quiet(&self, ply: usize) -> Option<Move> {
        self.before(ply, 1).mv.filter(|mv| !mv.is_tactical())
    }

    /// Both players' evaluations around the last move add up to what it cost the player who made
    /// it: his history learns from that.
    pub(super) fn judge_last_move(&mut self, position: &Position, ply: usize, eval: Value) {
        let before = self.before(ply, 1).eval;
        let params = self.shared.params;
        if let Some(mv) = self.last_quiet(ply)
            && before != NO_EVAL
            && params.hist_swing > 0
        {
            let gain = -(before + eval) * params.hist_swing / 16;
            let bonus = gain.clamp(-params.bonus_max, params.bonus_max);
            self.memory.history.update_plain(!position.turn(), mv, bonus);
        }
    }

    /// Where nothing was good enough, the move that led there was good.
    pub(super) fn praise_last_move(&mut self, position: &Position, ply: usize, depth: i32) {
        let share = self.shared.params.hist_prior;
        if share == 0 || ply == 0 {
            return;
        }
        if let (Some(mv), Some(row)) = (self.last_quiet(ply), self.before(ply, 1).row) {
            let bonus = self.bonus(depth) * share / 100;
            let context = self.context(ply - 1);
            let history = &mut self.memory.history;
            history.update_made(!position.turn(), mv, piece_to_of(row), &context, bonus);
        }
    }
}
