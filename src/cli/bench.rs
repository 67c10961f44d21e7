//! `klotz bench`

use std::io::Write;

use crate::rules::speed;
use crate::search::{Searcher, bench, scaling};

/// Arguments of `klotz bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  klotz bench\n  klotz bench --depth 16 --threads 2\n  \
    klotz bench scaling --threads 2\n  klotz bench scaling --threads 2 --in-turns\n  klotz bench perft\n\n\
    Of the search and perft the last line is 'N nodes M nps'. With one thread N is the same on \
    every machine.")]
pub struct Arguments {
    /// What to measure: the search, how it gains by threads, or move generation
    #[arg(value_enum, default_value_t = What::Search)]
    what: What,
    #[arg(long, help = format!(
        "Plies of each search (default: {}, for scaling {})", bench::DEPTH, scaling::DEPTH
    ))]
    depth: Option<u32>,
    /// Search threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Mebibytes of table
    #[arg(long, default_value_t = bench::HASH_MB)]
    hash: usize,
    /// Scaling: let the threads search in turns, so that nodes are the same every time (times mean
    /// nothing then)
    #[arg(long)]
    in_turns: bool,
    /// Show every position
    #[arg(long, short)]
    verbose: bool,
}

/// Runs of each measurement, of which the fastest counts.
const PERFT_REPEATS: u32 = 5;

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum What {
    Search,
    Scaling,
    Perft,
}

/// Measures.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    match arguments.what {
        What::Search => {
            let mut searcher = Searcher::new(arguments.threads, arguments.hash)?;
            let depth = arguments.depth.unwrap_or(bench::DEPTH);
            let report = bench::run_with(&mut searcher, depth, &mut |position, nodes| {
                if arguments.verbose {
                    super::say(format!("{nodes:>10} {}", position.fen()));
                }
            });
            writeln!(out, "{} nodes {} nps", report.nodes, report.speed())?;
        }
        What::Scaling => {
            let depth = arguments.depth.unwrap_or(scaling::DEPTH);
            let threads = arguments.threads.max(2);
            writeln!(
                out,
                "1 thread, {threads} threads, sooner, x nodes/s, fewer nodes   position"
            )?;
            let in_turns = arguments.in_turns;
            let rows = scaling::run(depth, threads, arguments.hash, in_turns, &mut |row| {
                let [one, many] = row.time.map(|time| time.as_millis());
                let (sooner, rate, fewer) = (row.speed_up(), row.rate(), row.fewer(threads));
                let fen = row.position.fen();
                super::say(format!(
                    "{one:6} ms {many:6} ms {sooner:5.2} {rate:5.2} {fewer:5.2}   {fen}"
                ));
            })?;
            let sooner = speed::geometric_mean(rows.iter().map(scaling::Row::speed_up));
            let rate = speed::geometric_mean(rows.iter().map(scaling::Row::rate));
            let fewer = speed::geometric_mean(rows.iter().map(|row| row.fewer(threads)));
            writeln!(
                out,
                "geometric mean over {} positions to depth {depth} with {threads} threads: \
                 {sooner:.2} times sooner, {rate:.2} times the nodes a second, \
                 {fewer:.2} times fewer nodes a thread",
                rows.len()
            )?;
        }
        What::Perft => {
            writeln!(out, "perft x shakmaty   moves/s, x shakmaty   position")?;
            let rows = speed::compare(PERFT_REPEATS, |row| {
                let (perft, make) = (row.perft.0 / 1e6, row.make.0 / 1e6);
                let ratios = (row.perft_ratio(), row.make_ratio());
                super::say(format!(
                    "{perft:7.0} M {:5.2}   {make:7.1} M {:5.2}   {}",
                    ratios.0, ratios.1, row.fen
                ));
            });
            let perft = speed::geometric_mean(rows.iter().map(speed::Row::perft_ratio));
            let make = speed::geometric_mean(rows.iter().map(speed::Row::make_ratio));
            writeln!(
                out,
                "geometric mean {perft:.2} in perft, {make:.2} in moves with their keys"
            )?;
            let nodes: u64 = rows.iter().map(|row| row.leaves).sum();
            let time: f64 = rows.iter().map(|row| row.leaves as f64 / row.perft.0).sum();
            let speed = (nodes as f64 / time) as u64;
            writeln!(out, "{nodes} nodes {speed} nps")?;
        }
    }
    Ok(())
}
