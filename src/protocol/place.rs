//! Where a UCI or UBI session stands: one board with its game, or both boards of a table.

use crate::engine::{Player, Settings};
use crate::protocol::grammar::setup::{Setup, Start};
use crate::protocol::grammar::words::{Hand, quoted};
use crate::rules::bughouse::Boards;
use crate::rules::game::Game;
use crate::rules::{Position, PromotionRule, Rules, notation};
use crate::types::{BoardId, Color, Key, Seat};

/// One board or two.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// One board and how it came to be.
    One(Box<Game>),
    /// Both boards of a bughouse table.
    Two(Box<[Position; 2]>),
}

impl Place {
    /// The start position of a game.
    pub(super) fn start(rules: Rules) -> Place {
        Place::One(Box::new(Game::new(Position::start(rules))))
    }

    /// Reads a `position` message. The error names the field, the board or the move that is wrong.
    pub(super) fn read(setup: &Setup, settings: &Settings) -> Result<Place, String> {
        match &setup.second {
            None => one_board(setup, settings.rules()),
            Some(second) => two_boards(setup, second, settings.table_rules()),
        }
    }

    /// The own board of a message whose other board makes no sense, with any board in its place.
    pub(super) fn read_own(setup: &Setup, settings: &Settings) -> Option<Place> {
        let second = setup.second.as_ref()?;
        let rules = settings.table_rules();
        let own = match settings.player {
            Player::Seat(seat) => seat.board(),
            Player::Mover => BoardId::A,
            Player::Team(_) => return None,
        };
        let start = [&setup.first, second][own.index()];
        let mut boards = [Position::start(rules); 2];
        boards[own.index()] = begin(start, rules).ok()?;
        let number = [b'1', b'2'][own.index()];
        for text in setup.moves.iter().filter(|text| text.as_bytes().first() == Some(&number)) {
            play(&mut boards, own, &text[1..]).ok()?;
        }
        Some(Place::Two(Box::new(boards)))
    }

    /// The same place under other rules, or why it cannot be.
    pub(super) fn under(&self, settings: &Settings) -> Result<Place, String> {
        match self {
            Place::One(game) => {
                let rules = settings.rules();
                if game.position().rules() == rules {
                    return Ok(self.clone());
                }
                let position = reread(game.position(), rules)?;
                Ok(Place::One(Box::new(Game::new(position))))
            }
            Place::Two(boards) => {
                let rules = settings.table_rules();
                let [a, b] = &**boards;
                Ok(Place::Two(Box::new([reread(a, rules)?, reread(b, rules)?])))
            }
        }
    }

    /// A board's position; the only board is board A.
    pub(super) fn board(&self, board: BoardId) -> &Position {
        match self {
            Place::One(game) => game.position(),
            Place::Two(boards) => &boards[board.index()],
        }
    }

    /// Both boards as far as they are known.
    pub(super) fn boards(&self) -> [Option<Position>; 2] {
        match self {
            Place::One(game) => [Some(*game.position()), None],
            Place::Two(boards) => boards.map(Some),
        }
    }

    /// The game of the only board.
    pub(super) fn game(&self) -> Option<&Game> {
        match self {
            Place::One(game) => Some(game),
            Place::Two(_) => None,
        }
    }

    /// Keys of earlier positions, where repetition counts.
    pub(super) fn history(&self) -> Vec<Key> {
        self.game().map(Game::history).unwrap_or_default()
    }

    /// The boards a player is to move on.
    pub(super) fn to_move(&self, player: Player) -> Vec<BoardId> {
        match self {
            Place::One(_) => vec![BoardId::A],
            Place::Two(boards) => BoardId::ALL
                .into_iter()
                .filter(|board| player.plays(Seat::new(*board, boards[board.index()].turn())))
                .collect(),
        }
    }

    /// Puts other hands on a board.
    pub(super) fn set_hands(
        &mut self,
        board: BoardId,
        white: &Hand,
        black: &Hand,
    ) -> Result<(), String> {
        let mut position = *self.board(board);
        put_hands(&mut position, white, black)?;
        match self {
            // The positions before had other hands, so none of them can come again.
            Place::One(game) => **game = Game::new(position),
            Place::Two(boards) => boards[board.index()] = position,
        }
        Ok(())
    }

    /// Plays the moves of a message from a number on, the earlier ones having been played before.
    pub(super) fn play_on(&mut self, moves: &[String], from: usize) -> Result<(), String> {
        match self {
            Place::One(game) => play_all(game, moves, from),
            Place::Two(_) => Err("two boards are told as a whole".to_string()),
        }
    }

    /// A move on the partner's board; what it takes crosses over.
    pub(super) fn play_partner(&mut self, board: BoardId, text: &str) -> Result<(), String> {
        match self {
            Place::One(_) => Err("the partner's board is not known".to_string()),
            Place::Two(boards) => play(boards, board, text),
        }
    }
}

fn reread(position: &Position, rules: Rules) -> Result<Position, String> {
    Position::from_fen(&position.fen(), rules).map_err(|error| error.to_string())
}

/// Gives both colours the hands told, or leaves the position as it was.
pub(super) fn put_hands(position: &mut Position, white: &Hand, black: &Hand) -> Result<(), String> {
    let mut next = *position;
    // Emptied first, so that no sum of old and new is too large.
    for (color, hand) in [
        (Color::White, &[0; 5]),
        (Color::Black, &[0; 5]),
        (Color::White, white),
        (Color::Black, black),
    ] {
        next.set_hand(color, *hand).map_err(|error| error.to_string())?;
    }
    *position = next;
    Ok(())
}

