//! `klotz-tuning`: self-play data, training and parameter tuning.

use clap::Parser;

/// Data generation, training and tuning for the Klotz engine.
#[derive(Parser)]
#[command(version, about)]
struct Cli {}

fn main() {
    Cli::parse();
}
