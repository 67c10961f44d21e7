//! Tuning the search's numbers by play: simultaneous perturbation (SPSA).
//!
//! Every step moves all numbers at once by a random sign, one player up and one down, plays pairs,
//! and follows the winner a little. Each step is decided by the seed and its number, so that a
//! killed run goes on as if nothing had happened.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use clap::Args;
use fastrand::Rng;
use klotz::search::{Params, Tunable};
use serde::{Deserialize, Serialize};

use crate::contest::Pairs;
use crate::files;
use crate::player::{self, Book, Effort, Evaluation, Player};

/// Tunes numbers of the search by games; run again it goes on where it was ended.
#[derive(Args)]
#[command(after_help = "Examples:
  klotz-tuning spsa state.json --book openings.epd --steps 2000
  klotz-tuning spsa state.json --param rfp_margin --param razor_base --steps 500")]
pub struct Options {
    /// File that keeps the run's state
    state: PathBuf,
    /// Number to tune (repeat; without, all of them)
    #[arg(long)]
    param: Vec<String>,
    /// Steps in all
    #[arg(long, default_value_t = 1000)]
    steps: u64,
    /// Pairs of games a step
    #[arg(long, default_value_t = 4)]
    pairs: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 2000)]
    nodes: u64,
    /// Size of a step at the end, as a share of what the games tell
    #[arg(long, default_value_t = 0.002)]
    rate: f64,
    /// How far the numbers are moved at the end, in steps of their declaration; more tells more while
    /// they are far from their best
    #[arg(long, default_value_t = 1.0)]
    reach: f64,
    /// crazyhouse or bughouse
    #[arg(long, default_value = "crazyhouse")]
    variant: String,
    /// Network (default: the classical evaluation)
    #[arg(long)]
    net: Option<PathBuf>,
    /// Openings (FEN or EPD)
    #[arg(long)]
    book: Option<PathBuf>,
    /// Seed of the run
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Table of each player, in MiB
    #[arg(long, default_value_t = 4)]
    hash: usize,
    /// Threads (0: all cores)
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// What decides a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Settings {
    names: Vec<String>,
    steps: u64,
    pairs: u64,
    nodes: u64,
    rate: f64,
    reach: f64,
    variant: String,
    evaluation: String,
    book: String,
    seed: u64,
}

/// A run between two steps.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    settings: Settings,
    step: u64,
    values: Vec<f64>,
}

/// The usual decays of the step and of the perturbation.
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;

impl State {
    /// How far each number is moved in the coming step, in steps of its declaration.
    fn reach(&self) -> f64 {
        let wider = (self.settings.steps as f64 / (self.step + 1) as f64).powf(GAMMA);
        self.settings.reach * wider
    }

    /// The signs of the coming step.
    fn signs(&self) -> Vec<f64> {
        let mut rng = Rng::with_seed(self.settings.seed.wrapping_mul(1_000_003) ^ self.step);
        self.values.iter().map(|_| if rng.bool() { 1.0 } else { -1.0 }).collect()
    }

    /// The values of the player that is moved along the signs (`side` 1) or against them (-1).
    fn moved(&self, tunables: &[Tunable], side: f64) -> Vec<i32> {
        let reach = self.reach();
        let moved = self.values.iter().zip(self.signs()).zip(tunables);
        moved
            .map(|((value, sign), tunable)| {
                let value = value + side * sign * reach * f64::from(tunable.step);
                (value.round() as i32).clamp(tunable.min, tunable.max)
            })
            .collect()
    }

