//! The subcommands.

// What clap shows as help is no Markdown: brackets there mean that something may be left out.
#![allow(rustdoc::broken_intra_doc_links)]

mod analyse;
pub mod arena;
mod bench;
pub mod bpgn;
mod perft;
pub mod table;

use std::io::Write;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::rules::{Position, Rules};

/// A subcommand with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Search positions and print lines and best moves
    Analyse(analyse::Arguments),
    /// Play matches and tournaments between engines
    Arena(arena::ArenaArgs),
    /// Run the fixed workload: its node count is the search's fingerprint
    Bench(bench::Arguments),
    /// Look after bughouse records
    Bpgn(bpgn::BpgnArgs),
    /// Count the leaves of the tree of legal moves
    Perft(perft::Arguments),
    /// Play one match at a table
    Table(Box<table::TableArgs>),
}

/// Runs a subcommand.
pub fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Analyse(arguments) => analyse::run(&arguments),
        Command::Arena(arguments) => arena::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Bpgn(arguments) => bpgn::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Table(arguments) => table::run(&arguments),
    }
}

/// The command line is wrong: the process ends with code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(String);

/// The command line of this process. What is wrong with it is told in one line, as every other error
/// is, and ends the process with code 2.
pub fn parse<T: Parser>() -> T {
    T::try_parse().unwrap_or_else(|error| {
        // Help and versions are asked for, no errors.
        if !error.use_stderr() {
            error.exit();
        }
        let program = T::command().get_name().to_owned();
        let what = match error.kind() {
            // Clap would say all it knows.
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                missing_command(T::command(), std::env::args().skip(1))
            }
            _ => told_in_one_line(&error.to_string()),
        };
        let _ = writeln!(std::io::stderr(), "{program}: {what}");
        std::process::exit(2);
    })
}

/// Which commands there are where one is missing.
fn missing_command(mut whole: clap::Command, words: impl Iterator<Item = String>) -> String {
    for word in words {
        if let Some(inner) = whole.find_subcommand(&word) {
            whole = inner.clone();
        }
    }
    let names: Vec<&str> = whole.get_subcommands().map(clap::Command::get_name).collect();
    format!("a command is missing: {}; --help tells more", names.join(", "))
}

/// What clap has to say of a command line, without the parts that help is asked for with.
fn told_in_one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let mut whole = String::new();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with("For more information")) {
        let between = match whole.chars().last() {
            None => "",
            Some(':') => " ",
            Some(_) if line.starts_with(['[', '<', '-']) => " ",
            Some(_) => "; ",
        };
        whole.push_str(between);
        let line = line.strip_prefix("error: ").unwrap_or(line);
        whole.push_str(line.strip_prefix("tip: ").unwrap_or(line));
    }
    if whole.is_empty() { "the command line cannot be read; try --help".to_owned() } else { whole }
}

/// A line on standard output. Nobody reading it is no reason to break the work off.
fn say(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Which rules a command plays by.
#[derive(Clone, Debug, clap::Args)]
struct RulesArguments {
    /// chess, crazyhouse, bughouse, bughouse-otb or bughouse-swedish
    #[arg(long, value_name = "PRESET", default_value = "crazyhouse")]
    rules: String,
    /// One rule by itself, as NAME=VALUE; may be repeated
    #[arg(long = "rule", value_name = "NAME=VALUE")]
    single: Vec<String>,
    /// Read and write castling as in Chess960
    #[arg(long)]
    chess960: bool,
}

impl RulesArguments {
    fn rules(&self) -> anyhow::Result<Rules> {
        let mut rules = Rules::preset(&self.rules)?;
        for single in &self.single {
            let (name, value) = single
                .split_once('=')
                .ok_or_else(|| anyhow::anyhow!("--rule '{single}' is not NAME=VALUE"))?;
            rules.set(name, value)?;
        }
        rules.chess960 = self.chess960;
        Ok(rules)
    }
}

/// A FEN, or the start position when there is none or it says `startpos`.
fn position(fen: Option<&str>, rules: Rules) -> anyhow::Result<Position> {
    match fen {
        None | Some("startpos") => Ok(Position::start(rules)),
        Some(fen) => Ok(Position::from_fen(fen, rules)?),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn a_missing_command_is_told() {
        #[derive(Debug, Parser)]
        #[command(name = "x")]
        struct Line {
            #[command(subcommand)]
            command: Outer,
        }
        #[derive(Debug, Subcommand)]
        enum Outer {
            #[command(subcommand)]
            Record(Inner),
        }
        #[derive(Debug, Subcommand)]
        enum Inner {
            Check,
            Show,
        }
        let error = Line::try_parse_from(["x", "record"]).expect_err("no command");
        assert_eq!(error.kind(), ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
        let told = missing_command(Line::command(), ["record".to_owned()].into_iter());
        assert_eq!(told, "a command is missing: check, show; --help tells more");
    }

    #[test]
    fn a_wrong_command_line_is_told_in_one_line() {
        #[derive(Debug, Parser)]
        struct Arguments {
            #[arg(long, value_parser = ["search", "perft"])]
            what: Option<String>,
            #[arg(long)]
            depth: Option<u32>,
            #[arg(required = true)]
            file: String,
            #[arg(required = true)]
            other: String,
        }
        for (arguments, wanted) in [
            (
                &["--dept", "3"][..],
                "unexpected argument '--dept' found; a similar argument exists: '--depth'",
            ),
            (
                &["--depth", "x"],
                "invalid value 'x' for '--depth <DEPTH>': invalid digit found in string",
            ),
            (
                &["--what", "x"],
                "invalid value 'x' for '--what <WHAT>' [possible values: search, perft]",
            ),
            (&[], "the following required arguments were not provided: <FILE> <OTHER>"),
        ] {
            let arguments = ["klotz"].iter().chain(arguments);
            let error = Arguments::try_parse_from(arguments).expect_err("an error");
            assert_eq!(told_in_one_line(&error.to_string()), wanted);
        }
    }
}
