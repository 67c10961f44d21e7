//! The vocabulary: squares, roles, colours, moves, scores, keys and seats. Knows nothing else.

mod moves;
mod score;
mod seat;
mod weight;
mod word;

pub use moves::{Move, MoveList};
pub use score::{MATE, MATE_IN_MAX, MAX_PLY, Score, VALUE_INF, Value, is_mate, mate_in, mated_in};
pub use seat::{BoardId, Seat, Team};
pub use shakmaty::{Bitboard, Color, File, Rank, Role, Square};
pub use weight::Weight;
pub use word::Word;

/// A 64-bit Zobrist key of everything that makes two positions the same for the rules.
pub type Key = u64;

/// The roles that can lie in a hand, in the order hands are indexed.
pub const HAND_ROLES: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Index of a role in tables of six: pawn 0 … king 5.
#[inline(always)]
pub const fn role_index(role: Role) -> usize {
    role as usize - 1
}

/// Index of a colour in tables of two: white 0, black 1.
#[inline(always)]
pub const fn color_index(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}
