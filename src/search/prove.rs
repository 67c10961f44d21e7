//! Proves a mate by any means and plays every defence against it.
//!
//! The mate search finds what checks alone can do; where it fails, the main search proposes the
//! attacker's move, and each answer to that must be proven in turn. Nothing is believed: what is
//! handed out is a tree in which every defence ends in mate on the board.

use std::collections::HashMap;
use std::time::Instant;

use crate::rules::{Position, Status};
use crate::types::{Key, Move, Score};

use super::mate::{MateLimits, MateSearch, Proof, Verdict};
use super::{Control, Limits, Request, Searcher};

/// What a proof may cost.
#[derive(Clone, Debug)]
pub struct ProofLimits {
    /// Nodes of all searches together.
    pub nodes: u64,
    /// When to give up.
    pub deadline: Option<Instant>,
}

/// What an attempt to prove a mate came to.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The proof, if there is one.
    pub proof: Option<Proof>,
    /// Checks alone were looked at to the end, and do not mate.
    pub no_mate_by_checks: bool,
    /// Nodes of all searches together.
    pub nodes: u64,
}

/// Moves of the attacker beyond which no proof is sought.
const DEEPEST: usize = 40;
/// How many times the first shares a position may cost in the end.
const MOST_SCALE: u64 = 256;
/// First share of nodes for each position, by mate search and by main search.
const SHARES: (u64, u64) = (50_000, 40_000);

/// A position proven: plies to mate, and the line against the longest defence.
type Settled = Option<(usize, Vec<Move>)>;

struct Prover<'a> {
    searcher: &'a mut Searcher,
    mates: MateSearch,
    settled: HashMap<Key, Settled>,
    checked: usize,
    nodes: u64,
    no_mate_by_checks: bool,
    /// By how much the shares have grown.
    scale: u64,
    limits: &'a ProofLimits,
    control: &'a Control,
}

impl Searcher {
    /// Proves that the side to move mates by force, quiet moves included, or gives up.
    pub fn prove(
        &mut self,
        position: &Position,
        limits: &ProofLimits,
        control: &Control,
    ) -> Attempt {
        let mut prover = Prover {
            searcher: self,
            mates: MateSearch::new(64),
            settled: HashMap::new(),
            checked: 0,
            nodes: 0,
            no_mate_by_checks: false,
            scale: 1,
            limits,
            control,
        };
        let mut found = None;
        while found.is_none() && !prover.must_stop() && prover.scale <= MOST_SCALE {
            found = prover.attack(position, 0);
            // What failed may succeed with more work; what is proven stays so.
            prover.settled.retain(|_, settled| settled.is_some());
            prover.scale *= 4;
        }
        let checked = prover.checked;
        Attempt {
            proof: found.map(|(plies, line)| Proof { line, plies, checked }),
            no_mate_by_checks: prover.no_mate_by_checks,
            nodes: prover.nodes,
        }
    }
}

impl Prover<'_> {
    fn must_stop(&self) -> bool {
        self.nodes >= self.limits.nodes
            || self.control.stopped()
            || self.limits.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// The attacker moves: one good move is enough.
    fn attack(&mut self, position: &Position, depth: usize) -> Settled {
        if let Some(known) = self.settled.get(&position.key()) {
            return known.clone();
        }
        if depth > DEEPEST || self.must_stop() {
            return None;
        }
        // While it is being proven, coming back here would prove nothing.
        self.settled.insert(position.key(), None);
        let found = self.by_checks(position, depth).or_else(|| self.by_search(position, depth));
        self.settled.insert(position.key(), found.clone());
        found
    }

    fn by_checks(&mut self, position: &Position, depth: usize) -> Settled {
        let nodes = if depth == 0 { 40 * SHARES.0 } else { SHARES.0 } * self.scale;
        let nodes = nodes.min(self.limits.nodes.saturating_sub(self.nodes));
        let limits = MateLimits { nodes, deadline: self.limits.deadline, ..MateLimits::default() };
        let control = self.control;
        let verdict = self.mates.search(position, &[], &limits, &|| control.stopped());
        self.nodes += self.mates.nodes();
        match verdict {
            Verdict::Mate(proof) => {
                self.checked += proof.checked;
                Some((proof.plies, proof.line))
            }
            Verdict::NoMate => {
                self.no_mate_by_checks |= depth == 0;
                None
            }
            Verdict::Unknown => None,
        }
    }

    fn by_search(&mut self, position: &Position, depth: usize) -> Settled {
        let mut limits = Limits::new(Instant::now());
        let share = if depth == 0 { 100 * SHARES.1 } else { SHARES.1 } * self.scale;
        limits.nodes = Some(share.min(self.limits.nodes.saturating_sub(self.nodes)).max(1));
        limits.movetime =
            self.limits.deadline.map(|end| end.saturating_duration_since(limits.start));
        // An inner search stops as soon as it has a mate at all.
        limits.mate = Some(DEEPEST as u32);
        let outcome = self.searcher.search(&Request::new(*position, limits), self.control, &|_| {});
        self.nodes += outcome.nodes;
        match (outcome.score, outcome.best) {
            (Score::Mate(moves), Some(mv)) if moves > 0 => {
                let (plies, mut line) = self.defend(&position.after(mv), depth)?;
                line.insert(0, mv);
                Some((plies + 1, line))
            }
            _ => None,
        }
    }

    /// The defender moves: every answer must fail.
    fn defend(&mut self, position: &Position, depth: usize) -> Settled {
        self.checked += 1;
        let answers = position.legal_moves();
        if answers.is_empty() {
            return (position.status() == Status::Checkmate).then(|| (0, Vec::new()));
        }
        let mut longest: Settled = None;
        for answer in answers {
            let (plies, line) = self.attack(&position.after(answer), depth + 1)?;
            if longest.as_ref().is_none_or(|(most, _)| plies + 1 > *most) {
                let mut line = line;
                line.insert(0, answer);
                longest = Some((plies + 1, line));
            }
        }
        longest
    }
}
