//! How moves that reach over to the other board are written.
//!
//! A promotion by exchange is written as the site bughouse.pro writes it: behind the promoted piece
//! stands the square it is taken from, `e8=Qd1`, `bxa8=Nf6+`. In coordinates the same follows the
//! usual promotion letter: `e7e8qd1`. Where a single piece fits, the square may be left out when
//! reading; it is always written.

use thiserror::Error;

use super::boards::Boards;
use super::exchange::ExchangeError;
use crate::rules::notation::{self, MoveError};
use crate::types::{BoardId, Move, Square};

/// Why a move's text was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextError {
    /// The part that concerns its own board is wrong.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The part that concerns the other board is wrong.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
}

impl Boards {
    /// Reads a move in coordinates: `e2e4`, `P@e4`, and `e7e8qd1` for an exchange.
    pub fn read_uci(
        &self,
        board: BoardId,
        text: &str,
    ) -> Result<(Move, Option<Square>), TextError> {
        self.read(board, text, notation::from_uci)
    }

    /// Reads a move in algebraic notation: `Nf3`, `P@e4`, and `e8=Qd1` for an exchange.
    pub fn read_san(
        &self,
        board: BoardId,
        text: &str,
    ) -> Result<(Move, Option<Square>), TextError> {
        self.read(board, text, notation::from_san)
    }

    /// Writes a move in coordinates.
    pub fn write_uci(&self, board: BoardId, mv: Move, exchange: Option<Square>) -> String {
        let text = notation::to_uci(self.board(board), mv);
        exchange.map_or(text.clone(), |square| format!("{text}{square}"))
    }

    /// Writes a move in algebraic notation.
    pub fn write_san(&self, board: BoardId, mv: Move, exchange: Option<Square>) -> String {
        let mut text = notation::to_san(self.board(board), mv);
        if let Some(square) = exchange {
            let end = text.trim_end_matches(['+', '#']).len();
            text.insert_str(end, &square.to_string());
        }
        text
    }

    fn read(
        &self,
        board: BoardId,
        text: &str,
        parse: impl Fn(&crate::rules::Position, &str) -> Result<Move, MoveError>,
    ) -> Result<(Move, Option<Square>), TextError> {
        let (plain, named) = split_exchange(text);
        let mv = parse(self.board(board), &plain)?;
        let exchange = self.exchange_square(self.mover(board), mv, named)?;
        Ok((mv, exchange))
    }
}

/// Takes the square of the other board out of a move's text, if one stands there: two characters
/// behind a promotion letter that itself stands behind the destination.
fn split_exchange(text: &str) -> (String, Option<Square>) {
    let body = text.trim_end_matches(['+', '#']);
    let marks = &text[body.len()..];
    let split = body.len().checked_sub(2).filter(|at| body.is_char_boundary(*at));
    if let Some((before, last)) = split.map(|at| body.split_at(at))
        && let Ok(square) = last.parse::<Square>()
    {
        let stem = before.trim_end_matches(['n', 'b', 'r', 'q', 'N', 'B', 'R', 'Q']);
        let letters = before.len() - stem.len();
        let stem = stem.trim_end_matches(['=', '/']);
        // The stem of `e7e8q|d1` and `e8=Q|d1` ends with a last rank; that of `Nb1d2` does not
        // since its letter stands in front of the origin.
        if letters == 1 && (stem.ends_with('8') || stem.ends_with('1')) {
            return (format!("{before}{marks}"), Some(square));
        }
    }
    (text.to_owned(), None)
}
