//! Mates by proof: a df-pn search over checks, and the playing out of what it claims.
//!
//! A [`Proof`] is handed out only after every defence has been played out on the board, so it
//! rests on the rules alone and not on the search's table.

mod dfpn;
mod table;
mod verify;

use std::time::Instant;

use crate::rules::{Position, Variant};
use crate::types::{Key, Move};

use dfpn::{LONGEST, Memory, Run};

/// What a mate search may cost.
#[derive(Clone, Debug)]
pub struct MateLimits {
    /// Positions made on the board.
    pub nodes: u64,
    /// Moves (not plies) within which the mate must come.
    pub moves: Option<u32>,
    /// How many moves without check the attacker may play on the way.
    pub quiets: u8,
    /// When to give up.
    pub deadline: Option<Instant>,
}

impl Default for MateLimits {
    fn default() -> MateLimits {
        MateLimits { nodes: u64::MAX, moves: None, quiets: 0, deadline: None }
    }
}

/// A mate that holds against every defence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The line against the longest resistance; it ends in mate.
    pub line: Vec<Move>,
    /// Plies to mate against the best defence to this proof.
    pub plies: usize,
    /// Distinct positions played out to check it.
    pub checked: usize,
}

/// What a mate search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The mover mates.
    Mate(Proof),
    /// The mover has no mate by checks alone, or none that short.
    NoMate,
    /// The limits were reached first.
    Unknown,
}

/// A mate search with its table, which later searches of the same game find warm.
pub struct MateSearch {
    memory: Memory,
    nodes: u64,
}

impl MateSearch {
    /// A mate search with a table of so many mebibytes.
    pub fn new(mb: usize) -> MateSearch {
        MateSearch { memory: Memory::new(mb), nodes: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.memory.table.clear();
    }

    /// Nodes of the last search.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Looks for a forced mate by the side to move, who gives check with every move.
    ///
    /// `history` holds the keys of the game's earlier positions; `stop` is asked now and then.
    pub fn search(
        &mut self,
        position: &Position,
        history: &[Key],
        limits: &MateLimits,
        stop: &dyn Fn() -> bool,
    ) -> Verdict {
        let forbidden = stood_twice(position, history);
        let attacker = position.turn();
        let plies = limits.moves.map_or(LONGEST, |moves| (2 * moves.clamp(1, 50) - 1) as u16);
        let ended = || stop() || limits.deadline.is_some_and(|end| Instant::now() >= end);
        let mut run = Run::new(&mut self.memory, attacker, &forbidden, limits.nodes, &ended);
        run.quiets = limits.quiets;
        let numbers = run.solve(position, plies, limits.quiets);
        let verdict = if numbers.pn == 0 {
            verify::play_out(&mut run, position, numbers.plies)
                .map_or(Verdict::Unknown, Verdict::Mate)
        } else if numbers.dn == 0 {
            Verdict::NoMate
        } else {
            Verdict::Unknown
        };
        self.nodes = run.nodes;
        verdict
    }

    /// Whether a move, check or not, mates against every defence by checks thereafter.
    ///
    /// `expected` is the answer to refute first. Each defence gets the same share of the nodes.
    pub fn prove_move(
        &mut self,
        position: &Position,
        first: Move,
        expected: Option<Move>,
        limits: &MateLimits,
        stop: &dyn Fn() -> bool,
    ) -> Verdict {
        let attacker = position.turn();
        let next = position.after(first);
        let mut answers = next.legal_moves();
        if let Some(at) = answers.iter().position(|&mv| Some(mv) == expected) {
            answers.swap(0, at);
        }
        // Checks and captures are the likeliest to refute; finding one early saves the rest.
        let skip = usize::from(expected.is_some()).min(answers.len());
        answers[skip..].sort_by_key(|&mv| (!next.gives_check(mv), !mv.is_tactical(), mv));
        let ended = || stop() || limits.deadline.is_some_and(|end| Instant::now() >= end);
        let mut run = Run::new(&mut self.memory, attacker, &[], limits.nodes, &ended);
        run.quiets = limits.quiets;
        let mut verdict = None;
        if !next.in_check() {
            // Without a threat there is nothing to defend against.
            let mut passed = next;
            passed.make_null();
            let numbers = run.solve(&passed, LONGEST - 2, limits.quiets);
            if numbers.pn != 0 {
                verdict = Some(if numbers.dn == 0 { Verdict::NoMate } else { Verdict::Unknown });
                answers.clear();
            }
        }
        for answer in answers {
            let numbers = run.solve(&next.after(answer), LONGEST - 2, limits.quiets);
            if numbers.pn != 0 {
                verdict = Some(if numbers.dn == 0 { Verdict::NoMate } else { Verdict::Unknown });
                break;
            }
        }
        let verdict = verdict.unwrap_or_else(|| {
            verify::play_out_after(&mut run, position, first)
                .map_or(Verdict::Unknown, Verdict::Mate)
        });
        self.nodes = run.nodes;
        verdict
    }

    /// A quick look for a mate, not played out: plies to mate and the first move.
    pub fn glance(&mut self, position: &Position, nodes: u64) -> Option<(usize, Move)> {
        let mut run = Run::new(&mut self.memory, position.turn(), &[], nodes, &|| false);
        let numbers = run.solve(position, LONGEST, 0);
        self.nodes = run.nodes;
        let mv = numbers.mv.filter(|&mv| position.is_legal(mv))?;
        (numbers.pn == 0).then_some((usize::from(numbers.plies), mv))
    }
}

/// Positions that stood twice before: where repetition draws, coming there again ends the game.
fn stood_twice(position: &Position, history: &[Key]) -> Vec<Key> {
    if position.rules().variant == Variant::Bughouse {
        return Vec::new();
    }
    let mut keys = history.to_vec();
    keys.push(position.key());
    keys.sort_unstable();
    let mut twice: Vec<Key> =
        keys.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    twice.dedup();
    twice
}

/// Looks for a forced mate by the side to move on a table of its own.
pub fn prove(position: &Position, limits: &MateLimits) -> Verdict {
    MateSearch::new(64).search(position, &[], limits, &|| false)
}

/// Plays every defence against a claimed mate whose first move may be quiet; the later moves are
/// proven anew. Says how many plies the mate takes at most.
pub fn verify_mate(position: &Position, line: &[Move], limits: &MateLimits) -> Option<usize> {
    let &first = line.first()?;
    if !position.is_legal(first) {
        return None;
    }
    let expected = line.get(1).copied();
    match MateSearch::new(64).prove_move(position, first, expected, limits, &|| false) {
        Verdict::Mate(proof) => Some(proof.plies),
        Verdict::NoMate | Verdict::Unknown => None,
    }
}

#[cfg(test)]
mod tests;
