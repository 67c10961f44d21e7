//! What is played at a table, one board or two, behind one set of questions.

use std::fmt;

use crate::rules::bughouse::{Boards, Event, ExchangeError, Match, MatchEnd, TextError};
use crate::rules::game::{EndReason, Game};
use crate::rules::{Captured, Position, Rules, Simultaneous, Variant, notation};
use crate::types::{BoardId, Color, Move, Seat, Square, Team};

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Termination {
    /// Mate.
    Mate,
    /// A flag fell.
    Flag,
    /// A player resigned.
    Resign,
    /// A player left, or an engine died.
    Left,
    /// An engine gave no sign of life.
    Stall,
    /// An illegal move that lost.
    IllegalMove,
    /// A draw by agreement.
    Agreement,
    /// Nobody at the table could move any more.
    DeadTable,
    /// The cap of moves was reached.
    MoveCap,
    /// Both teams lost at the same instant.
    Simultaneous,
    /// The sum of two boards.
    BoardScores,
    /// Stalemate.
    Stalemate,
    /// Threefold repetition.
    Repetition,
    /// Fifty moves (chess).
    FiftyMoves,
    /// Insufficient material (chess).
    Material,
    /// The arena's rules for hopeless or drawn positions.
    Adjudication,
    /// The game was broken off.
    Unfinished,
}

impl Termination {
    /// The name used in records and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Termination::Mate => "mate",
            Termination::Flag => "time forfeit",
            Termination::Resign => "resignation",
            Termination::Left => "left the table",
            Termination::Stall => "stalled",
            Termination::IllegalMove => "illegal move",
            Termination::Agreement => "agreement",
            Termination::DeadTable => "dead table",
            Termination::MoveCap => "move cap",
            Termination::Simultaneous => "simultaneous ends",
            Termination::BoardScores => "board scores",
            Termination::Stalemate => "stalemate",
            Termination::Repetition => "threefold repetition",
            Termination::FiftyMoves => "fifty-move rule",
            Termination::Material => "insufficient material",
            Termination::Adjudication => "adjudication",
            Termination::Unfinished => "unfinished",
        }
    }

    /// Whether a player failed rather than lost on the board.
    pub const fn is_forfeit(self) -> bool {
        matches!(
            self,
            Termination::Flag | Termination::Left | Termination::Stall | Termination::IllegalMove
        )
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The winners; none for a draw and for an unfinished game.
    pub winner: Option<Team>,
    /// By what.
    pub termination: Termination,
    /// Who lost by it.
    pub seat: Option<Seat>,
    /// More to say, such as what an engine did wrong.
    pub detail: Option<String>,
}

impl Ending {
    /// A player's loss.
    pub fn lost(seat: Seat, termination: Termination, detail: Option<String>) -> Ending {
        Ending { winner: Some(seat.team().other()), termination, seat: Some(seat), detail }
    }

    /// A game nobody lost.
    pub fn level(termination: Termination, detail: Option<String>) -> Ending {
        Ending { winner: None, termination, seat: None, detail }
    }

    /// The result token from the view of WhiteA.
    pub fn result(&self) -> &'static str {
        match (self.winner, self.termination) {
            (Some(Team::One), _) => "1-0",
            (Some(Team::Two), _) => "0-1",
            (None, Termination::Unfinished) => "*",
            (None, _) => "1/2-1/2",
        }
    }

    /// Half points of team one; none for an unfinished game.
    pub fn half_points(&self) -> Option<usize> {
        match (self.winner, self.termination) {
            (Some(Team::One), _) => Some(2),
            (Some(Team::Two), _) => Some(0),
            (None, Termination::Unfinished) => None,
            (None, _) => Some(1),
        }
    }

    /// The sentence that stands in a record's last comment, with a name for the seat.
    pub fn sentence(&self, name: &str) -> String {
        match self.termination {
            Termination::Mate => format!("{name} checkmated"),
            Termination::Flag => format!("{name} forfeits on time"),
            Termination::Resign => format!("{name} resigns"),
            Termination::Left => format!("{name} left the table"),
            Termination::Stall => format!("{name} forfeits by giving no answer"),
            Termination::IllegalMove => format!("{name} forfeits by an illegal move"),
            Termination::Adjudication if self.seat.is_some() => {
                format!("{name} forfeits by adjudication")
            }
            Termination::Unfinished => "unfinished".to_string(),
            other => format!("game drawn by {}", other.name()),
        }
    }
}

