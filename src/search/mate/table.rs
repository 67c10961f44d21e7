//! What the mate search knows of positions: proof and disproof numbers, found by the board and
//! compared by the hands.
//!
//! The same board with more in the attacker's hand and less in the defender's is mated too, and
//! the reverse holds for what cannot be mated. So an entry is found by its board alone.

use bytemuck::Zeroable;

use crate::rules::Position;
use crate::types::{Color, HAND_ROLES, Move, Role};

/// A number no proof reaches: solved for one side.
pub(super) const INFINITE: u32 = 100_000_000;
/// A disproof that holds at any distance.
pub(super) const ANY: u16 = u16::MAX;
/// Entries of one board are sought over so many places.
const REACH: usize = 8;
/// The top bit of each byte, for comparing five counts at once.
const TOPS: u64 = 0x80_8080_8080;

/// Where a position is filed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    board: u64,
    attack: u64,
    defence: u64,
}

/// How far a position is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Least number of leaves to prove for a proof.
    pub pn: u32,
    /// Least number of leaves to disprove for a disproof.
    pub dn: u32,
    /// Proven: plies to mate at most. Disproven: up to how many plies, or [`ANY`].
    pub plies: u16,
    /// The move to look at first.
    pub mv: Option<Move>,
}

impl Numbers {
    pub const fn proven(plies: u16, mv: Option<Move>) -> Numbers {
        Numbers { pn: 0, dn: INFINITE, plies, mv }
    }

    pub const fn disproven(plies: u16) -> Numbers {
        Numbers { pn: INFINITE, dn: 0, plies, mv: None }
    }
}

/// What is known of one position; unused where the board is 0.
#[derive(Clone, Copy)]
struct Entry {
    place: Place,
    pn: u32,
    dn: u32,
    work: u32,
    plies: u16,
    mv: u16,
}

// SAFETY: an entry is made of integers, for which all-zero bytes are values.
#[allow(unsafe_code)]
unsafe impl Zeroable for Entry {}

/// A table of fixed size.
pub(super) struct Table {
    entries: Box<[Entry]>,
    /// Where something stands, while that is little: short games need not clear all of it.
    filled: Vec<u32>,
}

/// One in so many places is remembered as filled.
const FEW: usize = 16;

fn hand(position: &Position, color: Color) -> u64 {
    HAND_ROLES.iter().fold(0, |sum, &role| sum << 8 | u64::from(position.hand(color, role)))
}

/// Whether each count of `part` is at most that of `whole`.
#[inline(always)]
const fn within(part: u64, whole: u64) -> bool {
    ((whole | TOPS) - part) & TOPS == TOPS
}

impl Place {
    /// The same position where the attacker may still play so many moves that give no check.
    pub fn with_quiets(self, quiets: u8) -> Place {
        Place { board: self.board ^ u64::from(quiets) << 1, ..self }
    }

    /// Where a position is filed when `attacker` tries to mate.
    pub fn of(position: &Position, attacker: Color) -> Place {
        let words = [
            u64::from(position.by_color(Color::White)),
            u64::from(position.by_color(Color::Black)),
            u64::from(position.by_role(Role::Pawn)),
            u64::from(position.by_role(Role::Knight)),
            u64::from(position.by_role(Role::Bishop)),
            u64::from(position.by_role(Role::Rook)),
            u64::from(position.by_role(Role::Queen)),
            u64::from(position.promoted()),
            u64::from(position.castling_rights()),
            position.ep_square().map_or(64, |square| square as u64)
                | (position.turn() as u64) << 7
                | (attacker as u64) << 8,
        ];
        let mut board = 0x9e37_79b9_7f4a_7c15_u64;
        for word in words {
            board = (board.rotate_left(23) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
            board ^= board >> 32;
        }
        Place {
            board: board | 1,
            attack: hand(position, attacker),
            defence: hand(position, !attacker),
        }
    }
}

impl Table {
    /// A table of so many mebibytes.
    pub fn new(mb: usize) -> Table {
        let count = (mb.max(1) << 20) / size_of::<Entry>();
        // Zeroed memory comes from the system untouched, so a table costs nothing until used.
        let entries = bytemuck::allocation::zeroed_slice_box(count.max(REACH));
        Table { entries, filled: Vec::new() }
    }

