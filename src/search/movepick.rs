//! Hands out moves in the order in which they are worth trying, generating them in stages so that
//! a cutoff by a capture never pays for two hundred drops.

use arrayvec::ArrayVec;
use shakmaty::attacks;

use crate::rules::{CheckInfo, Gen, Position};
use crate::types::{Bitboard, Color, Move, MoveList, Role, Value, role_index};

use super::history::{Context, History, piece_to};
use super::params::Params;

#[derive(Clone, Copy)]
struct Scored {
    mv: Move,
    score: i32,
}

impl Scored {
    /// Where it stands among others: the highest score first, then the lowest move.
    #[inline(always)]
    fn place(&self) -> u64 {
        u64::from(!(self.score as u32 ^ 1 << 31)) << 16 | u64::from(self.mv.raw())
    }
}

/// Quiet moves scored above this are tried in order.
const GOOD: i32 = -4000;
/// Quiet moves picked one by one before the rest is sorted.
const PICKED: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Table,
    MakeCaptures,
    GoodCaptures,
    FirstKiller,
    SecondKiller,
    Counter,
    MakeQuiets,
    GoodQuiets,
    BadCaptures,
    BadQuiets,
    MakeEvasions,
    Evasions,
    QuietCaptures,
    MakeChecks,
    Checks,
    Done,
}

/// Values by role for ordering captures: what leaves the board and enters a hand.
const ORDER: [i32; 6] = [100, 320, 320, 450, 800, 0];

/// The moves of one node, best first as far as is known.
pub(super) struct MovePicker {
    stage: Stage,
    table_move: Option<Move>,
    special: [Option<Move>; 3],
    context: Context,
    /// Captures must win at least this by static exchange to be called good.
    threshold: Value,
    moves: ArrayVec<Scored, 512>,
    bad: ArrayVec<Move, 128>,
    next: usize,
    next_bad: usize,
    /// Where the quiet moves worth trying in order end.
    good: usize,
    skip_quiets: bool,
    checks_too: bool,
}

/// Squares on which a role of the mover is attacked by a lesser piece, by role.
fn lesser_attacks(position: &Position) -> [Bitboard; 6] {
    let them = !position.turn();
    let occupied = position.occupied();
    let of = |role| position.by_piece(them, role);
    let pawns = Bitboard(match them {
        Color::White => {
            let pawns = of(Role::Pawn).0;
            (pawns & !FILE_A) << 7 | (pawns & !FILE_H) << 9
        }
        Color::Black => {
            let pawns = of(Role::Pawn).0;
            (pawns & !FILE_A) >> 9 | (pawns & !FILE_H) >> 7
        }
    });
    let mut minors = pawns;
    for square in of(Role::Knight) {
        minors |= attacks::knight_attacks(square);
    }
    for square in of(Role::Bishop) {
        minors |= attacks::bishop_attacks(square, occupied);
    }
    let mut rooks = minors;
    for square in of(Role::Rook) {
        rooks |= attacks::rook_attacks(square, occupied);
    }
    [Bitboard::EMPTY, pawns, pawns, minors, rooks, Bitboard::EMPTY]
}

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

impl MovePicker {
    /// For an inner node. The table's move must be legal.
    pub fn main(
        position: &Position,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        counter: Option<Move>,
        context: Context,
    ) -> MovePicker {
        let counter = counter.filter(|mv| !killers.contains(&Some(*mv)));
        let special = [killers[0], killers[1], counter];
        let stage = if table_move.is_some() { Stage::Table } else { MovePicker::opening(position) };
        MovePicker { stage, table_move, special, context, ..MovePicker::empty() }
    }

    /// For quiescence: captures and promotions, evasions in check, and checks where asked.
    pub fn quiescence(
        position: &Position,
        table_move: Option<Move>,
        context: Context,
        checks_too: bool,
    ) -> MovePicker {
        let mut picker = MovePicker { checks_too, context, ..MovePicker::empty() };
        let in_check = position.in_check();
        picker.table_move = table_move.filter(|mv| in_check || checks_too || mv.is_tactical());
        picker.stage = match (picker.table_move, in_check) {
            (Some(_), _) => Stage::Table,
            (None, true) => Stage::MakeEvasions,
            (None, false) => Stage::QuietCaptures,
        };
        picker.skip_quiets = true;
        picker
    }

