//! What captures on this board are worth to the two hands on the other one.

use super::inbox::Inbox;
use super::mates::{mate_in_one, mates_with};
use super::table::{Moment, Parts, Table};
use crate::eval;
use crate::rules::{Position, Status};
use crate::search::Outlook;
use crate::types::{Color, HAND_ROLES, Role, Value};

/// A piece that mates on the other board at once is worth the match: more than any evaluation,
/// less than a mate on this board.
pub const MATING: Value = 15_000;
/// A piece that lets a player move who stands in check without a move.
pub const FREEING: Value = 3_000;
/// Beyond this a piece's worth is believed no further.
const MOST: Value = 1_200;
/// Part of the evaluation's gain that counts here: the other player must still find the use of it.
const SHARE: (Value, Value) = (3, 4);

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

/// The outlook of a search on this board.
pub fn outlook(table: &Table, inbox: &Inbox, parts: Parts, now: Moment) -> Outlook {
    let mut outlook = Outlook::default();
    if parts.trade_worth
        && let Some(other) = &table.other
    {
        outlook.partner = worths(other, table.seat.partner().color());
        outlook.diagonal = worths(other, table.seat.diagonal().color());
    }
    if parts.talk {
        inbox.weigh(&mut outlook, table, now);
    }
    outlook
}
