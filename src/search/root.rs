//! The order of the root's moves. With two hundred of them it decides how deep each is looked at,
//! and the first is what is played when a search is stopped before it has found anything.

use std::cmp::Reverse;

use crate::rules::{Position, Status};
use crate::types::Move;

use super::movepick::MovePicker;
use super::worker::{RootMove, Thread};

impl Thread<'_> {
    /// Before anything is searched: mates in one, the table's move, then as an inner node would,
    /// moves that lose material last.
    pub(super) fn order_roots(&mut self, position: &Position) {
        let shared = self.shared;
        let mut order: Vec<Move> = Vec::with_capacity(self.roots.len());
        if shared.params.root_order != 0 {
            let known = shared.table.probe(position.key() ^ shared.salt).and_then(|hit| hit.mv);
            let known = known.filter(|&mv| position.is_legal(mv));
            let context = self.context(0);
            let mut picker = MovePicker::main(position, known, [None; 2], None, context);
            let (history, checking) = (&self.memory.history, position.check_info());
            while let Some(mv) = picker.next(position, history, shared.params, &checking) {
                order.push(mv);
            }
            let mates = |mv: Move| {
                position.gives_check_with(&checking, mv)
                    && position.after(mv).status() == Status::Checkmate
            };
            order
                .sort_by_cached_key(|&mv| (!mates(mv), Some(mv) != known, !position.see_ge(mv, 0)));
        }
        if order.len() == self.roots.len() {
            // All moves there are: nothing need be looked up.
            self.roots = order.into_iter().map(RootMove::new).collect();
        } else {
            let place = |root: &RootMove| order.iter().position(|&mv| mv == root.mv);
            self.roots.sort_by_cached_key(|root| place(root).unwrap_or(order.len()));
        }
        for (rank, root) in self.roots.iter_mut().enumerate() {
            root.rank = rank;
        }
    }

    /// The best first, then what was best before, then what took most effort to refute.
    pub(super) fn sort_roots(&mut self, from: usize, to: usize) {
        let by_effort = self.shared.params.root_effort as u64;
        let key = |root: &RootMove| {
            let effort = root.nodes * by_effort;
            (Reverse((root.score, root.previous, effort)), root.rank)
        };
        self.roots[from..to].sort_unstable_by_key(key);
    }
}
