//! How much danger a king is in.

use shakmaty::attacks;

use crate::rules::Position;
use crate::types::{
    Bitboard, Color, File, HAND_ROLES, Rank, Role, Square, Value, color_index, role_index,
};

use super::{Board, Weights};

/// Danger becomes centipawns by its square over this, and by itself over the other.
const DIVISOR: i32 = 5200;
const LINEAR: i32 = 14;

/// The king's square and all around it, kept to full size at the edges.
pub(super) fn ring(king: Square) -> Bitboard {
    let file = (king.file() as u32).clamp(1, 6);
    let rank = (king.rank() as u32).clamp(1, 6);
    let centre = Square::from_coords(File::new(file), Rank::new(rank));
    attacks::king_attacks(centre) | Bitboard::from_square(centre)
}

/// What the danger to `color`'s king costs him.
#[inline]
pub(super) fn danger(position: &Position, board: &Board, color: Color, weights: &Weights) -> Value {
    let them = !color;
    let (us, foe) = (color_index(color), color_index(them));
    let king = position.king(color);
    let ring = board.rings[us];
    let own_king = board.by[us][role_index(Role::King)];
    let near = own_king | Bitboard::from_square(king);

    // Squares the attacker can step on or drop to without losing the piece at once.
    let guarded = board.all[us] & !(own_king & !board.twice[us]);
    let weak = board.all[foe] & !guarded;
    let contact_ok = own_king & board.all[foe] & !guarded;
    let safe = !position.by_color(them) & !board.all[us] | contact_ok & !position.by_color(them);
    let empty = !board.occupied;

    let mut units = weights.base
        + board.attackers[foe] * board.weight[foe] / 2
        + board.touches[foe] * weights.touch
        + (weak & near).count() as i32 * weights.weak;

    let bishop = attacks::bishop_attacks(king, board.occupied);
    let rook = attacks::rook_attacks(king, board.occupied);
    let checks = [
        attacks::pawn_attacks(color, king),
        attacks::knight_attacks(king),
        bishop,
        rook,
        bishop | rook,
    ];
    let mut total = 0;
    let mut defenders = 0;
    for (i, role) in HAND_ROLES.into_iter().enumerate() {
        let count = i32::from(position.hand(them, role));
        defenders += i32::from(position.hand(color, role));
        if i > 0 {
            let steps = checks[i] & board.by[foe][i];
            if (steps & safe).any() {
                units += weights.safe_check[i];
            } else if steps.any() {
                units += weights.unsafe_check;
            }
        }
        if count > 0 {
            total += count;
            // The second and third of a kind still help.
            units += weights.in_hand[i] * (4 + count.min(3)) / 5;
            let drops = checks[i] & empty;
            if (drops & safe).any() {
                units += weights.drop_check[i];
            } else if drops.any() {
                units += weights.unsafe_check;
            }
        }
    }
    // Empty squares beside the king that nothing but him guards are where drops go.
    let holes = (near & empty & !guarded).count() as i32;
    units += holes * weights.hole * (1 + total.min(6));
    let shield = position.by_piece(color, Role::Pawn) & ring & forward(color, king);
    units -= shield.count() as i32 * weights.shield;
    units -= defenders.min(8) * weights.own_hand;
    units += (bishop & position.by_color(color)).count() as i32 * weights.pinned / 4;
    if position.by_piece(them, Role::Queen).is_empty() && position.hand(them, Role::Queen) == 0 {
        units -= weights.no_queen;
    }
    let units = units.clamp(0, 4200);
    units * units / DIVISOR + units / LINEAR
}

/// The ranks before a king, his own included.
fn forward(color: Color, king: Square) -> Bitboard {
    let rank = king.rank() as u32;
    match color {
        Color::White => Bitboard(!0 << (8 * rank)),
        Color::Black => Bitboard(!0 >> (56 - 8 * rank)),
    }
}
