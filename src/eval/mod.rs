//! What a position is worth without searching. Knows one board with its hands, never another.

pub mod classical;
mod evaluator;
pub mod nnue;

pub use evaluator::{Evaluator, Networks};

use crate::rules::Position;
use crate::types::Value;

/// No evaluation lies beyond ± this, so that what the search adds for the team stays below mate.
pub const EVAL_MAX: Value = 12_000;

/// The classical value of a position for the side to move, in centipawns: for a single look, where
/// no [`Evaluator`] follows the moves.
#[inline]
pub fn evaluate(position: &Position) -> Value {
    classical::evaluate(position).clamp(-EVAL_MAX, EVAL_MAX)
}

/// Chances of win, draw and loss in thousandths that belong to a value.
pub fn wdl(value: Value) -> [u16; 3] {
    // Games with drops are hardly ever drawn, and a pawn is worth less than in chess.
    let chance = |v: f64| 1000.0 / (1.0 + (-v / 260.0).exp());
    let win = chance(f64::from(value) - 12.0).round() as u16;
    let loss = chance(f64::from(-value) - 12.0).round() as u16;
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_sum_to_a_thousand() {
        for value in (-3000..3000).step_by(7) {
            assert_eq!(wdl(value).iter().sum::<u16>(), 1000);
        }
        assert!(wdl(0)[1] > 0 && wdl(1000)[0] > 950);
    }
}
