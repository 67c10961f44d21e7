//! What the other board of a bughouse table means to a search of this one: plain data.

use crate::types::{Key, Role, Value, role_index};

/// The worth of captures to the team, and of having no move.
///
/// The default is what to assume while nothing is known of the other board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// What a piece taken by the root's mover is worth in the partner's hand, pawn to queen.
    pub partner: [Value; 5],
    /// What a piece taken by the root's opponent is worth in the diagonal's hand.
    pub diagonal: [Value; 5],
    /// How bad it is to be in check without a move where a piece yet to come could answer it.
    pub frozen: Value,
    /// How bad it is to have no move while not in check.
    pub stuck: Value,
    /// Pieces, a bit each from pawn to queen, with which the partner mates at once if the root's
    /// mover takes one with his very next move.
    pub partner_mates: u8,
    /// The same for the diagonal, if the root's opponent takes one with his next.
    pub diagonal_mates: u8,
}

impl Default for Outlook {
    fn default() -> Outlook {
        let piece = [60, 170, 160, 200, 340];
        Outlook {
            partner: piece,
            diagonal: piece,
            frozen: 7_000,
            stuck: 400,
            partner_mates: 0,
            diagonal_mates: 0,
        }
    }
}

impl Outlook {
    /// Whether a capture at this ply mates on the other board. Later ones may: by then that board
    /// is another.
    #[inline]
    pub(super) fn decides(&self, ply: usize, role: Role) -> bool {
        let mates = match ply {
            0 => self.partner_mates,
            1 => self.diagonal_mates,
            _ => 0,
        };
        mates >> role_index(role) & 1 != 0
    }

    /// What tells table entries apart that were made under other mates over there.
    pub(super) fn salt(&self) -> Key {
        let mates = u64::from(self.partner_mates) << 8 | u64::from(self.diagonal_mates);
        mates.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// The worth of a captured piece, by who took it.
    #[inline]
    pub(super) fn worth(&self, by_root_mover: bool, role: Role) -> Value {
        let table = if by_root_mover { &self.partner } else { &self.diagonal };
        table.get(role_index(role)).copied().unwrap_or(0)
    }
}
