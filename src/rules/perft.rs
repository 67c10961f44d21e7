//! Counting the leaves of the move tree.

use super::position::Position;
use crate::types::Move;

/// Leaves at `depth`; the last ply is counted without being listed.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves() as u64,
        _ => {
            position.legal_moves().into_iter().map(|mv| perft(&position.after(mv), depth - 1)).sum()
        }
    }
}

/// [`perft`] of each root move; `depth` of at least 1.
pub fn perft_divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    position
        .legal_moves()
        .into_iter()
        .map(|mv| (mv, perft(&position.after(mv), depth.saturating_sub(1))))
        .collect()
}
