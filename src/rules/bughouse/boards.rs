//! Two boards and the pieces that cross between them.

use thiserror::Error;

use super::exchange::ExchangeError;
use crate::rules::{Captured, FenError, HandError, Position, PromotionRule, Rules, Variant};
use crate::types::{BoardId, Color, HAND_ROLES, Key, Move, MoveList, Role, Seat, Square};

/// Pieces of two sets: no position of a match can hold more on its boards and in its hands.
pub const TWO_SETS: u32 = 64;

/// Both boards of a table. Cheap to copy, to key and to play on, so that both can be searched as one
/// state.
#[derive(Clone, Copy, Debug)]
pub struct Boards {
    boards: [Position; 2],
}

/// Why two boards do not make a table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BoardsError {
    /// Not two positions.
    #[error("two boards are written 'A | B'; here are {0} positions")]
    NotTwo(usize),
    /// One of the positions is wrong.
    #[error("board {board}: {error}")]
    Board {
        /// The board.
        board: BoardId,
        /// What is wrong with it.
        error: FenError,
    },
    /// More than two sets hold.
    #[error("{0} pieces on both boards and in all hands: two sets hold {TWO_SETS}")]
    TooManyPieces(u32),
    /// The boards follow different rules, or not those of bughouse.
    #[error("two boards need one bughouse rule set")]
    RulesDiffer,
}

/// Why a move was refused; the boards are as they were.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayError {
    /// The board does not allow it.
    #[error("{mv:?} is not legal for {seat}")]
    Illegal {
        /// Who would have played it.
        seat: Seat,
        /// The move.
        mv: Move,
    },
    /// The piece to be taken off the other board does not fit.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// A hand cannot hold what would come to it.
    #[error("hand of {seat}: {error}")]
    Hand {
        /// Whose hand.
        seat: Seat,
        /// What is wrong.
        error: HandError,
    },
}

/// What a move did beyond its own board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// The piece that went to the partner's hand.
    pub captured: Option<Captured>,
    /// The square on the other board whose piece a pawn was exchanged for.
    pub exchanged: Option<Square>,
}

impl Boards {
    /// Both boards at the start.
    pub fn start(rules: Rules) -> Result<Boards, BoardsError> {
        Boards::new(Position::start(rules), Position::start(rules))
    }

    /// A table from its two positions.
    pub fn new(a: Position, b: Position) -> Result<Boards, BoardsError> {
        if a.rules() != b.rules() || a.rules().variant != Variant::Bughouse {
            return Err(BoardsError::RulesDiffer);
        }
        let mut boards = Boards { boards: [a, b] };
        let pieces = boards.piece_count();
        if pieces > TWO_SETS {
            return Err(BoardsError::TooManyPieces(pieces));
        }
        boards.refresh_promotable();
        Ok(boards)
    }

    /// Reads `A | B` (also `A|B`).
    pub fn from_fen(text: &str, rules: Rules) -> Result<Boards, BoardsError> {
        let parts: Vec<&str> = text.split('|').map(str::trim).collect();
        let &[a, b] = parts.as_slice() else {
            return Err(BoardsError::NotTwo(parts.len()));
        };
        let read = |board, fen| {
            Position::from_fen(fen, rules).map_err(|error| BoardsError::Board { board, error })
        };
        Boards::new(read(BoardId::A, a)?, read(BoardId::B, b)?)
    }

    /// Writes `A | B`.
    pub fn fen(&self) -> String {
        format!("{} | {}", self.boards[0].fen(), self.boards[1].fen())
    }

    /// One board.
    #[inline]
    pub fn board(&self, board: BoardId) -> &Position {
        &self.boards[board.index()]
    }

    /// The rule set of both boards.
    pub fn rules(&self) -> Rules {
        self.boards[0].rules()
    }

    /// Whose move it is on a board.
    #[inline]
    pub fn mover(&self, board: BoardId) -> Seat {
        Seat::new(board, self.board(board).turn())
    }

    /// How many pieces of a role lie before a player.
    #[inline]
    pub fn hand(&self, seat: Seat, role: Role) -> u8 {
        self.board(seat.board()).hand(seat.color(), role)
    }

    /// A key of both boards; exchanging the boards changes it.
    #[inline]
    pub fn key(&self) -> Key {
        // An odd factor is a bijection, so no key of board B is lost, and A | B differs from B | A.
        self.boards[0].key() ^ self.boards[1].key().wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Single moves played on both boards, by the positions' own move numbers.
    pub fn game_ply(&self) -> u32 {
        self.boards.iter().fold(0u32, |sum, board| sum.saturating_add(board.game_ply()))
    }

    /// Pieces on both boards and in all hands.
    pub fn piece_count(&self) -> u32 {
        self.boards.iter().map(Position::piece_total).sum()
    }

    /// The legal moves of a board. Under `promotion = exchange` a promotion may still be played
    /// with each piece of [`Boards::exchanges`].
    pub fn legal_moves(&self, board: BoardId) -> MoveList {
        self.board(board).legal_moves()
    }

    /// Puts a new position on one board, as a table server sends it.
    pub fn set_board(&mut self, board: BoardId, position: Position) -> Result<(), BoardsError> {
        let other = *self.board(board.other());
        *self = match board {
            BoardId::A => Boards::new(position, other)?,
            BoardId::B => Boards::new(other, position)?,
        };
        Ok(())
    }

    /// Plays a move: a captured piece goes to the partner's hand. `exchange` names the square on
    /// the other board under `promotion = exchange`; it may be left out where only one fits.
    pub fn play(
        &mut self,
        board: BoardId,
        mv: Move,
        exchange: Option<Square>,
    ) -> Result<Played, PlayError> {
        let seat = self.mover(board);
        if !self.board(board).is_legal(mv) {
            return Err(PlayError::Illegal { seat, mv });
        }
        let exchanged = self.exchange_square(seat, mv, exchange)?;
        let mut next = *self;
        let captured = next.boards[board.index()].make(mv);
        if let Some(Captured { role, color }) = captured {
            // The partner plays the colour that the mover's opponent plays: the piece keeps it.
            next.give(Seat::new(board.other(), color), role)?;
        }
        if let Some(square) = exchanged {
            next.exchange(seat, square)?;
        }
        next.refresh_promotable();
        *self = next;
        Ok(Played { captured, exchanged })
    }

    /// Adds a piece to a hand.
    pub(super) fn give(&mut self, seat: Seat, role: Role) -> Result<(), PlayError> {
        self.boards[seat.board().index()]
            .add_to_hand(seat.color(), role)
            .map_err(|error| PlayError::Hand { seat, error })
    }

    /// One board, to be changed by the rules of exchange.
    pub(super) fn board_mut(&mut self, board: BoardId) -> &mut Position {
        &mut self.boards[board.index()]
    }

    /// Under `promotion = exchange` tells both positions which kinds a pawn may become now.
    fn refresh_promotable(&mut self) {
        if self.rules().promotion != PromotionRule::Exchange {
            return;
        }
        for board in BoardId::ALL {
            for color in Color::ALL {
                let mut mask = 0;
                for (bit, role) in HAND_ROLES[1..].iter().enumerate() {
                    if self.exchanges(Seat::new(board, color), *role).any() {
                        mask |= 1 << bit;
                    }
                }
                self.boards[board.index()].set_promotable(color, mask);
            }
        }
    }
}
