//! `klotz bpgn check`: replays records and names the first fault.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};

use crate::record::{self, RecordError};

/// What to do with records.
#[derive(Args, Debug)]
pub struct BpgnArgs {
    #[command(subcommand)]
    command: BpgnCommand,
}

#[derive(Subcommand, Debug)]
enum BpgnCommand {
    /// Replay every game of the files and name the first fault of each with its line
    Check {
        /// BPGN files, or PGN files of one board
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print the final position of each game
        #[arg(long)]
        fen: bool,
    },
}

/// Runs the subcommand; faults in the records are an error at the end.
pub fn run(args: &BpgnArgs) -> Result<()> {
    let BpgnCommand::Check { files, fen } = &args.command;
    let (mut games, mut faults) = (0, 0);
    for file in files {
        let name = file.display();
        let bytes = std::fs::read(file).with_context(|| format!("cannot read {name}"))?;
        let text = String::from_utf8_lossy(&bytes);
        let replayed: Vec<Result<String, RecordError>> = if record::is_bpgn(&text) {
            record::bpgn::read(&text)
                .map(|game| Ok(record::check::bpgn(&game?)?.table.boards().fen()))
                .collect()
        } else {
            record::pgn::read(&text)
                .iter()
                .zip(record::pgn::first_lines(&text))
                .map(|(game, line)| Ok(record::check::pgn(game, line)?.position().fen()))
                .collect()
        };
        for game in replayed {
            games += 1;
            match game {
                Ok(last) if *fen => super::say(last),
                Ok(_) => {}
                Err(fault) => {
                    faults += 1;
                    super::say(format!("{name}: game {games}: {fault}"));
                }
            }
        }
    }
    if faults > 0 {
        bail!("{faults} of {games} games have a fault");
    }
    super::say(format!("{games} games replayed, no fault"));
    Ok(())
}
