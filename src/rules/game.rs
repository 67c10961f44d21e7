//! A game on one board: chess, crazyhouse, or one board of a bughouse match seen alone.

use std::fmt;

use thiserror::Error;

use super::{Position, Status, Variant};
use crate::types::{Bitboard, Color, Key, Move, Role};

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// The player to move is in check and nothing answers it.
    Checkmate,
    /// The player to move has neither move nor drop.
    Stalemate,
    /// The same board, castling, en passant, hands and player to move for the third time.
    Threefold,
    /// Fifty moves of each side without capture or pawn move (chess).
    FiftyMoves,
    /// Neither side could ever mate (chess).
    InsufficientMaterial,
    /// The cap of single moves was reached.
    MoveCap(u16),
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndReason::Checkmate => f.write_str("checkmate"),
            EndReason::Stalemate => f.write_str("stalemate"),
            EndReason::Threefold => f.write_str("threefold repetition"),
            EndReason::FiftyMoves => f.write_str("fifty-move rule"),
            EndReason::InsufficientMaterial => f.write_str("insufficient material"),
            EndReason::MoveCap(cap) => write!(f, "{cap} moves played"),
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Who won; `None` is a draw.
    pub winner: Option<Color>,
    /// By which rule.
    pub reason: EndReason,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(color) => write!(f, "{color} wins ({})", self.reason),
            None => write!(f, "draw ({})", self.reason),
        }
    }
}

/// Why a move was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    /// The position does not allow it.
    #[error("{mv:?} is not legal for {turn}")]
    Illegal {
        /// The move.
        mv: Move,
        /// Whose turn it is.
        turn: Color,
    },
}

/// A game from its start position on. Moves after a draw are allowed, since analysis goes on where
/// play stops; [`Game::outcome`] tells the end.
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    /// Every position, the start first, the present one last.
    positions: Vec<Position>,
    moves: Vec<Move>,
}

impl Game {
    /// A game that begins here.
    pub fn new(start: Position) -> Game {
        Game { start, positions: vec![start], moves: Vec::new() }
    }

    /// Where the game began.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The present position.
    pub fn position(&self) -> &Position {
        self.positions.last().unwrap_or(&self.start)
    }

    /// The moves played so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a move; an illegal one changes nothing.
    pub fn play(&mut self, mv: Move) -> Result<(), GameError> {
        let mut position = *self.position();
        if !position.is_legal(mv) {
            return Err(GameError::Illegal { mv, turn: position.turn() });
        }
        position.make(mv);
        self.moves.push(mv);
        self.positions.push(position);
        Ok(())
    }

    /// Takes the last move back and returns it; `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        Some(mv)
    }

    /// The keys of the earlier positions, oldest first, without the present one.
    pub fn history(&self) -> Vec<Key> {
        let earlier = self.positions.len().saturating_sub(1);
        self.positions[..earlier].iter().map(Position::key).collect()
    }

    /// How often the present position has stood on the board, this time included.
    pub fn occurrences(&self) -> usize {
        let key = self.position().key();
        self.positions.iter().filter(|position| position.key() == key).count()
    }

    /// The end of the game, if the rules have ended it.
    ///
    /// A bughouse board alone knows mate only: it has no repetition, and who cannot move waits.
    pub fn outcome(&self) -> Option<Outcome> {
        let position = self.position();
        let draw = |reason| Some(Outcome { winner: None, reason });
        match position.status() {
            Status::Checkmate => {
                let winner = Some(position.turn().other());
                return Some(Outcome { winner, reason: EndReason::Checkmate });
            }
            Status::Stalemate => return draw(EndReason::Stalemate),
            Status::Ongoing | Status::Wait => {}
        }
        let rules = position.rules();
        if rules.variant == Variant::Bughouse {
            return None;
        }
        if self.occurrences() >= 3 {
            return draw(EndReason::Threefold);
        }
        if rules.variant == Variant::Chess {
            if insufficient_material(position) {
                return draw(EndReason::InsufficientMaterial);
            }
            if position.halfmove_clock() >= 100 {
                return draw(EndReason::FiftyMoves);
            }
        }
        match rules.move_cap {
            Some(cap) if position.game_ply() >= u32::from(cap) => draw(EndReason::MoveCap(cap)),
            _ => None,
        }
    }
}

