//! Tuning of the hand-written evaluation: its numbers are moved one by one as long as that foretells
//! better what searches and results said of positions (Österlund, "Texel's tuning method", 2014).

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use klotz::eval::classical::{Weights, evaluate_with};
use klotz::rules::Position;
use klotz::types::Color;
use rayon::prelude::*;

use crate::files;
use crate::format::Reader;
use crate::model::{Target, sigmoid};
use crate::samples::{self, Selection, Smoothing};

/// Tunes the numbers of the hand-written evaluation on games of self-play
#[derive(Args)]
#[command(after_help = "Examples:
  klotz-tuning texel data/zh-1.kgames --out src/eval/classical/numbers.rs
  klotz-tuning texel data/ --out numbers.rs --positions 500000 --result-weight 0.3

The file written is source text; build the engine again to play with it.")]
pub struct Options {
    /// Files of games, or folders with .kgames files
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Source file to write
    #[arg(long)]
    out: PathBuf,
    /// Positions to tune on; as soon as there are so many, the files are read no further
    #[arg(long, default_value_t = 300_000)]
    positions: usize,
    /// One of so many positions is taken, so that they come from many games
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    thin: u32,
    /// Weight of the game's result against the search's score
    #[arg(long, default_value_t = 0.3)]
    result_weight: f32,
    /// Weight of later scores of the same game
    #[arg(long, default_value_t = 0.65)]
    smoothing: f32,
    /// Centipawns for one unit of the logistic function
    #[arg(long, default_value_t = 400.0)]
    scale: f32,
    /// Walks over all numbers with each size of step
    #[arg(long, default_value_t = 4)]
    walks: u32,
    /// Seed of the choice of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Sizes of steps, one after the other.
const STEPS: [i32; 4] = [16, 8, 4, 2];

/// A position with the expected score of its mover.
struct Labelled {
    position: Position,
    target: f32,
}

/// Positions to tune on, and those of games held out.
#[derive(Default)]
struct Data {
    tuned: Vec<Labelled>,
    held_out: Vec<Labelled>,
    /// Games that could not be played again.
    bad_games: u64,
}

fn load(options: &Options) -> Result<Data> {
    let selection = Selection {
        smoothing: Smoothing { weight: options.smoothing, scale: options.scale },
        checks: false,
        tactical: false,
        hand_slots: u8::MAX,
    };
    let target = Target { result_weight: options.result_weight, scale: options.scale };
    let mut data = Data::default();
    let mut choice = fastrand::Rng::with_seed(options.seed);
    for path in files::games(&options.data)? {
        if data.tuned.len() >= options.positions {
            break;
        }
        let name = path.display().to_string();
        let mut reader = Reader::open(&path)?;
        let settings = reader.settings().clone();
        let rules = samples::rules(&settings.variant).with_context(|| name.clone())?;
        for block in reader.by_ref() {
            let block = block.with_context(|| name.clone())?;
            for (number, game) in block.games.iter().enumerate() {
                let held = samples::held_out(settings.seed, block.index, number);
                let into = if held { &mut data.held_out } else { &mut data.tuned };
                let replayed =
                    samples::labelled(game, rules, selection, |position, score, white_score| {
                        if choice.u32(..options.thin) != 0 {
                            return;
                        }
                        let black = position.turn() == Color::Black;
                        let result = white_score.map(|won| if black { 1.0 - won } else { won });
                        let target = target.expected(score, result);
                        into.push(Labelled { position: *position, target });
                    });
                data.bad_games += u64::from(replayed.is_err());
            }
            if data.tuned.len() >= options.positions {
                break;
            }
        }
        let loss = reader.loss();
        if loss.blocks > 0 {
            eprintln!("{name}: {} damaged blocks left out ({} bytes)", loss.blocks, loss.bytes);
        }
    }
    if data.bad_games > 0 {
        eprintln!("{} games could not be played again", data.bad_games);
    }
    ensure!(!data.tuned.is_empty(), "no position to tune on");
    Ok(data)
}

/// Mean squared difference between what the evaluation foretells and what came. Summed in parts of
/// fixed size, so that it depends on no number of threads.
fn error(list: &[Labelled], weights: &Weights, scale: f32) -> f64 {
    let parts: Vec<f64> = list
        .par_chunks(4096)
        .map(|part| {
            part.iter()
                .map(|labelled| {
                    let value = evaluate_with(&labelled.position, weights);
                    f64::from(sigmoid(value as f32 / scale) - labelled.target).powi(2)
                })
                .sum()
        })
        .collect();
    parts.iter().sum::<f64>() / list.len().max(1) as f64
}

/// Moves each number in turn while that lowers the error; says how many were moved.
fn walk(
    list: &[Labelled],
    numbers: &mut [i32; Weights::COUNT],
    best: &mut f64,
    step: i32,
    scale: f32,
    bar: &ProgressBar,
) -> usize {
    let mut moved = 0;
    for i in 0..Weights::COUNT {
        let before = numbers[i];
        for change in [step, -step] {
            numbers[i] = before + change;
            let found = error(list, &Weights::from_flat(numbers), scale);
            if found < *best {
                *best = found;
                moved += 1;
                break;
            }
            numbers[i] = before;
        }
        bar.inc(1);
    }
    moved
}

/// The source text of the numbers.
fn source(weights: &Weights) -> String {
    let mut text = String::from(
        "//! The hand-written evaluation's numbers as tuned: `klotz-tuning texel` writes this file.\n\n\
         use super::weights::Weights;\n\n\
         #[rustfmt::skip]\n\
         pub(super) const NUMBERS: Weights = Weights {\n",
    );
    let flat = weights.flat();
    let mut rest = flat.as_slice();
    for &(name, count) in Weights::NAMES {
        let (own, later) = rest.split_at(count.unwrap_or(1));
        rest = later;
        let row = |row: &[i32]| row.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
        let _ = match count {
            None => writeln!(text, "    {name}: {},", row(own)),
            Some(count) if count <= 8 => writeln!(text, "    {name}: [{}],", row(own)),
            Some(_) => {
                let rows: String =
                    own.chunks(8).map(|chunk| format!("        {},\n", row(chunk))).collect();
                writeln!(text, "    {name}: [\n{rows}    ],")
            }
        };
    }
    text + "};\n"
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    for (name, share) in
        [("result-weight", options.result_weight), ("smoothing", options.smoothing)]
    {
        ensure!((0.0..=1.0).contains(&share), "--{name} is a share from 0 to 1, not {share}");
    }
    ensure!(options.scale.is_finite() && options.scale > 0.0, "--scale must be above 0");
    let data = load(options)?;
    let flat = Weights::default().flat();
    let mut numbers: [i32; Weights::COUNT] =
        flat.try_into().ok().context("the weights do not fill their list")?;
    // What was found so far is kept, whenever this is ended; a file that can't be written is told first.
    let keep = |numbers: &[i32; Weights::COUNT]| {
        files::replace(&options.out, source(&Weights::from_flat(numbers)).as_bytes())
    };
    keep(&numbers)?;
    let judge = |list: &[Labelled], numbers: &[i32; Weights::COUNT]| {
        error(list, &Weights::from_flat(numbers), options.scale)
    };
    let mut best = judge(&data.tuned, &numbers);
    say!(
        "{} positions to tune on, {} held out; error {best:.6}, held out {:.6}",
        data.tuned.len(),
        data.held_out.len(),
        judge(&data.held_out, &numbers)
    );
    for step in STEPS {
        for number in 1..=options.walks {
            let bar = ProgressBar::new(Weights::COUNT as u64)
                .with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {eta}")?);
            let moved = walk(&data.tuned, &mut numbers, &mut best, step, options.scale, &bar);
            bar.finish_and_clear();
            say!(
                "step {step:>2}, walk {number}: {moved} moved, error {best:.6}, held out {:.6}",
                judge(&data.held_out, &numbers)
            );
            keep(&numbers)?;
            if moved == 0 {
                break;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_move_towards_those_that_made_the_labels() {
        let mut rng = fastrand::Rng::with_seed(3);
        let truth = Weights::default();
        let list: Vec<Labelled> = (0..400)
            .map(|_| {
                let mut position = Position::start(klotz::rules::Rules::CRAZYHOUSE);
                for _ in 0..rng.u32(10..40) {
                    let moves = position.legal_moves();
                    let Some(&mv) = moves.get(rng.usize(..moves.len().max(1))) else { break };
                    position.make(mv);
                }
                let value = evaluate_with(&position, &truth);
                Labelled { position, target: sigmoid(value as f32 / 400.0) }
            })
            .collect();
        let wrong = Weights { tempo: truth.tempo + 32, ..truth.clone() };
        let mut numbers: [i32; Weights::COUNT] = wrong.flat().try_into().unwrap();
        let mut best = error(&list, &wrong, 400.0);
        let before = best;
        while walk(&list, &mut numbers, &mut best, 16, 400.0, &ProgressBar::hidden()) > 0 {}
        assert!(best < before / 20.0, "{before} to {best}");
    }

    #[test]
    fn the_source_is_that_of_the_present_numbers() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/eval/classical/numbers.rs");
        assert_eq!(source(&Weights::default()), std::fs::read_to_string(path).unwrap());
    }
}
