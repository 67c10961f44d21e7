//! What past cutoffs teach about moves: tables that order moves and steer reductions.

use crate::rules::Position;
use crate::types::{Bitboard, Color, Move, Role, Value, color_index, role_index};

use super::params::Params;

/// Origins of a move: the squares, then the hand's five roles.
const ORIGINS: usize = 64 + 5;
/// Moving pieces: six on the board, then the hand's five roles (padded).
const PLANES: usize = 12;
/// Piece and destination of a move.
pub(super) const PIECE_TO: usize = PLANES * 64;
const LIMIT: i32 = 16_384;
const CORRECTION_SLOTS: usize = 1 << 14;
const CORRECTION_LIMIT: i32 = 1024;

/// Index of a move's piece and destination, drops apart from moves of the same role.
#[inline(always)]
pub(super) fn piece_to(position: &Position, mv: Move) -> usize {
    let plane = match mv.drop_role() {
        Some(role) => 6 + role_index(role),
        None => moved_role(position, mv),
    };
    plane << 6 | mv.to() as usize
}

#[inline(always)]
fn moved_role(position: &Position, mv: Move) -> usize {
    mv.from().and_then(|from| position.role_at(from)).map_or(0, role_index)
}

#[inline(always)]
fn origin(mv: Move) -> usize {
    match (mv.from(), mv.drop_role()) {
        (Some(from), _) => from as usize,
        (None, role) => 64 + role.map_or(0, role_index),
    }
}

#[inline(always)]
fn nudge(slot: &mut i16, bonus: i32) {
    let old = i32::from(*slot);
    *slot = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// The position's side of a continuation table: what was played one, two or four plies ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context {
    /// Row of the table, from [`row`]; `None` after a null move or before the root.
    pub rows: [Option<u32>; 3],
    /// Where the history of this ply begins, near the root.
    pub low: Option<u16>,
    /// Weights of the plain history, of the rows' and of the ply's, in 32nds.
    pub weights: [i32; 5],
}

/// Plies from the root that have a history of their own.
const LOW: usize = 4;

/// The piece and destination that opened a row.
#[inline(always)]
pub(super) fn piece_to_of(row: u32) -> usize {
    row as usize % PIECE_TO
}

/// The row of a continuation table that a move made by `color` opens.
#[inline(always)]
pub(super) fn row(color: Color, piece_to: usize) -> u32 {
    (color_index(color) * PIECE_TO + piece_to) as u32
}

/// One thread's tables.
#[derive(Debug)]
pub(super) struct History {
    quiet: Box<[i16]>,
    low: Box<[i16]>,
    capture: Box<[i16]>,
    replies: Box<[i16]>,
    plans: Box<[i16]>,
    counters: Box<[Option<Move>]>,
    pawns: Box<[i16]>,
    hands: Box<[i16]>,
    pieces: Box<[i16]>,
}

fn zeroed(len: usize) -> Box<[i16]> {
    vec![0; len].into_boxed_slice()
}

impl History {
    pub fn new() -> History {
        History {
            quiet: zeroed(2 * ORIGINS * 64),
            low: zeroed(LOW * ORIGINS * 64),
            capture: zeroed(2 * PIECE_TO * 6),
            replies: zeroed(2 * PIECE_TO * PIECE_TO),
            plans: zeroed(2 * PIECE_TO * PIECE_TO),
            counters: vec![None; 2 * PIECE_TO].into_boxed_slice(),
            pawns: zeroed(2 * CORRECTION_SLOTS),
            hands: zeroed(2 * CORRECTION_SLOTS),
            pieces: zeroed(2 * CORRECTION_SLOTS),
        }
    }

    pub fn clear(&mut self) {
        for table in [
            &mut self.quiet,
            &mut self.low,
            &mut self.capture,
            &mut self.replies,
            &mut self.plans,
            &mut self.pawns,
            &mut self.hands,
            &mut self.pieces,
        ] {
            table.fill(0);
        }
        self.counters.fill(None);
    }

    /// Forgets the last root's first plies.
    pub fn start(&mut self) {
        self.low.fill(0);
    }

    /// Where the history of a ply begins.
    #[inline(always)]
    pub fn low(ply: usize) -> Option<u16> {
        (ply < LOW).then_some(((ply * ORIGINS) << 6) as u16)
    }

    #[inline(always)]
    fn slot(mv: Move) -> usize {
        origin(mv) << 6 | mv.to() as usize
    }

    #[inline(always)]
    fn quiet_slot(color: Color, mv: Move) -> usize {
        ((color_index(color) * ORIGINS) << 6) + History::slot(mv)
    }

    #[inline(always)]
    fn capture_slot(position: &Position, mv: Move) -> usize {
        let taken =
            if mv.is_en_passant() { 0 } else { position.role_at(mv.to()).map_or(5, role_index) };
        (color_index(position.turn()) * PIECE_TO
            + (moved_role(position, mv) << 6 | mv.to() as usize))
            * 6
            + taken
    }

