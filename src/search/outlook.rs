//! What the other board of a bughouse table means to a search of this one: plain data.

use crate::types::{Role, Value, role_index};

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
}

impl Default for Outlook {
    fn default() -> Outlook {
        let piece = [60, 170, 160, 200, 340];
        Outlook { partner: piece, diagonal: piece, frozen: 7_000, stuck: 400 }
    }
}

impl Outlook {
    /// The worth of a captured piece, by who took it.
    #[inline]
    pub(super) fn worth(&self, by_root_mover: bool, role: Role) -> Value {
        let table = if by_root_mover { &self.partner } else { &self.diagonal };
        table.get(role_index(role)).copied().unwrap_or(0)
    }
}
