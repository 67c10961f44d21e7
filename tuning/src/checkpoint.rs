//! A training run's whole state in one file, so that a killed run goes on as if nothing happened.

use std::path::Path;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::files;
use crate::model::{AdamW, HIDDEN_SIZES, Shape, parameter_count};

const MAGIC: &[u8; 8] = b"KLOTZCKP";
const VERSION: u32 = 4;

/// Everything that decides a run's result; a resumed run must have the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Hidden neurons a player.
    pub hidden: usize,
    /// Whether it knows what is near the king.
    pub near: bool,
    /// Seed of the first weights and of the shuffling.
    pub seed: u64,
    /// Passes over the data.
    pub epochs: u32,
    /// Positions a step.
    pub batch: usize,
    /// Highest learning rate.
    pub rate: f32,
    /// Learning rate at the end.
    pub last_rate: f32,
    /// Decay of weights.
    pub decay: f32,
    /// Weight of the game's result in the target.
    pub result_weight: f32,
    /// Centipawns for one unit of the logistic function.
    pub scale: f32,
    /// Weight of the following searches' scores against the position's own.
    pub smoothing: f32,
    /// Output buckets that are told apart.
    pub buckets: usize,
    /// SHA-256 of the checkpoint the weights began from, if any.
    pub init: Option<String>,
    /// Positions trained on.
    pub positions: usize,
    /// Checksum of those positions.
    pub fingerprint: u32,
}

impl Settings {
    /// The network's shape.
    pub fn shape(&self) -> Shape {
        Shape { hidden: self.hidden, near: self.near }
    }
}

/// One epoch's losses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Mean over the epoch's batches.
    pub train: f64,
    /// On the held-out games after it.
    pub held_out: f64,
}

#[derive(Serialize, Deserialize)]
struct Head {
    settings: Settings,
    step: u64,
    epochs: Vec<Epoch>,
    /// The current epoch's summed loss, as bits so that nothing is rounded.
    loss_bits: u64,
}

/// The state after a step.
pub struct Checkpoint {
    /// The run's settings.
    pub settings: Settings,
    /// Steps made.
    pub step: u64,
    /// Epochs done.
    pub epochs: Vec<Epoch>,
    /// Summed loss of the current epoch's batches.
    pub loss: f64,
    /// The parameters.
    pub params: Vec<f32>,
    /// The optimiser's memory.
    pub optimiser: AdamW,
}

impl Checkpoint {
    /// Writes the file whole.
    pub fn write(&self, path: &Path) -> Result<()> {
        let head = serde_json::to_vec(&Head {
            settings: self.settings.clone(),
            step: self.step,
            epochs: self.epochs.clone(),
            loss_bits: self.loss.to_bits(),
        })?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((head.len() as u32).to_le_bytes());
        bytes.extend(head);
        for part in [&self.params, &self.optimiser.mean, &self.optimiser.square] {
            bytes.extend(part.iter().flat_map(|value| value.to_le_bytes()));
        }
        let crc = crc32fast::hash(&bytes);
        bytes.extend(crc.to_le_bytes());
        files::replace(path, &bytes)
    }

    /// Reads a file back.
    pub fn read(path: &Path) -> Result<Checkpoint> {
        let bytes = files::read(path)?;
        Checkpoint::parse(&bytes).map_err(|error| error.context(path.display().to_string()))
    }

    fn parse(bytes: &[u8]) -> Result<Checkpoint> {
        ensure!(
            bytes.starts_with(MAGIC),
            "not a checkpoint (no {})",
            String::from_utf8_lossy(MAGIC)
        );
        ensure!(bytes.len() >= 20, "cut off");
        let (body, crc) = bytes.split_at(bytes.len() - 4);
        let word =
            |at: usize| u32::from_le_bytes([body[at], body[at + 1], body[at + 2], body[at + 3]]);
        ensure!(word(8) == VERSION, "checkpoint version {}, this program reads {VERSION}", word(8));
        ensure!(
            crc32fast::hash(body).to_le_bytes() == crc,
            "checksum mismatch: cut off or damaged"
        );
        let length = word(12) as usize;
        ensure!(body.len() >= 16 + length, "damaged header");
        let head: Head = serde_json::from_slice(&body[16..16 + length])?;
        let hidden = head.settings.hidden;
        ensure!(HIDDEN_SIZES.contains(&hidden), "{hidden} hidden neurons: one of {HIDDEN_SIZES:?}");
        let count = parameter_count(head.settings.shape());
        let values: Vec<f32> = body[16 + length..]
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect();
        ensure!(values.len() == 3 * count, "{} numbers, expected {}", values.len(), 3 * count);
        ensure!(values.iter().all(|value| value.is_finite()), "a weight is not a number");
        let part = |index: usize| values[index * count..(index + 1) * count].to_vec();
        Ok(Checkpoint {
            settings: head.settings,
            step: head.step,
            epochs: head.epochs,
            loss: f64::from_bits(head.loss_bits),
            params: part(0),
            optimiser: AdamW { mean: part(1), square: part(2) },
        })
    }
}