    pub fn clear(&mut self) {
        if self.filled.len() < self.entries.len() / FEW {
            self.filled.iter().for_each(|&i| self.entries[i as usize] = Entry::zeroed());
        } else {
            self.entries.fill(Entry::zeroed());
        }
        self.filled.clear();
    }

    fn first(&self, place: &Place) -> usize {
        let last = self.entries.len() - REACH;
        ((u128::from(place.board) * last as u128) >> 64) as usize
    }

    /// What is known of a position from which mate must come within `remaining` plies.
    pub fn find(&self, place: &Place, remaining: u16) -> Option<Numbers> {
        let first = self.first(place);
        let mut exact = None;
        for entry in &self.entries[first..first + REACH] {
            if entry.place.board != place.board {
                continue;
            }
            let numbers = Numbers {
                pn: entry.pn,
                dn: entry.dn,
                plies: entry.plies,
                mv: Move::from_raw(entry.mv),
            };
            if entry.pn == 0 {
                if entry.plies <= remaining
                    && within(entry.place.attack, place.attack)
                    && within(place.defence, entry.place.defence)
                {
                    return Some(numbers);
                }
            } else if entry.dn == 0 {
                if entry.plies >= remaining
                    && within(place.attack, entry.place.attack)
                    && within(entry.place.defence, place.defence)
                {
                    return Some(numbers);
                }
            } else if entry.place == *place {
                exact = Some(numbers);
            }
        }
        exact
    }

    /// Files what is known, in place of what cost least to find.
    pub fn store(&mut self, place: &Place, numbers: &Numbers, work: u32) {
        let first = self.first(place);
        let bucket = &self.entries[first..first + REACH];
        let mut victim = 0;
        let mut least = u64::MAX;
        for (i, entry) in bucket.iter().enumerate() {
            if entry.place == *place {
                // A proof is worth more than doubt about a shorter one.
                if entry.pn == 0 && numbers.pn != 0 {
                    return;
                }
                victim = i;
                break;
            }
            let solved = entry.pn == 0 || entry.dn == 0;
            let worth = u64::from(entry.work) * if solved { 4 } else { 1 };
            if entry.place.board == 0 {
                victim = i;
                break;
            }
            if worth < least {
                least = worth;
                victim = i;
            }
        }
        if bucket[victim].place.board == 0 && self.filled.len() < self.entries.len() / FEW {
            self.filled.push((first + victim) as u32);
        }
        self.entries[first + victim] = Entry {
            place: *place,
            pn: numbers.pn,
            dn: numbers.dn,
            work,
            plies: numbers.plies,
            mv: numbers.mv.map_or(0, Move::raw),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn place(hand: &str) -> Place {
        let fen = format!("4k3/8/8/8/8/8/8/4K3[{hand}] w - - 0 1");
        Place::of(&Position::from_fen(&fen, Rules::CRAZYHOUSE).unwrap(), Color::White)
    }

    #[test]
    fn nothing_is_left_after_clearing() {
        let mut table = Table::new(1);
        let many = table.entries.len() / 4;
        for count in [3, many] {
            let places: Vec<Place> = (1..=count as u64)
                .map(|i| Place { board: i << 48 | 1, attack: i, defence: 0 })
                .collect();
            places.iter().for_each(|place| table.store(place, &Numbers::proven(5, None), 10));
            assert!(table.entries.iter().any(|entry| entry.place.board != 0));
            table.clear();
            assert!(table.entries.iter().all(|entry| entry.place.board == 0), "{count}");
        }
    }

    #[test]
    fn more_in_hand_is_mated_too() {
        let mut table = Table::new(1);
        table.store(&place("Qp"), &Numbers::proven(5, None), 10);
        assert_eq!(table.find(&place("QP"), 100).map(|n| n.pn), Some(0));
        assert_eq!(table.find(&place("QRp"), 5).map(|n| n.pn), Some(0));
        assert_eq!(table.find(&place("Qp"), 4), None);
        assert_eq!(table.find(&place("Rp"), 100), None);
        assert_eq!(table.find(&place("Qpp"), 100), None);
        table.store(&place("R"), &Numbers::disproven(ANY), 10);
        assert_eq!(table.find(&place("n"), 100).map(|n| n.dn), Some(0));
        assert_eq!(table.find(&place("RP"), 100), None);
    }
}
