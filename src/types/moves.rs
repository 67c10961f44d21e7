//! A move in 16 bits, drops included.

use std::fmt;
use std::num::NonZeroU16;

use arrayvec::ArrayVec;

use super::{HAND_ROLES, Role, Square};

/// Room for every legal move: with full hands a position can have over 400.
pub type MoveList = ArrayVec<Move, 512>;

/// A move of one board: bits 0–5 the origin (for a drop the index of the role in
/// [`HAND_ROLES`]), bits 6–11 the destination, bits 12–15 the kind.
///
/// Castling is king takes own rook, so that one encoding serves every starting array. The value
/// alone does not say which piece moves; it is meaningful only beside its position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

const QUIET: u16 = 0;
const DOUBLE_PUSH: u16 = 1;
const CASTLE: u16 = 2;
const EN_PASSANT: u16 = 3;
const CAPTURE: u16 = 4;
const DROP: u16 = 5;
const PROMOTION: u16 = 8;
const CAPTURE_PROMOTION: u16 = 12;

impl Move {
    #[inline(always)]
    const fn pack(from: u16, to: Square, kind: u16) -> Move {
        let raw = from | (to.to_u32() as u16) << 6 | kind << 12;
        // Only a1-a1 packs to zero, and no piece moves onto its own square.
        match NonZeroU16::new(raw) {
            Some(raw) => Move(raw),
            None => panic!("a move from a1 to a1"),
        }
    }

    /// The move in coordinates, castling as the king's and the rook's square.
    pub fn text(self) -> String {
        let mut text = String::with_capacity(5);
        match (self.drop_role(), self.from()) {
            (Some(role), _) => text.extend([role.upper_char(), '@']),
            (None, Some(from)) => text.extend([from.file().char(), from.rank().char()]),
            (None, None) => unreachable!("a move that is no drop has an origin"),
        }
        text.extend([self.to().file().char(), self.to().rank().char()]);
        text.extend(self.promotion_role().map(|role| role.char()));
        text
    }

    /// A move without capture that is nothing special.
    #[inline(always)]
    pub const fn quiet(from: Square, to: Square) -> Move {
        Move::pack(from.to_u32() as u16, to, QUIET)
    }

    /// A pawn's double step.
    #[inline(always)]
    pub const fn double_push(from: Square, to: Square) -> Move {
        Move::pack(from.to_u32() as u16, to, DOUBLE_PUSH)
    }

    /// Castling, told as the king's and the rook's square.
    #[inline(always)]
    pub const fn castle(king: Square, rook: Square) -> Move {
        Move::pack(king.to_u32() as u16, rook, CASTLE)
    }

    /// En passant.
    #[inline(always)]
    pub const fn en_passant(from: Square, to: Square) -> Move {
        Move::pack(from.to_u32() as u16, to, EN_PASSANT)
    }

    /// A capture that does not promote.
    #[inline(always)]
    pub const fn capture(from: Square, to: Square) -> Move {
        Move::pack(from.to_u32() as u16, to, CAPTURE)
    }

    /// A promotion to knight, bishop, rook or queen.
    #[inline(always)]
    pub const fn promotion(from: Square, to: Square, role: Role, capture: bool) -> Move {
        let base = if capture { CAPTURE_PROMOTION } else { PROMOTION };
        Move::pack(from.to_u32() as u16, to, base + role as u16 - Role::Knight as u16)
    }

    /// A drop from the hand.
    #[inline(always)]
    pub const fn drop(role: Role, to: Square) -> Move {
        Move::pack(role as u16 - Role::Pawn as u16, to, DROP)
    }

    /// The packed form, as tables keep it.
    #[inline(always)]
    pub const fn raw(self) -> u16 {
        self.0.get()
    }

    /// A packed form back; `None` for zero and for kinds and roles that do not exist. Whether the
    /// move fits a position is for the position to say.
    pub const fn from_raw(raw: u16) -> Option<Move> {
        match NonZeroU16::new(raw) {
            Some(bits) => {
                let kind = raw >> 12;
                let known = kind <= DROP || kind >= PROMOTION;
                if known && !(kind == DROP && raw & 63 >= HAND_ROLES.len() as u16) {
                    Some(Move(bits))
                } else {
                    None
                }
            }
            None => None,
        }
    }

    #[inline(always)]
    const fn kind(self) -> u16 {
        self.raw() >> 12
    }

    /// The origin; for a drop the index of its role, which is no square that means anything.
    #[inline(always)]
    const fn origin(self) -> Square {
        Square::new(self.raw() as u32 & 63)
    }

    /// The square a piece leaves; none for a drop.
    #[inline(always)]
    pub const fn from(self) -> Option<Square> {
        if self.is_drop() { None } else { Some(self.origin()) }
    }

    /// The destination; for castling the rook's square.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::new((self.raw() as u32 >> 6) & 63)
    }

    /// Whether a piece comes from the hand.
    #[inline(always)]
    pub const fn is_drop(self) -> bool {
        self.kind() == DROP
    }

    /// The role a drop puts down.
    #[inline(always)]
    pub const fn drop_role(self) -> Option<Role> {
        if self.is_drop() { Some(HAND_ROLES[(self.raw() & 63) as usize]) } else { None }
    }

    /// Whether a piece is taken, en passant included.
    #[inline(always)]
    pub const fn is_capture(self) -> bool {
        let kind = self.kind();
        kind == CAPTURE || kind == EN_PASSANT || kind >= CAPTURE_PROMOTION
    }

    /// Whether this is en passant.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.kind() == EN_PASSANT
    }

    /// Whether this castles.
    #[inline(always)]
    pub const fn is_castle(self) -> bool {
        self.kind() == CASTLE
    }

    /// Whether a pawn steps two squares.
    #[inline(always)]
    pub const fn is_double_push(self) -> bool {
        self.kind() == DOUBLE_PUSH
    }

    /// The role a pawn becomes.
    #[inline(always)]
    pub const fn promotion_role(self) -> Option<Role> {
        let kind = self.kind();
        if kind < PROMOTION {
            return None;
        }
        Some(match kind & 3 {
            0 => Role::Knight,
            1 => Role::Bishop,
            2 => Role::Rook,
            _ => Role::Queen,
        })
    }

    /// Whether a pawn promotes.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.kind() >= PROMOTION
    }

    /// Whether the move takes or promotes.
    #[inline(always)]
    pub const fn is_tactical(self) -> bool {
        self.is_capture() || self.is_promotion()
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_round_trips() {
        let (a7, b8) = (Square::A7, Square::B8);
        let drop = Move::drop(Role::Knight, b8);
        assert_eq!((drop.from(), drop.to(), drop.drop_role()), (None, b8, Some(Role::Knight)));
        assert_eq!(Move::promotion(a7, b8, Role::Rook, true).promotion_role(), Some(Role::Rook));
        assert!(Move::promotion(a7, b8, Role::Queen, true).is_capture());
        assert!(!Move::promotion(a7, b8, Role::Queen, false).is_capture());
        assert!(Move::en_passant(a7, b8).is_capture());
        for raw in 0..=u16::MAX {
            if let Some(mv) = Move::from_raw(raw) {
                assert_eq!(mv.raw(), raw);
                assert_eq!(mv.is_drop(), mv.drop_role().is_some());
                assert!(!format!("{mv:?}").is_empty());
            }
        }
        assert_eq!(Move::from_raw(0), None);
        assert_eq!(Move::from_raw(5 << 12 | 5), None);
    }
}
