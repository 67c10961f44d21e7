//! What the engine knows of a bughouse table beside the boards it searches.

use std::time::{Duration, Instant};

use super::Task;
use crate::rules::Position;
use crate::search::mate::MateSearch;
use crate::team::{Clocks, Inbox, Moment, Speaker, Table};
use crate::types::{BoardId, Color, Key, Seat};

/// Memory of the looks for mates with pieces that may come.
const MATE_MB: usize = 4;

/// What is known of the table beside the boards that are searched.
pub(super) struct Around {
    pub born: Instant,
    pub boards: [Option<Position>; 2],
    pub clocks: Clocks,
    /// When the clocks stood so.
    pub told: Instant,
    /// The clocks as they were told, for players whose time does not pass by itself.
    pub still: Clocks,
    /// Such a player's board and clock when he began to put off a move.
    pub began: [Option<(Key, Duration)>; 2],
    /// The last request was of that kind.
    pub prompt: bool,
    /// The turn on each board, with the mover's clock when it began.
    pub turns: [Option<(Key, Duration)>; 2],
    pub mates: MateSearch,
    /// Whether a player has waited for a piece that mates.
    pub hoped: [bool; 2],
    pub inboxes: [Inbox; 2],
    pub speakers: [Speaker; 2],
}

impl Around {
    pub fn new() -> Around {
        let now = Instant::now();
        Around {
            born: now,
            boards: [None, None],
            clocks: Clocks::default(),
            told: now,
            still: Clocks::default(),
            began: [None, None],
            prompt: false,
            turns: [None, None],
            mates: MateSearch::new(MATE_MB),
            hoped: [false; 2],
            inboxes: [Inbox::default(), Inbox::default()],
            speakers: [Speaker::default(), Speaker::default()],
        }
    }

    /// The present moment. Where time does not pass by itself it is told by the clocks of a board:
    /// what its players have left together only becomes less.
    pub fn now(&self, board: BoardId, prompt: bool) -> Moment {
        const DAY: Duration = Duration::from_secs(86_400);
        if !prompt {
            return DAY + self.born.elapsed();
        }
        let left = Color::ALL.map(|color| self.still.get(Seat::new(board, color)));
        (2 * DAY).saturating_sub(left.into_iter().flatten().sum())
    }

    /// How long an unheld answer has been put off, by the mover's clock.
    pub fn put_off(&self, board: BoardId, table: &Table) -> Duration {
        match (self.began[board.index()], table.clocks.get(table.seat)) {
            (Some((key, then)), Some(left)) if key == move_key(&table.own) => {
                then.saturating_sub(left)
            }
            _ => Duration::ZERO,
        }
    }

    /// Notes whose turn it is on the other board, and since what moment of his clock.
    pub fn watch(&mut self, table: &Table) {
        let Some(other) = &table.other else { return };
        let board = table.seat.board().other();
        let Some(left) = table.clocks.get(Seat::new(board, other.turn())) else { return };
        let turn = &mut self.turns[board.index()];
        if turn.is_none_or(|(known, _)| known != move_key(other)) {
            *turn = Some((move_key(other), left));
        }
    }

    /// How long the player on move on the other board has been seen to think.
    fn thinks(&self, other: Option<&Position>, board: BoardId, clocks: &Clocks) -> Duration {
        let Some(other) = other else { return Duration::ZERO };
        let left = clocks.get(Seat::new(board, other.turn()));
        match (self.turns[board.index()], left) {
            (Some((key, began)), Some(left)) if key == move_key(other) => {
                began.saturating_sub(left)
            }
            _ => Duration::ZERO,
        }
    }

    /// Brings the clocks up to the present: on each board the mover's clock has run.
    pub fn settle(&mut self) {
        let now = Instant::now();
        let time = now.saturating_duration_since(self.told);
        for (board, position) in BoardId::ALL.into_iter().zip(&self.boards) {
            if let Some(position) = position {
                self.clocks.run(Seat::new(board, position.turn()), time);
            }
        }
        self.told = now;
    }

    /// The table as the player on move on a board sees it.
    pub fn table(&self, board: BoardId, task: &Task) -> Table {
        let Task { position, limits, prompt, .. } = task;
        let seat = Seat::new(board, position.turn());
        if *prompt {
            let other = self.boards[board.other().index()];
            let clocks = self.still;
            let thinks = self.thinks(other.as_ref(), board.other(), &clocks);
            return Table { seat, own: *position, other, clocks, thinks };
        }
        let now = Instant::now();
        let mut clocks = self.clocks;
        let time = now.saturating_duration_since(self.told);
        let other = self.boards[board.other().index()];
        if let Some(other) = &other {
            clocks.run(Seat::new(board.other(), other.turn()), time);
        }
        match limits.clock {
            // What the request itself says of the own clock is the newest.
            Some(clock) => {
                let used = now.saturating_duration_since(limits.start) + limits.overhead;
                clocks.set(seat, Some(clock.remaining.saturating_sub(used)));
            }
            None => clocks.run(seat, time),
        }
        let thinks = self.thinks(other.as_ref(), board.other(), &clocks);
        Table { seat, own: *position, other, clocks, thinks }
    }
}

/// What stays the same while a player waits: his board, but not his hand.
pub(super) fn move_key(position: &Position) -> Key {
    Key::from(position.game_ply()) << 1 | Key::from(position.turn().is_white())
}
