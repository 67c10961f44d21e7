//! The kinds of team positions and what is right in each, found by trying every move and reply with
//! the rules alone. The engine's own idea of team play is not asked.

use klotz::rules::bughouse::Boards;
use klotz::rules::{Position, Status, notation};
use klotz::types::{BoardId, HAND_ROLES, Move, Role};

/// What a position is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The partner, on move over there, mates with a piece that can be taken here.
    Feed,
    /// The same, and every such capture loses material here.
    AtALoss,
    /// The diagonal, on move over there, mates with a piece the opponent here could take next.
    Starve,
    /// The partner, on move, can take the piece that mates here; any move here lets it slip.
    WaitForPiece,
    /// Whoever moves first is mated, on both boards, and the diagonal has less time.
    WaitOutTheClock,
    /// As in `WaitForPiece`, but there is no time left to wait.
    MoveBeforeFlag,
    /// The diagonal mates at his next move: only a mate at once helps.
    Race,
    /// The partner has no move and little time; a capture here frees him.
    Rescue,
}

impl Kind {
    pub const ALL: [(Kind, &'static str); 8] = [
        (Kind::Feed, "feed the mate"),
        (Kind::AtALoss, "feed the mate at a loss"),
        (Kind::Starve, "starve the mate"),
        (Kind::WaitForPiece, "wait for the piece that mates"),
        (Kind::WaitOutTheClock, "wait since the other must move first"),
        (Kind::MoveBeforeFlag, "move before the flag"),
        (Kind::Race, "mate before the other board does"),
        (Kind::Rescue, "free the partner"),
    ];

    pub fn name(self) -> &'static str {
        Kind::ALL.into_iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|(_, text)| *text == name).map(|(kind, _)| kind)
    }

    /// Clocks in milliseconds for a player, his opponent, his partner and the diagonal.
    pub fn clocks(self) -> [u64; 4] {
        match self {
            Kind::WaitOutTheClock => [60_000, 60_000, 60_000, 8_000],
            Kind::MoveBeforeFlag => [1_200, 60_000, 60_000, 60_000],
            Kind::Rescue => [60_000, 60_000, 4_000, 60_000],
            _ => [60_000; 4],
        }
    }

    /// The right moves; `None` where the position is not of this kind. An empty list means that
    /// waiting is right.
    pub fn right(self, boards: &Boards, board: BoardId) -> Option<Vec<Move>> {
        let seat = boards.mover(board);
        let here = boards.board(board);
        let there = boards.board(board.other());
        let partner_moves = boards.mover(board.other()) == seat.partner();
        let legal = here.legal_moves();
        if legal.len() < 4 || self != Kind::Race && mates(here) {
            return None;
        }
        let right: Vec<Move> = match self {
            Kind::Feed | Kind::AtALoss => {
                let roles = mating(there).filter(|_| partner_moves)?;
                captures(here, &roles)
            }
            Kind::Starve => {
                let roles = mating(there).filter(|_| !partner_moves)?;
                let safe = |mv: &Move| {
                    let next = after(here, *mv);
                    next.status() == Status::Checkmate
                        || captures(&next, &roles).is_empty() && !mates(&next)
                };
                legal.iter().copied().filter(safe).collect()
            }
            Kind::WaitForPiece | Kind::MoveBeforeFlag => {
                let roles = mating(here).filter(|_| partner_moves && !mates(there))?;
                let wanted: Vec<Role> = roles
                    .into_iter()
                    .filter(|role| captures(there, &[*role]).iter().any(|mv| there.see_ge(*mv, 0)))
                    .collect();
                let slips = |mv: &Move| {
                    let next = after(here, *mv);
                    next.legal_moves().iter().any(|reply| {
                        let last = after(&next, *reply);
                        wanted.iter().all(|role| !mates_given(&last, *role))
                    })
                };
                if wanted.is_empty() || !legal.iter().all(slips) {
                    return None;
                }
                if self == Kind::WaitForPiece {
                    return Some(Vec::new());
                }
                legal.iter().copied().filter(|mv| !mates(&after(here, *mv))).collect()
            }
            Kind::WaitOutTheClock => {
                let both = !partner_moves && !mates(there) && lost(here) && lost(there);
                return both.then(Vec::new);
            }
            Kind::Race => {
                if partner_moves || !mates(there) {
                    return None;
                }
                legal.iter().copied().filter(|mv| is_mate(here, *mv)).collect()
            }
            Kind::Rescue => {
                if !partner_moves || there.status() != Status::Wait {
                    return None;
                }
                let frees = |role: &Role| {
                    let mut with = *there;
                    with.add_to_hand(there.turn(), *role).is_ok() && with.has_legal_move()
                };
                let roles: Vec<Role> = HAND_ROLES.into_iter().filter(frees).collect();
                let mut right = captures(here, &roles);
                right.retain(|mv| !mates(&after(here, *mv)));
                right
            }
        };
        let loses = |mv: &Move| !here.see_ge(*mv, -150);
        let fits = match self {
            Kind::AtALoss => right.iter().all(loses),
            Kind::Feed => !right.iter().all(loses),
            _ => true,
        };
        // There must be something to get wrong.
        let most = if self == Kind::MoveBeforeFlag { legal.len() } else { legal.len() / 3 };
        (fits && !right.is_empty() && right.len() <= most).then_some(right)
    }
}

