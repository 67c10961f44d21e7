//! Move generation and playing moves, beside shakmaty's Crazyhouse.

#![allow(missing_docs, reason = "criterion's macros make functions of their own")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use klotz::rules::speed::{POSITIONS, shakmaty_perft};
use klotz::rules::{Position, Rules, perft};
use shakmaty::CastlingMode;
use shakmaty::fen::Fen;
use shakmaty::variant::Crazyhouse;

fn perfts(c: &mut Criterion) {
    for (fen, depth) in POSITIONS {
        let depth = depth - 1;
        let ours = Position::from_fen(fen, Rules::CRAZYHOUSE).expect("a legal position");
        let theirs: Crazyhouse = fen
            .parse::<Fen>()
            .expect("a FEN")
            .into_position(CastlingMode::Standard)
            .expect("a legal position");
        let mut group = c.benchmark_group(format!("perft {depth} of {fen}"));
        group.throughput(Throughput::Elements(perft(&ours, depth)));
        group.bench_function("klotz", |b| b.iter(|| perft(&ours, depth)));
        group.bench_function("shakmaty", |b| b.iter(|| shakmaty_perft(&theirs, depth)));
        group.finish();
    }
}

fn make(c: &mut Criterion) {
    for (fen, _) in POSITIONS {
        let position = Position::from_fen(fen, Rules::CRAZYHOUSE).expect("a legal position");
        let moves = position.legal_moves();
        let mut group = c.benchmark_group(format!("make on {fen}"));
        group.throughput(Throughput::Elements(moves.len() as u64));
        group.bench_function("copy and make", |b| {
            b.iter(|| moves.iter().fold(0, |key, mv| key ^ position.after(*mv).key()))
        });
        group.bench_function("gives_check", |b| {
            let info = position.check_info();
            b.iter(|| moves.iter().filter(|mv| position.gives_check_with(&info, **mv)).count())
        });
        group.finish();
    }
}

criterion_group!(benches, perfts, make);
criterion_main!(benches);
