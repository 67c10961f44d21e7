//! `klotz bench`

use std::io::Write;
use std::time::{Duration, Instant};

use crate::rules::perft;
use crate::search::{Searcher, bench};

/// Arguments of `klotz bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  klotz bench\n  klotz bench --depth 12 --threads 2\n  \
    klotz bench perft\n\nThe last line is 'N nodes M nps'. With one thread N is the same on every \
    machine.")]
pub struct Arguments {
    /// What to measure: the search, or move generation
    #[arg(value_enum, default_value_t = What::Search)]
    what: What,
    /// Plies of each search
    #[arg(long, default_value_t = bench::DEPTH)]
    depth: u32,
    /// Search threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Mebibytes of table
    #[arg(long, default_value_t = bench::HASH_MB)]
    hash: usize,
    /// Show every position
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum What {
    Search,
    Perft,
}

/// Measures.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    match arguments.what {
        What::Search => {
            let mut searcher = Searcher::new(arguments.threads, arguments.hash)?;
            let report = bench::run_with(&mut searcher, arguments.depth, &mut |position, nodes| {
                if arguments.verbose {
                    super::say(format!("{nodes:>10} {}", position.fen()));
                }
            });
            writeln!(out, "{} nodes {} nps", report.nodes, report.speed())?;
        }
        What::Perft => {
            let (mut nodes, mut time) = (0, Duration::ZERO);
            for position in bench::positions() {
                let start = Instant::now();
                let count = perft(&position, 3);
                time += start.elapsed();
                nodes += count;
                if arguments.verbose {
                    writeln!(out, "{count:>10} {}", position.fen())?;
                }
            }
            let speed = (nodes as f64 / time.as_secs_f64()) as u64;
            writeln!(out, "{nodes} nodes {speed} nps")?;
        }
    }
    Ok(())
}
