//! FEN with hands, read in every dialect seen and written in one.
//!
//! Hands: `[QRp]`, `[]`, `[-]`, a ninth rank `/QRp`, or nothing. `~` follows a promoted piece.
//! Four or six fields. Castling as `KQkq` or as files (`HAha`).

use thiserror::Error;

use super::Variant;
use super::keys;
use super::options::Rules;
use super::position::{HandError, MAX_PIECES, Position, color_name};
use crate::types::{Bitboard, Color, File, HAND_ROLES, Rank, Role, Square};

/// Why a FEN was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FenError {
    /// Nothing there.
    #[error("FEN: empty")]
    Empty,
    /// Too few or too many fields.
    #[error("FEN: {0} fields, not 4 or 6")]
    Fields(usize),
    /// A rank is too long or too short.
    #[error("FEN board: rank {0} does not have 8 squares")]
    RankLength(u32),
    /// Not eight ranks (a ninth holds hands).
    #[error("FEN board: {0} ranks, not 8")]
    Ranks(usize),
    /// A letter that is no piece.
    #[error("FEN board: '{0}' on {1} is no piece")]
    Piece(char, Square),
    /// A mark that follows nothing.
    #[error("FEN board: '~' marks no piece that can have been promoted before {0}")]
    Mark(String),
    /// A pawn where none can stand.
    #[error("FEN board: a {} pawn on {square}", color_name(*.color))]
    PawnRank {
        /// The pawn's colour.
        color: Color,
        /// Where it stands.
        square: Square,
    },
    /// Not one king a side.
    #[error("FEN board: {} has {count} kings", color_name(*.color))]
    Kings {
        /// The side.
        color: Color,
        /// How many it has.
        count: usize,
    },
    /// More pieces than two sets have.
    #[error("FEN: {0} pieces on the board and in the hands, more than {MAX_PIECES}")]
    TooMany(u32),
    /// A letter in the hand that is no piece.
    #[error("FEN hand: '{0}' is no piece that can be in a hand")]
    HandPiece(char),
    /// Brackets that do not match.
    #[error("FEN hand: bracket not closed")]
    HandBracket,
    /// A hand in a game without hands.
    #[error("FEN hand: {} is played without hands", .0)]
    NoHands(Variant),
    /// Neither w nor b.
    #[error("FEN turn: '{0}' is neither w nor b")]
    Turn(String),
    /// A castling letter that is none.
    #[error("FEN castling: '{0}' is no castling right")]
    CastlingLetter(char),
    /// The same right said again.
    #[error("FEN castling: '{0}' names a right already given")]
    CastlingTwice(char),
    /// No king or rook where the right needs them.
    #[error("FEN castling: '{0}' needs {1}")]
    Castling(char, String),
    /// Not a square or dash.
    #[error("FEN en passant: '{0}' is no square")]
    EnPassantText(String),
    /// No pawn can just have passed that square.
    #[error("FEN en passant: no {} pawn can just have passed {square}", color_name(*.color))]
    EnPassant {
        /// The colour that moved last.
        color: Color,
        /// The square given.
        square: Square,
    },
    /// A counter that is no number.
    #[error("FEN {0}: '{1}' is no number from 0 to 1000000")]
    Counter(&'static str, String),
    /// The player who is not to move is in check.
    #[error("FEN: {} is to move and could take the king on {king}", color_name(*.color))]
    OpponentInCheck {
        /// The side to move.
        color: Color,
        /// The other king.
        king: Square,
    },
}

/// The start of every game without another one.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Largest move number and half-move clock that are read.
const MAX_COUNTER: u32 = 1_000_000;

impl Position {
    /// The start position.
    pub fn start(rules: Rules) -> Position {
        match Position::from_fen(START, rules) {
            Ok(position) => position,
            Err(error) => unreachable!("the start position: {error}"),
        }
    }

    /// Reads a FEN. What does not fit is refused; nothing is guessed at.
    pub fn from_fen(fen: &str, rules: Rules) -> Result<Position, FenError> {
        let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
        if fields.is_empty() {
            return Err(FenError::Empty);
        }
        if !matches!(fields.len(), 4..=6) {
            return Err(FenError::Fields(fields.len()));
        }
        let mut position = Position::empty_board(rules);
        let (board, hand) = split_hand(fields[0])?;
        position.read_board(board)?;
        position.read_hand(hand)?;
        position.turn = match fields[1] {
            "w" | "W" => Color::White,
            "b" | "B" => Color::Black,
            other => return Err(FenError::Turn(shorten(other))),
        };
        position.check_material()?;
        position.read_castling(fields[2])?;
        position.halfmove_clock = counter("half-move clock", fields.get(4), 0)?;
        let number = counter("move number", fields.get(5), 1)?.max(1);
        position.game_ply = (number - 1) * 2 + u32::from(position.turn.is_black());
        let us = position.turn;
        let their_king = position.king(us.other());
        if position.attacked_by(us, their_king, position.occupied()) {
            return Err(FenError::OpponentInCheck { color: us, king: their_king });
        }
        position.refresh();
        position.key = position.compute_key();
        position.read_en_passant(fields[3])?;
        Ok(position)
    }

