//! `promotion = exchange`: a pawn that reaches the last rank is exchanged for a piece of the other
//! board.
//!
//! The promoting player takes a piece of the promoted kind and of his own colour off the other
//! board, where it belongs to the diagonal; the diagonal gets the pawn into his hand. Never taken
//! are a king, a piece marked as promoted (it is a pawn), and a piece whose removal lets any piece
//! attack either king that did not attack it before: so neither a pin is undone at the king's cost
//! nor a discovered check given, whoever is to move there. Taking away a piece that itself gives
//! check is allowed; so is taking one that pins or guards. A castling right goes with its rook,
//! except under `dropped_rook_castles`, where the letter means the king alone. A capture en passant
//! that the piece's absence makes unsafe is off; one that was unsafe at the double step stays so.

use thiserror::Error;

use super::boards::{Boards, PlayError};
use crate::rules::position::role_name;
use crate::rules::{Position, PromotionRule};
use crate::types::{Bitboard, Color, Move, Role, Seat, Square};

/// Why a piece of the other board cannot be exchanged for the pawn.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExchangeError {
    /// A square was named where nothing is exchanged.
    #[error("{mv:?} takes nothing off the other board, so {square} has no meaning")]
    NotHere {
        /// The move.
        mv: Move,
        /// The square that was named.
        square: Square,
    },
    /// The square must be named, since several fit.
    #[error("{mv:?} must name the {} it takes off the other board: {}", role_name(*.role), squares(*.fits))]
    Unnamed {
        /// The move.
        mv: Move,
        /// The promoted kind.
        role: Role,
        /// The squares that fit.
        fits: Bitboard,
    },
    /// Another piece, or none, stands there.
    #[error("no {color} {} stands on {square} of the other board", role_name(*.role))]
    OtherPiece {
        /// The square that was named.
        square: Square,
        /// The kind that is needed.
        role: Role,
        /// Its colour.
        color: Color,
    },
    /// The piece is a promoted pawn.
    #[error("the piece on {0} of the other board is a promoted pawn")]
    Promoted(Square),
    /// Its removal would let a king be attacked.
    #[error(
        "taking the piece on {square} of the other board would uncover an attack on the {king} king"
    )]
    Uncovers {
        /// The square that was named.
        square: Square,
        /// Whose king.
        king: Color,
    },
}

fn squares(set: Bitboard) -> String {
    set.into_iter().map(|square| square.to_string()).collect::<Vec<_>>().join(" ")
}

/// The king that a new attack reaches when a square is emptied.
fn uncovered(position: &Position, square: Square) -> Option<Color> {
    let before = position.occupied();
    let after = before.without(square);
    Color::ALL.into_iter().find(|&king| {
        let attackers = |occupied| {
            position.attackers_to(position.king(king), occupied)
                & position.by_color(king.other())
                & after
        };
        (attackers(after) & !attackers(before)).any()
    })
}

impl Boards {
    /// Where on the other board a player finds pieces of a kind he may promote to.
    pub fn exchanges(&self, seat: Seat, role: Role) -> Bitboard {
        let other = self.board(seat.board().other());
        if role == Role::King || role == Role::Pawn {
            return Bitboard::EMPTY;
        }
        (other.by_piece(seat.color(), role) & !other.promoted())
            .into_iter()
            .filter(|&square| uncovered(other, square).is_none())
            .collect()
    }

    /// The piece to take where nobody names one: the nearest to the partner's king, to his relief.
    pub fn likely_exchange(&self, seat: Seat, role: Role) -> Option<Square> {
        let king = self.board(seat.partner().board()).king(seat.partner().color());
        self.exchanges(seat, role).into_iter().min_by_key(|square| square.distance(king))
    }

    /// The square a move takes its new piece from; none where nothing is exchanged.
    pub(super) fn exchange_square(
        &self,
        seat: Seat,
        mv: Move,
        named: Option<Square>,
    ) -> Result<Option<Square>, ExchangeError> {
        let exchanging = self.rules().promotion == PromotionRule::Exchange;
        let (Some(role), true) = (mv.promotion_role(), exchanging) else {
            return match named {
                Some(square) => Err(ExchangeError::NotHere { mv, square }),
                None => Ok(None),
            };
        };
        let fits = self.exchanges(seat, role);
        let Some(square) = named else {
            return match fits.single_square() {
                Some(only) => Ok(Some(only)),
                None => Err(ExchangeError::Unnamed { mv, role, fits }),
            };
        };
        if fits.contains(square) {
            return Ok(Some(square));
        }
        let other = self.board(seat.board().other());
        let color = seat.color();
        Err(if !other.by_piece(color, role).contains(square) {
            ExchangeError::OtherPiece { square, role, color }
        } else if other.promoted().contains(square) {
            ExchangeError::Promoted(square)
        } else {
            let king = uncovered(other, square).unwrap_or(color);
            ExchangeError::Uncovers { square, king }
        })
    }

    /// Takes a piece off the other board and gives the diagonal the pawn.
    pub(super) fn exchange(&mut self, seat: Seat, square: Square) -> Result<(), PlayError> {
        let diagonal = seat.diagonal();
        self.board_mut(diagonal.board()).remove_piece(square);
        self.give(diagonal, Role::Pawn)
    }
}
