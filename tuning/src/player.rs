//! The engine as a player: a searcher with node limits, for generated games and matches.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use klotz::eval::Networks;
use klotz::eval::nnue::Network;
use klotz::rules::{Position, Variant};
use klotz::search::{Control, Limits, Params, Request, STACK, Searcher};
use klotz::types::{Key, MATE, Move, Score, Value};

use crate::files;

/// A network by its file, or the classical evaluation.
#[derive(Clone)]
pub struct Evaluation {
    network: Option<Arc<Network>>,
    name: String,
}

impl Evaluation {
    /// Reads a network; without a file, the classical evaluation.
    pub fn load(path: Option<&Path>) -> Result<Evaluation> {
        let Some(path) = path.filter(|path| *path != Path::new("classical")) else {
            return Ok(Evaluation { network: None, name: "classical".into() });
        };
        let bytes = files::read(path)?;
        let network = Network::from_bytes(&bytes).with_context(|| path.display().to_string())?;
        let name = format!("{} {}", network.name(), files::sha256(&bytes));
        Ok(Evaluation { network: Some(Arc::new(network)), name })
    }

    /// `classical`, or the network's name and SHA-256.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `classical`, or the network's name.
    pub fn short_name(&self) -> &str {
        self.name.split(' ').next().unwrap_or_default()
    }
}

/// A thread on which players can play.
pub fn thread() -> std::thread::Builder {
    std::thread::Builder::new().stack_size(STACK)
}

/// How long a player thinks about a move.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// No iteration begins after this many nodes.
    pub soft_nodes: Option<u64>,
    /// The search ends at this many nodes.
    pub hard_nodes: u64,
}

/// A player.
pub struct Player {
    searcher: Searcher,
    effort: Effort,
    nodes: u64,
    time: Duration,
}

impl Player {
    /// A player with a table of `hash` MiB, for a thread with [`STACK`] bytes of stack.
    pub fn new(evaluation: &Evaluation, effort: Effort, hash: usize) -> Result<Player> {
        let mut searcher = Searcher::new(1, hash)?;
        searcher.stay_on_thread();
        let mut networks = Networks::none();
        for variant in [Variant::Crazyhouse, Variant::Bughouse] {
            networks.set(variant, evaluation.network.clone());
        }
        searcher.set_networks(networks);
        Ok(Player { searcher, effort, nodes: 0, time: Duration::ZERO })
    }

    /// Nodes searched so far, and the time they took.
    pub fn work(&self) -> (u64, Duration) {
        (self.nodes, self.time)
    }

    /// Sets the search's numbers.
    pub fn set_params(&mut self, params: &Params) {
        self.searcher.set_params(params.clone());
    }

    /// Forgets the last game.
    pub fn new_game(&mut self) {
        self.searcher.clear();
    }

    /// The move to play and its value for the mover; none where there is no move.
    pub fn think(&mut self, position: &Position, history: &[Key]) -> Option<(Move, Value)> {
        let start = Instant::now();
        let mut limits = Limits::new(start);
        limits.nodes = Some(self.effort.hard_nodes);
        limits.soft_nodes = self.effort.soft_nodes;
        let request = Request { history: history.to_vec(), ..Request::new(*position, limits) };
        let outcome = self.searcher.search(&request, &Control::new(), &|_| ());
        self.nodes += outcome.nodes;
        self.time += start.elapsed();
        outcome.best.map(|mv| (mv, value(outcome.score)))
    }
}

/// A search's score as one number.
fn value(score: Score) -> Value {
    match score {
        Score::Cp(value) => value,
        Score::Mate(moves) if moves > 0 => MATE - 2 * moves + 1,
        Score::Mate(moves) => -MATE - 2 * moves,
    }
}

/// Start positions: one a line, FEN or EPD; empty lines and `#` comments are left out.
pub struct Book {
    /// The FENs.
    pub positions: Vec<String>,
    /// File name and SHA-256.
    pub name: String,
}

impl Book {
    /// Reads a book; without a file there are no positions.
    pub fn load(path: Option<&PathBuf>) -> Result<Book> {
        let Some(path) = path else {
            return Ok(Book { positions: Vec::new(), name: "start".into() });
        };
        let bytes = files::read(path)?;
        let text = std::str::from_utf8(&bytes)
            .with_context(|| format!("{}: not a text", path.display()))?;
        let positions: Vec<String> = text
            .lines()
            .map(|line| line.split(';').next().unwrap_or_default().trim().to_owned())
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect();
        anyhow::ensure!(!positions.is_empty(), "{}: no position in it", path.display());
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Book { positions, name: format!("{file} {}", files::sha256(&bytes)) })
    }
}

#[cfg(test)]
mod tests {
    use klotz::types::{mate_in, mated_in};

    use super::*;

    #[test]
    fn mates_come_back_as_values() {
        for value_in in [mate_in(1), mate_in(5), mated_in(2), mated_in(4), 37, -812] {
            assert_eq!(value(Score::from_value(value_in)), value_in);
        }
    }
}
