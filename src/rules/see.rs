//! Static exchange evaluation: what a series of captures on one square is worth.

use shakmaty::attacks;

use super::Variant;
use super::position::Position;
use crate::types::{Bitboard, Color, Move, Role, Square, Value, role_index};

/// What a piece on the board is worth in an exchange, by role.
pub const BOARD_VALUES: [Value; 6] = [100, 280, 300, 400, 750, 0];
/// What a piece in hand is worth in an exchange, by role.
pub const HAND_VALUES: [Value; 6] = [100, 300, 290, 350, 700, 0];

/// From the cheapest piece up: the order in which a side takes back.
const CHEAPEST_FIRST: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl Position {
    /// What taking a piece gains: it leaves the board, and where there are hands the same piece,
    /// or a pawn if it was promoted, is won for a hand (the partner's in bughouse).
    #[inline]
    pub fn capture_value(&self, role: Role, promoted: bool) -> Value {
        let board = BOARD_VALUES[role_index(role)];
        match self.rules().variant {
            Variant::Chess => board,
            Variant::Crazyhouse | Variant::Bughouse => {
                let won = if promoted { Role::Pawn } else { role };
                board + HAND_VALUES[role_index(won)]
            }
        }
    }

    /// Whether the exchange that a legal move begins on its square gains at least `threshold`.
    ///
    /// Works on the swap-off list (Stockfish's threshold form): after each capture the side to
    /// take may stop. Sliders behind the pieces that took join in; pins are ignored; nothing is
    /// dropped in between.
    pub fn see_ge(&self, mv: Move, threshold: Value) -> bool {
        if mv.is_castle() || mv.is_en_passant() || mv.is_promotion() {
            // What these win at once is clear; what follows is rarely an exchange.
            let gain = if mv.is_en_passant() { self.capture_value(Role::Pawn, false) } else { 0 };
            return gain >= threshold || mv.is_promotion();
        }
        let to = mv.to();
        let mut occupied = self.occupied();
        let (moved, moved_is_promoted) = match (mv.drop_role(), mv.from()) {
            (Some(role), _) => (role, false),
            (None, Some(from)) => {
                occupied.discard(from);
                (self.role_at(from).unwrap_or(Role::Pawn), self.promoted.contains(from))
            }
            (None, None) => return false,
        };
        let gain = self
            .role_at(to)
            .map_or(0, |victim| self.capture_value(victim, self.promoted.contains(to)));
        // A dropped piece leaves the hand for the board and can come into the other hand; what it
        // costs to lose is the same as for one that stood on the board.
        let mut balance = gain - threshold;
        if balance < 0 {
            return false;
        }
        balance -= self.capture_value(moved, moved_is_promoted);
        if balance >= 0 {
            return true;
        }
        occupied.add(to);
        self.exchange(to, self.turn.other(), occupied, balance)
    }

    /// `balance` is what the side that moved first stands at, below 0, if its piece on `to` is
    /// taken now. Returns whether it ends at 0 or more.
    fn exchange(&self, to: Square, first: Color, mut occupied: Bitboard, balance: Value) -> bool {
        let mut balance = balance;
        let mut side = first;
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let queens = self.by_role(Role::Queen);
        let diagonal = self.by_role(Role::Bishop) | queens;
        let straight = self.by_role(Role::Rook) | queens;
        loop {
            let own = attackers & self.by_color(side);
            let Some((role, from)) = self.cheapest(own) else {
                break;
            };
            if role == Role::King && (attackers & self.by_color(side.other())).any() {
                // The king cannot take what is defended.
                break;
            }
            occupied.discard(from);
            if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
                attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
            }
            if matches!(role, Role::Rook | Role::Queen) {
                attackers |= attacks::rook_attacks(to, occupied) & straight;
            }
            attackers &= occupied;
            side = side.other();
            balance = -balance - 1 - self.capture_value(role, self.promoted.contains(from));
            if balance >= 0 {
                break;
            }
        }
        // The side that cannot or need not take back has lost the exchange.
        side != self.turn
    }

    #[inline]
    fn cheapest(&self, own: Bitboard) -> Option<(Role, Square)> {
        for role in CHEAPEST_FIRST {
            if let Some(from) = (own & self.by_role(role)).first() {
                return Some((role, from));
            }
        }
        (own & self.by_role(Role::King)).first().map(|from| (Role::King, from))
    }
}