    /// The sum of what is known of a quiet move or drop.
    #[inline(always)]
    pub fn quiet(&self, color: Color, mv: Move, piece_to: usize, context: &Context) -> i32 {
        let weights = &context.weights;
        let mut sum = weights[0] * i32::from(self.quiet[History::quiet_slot(color, mv)]);
        if let Some(row) = context.rows[0] {
            sum += weights[1] * i32::from(self.replies[row as usize * PIECE_TO + piece_to]);
        }
        if let Some(row) = context.rows[1] {
            sum += weights[2] * i32::from(self.plans[row as usize * PIECE_TO + piece_to]);
        }
        if let Some(row) = context.rows[2] {
            sum += weights[3] * i32::from(self.plans[row as usize * PIECE_TO + piece_to]);
        }
        if let Some(low) = context.low {
            sum += weights[4] * i32::from(self.low[usize::from(low) + History::slot(mv)]);
        }
        sum / 32
    }

    /// What is known of a capture or promotion.
    #[inline(always)]
    pub fn capture(&self, position: &Position, mv: Move) -> i32 {
        i32::from(self.capture[History::capture_slot(position, mv)])
    }

    /// Rewards (or with a negative bonus punishes) a quiet move.
    #[inline]
    pub fn update_quiet(&mut self, position: &Position, mv: Move, context: &Context, bonus: i32) {
        self.update_made(position.turn(), mv, piece_to(position, mv), context, bonus);
    }

    /// The same for a move already made, of which the piece is known.
    #[inline]
    pub fn update_made(
        &mut self,
        color: Color,
        mv: Move,
        piece_to: usize,
        context: &Context,
        bonus: i32,
    ) {
        self.update_plain(color, mv, bonus);
        if let Some(low) = context.low {
            nudge(&mut self.low[usize::from(low) + History::slot(mv)], bonus);
        }
        if let Some(row) = context.rows[0] {
            nudge(&mut self.replies[row as usize * PIECE_TO + piece_to], bonus);
        }
        for row in context.rows[1..].iter().flatten() {
            nudge(&mut self.plans[*row as usize * PIECE_TO + piece_to], bonus);
        }
    }

    /// Rewards or punishes a quiet move whatever came before it.
    #[inline]
    pub fn update_plain(&mut self, color: Color, mv: Move, bonus: i32) {
        nudge(&mut self.quiet[History::quiet_slot(color, mv)], bonus);
    }

    /// Rewards or punishes a capture or promotion.
    #[inline]
    pub fn update_capture(&mut self, position: &Position, mv: Move, bonus: i32) {
        nudge(&mut self.capture[History::capture_slot(position, mv)], bonus);
    }

    /// The move that last refuted the previous one.
    #[inline]
    pub fn counter(&self, context: &Context) -> Option<Move> {
        context.rows[0].and_then(|row| self.counters[row as usize])
    }

    /// Remembers a refutation.
    #[inline]
    pub fn set_counter(&mut self, context: &Context, mv: Move) {
        if let Some(row) = context.rows[0] {
            self.counters[row as usize] = Some(mv);
        }
    }

    /// How far the static evaluation was off in positions like this one.
    #[inline]
    pub fn correction(&self, position: &Position, params: &Params) -> Value {
        let slots = Slots::of(position);
        let sum = params.corr_pawns * i32::from(self.pawns[slots.pawns])
            + params.corr_hands * i32::from(self.hands[slots.hands])
            + params.corr_pieces * i32::from(self.pieces[slots.pieces]);
        sum / 1536
    }

    /// Learns from the difference between a search's value and the static evaluation.
    #[inline]
    pub fn correct(&mut self, position: &Position, depth: i32, difference: Value) {
        let slots = Slots::of(position);
        let bonus = (difference * depth / 8).clamp(-CORRECTION_LIMIT / 4, CORRECTION_LIMIT / 4);
        for slot in [
            &mut self.pawns[slots.pawns],
            &mut self.hands[slots.hands],
            &mut self.pieces[slots.pieces],
        ] {
            let old = i32::from(*slot);
            *slot = (old + bonus - old * bonus.abs() / CORRECTION_LIMIT) as i16;
        }
    }
}

/// Slots of the correction tables.
struct Slots {
    pawns: usize,
    hands: usize,
    pieces: usize,
}

#[inline(always)]
fn mix(a: u64, b: u64) -> usize {
    let hash = (a ^ b.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ b.wrapping_mul(0xd6e8_feb8_6659_fd93)) as usize >> 20 & (CORRECTION_SLOTS - 1)
}

impl Slots {
    #[inline]
    fn of(position: &Position) -> Slots {
        let side = color_index(position.turn()) * CORRECTION_SLOTS;
        let pawns = |color| u64::from(position.by_piece(color, Role::Pawn));
        let hand = |color: Color| {
            crate::types::HAND_ROLES
                .iter()
                .fold(0, |sum: u64, &role| sum << 5 | u64::from(position.hand(color, role)))
        };
        let heavy = |role| u64::from(position.by_role(role));
        let kings = heavy(Role::King) ^ heavy(Role::Queen).rotate_left(13);
        let minors: Bitboard = position.by_role(Role::Knight) | position.by_role(Role::Bishop);
        Slots {
            pawns: side + mix(pawns(Color::White), pawns(Color::Black)),
            hands: side + mix(hand(Color::White), hand(Color::Black)),
            pieces: side + mix(kings, u64::from(minors)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_stay_bounded() {
        let mut slot = 0;
        for _ in 0..1000 {
            nudge(&mut slot, 1800);
        }
        assert!(i32::from(slot) <= LIMIT);
        for _ in 0..2000 {
            nudge(&mut slot, -1800);
        }
        assert!(i32::from(slot) >= -LIMIT);
    }
}
