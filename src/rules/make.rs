//! Playing a move.

use shakmaty::attacks;

use super::Variant;
use super::keys;
use super::position::Position;
use crate::types::{Bitboard, Color, File, Key, Move, Role, Square, color_index, role_index};

/// A piece that left the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Captured {
    /// What it is in a hand: a pawn, if it was promoted.
    pub role: Role,
    /// The colour it had on the board.
    pub color: Color,
}

/// Is told what changes on the board and in the hands while a move is played, so that whoever
/// keeps something beside the position (a network's accumulators) need not know the rules.
pub trait BoardObserver {
    /// A piece appears.
    fn put(&mut self, _sq: Square, _color: Color, _role: Role, _promoted: bool) {}
    /// A piece disappears.
    fn take(&mut self, _sq: Square, _color: Color, _role: Role, _promoted: bool) {}
    /// A hand goes from `before` to `after` pieces of a role.
    fn hand(&mut self, _color: Color, _role: Role, _before: u8, _after: u8) {}
}

impl BoardObserver for () {}

impl Position {
    /// Plays a legal move. In crazyhouse the capture enters the mover's hand; in bughouse it
    /// leaves this board, and the caller hands it on.
    #[inline]
    pub fn make(&mut self, mv: Move) -> Option<Captured> {
        self.make_with(mv, &mut ())
    }

    /// The key after a legal move, except for what few moves change besides: castling rights, a
    /// square for en passant, promotions. Good enough to fetch memory ahead.
    #[inline]
    #[must_use]
    pub fn rough_key_after(&self, mv: Move) -> Key {
        let (us, to) = (self.turn, mv.to());
        let mut key = self.key ^ keys::black_to_move();
        if let Some(ep) = self.ep {
            key ^= keys::ep_file(ep.file());
        }
        if let Some(role) = mv.drop_role() {
            let before = self.hand(us, role);
            let hand =
                keys::hand(us, role, before) ^ keys::hand(us, role, before.saturating_sub(1));
            return key ^ hand ^ keys::piece(us, role, to);
        }
        let Some((from, role)) = mv.from().and_then(|from| Some((from, self.role_at(from)?)))
        else {
            return key;
        };
        key ^= keys::piece(us, role, from) ^ keys::piece(us, role, to);
        if mv.is_capture()
            && let Some(taken) = self.role_at(to)
        {
            key ^= keys::piece(us.other(), taken, to);
            if self.rules.variant == Variant::Crazyhouse {
                let held = if self.promoted.contains(to) { Role::Pawn } else { taken };
                let before = self.hand(us, held);
                key ^= keys::hand(us, held, before) ^ keys::hand(us, held, before + 1);
            }
        }
        key
    }

    /// The position after a legal move.
    #[inline]
    #[must_use]
    pub fn after(&self, mv: Move) -> Position {
        let mut next = *self;
        next.make(mv);
        next
    }

    /// [`Position::make`], telling an observer what changes.
    pub fn make_with<O: BoardObserver>(&mut self, mv: Move, observer: &mut O) -> Option<Captured> {
        let us = self.turn;
        let to = mv.to();
        self.clear_ep();
        self.halfmove_clock += 1;
        self.game_ply += 1;

        let mut captured = None;
        let mut double_push = false;
        if let Some(role) = mv.drop_role() {
            let (before, after) = self.change_hand(us, role, -1);
            observer.hand(us, role, before, after);
            self.put(us, role, to, false, observer);
            if role == Role::Pawn {
                self.halfmove_clock = 0;
            }
        } else if let (Some(from), true) = (mv.from(), mv.is_castle()) {
            self.castle(us, from, to, observer);
        } else if let Some(from) = mv.from() {
            // A legal move starts on a piece; without one nothing moves.
            let role = self.role_at(from)?;
            if mv.is_capture() {
                captured = self.capture(us, to, mv.is_en_passant(), observer);
                self.halfmove_clock = 0;
            }
            let promoted = self.take(us, role, from, observer);
            match mv.promotion_role() {
                // A piece won in exchange for the pawn is a full piece.
                Some(new_role) => {
                    let marked =
                        self.has_hands() && self.rules.promotion == super::PromotionRule::Upgrade;
                    self.put(us, new_role, to, marked, observer);
                }
                None => self.put(us, role, to, promoted, observer),
            }
            if role == Role::Pawn {
                self.halfmove_clock = 0;
                double_push = mv.is_double_push();
            }
            self.update_castling(us, role, from, to);
        }

        self.turn = us.other();
        self.key ^= keys::black_to_move();
        self.refresh();
        if double_push {
            self.set_ep_behind(to);
        }
        captured
    }

    /// Passes the turn, which no player may do: the search asks what would happen.
    pub fn make_null(&mut self) {
        self.clear_ep();
        self.halfmove_clock += 1;
        self.game_ply += 1;
        self.turn = self.turn.other();
        self.key ^= keys::black_to_move();
        self.refresh();
    }

    #[inline(always)]
    fn clear_ep(&mut self) {
        if let Some(ep) = self.ep.take() {
            self.key ^= keys::ep_file(ep.file());
        }
    }

