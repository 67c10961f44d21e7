//! How much sooner several threads reach the same depth than one.

use std::time::{Duration, Instant};

use crate::rules::{Position, Rules};

use super::{Control, Limits, Request, SearchError, Searcher};

/// The depth where none is asked for: about half a second a position on one thread.
pub const DEPTH: u32 = 22;

/// Crazyhouse positions of games the engine played against itself.
const POSITIONS: [&str; 40] = [
    "2r3rk/pp1b1pp1/2nppqBp/3p1n2/3PnN2/3QP3/PPP1BPPP/3RBRK1[] w - - 4 15",
    "2rqb1rk/ppp1bp2/4p1pp/1N1pN2N/3PnP2/4P3/PPPB1RPP/2RQ2K1[b] b - - 5 18",
    "r1b1kbnr/1ppp1ppp/p3b3/1n1P4/2Q1P1p1/P1P5/2PN1PPP/R1B1K2R[Qn] b KQkq - 3 11",
    "r1b1qrk1/p1p1ppbp/2p3p1/3pNn2/3P4/2N1P1B1/PPP1BPPP/R2QK2R[n] b KQ - 6 11",
    "r1b1r1k1/pp2Ppbp/3Qn1p1/2P1n3/1P2p3/4P2P/PPP1BPP1/R1B1K2R[Nqn] b KQ - 1 18",
    "r1bq1b1r/ppNk1ppp/2p5/1N3NP1/2p5/4P3/PPP1BPPK/R1B2R2[NPqp] b - - 0 14",
    "r1bqk2r/2ppnppp/1p2p1n1/1BbPP1B1/8/5N2/PPP2PPP/R2QK2R[NP] b KQkq - 0 13",
    "r1bqk2r/ppp2ppp/2nppn2/2b3B1/4P3/2NP1N2/PPP1QPPP/R3KB1R[] b KQkq - 1 4",
    "r1bqkb1r/1pp1pppp/p1n5/3pP3/3Pn3/2N3N1/PPP2PPP/R1BQKB1R[] b KQkq - 2 4",
    "r1bqkb1r/1pp2ppp/p1n1pn2/3p4/3P4/4PN2/PPPNBPPP/R1BQK2R[] w KQkq - 2 4",
    "r1bqkb1r/1pp2ppp/p1n1pn2/3pN3/2PP4/2N1P3/PP3PPP/R1BQKB1R[] b KQkq - 1 4",
    "r1bqkb1r/ppp1pppp/2n4n/3p4/8/1P3N2/PBPPPPPP/RN1QKB1R[] w KQkq - 4 3",
    "r1bqkb1r/pppp1ppp/2n2n2/6P1/1p1P4/2N2N2/PPP2PPP/R1BQKB1R[] b KQkq - 2 4",
    "r1bqr1k1/pp1nbpp1/2pp1n1p/4p3/4P3/2NP1N1P/PPP1BPP1/R1BQR1K1[] w - - 4 8",
    "r2q1Bk1/pp1n1ppp/2p1pn2/3pN3/3P3n/4P2K/PPP1BPpP/R2Q1R2[RBB] b - - 0 11",
    "r2q1k1r/pp3ppp/3p4/1BBp1b2/6n1/4PNb1/PPn2PPP/R2Q1RK1[NPpp] w - - 0 15",
    "r2q1r1k/pp1b1pp1/2pp1b1p/4p3/4P3/1QPP2Pn/PP3PPN/4RR1K[BBNn] w - - 3 17",
    "r2q1r1k/ppp2ppp/2n1p2N/3p4/3P2Qb/2N1P1B1/PPPB1PPP/R4RK1[bn] b - - 1 16",
    "r2q1rk1/ppp1bppp/2n1p1b1/3p2B1/3P2nN/2N3P1/PPP1PPBP/R2Q1RK1[] w - - 12 8",
    "r2q1rk1/ppp1bppp/5n2/8/2p1nP2/2N1PNbP/PPPB2PP/R2Q1R1K[BP] w - - 3 19",
    "r2q1rk1/ppp1npp1/3b4/BP1pN2p/3P2p1/2N4b/PPP1BP1P/R2QK1R1[NP] w Q - 1 13",
    "r2qkb1r/1pp1pppp/p1n3b1/3pNb2/3P4/2N1PN2/PPPQBPPP/R4RK1[] b kq - 4 7",
    "r2qkb1r/pp3ppp/1npBp3/3n2P1/2NP2b1/4PN2/PP2QPP1/R1B2RK1[Pp] w kq - 4 14",
    "r2qkb1r/pppb1pp1/2n1p2p/3p4/3Pn3/5NPP/PPPBPPB1/RN1Q1RK1[] w kq - 0 7",
    "r2qkb1r/pppb1ppp/2n1pn2/3p4/3P4/2P1PN2/PP1N1PPP/R1BQKB1R[] w KQkq - 1 4",
    "r2qkbnr/pp1b1pp1/2np3p/2pNp3/4P3/3P2N1/PPP1BPPP/R1BQK2R[] b KQkq - 1 5",
    "r2qkbnr/ppp2ppp/3p4/3Pn3/5Pb1/5P2/PPP1Q1PP/RNB1KBNR[p] b KQkq - 0 5",
    "r3kb1r/ppq2ppp/n1ppp3/7n/2PP2b1/2B2N2/PPQNPPPP/R3KB1R[] w KQkq - 0 7",
    "r3kbnr/pp1bqpp1/P1p3n1/1P3p1p/P1QP4/5PN1/1PP2P1P/R1BK1B1R[n] b kq - 1 14",
    "r4rk1/p1p1qppb/1p2p1bp/3pN3/3P1PP1/P1P5/2P2PBP/2RQK2R[BNnn] w K - 1 17",
    "r4rk1/pbp1bpbn/1p1q4/4p2Q/nP1p4/3P1NPP/P1P1PPB1/RN3RK1[PP] w - - 1 16",
    "rn1qk1nr/ppp2pp1/4p1p1/3pB3/3P2Pn/2P4B/PP2PP1P/RN1QK2R[Bb] b KQkq - 0 11",
    "rn1qk2r/pbppbppp/1p2pn2/8/8/1P2PN2/P1PPBPPP/RNBQ1RK1[] w kq - 1 4",
    "rn2kb1r/ppqbpp1p/2p2np1/2Pp2B1/Q2P4/2N2N2/PP2PPPP/R3KB1R[] b KQkq - 2 8",
    "rn3k1r/pp3ppp/3ppn2/1B1p2q1/3P2P1/P1N1PN2/1PPQ3P/R3KB1R[Bbp] b KQ - 0 10",
    "rnb1kb1r/qp3ppp/1p3n2/4p3/5P2/P1N5/2PPNPPP/1RBQKB1R[ppp] b Kkq - 1 5",
    "rnb2rk1/pp2p1bp/1qp3p1/3p1p1n/3P4/2NNB1P1/PPPQPPBP/R3K2R[] w KQ - 0 10",
    "rnbq1rk1/p1ppbppp/1p2pn2/8/8/2NPPN2/PPP1BPPP/R1BQ1RK1[] b - - 1 4",
    "rnbqkb1r/pp3ppp/2pp1n2/1P1P4/2P5/P1N1PP2/1P5P/R1BQKBNR[p] b KQkq - 0 7",
    "rnbqkb1r/ppp2ppp/5n2/5pB1/3QB3/5N2/PPP2PPP/RN3RK1[PPp] b kq - 0 6",
];

