//! Moves as text: UCI and SAN, read in every dialect seen and written in one.

use shakmaty::CastlingSide;
use shakmaty::san::San;
use thiserror::Error;

use super::legality::Status;
use super::make::castling_targets;
use super::position::Position;
use crate::types::{File, Move, Role, Square};

/// Why a move was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// It does not read as a move.
    #[error("'{0}' is no move")]
    Unreadable(String),
    /// It reads, but cannot be played.
    #[error("'{text}' is illegal: {reason}")]
    Illegal {
        /// The move as it was given.
        text: String,
        /// What stands against it.
        reason: String,
    },
    /// Several pieces could be meant.
    #[error("'{0}' is ambiguous")]
    Ambiguous(String),
}

impl MoveError {
    /// Quotes so much of the text as could be a move, on one line.
    fn unreadable(text: &str) -> MoveError {
        let printable = |c: char| if c.is_control() { '?' } else { c };
        MoveError::Unreadable(text.chars().take(LONGEST).map(printable).collect())
    }

    fn illegal(text: &str, reason: impl Into<String>) -> MoveError {
        MoveError::Illegal { text: text.to_owned(), reason: reason.into() }
    }
}

/// The longest text that can be a move in any notation; keeps error messages short.
const LONGEST: usize = 16;

/// UCI: `e2e4`, `e7e8q`, `P@e4`; castling as the king's move, under Chess960 as king takes rook.
pub fn to_uci(position: &Position, mv: Move) -> String {
    if let (Some(king), true) = (mv.from(), mv.is_castle()) {
        let to = match position.rules().chess960 {
            true => mv.to(),
            false => castling_targets(king, mv.to()).0,
        };
        return format!("{king}{to}");
    }
    mv.text()
}

/// Reads UCI: also `p@e4`, `@e4`, upper-case promotions and either way of castling.
pub fn from_uci(position: &Position, text: &str) -> Result<Move, MoveError> {
    let unreadable = || MoveError::unreadable(text);
    if !text.is_ascii() || text.len() > LONGEST {
        return Err(unreadable());
    }
    if let Some((role, square)) = text.split_once('@') {
        let role = match role {
            "" => Role::Pawn,
            _ if role.len() == 1 => {
                role.chars().next().and_then(Role::from_char).ok_or_else(unreadable)?
            }
            _ => return Err(unreadable()),
        };
        let to = Square::from_ascii(square.as_bytes()).map_err(|_| unreadable())?;
        if role == Role::King {
            return Err(unreadable());
        }
        return legal(position, Move::drop(role, to), text);
    }
    if !matches!(text.len(), 4 | 5) {
        return Err(unreadable());
    }
    let from = Square::from_ascii(&text.as_bytes()[..2]).map_err(|_| unreadable())?;
    let to = Square::from_ascii(&text.as_bytes()[2..4]).map_err(|_| unreadable())?;
    let promotion = match text.as_bytes().get(4) {
        Some(letter) => {
            let role = Role::from_char(char::from(*letter)).ok_or_else(unreadable)?;
            if matches!(role, Role::Pawn | Role::King) {
                return Err(unreadable());
            }
            Some(role)
        }
        None => None,
    };
    board_move(position, from, to, promotion, text)
}

/// Finds the legal move with these squares, or says why there is none.
fn board_move(
    position: &Position,
    from: Square,
    to: Square,
    promotion: Option<Role>,
    text: &str,
) -> Result<Move, MoveError> {
    let mut castle = None;
    for mv in position.legal_moves() {
        if mv.from() != Some(from) {
            continue;
        }
        if mv.is_castle() {
            let king_to = castling_targets(from, mv.to()).0;
            if mv.to() == to || (king_to == to && !king_steps(from, to)) {
                castle = Some(mv);
            }
        } else if mv.to() == to && mv.promotion_role() == promotion {
            return Ok(mv);
        }
    }
    match castle {
        Some(mv) if promotion.is_none() => Ok(mv),
        _ => Err(MoveError::illegal(text, why_not(position, from, to, promotion))),
    }
}

