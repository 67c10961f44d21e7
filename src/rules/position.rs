//! One board with its hands: what is where, and what attacks what.

use shakmaty::attacks;
use thiserror::Error;

use super::keys;
use super::options::{PromotionRule, Rules};
use crate::types::{Bitboard, Color, HAND_ROLES, Key, Rank, Role, Square, color_index, role_index};

/// Pieces that may be on one board and in its hands together: two full sets.
pub(super) const MAX_PIECES: usize = 64;

/// A legal position of one board, made from a FEN or by playing moves.
///
/// It is a plain copyable value: playing on a copy is as fast as unmaking a move (measured, see
/// `benches/movegen.rs`) and leaves nothing to undo.
#[derive(Clone, Copy)]
pub struct Position {
    pub(super) by_role: [Bitboard; 6],
    pub(super) by_color: [Bitboard; 2],
    /// Pieces that are pawns again once captured.
    pub(super) promoted: Bitboard,
    /// Pieces that give check to the mover.
    pub(super) checkers: Bitboard,
    /// The mover's pieces that stand between his king and a slider.
    pub(super) pinned: Bitboard,
    /// Rooks (corners, where dropped rooks may castle) that have the right to castle.
    pub(super) castling: Bitboard,
    pub(super) key: Key,
    pub(super) mailbox: [Option<Role>; 64],
    pub(super) hands: [[u8; 5]; 2],
    /// Kinds a pawn may become, a bit each for knight, bishop, rook, queen.
    pub(super) promotable: [u8; 2],
    pub(super) turn: Color,
    /// Where a pawn can be taken en passant by a legal move.
    pub(super) ep: Option<Square>,
    pub(super) halfmove_clock: u32,
    /// Single moves since the start, as the FEN's move number tells them.
    pub(super) game_ply: u32,
    pub(super) rules: Rules,
}

const _: () = assert!(size_of::<Option<Role>>() == 1);
const _: () = assert!(size_of::<Position>() <= 256);

/// Every kind may be promoted to.
pub(super) const ALL_PROMOTIONS: u8 = 0b1111;

/// Why a hand could not be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HandError {
    /// A king in a hand, or a hand in a game without hands.
    #[error("a {} cannot be in a hand of this game", role_name(*.0))]
    NoHand(Role),
    /// Nothing there to take out.
    #[error("{} has no {} in hand", color_name(*.0), role_name(*.1))]
    Empty(Color, Role),
    /// More pieces than two sets have.
    #[error("more than {MAX_PIECES} pieces on the board and in the hands")]
    TooMany,
}

/// A colour as messages name it.
pub(super) const fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// A role as messages name it.
pub(super) const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

impl Position {
    /// An empty board, from which a FEN is read; not yet a legal position.
    pub(super) fn empty_board(rules: Rules) -> Position {
        Position {
            by_role: [Bitboard::EMPTY; 6],
            by_color: [Bitboard::EMPTY; 2],
            promoted: Bitboard::EMPTY,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            castling: Bitboard::EMPTY,
            key: 0,
            mailbox: [None; 64],
            hands: [[0; 5]; 2],
            promotable: [ALL_PROMOTIONS; 2],
            turn: Color::White,
            ep: None,
            halfmove_clock: 0,
            game_ply: 0,
            rules,
        }
    }

    /// The rule set in force.
    #[inline(always)]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// The side to move.
    #[inline(always)]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The Zobrist key of board, side to move, castling rights, en passant (only if it can be
    /// played), promoted marks and both hands.
    #[inline(always)]
    pub const fn key(&self) -> Key {
        self.key
    }

    /// All occupied squares.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// Both colours' pieces of a role.
    #[inline(always)]
    pub const fn by_role(&self, role: Role) -> Bitboard {
        self.by_role[role_index(role)]
    }