    fn read_board(&mut self, board: &str) -> Result<(), FenError> {
        let ranks: Vec<&str> = board.split('/').collect();
        if ranks.len() != 8 {
            return Err(FenError::Ranks(ranks.len()));
        }
        for (rank, text) in Rank::ALL.into_iter().rev().zip(ranks) {
            self.read_rank(rank, text)?;
        }
        Ok(())
    }

    fn read_rank(&mut self, rank: Rank, text: &str) -> Result<(), FenError> {
        let number = rank.to_u32() + 1;
        let mut file = 0;
        let mut last: Option<Square> = None;
        for letter in text.chars() {
            if letter == '~' {
                let marked = last
                    .filter(|sq| !matches!(self.role_at(*sq), Some(Role::Pawn | Role::King)))
                    .filter(|sq| !self.promoted.contains(*sq))
                    .ok_or_else(|| FenError::Mark(format!("file {} of rank {number}", file + 1)))?;
                if self.has_hands() {
                    self.promoted.add(marked);
                }
                continue;
            }
            last = None;
            if let Some(empty @ 1..=8) = letter.to_digit(10) {
                file += empty;
            } else {
                if file > 7 {
                    return Err(FenError::RankLength(number));
                }
                let sq = Square::from_coords(File::new(file), rank);
                let role = Role::from_char(letter).ok_or(FenError::Piece(letter, sq))?;
                let color = Color::from_white(letter.is_ascii_uppercase());
                self.put(color, role, sq, false, &mut ());
                last = Some(sq);
                file += 1;
            }
            if file > 8 {
                return Err(FenError::RankLength(number));
            }
        }
        if file == 8 { Ok(()) } else { Err(FenError::RankLength(number)) }
    }

    fn read_hand(&mut self, hand: &str) -> Result<(), FenError> {
        for letter in hand.chars() {
            let role = Role::from_char(letter).filter(|role| *role != Role::King);
            let role = role.ok_or(FenError::HandPiece(letter))?;
            let color = Color::from_white(letter.is_ascii_uppercase());
            self.add_to_hand(color, role).map_err(|error| match error {
                HandError::TooMany => FenError::TooMany(self.piece_count() + 1),
                HandError::NoHand(_) | HandError::Empty(..) => {
                    FenError::NoHands(self.rules.variant)
                }
            })?;
        }
        Ok(())
    }

    fn check_material(&self) -> Result<(), FenError> {
        for color in Color::ALL {
            let kings = self.by_piece(color, Role::King).count();
            if kings != 1 {
                return Err(FenError::Kings { color, count: kings });
            }
            let stuck = self.by_piece(color, Role::Pawn) & Position::no_pawn_squares();
            if let Some(square) = stuck.first() {
                return Err(FenError::PawnRank { color, square });
            }
        }
        Ok(())
    }

    fn read_castling(&mut self, field: &str) -> Result<(), FenError> {
        if field == "-" {
            return Ok(());
        }
        for letter in field.chars() {
            let color = Color::from_white(letter.is_ascii_uppercase());
            let king = self.king(color);
            let needs = |what: String| FenError::Castling(letter, what);
            let rook = self.castling_rook(color, letter)?;
            if king.rank() != color.backrank() {
                return Err(needs(format!("the {} king on its first rank", color_name(color))));
            }
            let standard = king.file() == File::E && matches!(rook.file(), File::A | File::H);
            if !self.rules.chess960 && !standard {
                return Err(needs("king and rook on their first squares, or UCI_Chess960".into()));
            }
            // Where dropped rooks castle, the right is the unmoved king's, rook or no rook.
            let rooks = self.by_piece(color, Role::Rook) & !self.promoted;
            if !rooks.contains(rook) && !self.rules.dropped_rook_castles {
                return Err(needs(format!("a {} rook on {rook}", color_name(color))));
            }
            if self.castling.contains(rook) {
                return Err(FenError::CastlingTwice(letter));
            }
            self.castling.add(rook);
        }
        Ok(())
    }

