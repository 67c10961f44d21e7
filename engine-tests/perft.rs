//! Counts of legal move sequences against `perft/*.perft`. Each position is counted to the deepest
//! depth within a budget of leaves: `KLOTZ_PERFT_LEAVES` (default 6 million), to count them all set
//! it to 200000000 in an optimised build.

mod support;

use std::fs;

use klotz::rules::{Position, Rules, perft};
use shakmaty::variant::Crazyhouse;
use shakmaty::{CastlingMode, fen::Fen};
use support::repository;

struct Count {
    name: String,
    fen: String,
    /// (depth, leaves) as the file has them.
    depths: Vec<(u32, u64)>,
}

fn read(file: &str) -> Vec<Count> {
    let path = repository().join("engine-tests/perft").join(file);
    let text = fs::read_to_string(&path).unwrap();
    let mut counts: Vec<Count> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').unwrap();
        match (word, counts.last_mut()) {
            ("name", _) => {
                counts.push(Count { name: rest.into(), fen: String::new(), depths: Vec::new() });
            }
            ("fen", Some(count)) => count.fen = rest.into(),
            (depth, Some(count)) => {
                count.depths.push((depth.parse().unwrap(), rest.parse().unwrap()));
            }
            (_, None) => panic!("{file}: '{line}' before any name"),
        }
    }
    assert!(!counts.is_empty(), "{file} holds no position");
    assert!(counts.iter().all(|c| !c.fen.is_empty() && !c.depths.is_empty()));
    counts
}

fn budget() -> u64 {
    std::env::var("KLOTZ_PERFT_LEAVES").map_or(6_000_000, |leaves| leaves.parse().unwrap())
}

/// The depths worth counting: those within the budget, at least the first two.
fn affordable(count: &Count) -> impl Iterator<Item = (u32, u64)> {
    let budget = budget();
    count.depths.iter().copied().filter(move |(depth, leaves)| *depth <= 2 || *leaves <= budget)
}

fn check(file: &str, rules: Rules) {
    for count in read(file) {
        let position = Position::from_fen(&count.fen, rules)
            .unwrap_or_else(|error| panic!("{}: {error}", count.name));
        for (depth, leaves) in affordable(&count) {
            assert_eq!(perft(&position, depth), leaves, "{} at depth {depth}", count.name);
        }
    }
}

#[test]
fn crazyhouse() {
    check("crazyhouse.perft", Rules::CRAZYHOUSE);
}

#[test]
fn crazyhouse_corners() {
    check("crazyhouse-corners.perft", Rules::CRAZYHOUSE);
}

#[test]
fn crazyhouse960() {
    check("crazyhouse960.perft", Rules { chess960: true, ..Rules::CRAZYHOUSE });
}

#[test]
fn bughouse() {
    check("bughouse.perft", Rules::BUGHOUSE);
}

#[test]
fn chess() {
    check("chess.perft", Rules::CHESS);
}

/// Where the crazyhouse counts come from: shakmaty counts them again. Run on demand.
#[test]
#[ignore = "minutes; checks the data, not Klotz"]
fn oracle_agrees() {
    for file in ["crazyhouse.perft", "crazyhouse-corners.perft", "crazyhouse960.perft"] {
        for count in read(file) {
            let fen: Fen = count.fen.parse().unwrap();
            let position = match fen.into_position::<Crazyhouse>(CastlingMode::Chess960) {
                Ok(position) => position,
                Err(error) => {
                    println!("{}: shakmaty refuses it: {error}", count.name);
                    continue;
                }
            };
            for (depth, leaves) in affordable(&count) {
                assert_eq!(shakmaty::perft(&position, depth), leaves, "{} {depth}", count.name);
            }
        }
    }
}
