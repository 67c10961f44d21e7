//! What is in files of games.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use klotz::eval::nnue::features;
use klotz::types::Color;

use crate::files;
use crate::format::{End, Game, Outcome, Reader};
use crate::samples::{self, Reason};

/// Tells what is in files of games: counts, filters, results, scores, duplicates.
#[derive(Args)]
#[command(after_help = "Examples:
  klotz-tuning stats data/
  klotz-tuning stats data/zh-1.kgames data/zh-2.kgames")]
pub struct Options {
    /// Files of games, or folders with .kgames files
    #[arg(required = true)]
    data: Vec<PathBuf>,
}

/// Upper ends of the score classes, in centipawns.
const CLASSES: [i16; 8] = [25, 50, 100, 200, 400, 800, 1600, i16::MAX];

#[derive(Default)]
struct Stats {
    games: u64,
    plies: u64,
    outcomes: [u64; 3],
    ends: [u64; 4],
    reasons: [u64; Reason::ALL.len()],
    kept: u64,
    keys: HashSet<u64>,
    scores: [u64; CLASSES.len()],
    buckets: [u64; features::BUCKETS],
    bad_games: u64,
}

impl Stats {
    fn add(&mut self, game: &Game, rules: klotz::rules::Rules) {
        self.games += 1;
        self.plies += game.plies.len() as u64;
        self.outcomes[game.outcome as usize] += 1;
        self.ends[game.end as usize] += 1;
        let replayed = samples::replay(game, rules, |position, ply, mv| {
            if let Some(reason) = samples::filter(position, mv, ply.score) {
                self.reasons[reason as usize] += 1;
                return;
            }
            self.kept += 1;
            self.keys.insert(position.key());
            let class =
                CLASSES.iter().position(|&limit| ply.score.saturating_abs() <= limit).unwrap_or(0);
            self.scores[class] += 1;
            let pieces = position.hand_total(Color::White) + position.hand_total(Color::Black);
            self.buckets[features::bucket(pieces)] += 1;
        });
        self.bad_games += u64::from(replayed.is_err());
    }

    fn print(&self) {
        let share = |part: u64, of: u64| {
            format!("{part} ({:.1} %)", 100.0 * part as f64 / of.max(1) as f64)
        };
        say!(
            "games       {}, {:.1} plies each",
            self.games,
            self.plies as f64 / self.games.max(1) as f64
        );
        if self.bad_games > 0 {
            say!("            {} of them could not be played again", self.bad_games);
        }
        for (name, outcome) in
            [("win", Outcome::Win), ("draw", Outcome::Draw), ("loss", Outcome::Loss)]
        {
            say!("  {name:<10}{}", share(self.outcomes[outcome as usize], self.games));
        }
        for end in End::ALL {
            say!(
                "  {:<10}{}",
                format!("{end:?}").to_lowercase(),
                share(self.ends[end as usize], self.games)
            );
        }
        say!("positions   {}", self.plies);
        say!("  kept      {}", share(self.kept, self.plies));
        for reason in Reason::ALL {
            let count = self.reasons[reason as usize];
            say!("  {:<10}{}", format!("{reason:?}").to_lowercase(), share(count, self.plies));
        }
        say!("duplicates  {} of those kept", share(self.kept - self.keys.len() as u64, self.kept));
        say!("scores of those kept, by size in centipawns");
        for (limit, &count) in CLASSES.iter().zip(&self.scores) {
            let name = if *limit == i16::MAX { "more".to_owned() } else { format!("to {limit}") };
            say!("  {name:<10}{}", share(count, self.kept));
        }
        say!("output buckets of those kept");
        for (bucket, &count) in self.buckets.iter().enumerate() {
            say!("  {bucket:<10}{}", share(count, self.kept));
        }
    }
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let mut stats = Stats::default();
    for path in files::games(&options.data)? {
        let name = path.display().to_string();
        let mut reader = Reader::open(&path)?;
        let settings = reader.settings().clone();
        let rules = samples::rules(&settings.variant).with_context(|| name.clone())?;
        let mut blocks = 0;
        for block in reader.by_ref() {
            blocks += 1;
            block
                .with_context(|| name.clone())?
                .games
                .iter()
                .for_each(|game| stats.add(game, rules));
        }
        let loss = reader.loss();
        say!("{name}: {blocks} blocks, {} damaged ({} bytes lost)", loss.blocks, loss.bytes);
        say!("  {}", serde_json::to_string(&settings)?);
    }
    stats.print();
    Ok(())
}
