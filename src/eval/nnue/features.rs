//! What a network sees: which inputs a position lights, and how they turn into a player's view.
//!
//! Inputs are named twice. A [`Code`] is absolute (white's and black's pieces on real squares), so
//! that a move's changes are noted once for both players. `orient_code` turns a code into the input
//! of one player's view: his own pieces first, his side of the board at the bottom, and the board
//! mirrored so that his king stands on files a to d. Networks that have them also know every piece
//! near the own king by where it stands as seen from the king ([`near_rows`]).

use crate::rules::Position;
use crate::types::{Color, HAND_ROLES, Role, Square, color_index, role_index};

/// An input by absolute colours and squares; below [`INPUTS`].
pub type Code = u16;

/// Piece-square inputs: two colours, six roles, 64 squares.
const PIECES: usize = 2 * 6 * 64;
/// How many of a role in one hand are told apart, in the order of [`HAND_ROLES`].
pub const HAND_SLOTS: [u8; 5] = [10, 6, 6, 6, 4];
/// Hand inputs of one colour.
const HAND: usize = 32;
/// Where each role's slots begin within a hand.
const HAND_START: [usize; 5] = [0, 10, 16, 22, 28];
/// The first hand input.
const HANDS: usize = PIECES;
/// The first input for promoted pieces.
const PROMOTED: usize = HANDS + 2 * HAND;
/// All inputs of one view: 768 piece-square, 64 hand, 8 promoted.
pub const INPUTS: usize = PROMOTED + 2 * 4;
/// Number of output weight sets, chosen by [`bucket`].
pub const BUCKETS: usize = 8;
/// Squares of the own king after mirroring: files a to d.
pub const KINGS: usize = 32;
/// How many files and ranks from the own king a piece is near.
const REACH: i32 = 3;
const WINDOW: usize = (2 * REACH as usize + 1) * (2 * REACH as usize + 1);
/// Inputs of pieces near the own king: two colours, six roles, places as seen from the king.
pub const NEAR: usize = 2 * 6 * WINDOW;
/// For a piece that is not near the king, in [`near_rows`].
pub const NOT_NEAR: Code = Code::MAX;
/// More inputs than a position can light: 64 pieces in all, and a mark for each promoted one.
pub const MAX_ACTIVE: usize = 128;

const _: () = assert!(HAND_START[4] + HAND_SLOTS[4] as usize == HAND);

/// A piece on a square.
#[inline(always)]
pub fn piece(color: Color, role: Role, square: Square) -> Code {
    (color_index(color) * 384 + role_index(role) * 64 + usize::from(square)) as Code
}

/// The `slot`-th piece of a role in a hand: a hand of three pawns lights slots 0, 1 and 2, so that
/// a capture or a drop changes one input. `None` beyond the slots that are told apart.
#[inline(always)]
pub fn hand(color: Color, role: Role, slot: u8) -> Option<Code> {
    let index = role_index(role);
    (index < HAND_SLOTS.len() && slot < HAND_SLOTS[index]).then(|| {
        (HANDS + color_index(color) * HAND + HAND_START[index] + usize::from(slot)) as Code
    })
}

/// Which slot a hand input stands for; none if it is no hand input.
pub fn hand_slot(code: Code) -> Option<u8> {
    let at = usize::from(code).checked_sub(HANDS).filter(|&at| at < 2 * HAND)? % HAND;
    let start = HAND_START.iter().rfind(|&&start| start <= at)?;
    Some((at - start) as u8)
}

/// A promoted piece's mark, beside its ordinary input: it fights as what it is, but whoever takes
/// it gets only a pawn. One mark a role and colour, lit once for each such piece.
#[inline(always)]
pub fn promoted(color: Color, role: Role) -> Code {
    let index = role_index(role).saturating_sub(1).min(3);
    (PROMOTED + color_index(color) * 4 + index) as Code
}