    /// Follows the result: wins minus losses of the player moved along the signs.
    fn follow(&mut self, tunables: &[Tunable], result: f64) {
        let steps = self.settings.steps as f64;
        let stability = 0.1 * steps;
        let fade = ((stability + steps) / (stability + (self.step + 1) as f64)).powf(ALPHA);
        let (rate, reach, signs) = (self.settings.rate * fade, self.reach(), self.signs());
        for ((value, sign), tunable) in self.values.iter_mut().zip(signs).zip(tunables) {
            let step = rate * f64::from(tunable.step) * sign * result / reach;
            *value = (*value + step).clamp(tunable.min.into(), tunable.max.into());
        }
        self.step += 1;
    }
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    ensure!(
        options.steps > 0 && options.pairs > 0 && options.nodes > 0,
        "--steps, --pairs and --nodes: at least 1"
    );
    ensure!(options.rate.is_finite() && options.rate > 0.0, "--rate {}: above 0", options.rate);
    ensure!(options.reach.is_finite() && options.reach > 0.0, "--reach {}: above 0", options.reach);
    let tunables = chosen(&options.param)?;
    let book = Book::load(options.book.as_ref())?;
    let evaluation = Evaluation::load(options.net.as_deref())?;
    let settings = Settings {
        names: tunables.iter().map(|tunable| tunable.name.to_owned()).collect(),
        steps: options.steps,
        pairs: options.pairs,
        nodes: options.nodes,
        rate: options.rate,
        reach: options.reach,
        variant: options.variant.clone(),
        evaluation: evaluation.name().to_owned(),
        book: book.name.clone(),
        seed: options.seed,
    };
    let mut state = start(&options.state, settings, &tunables)?;
    let pairs = Pairs::new(&options.variant, book, 8, options.seed)?;
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads.min(1024),
    };
    let effort = Effort { soft_nodes: None, hard_nodes: options.nodes };
    while state.step < options.steps {
        let result = play(&state, &tunables, &pairs, threads, || {
            let new = || Player::new(&evaluation, effort, options.hash);
            Ok([new()?, new()?])
        })?;
        state.follow(&tunables, result);
        files::replace(&options.state, &serde_json::to_vec_pretty(&state)?)?;
        if state.step.is_multiple_of(10) || state.step == options.steps {
            let list = tunables.iter().zip(&state.values);
            let list: Vec<String> =
                list.map(|(tunable, value)| format!("{} {value:.1}", tunable.name)).collect();
            say!("step {}: {}", state.step, list.join(", "));
        }
    }
    Ok(())
}

/// The numbers to tune.
fn chosen(names: &[String]) -> Result<Vec<Tunable>> {
    if names.is_empty() {
        return Ok(Params::TUNABLES.to_vec());
    }
    names
        .iter()
        .map(|name| {
            let found = Params::TUNABLES.iter().find(|tunable| tunable.name == name);
            found.copied().with_context(|| format!("--param {name}: the search has no such number"))
        })
        .collect()
}

/// A new run, or the one a file keeps.
fn start(path: &Path, settings: Settings, tunables: &[Tunable]) -> Result<State> {
    if !path.exists() {
        let values = tunables.iter().map(|tunable| tunable.default.into()).collect();
        return Ok(State { settings, step: 0, values });
    }
    let name = path.display();
    let state: State = serde_json::from_slice(&files::read(path)?)
        .with_context(|| format!("{name}: no state of a run"))?;
    ensure!(
        state.settings == settings && state.values.len() == tunables.len(),
        "{name}: of another run ({})",
        serde_json::to_string(&state.settings)?
    );
    ensure!(state.values.iter().all(|value| value.is_finite()), "{name}: a value is not a number");
    say!("going on after step {}", state.step);
    Ok(state)
}

