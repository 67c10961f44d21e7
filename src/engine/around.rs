//! What the engine knows of a bughouse table beside the boards it searches.

use std::time::{Duration, Instant};

use super::Task;
use crate::rules::Position;
use crate::search::mate::MateSearch;
use crate::team::{self, Clocks, Inbox, Moment, Speaker, Table};
use crate::types::{BoardId, Color, HAND_ROLES, Key, Seat};

/// So many words a second are looked into; the others only count from the next look on.
const LOOKS: u32 = 8;
/// Where nobody tells the time, what passes from one request to the next.
const UNTOLD: Duration = Duration::from_secs(1);
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
    /// How much time has passed on each board, by their clocks, for such players.
    passed: [Duration; 2],
    /// Such a player's board and the moment when he began to put off a move.
    pub began: [Option<(Key, Moment)>; 2],
    /// For how long he said last that he would.
    pub granted: [Duration; 2],
    /// The last request was of that kind.
    pub prompt: bool,
    /// Whom requests about each board were for.
    own: [Option<Color>; 2],
    /// The turn on each board, with the mover's clock and the moment when it was first seen.
    turns: [Option<(Key, Option<Duration>, Moment)>; 2],
    pub mates: MateSearch,
    /// Whether a player has waited for a piece that mates.
    pub hoped: [bool; 2],
    pub inboxes: [Inbox; 2],
    /// How often words were followed by a look at the board in this second, which began then.
    looks: [(Instant, u32); 2],
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
            passed: [Duration::ZERO; 2],
            began: [None, None],
            granted: [Duration::ZERO; 2],
            prompt: false,
            own: [None, None],
            turns: [None, None],
            mates: MateSearch::new(MATE_MB),
            hoped: [false; 2],
            inboxes: [Inbox::default(), Inbox::default()],
            looks: [(now, 0); 2],
            speakers: [Speaker::default(), Speaker::default()],
        }
    }

    /// The present moment of a board. Where time does not pass by itself the clocks of its players
    /// tell it, of which one always runs; it never goes back, whatever they do.
    pub fn now(&self, board: BoardId, prompt: bool) -> Moment {
        const DAY: Duration = Duration::from_secs(86_400);
        if prompt { 2 * DAY + self.passed[board.index()] } else { DAY + self.born.elapsed() }
    }

    /// What the clocks show now.
    pub fn set_clocks(&mut self, left: [Option<Duration>; 4]) {
        for (seat, left) in Seat::ALL.into_iter().zip(left) {
            if let (Some(before), Some(now)) = (self.still.get(seat), left) {
                self.passed[seat.board().index()] += before.saturating_sub(now);
            }
            self.clocks.set(seat, left);
            self.still.set(seat, left);
        }
        self.told = Instant::now();
    }

    /// A move is asked for.
    pub fn asked(&mut self, board: BoardId, mover: Color, prompt: bool) {
        let index = board.index();
        self.prompt = prompt;
        self.own[index] = Some(mover);
        let granted = std::mem::take(&mut self.granted[index]);
        if prompt && self.still.get(Seat::new(board, mover)).is_none() {
            self.passed[index] += granted.max(UNTOLD);
        }
    }

    /// The partner of a board's player gets what was taken there; or a piece has come.
    pub fn board_changed(&mut self, board: BoardId, old: &Position, new: &Position) {
        let now = self.now(board, self.prompt);
        let inbox = &mut self.inboxes[board.index()];
        // Not by the turn: where nothing is told between two requests, it is ours again.
        if move_key(old) != move_key(new) {
            let gone = self.own[board.index()].map(|own| team::gone(old, new, !own));
            let roles = HAND_ROLES.into_iter().zip(gone.unwrap_or_default());
            roles.filter(|(_, gone)| *gone).for_each(|(role, _)| inbox.gave(role, now));
        } else if new.hand_total(new.turn()) > old.hand_total(old.turn()) {
            inbox.arrived();
        }
    }

    /// Whether one more word may make the engine look at everything anew, which costs more than to
    /// say it: who floods it with words must not keep it from answering.
    pub fn may_look(&mut self, board: BoardId) -> bool {
        let (since, looks) = &mut self.looks[board.index()];
        if since.elapsed() >= Duration::from_secs(1) {
            (*since, *looks) = (Instant::now(), 0);
        }
        *looks += 1;
        *looks <= LOOKS
    }

    /// How long an unheld answer has been put off.
    pub fn put_off(&self, board: BoardId, table: &Table) -> Duration {
        match self.began[board.index()] {
            Some((key, then)) if key == move_key(&table.own) => {
                self.now(board, true).saturating_sub(then)
            }
            _ => Duration::ZERO,
        }
    }

    /// Notes whose turn it is on the other board, and since when.
    pub fn watch(&mut self, table: &Table, now: Moment) {
        let Some(other) = &table.other else { return };
        let board = table.seat.board().other();
        let left = table.clocks.get(Seat::new(board, other.turn()));
        let turn = &mut self.turns[board.index()];
        if turn.is_none_or(|(known, ..)| known != move_key(other)) {
            *turn = Some((move_key(other), left, now));
        }
    }

    /// How long the player on move on the other board has been seen to think, by his clock or, where
    /// it is not known, by the time of the own board.
    fn thinks(
        &self,
        other: Option<&Position>,
        seat: Seat,
        clocks: &Clocks,
        now: Moment,
    ) -> Duration {
        let Some(other) = other else { return Duration::ZERO };
        let board = seat.board().other();
        match self.turns[board.index()] {
            Some((key, began, then)) if key == move_key(other) => {
                let left = clocks.get(Seat::new(board, other.turn()));
                match began.zip(left) {
                    Some((began, left)) => began.saturating_sub(left),
                    None => now.saturating_sub(then),
                }
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
            let thinks = self.thinks(other.as_ref(), seat, &clocks, self.now(board, true));
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
        let thinks = self.thinks(other.as_ref(), seat, &clocks, self.now(board, false));
        Table { seat, own: *position, other, clocks, thinks }
    }
}

/// What stays the same while a player waits: his board, but not his hand.
pub(super) fn move_key(position: &Position) -> Key {
    Key::from(position.game_ply()) << 1 | Key::from(position.turn().is_white())
}
