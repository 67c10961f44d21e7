//! A match at a table: what may happen in it and the rule that ends it.
//!
//! Time is not kept here. Whoever keeps the clocks says that a flag fell, and which events share an
//! instant. Only finished moves are told, so the two values of `pass_pieces` do not differ here:
//! the piece has passed once the move is played. A clock that models the hand's way to the clock
//! under `at-once` tells the capture at the instant the piece left the board.

use thiserror::Error;

use super::boards::{Boards, BoardsError, PlayError, Played};
use super::result::{MatchEnd, MatchResult};
use crate::rules::{BoardDraw, IllegalMove, Rules, Simultaneous, Status};
use crate::types::{BoardId, Move, Seat, Square, Team};

/// A move of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchMove {
    /// Who played it.
    pub seat: Seat,
    /// The move.
    pub mv: Move,
    /// What it did beyond its board.
    pub played: Played,
}

/// What can happen at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The player to move on a board moves.
    Play {
        /// The board.
        board: BoardId,
        /// The move.
        mv: Move,
        /// The piece taken off the other board, under `promotion = exchange`.
        exchange: Option<Square>,
    },
    /// A player's time ran out.
    Flag(Seat),
    /// A player resigned.
    Resign(Seat),
    /// A player left the table.
    Leave(Seat),
    /// A player made an illegal move.
    Illegal(Seat),
}

/// Why something cannot happen; the match is as it was.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MatchError {
    /// The match has ended.
    #[error("the match is over: {0}")]
    Over(MatchResult),
    /// The board was drawn and stopped.
    #[error("board {0} was drawn and stands still")]
    Stopped(BoardId),
    /// The move was refused.
    #[error("board {board}: {error}")]
    Play {
        /// The board.
        board: BoardId,
        /// Why.
        error: PlayError,
    },
}

/// One way an event ends the match.
#[derive(Clone, Copy)]
enum End {
    Lost(Seat, MatchEnd),
    Drawn(MatchEnd),
}

/// A match: both boards from the start on, and how it ended.
#[derive(Clone, Debug)]
pub struct Match {
    start: Boards,
    boards: Boards,
    moves: Vec<MatchMove>,
    stopped: Option<BoardId>,
    result: Option<MatchResult>,
}

impl Match {
    /// A match from the start position.
    pub fn new(rules: Rules) -> Result<Match, BoardsError> {
        Ok(Match::from_boards(Boards::start(rules)?))
    }

    /// A match that begins with these boards; it may be over at once.
    pub fn from_boards(start: Boards) -> Match {
        let mut table =
            Match { start, boards: start, moves: Vec::new(), stopped: None, result: None };
        let mated = BoardId::ALL.into_iter().filter_map(|board| table.mated(board)).collect();
        table.conclude(mated);
        table.conclude_if_drawn();
        table
    }

    /// Where the match began.
    pub fn start(&self) -> &Boards {
        &self.start
    }

    /// Both boards now.
    pub fn boards(&self) -> &Boards {
        &self.boards
    }

    /// The rule set.
    pub fn rules(&self) -> Rules {
        self.boards.rules()
    }

    /// The moves of both boards in the order of play.
    pub fn moves(&self) -> &[MatchMove] {
        &self.moves
    }

    /// How the match ended; `None` while it is played.
    pub fn result(&self) -> Option<&MatchResult> {
        self.result.as_ref()
    }

    /// The board that was drawn while the other plays on.
    pub fn stopped(&self) -> Option<BoardId> {
        self.stopped
    }

    /// Whether a player is to move, on a board that is still played.
    pub fn to_move(&self, seat: Seat) -> bool {
        self.playing(seat.board()).is_ok() && self.boards.mover(seat.board()) == seat
    }

    /// The player to move plays; the pieces cross by themselves.
    pub fn play(
        &mut self,
        board: BoardId,
        mv: Move,
        exchange: Option<Square>,
    ) -> Result<Played, MatchError> {
        let ends = self.act(Event::Play { board, mv, exchange })?;
        self.conclude(ends);
        self.conclude_if_drawn();
        Ok(self.moves.last().map(|last| last.played).unwrap_or_default())
    }

    /// A player's time ran out: his team loses.
    pub fn flag(&mut self, seat: Seat) -> Result<(), MatchError> {
        self.apply(Event::Flag(seat))
    }

    /// A player resigned: his team loses.
    pub fn resign(&mut self, seat: Seat) -> Result<(), MatchError> {
        self.apply(Event::Resign(seat))
    }

    /// A player left the table: his team loses.
    pub fn leave(&mut self, seat: Seat) -> Result<(), MatchError> {
        self.apply(Event::Leave(seat))
    }

    /// A player made an illegal move: under `illegal_move = loses` his team loses, otherwise the
    /// move is only refused and nothing changes.
    pub fn illegal(&mut self, seat: Seat) -> Result<(), MatchError> {
        self.apply(Event::Illegal(seat))
    }

    /// All players have agreed to a draw.
    pub fn agree_draw(&mut self) -> Result<(), MatchError> {
        self.ongoing()?;
        self.conclude(vec![End::Drawn(MatchEnd::Agreement)]);
        Ok(())
    }