    /// For ProbCut: captures that win at least `threshold`.
    pub fn probcut(table_move: Option<Move>, threshold: Value) -> MovePicker {
        MovePicker {
            table_move: table_move.filter(|mv| mv.is_tactical()),
            stage: Stage::QuietCaptures,
            threshold,
            ..MovePicker::empty()
        }
    }

    #[inline]
    fn empty() -> MovePicker {
        MovePicker {
            stage: Stage::Done,
            table_move: None,
            special: [None; 3],
            context: Context { rows: [None; 3], low: None, weights: [0; 5] },
            threshold: 0,
            moves: ArrayVec::new(),
            bad: ArrayVec::new(),
            next: 0,
            next_bad: 0,
            good: 0,
            skip_quiets: false,
            checks_too: false,
        }
    }

    #[inline]
    fn opening(position: &Position) -> Stage {
        if position.in_check() { Stage::MakeEvasions } else { Stage::MakeCaptures }
    }

    /// Leaves out the quiet moves not yet handed out.
    #[inline]
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    fn fill(&mut self, list: &MoveList, mut score: impl FnMut(Move) -> i32) {
        self.moves.clear();
        self.next = 0;
        for &mv in list {
            if Some(mv) != self.table_move {
                self.moves.push(Scored { mv, score: score(mv) });
            }
        }
    }

    #[inline]
    fn capture_score(position: &Position, history: &History, params: &Params, mv: Move) -> i32 {
        let taken = if mv.is_en_passant() {
            ORDER[0]
        } else if mv.is_capture() {
            let on_board = position.role_at(mv.to()).map_or(0, |role| ORDER[role_index(role)]);
            // A promoted piece enters the hand as a pawn.
            if position.promoted().contains(mv.to()) { on_board * 3 / 4 } else { on_board }
        } else {
            0
        };
        let gain = mv.promotion_role().map_or(0, |role| ORDER[role_index(role)]);
        (taken + gain) * 24 + history.capture(position, mv) * params.hist_capture / 32
    }

    /// Takes the best of what remains.
    #[inline]
    fn best(&mut self) -> Option<Scored> {
        let rest = self.moves.get_mut(self.next..)?;
        let mut best = *rest.first()?;
        let mut at = 0;
        for (i, &scored) in rest.iter().enumerate().skip(1) {
            if scored.score > best.score {
                (best, at) = (scored, i);
            }
        }
        rest.swap(0, at);
        self.next += 1;
        Some(best)
    }

    fn make_captures(&mut self, position: &Position, history: &History, params: &Params) {
        let mut list = MoveList::new();
        position.generate(Gen::Captures, &mut list);
        self.fill(&list, |mv| MovePicker::capture_score(position, history, params, mv));
    }

    fn make_quiets(
        &mut self,
        position: &Position,
        history: &History,
        params: &Params,
        checks: &CheckInfo,
    ) {
        let mut list = MoveList::new();
        position.generate(Gen::Quiets, &mut list);
        position.generate(Gen::Drops, &mut list);
        let (context, special) = (self.context, self.special);
        let ring = attacks::king_attacks(position.king(!position.turn()));
        let us = position.turn();
        let lesser = lesser_attacks(position);
        // What was handed out before its turn is left out.
        list.retain(|mv| !special.contains(&Some(*mv)));
        self.fill(&list, |mv| {
            let piece_to = piece_to(position, mv);
            let mut score = history.quiet(us, mv, piece_to, &context);
            let plane = piece_to >> 6;
            let role = if plane >= 6 { plane - 6 } else { plane };
            if checks.squares[role].contains(mv.to()) {
                score += params.order_check;
            } else if plane >= 6 && ring.contains(mv.to()) {
                score += params.order_ring;
            }
            if lesser[role].contains(mv.to()) {
                score -= params.order_unsafe;
            }
            if mv.from().is_some_and(|from| lesser[role].contains(from)) {
                score += params.order_escape;
            }
            score
        });
        self.part_good(GOOD);
    }

    /// Brings the moves scored above a limit to the front; the rest follow as generated.
    fn part_good(&mut self, limit: i32) {
        let mut good = 0;
        for i in 0..self.moves.len() {
            if self.moves[i].score > limit {
                self.moves.swap(i, good);
                good += 1;
            }
        }
        self.good = good;
    }

