//! Which pieces the other board may send with its next move.

use super::mates::taken;
use super::table::Table;
use crate::rules::{Gen, Position};
use crate::types::{Color, MoveList, role_index};

/// How likely a piece of each role comes next, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// To the player's hand, by his partner.
    pub mine: [u8; 5],
    /// To his opponent's hand, by the diagonal.
    pub theirs: [u8; 5],
}

/// A capture that costs nothing is nearly sure to be played, one that costs a pawn's worth perhaps,
/// one that costs a piece hardly.
const LIKELY: [(i32, u8); 3] = [(0, 80), (-120, 40), (i32::MIN / 2, 8)];
/// Who has the move after the next one still has to see his chance survive.
const LATER: u8 = 3;

/// What may arrive; nothing is known without the other board.
pub fn arrivals(table: &Table) -> Arrivals {
    let Some(other) = &table.other else { return Arrivals::default() };
    Arrivals {
        mine: captures(other, table.seat.partner().color()),
        theirs: captures(other, table.seat.diagonal().color()),
    }
}

fn captures(position: &Position, by: Color) -> [u8; 5] {
    let mut likely = [0; 5];
    let mut seen = *position;
    let later = seen.turn() != by;
    if later {
        if seen.in_check() {
            // Whoever must answer a check first leaves no telling what is still to be had.
            return likely;
        }
        seen.make_null();
    }
    let mut list = MoveList::new();
    seen.generate(Gen::Captures, &mut list);
    for mv in list {
        if !mv.is_capture() {
            continue;
        }
        let role = taken(&seen, mv);
        let percent = LIKELY
            .iter()
            .find(|(loss, _)| seen.see_ge(mv, *loss))
            .map_or(0, |(_, percent)| *percent);
        let percent = if later { percent / LATER } else { percent };
        let slot = &mut likely[role_index(role)];
        *slot = percent.max(*slot);
    }
    likely
}
