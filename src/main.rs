//! The `klotz` binary: without a subcommand it speaks a protocol, otherwise it runs the command.

use std::io;
use std::process::ExitCode;

use clap::Parser;

use klotz::cli::{self, Command};

#[derive(Parser)]
#[command(
    version,
    about = "A crazyhouse and bughouse engine",
    long_about = "A crazyhouse and bughouse engine. Without a command it speaks UCI, XBoard's \
                  protocol or UBI on standard input, whichever the first line names."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

fn main() -> ExitCode {
    let result = match cli::parse::<Arguments>().command {
        Some(command) => cli::run(command),
        None => {
            klotz::protocol::serve(io::stdin(), Box::new(io::stdout())).map_err(anyhow::Error::from)
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("klotz: {error:#}");
            ExitCode::from(if error.is::<cli::UsageError>() { 2 } else { 1 })
        }
    }
}