/// A move refused by the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A move that was played, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Who moved.
    pub seat: Seat,
    /// The move.
    pub mv: Move,
    /// In coordinates.
    pub uci: String,
    /// In algebraic notation.
    pub san: String,
    /// The board's move number.
    pub number: u32,
    /// The piece that crossed to the other board, with the seat that received it.
    pub crossed: Option<(Seat, Captured)>,
    /// Whether a piece was taken off the other board for a pawn.
    pub exchanged: Option<Square>,
}

/// The boards of a table.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Play {
    /// One board: chess or crazyhouse.
    Single(Game),
    /// Two boards.
    Double(Match),
}

/// Records name the pawn that is dropped: `P@e4`.
fn with_pawn(san: String) -> String {
    if san.starts_with('@') { format!("P{san}") } else { san }
}

const SINGLE: [Seat; 2] = [Seat::WhiteA, Seat::BlackA];

impl Play {
    /// Sets the boards up: from the start array, or from one FEN or two.
    pub fn new(rules: Rules, opening: Option<&(String, Option<String>)>) -> Result<Play, String> {
        if rules.variant == Variant::Bughouse {
            let boards = match opening {
                None => Boards::start(rules),
                Some((a, b)) => {
                    Boards::from_fen(&format!("{a} | {}", b.as_deref().unwrap_or(a)), rules)
                }
            };
            return boards
                .map(|boards| Play::Double(Match::from_boards(boards)))
                .map_err(|e| e.to_string());
        }
        match opening {
            None => Ok(Play::Single(Game::new(Position::start(rules)))),
            Some((_, Some(_))) => Err("two boards are for bughouse only".to_string()),
            Some((fen, None)) => Position::from_fen(fen, rules)
                .map(|position| Play::Single(Game::new(position)))
                .map_err(|e| e.to_string()),
        }
    }

