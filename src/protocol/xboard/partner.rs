//! The partner at the next board, and that board as far as the GUI shows it.

use crate::protocol::grammar::words::Hand;
use crate::protocol::output::Output;
use crate::protocol::place::put_hands;
use crate::rules::{Position, Rules, notation};

/// What is known of the partner and his board.
#[derive(Clone, Debug, Default)]
pub(super) struct Partner {
    /// His name, while there is one.
    pub(super) name: Option<String>,
    /// Whether the GUI has agreed to show his board.
    pub(super) shown: bool,
    board: Option<Position>,
}

impl Partner {
    /// A new game: his board is at the start too.
    pub(super) fn new_game(&mut self, rules: Rules) {
        self.board = self.shown.then(|| Position::start(rules));
    }

    /// His board, if it is known.
    pub(super) fn board(&self) -> Option<Position> {
        self.board
    }

    /// His board is this now.
    pub(super) fn set_board(&mut self, fen: &str, rules: Rules) -> Result<(), String> {
        let read = Position::from_fen(fen, rules).map_err(|error| error.to_string());
        self.board = read.as_ref().ok().copied();
        read.map(|_| ())
    }

    /// A move was made there. One that does not fit means that what we thought to know was wrong.
    /// Tells whether it took something, so that a `holding` will follow.
    pub(super) fn play(&mut self, text: &str, out: &mut Output) -> bool {
        let Some(mut position) = self.board.take() else { return false };
        let read = notation::from_uci(&position, text)
            .or_else(|first| notation::from_san(&position, text).map_err(|_| first));
        match read {
            Ok(mv) => {
                let taken = position.make(mv);
                self.board = Some(position);
                taken.is_some()
            }
            Err(error) => {
                out.doubt("the partner's board", error);
                false
            }
        }
    }

    /// The hands there are these now. If they cannot be, nothing is known any more.
    pub(super) fn set_hands(&mut self, white: &Hand, black: &Hand) -> Result<(), String> {
        let Some(mut position) = self.board.take() else { return Ok(()) };
        put_hands(&mut position, white, black)?;
        self.board = Some(position);
        Ok(())
    }
}