/// Under Chess960 the king's move to a neighbouring square is that move, not castling.
fn king_steps(from: Square, to: Square) -> bool {
    from.distance(to) <= 1
}

fn why_not(position: &Position, from: Square, to: Square, promotion: Option<Role>) -> String {
    let us = position.turn();
    let Some(role) = position.role_at(from) else {
        return format!("{from} is empty");
    };
    if position.color_at(from) != Some(us) {
        return format!("the piece on {from} is not the mover's");
    }
    let promotes = role == Role::Pawn && us.relative_rank(to.rank()) == shakmaty::Rank::Eighth;
    if promotes && promotion.is_none() {
        return "it does not say what the pawn becomes".to_owned();
    }
    if !promotes && promotion.is_some() {
        return "nothing promotes there".to_owned();
    }
    leaves_king(position)
}

fn leaves_king(position: &Position) -> String {
    let in_check = position.in_check();
    if in_check { "it does not answer the check".into() } else { "no such move here".into() }
}

fn legal(position: &Position, mv: Move, text: &str) -> Result<Move, MoveError> {
    if position.is_legal(mv) {
        return Ok(mv);
    }
    let to = mv.to();
    let reason = match mv.drop_role() {
        Some(role) if position.hand(position.turn(), role) == 0 => {
            format!("no {} in hand", super::position::role_name(role))
        }
        Some(_) if position.role_at(to).is_some() => format!("{to} is occupied"),
        Some(Role::Pawn) if !position.pawn_drop_squares().contains(to) => {
            format!("no pawn may be dropped on {to}")
        }
        Some(_) if position.in_check() => "it does not answer the check".to_owned(),
        _ => "the rules in force forbid what this drop does".to_owned(),
    };
    Err(MoveError::illegal(text, reason))
}

/// SAN: `Nf3`, `exd5`, `O-O`, `e8=Q`, `N@f3`, `P@e4`; `+` for check, `#` for mate as the variant
/// judges it.
pub fn to_san(position: &Position, mv: Move) -> String {
    let mut text = san_of(position, mv).to_string();
    let next = position.after(mv);
    if next.in_check() {
        text.push(if next.status() == Status::Checkmate { '#' } else { '+' });
    }
    text
}

fn san_of(position: &Position, mv: Move) -> San {
    if let Some(role) = mv.drop_role() {
        return San::Put { role, to: mv.to() };
    }
    let (Some(from), to) = (mv.from(), mv.to()) else {
        return San::Null;
    };
    if mv.is_castle() {
        let king_side = to.file() > from.file();
        let side = if king_side { CastlingSide::KingSide } else { CastlingSide::QueenSide };
        return San::Castle(side);
    }
    let role = position.role_at(from).unwrap_or(Role::Pawn);
    let capture = mv.is_capture();
    let (mut file, mut rank) = (None, None);
    if role == Role::Pawn {
        file = capture.then_some(from.file());
    } else {
        let rivals: Vec<Square> = position
            .legal_moves()
            .into_iter()
            .filter(|other| other.to() == to && !other.is_castle())
            .filter_map(Move::from)
            .filter(|other| *other != from && position.role_at(*other) == Some(role))
            .collect();
        let same_file = rivals.iter().any(|other| other.file() == from.file());
        let same_rank = rivals.iter().any(|other| other.rank() == from.rank());
        if !rivals.is_empty() && (!same_file || same_rank) {
            file = Some(from.file());
        }
        if same_file {
            rank = Some(from.rank());
        }
    }
    San::Normal { role, file, rank, capture, to, promotion: mv.promotion_role() }
}