    /// The seats that are taken.
    pub fn seats(&self) -> &'static [Seat] {
        match self {
            Play::Single(_) => &SINGLE,
            Play::Double(_) => &Seat::ALL,
        }
    }

    /// Whether there are two boards.
    pub fn is_double(&self) -> bool {
        matches!(self, Play::Double(_))
    }

    /// The rule set.
    pub fn rules(&self) -> Rules {
        self.position(BoardId::A).rules()
    }

    /// A board. The only board of a single game answers for both letters.
    pub fn position(&self, board: BoardId) -> &Position {
        match self {
            Play::Single(game) => game.position(),
            Play::Double(table) => table.boards().board(board),
        }
    }

    /// A board as it was at the start.
    pub fn start(&self, board: BoardId) -> &Position {
        match self {
            Play::Single(game) => game.start(),
            Play::Double(table) => table.start().board(board),
        }
    }

    /// The position as records write it, `A | B` for two boards.
    pub fn fen(&self) -> String {
        match self {
            Play::Single(game) => game.position().fen(),
            Play::Double(table) => table.boards().fen(),
        }
    }

    /// Whether a seat is to move.
    pub fn to_move(&self, seat: Seat) -> bool {
        match self {
            Play::Single(game) => {
                seat.board() == BoardId::A && game.position().turn() == seat.color()
            }
            Play::Double(table) => table.to_move(seat),
        }
    }

    /// Whether a seat that is to move has a move.
    pub fn can_move(&self, seat: Seat) -> bool {
        self.position(seat.board()).has_legal_move()
    }

    /// Moves played on all boards.
    pub fn plies(&self) -> usize {
        match self {
            Play::Single(game) => game.moves().len(),
            Play::Double(table) => table.moves().len(),
        }
    }

    /// Reads a move in coordinates or algebraic notation and plays it.
    pub fn play(&mut self, seat: Seat, text: &str) -> Result<Played, Refused> {
        if !self.to_move(seat) {
            return Err(Refused(format!("{seat} is not to move")));
        }
        let number = {
            let fen = self.position(seat.board()).fen();
            fen.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(1)
        };
        let refused = |error: &dyn fmt::Display| Refused(error.to_string());
        match self {
            Play::Single(game) => {
                let position = game.position();
                let mv = notation::from_uci(position, text)
                    .or_else(|first| notation::from_san(position, text).map_err(|_| first))
                    .map_err(|e| refused(&e))?;
                let (uci, san) = (notation::to_uci(position, mv), notation::to_san(position, mv));
                let san = with_pawn(san);
                game.play(mv).map_err(|e| refused(&e))?;
                Ok(Played { seat, mv, uci, san, number, crossed: None, exchanged: None })
            }
            Play::Double(table) => {
                let board = seat.board();
                let boards = *table.boards();
                let (mv, exchange) = boards
                    .read_uci(board, text)
                    .or_else(|first| boards.read_san(board, text).map_err(|_| first))
                    .map_err(|e| refused(&e))?;
                let played = table.play(board, mv, exchange).map_err(|e| refused(&e))?;
                let exchanged = played.exchanged;
                let crossed = played
                    .captured
                    .map(|captured| (Seat::new(board.other(), captured.color), captured));
                let uci = boards.write_uci(board, mv, exchanged);
                let san = with_pawn(boards.write_san(board, mv, exchanged));
                Ok(Played { seat, mv, uci, san, number, crossed, exchanged })
            }
        }
    }

    /// A promotion by exchange that should name the piece it takes and does not, with a name to it;
    /// none for any other text. Who sees one board only, or speaks a protocol that knows one, cannot
    /// name it.
    pub fn named(&self, seat: Seat, text: &str) -> Option<String> {
        let (Play::Double(table), true) = (self, self.to_move(seat)) else { return None };
        let boards = table.boards();
        let board = seat.board();
        let readings = [boards.read_uci(board, text), boards.read_san(board, text)];
        let (mv, role) = readings.into_iter().find_map(|read| match read {
            Err(TextError::Exchange(ExchangeError::Unnamed { mv, role, .. })) => Some((mv, role)),
            _ => None,
        })?;
        let square = boards.likely_exchange(seat, role)?;
        Some(boards.write_uci(board, mv, Some(square)))
    }

    /// An ending, with the flags that fell at its very instant: where the rule set says so, mate of
    /// one team and a flag of the other are a draw.
    pub fn beside_flags(&self, ending: Ending, fallen: &[Seat]) -> Ending {
        let draws = self.is_double() && self.rules().simultaneous == Simultaneous::Draw;
        let mated = ending.seat.filter(|_| draws && ending.termination == Termination::Mate);
        match mated {
            Some(mated) if fallen.iter().any(|seat| seat.team() != mated.team()) => {
                Ending::level(Termination::Simultaneous, None)
            }
            _ => ending,
        }
    }

    /// Flags that fell at one instant. On two boards the rule set says what that means.
    pub fn flags(&mut self, seats: &[Seat]) -> Option<Ending> {
        if let Play::Double(table) = self {
            let events: Vec<Event> = seats.iter().map(|&seat| Event::Flag(seat)).collect();
            if table.apply_simultaneous(&events).is_ok() {
                return self.ending();
            }
        }
        seats.first().map(|&seat| Ending::lost(seat, Termination::Flag, None))
    }

    /// The players of one board agree to a draw there, where the rule set lets the other play on.
    pub fn agree_board_draw(&mut self, board: BoardId) -> Option<Ending> {
        if let Play::Double(table) = self {
            let _already_over = table.agree_board_draw(board);
        }
        self.ending()
    }

    /// A player loses by something that is no move.
    pub fn lose(&mut self, seat: Seat, termination: Termination, detail: Option<String>) -> Ending {
        let plain = Ending::lost(seat, termination, detail);
        let Play::Double(table) = self else { return plain };
        let applied = match termination {
            Termination::Resign => table.resign(seat),
            _ => table.leave(seat),
        };
        match (applied, self.ending()) {
            // A board drawn before changes the sum, which the match knows.
            (Ok(()), Some(ending)) => Ending { winner: ending.winner, ..plain },
            _ => plain,
        }
    }

    /// The end by the rules of the board, if it has come.
    pub fn ending(&self) -> Option<Ending> {
        match self {
            Play::Single(game) => game.outcome().map(|outcome| {
                let termination = match outcome.reason {
                    EndReason::Checkmate => Termination::Mate,
                    EndReason::Stalemate => Termination::Stalemate,
                    EndReason::Threefold => Termination::Repetition,
                    EndReason::FiftyMoves => Termination::FiftyMoves,
                    EndReason::InsufficientMaterial => Termination::Material,
                    EndReason::MoveCap(_) => Termination::MoveCap,
                };
                match outcome.winner {
                    Some(color) => {
                        Ending::lost(Seat::new(BoardId::A, color.other()), termination, None)
                    }
                    None => Ending::level(termination, None),
                }
            }),
            Play::Double(table) => table.result().map(|result| Ending {
                winner: result.winner,
                termination: match result.reason {
                    MatchEnd::Mate => Termination::Mate,
                    MatchEnd::Flag => Termination::Flag,
                    MatchEnd::Resign => Termination::Resign,
                    MatchEnd::Left => Termination::Left,
                    MatchEnd::IllegalMove => Termination::IllegalMove,
                    MatchEnd::Agreement => Termination::Agreement,
                    MatchEnd::DeadTable => Termination::DeadTable,
                    MatchEnd::MoveCap(_) => Termination::MoveCap,
                    MatchEnd::Simultaneous => Termination::Simultaneous,
                    MatchEnd::BoardScores => Termination::BoardScores,
                },
                seat: result.seat,
                detail: result.drawn_before.map(|board| format!("board {board} drawn before")),
            }),
        }
    }

    /// A hand, as letters: upper case White's, lower case Black's, queen first.
    pub fn hand_text(&self, seat: Seat) -> String {
        use crate::types::HAND_ROLES;
        let position = self.position(seat.board());
        let mut text = String::new();
        for role in HAND_ROLES.into_iter().rev() {
            let letter = match seat.color() {
                Color::White => role.upper_char(),
                Color::Black => role.char(),
            };
            text.extend(std::iter::repeat_n(letter, position.hand(seat.color(), role) as usize));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::PromotionRule;

    #[test]
    fn mate_and_flag_of_one_instant() {
        let opening = ("6rk/6pp/8/4N3/8/8/8/6K1[] w - - 0 1".to_string(), None);
        for (rules, drawn) in [(Rules::BUGHOUSE, false), (Rules::BUGHOUSE_OTB, true)] {
            let mut play = Play::new(rules, Some(&opening)).unwrap();
            play.play(Seat::WhiteA, "Nf7").unwrap();
            let mate = play.ending().unwrap();
            assert_eq!((mate.termination, mate.seat), (Termination::Mate, Some(Seat::BlackA)));
            let of_winners = play.beside_flags(mate.clone(), &[Seat::WhiteB, Seat::BlackB]);
            assert_eq!(of_winners.termination == Termination::Simultaneous, drawn);
            assert_eq!(of_winners.half_points(), Some(if drawn { 1 } else { 2 }));
            // A flag of the mated team changes nothing.
            assert_eq!(play.beside_flags(mate.clone(), &[Seat::WhiteB]), mate);
        }
    }

    #[test]
    fn an_unnamed_piece_is_chosen() {
        let rules = Rules { promotion: PromotionRule::Exchange, ..Rules::BUGHOUSE };
        let a = "4k3/P7/8/8/8/8/8/4K3[] w - - 0 1";
        let b = Some("4k3/8/8/8/8/8/8/Q2QK3[] w - - 0 1".to_string());
        let mut play = Play::new(rules, Some(&(a.to_string(), b))).unwrap();
        assert!(play.clone().play(Seat::WhiteA, "a7a8q").is_err());
        let named = play.named(Seat::WhiteA, "a7a8q").unwrap();
        assert_eq!(play.named(Seat::WhiteA, "a8=Q"), Some(named.clone()));
        assert_eq!(play.named(Seat::WhiteA, "a7a8r"), None, "no rook is there");
        assert_eq!(play.named(Seat::WhiteA, "e1e2"), None);
        assert_eq!(play.named(Seat::WhiteB, "a7a8q"), None);
        assert!(play.play(Seat::WhiteA, &named).unwrap().exchanged.is_some());
    }
}
