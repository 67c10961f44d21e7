//! The four seats of a bughouse table and how they stand to each other.

use std::fmt;
use std::str::FromStr;

use super::Color;

/// One of the two boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BoardId {
    /// Board A.
    A,
    /// Board B.
    B,
}

impl BoardId {
    /// Both boards in order.
    pub const ALL: [BoardId; 2] = [BoardId::A, BoardId::B];

    /// The other board.
    pub const fn other(self) -> BoardId {
        match self {
            BoardId::A => BoardId::B,
            BoardId::B => BoardId::A,
        }
    }

    /// 0 for A, 1 for B.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for BoardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BoardId::A => "A",
            BoardId::B => "B",
        })
    }
}

/// A player's place, named as BPGN names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Seat {
    /// White on board A.
    WhiteA,
    /// Black on board A.
    BlackA,
    /// White on board B.
    WhiteB,
    /// Black on board B.
    BlackB,
}

/// Two partners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Team {
    /// WhiteA and BlackB: the team whose result a BPGN `Result` tag tells first.
    One,
    /// BlackA and WhiteB.
    Two,
}

impl Team {
    /// The opponents.
    pub const fn other(self) -> Team {
        match self {
            Team::One => Team::Two,
            Team::Two => Team::One,
        }
    }

    /// The team's seat on a board.
    pub const fn seat_on(self, board: BoardId) -> Seat {
        match (self, board) {
            (Team::One, BoardId::A) => Seat::WhiteA,
            (Team::One, BoardId::B) => Seat::BlackB,
            (Team::Two, BoardId::A) => Seat::BlackA,
            (Team::Two, BoardId::B) => Seat::WhiteB,
        }
    }
}

impl Seat {
    /// All seats in the order of clocks: WhiteA, BlackA, WhiteB, BlackB.
    pub const ALL: [Seat; 4] = [Seat::WhiteA, Seat::BlackA, Seat::WhiteB, Seat::BlackB];

    /// The seat of a colour on a board.
    pub const fn new(board: BoardId, color: Color) -> Seat {
        match (board, color) {
            (BoardId::A, Color::White) => Seat::WhiteA,
            (BoardId::A, Color::Black) => Seat::BlackA,
            (BoardId::B, Color::White) => Seat::WhiteB,
            (BoardId::B, Color::Black) => Seat::BlackB,
        }
    }

    /// Position in [`Seat::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The board the seat plays on.
    pub const fn board(self) -> BoardId {
        match self {
            Seat::WhiteA | Seat::BlackA => BoardId::A,
            Seat::WhiteB | Seat::BlackB => BoardId::B,
        }
    }

    /// The colour the seat plays.
    pub const fn color(self) -> Color {
        match self {
            Seat::WhiteA | Seat::WhiteB => Color::White,
            Seat::BlackA | Seat::BlackB => Color::Black,
        }
    }

    /// The seat's team.
    pub const fn team(self) -> Team {
        match self {
            Seat::WhiteA | Seat::BlackB => Team::One,
            Seat::BlackA | Seat::WhiteB => Team::Two,
        }
    }

    /// Same team, other board, other colour: receives what I capture.
    pub const fn partner(self) -> Seat {
        Seat::new(self.board().other(), self.color().other())
    }

    /// Same board, other team.
    pub const fn opponent(self) -> Seat {
        Seat::new(self.board(), self.color().other())
    }

    /// The partner's opponent: my colour on the other board; receives what my opponent captures.
    pub const fn diagonal(self) -> Seat {
        Seat::new(self.board().other(), self.color())
    }

    /// The BPGN name.
    pub const fn name(self) -> &'static str {
        match self {
            Seat::WhiteA => "WhiteA",
            Seat::BlackA => "BlackA",
            Seat::WhiteB => "WhiteB",
            Seat::BlackB => "BlackB",
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Seat {
    type Err = String;

    fn from_str(s: &str) -> Result<Seat, String> {
        Seat::ALL
            .into_iter()
            .find(|seat| seat.name().eq_ignore_ascii_case(s))
            .ok_or_else(|| format!("unknown seat '{s}': WhiteA, BlackA, WhiteB or BlackB"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seat_algebra() {
        for seat in Seat::ALL {
            assert_eq!(seat.partner().partner(), seat);
            assert_eq!(seat.partner().team(), seat.team());
            assert_ne!(seat.opponent().team(), seat.team());
            assert_eq!(seat.diagonal(), seat.partner().opponent());
            assert_eq!(seat.team().seat_on(seat.board()), seat);
            assert_eq!(seat.name().parse(), Ok(seat));
            assert_eq!(Seat::ALL[seat.index()], seat);
        }
        assert_eq!(Seat::WhiteA.partner(), Seat::BlackB);
    }
}
