//! Mates in one, also with a piece that is not there yet.

use crate::rules::{Gen, Position, Status};
use crate::types::{Color, HAND_ROLES, Move, MoveList, Role, role_index};

fn mates(position: &Position, mv: Move) -> bool {
    let mut next = *position;
    next.make(mv);
    next.status() == Status::Checkmate
}

/// A move that mates at once.
pub fn mate_in_one(position: &Position) -> Option<Move> {
    let info = position.check_info();
    position
        .legal_moves()
        .into_iter()
        .find(|&mv| position.gives_check_with(&info, mv) && mates(position, mv))
}

/// A drop that mates at once if a piece of this role came into the mover's hand now.
pub fn mates_with(position: &Position, role: Role) -> Option<Move> {
    let mut with = *position;
    with.add_to_hand(position.turn(), role).ok()?;
    let mut drops = MoveList::new();
    with.generate(Gen::DropChecks, &mut drops);
    drops.into_iter().find(|mv| mv.drop_role() == Some(role) && mates(&with, *mv))
}

/// Which roles, not already mating from the hand, would mate at once for the mover.
pub fn mating_roles(position: &Position) -> [bool; 5] {
    if mate_in_one(position).is_some() {
        return [false; 5];
    }
    HAND_ROLES.map(|role| mates_with(position, role).is_some())
}

/// Which roles the mover can take now; a promoted piece counts as the pawn it comes as.
pub fn takeable(position: &Position) -> [bool; 5] {
    let mut list = MoveList::new();
    position.generate(Gen::Captures, &mut list);
    let mut roles = [false; 5];
    for mv in list {
        if mv.is_capture() {
            roles[role_index(taken(position, mv))] = true;
        }
    }
    roles
}

/// Which roles of a colour are fewer in a later position of a board than they were: those that were
/// taken, as they come to the other board.
pub fn gone(before: &Position, after: &Position, color: Color) -> [bool; 5] {
    let count = |position: &Position, role| {
        let unpromoted = position.by_piece(color, role) & !position.promoted();
        let promoted = position.by_color(color) & position.promoted();
        let pawns = if role == Role::Pawn { promoted.count() } else { 0 };
        unpromoted.count() + pawns + usize::from(position.hand(color, role))
    };
    HAND_ROLES.map(|role| count(after, role) < count(before, role))
}

/// The piece a capture takes, as it comes to the other board.
pub(super) fn taken(position: &Position, mv: Move) -> Role {
    match position.role_at(mv.to()) {
        Some(role) if !position.promoted().contains(mv.to()) => role,
        // Taken in passing it stands beside the square.
        _ => Role::Pawn,
    }
}