fn after(position: &Position, mv: Move) -> Position {
    let mut next = *position;
    next.make(mv);
    next
}

fn is_mate(position: &Position, mv: Move) -> bool {
    after(position, mv).status() == Status::Checkmate
}

/// Whether the mover mates at once.
pub fn mates(position: &Position) -> bool {
    position.legal_moves().iter().any(|mv| is_mate(position, *mv))
}

/// Whether the mover is mated at the next move, whatever he plays.
pub fn lost(position: &Position) -> bool {
    let moves = position.legal_moves();
    !moves.is_empty() && moves.iter().all(|mv| mates(&after(position, *mv)))
}

fn mates_given(position: &Position, role: Role) -> bool {
    let mut with = *position;
    with.add_to_hand(position.turn(), role).is_ok() && mates(&with)
}

/// The roles that would mate at once; none if the mover mates without.
fn mating(position: &Position) -> Option<Vec<Role>> {
    if mates(position) {
        return None;
    }
    let roles: Vec<Role> =
        HAND_ROLES.into_iter().filter(|role| mates_given(position, *role)).collect();
    (!roles.is_empty()).then_some(roles)
}

/// Moves that take a piece which reaches a hand as one of these roles.
fn captures(position: &Position, roles: &[Role]) -> Vec<Move> {
    position
        .legal_moves()
        .into_iter()
        .filter(|mv| {
            let mut next = *position;
            next.make(*mv).is_some_and(|taken| roles.contains(&taken.role))
        })
        .collect()
}

/// A position of the suite.
#[derive(Clone, Debug)]
pub struct Case {
    pub kind: Kind,
    pub boards: Boards,
    pub board: BoardId,
    /// Milliseconds in the order of the seats.
    pub clocks: [u64; 4],
    /// The right moves in coordinates, or the one word `wait`.
    pub best: Vec<String>,
}

impl Case {
    /// A case of a kind, if the boards are one.
    pub fn new(kind: Kind, boards: Boards, board: BoardId) -> Option<Case> {
        let right = kind.right(&boards, board)?;
        let here = boards.board(board);
        let mut best: Vec<String> = right.iter().map(|mv| notation::to_uci(here, *mv)).collect();
        best.sort_unstable();
        if best.is_empty() {
            best.push("wait".to_owned());
        }
        let seat = boards.mover(board);
        let order = [seat, seat.opponent(), seat.partner(), seat.diagonal()];
        let mut clocks = [0; 4];
        for (seat, clock) in order.into_iter().zip(kind.clocks()) {
            clocks[seat.index()] = clock;
        }
        Some(Case { kind, boards, board, clocks, best })
    }

    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "kind": self.kind.name(),
            "position": self.boards.fen(),
            "go": self.board.to_string(),
            "clock": self.clocks,
            "best": self.best,
        })
    }
}
