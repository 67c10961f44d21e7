//! The `klotz` binary.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use klotz::cli;

/// A crazyhouse and bughouse engine. Without a subcommand it speaks a protocol on its input.
#[derive(Parser)]
#[command(version)]
struct Klotz {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Table(cli::table::TableArgs),
    /// Look after bughouse records
    Bpgn(cli::bpgn::BpgnArgs),
}

fn main() -> ExitCode {
    let done = match Klotz::parse().command {
        Some(Command::Table(args)) => cli::table::run(&args),
        Some(Command::Bpgn(args)) => cli::bpgn::run(&args),
        None => Ok(()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
