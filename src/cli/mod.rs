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

use clap::Subcommand;

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
