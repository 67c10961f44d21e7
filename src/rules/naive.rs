//! A second, slow and simple implementation of the rules, written from `docs/rules.md` alone and
//! sharing nothing with the real one but [`Rules`] and squares. Tests play both side by side.

use std::collections::BTreeSet;

use super::{DropAggression, PawnDropRanks, PromotionRule, Rules, Variant};

/// A piece: FEN letter, and whether it came from a pawn.
type Piece = (char, bool);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Ongoing,
    Checkmate,
    Stalemate,
    Wait,
}

/// A board as a person would describe it: letters on squares, letters in hands.
#[derive(Clone)]
pub(crate) struct Naive {
    squares: [Option<Piece>; 64],
    /// Letters, upper case for White.
    hands: Vec<char>,
    white: bool,
    /// Letters `KQkq`.
    castling: String,
    ep: Option<usize>,
    /// Kinds each colour may promote to.
    pub(crate) kinds: [String; 2],
    rules: Rules,
}

/// A move in the reference's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Go { from: usize, to: usize, kind: Option<char> },
    Castle { king_side: bool },
    Drop { kind: char, to: usize },
}

fn name(square: usize) -> String {
    format!("{}{}", (b'a' + (square % 8) as u8) as char, square / 8 + 1)
}

fn shift(square: usize, files: i32, ranks: i32) -> Option<usize> {
    let file = (square % 8) as i32 + files;
    let rank = (square / 8) as i32 + ranks;
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((rank * 8 + file) as usize)
}

const STRAIGHT: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const JUMPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];

impl Naive {
    /// Reads the FEN that the real position prints.
    pub(crate) fn from_fen(fen: &str, rules: Rules) -> Naive {
        let fields: Vec<&str> = fen.split(' ').collect();
        let (board, hand) = match fields[0].split_once('[') {
            Some((board, hand)) => (board, hand.trim_end_matches(']')),
            None => (fields[0], ""),
        };
        let mut squares = [None; 64];
        for (row, text) in board.split('/').enumerate() {
            let mut file = 0;
            for c in text.chars() {
                let at = (7 - row) * 8;
                match c {
                    '1'..='8' => file += c as usize - '0' as usize,
                    '~' => {
                        let piece: &mut Option<Piece> = &mut squares[at + file - 1];
                        *piece = piece.map(|(letter, _)| (letter, true));
                    }
                    letter => {
                        squares[at + file] = Some((letter, false));
                        file += 1;
                    }
                }
            }
        }
        let ep = (fields[3] != "-").then(|| {
            let bytes = fields[3].as_bytes();
            (bytes[1] - b'1') as usize * 8 + (bytes[0] - b'a') as usize
        });
        Naive {
            squares,
            hands: hand.chars().collect(),
            white: fields[1] == "w",
            castling: fields[2].replace('-', ""),
            ep,
            kinds: ["nbrq".into(), "nbrq".into()],
            rules,
        }
    }

    fn own(&self, piece: char) -> bool {
        piece.is_ascii_uppercase() == self.white
    }

    fn mine(&self, kind: char) -> char {
        if self.white { kind.to_ascii_uppercase() } else { kind.to_ascii_lowercase() }
    }

    /// Squares a piece on `from` attacks.
    fn attacks(&self, from: usize) -> Vec<usize> {
        let Some((letter, _)) = self.squares[from] else { return Vec::new() };
        let slide = |lines: &[(i32, i32)], far: bool| {
            let mut found = Vec::new();
            for &(files, ranks) in lines {
                let mut at = from;
                while let Some(next) = shift(at, files, ranks) {
                    found.push(next);
                    if !far || self.squares[next].is_some() {
                        break;
                    }
                    at = next;
                }
            }
            found
        };
        let both = [STRAIGHT, DIAGONAL].concat();
        match letter.to_ascii_lowercase() {
            'p' => {
                let up = if letter == 'P' { 1 } else { -1 };
                slide(&[(1, up), (-1, up)], false)
            }
            'n' => slide(&JUMPS, false),
            'b' => slide(&DIAGONAL, true),
            'r' => slide(&STRAIGHT, true),
            'q' => slide(&both, true),
            _ => slide(&both, false),
        }
    }

    fn attacked(&self, square: usize, by_white: bool) -> bool {
        (0..64).any(|from| {
            self.squares[from].is_some_and(|(letter, _)| letter.is_ascii_uppercase() == by_white)
                && self.attacks(from).contains(&square)
        })
    }

    fn checked(&self, white: bool) -> bool {
        let king = if white { 'K' } else { 'k' };
        let at = (0..64).find(|&at| self.squares[at].is_some_and(|(letter, _)| letter == king));
        at.is_some_and(|at| self.attacked(at, !white))
    }

