//! How a match ended: the rule, the seat, the board, the score.

use std::fmt;

use crate::types::{BoardId, Seat, Team};

/// The rule that ended a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchEnd {
    /// A player was mated.
    Mate,
    /// A player's time ran out.
    Flag,
    /// A player resigned.
    Resign,
    /// A player left the table.
    Left,
    /// A player made an illegal move where that loses.
    IllegalMove,
    /// The players agreed to a draw.
    Agreement,
    /// On no board can the player to move do anything, so no piece can ever come.
    DeadTable,
    /// The cap of single moves on both boards was reached.
    MoveCap(u16),
    /// Players of both teams were mated or flagged at the same instant.
    Simultaneous,
    /// Each board was drawn by itself; the sum counts.
    BoardScores,
}

/// The result of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatchResult {
    /// The team with more points; `None` is a draw.
    pub winner: Option<Team>,
    /// Half points of team one and team two. A match decided as a whole counts 2:0 or 1:1; one
    /// that was played on after a drawn board counts two points, so 3:1 or 2:2.
    pub halves: [u8; 2],
    /// The rule that ended the match.
    pub reason: MatchEnd,
    /// Who lost by that rule; none for a draw.
    pub seat: Option<Seat>,
    /// The board on which the rule struck; none where it concerns both.
    pub board: Option<BoardId>,
    /// The board that had been drawn before, the other being played on.
    pub drawn_before: Option<BoardId>,
}

impl MatchResult {
    /// A match that a player lost.
    pub(super) fn lost(seat: Seat, reason: MatchEnd, drawn_before: Option<BoardId>) -> MatchResult {
        let winner = seat.team().other();
        let mut halves = [u8::from(drawn_before.is_some()); 2];
        halves[winner as usize] += 2;
        MatchResult {
            winner: Some(winner),
            halves,
            reason,
            seat: Some(seat),
            board: Some(seat.board()),
            drawn_before,
        }
    }

    /// A match that nobody won.
    pub(super) fn drawn(
        reason: MatchEnd,
        board: Option<BoardId>,
        drawn_before: Option<BoardId>,
    ) -> MatchResult {
        let halves = [1 + u8::from(drawn_before.is_some()); 2];
        MatchResult { winner: None, halves, reason, seat: None, board, drawn_before }
    }

    /// The result as BPGN writes it, from the view of WhiteA's team.
    pub fn bpgn(&self) -> &'static str {
        match self.winner {
            Some(Team::One) => "1-0",
            Some(Team::Two) => "0-1",
            None => "1/2-1/2",
        }
    }
}

impl fmt::Display for MatchResult {
    /// The ending as BPGN's last comment tells it, such as `BlackB checkmated`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(seat) = self.seat {
            let what = match self.reason {
                MatchEnd::Mate => "checkmated",
                MatchEnd::Flag => "forfeits on time",
                MatchEnd::Resign => "resigns",
                MatchEnd::Left => "left the table",
                MatchEnd::IllegalMove => "made an illegal move",
                _ => "lost",
            };
            write!(f, "{seat} {what}")?;
        } else {
            match self.reason {
                MatchEnd::Agreement => f.write_str("drawn by agreement")?,
                MatchEnd::DeadTable => f.write_str("drawn by dead table")?,
                MatchEnd::MoveCap(cap) => write!(f, "drawn by {cap} moves played")?,
                MatchEnd::Simultaneous => f.write_str("drawn by simultaneous ends")?,
                _ => f.write_str("drawn by the sum of both boards")?,
            }
        }
        match self.drawn_before {
            Some(board) => write!(f, ", board {board} drawn before"),
            None => Ok(()),
        }
    }
}
