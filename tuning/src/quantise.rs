//! From a trainer's checkpoint to a network file of small integers.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use klotz::eval::nnue::features::BUCKETS;
use klotz::eval::nnue::{
    MAX_FEATURE_BIAS, MAX_FEATURE_WEIGHT, MAX_OUTPUT_WEIGHT, Network, QA, QB, Weights,
};

use crate::checkpoint::{Checkpoint, Settings};
use crate::files;
use crate::model::{self, Layout};

/// Largest parameters the integers can hold: feature weights, feature biases, output weights,
/// output biases, shared rows, shared output row.
pub const LIMITS: [f32; 6] = [
    MAX_FEATURE_WEIGHT as f32 / QA as f32,
    MAX_FEATURE_BIAS as f32 / QA as f32,
    MAX_OUTPUT_WEIGHT as f32 / QB as f32,
    100.0,
    MAX_FEATURE_WEIGHT as f32 / QA as f32,
    MAX_OUTPUT_WEIGHT as f32 / QB as f32,
];

/// Letters of a name.
const NAME: usize = 32;

/// Makes a network file from a checkpoint.
#[derive(Args)]
#[command(after_help = "Examples:
  klotz-tuning quantise run/last.ckpt crazyhouse.nnue --name crazyhouse-1
  klotz-tuning quantise run/best.ckpt networks/bughouse.nnue --name bughouse-1")]
pub struct Options {
    /// The trainer's checkpoint
    checkpoint: PathBuf,
    /// The network file to write (replaced whole, or left alone if anything fails)
    network: PathBuf,
    /// Name kept in the file, up to 32 letters
    #[arg(long)]
    name: String,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let name = &options.name;
    ensure!(
        (1..=NAME).contains(&name.len()) && name.chars().all(|c| c.is_ascii_graphic()),
        "--name '{}': from 1 to {NAME} letters, digits and signs, without blanks",
        name.escape_debug()
    );
    let checkpoint = Checkpoint::read(&options.checkpoint)?;
    let (network, cut) = quantise(&options.name, &checkpoint.settings, &checkpoint.params)
        .with_context(|| options.checkpoint.display().to_string())?;
    let bytes = network.to_bytes();
    files::replace(&options.network, &bytes)?;
    if cut > 0 {
        say!("{cut} weights were beyond what the integers hold and are cut to it");
    }
    say!("{}: {} bytes, sha256 {}", options.network.display(), bytes.len(), files::sha256(&bytes));
    Ok(())
}

/// Rounds parameters to the network's integers; tells how many had to be cut to their limits.
pub fn quantise(name: &str, settings: &Settings, params: &[f32]) -> Result<(Network, usize)> {
    let shape = settings.shape();
    ensure!(
        params.iter().all(|value| value.is_finite()),
        "a weight is not a number: the training diverged"
    );
    let (layout, mut network) = (Layout::new(shape), model::merged(shape, params));
    if settings.buckets == 1 {
        // The first was trained for all.
        let row = network[layout.outputs..][..2 * shape.hidden].to_vec();
        network[layout.outputs..layout.output_bias]
            .chunks_exact_mut(row.len())
            .for_each(|other| other.copy_from_slice(&row));
        let bias = network[layout.output_bias];
        network[layout.output_bias..].fill(bias);
    }
    let mut cut = 0;
    let mut round = |part: usize, one: i16| -> Vec<i16> {
        let bounds = layout.bounds();
        let limit = LIMITS[part];
        // The trainer keeps each row within the limits, but not the sum of two.
        let beyond = |value: &&f32| value.abs() * f32::from(one) >= limit * f32::from(one) + 0.5;
        cut += network[bounds[part]..bounds[part + 1]].iter().filter(beyond).count();
        network[bounds[part]..bounds[part + 1]]
            .iter()
            .map(|value| (value.clamp(-limit, limit) * f32::from(one)).round() as i16)
            .collect()
    };
    let bias = &network[layout.output_bias..];
    let weights = Weights {
        hidden: shape.hidden,
        near: shape.near,
        features: round(0, QA),
        feature_bias: round(1, QA),
        outputs: round(2, QB),
        output_bias: std::array::from_fn::<i32, BUCKETS, _>(|i| {
            (f64::from(bias[i]) * f64::from(QA) * f64::from(QB)).round() as i32
        }),
    };
    Ok((Network::new(name, &weights)?, cut))
}