    /// The square of the rook that a castling letter names.
    fn castling_rook(&self, color: Color, letter: char) -> Result<Square, FenError> {
        let rank = color.backrank();
        let king = self.king(color).file();
        let rooks = self.by_piece(color, Role::Rook) & Bitboard::from_rank(rank);
        let outermost = |mut found: Vec<Square>, corner: File| match found.pop() {
            Some(rook) if self.rules.chess960 => rook,
            _ => Square::from_coords(corner, rank),
        };
        match letter.to_ascii_lowercase() {
            'k' => {
                Ok(outermost(rooks.into_iter().filter(|sq| sq.file() > king).collect(), File::H))
            }
            'q' => Ok(outermost(
                rooks.into_iter().rev().filter(|sq| sq.file() < king).collect(),
                File::A,
            )),
            file => match File::from_char(file) {
                Some(file) => Ok(Square::from_coords(file, rank)),
                None => Err(FenError::CastlingLetter(letter)),
            },
        }
    }

    /// An en passant square that nobody can use is dropped, one that cannot be is refused.
    fn read_en_passant(&mut self, field: &str) -> Result<(), FenError> {
        if field == "-" {
            return Ok(());
        }
        let ep = Square::from_ascii(field.as_bytes())
            .map_err(|_| FenError::EnPassantText(shorten(field)))?;
        let them = self.turn.other();
        let impossible = FenError::EnPassant { color: them, square: ep };
        if ep.rank() != them.relative_rank(Rank::Third) {
            return Err(impossible);
        }
        let (pawn, origin) = match them {
            Color::White => (ep.to_u32() + 8, ep.to_u32() - 8),
            Color::Black => (ep.to_u32() - 8, ep.to_u32() + 8),
        };
        let (pawn, origin) = (Square::new(pawn), Square::new(origin));
        let stands = self.by_piece(them, Role::Pawn).contains(pawn);
        if !stands || self.role_at(ep).is_some() || self.role_at(origin).is_some() {
            return Err(impossible);
        }
        self.set_ep_behind(pawn);
        Ok(())
    }

    /// Writes the FEN: hands as `[QRBNPqrbnp]`, none in a game without hands; castling as `KQkq`,
    /// or by files under Chess960.
    pub fn fen(&self) -> String {
        let mut fen = String::with_capacity(96);
        for rank in Rank::ALL.into_iter().rev() {
            self.write_rank(rank, &mut fen);
            if rank != Rank::First {
                fen.push('/');
            }
        }
        if self.has_hands() {
            fen.push('[');
            fen.push_str(&self.hands_text());
            fen.push(']');
        }
        fen.push_str(if self.turn.is_white() { " w " } else { " b " });
        self.write_castling(&mut fen);
        match self.ep {
            Some(ep) => fen.push_str(&format!(" {ep}")),
            None => fen.push_str(" -"),
        }
        fen.push_str(&format!(" {} {}", self.halfmove_clock, self.game_ply / 2 + 1));
        fen
    }

    /// Both hands as a FEN's brackets hold them, `QRBNPqrbnp`.
    pub fn hands_text(&self) -> String {
        let mut text = String::new();
        for color in Color::ALL {
            for role in HAND_ROLES.into_iter().rev() {
                let letter = role.of(color).char();
                text.extend(std::iter::repeat_n(letter, self.hand(color, role) as usize));
            }
        }
        text
    }

    fn write_rank(&self, rank: Rank, fen: &mut String) {
        let mut empty = 0;
        for file in File::ALL {
            let sq = Square::from_coords(file, rank);
            let (Some(role), Some(color)) = (self.role_at(sq), self.color_at(sq)) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                fen.push_str(&empty.to_string());
                empty = 0;
            }
            fen.push(role.of(color).char());
            if self.promoted.contains(sq) {
                fen.push('~');
            }
        }
        if empty > 0 {
            fen.push_str(&empty.to_string());
        }
    }

    fn write_castling(&self, fen: &mut String) {
        if self.castling.is_empty() {
            fen.push('-');
            return;
        }
        for color in Color::ALL {
            let king = self.king(color);
            let rights = self.castling & Bitboard::from_rank(color.backrank());
            for rook in rights.into_iter().rev() {
                let letter = match (self.rules.chess960, rook.file() > king.file()) {
                    (true, _) => rook.file().char(),
                    (false, true) => 'k',
                    (false, false) => 'q',
                };
                fen.push(if color.is_white() { letter.to_ascii_uppercase() } else { letter });
            }
        }
    }

    /// Takes a castling right from a corner whose rook left the game by no move of this board
    /// (promotion by exchange).
    pub fn forget_castling(&mut self, rook: Square) {
        self.drop_rights(Bitboard::from_square(rook));
    }

    /// Takes a piece off the board that leaves by no move of this board (promotion by exchange),
    /// and brings checks and pins up to date. Kings stay.
    pub fn remove_piece(&mut self, sq: Square) -> Option<(Color, Role)> {
        let (role, color) = (self.role_at(sq)?, self.color_at(sq)?);
        if role == Role::King {
            return None;
        }
        self.take(color, role, sq, &mut ());
        if !self.rules.dropped_rook_castles {
            self.drop_rights(Bitboard::from_square(sq));
        }
        // The removed piece may have been what could take en passant, or what forbade it.
        if let Some(ep) = self.ep.take() {
            self.key ^= keys::ep_file(ep.file());
            self.refresh();
            let passed = super::make::behind(self.turn, ep);
            if self.by_piece(self.turn.other(), Role::Pawn).contains(passed) {
                self.set_ep_behind(passed);
            }
        } else {
            self.refresh();
        }
        Some((color, role))
    }
}