    /// Moves as pieces go, kings left in check and drop rules aside.
    fn pseudo(&self, hand: &[char]) -> Vec<Step> {
        let mut steps = Vec::new();
        for from in 0..64 {
            let Some((letter, _)) = self.squares[from] else { continue };
            if !self.own(letter) {
                continue;
            }
            if letter.eq_ignore_ascii_case(&'p') {
                self.pawn_steps(from, &mut steps);
                continue;
            }
            for to in self.attacks(from) {
                if self.squares[to].is_none_or(|(other, _)| !self.own(other)) {
                    steps.push(Step::Go { from, to, kind: None });
                }
            }
        }
        for king_side in [true, false] {
            if self.may_castle(king_side) {
                steps.push(Step::Castle { king_side });
            }
        }
        let kinds: BTreeSet<char> =
            hand.iter().filter(|c| self.own(**c)).map(char::to_ascii_lowercase).collect();
        for kind in kinds {
            for to in 0..64 {
                let rank = to / 8;
                let ranks = match (kind, self.rules.pawn_drop_ranks) {
                    ('p', PawnDropRanks::TwoToSeven) => 1..7,
                    ('p', PawnDropRanks::ThreeToSix) => 2..6,
                    _ => 0..8,
                };
                if self.squares[to].is_none() && ranks.contains(&rank) {
                    steps.push(Step::Drop { kind, to });
                }
            }
        }
        steps
    }

    fn pawn_steps(&self, from: usize, steps: &mut Vec<Step>) {
        let (up, home, last) = if self.white { (1, 1, 7) } else { (-1, 6, 0) };
        let mut targets = Vec::new();
        if let Some(one) = shift(from, 0, up)
            && self.squares[one].is_none()
        {
            targets.push(one);
            if from / 8 == home
                && let Some(two) = shift(one, 0, up)
                && self.squares[two].is_none()
            {
                targets.push(two);
            }
        }
        for to in self.attacks(from) {
            let takes = self.squares[to].is_some_and(|(letter, _)| !self.own(letter));
            if takes || self.ep == Some(to) {
                targets.push(to);
            }
        }
        for to in targets {
            if to / 8 == last {
                for kind in self.kinds[usize::from(!self.white)].chars() {
                    steps.push(Step::Go { from, to, kind: Some(kind) });
                }
            } else {
                steps.push(Step::Go { from, to, kind: None });
            }
        }
    }

    fn may_castle(&self, king_side: bool) -> bool {
        let letter = self.mine(if king_side { 'k' } else { 'q' });
        let home = if self.white { 0 } else { 56 };
        let rook = home + if king_side { 7 } else { 0 };
        let free: &[usize] = if king_side { &[5, 6] } else { &[1, 2, 3] };
        let path: &[usize] = if king_side { &[4, 5, 6] } else { &[4, 3, 2] };
        self.castling.contains(letter)
            && self.squares[rook].is_some_and(|(piece, _)| piece == self.mine('r'))
            && free.iter().all(|at| self.squares[home + at].is_none())
            && !path.iter().any(|at| self.attacked(home + at, !self.white))
    }

    /// The board after a step, and the letter of the piece captured as it was on the board.
    fn after(&self, step: Step) -> (Naive, Option<Piece>) {
        let mut next = self.clone();
        let mut captured = None;
        next.ep = None;
        match step {
            Step::Drop { kind, to } => {
                let letter = self.mine(kind);
                next.squares[to] = Some((letter, false));
                if let Some(at) = next.hands.iter().position(|c| *c == letter) {
                    next.hands.remove(at);
                }
            }
            Step::Castle { king_side } => {
                let home = if self.white { 0 } else { 56 };
                let (rook, king_to, rook_to) = if king_side { (7, 6, 5) } else { (0, 2, 3) };
                let moved = next.squares[home + rook].take();
                next.squares[home + king_to] = next.squares[home + 4].take();
                next.squares[home + rook_to] = moved;
                next.lose_rights(["KQ", "kq"][usize::from(!self.white)]);
            }
            Step::Go { from, to, kind } => {
                let piece = next.squares[from].take();
                captured = next.squares[to].take();
                let pawn = piece.is_some_and(|(letter, _)| letter.eq_ignore_ascii_case(&'p'));
                if pawn && self.ep == Some(to) && captured.is_none() {
                    let behind = if self.white { to - 8 } else { to + 8 };
                    captured = next.squares[behind].take();
                }
                let marked = self.rules.variant != Variant::Chess
                    && self.rules.promotion == PromotionRule::Upgrade;
                next.squares[to] = match kind {
                    Some(kind) => Some((self.mine(kind), marked)),
                    None => piece,
                };
                if pawn && from.abs_diff(to) == 16 {
                    next.ep = Some(usize::midpoint(from, to));
                }
                if piece.is_some_and(|(letter, _)| letter.eq_ignore_ascii_case(&'k')) {
                    next.lose_rights(["KQ", "kq"][usize::from(!self.white)]);
                }
                next.left_corner(from);
                next.left_corner(to);
            }
        }
        if let (Some((letter, promoted)), Variant::Crazyhouse) = (captured, self.rules.variant) {
            let kind = if promoted { 'p' } else { letter };
            next.hands.push(self.mine(kind));
        }
        next.white = !self.white;
        (next, captured)
    }