/// Plays a step's pairs; wins minus losses of the first player, half points as halves.
fn play(
    state: &State,
    tunables: &[Tunable],
    pairs: &Pairs,
    threads: usize,
    make: impl Fn() -> Result<[Player; 2]> + Sync,
) -> Result<f64> {
    let values = [state.moved(tunables, 1.0), state.moved(tunables, -1.0)];
    let (first, count) = (state.step * state.settings.pairs, state.settings.pairs);
    let next = AtomicU64::new(0);
    let total = Mutex::new(0.0);
    let work = || -> Result<()> {
        let mut players = make()?;
        for (player, values) in players.iter_mut().zip(&values) {
            let mut params = Params::default();
            for (tunable, value) in tunables.iter().zip(values) {
                params.set(tunable.name, *value)?;
            }
            player.set_params(&params);
        }
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(());
            }
            let (points, _) = pairs.play(&mut players, first + number)?;
            // A sum of halves is exact, so the order does not matter.
            *total.lock().unwrap_or_else(PoisonError::into_inner) += points as f64 - 2.0;
        }
    };
    std::thread::scope(|scope| -> Result<()> {
        let handles = (0..threads.min(count as usize).max(1))
            .map(|_| player::thread().spawn_scoped(scope, work))
            .collect::<std::io::Result<Vec<_>>>()?;
        handles.into_iter().try_for_each(|handle| match handle.join() {
            Ok(result) => result,
            Err(_) => anyhow::bail!("a player broke down"),
        })
    })?;
    Ok(total.into_inner().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::Scratch;

    fn settings(steps: u64) -> Settings {
        Settings {
            names: vec!["a".into(), "b".into()],
            steps,
            pairs: 4,
            nodes: 1,
            rate: 0.02,
            reach: 1.0,
            variant: "crazyhouse".into(),
            evaluation: "classical".into(),
            book: "start".into(),
            seed: 5,
        }
    }

    const TUNABLES: [Tunable; 2] = [
        Tunable { name: "a", default: 20, min: 0, max: 100, step: 5 },
        Tunable { name: "b", default: 80, min: 0, max: 100, step: 5 },
    ];

    #[test]
    fn steps_lead_to_the_better_values() {
        let values = TUNABLES.iter().map(|tunable| tunable.default.into()).collect();
        let mut state = State { settings: settings(3000), step: 0, values };
        let worth = |values: &[i32]| -> f64 {
            values
                .iter()
                .zip([60, 30])
                .map(|(value, best)| -f64::from((value - best).pow(2)) / 400.0)
                .sum()
        };
        let mut rng = Rng::with_seed(1);
        while state.step < state.settings.steps {
            let difference =
                worth(&state.moved(&TUNABLES, 1.0)) - worth(&state.moved(&TUNABLES, -1.0));
            let games = (0..8)
                .map(|_| if rng.f64() < 0.5 + difference.clamp(-0.5, 0.5) { 1.0 } else { -1.0 });
            let result = games.sum();
            state.follow(&TUNABLES, result);
        }
        assert!(
            (state.values[0] - 60.0).abs() < 10.0 && (state.values[1] - 30.0).abs() < 10.0,
            "{:?}",
            state.values
        );
    }

    #[test]
    fn a_run_is_kept_and_another_is_refused() {
        let scratch = Scratch::new("spsa");
        let path = scratch.file("state.json");
        let mut state = start(&path, settings(10), &TUNABLES).expect("a new run");
        state.follow(&TUNABLES, 1.0);
        files::replace(&path, &serde_json::to_vec(&state).expect("plain data")).expect("space");
        let kept = start(&path, settings(10), &TUNABLES).expect("the run");
        assert_eq!((kept.step, &kept.values), (1, &state.values));
        // A run read back after every step is the uninterrupted one, to the last bit.
        let (mut whole, mut parts) = (state.clone(), kept);
        for step in 1..10 {
            let result = f64::from(step % 3) - 0.7;
            whole.follow(&TUNABLES, result);
            parts.follow(&TUNABLES, result);
            let bytes = serde_json::to_vec(&parts).expect("plain data");
            files::replace(&path, &bytes).expect("space");
            parts = start(&path, settings(10), &TUNABLES).expect("the run");
            let bits = |state: &State| -> Vec<u64> {
                state.values.iter().map(|value| value.to_bits()).collect()
            };
            assert_eq!(bits(&whole), bits(&parts), "step {step}");
        }
        assert!(start(&path, settings(11), &TUNABLES).is_err());
        std::fs::write(&path, "{").expect("space");
        assert!(start(&path, settings(10), &TUNABLES).is_err());
        assert!(chosen(&["no_such".into()]).is_err());
    }
}
