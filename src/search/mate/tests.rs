//! Mates by proof, under the rules of crazyhouse and of bughouse.

use super::*;
use crate::rules::{Rules, Status};

fn position(fen: &str, rules: Rules) -> Position {
    Position::from_fen(fen, rules).unwrap()
}

fn assert_mates(position: &Position, proof: &Proof) {
    assert_eq!(proof.line.len(), proof.plies);
    let mut board = *position;
    for &mv in &proof.line {
        assert!(board.is_legal(mv));
        board.make(mv);
    }
    assert_eq!(board.status(), Status::Checkmate);
}

#[test]
fn a_forced_mate_is_proven_and_its_line_ends_in_mate() {
    let attack = "r4r1k/ppp2pp1/3N4/3Np3/B5p1/6B1/PP3Pp1/R1BQ1RK1[QNPPPbnpp] w - - 0 1";
    let attack = position(attack, Rules::CRAZYHOUSE);
    let limits = MateLimits { nodes: 200_000, ..MateLimits::default() };
    let Verdict::Mate(proof) = prove(&attack, &limits) else { panic!("no proof") };
    assert_mates(&attack, &proof);
    assert!(proof.checked >= proof.plies);
    assert!(verify_mate(&attack, &proof.line, &limits).is_some());
    // None is so short.
    let short = MateLimits { moves: Some(1), ..limits };
    assert_eq!(prove(&attack, &short), Verdict::NoMate);
}

#[test]
fn a_hand_that_can_block_makes_the_difference() {
    let limits = MateLimits { nodes: 100_000, ..MateLimits::default() };
    let back_rank = "6k1/5ppp/8/8/8/8/8/R3K3[] w - - 0 1";
    let with = |fen: &str, rules| prove(&position(fen, rules), &limits);
    assert!(matches!(with(back_rank, Rules::CRAZYHOUSE), Verdict::Mate(proof) if proof.plies == 1));
    // In bughouse a piece could still arrive and be put between.
    assert_eq!(with(back_rank, Rules::BUGHOUSE), Verdict::NoMate);
    let blockable = "6k1/5ppp/8/8/8/8/8/R3K3[n] w - - 0 1";
    assert_eq!(with(blockable, Rules::CRAZYHOUSE), Verdict::NoMate);
}

#[test]
fn the_playing_out_of_a_mate_is_stopped_too() {
    let wide = "r1b5/pppq1p1p/5N1k/4p3/3nP1b1/3B3n/PPP2PPP/R2Q1R1K[RPbnpp] w - - 0 1";
    let wide = position(wide, Rules::CRAZYHOUSE);
    let limits = MateLimits { nodes: 2_000_000, ..MateLimits::default() };
    let mut mates = MateSearch::new(16);
    let Verdict::Mate(proof) = mates.search(&wide, &[], &limits, &|| false) else {
        panic!("no proof")
    };
    assert!(proof.checked > 1_500);
    // Known now, it costs no search, only the playing out.
    let looks = std::cell::Cell::new(0);
    let stop = || {
        looks.set(looks.get() + 1);
        looks.get() > 3
    };
    assert_eq!(mates.search(&wide, &[], &limits, &stop), Verdict::Unknown);
    assert_eq!(looks.get(), 4, "once is enough");
}