/// How a player sees the board, which his king decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Left and right change places, so that the king stands on files a to d.
    pub mirrored: bool,
    /// Where his king stands as he sees it, below [`KINGS`].
    pub king: u8,
}

impl View {
    /// The view of a player with this king.
    #[inline(always)]
    pub fn of(color: Color, king: Square) -> View {
        let king = if color == Color::Black { king.flip_vertical() } else { king };
        let (file, rank) = (u32::from(king.file()) as u8, u32::from(king.rank()) as u8);
        View { mirrored: file >= 4, king: 4 * rank + file.min(7 - file) }
    }

    /// The same for networks that do not tell kings apart.
    #[inline(always)]
    pub fn without_king(self) -> View {
        View { king: 0, ..self }
    }

    /// The first row of his set, where there is one for each square of the king.
    #[inline(always)]
    pub fn first_row(self) -> Code {
        Code::from(self.king) * INPUTS as Code
    }
}

const fn near_row(input: usize, king: usize) -> Code {
    let (piece, square) = (input / 64, input % 64);
    let file = (square % 8) as i32 - (king % 4) as i32;
    let rank = (square / 8) as i32 - (king / 4) as i32;
    if file.abs() > REACH || rank.abs() > REACH {
        return NOT_NEAR;
    }
    let place = (rank + REACH) * (2 * REACH + 1) + file + REACH;
    (INPUTS + piece * WINDOW + place as usize) as Code
}

static NEAR_ROWS: [[Code; PIECES]; KINGS] = {
    let mut table = [[NOT_NEAR; PIECES]; KINGS];
    let mut king = 0;
    while king < KINGS {
        let mut input = 0;
        while input < PIECES {
            table[king][input] = near_row(input, king);
            input += 1;
        }
        king += 1;
    }
    table
};

/// For each piece-square input of a view, the row after [`INPUTS`] that says where the piece stands
/// as seen from the own king, or [`NOT_NEAR`].
#[inline(always)]
pub fn near_rows(king: u8) -> &'static [Code; PIECES] {
    &NEAR_ROWS[usize::from(king) % KINGS]
}

const fn orient_code(code: usize, black: bool, mirror: bool) -> Code {
    let flip = black as usize;
    let turned = if code < PIECES {
        let square = (code % 64) ^ if black { 56 } else { 0 } ^ if mirror { 7 } else { 0 };
        ((code / 384) ^ flip) * 384 + code % 384 / 64 * 64 + square
    } else if code < PROMOTED {
        let at = code - HANDS;
        HANDS + ((at / HAND) ^ flip) * HAND + at % HAND
    } else {
        let at = code - PROMOTED;
        PROMOTED + ((at / 4) ^ flip) * 4 + at % 4
    };
    turned as Code
}

static ORIENT: [[[Code; INPUTS]; 2]; 2] = {
    let mut table = [[[0; INPUTS]; 2]; 2];
    let mut view = 0;
    while view < 4 {
        let mut code = 0;
        while code < INPUTS {
            table[view / 2][view % 2][code] = orient_code(code, view / 2 == 1, view % 2 == 1);
            code += 1;
        }
        view += 1;
    }
    table
};

/// The table from codes to inputs of a player's view.
#[inline(always)]
pub fn orientation(perspective: Color, mirrored: bool) -> &'static [Code; INPUTS] {
    &ORIENT[color_index(perspective)][usize::from(mirrored)]
}

/// The output weight set for a number of pieces in both hands together.
#[inline(always)]
pub fn bucket(hand_pieces: u32) -> usize {
    (hand_pieces.div_ceil(2) as usize).min(BUCKETS - 1)
}