/// Chess only: kings with at most one minor piece, or with bishops all on squares of one colour.
fn insufficient_material(position: &Position) -> bool {
    let minor = position.by_role(Role::Knight) | position.by_role(Role::Bishop);
    let kings = position.by_role(Role::King);
    if (position.occupied() & !(minor | kings)).any() {
        return false;
    }
    let bishops = position.by_role(Role::Bishop);
    minor.count() <= 1
        || minor == bishops
            && ((bishops & Bitboard::DARK_SQUARES).is_empty()
                || (bishops & Bitboard::LIGHT_SQUARES).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Rules, notation};

    fn game(fen: &str, rules: Rules, moves: &str) -> Game {
        let mut game = Game::new(Position::from_fen(fen, rules).unwrap());
        for text in moves.split_whitespace() {
            let mv = notation::from_uci(game.position(), text).unwrap();
            game.play(mv).unwrap();
        }
        game
    }

    fn start(rules: Rules, moves: &str) -> Game {
        game(&Position::start(rules).fen(), rules, moves)
    }

    fn reason(game: &Game) -> Option<EndReason> {
        game.outcome().map(|outcome| outcome.reason)
    }

    const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8 ";

    #[test]
    fn mate_and_stalemate() {
        let mate = start(Rules::CRAZYHOUSE, "f2f3 e7e5 g2g4 d8h4");
        assert_eq!(mate.outcome().unwrap().to_string(), "black wins (checkmate)");
        let stalemate = "7k/5Q2/6K1/8/8/8/8/8[] b - - 0 1";
        let ended = game(stalemate, Rules::CRAZYHOUSE, "");
        assert_eq!(ended.outcome().unwrap().to_string(), "draw (stalemate)");
        let with_drop = "7k/5Q2/6K1/8/8/8/8/8[n] b - - 0 1";
        assert_eq!(reason(&game(with_drop, Rules::CRAZYHOUSE, "")), None);
        // The bughouse player waits, and a fool's mate could be blocked.
        assert_eq!(reason(&game(stalemate, Rules::BUGHOUSE, "")), None);
        assert_eq!(reason(&start(Rules::BUGHOUSE, "f2f3 e7e5 g2g4 d8h4")), None);
    }

    #[test]
    fn the_third_occurrence_draws_except_in_bughouse() {
        let twice = SHUFFLE.repeat(2);
        let mut repeated = start(Rules::CRAZYHOUSE, &twice);
        assert_eq!(repeated.occurrences(), 3);
        assert_eq!(reason(&repeated), Some(EndReason::Threefold));
        repeated.undo();
        assert_eq!(reason(&repeated), None);
        assert_eq!(reason(&start(Rules::CHESS, &twice)), Some(EndReason::Threefold));
        assert_eq!(reason(&start(Rules::BUGHOUSE, &twice)), None);
    }

    #[test]
    fn chess_alone_has_fifty_moves_and_material() {
        let fen = "4k3/8/8/8/8/8/8/4K2R w - - 99 80";
        assert_eq!(reason(&game(fen, Rules::CHESS, "h1h2")), Some(EndReason::FiftyMoves));
        let house = "4k3/8/8/8/8/8/8/4K2R[] w - - 99 80";
        assert_eq!(reason(&game(house, Rules::CRAZYHOUSE, "h1h2")), None);
        for (fen, drawn) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
            ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", true),
            ("2b1k3/8/8/8/8/8/8/4KB2 w - - 0 1", true),
            ("1b2k3/8/8/8/8/8/8/4KB2 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/4KNN1 w - - 0 1", false),
            ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", false),
        ] {
            let expected = drawn.then_some(EndReason::InsufficientMaterial);
            assert_eq!(reason(&game(fen, Rules::CHESS, "")), expected, "{fen}");
        }
        let bare = "4k3/8/8/8/8/8/8/4K3[] w - - 0 1";
        assert_eq!(reason(&game(bare, Rules::CRAZYHOUSE, "")), None);
    }

    #[test]
    fn the_cap_counts_single_moves_and_yields_to_mate() {
        let fen = "4k2q/8/8/8/8/8/8/Q3K3[] b - - 0 300";
        assert_eq!(reason(&game(fen, Rules::CRAZYHOUSE, "")), None);
        let capped = game(fen, Rules::CRAZYHOUSE, "e8e7");
        assert_eq!(capped.outcome().unwrap().to_string(), "draw (600 moves played)");
        assert_eq!(reason(&game(fen, Rules::BUGHOUSE, "e8e7")), None);
        let mut uncapped = Rules::CRAZYHOUSE;
        uncapped.set("move_cap", "none").unwrap();
        assert_eq!(reason(&game(fen, uncapped, "e8e7")), None);
        let rooks = "6k1/8/8/8/8/1r6/r7/7K[] b - - 0 300";
        for (mv, expected) in [("b3b4", EndReason::MoveCap(600)), ("b3b1", EndReason::Checkmate)] {
            assert_eq!(reason(&game(rooks, Rules::CRAZYHOUSE, mv)), Some(expected));
        }
    }

    #[test]
    fn an_illegal_move_changes_nothing_and_undo_returns() {
        let mut game = start(Rules::CRAZYHOUSE, "e2e4 e7e5");
        let before = (game.position().fen(), game.history());
        let illegal = Move::quiet(crate::types::Square::A1, crate::types::Square::A5);
        let error = game.play(illegal).unwrap_err().to_string();
        assert_eq!(error, "a1a5 is not legal for white");
        assert_eq!((game.position().fen(), game.history()), before);
        assert_eq!(game.history().len(), 2);
        assert!(game.undo().is_some() && game.undo().is_some());
        assert_eq!(game.undo(), None);
        assert_eq!(game.position().fen(), game.start().fen());
    }
}
