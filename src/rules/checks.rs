//! Which moves give check, told without making them.

use shakmaty::attacks;

use super::make::{behind, castling_targets};
use super::position::Position;
use crate::types::{Bitboard, Color, Move, Role, Square, role_index};

/// What it takes to see quickly whether moves of one position give check.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    /// Squares from which a role gives check, by role.
    pub squares: [Bitboard; 6],
    /// The mover's pieces that uncover a check when they leave their line.
    pub discoverers: Bitboard,
}

impl CheckInfo {
    #[inline]
    pub(super) fn squares_of(role: Role, by: Color, king: Square, occupied: Bitboard) -> Bitboard {
        match role {
            Role::Pawn => attacks::pawn_attacks(by.other(), king),
            Role::Knight => attacks::knight_attacks(king),
            Role::Bishop => attacks::bishop_attacks(king, occupied),
            Role::Rook => attacks::rook_attacks(king, occupied),
            Role::Queen => attacks::queen_attacks(king, occupied),
            Role::King => Bitboard::EMPTY,
        }
    }
}

impl Position {
    /// Prepares [`Position::gives_check_with`].
    pub fn check_info(&self) -> CheckInfo {
        let us = self.turn;
        let king = self.king(us.other());
        let occupied = self.occupied();
        let mut squares = [Bitboard::EMPTY; 6];
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook] {
            squares[role_index(role)] = CheckInfo::squares_of(role, us, king, occupied);
        }
        squares[role_index(Role::Queen)] =
            squares[role_index(Role::Bishop)] | squares[role_index(Role::Rook)];
        CheckInfo { squares, discoverers: self.blockers(us.other(), us) }
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        self.gives_check_with(&self.check_info(), mv)
    }

    /// Whether a legal move gives check, with [`Position::check_info`] of this position.
    #[inline]
    pub fn gives_check_with(&self, info: &CheckInfo, mv: Move) -> bool {
        let to = mv.to();
        if let Some(role) = mv.drop_role() {
            return info.squares[role_index(role)].contains(to);
        }
        let Some(from) = mv.from() else { return false };
        let Some(role) = self.role_at(from) else {
            return false;
        };
        if mv.is_castle() {
            return self.castling_checks(from, to);
        }
        if mv.promotion_role().is_none() && info.squares[role_index(role)].contains(to) {
            return true;
        }
        let king = self.king(self.turn.other());
        if info.discoverers.contains(from) && !attacks::ray(king, from).contains(to) {
            return true;
        }
        if let Some(promoted_to) = mv.promotion_role() {
            let occupied = self.occupied().without(from);
            return CheckInfo::squares_of(promoted_to, self.turn, king, occupied).contains(to);
        }
        mv.is_en_passant() && self.en_passant_uncovers(from, to, king)
    }

    fn castling_checks(&self, king: Square, rook: Square) -> bool {
        let (king_to, rook_to) = castling_targets(king, rook);
        let occupied = self.occupied().without(king).without(rook).with(king_to).with(rook_to);
        let their_king = self.king(self.turn.other());
        if attacks::rook_attacks(rook_to, occupied).contains(their_king) {
            return true;
        }
        // Two pieces leave the rank at once, which can open it for a rook further out.
        let sliders = self.by_color(self.turn) & !Bitboard::from_square(rook);
        let straight = sliders & (self.by_role(Role::Rook) | self.by_role(Role::Queen));
        (attacks::rook_attacks(their_king, occupied) & straight).any()
    }

    fn en_passant_uncovers(&self, from: Square, to: Square, king: Square) -> bool {
        let us = self.turn;
        let victim = behind(us, to);
        let occupied = self.occupied().without(from).without(victim).with(to);
        let queens = self.by_role(Role::Queen);
        let straight = self.by_color(us) & (self.by_role(Role::Rook) | queens);
        let diagonal = self.by_color(us) & (self.by_role(Role::Bishop) | queens);
        (attacks::rook_attacks(king, occupied) & straight).any()
            || (attacks::bishop_attacks(king, occupied) & diagonal).any()
    }
}