    /// The two players of a board have agreed to a draw there. Under `board_draw = play-on` that
    /// board stops and the other goes on; under `ends-match` the match is drawn. Where a rule set
    /// asks all players, as online, only [`Match::agree_draw`] applies.
    pub fn agree_board_draw(&mut self, board: BoardId) -> Result<(), MatchError> {
        self.playing(board)?;
        match (self.rules().board_draw, self.stopped) {
            (BoardDraw::EndsMatch, _) => {
                self.result =
                    Some(MatchResult::drawn(MatchEnd::Agreement, Some(board), self.stopped));
            }
            (BoardDraw::PlayOn, Some(before)) => {
                self.result =
                    Some(MatchResult::drawn(MatchEnd::BoardScores, Some(board), Some(before)));
            }
            (BoardDraw::PlayOn, None) => {
                self.stopped = Some(board);
                self.conclude_if_drawn();
            }
        }
        Ok(())
    }

    /// One event by itself.
    pub fn apply(&mut self, event: Event) -> Result<(), MatchError> {
        self.apply_simultaneous(&[event])
    }

    /// Events of one instant, in the order they became known. Under `simultaneous = draw` players
    /// of both teams flagged or mated make a draw; otherwise the first event that ends the match
    /// counts and those after it are void. If one of them is refused, none has happened.
    pub fn apply_simultaneous(&mut self, events: &[Event]) -> Result<(), MatchError> {
        let mut next = self.clone();
        let mut ends = Vec::new();
        for &event in events {
            ends.extend(next.act(event)?);
            if next.rules().simultaneous == Simultaneous::FirstEvent && !ends.is_empty() {
                break;
            }
        }
        next.conclude(ends);
        next.conclude_if_drawn();
        *self = next;
        Ok(())
    }

    fn ongoing(&self) -> Result<(), MatchError> {
        self.result.map_or(Ok(()), |result| Err(MatchError::Over(result)))
    }

    fn playing(&self, board: BoardId) -> Result<(), MatchError> {
        self.ongoing()?;
        if self.stopped == Some(board) { Err(MatchError::Stopped(board)) } else { Ok(()) }
    }

    /// Lets an event happen and tells what it ends, without ending it.
    fn act(&mut self, event: Event) -> Result<Vec<End>, MatchError> {
        let lost = |seat: Seat, reason| {
            self.playing(seat.board())?;
            Ok(vec![End::Lost(seat, reason)])
        };
        match event {
            Event::Flag(seat) => lost(seat, MatchEnd::Flag),
            Event::Resign(seat) => lost(seat, MatchEnd::Resign),
            Event::Leave(seat) => lost(seat, MatchEnd::Left),
            Event::Illegal(seat) => match self.rules().illegal_move {
                IllegalMove::Loses => lost(seat, MatchEnd::IllegalMove),
                IllegalMove::Rejected => self.playing(seat.board()).map(|()| Vec::new()),
            },
            Event::Play { board, mv, exchange } => {
                self.playing(board)?;
                let seat = self.boards.mover(board);
                let played = self
                    .boards
                    .play(board, mv, exchange)
                    .map_err(|error| MatchError::Play { board, error })?;
                self.moves.push(MatchMove { seat, mv, played });
                // Under `promotion = exchange` a move can also take the last answer to a check
                // from the other board.
                Ok([board, board.other()].into_iter().filter_map(|at| self.mated(at)).collect())
            }
        }
    }

    fn mated(&self, board: BoardId) -> Option<End> {
        let mated =
            self.stopped != Some(board) && self.boards.board(board).status() == Status::Checkmate;
        mated.then(|| End::Lost(self.boards.mover(board), MatchEnd::Mate))
    }

    /// Ends the match by the first of the ends, or by all of them where they make a draw.
    fn conclude(&mut self, ends: Vec<End>) {
        let hit = |team| {
            ends.iter().any(|end| {
                matches!(end, End::Lost(seat, MatchEnd::Mate | MatchEnd::Flag) if seat.team() == team)
            })
        };
        let before = self.stopped;
        let draws = self.rules().simultaneous == Simultaneous::Draw;
        self.result = if draws && hit(Team::One) && hit(Team::Two) {
            Some(MatchResult::drawn(MatchEnd::Simultaneous, None, before))
        } else {
            match ends.first() {
                Some(&End::Lost(seat, reason)) => Some(MatchResult::lost(seat, reason, before)),
                Some(&End::Drawn(reason)) => Some(MatchResult::drawn(reason, None, before)),
                None => return,
            }
        };
    }

    /// Ends the match where nobody can do anything any more, or by the cap of moves.
    fn conclude_if_drawn(&mut self) {
        if self.result.is_some() {
            return;
        }
        let idle = |board: BoardId| {
            self.stopped == Some(board) || !self.boards.board(board).has_legal_move()
        };
        if BoardId::ALL.into_iter().all(idle) {
            self.conclude(vec![End::Drawn(MatchEnd::DeadTable)]);
        } else if let Some(cap) = self.rules().move_cap
            && self.boards.game_ply() >= u32::from(cap)
        {
            self.conclude(vec![End::Drawn(MatchEnd::MoveCap(cap))]);
        }
    }
}
