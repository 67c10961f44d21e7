//! Legal moves, generated in kinds so that a search can try them in stages.
//!
//! Everything generated is legal: pinned pieces stay on their line, in check only evasions come
//! out. One generator serves a list and a mere count through [`Sink`].

use shakmaty::attacks;

use super::Variant;
use super::checks::CheckInfo;
use super::make::castling_targets;
use super::options::DropAggression;
use super::position::{ALL_PROMOTIONS, Position};
use crate::types::{Bitboard, Color, HAND_ROLES, Move, MoveList, Rank, Role, Square};

/// A kind of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gen {
    /// Everything.
    All,
    /// Captures and promotions.
    Captures,
    /// Moves on the board that neither take nor promote.
    Quiets,
    /// Drops.
    Drops,
    /// Those of [`Gen::Quiets`] that give check.
    QuietChecks,
    /// Those of [`Gen::Drops`] that give check.
    DropChecks,
}

/// Where generated moves go.
trait Sink {
    /// Moves of one piece.
    fn piece(&mut self, from: Square, quiets: Bitboard, captures: Bitboard);
    /// Pawn moves without promotion to each of `to`, from `to - delta`.
    fn pawns(&mut self, to: Bitboard, delta: i32, kind: fn(Square, Square) -> Move);
    /// Promotions to the kinds in `kinds` on each of `to`, from `to - delta`.
    fn promotions(&mut self, to: Bitboard, delta: i32, capture: bool, kinds: u8);
    /// Drops of one role.
    fn drops(&mut self, role: Role, to: Bitboard);
    /// One move.
    fn push(&mut self, mv: Move);
}