/// Names every input the position lights.
pub fn active(position: &Position, mut light: impl FnMut(Code)) {
    let promoted_pieces = position.promoted();
    for color in Color::ALL {
        for role in Role::ALL {
            for square in position.by_piece(color, role) {
                light(piece(color, role, square));
                if promoted_pieces.contains(square) {
                    light(promoted(color, role));
                }
            }
        }
        for role in HAND_ROLES {
            for slot in 0..position.hand(color, role) {
                match hand(color, role, slot) {
                    Some(code) => light(code),
                    None => break,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_in_range() {
        let mut seen = [false; INPUTS];
        let mut note = |code: Code| {
            assert!(!std::mem::replace(&mut seen[usize::from(code)], true), "{code} twice");
        };
        for color in Color::ALL {
            for role in Role::ALL {
                Square::ALL.iter().for_each(|&square| note(piece(color, role, square)));
                (0..=u8::MAX).filter_map(|slot| hand(color, role, slot)).for_each(&mut note);
            }
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                note(promoted(color, role));
            }
        }
        assert!(seen.iter().all(|&lit| lit));
    }

    #[test]
    fn slots_of_hands_are_told() {
        for (role, slots) in HAND_ROLES.into_iter().zip(HAND_SLOTS) {
            for slot in 0..slots {
                let code = hand(Color::Black, role, slot).expect("a slot");
                assert_eq!(hand_slot(code), Some(slot), "{role:?}");
            }
        }
        assert_eq!(hand_slot(piece(Color::Black, Role::King, Square::H8)), None);
        assert_eq!(hand_slot(promoted(Color::White, Role::Knight)), None);
    }

    #[test]
    fn both_players_see_the_same_from_their_sides() {
        for mirror in [false, true] {
            let (white, black) =
                (orientation(Color::White, mirror), orientation(Color::Black, mirror));
            for role in Role::ALL {
                for square in Square::ALL {
                    let own = white[usize::from(piece(Color::White, role, square))];
                    let same =
                        black[usize::from(piece(Color::Black, role, square.flip_vertical()))];
                    assert_eq!(own, same);
                }
            }
            for view in [white, black] {
                let mut sorted = *view;
                sorted.sort_unstable();
                assert!(sorted.iter().enumerate().all(|(i, &code)| i == usize::from(code)));
            }
        }
    }

    #[test]
    fn both_colours_see_their_kings_alike() {
        let mut seen = [0; KINGS];
        for square in Square::ALL {
            let view = View::of(Color::White, square);
            seen[usize::from(view.king)] += 1;
            assert_eq!(view, View::of(Color::Black, square.flip_vertical()));
            let mirrored = View::of(Color::White, square.flip_horizontal());
            assert_eq!((view.king, view.mirrored), (mirrored.king, !mirrored.mirrored), "{square}");
        }
        assert_eq!(seen, [2; KINGS]);
        assert_eq!(View::of(Color::White, Square::G1).first_row(), INPUTS as Code);
    }

    #[test]
    fn what_is_near_is_seen_from_the_king() {
        let knight = |square| usize::from(piece(Color::Black, Role::Knight, square));
        let near = |king, square| near_rows(View::of(Color::White, king).king)[knight(square)];
        // Squares as the player sees them: with a king on g1 he sees himself on b1.
        assert_eq!(near(Square::B1, Square::C3), near(Square::C2, Square::D4));
        assert_ne!(near(Square::B1, Square::C3), near(Square::B1, Square::A3));
        assert_eq!(near(Square::G1, Square::C3), near(Square::B1, Square::C3));
        assert_eq!(near(Square::A1, Square::E1), NOT_NEAR);
        assert_ne!(near(Square::A1, Square::D4), NOT_NEAR);
        let mut rows = vec![0; NEAR];
        for king in 0..KINGS as u8 {
            for &row in near_rows(king).iter().filter(|&&row| row != NOT_NEAR) {
                rows[usize::from(row) - INPUTS] += 1;
            }
        }
        assert!(rows.iter().all(|&uses| uses > 0), "a row that no piece can light");
    }

    #[test]
    fn buckets_rise_with_the_hands() {
        assert_eq!((bucket(0), bucket(1), bucket(2), bucket(3)), (0, 1, 1, 2));
        assert_eq!((bucket(13), bucket(64)), (7, 7));
    }
}
