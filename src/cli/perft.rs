//! `klotz perft`

use std::io::Write;
use std::time::Instant;

use rayon::prelude::*;

use super::RulesArguments;
use crate::rules::{notation, perft};

/// Arguments of `klotz perft`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  klotz perft 5\n  \
    klotz perft 3 --fen '2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - - 0 1' --divide\n  \
    klotz perft 4 --rules bughouse --rule pawn_drop_ranks=3-6")]
pub struct Arguments {
    /// How many moves deep
    depth: u32,
    /// The position; the start position if left out
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Show the count of each first move
    #[arg(long)]
    divide: bool,
    /// Threads that count the first moves side by side
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    #[command(flatten)]
    rules: RulesArguments,
}

/// Counts.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let position = super::position(arguments.fen.as_deref(), arguments.rules.rules()?)?;
    let start = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.into()).build()?;
    let moves = position.legal_moves();
    let counts: Vec<u64> = match arguments.depth {
        0 => vec![1],
        depth => pool.install(|| {
            let count = |mv: &crate::types::Move| {
                let mut next = position;
                next.make(*mv);
                perft(&next, depth - 1)
            };
            moves.as_slice().par_iter().map(count).collect()
        }),
    };
    let total: u64 = counts.iter().sum();
    let seconds = start.elapsed().as_secs_f64();
    let mut out = std::io::stdout().lock();
    if arguments.divide && arguments.depth > 0 {
        for (mv, count) in moves.iter().zip(&counts) {
            writeln!(out, "{}: {count}", notation::to_uci(&position, *mv))?;
        }
    }
    writeln!(
        out,
        "{total} leaves, {seconds:.3} s, {:.1} million a second",
        total as f64 / seconds / 1e6
    )?;
    Ok(())
}
