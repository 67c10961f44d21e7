//! Depth-first proof-number search (Nagai, "Df-pn algorithm for searching AND/OR trees and its
//! applications", 2002): always works on the leaf that contributes most to a proof or disproof,
//! within thresholds that keep it local.
//!
//! The attacker gives checks, and where asked one or two quiet moves on the way; the defender has
//! every answer. A quiet move must first show its threat: what if the defender passed? A repetition counts for the
//! defender. As a node is proven only from nodes proven before, proofs never rest on a cycle;
//! disproofs may rest on the path (a repetition) and are then not stored.

use shakmaty::attacks;

use crate::rules::{Gen, Position, Status};
use crate::types::{Bitboard, Color, Key, Move, MoveList, Role};

use super::table::{ANY, INFINITE, Numbers, Place, Table};

/// The longest line looked at.
pub(super) const LONGEST: u16 = 100;
const NO_CHAIN: u8 = 64;
/// First proof number of a move that gives no check: behind checks with few answers.
const QUIET_PN: u32 = 8;

/// One move of a node being worked on.
#[derive(Clone, Copy)]
pub(super) struct Child {
    /// The move; none for the defender's passing, which asks what a quiet move threatens.
    mv: Option<Move>,
    pn: u32,
    dn: u32,
    plies: u16,
    /// Drops onto one square are looked at one after the other: when the first is refuted, the
    /// same refutation mostly serves the rest.
    chain: u8,
    /// Its disproof rests on the path that led here.
    tainted: bool,
    /// Its disproof holds only up to the distance asked for.
    bounded: bool,
}

/// How far a visit may go.
#[derive(Clone, Copy)]
struct Bounds {
    /// Plies left.
    remaining: u16,
    /// Moves without check that the attacker may still play.
    quiets: u8,
    /// Proof number at which to return.
    pn: u32,
    /// Disproof number at which to return.
    dn: u32,
}

/// What a visit came to.
#[derive(Clone, Copy)]
pub(super) struct Visit {
    pub numbers: Numbers,
    tainted: bool,
    bounded: bool,
}

/// What is kept between runs, so that none allocates.
pub(super) struct Memory {
    pub table: Table,
    children: Vec<Child>,
    path: Vec<Key>,
}

impl Memory {
    pub fn new(mb: usize) -> Memory {
        Memory {
            table: Table::new(mb),
            children: Vec::with_capacity(4096),
            path: Vec::with_capacity(LONGEST as usize + 2),
        }
    }
}

/// One run of the search.
pub(super) struct Run<'a> {
    pub table: &'a mut Table,
    pub attacker: Color,
    children: &'a mut Vec<Child>,
    path: &'a mut Vec<Key>,
    /// Positions that stood twice in the game: to come there once more is a draw.
    forbidden: &'a [Key],
    /// Moves without check allowed from where a search begins.
    pub quiets: u8,
    /// Positions made.
    pub nodes: u64,
    pub limit: u64,
    /// When to ask next whether to stop.
    next_look: u64,
    pub stop: &'a dyn Fn() -> bool,
    pub stopped: bool,
}