    /// All pieces of a colour.
    #[inline(always)]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        self.by_color[color_index(color)]
    }

    /// A colour's pieces of a role.
    #[inline(always)]
    pub fn by_piece(&self, color: Color, role: Role) -> Bitboard {
        self.by_color(color) & self.by_role(role)
    }

    /// Pieces that came from a pawn, both colours.
    #[inline(always)]
    pub const fn promoted(&self) -> Bitboard {
        self.promoted
    }

    /// The role of the piece on a square.
    #[inline(always)]
    pub const fn role_at(&self, sq: Square) -> Option<Role> {
        self.mailbox[sq.to_usize()]
    }

    /// The colour of the piece on a square.
    #[inline(always)]
    pub fn color_at(&self, sq: Square) -> Option<Color> {
        if self.by_color[0].contains(sq) {
            Some(Color::White)
        } else if self.by_color[1].contains(sq) {
            Some(Color::Black)
        } else {
            None
        }
    }

    /// The king's square.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        // A position has one king a side from the FEN on, and kings are never captured.
        self.by_piece(color, Role::King).first().unwrap_or(Square::A1)
    }

    /// How many pieces of a role a colour can drop.
    #[inline(always)]
    pub const fn hand(&self, color: Color, role: Role) -> u8 {
        match role {
            Role::King => 0,
            _ => self.hands[color_index(color)][role_index(role)],
        }
    }

    /// How many pieces of any role a colour can drop.
    #[inline]
    pub fn hand_total(&self, color: Color) -> u32 {
        self.hands[color_index(color)].iter().map(|count| u32::from(*count)).sum()
    }

    /// How many pieces stand on the board and lie in both hands.
    pub fn piece_total(&self) -> u32 {
        let hands = Color::ALL.map(|color| self.hand_total(color));
        self.occupied().count() as u32 + hands.iter().sum::<u32>()
    }

    /// Pieces on the board and in both hands.
    pub fn piece_count(&self) -> u32 {
        self.occupied().count() as u32
            + self.hand_total(Color::White)
            + self.hand_total(Color::Black)
    }

    /// Puts one piece into a hand.
    pub fn add_to_hand(&mut self, color: Color, role: Role) -> Result<(), HandError> {
        self.check_hand_role(role)?;
        if self.piece_count() as usize >= MAX_PIECES {
            return Err(HandError::TooMany);
        }
        self.change_hand(color, role, 1);
        Ok(())
    }

    /// Takes one piece out of a hand without dropping it.
    pub fn remove_from_hand(&mut self, color: Color, role: Role) -> Result<(), HandError> {
        self.check_hand_role(role)?;
        if self.hand(color, role) == 0 {
            return Err(HandError::Empty(color, role));
        }
        self.change_hand(color, role, -1);
        Ok(())
    }

    /// Replaces a whole hand, counts in the order of [`HAND_ROLES`].
    pub fn set_hand(&mut self, color: Color, counts: [u8; 5]) -> Result<(), HandError> {
        let mut total = self.occupied().count() as u32 + self.hand_total(color.other());
        for (role, count) in HAND_ROLES.into_iter().zip(counts) {
            if count > 0 {
                self.check_hand_role(role)?;
            }
            total += u32::from(count);
        }
        if total as usize > MAX_PIECES {
            return Err(HandError::TooMany);
        }
        for (role, count) in HAND_ROLES.into_iter().zip(counts) {
            let before = self.hand(color, role);
            self.key ^= keys::hand(color, role, before) ^ keys::hand(color, role, count);
            self.hands[color_index(color)][role_index(role)] = count;
        }
        Ok(())
    }

    fn check_hand_role(&self, role: Role) -> Result<(), HandError> {
        if role == Role::King || !self.has_hands() {
            return Err(HandError::NoHand(role));
        }
        Ok(())
    }

    /// Whether this game has hands at all.
    #[inline(always)]
    pub(super) fn has_hands(&self) -> bool {
        self.rules.variant != super::Variant::Chess
    }

    #[inline(always)]
    pub(super) fn change_hand(&mut self, color: Color, role: Role, by: i8) -> (u8, u8) {
        let count = &mut self.hands[color_index(color)][role_index(role)];
        let before = *count;
        let after = before.wrapping_add_signed(by);
        *count = after;
        self.key ^= keys::hand(color, role, before) ^ keys::hand(color, role, after);
        (before, after)
    }

    /// Pieces that check the mover's king.
    #[inline(always)]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the mover is in check.
    #[inline(always)]
    pub const fn in_check(&self) -> bool {
        !self.checkers.is_empty()
    }

    /// The mover's pieces that may not leave the line to their king.
    #[inline(always)]
    pub const fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The squares of the rooks that have the right to castle.
    #[inline(always)]
    pub const fn castling_rights(&self) -> Bitboard {
        self.castling
    }

    /// Where a pawn can legally be taken en passant now.
    #[inline(always)]
    pub const fn ep_square(&self) -> Option<Square> {
        self.ep
    }

    /// Single moves since the last capture, pawn move or pawn drop, as in python-chess.
    #[inline(always)]
    pub const fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock
    }

    /// Single moves since the start of the game, as the FEN's move number tells them.
    #[inline(always)]
    pub const fn game_ply(&self) -> u32 {
        self.game_ply
    }

    /// Kinds the colour's pawns may become: a bit each for knight, bishop, rook, queen.
    #[inline(always)]
    pub const fn promotable(&self, color: Color) -> u8 {
        self.promotable[color_index(color)]
    }

    /// Says which kinds a colour's pawns may become; only promotion by exchange restricts them.
    pub fn set_promotable(&mut self, color: Color, mask: u8) {
        debug_assert!(self.rules.promotion == PromotionRule::Exchange || mask == ALL_PROMOTIONS);
        let before = self.promotable(color);
        self.key ^= keys::promotable(color, before) ^ keys::promotable(color, mask);
        self.promotable[color_index(color)] = mask & ALL_PROMOTIONS;
    }

    /// Pieces of both colours that attack a square, sliders looking through `occupied`.
    #[inline]
    pub fn attackers_to(&self, sq: Square, occupied: Bitboard) -> Bitboard {
        let queens = self.by_role(Role::Queen);
        (attacks::pawn_attacks(Color::White, sq) & self.by_piece(Color::Black, Role::Pawn))
            | (attacks::pawn_attacks(Color::Black, sq) & self.by_piece(Color::White, Role::Pawn))
            | (attacks::knight_attacks(sq) & self.by_role(Role::Knight))
            | (attacks::king_attacks(sq) & self.by_role(Role::King))
            | (attacks::bishop_attacks(sq, occupied) & (self.by_role(Role::Bishop) | queens))
            | (attacks::rook_attacks(sq, occupied) & (self.by_role(Role::Rook) | queens))
    }

    /// Whether a piece of a colour attacks a square, sliders looking through `occupied`.
    #[inline]
    pub(super) fn attacked_by(&self, color: Color, sq: Square, occupied: Bitboard) -> bool {
        let them = self.by_color(color);
        let queens = self.by_role(Role::Queen);
        let leapers = (attacks::pawn_attacks(color.other(), sq) & self.by_role(Role::Pawn))
            | (attacks::knight_attacks(sq) & self.by_role(Role::Knight))
            | (attacks::king_attacks(sq) & self.by_role(Role::King));
        if (leapers & them).any() {
            return true;
        }
        let diagonal = (self.by_role(Role::Bishop) | queens) & them;
        let straight = (self.by_role(Role::Rook) | queens) & them;
        (attacks::bishop_attacks(sq, occupied) & diagonal).any()
            || (attacks::rook_attacks(sq, occupied) & straight).any()
    }

    /// Pieces of `of` that alone stand between a king of `king_of` and a slider of the other side.
    #[inline]
    pub(super) fn blockers(&self, king_of: Color, of: Color) -> Bitboard {
        let king = self.king(king_of);
        let queens = self.by_role(Role::Queen);
        let snipers = ((attacks::rook_attacks(king, Bitboard::EMPTY)
            & (self.by_role(Role::Rook) | queens))
            | (attacks::bishop_attacks(king, Bitboard::EMPTY)
                & (self.by_role(Role::Bishop) | queens)))
            & self.by_color(king_of.other());
        let occupied = self.occupied();
        let mut blockers = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & occupied;
            if !between.more_than_one() {
                blockers |= between;
            }
        }
        blockers & self.by_color(of)
    }

    /// Brings checkers and pins up to date for the side to move.
    #[inline]
    pub(super) fn refresh(&mut self) {
        let us = self.turn;
        let king = self.king(us);
        self.checkers = self.attackers_to(king, self.occupied()) & self.by_color(us.other());
        self.pinned = self.blockers(us, us);
    }

    /// The key computed anew from everything it covers.
    pub fn compute_key(&self) -> Key {
        let mut key = 0;
        for sq in self.occupied() {
            if let (Some(role), Some(color)) = (self.role_at(sq), self.color_at(sq)) {
                key ^= keys::piece(color, role, sq);
            }
        }
        for sq in self.promoted {
            key ^= keys::promoted(sq);
        }
        for rook in self.castling {
            key ^= keys::castling(rook);
        }
        if let Some(ep) = self.ep {
            key ^= keys::ep_file(ep.file());
        }
        for color in Color::ALL {
            for role in HAND_ROLES {
                key ^= keys::hand(color, role, self.hand(color, role));
            }
            key ^= keys::promotable(color, self.promotable(color));
        }
        if self.turn.is_black() {
            key ^= keys::black_to_move();
        }
        key
    }

    /// Ranks on which a colour may drop pawns.
    #[inline(always)]
    pub(super) fn pawn_drop_squares(&self) -> Bitboard {
        match self.rules.pawn_drop_ranks {
            super::PawnDropRanks::TwoToSeven => {
                !(Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Eighth))
            }
            // Counted from either side these are the same four ranks.
            super::PawnDropRanks::ThreeToSix => {
                Bitboard::from_rank(Rank::Third)
                    | Bitboard::from_rank(Rank::Fourth)
                    | Bitboard::from_rank(Rank::Fifth)
                    | Bitboard::from_rank(Rank::Sixth)
            }
        }
    }
}

impl PartialEq for Position {
    /// The same for the rules: board, marks, hands, turn, castling, en passant and rule set; not
    /// the counters.
    fn eq(&self, other: &Position) -> bool {
        self.by_role == other.by_role
            && self.by_color == other.by_color
            && self.promoted == other.promoted
            && self.hands == other.hands
            && self.turn == other.turn
            && self.castling == other.castling
            && self.ep == other.ep
            && self.promotable == other.promotable
            && self.rules == other.rules
    }
}

impl Eq for Position {}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}