/// Reads SAN: also `@e4`, `n@f5`, `0-0`, suffixes of any kind, promotions without `=`.
pub fn from_san(position: &Position, text: &str) -> Result<Move, MoveError> {
    let unreadable = || MoveError::unreadable(text);
    if !text.is_ascii() || text.len() > LONGEST {
        return Err(unreadable());
    }
    let bare = text.trim_end_matches(['+', '#', '!', '?']);
    if bare.contains('@') {
        return from_uci(position, bare).map_err(|error| match error {
            MoveError::Illegal { reason, .. } => MoveError::illegal(text, reason),
            other => other,
        });
    }
    let san = San::from_ascii(bare.replace('0', "O").as_bytes()).map_err(|_| unreadable())?;
    let mut found: Option<Move> = None;
    for mv in position.legal_moves() {
        if matches(position, &san, mv) {
            if found.is_some() {
                return Err(MoveError::Ambiguous(text.to_owned()));
            }
            found = Some(mv);
        }
    }
    found.ok_or_else(|| MoveError::illegal(text, leaves_king(position)))
}

fn matches(position: &Position, san: &San, mv: Move) -> bool {
    let Some(from) = mv.from() else { return false };
    match *san {
        San::Castle(side) => {
            mv.is_castle() && (mv.to().file() > from.file()) == (side == CastlingSide::KingSide)
        }
        San::Normal { role, file, rank, to, promotion, .. } => {
            !mv.is_castle()
                && mv.to() == to
                && position.role_at(from) == Some(role)
                && file.is_none_or(|file: File| file == from.file())
                && rank.is_none_or(|rank| rank == from.rank())
                && mv.promotion_role() == promotion
        }
        San::Put { .. } | San::Null => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, Rules::CRAZYHOUSE).unwrap()
    }

    #[test]
    fn drops_are_read_in_any_case() {
        let pos = position("4k3/8/8/8/8/8/8/4K3[np] b - - 0 1");
        for text in ["n@f5", "N@f5"] {
            assert_eq!(from_uci(&pos, text).unwrap(), Move::drop(Role::Knight, Square::F5));
            assert_eq!(from_san(&pos, text).unwrap(), Move::drop(Role::Knight, Square::F5));
        }
        assert_eq!(from_uci(&pos, "@e4").unwrap(), Move::drop(Role::Pawn, Square::E4));
        assert_eq!(to_uci(&pos, Move::drop(Role::Pawn, Square::E4)), "P@e4");
    }

    #[test]
    fn castling_is_read_both_ways_and_written_by_rule() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R[] w KQkq - 0 1";
        let pos = position(fen);
        let short = Move::castle(Square::E1, Square::H1);
        for text in ["e1g1", "e1h1"] {
            assert_eq!(from_uci(&pos, text).unwrap(), short);
        }
        assert_eq!(from_san(&pos, "0-0").unwrap(), short);
        assert_eq!(to_san(&pos, short), "O-O");
        assert_eq!(to_uci(&pos, short), "e1g1");
        let rules = Rules { chess960: true, ..Rules::CRAZYHOUSE };
        assert_eq!(to_uci(&Position::from_fen(fen, rules).unwrap(), short), "e1h1");
    }

    #[test]
    fn a_refusal_says_why() {
        let pos = position("4k3/8/8/8/8/8/8/4K3[N] w - - 0 1");
        for (text, part) in [
            ("P@e4", "no pawn in hand"),
            ("N@e8", "e8 is occupied"),
            ("e8e7", "not the mover's"),
            ("e4e5", "e4 is empty"),
            ("e1e1", "no such move"),
            ("xyz", "no move"),
            ("é2e4", "no move"),
        ] {
            let error = from_uci(&pos, text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn san_tells_pieces_apart() {
        let pos = position("4k3/8/8/8/N6N/8/8/N3K3[N] w - - 0 1");
        let mv = from_uci(&pos, "a4b2").unwrap();
        assert_eq!(to_san(&pos, mv), "Nb2");
        let pos = position("7k/8/8/8/N7/8/8/N2N1K2[] w - - 0 1");
        for (uci, san) in [("a4b2", "Nab2"), ("d1b2", "Ndb2")] {
            let mv = from_uci(&pos, uci).unwrap();
            assert_eq!(to_san(&pos, mv), san);
            assert_eq!(from_san(&pos, san).unwrap(), mv);
        }
        assert_eq!(from_san(&pos, "Nb2"), Err(MoveError::Ambiguous("Nb2".into())));
    }
}
