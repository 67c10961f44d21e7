//! Questions about single moves and about the end of a game on this board.

use shakmaty::attacks;

use super::Variant;
use super::checks::CheckInfo;
use super::movegen::Gen;
use super::options::DropAggression;
use super::position::Position;
use crate::types::{Bitboard, HAND_ROLES, Move, MoveList, Rank, Role, Square};

/// What this board alone says about the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// He has a move or a drop.
    Ongoing,
    /// He is mated. In bughouse: no piece whatever could have answered the check by a drop.
    Checkmate,
    /// No move, no drop and no check, in a game where that is a draw.
    Stalemate,
    /// No move and no drop now, but a piece from the other board may bring one (bughouse).
    Wait,
}

impl Position {
    /// Whether any move of the packed form, wherever it comes from, is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        if let Some(role) = mv.drop_role() {
            return self.drop_is_legal(role, mv.to());
        }
        let Some(from) = mv.from() else { return false };
        let us = self.turn;
        let to = mv.to();
        if !self.by_color(us).contains(from) || from == to {
            return false;
        }
        let Some(role) = self.role_at(from) else {
            return false;
        };
        if mv.is_castle() || mv.is_en_passant() || role == Role::Pawn {
            return self.special_is_legal(role, mv);
        }
        // What is left is a plain move of a piece.
        let takes = self.by_color(us.other()).contains(to);
        let plain = if takes { Move::capture(from, to) } else { Move::quiet(from, to) };
        if mv != plain || self.by_color(us).contains(to) {
            return false;
        }
        let occupied = self.occupied();
        let reaches = match role {
            Role::Knight => attacks::knight_attacks(from),
            Role::Bishop => attacks::bishop_attacks(from, occupied),
            Role::Rook => attacks::rook_attacks(from, occupied),
            Role::Queen => attacks::queen_attacks(from, occupied),
            Role::King => attacks::king_attacks(from),
            Role::Pawn => Bitboard::EMPTY,
        };
        if !reaches.contains(to) {
            return false;
        }
        if role == Role::King {
            return !self.attacked_by(us.other(), to, occupied.without(from));
        }
        let king = self.king(us);
        if self.pinned.contains(from) && !attacks::ray(king, from).contains(to) {
            return false;
        }
        self.answers_check(to)
    }

    /// Whether a piece that arrives on `to` (no king, no en passant) leaves no check standing.
    #[inline]
    fn answers_check(&self, to: Square) -> bool {
        match self.checkers.single_square() {
            Some(checker) => {
                checker == to || attacks::between(self.king(self.turn), checker).contains(to)
            }
            None => self.checkers.is_empty(),
        }
    }

    /// Pawn moves, castling and en passant are few: they are generated and compared.
    fn special_is_legal(&self, role: Role, mv: Move) -> bool {
        if !matches!(role, Role::Pawn | Role::King) {
            return false;
        }
        let mut list = MoveList::new();
        let kind = if mv.is_tactical() { Gen::Captures } else { Gen::Quiets };
        self.generate(kind, &mut list);
        list.contains(&mv)
    }

    fn drop_is_legal(&self, role: Role, to: Square) -> bool {
        self.hand(self.turn, role) > 0
            && self.role_at(to).is_none()
            && (role != Role::Pawn || self.pawn_drop_squares().contains(to))
            && self.answers_check(to)
            && (self.rules.drop_aggression == DropAggression::MateAllowed
                || self.drop_is_gentle(role, to))
    }

    /// Whether a drop, legal otherwise, does to the opponent's king only what the rules allow.
    pub(super) fn drop_is_gentle(&self, role: Role, to: Square) -> bool {
        let king = self.king(self.turn.other());
        let checks = CheckInfo::squares_of(role, self.turn, king, self.occupied()).contains(to);
        if !checks {
            return true;
        }
        match self.rules.drop_aggression {
            DropAggression::MateAllowed => true,
            DropAggression::NoCheck => false,
            DropAggression::NoMate => {
                // The hand may lack the piece: then the question is what if it came.
                let mut next = *self;
                if next.hand(self.turn, role) == 0 {
                    next.change_hand(self.turn, role, 1);
                }
                next.make(Move::drop(role, to));
                next.status() != Status::Checkmate
            }
        }
    }

    /// Whether the mover has any legal move.
    pub fn has_legal_move(&self) -> bool {
        // King moves and board moves exist nearly always, so they are asked for first.
        let mut list = MoveList::new();
        for kind in [Gen::Quiets, Gen::Captures, Gen::Drops] {
            self.generate(kind, &mut list);
            if !list.is_empty() {
                return true;
            }
        }
        false
    }

    /// How the game on this board stands for the mover, draws by counting aside.
    pub fn status(&self) -> Status {
        if self.has_legal_move() {
            return Status::Ongoing;
        }
        match (self.in_check(), self.rules.variant) {
            (true, Variant::Bughouse) if self.some_drop_would_answer() => Status::Wait,
            (true, _) => Status::Checkmate,
            (false, Variant::Bughouse) => Status::Wait,
            (false, _) => Status::Stalemate,
        }
    }

    /// In check: whether a drop of any piece at all, in hand or not, would answer it.
    pub fn some_drop_would_answer(&self) -> bool {
        let Some(checker) = self.checkers.single_square() else {
            return false;
        };
        let squares = attacks::between(self.king(self.turn), checker);
        squares.into_iter().any(|to| {
            // Nearly always a knight will do; where drops are restricted, another piece may.
            HAND_ROLES.into_iter().rev().any(|role| {
                (role != Role::Pawn || self.pawn_drop_squares().contains(to))
                    && (self.rules.drop_aggression == DropAggression::MateAllowed
                        || self.drop_is_gentle(role, to))
            })
        })
    }

    /// Ranks a pawn cannot stand on.
    pub(super) fn no_pawn_squares() -> Bitboard {
        Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Eighth)
    }
}
