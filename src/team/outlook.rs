//! What captures on this board are worth to the two hands on the other one.

use std::time::Duration;

use super::inbox::Inbox;
use super::mates::{mate_in_one, mates_with};
use super::table::{Moment, Parts, Table};
use crate::eval;
use crate::rules::{Position, Status};
use crate::search::Outlook;
use crate::types::{Color, HAND_ROLES, Move, Role, Seat, Value, role_index};

/// A piece that mates on the other board at once is worth the match: more than any evaluation,
/// less than a mate on this board.
pub const MATING: Value = 15_000;
/// A piece that lets a player move who stands in check without a move.
pub const FREEING: Value = 3_000;
/// Beyond this a piece's worth is believed no further.
const MOST: Value = 1_200;
/// Part of the evaluation's gain that counts here: the other player must still find the use of it.
const SHARE: (Value, Value) = (3, 4);

/// With less on the clock a player without a move is about to lose on time.
const SHORT: Duration = Duration::from_secs(10);

/// With less than this he loses on time before a few moves can be played.
const URGENT: Duration = Duration::from_secs(6);

fn mating_mask(worths: &[Value; 5]) -> u8 {
    (0..5).filter(|slot| worths[*slot] >= MATING).fold(0, |mask, slot| mask | 1 << slot)
}

fn value_for(position: &Position, color: Color) -> Value {
    let value = eval::evaluate(position);
    if position.turn() == color { value } else { -value }
}

/// What one more piece of each role in a colour's hand is worth to him.
pub fn worths(position: &Position, color: Color) -> [Value; 5] {
    let base = value_for(position, color);
    let to_move = position.turn() == color;
    let decided = to_move && mate_in_one(position).is_some();
    HAND_ROLES.map(|role| worth(position, color, role, base, to_move && !decided))
}

fn worth(position: &Position, color: Color, role: Role, base: Value, could_mate: bool) -> Value {
    let mut with = *position;
    if with.add_to_hand(color, role).is_err() {
        return 0;
    }
    if could_mate && mates_with(position, role).is_some() {
        return MATING;
    }
    if could_mate && position.status() == Status::Wait && with.has_legal_move() {
        return if position.in_check() { FREEING } else { FREEING / 3 };
    }
    let gain = (value_for(&with, color) - base) * SHARE.0 / SHARE.1;
    gain.clamp(0, MOST)
}

/// The only moves worth a thought where the partner has no move and is about to lose on time: those
/// that free him, and a mate at once. None where he is in no such need, or cannot be helped.
pub fn rescue(table: &Table) -> Option<Vec<Move>> {
    let other = table.other.as_ref()?;
    let partner = table.seat.partner();
    let left = table.clocks.get(partner).filter(|left| *left < URGENT)?;
    // An opponent with less time than that must move first himself.
    let opponent = table.clocks.get(table.seat.opponent());
    if other.turn() != partner.color()
        || other.has_legal_move()
        || opponent.is_some_and(|opponent| opponent < left)
    {
        return None;
    }
    let frees = HAND_ROLES.map(|role| {
        let mut with = *other;
        with.add_to_hand(partner.color(), role).is_ok() && with.has_legal_move()
    });
    let helps = |mv: &Move| {
        let mut next = table.own;
        let taken = next.make(*mv);
        next.status() == Status::Checkmate
            || taken.is_some_and(|taken| frees[role_index(taken.role)])
                && mate_in_one(&next).is_none()
    };
    let moves: Vec<Move> = table.own.legal_moves().into_iter().filter(helps).collect();
    (!moves.is_empty()).then_some(moves)
}

/// The outlook of a search on this board.
pub fn outlook(table: &Table, inbox: &Inbox, parts: Parts, now: Moment) -> Outlook {
    let mut outlook = Outlook::default();
    if parts.trade_worth
        && let Some(other) = &table.other
    {
        let worth = |seat: Seat| {
            let mut worth = worths(other, seat.color());
            // Who has no move loses on time soon: then a piece is worth nearly the match.
            if table.clocks.get(seat).is_some_and(|left| left < SHORT) {
                let freed = worth.iter_mut().filter(|worth| **worth == FREEING);
                freed.for_each(|worth| *worth = MATING / 2);
            }
            worth
        };
        outlook.partner = worth(table.seat.partner());
        outlook.diagonal = worth(table.seat.diagonal());
        outlook.partner_mates = mating_mask(&outlook.partner);
        outlook.diagonal_mates = mating_mask(&outlook.diagonal);
    }
    if parts.talk {
        inbox.weigh(&mut outlook, table, now);
    }
    outlook
}
