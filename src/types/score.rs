//! Values inside the search are plain integers; a [`Score`] is what leaves it.

use std::fmt;

/// A value in centipawns, or near ±[`MATE`] a mate counted in plies from the root.
pub type Value = i32;

/// Deepest ply a search can reach.
pub const MAX_PLY: usize = 128;
/// Beyond every value.
pub const VALUE_INF: Value = 32_001;
/// Mate at ply 0.
pub const MATE: Value = 32_000;
/// The smallest value that still means mate.
pub const MATE_IN_MAX: Value = MATE - 2 * MAX_PLY as Value;

/// The side to move mates at `ply` plies from the root.
pub const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// The side to move is mated at `ply` plies from the root.
pub const fn mated_in(ply: usize) -> Value {
    -MATE + ply as Value
}

/// Whether the value means that someone is mated.
pub const fn is_mate(value: Value) -> bool {
    value >= MATE_IN_MAX || value <= -MATE_IN_MAX
}

/// A score as clients see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns from the mover's view.
    Cp(i32),
    /// Moves (not plies) to mate; negative when the mover is mated, 0 when he already is.
    Mate(i32),
}

impl Score {
    /// What a search value means to a client.
    pub const fn from_value(value: Value) -> Score {
        if value >= MATE_IN_MAX {
            Score::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_IN_MAX {
            Score::Mate(-(MATE + value) / 2)
        } else {
            Score::Cp(value)
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Cp(cp) => write!(f, "cp {cp}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(Score::from_value(mate_in(1)), Score::Mate(1));
        assert_eq!(Score::from_value(mate_in(3)), Score::Mate(2));
        assert_eq!(Score::from_value(mated_in(0)), Score::Mate(0));
        assert_eq!(Score::from_value(mated_in(2)), Score::Mate(-1));
        assert_eq!(Score::from_value(-15), Score::Cp(-15));
    }
}