/// Board and hand of a FEN's first field.
fn split_hand(field: &str) -> Result<(&str, &str), FenError> {
    if let Some((board, rest)) = field.split_once('[') {
        let hand = rest.strip_suffix(']').ok_or(FenError::HandBracket)?;
        return Ok((board, if hand == "-" { "" } else { hand }));
    }
    if field.matches('/').count() == 8
        && let Some((board, hand)) = field.rsplit_once('/')
    {
        return Ok((board, if hand == "-" { "" } else { hand }));
    }
    Ok((field, ""))
}

fn counter(name: &'static str, field: Option<&&str>, default: u32) -> Result<u32, FenError> {
    let Some(text) = field else {
        return Ok(default);
    };
    match text.parse() {
        Ok(value) if value <= MAX_COUNTER => Ok(value),
        _ => Err(FenError::Counter(name, shorten(text))),
    }
}

/// What a message quotes of a text of any length.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(fen: &str, part: &str) {
        let error = Position::from_fen(fen, Rules::CRAZYHOUSE).unwrap_err().to_string();
        assert!(error.contains(part), "{fen}: {error}");
    }

    #[test]
    fn every_dialect_of_hands_is_read() {
        let start = Position::start(Rules::CRAZYHOUSE);
        for hand in ["[]", "[-]", "/", ""] {
            let fen = format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR{hand} w HAha - 0 1");
            assert_eq!(Position::from_fen(&fen, Rules::CRAZYHOUSE).unwrap(), start);
        }
        let pocket = "4k3/8/8/8/8/8/8/4K3/nQpP b - -";
        let position = Position::from_fen(pocket, Rules::CRAZYHOUSE).unwrap();
        assert_eq!(position.fen(), "4k3/8/8/8/8/8/8/4K3[QPnp] b - - 0 1");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        refused("", "empty");
        refused("4k3/8/8/8/8/8/8/4K3", "1 fields");
        refused("4k3/8/8/8/8/8/8 w - -", "7 ranks");
        refused("4k3/8/8/9/8/8/8/4K3 w - -", "'9' on a5");
        refused("4k3/8/8/7/8/8/8/4K3 w - -", "rank 5");
        refused("4k3/8/8/8/8/8/8/4KK2 w - -", "White has 2 kings");
        refused("4k3/8/8/8/8/8/8/P3K3 w - -", "a White pawn on a1");
        refused("4k3/8/8/8/8/8/8/4K3[K] w - -", "'K'");
        refused("4k3/8/8/8/8/8/8/4K3[Q w - -", "bracket");
        refused("4k~3/8/8/8/8/8/8/4K3 w - -", "'~'");
        refused("4k3/8/8/8/8/8/8/4K3 x - -", "'x'");
        refused("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "rook on h1");
        refused("4k3/8/8/8/8/8/8/4K2R~ w K - 0 1", "rook on h1");
        refused("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "already given");
        refused("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "e6");
        refused("4k3/8/8/8/8/8/8/4K3 w - - x 1", "half-move clock");
        refused("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "could take");
        let many = "P".repeat(63);
        refused(&format!("4k3/8/8/8/8/8/8/4K3[{many}] w - -"), "65 pieces");
        assert!(Position::from_fen("4k3/8/8/8/8/8/8/4K3[Q] w - -", Rules::CHESS).is_err());
    }

    #[test]
    fn the_unmoved_king_keeps_his_corners_where_dropped_rooks_castle() {
        let fen = "4k3/8/8/8/8/8/8/4K3[R] w KQ - 0 1";
        let mut position = Position::from_fen(fen, Rules::BUGHOUSE_OTB).unwrap();
        assert_eq!(position.fen(), fen);
        position.make(crate::types::Move::drop(Role::Rook, Square::H1));
        position.make_null();
        let castle = crate::types::Move::castle(Square::E1, Square::H1);
        assert!(position.is_legal(castle));
        assert!(position.legal_moves().contains(&castle));
    }
}
