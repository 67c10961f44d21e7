//! The neural evaluation: one hidden layer seen from both sides, kept up move by move.
//!
//! [`Network`] holds the weights, [`AccumulatorStack`] the hidden layer along a line. A search
//! makes each move with `position.make_with(mv, stack.push())`, takes it back with
//! [`AccumulatorStack::pop`], and asks [`Network::evaluate`]; sums are made only where it asks.

mod accumulator;
pub mod embedded;
pub mod features;
mod network;
mod simd;

pub use accumulator::{AccumulatorStack, Delta};
pub use network::{
    HEADER, MAX_FEATURE_BIAS, MAX_FEATURE_WEIGHT, MAX_HIDDEN, MAX_OUTPUT_WEIGHT, Network,
    NetworkError, QA, QB, SCALE, Weights, rows,
};
pub use simd::{Lane, Simd};

use crate::rules::Position;
use crate::types::{Color, MATE_IN_MAX, Value, color_index};

impl Network {
    /// The value of the position for the player to move. The stack must stand at this position.
    pub fn evaluate(&self, position: &Position, stack: &mut AccumulatorStack) -> Value {
        let turn = position.turn();
        let pieces = position.hand_total(Color::White) + position.hand_total(Color::Black);
        let (mover, opponent, bias) = self.output(features::bucket(pieces));
        let views = stack.views(self, position);
        let sum = simd::output(self.simd(), views[color_index(turn)], mover)
            .wrapping_add(simd::output(self.simd(), views[color_index(!turn)], opponent));
        let (qa, qb) = (i64::from(QA), i64::from(QB));
        let scaled = (i64::from(sum) / qa + i64::from(bias)) * i64::from(SCALE) / (qa * qb);
        // A network never claims a mate.
        let limit = i64::from(MATE_IN_MAX) - 1;
        scaled.clamp(-limit, limit) as Value
    }
}

#[cfg(test)]
mod tests {
    use super::network::tests::random;
    use super::*;
    use crate::rules::Rules;

    /// Plays random games and compares the stack with a fresh one at every ply.
    fn compare(rules: Rules, near: bool, seed: u64) {
        let network = random(64, near, seed);
        let portable = random(64, near, seed).with_simd(Simd::Portable);
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..20 {
            let mut position = Position::start(rules);
            let mut stack = AccumulatorStack::new(&network, &position);
            let mut line = vec![position];
            for _ in 0..200 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.make_with(moves[rng.usize(..moves.len())], stack.push());
                line.push(position);
                if rng.u8(..4) == 0 {
                    // A line tried and taken back must leave no trace.
                    let mut other = position;
                    let moves = other.legal_moves();
                    if !moves.is_empty() {
                        other.make_with(moves[rng.usize(..moves.len())], stack.push());
                        if rng.bool() {
                            network.evaluate(&other, &mut stack);
                        }
                        stack.pop();
                    }
                }
                if rng.u8(..3) != 0 {
                    let fresh = network
                        .evaluate(&position, &mut AccumulatorStack::new(&network, &position));
                    assert_eq!(network.evaluate(&position, &mut stack), fresh);
                    let plain = portable
                        .evaluate(&position, &mut AccumulatorStack::new(&portable, &position));
                    assert_eq!(plain, fresh);
                }
            }
            while stack.depth() > 0 {
                stack.pop();
                line.pop();
                let position = line.last().expect("as deep as the stack");
                let fresh =
                    network.evaluate(position, &mut AccumulatorStack::new(&network, position));
                assert_eq!(network.evaluate(position, &mut stack), fresh);
            }
        }
    }

    #[test]
    fn incremental_equals_refresh_and_avx2_equals_portable() {
        for near in [false, true] {
            compare(Rules::CRAZYHOUSE, near, 1);
            compare(Rules::BUGHOUSE, near, 2);
            compare(Rules::CHESS, near, 3);
        }
    }
}
