//! `klotz-tuning`: self-play data, training and parameter tuning.

#[macro_use]
mod out;

mod checkpoint;
mod contest;
mod curve;
mod datagen;
mod files;
mod format;
mod model;
mod nets;
mod player;
mod quantise;
mod samples;
mod selfplay;
mod spsa;
mod stats;
mod texel;
mod train;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Data generation, training and tuning for the Klotz engine.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Datagen(datagen::Options),
    Stats(stats::Options),
    Train(train::Options),
    Quantise(quantise::Options),
    Nets(nets::Options),
    Match(contest::Options),
    Spsa(spsa::Options),
    Texel(texel::Options),
}

fn main() -> ExitCode {
    let result = match klotz::cli::parse::<Cli>().command {
        Command::Datagen(options) => datagen::run(&options),
        Command::Stats(options) => stats::run(&options),
        Command::Train(options) => train::run(&options),
        Command::Match(options) => contest::run(&options),
        Command::Spsa(options) => spsa::run(&options),
        Command::Texel(options) => texel::run(&options),
        Command::Nets(options) => nets::run(&options),
        Command::Quantise(options) => quantise::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
