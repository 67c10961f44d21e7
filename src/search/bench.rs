//! A fixed workload: its node count is the search's fingerprint, its speed the machine's.

use std::time::{Duration, Instant};

use crate::rules::{Position, Rules};

use super::{Control, Limits, Request, SearchError, Searcher};

/// The depth of a bench where none is asked for.
pub const DEPTH: u32 = 13;
/// The table's size in mebibytes where none is asked for.
pub const HASH_MB: usize = 16;

const CRAZYHOUSE: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1",
    "r1bqk2r/pppp1ppp/2n1p3/4P3/1b1Pn3/2NB1N2/PPP2PPP/R1BQK2R[] b KQkq - 0 1",
    "rnbqkb1r/pppp1ppp/5n2/4p3/2B1P3/2N5/PPPP1PPP/R1BQK1NR[] b KQkq - 3 3",
    "r1bqkb1r/ppp2ppp/2np1n2/4p1B1/2B1P3/2N2N2/PPPP1PPP/R2QK2R[] b KQkq - 1 5",
    "r2q1rk1/ppp1bppp/2n1bn2/3p4/3P4/2NBBN2/PPP2PPP/R2Q1RK1[Pp] w - - 0 10",
    "r1b2rk1/ppp1qppp/2np4/2b1p1N1/2B1P1n1/2NP4/PPP2PPP/R1BQ1RK1[] w - - 0 9",
    "r2qk2r/ppp2ppp/2n1b3/3pP3/1b1P1Bn1/2N2N2/PPP1BPPP/R2QK2R[Pn] b KQkq - 0 9",
    "r1b1kb1r/pppp1ppp/2n5/4P3/3qn3/2N2Q2/PPP2PPP/R1B1KB1R[NPp] w KQkq - 0 9",
    "r4rk1/ppp2ppp/2n1bq2/3p4/3P1B2/2PB1N2/P1P2PPP/R2Q1RK1[BNPbnp] w - - 0 13",
    "2kr3r/ppp2ppp/2n5/2bPp3/4P1b1/2N2N2/PPP1BPPP/R1B2RK1[QNqbp] b - - 0 12",
    "r3kb1r/ppp2ppp/2n2n2/3q4/3P4/4BN2/PPP2PPP/R2QKB1R[BPbnp] w KQkq - 0 10",
    "r2q1rk1/pp2bppp/2p1bn2/3pN3/3P1P2/2NBP3/PPQ3PP/R4RK1[Bn] w - - 0 14",
    "r4r1k/ppp2pp1/3N4/3Np3/B5p1/6B1/PP3Pp1/R1BQ1RK1[QNPPPbnpp] w - - 0 1",
    "r1b2r2/ppp1kNp1/4pqBp/4n2P/8/4PP2/PPP1K3/2RQ3R[BNPPbnpp] w - - 0 1",
    "r4r1k/pp3ppp/1bNp4/8/PPNnPp1P/2NP3q/B1P2P2/R2K2R1[BPqbp] b - - 0 1",
    "r4rk1/ppp2pp1/2npB1Bq/4pP2/3b1p1p/3P4/PPP1B1PP/R2N1K1R[QNN] w - - 0 1",
    "4k3/1Q~6/8/8/4b3/8/Kpp5/8[] b - - 0 1",
    "2k5/8/8/8/8/8/8/4K3[Qn] w - - 0 1",
    "2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/6K1[QRRBBNNPPPPPqrrbbnnppppp] w - - 0 1",
    "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R[BBNNPPbbnnpp] w KQkq - 0 1",
];

const BUGHOUSE: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1",
    "r1bqk2r/pppp1ppp/2n1p3/4P3/1b1Pn3/2NB1N2/PPP2PPP/R1BQK2R[NPp] b KQkq - 0 1",
    "r2q1rk1/ppp1bppp/2n1bn2/3p4/3P4/2NBBN2/PPP2PPP/R2Q1RK1[Qnnp] w - - 0 10",
    "r4rk1/ppp2ppp/2n1bq2/3p4/3P1B2/2PB1N2/P1P2PPP/R2Q1RK1[BBNPPrbnp] b - - 0 13",
    "6k1/5ppp/8/8/3q4/8/5PPP/6K1[RBNPPPbbnnpp] w - - 0 1",
];

const CHESS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 4 9",
];

/// The positions of a bench.
pub fn positions() -> impl Iterator<Item = Position> {
    let all = [(CRAZYHOUSE, Rules::CRAZYHOUSE), (BUGHOUSE, Rules::BUGHOUSE), (CHESS, Rules::CHESS)];
    all.into_iter().flat_map(|(fens, rules)| {
        fens.iter().filter_map(move |fen| Position::from_fen(fen, rules).ok())
    })
}

/// What a bench came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Nodes of all positions together.
    pub nodes: u64,
    /// Time of all searches together.
    pub time: Duration,
}

impl Report {
    /// Nodes a second.
    pub fn speed(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-9)) as u64
    }
}

/// Searches every position to a depth on a cleared table. With one thread the node count is the
/// same on every machine.
pub fn run(depth: u32, threads: usize, hash_mb: usize) -> Result<Report, SearchError> {
    let mut searcher = Searcher::new(threads, hash_mb)?;
    Ok(run_with(&mut searcher, depth, &mut |_, _| {}))
}

/// As [`run`], with a searcher of one's own, telling each position's nodes as they come.
pub fn run_with(
    searcher: &mut Searcher,
    depth: u32,
    each: &mut dyn FnMut(&Position, u64),
) -> Report {
    let mut report = Report { nodes: 0, time: Duration::ZERO };
    for position in positions() {
        searcher.clear();
        let start = Instant::now();
        let mut limits = Limits::new(start);
        limits.depth = Some(depth);
        let outcome = searcher.search(&Request::new(position, limits), &Control::new(), &|_| {});
        report.time += start.elapsed();
        report.nodes += outcome.nodes;
        each(&position, outcome.nodes);
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_legal() {
        assert_eq!(positions().count(), CRAZYHOUSE.len() + BUGHOUSE.len() + CHESS.len());
    }
}
