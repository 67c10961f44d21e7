//! Ending a game that is decided or drawn before the rules end it.

use super::TableMove;
use crate::arena::play::{Ending, Termination};
use crate::types::{Color, Seat};

/// When to end a game early. Scores are centipawns; only single boards are judged by score, since
/// at two boards a lost board may be a won match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adjudication {
    /// From move `.0` on, `.1` moves of each side within ±`.2` are a draw.
    pub draw: Option<(u32, u32, i32)>,
    /// `.0` moves in a row at or below −`.1` are lost; with `.2` the opponent must agree.
    pub resign: Option<(u32, i32, bool)>,
    /// A game with that many moves a side on each board is a draw.
    pub max_moves: Option<u32>,
}

impl Adjudication {
    /// What the moves so far call for.
    pub fn judge(&self, moves: &[TableMove], boards: usize) -> Option<Ending> {
        if let Some(cap) = self.max_moves
            && moves.len() >= cap as usize * 2 * boards
        {
            let detail = Some(format!("{cap} moves a side"));
            return Some(Ending::level(Termination::MoveCap, detail));
        }
        if boards > 1 {
            return None;
        }
        let last = moves.last()?;
        if let Some((from, count, limit)) = self.draw
            && last.played.number >= from
            && moves.len() >= 2 * count as usize
        {
            let mut tail = moves.iter().rev().take(2 * count as usize);
            if tail.all(|mv| mv.thought.is_some_and(|(score, _)| score.abs() <= limit)) {
                return Some(Ending::level(Termination::Adjudication, None));
            }
        }
        if let Some((count, limit, both)) = self.resign {
            let scores = |color: Color| {
                let own = moves.iter().rev().filter(move |mv| mv.played.seat.color() == color);
                own.take(count as usize).map(|mv| mv.thought.map(|(score, _)| score))
            };
            let color = last.played.seat.color();
            let full = scores(color).count() == count as usize;
            let lost = full && scores(color).all(|s| s.is_some_and(|s| s <= -limit));
            let agreed = !both
                || scores(color.other()).count() == count as usize
                    && scores(color.other()).all(|s| s.is_some_and(|s| s >= limit));
            if lost && agreed {
                let seat = Seat::new(last.played.seat.board(), color);
                return Some(Ending::lost(seat, Termination::Adjudication, None));
            }
        }
        None
    }
}
