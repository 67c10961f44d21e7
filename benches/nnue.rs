//! The network's cost a position: the update of both views along a game, and the output.

#![allow(missing_docs, reason = "criterion's macros make functions of their own")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use klotz::eval::nnue::features::BUCKETS;
use klotz::eval::nnue::{AccumulatorStack, Network, Simd, Weights, rows};
use klotz::rules::{Position, Rules};
use klotz::types::Move;

fn network(hidden: usize, near: bool) -> Network {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut draw = |count: usize, limit: i16| (0..count).map(|_| rng.i16(-limit..=limit)).collect();
    let weights = Weights {
        hidden,
        near,
        features: draw(rows(near) * hidden, 60),
        feature_bias: draw(hidden, 100),
        outputs: draw(BUCKETS * 2 * hidden, 60),
        output_bias: [0; BUCKETS],
    };
    Network::new("random", &weights).expect("weights within their limits")
}

/// Positions of random games, each with its moves.
fn games() -> Vec<(Position, Vec<Move>)> {
    let mut rng = fastrand::Rng::with_seed(2);
    (0..10)
        .map(|_| {
            let start = Position::start(Rules::CRAZYHOUSE);
            let (mut position, mut line) = (start, Vec::new());
            while line.len() < 80 {
                let moves = position.legal_moves();
                let Some(&mv) = moves.get(rng.usize(..moves.len().max(1))) else { break };
                position.make(mv);
                line.push(mv);
            }
            (start, line)
        })
        .collect()
}

fn evaluate(c: &mut Criterion) {
    let games = games();
    let positions: usize = games.iter().map(|(_, line)| line.len()).sum();
    let mut group = c.benchmark_group("update and output a position");
    group.throughput(Throughput::Elements(positions as u64));
    group.bench_function("making the moves only", |b| {
        b.iter(|| {
            for (start, line) in &games {
                let mut position = *start;
                for &mv in line {
                    position.make(mv);
                }
                black_box(position.key());
            }
        })
    });
    for hidden in [64, 128, 256] {
        for (simd, near) in
            [(Simd::detect(), false), (Simd::detect(), true), (Simd::Portable, true)]
        {
            let network = network(hidden, near).with_simd(simd);
            let mut stack = AccumulatorStack::new(&network, &games[0].0);
            let inputs = if near { "with what is near the king" } else { "squares only" };
            let id = BenchmarkId::new(format!("{simd:?}, {inputs}"), hidden);
            group.bench_function(id, |b| {
                b.iter(|| {
                    let mut sum = 0;
                    for (start, line) in &games {
                        let mut position = *start;
                        stack.reset(start);
                        for &mv in line {
                            position.make_with(mv, stack.push());
                            sum += network.evaluate(&position, &mut stack);
                        }
                    }
                    sum
                })
            });
        }
    }
    group.finish();
}

criterion_group!(benches, evaluate);
criterion_main!(benches);
