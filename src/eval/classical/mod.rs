//! The hand-written evaluation: material on the board and in hand, piece squares, and above all
//! the danger the kings are in from what stands near them and from what can be dropped.

mod king;
mod numbers;
mod weights;

pub use weights::Weights;

use shakmaty::attacks;

use crate::rules::{Position, Variant};
use crate::types::{Bitboard, Color, HAND_ROLES, Role, Square, Value, color_index, role_index};

use numbers::NUMBERS;

/// What each side attacks.
struct Board {
    occupied: Bitboard,
    /// By colour and role.
    by: [[Bitboard; 6]; 2],
    all: [Bitboard; 2],
    /// Squares attacked at least twice.
    twice: [Bitboard; 2],
    /// Number and weight of pieces that attack the enemy king's surroundings.
    attackers: [i32; 2],
    weight: [i32; 2],
    /// Attacks on squares next to the enemy king.
    touches: [i32; 2],
    rings: [Bitboard; 2],
}

impl Default for Weights {
    /// The numbers the engine plays with.
    fn default() -> Weights {
        NUMBERS
    }
}

impl Board {
    fn new(position: &Position) -> Board {
        let mut board = Board {
            occupied: position.occupied(),
            by: [[Bitboard::EMPTY; 6]; 2],
            all: [Bitboard::EMPTY; 2],
            twice: [Bitboard::EMPTY; 2],
            attackers: [0; 2],
            weight: [0; 2],
            touches: [0; 2],
            rings: [Bitboard::EMPTY; 2],
        };
        for color in [Color::White, Color::Black] {
            let king = position.king(color);
            let c = color_index(color);
            board.rings[c] = king::ring(king);
            let reach = attacks::king_attacks(king);
            let pawns = pawn_attacks(color, position.by_piece(color, Role::Pawn));
            board.by[c][role_index(Role::King)] = reach;
            board.by[c][role_index(Role::Pawn)] = pawns;
            board.all[c] = reach | pawns;
            board.twice[c] = reach & pawns;
        }
        board
    }

    #[inline]
    fn add(&mut self, color: Color, role: Role, reach: Bitboard, weights: &Weights) {
        let (c, r) = (color_index(color), role_index(role));
        self.twice[c] |= self.all[c] & reach;
        self.all[c] |= reach;
        self.by[c][r] |= reach;
        let near = reach & self.rings[1 - c];
        if near.any() {
            self.attackers[c] += 1;
            self.weight[c] += weights.attacker[r];
            self.touches[c] += near.count() as i32;
        }
    }
}

fn pawn_attacks(color: Color, pawns: Bitboard) -> Bitboard {
    const NOT_A: Bitboard = Bitboard(!0x0101_0101_0101_0101);
    const NOT_H: Bitboard = Bitboard(!0x8080_8080_8080_8080);
    match color {
        Color::White => (pawns & NOT_A).shift(7) | (pawns & NOT_H).shift(9),
        Color::Black => (pawns & NOT_A).shift(-9) | (pawns & NOT_H).shift(-7),
    }
}

/// The value of a position for the side to move, in centipawns.
pub fn evaluate(position: &Position) -> Value {
    const TUNED: &Weights = &NUMBERS;
    evaluate_with(position, TUNED)
}

/// The value with other numbers, for tuning them.
#[inline]
pub fn evaluate_with(position: &Position, weights: &Weights) -> Value {
    let mut board = Board::new(position);
    let [white, black] = [Color::White, Color::Black]
        .map(|color| pieces(position, color, &mut board, weights) + hand(position, color, weights));
    let [white_danger, black_danger] =
        [Color::White, Color::Black].map(|color| king::danger(position, &board, color, weights));
    let value = white - black + black_danger - white_danger;
    let chess = position.rules().variant == Variant::Chess;
    let tempo = if chess { weights.tempo / 2 } else { weights.tempo };
    position.turn().fold_wb(value, -value) + tempo
}

/// Material, piece squares and mobility of one side.
#[inline]
fn pieces(position: &Position, color: Color, board: &mut Board, weights: &Weights) -> Value {
    let own = position.by_color(color);
    let flip = color.fold_wb(0, 56);
    let mut sum = 0;
    let square_value = |role: Role, square: Square| {
        weights.squares[role_index(role) << 6 | square as usize ^ flip]
    };
    let pawns = position.by_piece(color, Role::Pawn);
    sum += pawns.count() as i32 * weights.material[0];
    for square in pawns {
        sum += square_value(Role::Pawn, square);
    }
    let near = (board.by[color_index(color)][0] & board.rings[color_index(!color)]).count() as i32;
    board.weight[color_index(color)] += near * weights.attacker[0];
    sum += square_value(Role::King, position.king(color));
    let safe = !own & !board.by[color_index(!color)][0];
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        let r = role_index(role);
        for square in own & position.by_role(role) {
            let reach = match role {
                Role::Knight => attacks::knight_attacks(square),
                Role::Bishop => attacks::bishop_attacks(square, board.occupied),
                Role::Rook => attacks::rook_attacks(square, board.occupied),
                _ => attacks::queen_attacks(square, board.occupied),
            };
            sum += weights.material[r] + square_value(role, square);
            sum += weights.mobility[r] * (reach & safe).count() as i32;
            board.add(color, role, reach, weights);
        }
    }
    for square in own & position.promoted() {
        // Losing it gives the opponent only a pawn.
        sum += position.role_at(square).map_or(0, |role| weights.promoted[role_index(role)]);
    }
    sum
}

/// What a hand is worth by itself.
#[inline]
fn hand(position: &Position, color: Color, weights: &Weights) -> Value {
    let mut sum = 0;
    for (i, role) in HAND_ROLES.into_iter().enumerate() {
        let count = i32::from(position.hand(color, role));
        // Each further piece of a kind is worth a little less.
        sum += weights.hand[i] * count - weights.hand_step[i] * count * (count - 1) / 2;
    }
    sum
}