/// One position searched by one thread and by several.
#[derive(Clone, Debug)]
pub struct Row {
    /// The position.
    pub position: Position,
    /// Time to the depth, by one thread and by several.
    pub time: [Duration; 2],
    /// Nodes to the depth, by one thread and by several.
    pub nodes: [u64; 2],
}

impl Row {
    /// How many times sooner several threads were there.
    pub fn speed_up(&self) -> f64 {
        let [one, many] = self.time.map(|time| time.as_secs_f64().max(1e-6));
        one / many
    }

    /// How many times as many nodes a second several threads searched.
    pub fn rate(&self) -> f64 {
        self.nodes[1] as f64 / self.nodes[0].max(1) as f64 * self.speed_up()
    }

    /// How many times fewer nodes each of several threads needed than one alone. With as many free
    /// processors as threads they would be there so many times sooner.
    pub fn fewer(&self, threads: usize) -> f64 {
        self.nodes[0] as f64 * threads as f64 / self.nodes[1].max(1) as f64
    }
}

/// Searches forty positions to a depth with one thread and with several, from nothing each time,
/// and tells each row as it comes. Where they take turns, times mean nothing, but nodes are the same
/// every time.
pub fn run(
    depth: u32,
    threads: usize,
    hash_mb: usize,
    in_turns: bool,
    each: &mut dyn FnMut(&Row),
) -> Result<Vec<Row>, SearchError> {
    let mut searchers = [Searcher::new(1, hash_mb)?, Searcher::new(threads, hash_mb)?];
    if in_turns {
        searchers[1].take_turns();
    }
    let mut rows = Vec::with_capacity(POSITIONS.len());
    for position in
        POSITIONS.iter().filter_map(|fen| Position::from_fen(fen, Rules::CRAZYHOUSE).ok())
    {
        let mut row = Row { position, time: [Duration::ZERO; 2], nodes: [0; 2] };
        for (i, searcher) in searchers.iter_mut().enumerate() {
            searcher.clear();
            let mut limits = Limits::new(Instant::now());
            limits.depth = Some(depth);
            let request = Request::new(position, limits);
            let start = Instant::now();
            row.nodes[i] = searcher.search(&request, &Control::new(), &|_| {}).nodes;
            row.time[i] = start.elapsed();
        }
        each(&row);
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_searched_twice() {
        let mut told = 0;
        let rows = run(1, 2, 1, false, &mut |_| told += 1).unwrap();
        assert_eq!((rows.len(), told), (POSITIONS.len(), POSITIONS.len()));
        assert!(
            rows.iter().all(|row| row.nodes[0] > 0 && row.speed_up() > 0.0 && row.rate() > 0.0)
        );
    }

    #[test]
    fn threads_in_turns_need_the_same_nodes_every_time() {
        let nodes = || -> Vec<[u64; 2]> {
            let rows = run(6, 3, 1, true, &mut |_| {}).unwrap();
            assert!(rows.iter().all(|row| row.fewer(3) > 0.0));
            rows.iter().map(|row| row.nodes).collect()
        };
        assert_eq!(nodes(), nodes());
    }
}