impl<'a> Run<'a> {
    pub fn new(
        memory: &'a mut Memory,
        attacker: Color,
        forbidden: &'a [Key],
        limit: u64,
        stop: &'a dyn Fn() -> bool,
    ) -> Run<'a> {
        let Memory { table, children, path } = memory;
        Run {
            table,
            attacker,
            children,
            path,
            forbidden,
            quiets: 0,
            nodes: 0,
            next_look: 1000,
            limit,
            stop,
            stopped: false,
        }
    }

    /// Tries to solve a position in which the attacker moves, who may play so many moves that give
    /// no check on the way.
    pub fn solve(&mut self, position: &Position, plies: u16, quiets: u8) -> Numbers {
        let cap = position.rules().move_cap.map_or(u32::MAX, u32::from);
        let plies =
            plies.min(LONGEST).min(cap.saturating_sub(position.game_ply()).min(1000) as u16);
        let place = Place::of(position, self.attacker);
        if let Some(numbers) = self.known(&place, plies, quiets)
            && (numbers.pn == 0 || numbers.dn == 0)
        {
            return numbers;
        }
        self.children.clear();
        self.path.clear();
        self.visit(
            position,
            &place,
            Bounds { remaining: plies, quiets, pn: INFINITE, dn: INFINITE },
        )
        .numbers
    }

    /// What the table knows; a mate by checks alone is one with quiet moves allowed too.
    fn known(&self, place: &Place, remaining: u16, quiets: u8) -> Option<Numbers> {
        if quiets > 0
            && let Some(numbers) = self.table.find(place, remaining)
            && numbers.pn == 0
        {
            return Some(numbers);
        }
        self.table.find(&place.with_quiets(quiets), remaining)
    }

    pub fn must_stop(&mut self) -> bool {
        if self.nodes >= self.next_look {
            self.next_look = self.nodes + 1000;
            self.stopped |= (self.stop)();
        }
        self.stopped |= self.nodes >= self.limit;
        self.stopped
    }

    /// Works on a position until its numbers reach a threshold.
    fn visit(&mut self, position: &Position, place: &Place, bounds: Bounds) -> Visit {
        let Bounds { remaining, quiets, pn: most_pn, dn: most_dn } = bounds;
        let before = self.nodes;
        self.nodes += 1;
        let attacking = position.turn() == self.attacker;
        let threatening = !attacking && !position.in_check();
        let base = self.children.len();
        self.path.push(position.key());
        if attacking {
            self.expand_attack(position, remaining, quiets);
        } else if !threatening || self.expand_pass(position, remaining, quiets) {
            self.expand_defence(position, remaining, quiets);
        }
        let visit = loop {
            let mut outcome = if attacking {
                self.sum_attack(base, remaining)
            } else {
                self.sum_defence(position, base, remaining)
            };
            let Numbers { pn, dn, .. } = outcome.numbers;
            if pn >= most_pn || dn >= most_dn || pn == 0 || dn == 0 || self.must_stop() {
                if dn == 0 && outcome.bounded {
                    outcome.numbers.plies = remaining;
                }
                break outcome;
            }
            let (pick, child_pn, child_dn) = if attacking {
                self.pick_attack(base, most_pn, most_dn, &outcome.numbers)
            } else {
                self.pick_defence(base, most_pn, most_dn, &outcome.numbers)
            };
            let (next, left) = match self.children[pick].mv {
                Some(mv) => {
                    let next = position.after(mv);
                    let spent = attacking && !position.in_check() && !next.in_check();
                    (next, quiets - u8::from(spent))
                }
                None => {
                    let mut next = *position;
                    next.make_null();
                    (next, quiets)
                }
            };
            let next_place = Place::of(&next, self.attacker);
            let below =
                Bounds { remaining: remaining - 1, quiets: left, pn: child_pn, dn: child_dn };
            let found = self.visit(&next, &next_place, below);
            let child = &mut self.children[pick];
            child.pn = found.numbers.pn;
            child.dn = found.numbers.dn;
            child.plies = found.numbers.plies;
            child.tainted = found.tainted;
            child.bounded = found.bounded;
            // The threat is real: now every defence must be refuted.
            if threatening && child.mv.is_none() && child.pn == 0 {
                self.expand_defence(position, remaining, quiets);
            }
        };
        self.children.truncate(base);
        self.path.pop();
        if !(visit.numbers.dn == 0 && visit.tainted) {
            let work = (self.nodes - before).min(u64::from(u32::MAX)) as u32;
            self.table.store(&place.with_quiets(quiets), &visit.numbers, work);
        }
        visit
    }

    fn expand_attack(&mut self, position: &Position, remaining: u16, quiets: u8) {
        if remaining == 0 {
            return;
        }
        let mut list = MoveList::new();
        position.generate(Gen::Captures, &mut list);
        let info = position.check_info();
        let in_check = position.in_check();
        let first_quiet = if quiets == 0 && !in_check {
            list.retain(|mv| position.gives_check_with(&info, *mv));
            position.generate(Gen::QuietChecks, &mut list);
            position.generate(Gen::DropChecks, &mut list);
            list.len()
        } else {
            position.generate(Gen::Quiets, &mut list);
            position.generate(Gen::Drops, &mut list);
            list.sort_by_key(|mv| !position.gives_check_with(&info, *mv));
            list.iter().take_while(|mv| position.gives_check_with(&info, **mv)).count()
        };
        for (i, &mv) in list.iter().enumerate() {
            let next = position.after(mv);
            self.nodes += 1;
            let mut child = Child::new(Some(mv));
            // Getting out of check is not a choice, so it costs nothing.
            let left = quiets - u8::from(i >= first_quiet && !in_check);
            if self.path.contains(&next.key()) || self.forbidden.contains(&next.key()) {
                (child.pn, child.dn, child.tainted) = (INFINITE, 0, true);
            } else if let Some(known) =
                self.known(&Place::of(&next, self.attacker), remaining - 1, left)
            {
                child.take(&known);
            } else if i < first_quiet {
                self.judge_check(&next, remaining - 1, &mut child);
            } else {
                child.pn = QUIET_PN;
            }
            self.children.push(child);
            if child.pn == 0 && child.plies == 0 {
                break;
            }
        }
    }

    /// After a quiet move: what if the defender passed? Says whether that is known to be mate.
    fn expand_pass(&mut self, position: &Position, remaining: u16, quiets: u8) -> bool {
        let mut child = Child::new(None);
        if remaining < 2 {
            (child.pn, child.dn, child.plies, child.bounded) = (INFINITE, 0, remaining, true);
        } else {
            let mut next = *position;
            next.make_null();
            if let Some(known) = self.known(&Place::of(&next, self.attacker), remaining - 1, quiets)
            {
                child.take(&known);
            }
        }
        self.children.push(child);
        child.pn == 0
    }

    /// First numbers for a position in check: the answers to be refuted.
    fn judge_check(&self, next: &Position, remaining: u16, child: &mut Child) {
        let mut list = MoveList::new();
        next.generate(Gen::Captures, &mut list);
        next.generate(Gen::Quiets, &mut list);
        let blocks = block_squares(next);
        let answers = list.len() as u32 + blocks;
        if answers == 0 {
            match next.status() {
                Status::Checkmate => (child.pn, child.dn, child.plies) = (0, INFINITE, 0),
                Status::Wait | Status::Stalemate => {
                    (child.pn, child.dn, child.plies) = (INFINITE, 0, ANY)
                }
                Status::Ongoing => {}
            }
        } else if remaining < 2 {
            (child.pn, child.dn, child.plies, child.bounded) = (INFINITE, 0, remaining, true);
        } else {
            child.pn = answers;
        }
    }

    fn expand_defence(&mut self, position: &Position, remaining: u16, quiets: u8) {
        let mut list = MoveList::new();
        position.generate(Gen::All, &mut list);
        for &mv in &list {
            let next = position.after(mv);
            self.nodes += 1;
            let chain = if mv.is_drop() { mv.to() as u8 } else { NO_CHAIN };
            let mut child = Child { chain, ..Child::new(Some(mv)) };
            if remaining < 2 {
                (child.pn, child.dn, child.plies, child.bounded) = (INFINITE, 0, remaining, true);
            } else if self.path.contains(&next.key()) || self.forbidden.contains(&next.key()) {
                (child.pn, child.dn, child.tainted) = (INFINITE, 0, true);
            } else if let Some(known) =
                self.known(&Place::of(&next, self.attacker), remaining - 1, quiets)
            {
                child.take(&known);
            }
            self.children.push(child);
            if child.dn == 0 {
                break;
            }
        }
    }

    fn sum_attack(&self, base: usize, remaining: u16) -> Visit {
        let mut pn = INFINITE;
        let mut dn = 0_u32;
        let mut plies = ANY;
        let mut mv = None;
        let (mut tainted, mut bounded) = (false, remaining == 0);
        for child in &self.children[base..] {
            if child.pn < pn || child.pn == 0 && child.plies < plies {
                (pn, mv) = (child.pn, child.mv);
                plies = child.plies;
            }
            dn = dn.saturating_add(child.dn).min(INFINITE);
            tainted |= child.tainted;
            bounded |= child.bounded || child.dn == 0 && child.plies != ANY;
        }
        if pn == 0 {
            return Visit {
                numbers: Numbers::proven(plies + 1, mv),
                tainted: false,
                bounded: false,
            };
        }
        if dn == 0 {
            return Visit { numbers: Numbers::disproven(ANY), tainted, bounded };
        }
        Visit { numbers: Numbers { pn, dn, plies: 0, mv }, tainted: false, bounded: false }
    }

    fn sum_defence(&self, position: &Position, base: usize, remaining: u16) -> Visit {
        let children = &self.children[base..];
        if children.iter().all(|child| child.mv.is_none() && child.pn == 0) {
            let numbers = match position.status() {
                Status::Checkmate => Numbers::proven(0, None),
                Status::Wait | Status::Stalemate | Status::Ongoing => Numbers::disproven(ANY),
            };
            return Visit { numbers, tainted: false, bounded: false };
        }
        let (mut pn, mut dn) = (0_u32, INFINITE);
        let mut plies = 0;
        let mut mv = None;
        let mut open = 0_u64;
        for child in children {
            if child.dn == 0 {
                let bounded = child.bounded || child.plies != ANY;
                let numbers = Numbers::disproven(if bounded { remaining } else { ANY });
                return Visit { numbers, tainted: child.tainted, bounded };
            }
            if child.pn == 0 {
                if child.mv.is_some() {
                    plies = plies.max(child.plies);
                }
                continue;
            }
            if child.chain < NO_CHAIN {
                let bit = 1 << child.chain;
                if open & bit != 0 {
                    continue;
                }
                open |= bit;
            }
            pn = pn.saturating_add(child.pn).min(INFINITE - 1);
            if child.dn < dn {
                (dn, mv) = (child.dn, child.mv);
            }
        }
        if pn == 0 {
            return Visit {
                numbers: Numbers::proven(plies + 1, None),
                tainted: false,
                bounded: false,
            };
        }
        Visit { numbers: Numbers { pn, dn, plies: 0, mv }, tainted: false, bounded: false }
    }

    /// The check nearest to a proof, and how far to follow it.
    fn pick_attack(
        &self,
        base: usize,
        most_pn: u32,
        most_dn: u32,
        sum: &Numbers,
    ) -> (usize, u32, u32) {
        let (mut best, mut second) = (base, INFINITE);
        for (i, child) in self.children.iter().enumerate().skip(base) {
            let current = &self.children[best];
            if i == base || (child.pn, child.dn) < (current.pn, current.dn) {
                if i > base {
                    second = second.min(current.pn);
                }
                best = i;
            } else {
                second = second.min(child.pn);
            }
        }
        let child = &self.children[best];
        let pn = most_pn.min(second.saturating_add(second / 4 + 1));
        let dn = most_dn.saturating_sub(sum.dn).saturating_add(child.dn).min(INFINITE);
        (best, pn, dn)
    }

    /// The answer nearest to a disproof, and how far to follow it.
    fn pick_defence(
        &self,
        base: usize,
        most_pn: u32,
        most_dn: u32,
        sum: &Numbers,
    ) -> (usize, u32, u32) {
        let (mut best, mut second) = (usize::MAX, INFINITE);
        let mut open = 0_u64;
        for (i, child) in self.children.iter().enumerate().skip(base) {
            if child.pn == 0 {
                continue;
            }
            if child.chain < NO_CHAIN {
                let bit = 1 << child.chain;
                if open & bit != 0 {
                    continue;
                }
                open |= bit;
            }
            if best == usize::MAX {
                best = i;
                continue;
            }
            let current = &self.children[best];
            if (child.dn, child.pn) < (current.dn, current.pn) {
                second = second.min(current.dn);
                best = i;
            } else {
                second = second.min(child.dn);
            }
        }
        let best = if best == usize::MAX { base } else { best };
        let child = &self.children[best];
        let dn = most_dn.min(second.saturating_add(second / 4 + 1));
        let pn = most_pn.saturating_sub(sum.pn).saturating_add(child.pn).min(INFINITE);
        (best, pn, dn)
    }
}

impl Child {
    const fn new(mv: Option<Move>) -> Child {
        Child { mv, pn: 1, dn: 1, plies: 0, chain: NO_CHAIN, tainted: false, bounded: false }
    }

    fn take(&mut self, known: &Numbers) {
        self.pn = known.pn;
        self.dn = known.dn;
        self.plies = known.plies;
        self.bounded = known.dn == 0 && known.plies != ANY;
    }
}

/// How many squares a drop could block the check on, if there is anything to drop.
fn block_squares(position: &Position) -> u32 {
    let us = position.turn();
    let king = position.king(us);
    let Some(checker) = position.checkers().single_square() else { return 0 };
    let total = position.hand_total(us);
    if total == 0 {
        return 0;
    }
    let mut between = attacks::between(king, checker);
    if u32::from(position.hand(us, Role::Pawn)) == total {
        // No pawn is dropped on an edge rank.
        between &= Bitboard(!0xff00_0000_0000_00ff);
    }
    between.count() as u32
}
