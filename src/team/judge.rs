//! What team play asks of positions that nobody searches.

use super::mates::mate_in_one;
use crate::eval;
use crate::rules::Position;
use crate::types::{Color, Value};

/// Looks at a position without thinking long about it.
pub trait Judge {
    /// The value for the side to move.
    fn value(&mut self, position: &Position) -> Value;
    /// Whether the side to move mates by force, as far as a quick look tells.
    fn mates(&mut self, position: &Position) -> bool;

    /// The value for a colour, whoever is to move.
    fn value_for(&mut self, position: &Position, color: Color) -> Value {
        let value = self.value(position);
        if position.turn() == color { value } else { -value }
    }
}

/// The judge who has nothing but the rules: no network, and mates in one only.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Judge for Plain {
    fn value(&mut self, position: &Position) -> Value {
        eval::evaluate(position)
    }

    fn mates(&mut self, position: &Position) -> bool {
        mate_in_one(position).is_some()
    }
}