impl Sink for MoveList {
    #[inline(always)]
    fn piece(&mut self, from: Square, quiets: Bitboard, captures: Bitboard) {
        for to in captures {
            Sink::push(self, Move::capture(from, to));
        }
        for to in quiets {
            Sink::push(self, Move::quiet(from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, to: Bitboard, delta: i32, kind: fn(Square, Square) -> Move) {
        for sq in to {
            Sink::push(self, kind(pawn_origin(sq, delta), sq));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, to: Bitboard, delta: i32, capture: bool, kinds: u8) {
        const BEST_FIRST: [(Role, u8); 4] =
            [(Role::Queen, 8), (Role::Knight, 1), (Role::Rook, 4), (Role::Bishop, 2)];
        for sq in to {
            for (role, bit) in BEST_FIRST {
                if kinds & bit != 0 {
                    Sink::push(self, Move::promotion(pawn_origin(sq, delta), sq, role, capture));
                }
            }
        }
    }

    #[inline(always)]
    fn drops(&mut self, role: Role, to: Bitboard) {
        for sq in to {
            Sink::push(self, Move::drop(role, sq));
        }
    }

    #[inline(always)]
    fn push(&mut self, mv: Move) {
        // 512 is more than two full sets can produce on 64 squares, so nothing is ever lost; a
        // full list must still not become a panic.
        let _ = self.try_push(mv);
    }
}

/// Counts without listing.
struct Count(usize);

impl Sink for Count {
    #[inline(always)]
    fn piece(&mut self, _: Square, quiets: Bitboard, captures: Bitboard) {
        self.0 += (quiets | captures).count();
    }

    #[inline(always)]
    fn pawns(&mut self, to: Bitboard, _: i32, _: fn(Square, Square) -> Move) {
        self.0 += to.count();
    }

    #[inline(always)]
    fn promotions(&mut self, to: Bitboard, _: i32, _: bool, kinds: u8) {
        self.0 += to.count() * (kinds & ALL_PROMOTIONS).count_ones() as usize;
    }

    #[inline(always)]
    fn drops(&mut self, _: Role, to: Bitboard) {
        self.0 += to.count();
    }

    #[inline(always)]
    fn push(&mut self, _: Move) {
        self.0 += 1;
    }
}

#[inline(always)]
fn pawn_origin(to: Square, delta: i32) -> Square {
    Square::new((to.to_u32() as i32 - delta) as u32 & 63)
}

/// What a generator is asked for.
#[derive(Clone, Copy)]
struct Wanted {
    captures: bool,
    quiets: bool,
    drops: bool,
}

impl Position {
    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(Gen::All, &mut list);
        list
    }

    /// Appends the legal moves of a kind.
    #[inline]
    pub fn generate(&self, kind: Gen, list: &mut MoveList) {
        let none = Wanted { captures: false, quiets: false, drops: false };
        match kind {
            Gen::All => self.emit(Wanted { captures: true, quiets: true, drops: true }, list),
            Gen::Captures => self.emit(Wanted { captures: true, ..none }, list),
            Gen::Quiets => self.emit(Wanted { quiets: true, ..none }, list),
            Gen::Drops => self.emit(Wanted { drops: true, ..none }, list),
            Gen::QuietChecks => self.emit_checks(Wanted { quiets: true, ..none }, list),
            Gen::DropChecks => self.drop_checks(list),
        }
    }

    /// How many legal moves there are.
    #[inline]
    pub fn count_legal_moves(&self) -> usize {
        let mut count = Count(0);
        self.emit(Wanted { captures: true, quiets: true, drops: true }, &mut count);
        count.0
    }

    fn emit<S: Sink>(&self, wanted: Wanted, sink: &mut S) {
        let us = self.turn;
        self.king_moves(us, wanted, sink);
        if self.checkers.more_than_one() {
            return;
        }
        // In check by one piece, everything else must take it or stand in its way.
        let (capture_mask, quiet_mask) = match self.checkers.first() {
            Some(checker) => (self.checkers, attacks::between(self.king(us), checker)),
            None => (self.by_color(us.other()), !self.occupied()),
        };
        let captures = if wanted.captures { capture_mask } else { Bitboard::EMPTY };
        let quiets = if wanted.quiets { quiet_mask } else { Bitboard::EMPTY };
        if wanted.captures || wanted.quiets {
            self.piece_moves(us, captures, quiets, sink);
            match us {
                Color::White => {
                    self.pawn_moves::<true, S>(captures, quiets, quiet_mask, wanted, sink)
                }
                Color::Black => {
                    self.pawn_moves::<false, S>(captures, quiets, quiet_mask, wanted, sink)
                }
            }
        }
        if wanted.drops {
            self.drops(us, quiet_mask, sink);
        }
    }

    #[inline(always)]
    fn king_moves<S: Sink>(&self, us: Color, wanted: Wanted, sink: &mut S) {
        if !(wanted.captures || wanted.quiets) {
            return;
        }
        let king = self.king(us);
        let them = us.other();
        let mut targets = attacks::king_attacks(king) & !self.by_color(us);
        targets &= !attacks::king_attacks(self.king(them));
        if !wanted.captures {
            targets &= !self.occupied();
        }
        if !wanted.quiets {
            targets &= self.by_color(them);
        }
        let occupied = self.occupied().without(king);
        let mut safe = Bitboard::EMPTY;
        for to in targets {
            if !self.attacked_by(them, to, occupied) {
                safe |= Bitboard::from_square(to);
            }
        }
        let taken = self.by_color(them);
        sink.piece(king, safe & !taken, safe & taken);
        if wanted.quiets && self.checkers.is_empty() {
            self.castling_moves(us, sink);
        }
    }

    #[inline]
    fn castling_moves<S: Sink>(&self, us: Color, sink: &mut S) {
        let rank = Bitboard::from_rank(us.backrank());
        let rights = self.castling & rank;
        if rights.is_empty() {
            return;
        }
        let king = self.king(us);
        for rook in rights & self.by_piece(us, Role::Rook) {
            if self.can_castle(us, king, rook) {
                sink.push(Move::castle(king, rook));
            }
        }
    }

    fn can_castle(&self, us: Color, king: Square, rook: Square) -> bool {
        let (king_to, rook_to) = castling_targets(king, rook);
        let others = self.occupied().without(king).without(rook);
        let king_path = attacks::between(king, king_to).with(king_to);
        let rook_path = attacks::between(rook, rook_to).with(rook_to);
        if ((king_path | rook_path) & others).any() {
            return false;
        }
        let them = us.other();
        let occupied = self.occupied().without(king);
        if king_path.into_iter().any(|sq| self.attacked_by(them, sq, occupied)) {
            return false;
        }
        // In Chess960 the rook may have shielded the king's destination.
        !self.attacked_by(them, king_to, others.with(rook_to))
    }

    #[inline(always)]
    fn piece_moves<S: Sink>(&self, us: Color, captures: Bitboard, quiets: Bitboard, sink: &mut S) {
        let ours = self.by_color(us);
        let occupied = self.occupied();
        let king = self.king(us);
        // A pinned knight never moves.
        for from in ours & self.by_role(Role::Knight) & !self.pinned {
            let to = attacks::knight_attacks(from);
            sink.piece(from, to & quiets, to & captures);
        }
        let queens = self.by_role(Role::Queen);
        for from in ours & (self.by_role(Role::Bishop) | queens) {
            let mut to = attacks::bishop_attacks(from, occupied);
            if self.pinned.contains(from) {
                to &= attacks::ray(king, from);
            }
            sink.piece(from, to & quiets, to & captures);
        }
        for from in ours & (self.by_role(Role::Rook) | queens) {
            let mut to = attacks::rook_attacks(from, occupied);
            if self.pinned.contains(from) {
                to &= attacks::ray(king, from);
            }
            sink.piece(from, to & quiets, to & captures);
        }
    }

    /// `quiet_mask` is where a move may end without taking; unlike `quiets` it holds those squares
    /// also when only captures and promotions are wanted.
    #[inline(always)]
    fn pawn_moves<const WHITE: bool, S: Sink>(
        &self,
        captures: Bitboard,
        quiets: Bitboard,
        quiet_mask: Bitboard,
        wanted: Wanted,
        sink: &mut S,
    ) {
        let us = if WHITE { Color::White } else { Color::Black };
        let pawns = self.by_piece(us, Role::Pawn);
        let free = pawns & !self.pinned;
        self.pawn_set::<WHITE, S>(free, Bitboard::FULL, captures, quiets, quiet_mask, wanted, sink);
        let king = self.king(us);
        for from in pawns & self.pinned {
            let line = attacks::ray(king, from);
            let one = Bitboard::from_square(from);
            self.pawn_set::<WHITE, S>(one, line, captures, quiets, quiet_mask, wanted, sink);
        }
        if wanted.captures
            && let Some(ep) = self.ep
        {
            for from in attacks::pawn_attacks(us.other(), ep) & pawns {
                if self.ep_is_safe(from, ep) {
                    sink.push(Move::en_passant(from, ep));
                }
            }
        }
    }

    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn pawn_set<const WHITE: bool, S: Sink>(
        &self,
        pawns: Bitboard,
        line: Bitboard,
        captures: Bitboard,
        quiets: Bitboard,
        quiet_mask: Bitboard,
        wanted: Wanted,
        sink: &mut S,
    ) {
        let up = if WHITE { 8 } else { -8 };
        let last = Bitboard::from_rank(if WHITE { Rank::Eighth } else { Rank::First });
        let third = Bitboard::from_rank(if WHITE { Rank::Third } else { Rank::Sixth });
        let us = if WHITE { Color::White } else { Color::Black };
        let kinds = self.promotable(us);
        let empty = !self.occupied();

        let steps = pawns.shift(up) & empty;
        let doubles = (steps & third).shift(up) & empty & quiets & line;
        sink.pawns(steps & quiets & line & !last, up, Move::quiet);
        sink.pawns(doubles, 2 * up, Move::double_push);
        if wanted.captures {
            sink.promotions(steps & quiet_mask & line & last, up, false, kinds);
            let west = (pawns & !FILE_A).shift(up - 1) & captures & line;
            let east = (pawns & !FILE_H).shift(up + 1) & captures & line;
            sink.pawns(west & !last, up - 1, Move::capture);
            sink.pawns(east & !last, up + 1, Move::capture);
            if ((west | east) & last).any() {
                sink.promotions(west & last, up - 1, true, kinds);
                sink.promotions(east & last, up + 1, true, kinds);
            }
        }
    }

    #[inline(always)]
    fn drops<S: Sink>(&self, us: Color, empty: Bitboard, sink: &mut S) {
        if self.rules.drop_aggression != DropAggression::MateAllowed {
            self.gentle_drops(us, empty, sink);
            return;
        }
        for role in HAND_ROLES {
            if self.hand(us, role) > 0 {
                sink.drops(role, self.drop_targets(role, empty));
            }
        }
    }

    /// Where a role may be dropped among empty squares, as far as its rank matters.
    #[inline(always)]
    pub(super) fn drop_targets(&self, role: Role, empty: Bitboard) -> Bitboard {
        if role == Role::Pawn { empty & self.pawn_drop_squares() } else { empty }
    }

    /// Drops where the rule set restricts their effect; rare, so each checking one is tried out.
    #[cold]
    fn gentle_drops<S: Sink>(&self, us: Color, empty: Bitboard, sink: &mut S) {
        for role in HAND_ROLES {
            if self.hand(us, role) == 0 {
                continue;
            }
            let mut allowed = Bitboard::EMPTY;
            for to in self.drop_targets(role, empty) {
                if self.drop_is_gentle(role, to) {
                    allowed |= Bitboard::from_square(to);
                }
            }
            sink.drops(role, allowed);
        }
    }

    /// Quiet moves that give check.
    fn emit_checks(&self, wanted: Wanted, list: &mut MoveList) {
        let info = self.check_info();
        let mut quiets = MoveList::new();
        self.emit(wanted, &mut quiets);
        for mv in quiets {
            if self.gives_check_with(&info, mv) {
                Sink::push(list, mv);
            }
        }
    }

    /// Drops that give check.
    fn drop_checks(&self, list: &mut MoveList) {
        if self.checkers.more_than_one() || self.rules.variant == Variant::Chess {
            return;
        }
        let us = self.turn;
        let empty = match self.checkers.first() {
            Some(checker) => attacks::between(self.king(us), checker),
            None => !self.occupied(),
        };
        let king = self.king(us.other());
        for role in HAND_ROLES {
            if self.hand(us, role) == 0 {
                continue;
            }
            let checks = CheckInfo::squares_of(role, us, king, self.occupied());
            for to in self.drop_targets(role, empty & checks) {
                if self.rules.drop_aggression == DropAggression::MateAllowed
                    || self.drop_is_gentle(role, to)
                {
                    Sink::push(list, Move::drop(role, to));
                }
            }
        }
    }
}

const FILE_A: Bitboard = Bitboard(0x0101_0101_0101_0101);
const FILE_H: Bitboard = Bitboard(0x8080_8080_8080_8080);