    /// A rook's right goes when its corner is left or captured on, unless dropped rooks castle.
    fn left_corner(&mut self, square: usize) {
        let letter = match square {
            _ if self.rules.dropped_rook_castles => "",
            0 => "Q",
            7 => "K",
            56 => "q",
            63 => "k",
            _ => "",
        };
        self.lose_rights(letter);
    }

    fn lose_rights(&mut self, letters: &str) {
        self.castling.retain(|c| !letters.contains(c));
    }

    fn legal_with(&self, hand: &[char]) -> Vec<Step> {
        self.pseudo(hand)
            .into_iter()
            .filter(|&step| {
                let (next, _) = self.after(step);
                if next.checked(self.white) {
                    return false;
                }
                if !matches!(step, Step::Drop { .. }) {
                    return true;
                }
                match self.rules.drop_aggression {
                    DropAggression::MateAllowed => true,
                    DropAggression::NoCheck => !next.checked(!self.white),
                    DropAggression::NoMate => {
                        !next.checked(!self.white) || next.state() != State::Checkmate
                    }
                }
            })
            .collect()
    }

    /// How the board stands for the player to move.
    pub(crate) fn state(&self) -> State {
        if !self.legal_with(&self.hands).is_empty() {
            return State::Ongoing;
        }
        match (self.checked(self.white), self.rules.variant) {
            (true, Variant::Bughouse) => {
                // One of each piece, as if it had come: what then still cannot be answered is mate.
                let full: Vec<char> = "pnbrq".chars().map(|kind| self.mine(kind)).collect();
                if self.legal_with(&full).is_empty() { State::Checkmate } else { State::Wait }
            }
            (true, _) => State::Checkmate,
            (false, Variant::Bughouse) => State::Wait,
            (false, _) => State::Stalemate,
        }
    }

    /// The legal moves in coordinates.
    pub(crate) fn legal(&self) -> BTreeSet<String> {
        self.legal_with(&self.hands).into_iter().map(|step| self.text(step)).collect()
    }

    fn text(&self, step: Step) -> String {
        match step {
            Step::Drop { kind, to } => format!("{}@{}", kind.to_ascii_uppercase(), name(to)),
            Step::Castle { king_side } => {
                let home = if self.white { 0 } else { 56 };
                format!("{}{}", name(home + 4), name(home + if king_side { 6 } else { 2 }))
            }
            Step::Go { from, to, kind } => {
                let kind = kind.map(String::from).unwrap_or_default();
                format!("{}{}{kind}", name(from), name(to))
            }
        }
    }

    /// Plays a move given in coordinates and returns the letter that goes to a hand elsewhere
    /// (bughouse): colour kept, promoted pieces as pawns.
    pub(crate) fn play(&mut self, text: &str) -> Option<char> {
        let step = self
            .legal_with(&self.hands)
            .into_iter()
            .find(|&step| self.text(step) == text)
            .unwrap_or_else(|| panic!("the reference does not know {text}"));
        let (next, captured) = self.after(step);
        *self = next;
        captured.map(|(letter, promoted)| match (promoted, letter.is_ascii_uppercase()) {
            (true, true) => 'P',
            (true, false) => 'p',
            _ => letter,
        })
    }

    /// Adds a letter to the hands.
    pub(crate) fn give(&mut self, letter: char) {
        self.hands.push(letter);
    }

    /// Where the other board's player of a colour finds pieces of a kind to exchange a pawn for.
    pub(crate) fn exchanges(&self, white: bool, kind: char) -> Vec<usize> {
        let letter = if white { kind.to_ascii_uppercase() } else { kind };
        let kings = |board: &Naive| {
            // Every attack on a king: who stands where, and on which king.
            let mut found = BTreeSet::new();
            for from in 0..64 {
                for to in board.attacks(from) {
                    if let (Some((attacker, _)), Some((king, _))) =
                        (board.squares[from], board.squares[to])
                        && king.eq_ignore_ascii_case(&'k')
                        && king.is_ascii_uppercase() != attacker.is_ascii_uppercase()
                    {
                        found.insert((from, king));
                    }
                }
            }
            found
        };
        (0..64)
            .filter(|&at| self.squares[at] == Some((letter, false)))
            .filter(|&at| {
                let mut without = self.clone();
                without.squares[at] = None;
                kings(&without).is_subset(&kings(self))
            })
            .collect()
    }

    /// Takes a piece off outside of any move.
    pub(crate) fn take_off(&mut self, square: usize) {
        self.squares[square] = None;
        self.left_corner(square);
    }

    /// Board, hands (sorted), turn, castling: what both sides of a comparison must agree on.
    pub(crate) fn summary(&self) -> String {
        let mut hands = self.hands.clone();
        hands.sort_unstable();
        let board: String = self
            .squares
            .iter()
            .map(|square| match square {
                Some((letter, true)) => format!("{letter}~"),
                Some((letter, false)) => letter.to_string(),
                None => ".".to_owned(),
            })
            .collect();
        let mut castling: Vec<char> = self.castling.chars().collect();
        castling.sort_unstable();
        let castling = String::from_iter(castling);
        format!("{board} {} {} {castling}", String::from_iter(hands), self.white)
    }
}
