//! What captures on this board are worth to the two hands on the other one.

use std::time::Duration;

use super::inbox::Inbox;
use super::judge::Judge;
use super::mates::{mate_in_one, takeable};
use super::table::{Moment, Parts, Table};
use crate::rules::{Position, Status};
use crate::search::Outlook;
use crate::types::{Color, HAND_ROLES, Move, Seat, Value, Weight, role_index};

/// A piece that mates on the other board at once is worth the match: more than any evaluation,
/// less than a mate on this board.
pub const MATING: Value = 15_000;
/// A piece that lets a player move who stands in check without a move.
pub const FREEING: Value = 3_000;

/// A piece with which the partner would mate if it were his turn, or if he waited for it.
const THREAT: Value = 100;

/// With less on the clock a player without a move is about to lose on time.
const SHORT: Duration = Duration::from_secs(10);

/// With less than this he loses on time before a few moves can be played.
const URGENT: Duration = Duration::from_secs(6);

/// What one more piece of each role in a colour's hand is worth to him: the usual, unless he has no
/// move without it.
pub fn worths(position: &Position, color: Color) -> [Value; 5] {
    let stuck = position.turn() == color && position.status() == Status::Wait;
    let mut worths = Outlook::default().partner;
    for (worth, role) in worths.iter_mut().zip(HAND_ROLES) {
        let mut with = *position;
        if with.add_to_hand(color, role).is_err() {
            *worth = 0;
        } else if stuck && with.has_legal_move() {
            *worth = if position.in_check() { FREEING } else { FREEING / 3 };
        }
    }
    worths
}

/// A bit for each of the roles in question with which the player on move would mate by force.
fn mating_mask(position: &Position, roles: [bool; 5], judge: &mut dyn Judge) -> u8 {
    // Who mates anyway needs nothing.
    if roles == [false; 5] || judge.mates(position) {
        return 0;
    }
    let mut mask = 0;
    for (slot, role) in HAND_ROLES.into_iter().enumerate() {
        let mut with = *position;
        if roles[slot]
            && with.add_to_hand(position.turn(), role).is_ok()
            && with.has_legal_move()
            && judge.mates(&with)
        {
            mask |= 1 << slot;
        }
    }
    mask
}

/// The position if the mover passed. Who must answer a check leaves no telling what comes after.
fn passed(position: &Position) -> Option<Position> {
    let mut next = *position;
    (!position.in_check()).then(|| next.make_null()).map(|_| next)
}

/// With which pieces, of those the partner can take with his next move, the player on move mates
/// by force. Where that board is not known, any piece may be asked for.
pub fn mating_arrivals(table: &Table, judge: &mut dyn Judge) -> [bool; 5] {
    let roles = match &table.other {
        Some(other) if table.partner_to_move() == Some(true) => takeable(other),
        Some(other) => passed(other).map_or([false; 5], |passed| takeable(&passed)),
        None => [true; 5],
    };
    let mask = mating_mask(&table.own, roles, judge);
    [0, 1, 2, 3, 4].map(|slot| mask >> slot & 1 != 0)
}

/// What the other board is worth to the team, at a glance. Where it is not known, the partner's cry
/// for help tells.
pub fn standing(table: &Table, inbox: &Inbox, now: Moment, judge: &mut dyn Judge) -> Value {
    let Some(other) = &table.other else {
        let lost = inbox.lost(now);
        // A player who stands still cannot take what would save or win over there.
        let wanted = |role| inbox.need(role, now) == Some(Weight::High);
        let mut feeds = takeable(&table.own).into_iter().zip(HAND_ROLES);
        return if lost || feeds.any(|(can, role)| can && wanted(role)) { -MATING } else { 0 };
    };
    let value = match other.status() {
        // Without a move, whoever has the longer clock wins.
        Status::Wait | Status::Checkmate => -FREEING,
        _ if judge.mates(other) => MATING,
        _ => judge.value(other),
    };
    if other.turn() == table.seat.partner().color() { value } else { -value }
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
pub fn outlook(
    table: &Table,
    inbox: &Inbox,
    parts: Parts,
    now: Moment,
    judge: &mut dyn Judge,
) -> Outlook {
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
        let partner_moves = table.partner_to_move() == Some(true);
        if table.on_move() {
            let there = if partner_moves { Some(*other) } else { passed(other) };
            let mates = there.map_or(0, |there| mating_mask(&there, takeable(&table.own), judge));
            // A partner who does not wait for such a piece will have moved before it comes.
            if partner_moves && parts.waiting && parts.arrivals {
                outlook.partner_mates = mates;
            } else {
                for (slot, worth) in outlook.partner.iter_mut().enumerate() {
                    if mates >> slot & 1 != 0 {
                        *worth += THREAT;
                    }
                }
            }
        }
        // Before the opponent's next capture comes the diagonal has moved, unless he sits for it.
        if table.on_move()
            && !partner_moves
            && table.patience_with_other().is_zero()
            && let Some(passed) = passed(&table.own)
        {
            outlook.diagonal_mates = mating_mask(other, takeable(&passed), judge);
        }
    }
    if parts.talk {
        inbox.weigh(&mut outlook, table, now);
    }
    outlook
}