    /// The next good quiet move. Most nodes end after few, so the first are picked one by one and
    /// only then the rest is sorted.
    #[inline]
    fn next_good(&mut self) -> Option<Move> {
        let at = self.next;
        let rest = &mut self.moves[at..self.good];
        if at < PICKED {
            let (first, _) = rest.iter().enumerate().min_by_key(|(_, m)| m.place())?;
            rest.swap(0, first);
        } else if at == PICKED {
            rest.sort_unstable_by_key(|m| m.place());
        }
        let found = rest.first()?.mv;
        self.next += 1;
        Some(found)
    }

    /// A killer or counter move, if it is a legal quiet move here.
    #[inline]
    fn special(&mut self, position: &Position, which: usize) -> Option<Move> {
        let mv = self.special[which]?;
        let usable = Some(mv) != self.table_move && !self.skip_quiets && !mv.is_tactical();
        (usable && position.is_legal(mv)).then_some(mv)
    }

    /// The next move to try.
    pub fn next(
        &mut self,
        position: &Position,
        history: &History,
        params: &Params,
        checks: &CheckInfo,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = if self.skip_quiets && !position.in_check() {
                        Stage::QuietCaptures
                    } else {
                        MovePicker::opening(position)
                    };
                    return self.table_move;
                }
                Stage::MakeCaptures => {
                    self.make_captures(position, history, params);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => match self.best() {
                    Some(found) => {
                        if position.see_ge(found.mv, self.threshold - found.score / 48) {
                            return Some(found.mv);
                        }
                        let _ = self.bad.try_push(found.mv);
                    }
                    None => self.stage = Stage::FirstKiller,
                },
                Stage::FirstKiller | Stage::SecondKiller | Stage::Counter => {
                    let (which, after) = match self.stage {
                        Stage::FirstKiller => (0, Stage::SecondKiller),
                        Stage::SecondKiller => (1, Stage::Counter),
                        _ => (2, Stage::MakeQuiets),
                    };
                    self.stage = after;
                    if let Some(mv) = self.special(position, which) {
                        return Some(mv);
                    }
                }
                Stage::MakeQuiets => {
                    self.moves.clear();
                    self.next = 0;
                    if !self.skip_quiets {
                        self.make_quiets(position, history, params, checks);
                    }
                    self.stage = Stage::GoodQuiets;
                }
                Stage::GoodQuiets => {
                    if !self.skip_quiets
                        && let Some(mv) = self.next_good()
                    {
                        return Some(mv);
                    }
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if let Some(&mv) = self.bad.get(self.next_bad) {
                        self.next_bad += 1;
                        return Some(mv);
                    }
                    self.stage = Stage::BadQuiets;
                }
                Stage::BadQuiets => {
                    if !self.skip_quiets && self.next < self.moves.len() {
                        self.next += 1;
                        return Some(self.moves[self.next - 1].mv);
                    }
                    self.stage = Stage::Done;
                }
                Stage::MakeEvasions => {
                    let mut list = MoveList::new();
                    position.generate(Gen::All, &mut list);
                    let context = self.context;
                    let us = position.turn();
                    self.fill(&list, |mv| {
                        if mv.is_tactical() {
                            (1 << 20) + MovePicker::capture_score(position, history, params, mv)
                        } else {
                            history.quiet(us, mv, piece_to(position, mv), &context)
                        }
                    });
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => match self.best() {
                    Some(found) => return Some(found.mv),
                    None => self.stage = Stage::Done,
                },
                Stage::QuietCaptures => {
                    self.make_captures(position, history, params);
                    self.stage = Stage::MakeChecks;
                }
                Stage::MakeChecks => match self.best() {
                    Some(found) => return Some(found.mv),
                    None if self.checks_too => {
                        let mut list = MoveList::new();
                        position.generate(Gen::QuietChecks, &mut list);
                        position.generate(Gen::DropChecks, &mut list);
                        let context = self.context;
                        let us = position.turn();
                        self.fill(&list, |mv| {
                            history.quiet(us, mv, piece_to(position, mv), &context)
                        });
                        self.stage = Stage::Checks;
                    }
                    None => self.stage = Stage::Done,
                },
                Stage::Checks => match self.best() {
                    Some(found) => return Some(found.mv),
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }
}