    #[inline(always)]
    pub(super) fn put<O: BoardObserver>(
        &mut self,
        color: Color,
        role: Role,
        sq: Square,
        promoted: bool,
        observer: &mut O,
    ) {
        let bit = Bitboard::from_square(sq);
        self.by_color[color_index(color)] |= bit;
        self.by_role[role_index(role)] |= bit;
        self.mailbox[sq.to_usize()] = Some(role);
        self.key ^= keys::piece(color, role, sq);
        if promoted {
            self.promoted |= bit;
            self.key ^= keys::promoted(sq);
        }
        observer.put(sq, color, role, promoted);
    }

    /// Takes a piece off the board and says whether it was promoted.
    #[inline(always)]
    pub(super) fn take<O: BoardObserver>(
        &mut self,
        color: Color,
        role: Role,
        sq: Square,
        observer: &mut O,
    ) -> bool {
        let bit = Bitboard::from_square(sq);
        self.by_color[color_index(color)] ^= bit;
        self.by_role[role_index(role)] ^= bit;
        self.mailbox[sq.to_usize()] = None;
        self.key ^= keys::piece(color, role, sq);
        let promoted = (self.promoted & bit).any();
        if promoted {
            self.promoted ^= bit;
            self.key ^= keys::promoted(sq);
        }
        observer.take(sq, color, role, promoted);
        promoted
    }

    #[inline(always)]
    fn capture<O: BoardObserver>(
        &mut self,
        us: Color,
        to: Square,
        en_passant: bool,
        observer: &mut O,
    ) -> Option<Captured> {
        let them = us.other();
        let sq = if en_passant { behind(us, to) } else { to };
        let on_board = self.role_at(sq)?;
        let promoted = self.take(them, on_board, sq, observer);
        let role = if promoted { Role::Pawn } else { on_board };
        if self.rules.variant == Variant::Crazyhouse {
            let (before, after) = self.change_hand(us, role, 1);
            observer.hand(us, role, before, after);
        }
        Some(Captured { role, color: them })
    }

    fn castle<O: BoardObserver>(
        &mut self,
        us: Color,
        king: Square,
        rook: Square,
        observer: &mut O,
    ) {
        let (king_to, rook_to) = castling_targets(king, rook);
        self.take(us, Role::King, king, observer);
        let promoted = self.take(us, Role::Rook, rook, observer);
        self.put(us, Role::King, king_to, false, observer);
        self.put(us, Role::Rook, rook_to, promoted, observer);
        self.drop_rights(Bitboard::from_rank(us.backrank()));
    }

    /// A king's move loses all his rights. A rook's move or capture loses its own, except where a
    /// rook that stands on its corner may castle wherever it came from.
    #[inline(always)]
    fn update_castling(&mut self, us: Color, role: Role, from: Square, to: Square) {
        if self.castling.is_empty() {
            return;
        }
        if role == Role::King {
            self.drop_rights(Bitboard::from_rank(us.backrank()));
        }
        if !self.rules.dropped_rook_castles {
            self.drop_rights(Bitboard::from_square(from) | Bitboard::from_square(to));
        }
    }

    #[inline]
    pub(super) fn drop_rights(&mut self, squares: Bitboard) {
        for rook in self.castling & squares {
            self.key ^= keys::castling(rook);
        }
        self.castling &= !squares;
    }

    /// After a double step to `pawn`: en passant stands in the position only if it can be played.
    pub(super) fn set_ep_behind(&mut self, pawn: Square) {
        let us = self.turn;
        let ep = behind(us.other(), pawn);
        let takers = attacks::pawn_attacks(us.other(), ep) & self.by_piece(us, Role::Pawn);
        for taker in takers {
            if self.ep_is_safe(taker, ep) {
                self.ep = Some(ep);
                self.key ^= keys::ep_file(ep.file());
                return;
            }
        }
    }

    /// Whether taking en passant from `from` leaves the mover's king out of check.
    pub(super) fn ep_is_safe(&self, from: Square, ep: Square) -> bool {
        let us = self.turn;
        let victim = Bitboard::from_square(behind(us, ep));
        let occupied =
            (self.occupied() ^ Bitboard::from_square(from) ^ victim) | Bitboard::from_square(ep);
        let attackers = self.attackers_to(self.king(us), occupied) & self.by_color(us.other());
        (attackers & !victim).is_empty()
    }
}

/// The square one step behind, seen by a colour whose pawns move up the board.
#[inline(always)]
pub(super) fn behind(color: Color, sq: Square) -> Square {
    // Asked only for pawns' squares, which have a square behind them.
    match color {
        Color::White => Square::new(sq.to_u32().wrapping_sub(8) & 63),
        Color::Black => Square::new((sq.to_u32() + 8) & 63),
    }
}

/// Where king and rook end up.
#[inline]
pub(super) fn castling_targets(king: Square, rook: Square) -> (Square, Square) {
    let rank = king.rank();
    let (king_file, rook_file) =
        if rook.file() > king.file() { (File::G, File::F) } else { (File::C, File::D) };
    (Square::from_coords(king_file, rank), Square::from_coords(rook_file, rank))
}