fn begin(start: &Start, rules: Rules) -> Result<Position, String> {
    match start {
        Start::Startpos => Ok(Position::start(rules)),
        Start::Fen(fen) => Position::from_fen(fen, rules).map_err(|error| error.to_string()),
    }
}

fn one_board(setup: &Setup, rules: Rules) -> Result<Place, String> {
    let mut game = Game::new(begin(&setup.first, rules)?);
    play_all(&mut game, &setup.moves, 0)?;
    Ok(Place::One(Box::new(game)))
}

/// Plays moves from a number on, or none of them.
fn play_all(game: &mut Game, moves: &[String], from: usize) -> Result<(), String> {
    for (index, text) in moves.iter().enumerate().skip(from) {
        let played = notation::from_uci(game.position(), text)
            .map_err(|error| error.to_string())
            .and_then(|mv| game.play(mv).map_err(|error| error.to_string()));
        if let Err(reason) = played {
            for _ in from..index {
                game.undo();
            }
            return Err(format!("move {} of {}: {reason}", index + 1, moves.len()));
        }
    }
    Ok(())
}

fn two_boards(setup: &Setup, second: &Start, rules: Rules) -> Result<Place, String> {
    let a = begin(&setup.first, rules).map_err(|error| format!("board A: {error}"))?;
    let b = begin(second, rules).map_err(|error| format!("board B: {error}"))?;
    Boards::new(a, b).map_err(|error| error.to_string())?;
    let mut boards = [a, b];
    for (index, text) in setup.moves.iter().enumerate() {
        let wrong =
            |reason: String| format!("move {} of {}: {reason}", index + 1, setup.moves.len());
        let (board, text) = match text.as_bytes().first() {
            Some(b'1') => (BoardId::A, &text[1..]),
            Some(b'2') => (BoardId::B, &text[1..]),
            _ => {
                return Err(wrong(format!(
                    "'{}' does not begin with the number of its board",
                    quoted(text)
                )));
            }
        };
        play(&mut boards, board, text).map_err(wrong)?;
    }
    Ok(Place::Two(Box::new(boards)))
}

/// Plays a move on one of two boards; a piece taken goes to the other board's hand.
pub(super) fn play(boards: &mut [Position; 2], board: BoardId, text: &str) -> Result<(), String> {
    if boards[0].rules().promotion == PromotionRule::Exchange {
        let mut table = Boards::new(boards[0], boards[1]).map_err(|error| error.to_string())?;
        let (mv, exchange) = table.read_uci(board, text).map_err(|error| error.to_string())?;
        table.play(board, mv, exchange).map_err(|error| error.to_string())?;
        *boards = BoardId::ALL.map(|board| *table.board(board));
        return Ok(());
    }
    // Not by way of `Boards`: live updates of hands and boards come one after the other, and in
    // between a piece may stand on a board and lie in a hand already.
    let mut next = *boards;
    let position = &mut next[board.index()];
    let mv = notation::from_uci(position, text).map_err(|error| error.to_string())?;
    if let Some(captured) = position.make(mv) {
        next[board.other().index()]
            .add_to_hand(captured.color, captured.role)
            .map_err(|error| error.to_string())?;
    }
    *boards = next;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, variant: &str) -> Result<Place, String> {
        let mut settings = Settings::default();
        settings.set("UCI_Variant", Some(variant)).expect("a variant");
        Place::read(&Setup::parse(text).expect("a position"), &settings)
    }

    #[test]
    fn a_wrong_move_is_named_and_refuses_all() {
        let error = read("startpos moves e2e4 e7e5 e4e5", "crazyhouse").expect_err("illegal");
        assert!(error.starts_with("move 3 of 3: 'e4e5' is illegal"), "{error}");
    }

    #[test]
    fn a_game_is_played_on_or_stays_as_it_was() {
        let setup = |moves: &str| Setup::parse(&format!("startpos moves {moves}")).expect("moves");
        let mut place = read("startpos moves e2e4 e7e5", "crazyhouse").expect("a game");
        let error =
            place.play_on(&setup("e2e4 e7e5 g1f3 b8c6 f3f3").moves, 2).expect_err("illegal");
        assert!(error.starts_with("move 5 of 5: 'f3f3'"), "{error}");
        assert_eq!(place.game().map(|game| game.moves().len()), Some(2));
        place.play_on(&setup("e2e4 e7e5 g1f3").moves, 2).expect("a move");
        let whole = read("startpos moves e2e4 e7e5 g1f3", "crazyhouse").expect("a game");
        assert_eq!(place.board(BoardId::A), whole.board(BoardId::A));
        assert_eq!(place.history(), whole.history());
    }

    #[test]
    fn captures_cross() {
        let place = read("startpos | startpos moves 1e2e4 1d7d5 1e4d5 2p@a3", "crazyhouse");
        let error = place.expect_err("White of board B has no pawn in hand");
        assert!(error.starts_with("move 4 of 4"), "{error}");
        let place = read("startpos | startpos moves 1e2e4 1d7d5 1e4d5 2e2e4", "bughouse");
        let place = place.expect("a table");
        assert!(place.board(BoardId::B).fen().contains("[p] b"), "{place:?}");
        assert!(read("startpos | startpos moves e2e4", "bughouse").is_err());
    }

    #[test]
    fn hands_are_set_as_a_whole() {
        let mut place = read("startpos", "crazyhouse").expect("the start");
        place.set_hands(BoardId::A, &[1, 0, 0, 0, 1], &[0; 5]).expect("hands");
        assert!(place.board(BoardId::A).fen().contains("[QP]"));
        assert!(place.set_hands(BoardId::A, &[200, 0, 0, 0, 0], &[0; 5]).is_err());
        assert!(place.board(BoardId::A).fen().contains("[QP]"));
    }
}
