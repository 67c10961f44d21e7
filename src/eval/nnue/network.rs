//! A network's weights, and the file they travel in.
//!
//! The file is a header of [`HEADER`] bytes and the weights, all little-endian: magic, version,
//! feature set, number of inputs, hidden neurons and buckets, the three scales, a name, the
//! SHA-256 of the weights; then feature weights (row by row), feature biases, output weights
//! (bucket by bucket, the mover's half first) as 16-bit and output biases as 32-bit integers.

use sha2::{Digest, Sha256};
use thiserror::Error;

use super::features::{self, BUCKETS, INPUTS, KINGS, NEAR, NOT_NEAR, View};
use super::simd::{Lane, Rows, Simd};

/// 1.0 in the hidden layer.
pub const QA: i16 = 255;
/// 1.0 among the output weights.
pub const QB: i16 = 64;
/// Centipawns for an output of 1.0.
pub const SCALE: i32 = 400;
/// Largest feature weight: with it [`super::features::MAX_ACTIVE`] can't overflow an accumulator.
pub const MAX_FEATURE_WEIGHT: i16 = 250;
/// Largest feature bias.
pub const MAX_FEATURE_BIAS: i16 = 750;
/// Largest output weight: times [`QA`] it still fits 16 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 127;
/// Largest number of hidden neurons.
pub const MAX_HIDDEN: usize = 1024;

const MAGIC: &[u8; 8] = b"KLOTZNET";
const VERSION: u32 = 1;
/// Names the meaning of the inputs and buckets; a change of `features` gets another number.
const FEATURE_SET: u32 = 1;
/// The same inputs, and after them the pieces near the own king.
const FEATURE_SET_NEAR: u32 = 3;
const NAME: usize = 32;
/// Bytes before the weights.
pub const HEADER: usize = 8 + 8 * 4 + NAME + 32;

const _: () = assert!(
    features::MAX_ACTIVE as i32 * MAX_FEATURE_WEIGHT as i32 + MAX_FEATURE_BIAS as i32
        <= i16::MAX as i32
);

/// Why a network file was refused.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum NetworkError {
    /// It does not begin as a network does.
    #[error("no Klotz network: it does not begin with KLOTZNET")]
    Magic,
    /// Made by another version of the program.
    #[error("network file version {0}, this program reads version {VERSION}")]
    Version(u32),
    /// Its inputs mean something else.
    #[error("network of another architecture: {what} is {found}, expected {expected}")]
    Architecture {
        /// Which part of the architecture differs.
        what: &'static str,
        /// What the file says.
        found: i64,
        /// What this program has.
        expected: i64,
    },
    /// Impossible layer size.
    #[error("{0} hidden neurons: it must be a multiple of 32 up to {MAX_HIDDEN}")]
    Hidden(u32),
    /// Cut off, or something follows.
    #[error("{found} bytes, expected {expected}")]
    Size {
        /// Length of the file.
        found: usize,
        /// Length by its header.
        expected: usize,
    },
    /// The weights are not those it was written with.
    #[error("checksum mismatch: the file is damaged")]
    Checksum,
    /// A weight with which the arithmetic would overflow.
    #[error("{what} {value} is beyond {limit}")]
    Range {
        /// The kind of weight.
        what: &'static str,
        /// Its value.
        value: i64,
        /// The largest allowed.
        limit: i64,
    },
}

/// Quantised weights of one network.
#[derive(Clone, Debug)]
pub struct Network {
    name: String,
    hidden: usize,
    /// Whether it knows what is near the king.
    near: bool,
    simd: Simd,
    /// The feature rows as they stand in the file.
    rows: Vec<Lane>,
    /// Where it knows what is near the king: a set of rows for each square of the king, in which
    /// the rows of the file are added up. So a move costs no more than without.
    sets: Vec<Lane>,
    feature_bias: Vec<Lane>,
    outputs: Vec<Lane>,
    output_bias: [i32; BUCKETS],
}

/// Plain weights, as the trainer's quantiser hands them over.
pub struct Weights {
    /// Hidden neurons a player.
    pub hidden: usize,
    /// Whether rows for pieces near the own king follow the others.
    pub near: bool,
    /// `INPUTS` rows of `hidden`, and where `near` is set `NEAR` more.
    pub features: Vec<i16>,
    /// `hidden` values.
    pub feature_bias: Vec<i16>,
    /// `BUCKETS` rows of twice `hidden`, the mover's half first.
    pub outputs: Vec<i16>,
    /// One a bucket, in units of `QA * QB`.
    pub output_bias: [i32; BUCKETS],
}

fn lanes(values: &[i16]) -> Vec<Lane> {
    values.chunks_exact(Lane::WIDTH).map(|chunk| Lane(std::array::from_fn(|i| chunk[i]))).collect()
}

fn within(what: &'static str, values: &[i16], limit: i16) -> Result<(), NetworkError> {
    match values.iter().find(|value| value.unsigned_abs() > limit.unsigned_abs()) {
        Some(&value) => Err(NetworkError::Range { what, value: value.into(), limit: limit.into() }),
        None => Ok(()),
    }
}

/// Feature rows in the file.
pub const fn rows(near: bool) -> usize {
    INPUTS + if near { NEAR } else { 0 }
}

fn payload_len(hidden: usize, near: bool) -> usize {
    2 * (rows(near) * hidden + hidden + BUCKETS * 2 * hidden) + 4 * BUCKETS
}

/// For every square of the king a set of rows: each input's row, and for a piece near the king that
/// of its place added, within [`MAX_FEATURE_WEIGHT`] so that no accumulator can overflow.
fn sets(features: &[i16], hidden: usize) -> Vec<Lane> {
    let limit = i32::from(MAX_FEATURE_WEIGHT);
    let row = |index: usize| &features[index * hidden..][..hidden];
    let mut sets = Vec::with_capacity(KINGS * INPUTS * hidden / Lane::WIDTH);
    let mut sum = vec![0; hidden];
    for king in 0..KINGS as u8 {
        let near = features::near_rows(king);
        for input in 0..INPUTS {
            sum.copy_from_slice(row(input));
            if let Some(&place) = near.get(input).filter(|&&place| place != NOT_NEAR) {
                for (value, more) in sum.iter_mut().zip(row(usize::from(place))) {
                    let both = i32::from(*value) + i32::from(*more);
                    *value = both.clamp(-limit, limit) as i16;
                }
            }
            sets.extend(lanes(&sum));
        }
    }
    sets
}

impl Network {
    /// A network of these weights, if its arithmetic can't overflow.
    pub fn new(name: &str, weights: &Weights) -> Result<Network, NetworkError> {
        let (hidden, near) = (weights.hidden, weights.near);
        if hidden == 0 || !hidden.is_multiple_of(Lane::WIDTH) || hidden > MAX_HIDDEN {
            return Err(NetworkError::Hidden(hidden as u32));
        }
        for (found, expected) in [
            (weights.features.len(), rows(near) * hidden),
            (weights.feature_bias.len(), hidden),
            (weights.outputs.len(), BUCKETS * 2 * hidden),
        ] {
            if found != expected {
                return Err(NetworkError::Size { found: 2 * found, expected: 2 * expected });
            }
        }
        within("feature weight", &weights.features, MAX_FEATURE_WEIGHT)?;
        within("feature bias", &weights.feature_bias, MAX_FEATURE_BIAS)?;
        within("output weight", &weights.outputs, MAX_OUTPUT_WEIGHT)?;
        let largest = i64::from(i32::MAX) / (i64::from(QA) * i64::from(QA));
        for bucket in weights.outputs.chunks_exact(2 * hidden) {
            let sum: i64 = bucket.iter().map(|&w| i64::from(w).abs()).sum();
            if sum > largest {
                return Err(NetworkError::Range {
                    what: "sum of output weights",
                    value: sum,
                    limit: largest,
                });
            }
        }
        // Leaves room for the scaled sum of the output layer beside it.
        const BIAS: u32 = 1 << 24;
        if let Some(&bias) = weights.output_bias.iter().find(|bias| bias.unsigned_abs() > BIAS) {
            return Err(NetworkError::Range {
                what: "output bias",
                value: bias.into(),
                limit: BIAS.into(),
            });
        }
        Ok(Network {
            name: name.chars().filter(|c| c.is_ascii_graphic()).take(NAME).collect(),
            hidden,
            near,
            simd: Simd::detect(),
            rows: lanes(&weights.features),
            sets: if near { sets(&weights.features, hidden) } else { Vec::new() },
            feature_bias: lanes(&weights.feature_bias),
            outputs: lanes(&weights.outputs),
            output_bias: weights.output_bias,
        })
    }

    /// Reads a network file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let Some((magic, rest)) = bytes.split_first_chunk::<8>() else {
            return Err(NetworkError::Magic);
        };
        if magic != MAGIC {
            return Err(NetworkError::Magic);
        }
        let short = NetworkError::Size { found: bytes.len(), expected: HEADER };
        let Some((head, payload)) = rest.split_at_checked(HEADER - 8) else { return Err(short) };
        let word = |index: usize| {
            let at = &head[4 * index..4 * index + 4];
            u32::from_le_bytes([at[0], at[1], at[2], at[3]])
        };
        if word(0) != VERSION {
            return Err(NetworkError::Version(word(0)));
        }
        for (index, what, expected) in [
            (1, "the feature set", if word(1) == FEATURE_SET_NEAR { word(1) } else { FEATURE_SET }),
            (2, "the number of inputs", rows(word(1) == FEATURE_SET_NEAR) as u32),
            (4, "the number of buckets", BUCKETS as u32),
            (5, "the hidden scale", QA as u32),
            (6, "the output scale", QB as u32),
            (7, "the centipawn scale", SCALE as u32),
        ] {
            if word(index) != expected {
                let (found, expected) = (word(index).into(), expected.into());
                return Err(NetworkError::Architecture { what, found, expected });
            }
        }
        let hidden = word(3) as usize;
        if hidden == 0 || !hidden.is_multiple_of(Lane::WIDTH) || hidden > MAX_HIDDEN {
            return Err(NetworkError::Hidden(word(3)));
        }
        let near = word(1) == FEATURE_SET_NEAR;
        if payload.len() != payload_len(hidden, near) {
            let expected = HEADER + payload_len(hidden, near);
            return Err(NetworkError::Size { found: bytes.len(), expected });
        }
        let (name, checksum) = head[32..].split_at(NAME);
        if Sha256::digest(payload).as_slice() != checksum {
            return Err(NetworkError::Checksum);
        }
        let name = String::from_utf8_lossy(name);
        let (shorts, biases) = payload.split_at(payload.len() - 4 * BUCKETS);
        let mut values = shorts.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        let mut take = |count: usize| values.by_ref().take(count).collect();
        let weights = Weights {
            hidden,
            near,
            features: take(rows(near) * hidden),
            feature_bias: take(hidden),
            outputs: take(BUCKETS * 2 * hidden),
            output_bias: std::array::from_fn(|i| {
                let at = &biases[4 * i..4 * i + 4];
                i32::from_le_bytes([at[0], at[1], at[2], at[3]])
            }),
        };
        Network::new(name.trim_end_matches('\0'), &weights)
    }

    /// The file's bytes, which [`Network::from_bytes`] reads back.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut payload = Vec::with_capacity(payload_len(self.hidden, self.near));
        for lane in self.rows.iter().chain(&self.feature_bias).chain(&self.outputs) {
            payload.extend(lane.0.iter().flat_map(|value| value.to_le_bytes()));
        }
        payload.extend(self.output_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        let mut bytes = MAGIC.to_vec();
        for word in [
            VERSION,
            if self.near { FEATURE_SET_NEAR } else { FEATURE_SET },
            rows(self.near) as u32,
            self.hidden as u32,
            BUCKETS as u32,
            QA as u32,
            QB as u32,
            SCALE as u32,
        ] {
            bytes.extend(word.to_le_bytes());
        }
        let mut name = [0; NAME];
        name[..self.name.len()].copy_from_slice(self.name.as_bytes());
        bytes.extend(name);
        bytes.extend(Sha256::digest(&payload));
        bytes.extend(payload);
        bytes
    }

    /// The name it was given when it was made.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Hidden neurons a player.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Whether it knows what is near the king.
    pub fn near(&self) -> bool {
        self.near
    }

    /// What of a player's view matters to this network.
    #[inline(always)]
    pub(super) fn view(&self, view: View) -> View {
        if self.near { view } else { view.without_king() }
    }

    /// Uses other instructions than the best: for tests and comparisons.
    pub fn with_simd(mut self, simd: Simd) -> Network {
        self.simd = simd;
        self
    }

    /// Which instructions it uses.
    pub fn simd(&self) -> Simd {
        self.simd
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        let lanes = if self.near { &self.sets } else { &self.rows };
        Rows { lanes, stride: self.hidden / Lane::WIDTH }
    }

    pub(super) fn feature_bias(&self) -> &[Lane] {
        &self.feature_bias
    }

    /// The output weights of a bucket: the mover's half, the opponent's half, the bias.
    pub(super) fn output(&self, bucket: usize) -> (&[Lane], &[Lane], i32) {
        let stride = self.hidden / Lane::WIDTH;
        let (mover, opponent) = self.outputs[bucket * 2 * stride..][..2 * stride].split_at(stride);
        (mover, opponent, self.output_bias[bucket])
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A network of random weights.
    pub fn random(hidden: usize, near: bool, seed: u64) -> Network {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut draw =
            |count: usize, limit: i16| (0..count).map(|_| rng.i16(-limit..=limit)).collect();
        let weights = Weights {
            hidden,
            near,
            features: draw(rows(near) * hidden, 60),
            feature_bias: draw(hidden, 100),
            outputs: draw(BUCKETS * 2 * hidden, 60),
            output_bias: std::array::from_fn(|i| i as i32 * 100 - 300),
        };
        Network::new("random", &weights).expect("weights within their limits")
    }

    #[test]
    fn a_file_round_trips() {
        for near in [false, true] {
            let network = random(64, near, 1);
            let bytes = network.to_bytes();
            assert_eq!(bytes.len(), HEADER + payload_len(64, near));
            let read = Network::from_bytes(&bytes).expect("its own file");
            assert_eq!((read.name(), read.near()), ("random", near));
            assert_eq!(read.to_bytes(), bytes);
        }
    }

    #[test]
    fn bad_files_are_refused_by_name() {
        let good = random(32, false, 2).to_bytes();
        let with = |at: usize, byte: u8| {
            let mut bad = good.clone();
            bad[at] = byte;
            Network::from_bytes(&bad).expect_err("a damaged file").to_string()
        };
        assert!(with(0, b'X').contains("KLOTZNET"));
        assert_eq!(with(8, 9), "network file version 9, this program reads version 1");
        assert!(with(12, 77).contains("feature set is 77"));
        assert!(with(16, 1).contains("number of inputs"));
        assert!(with(20, 33).contains("33 hidden neurons"));
        assert!(with(20, 64).contains("expected"));
        assert!(with(28, 1).contains("hidden scale"));
        assert!(with(HEADER + 5, good[HEADER + 5] ^ 1).contains("checksum"));
        assert!(with(HEADER - 1, good[HEADER - 1] ^ 1).contains("checksum"));
        assert!(Network::from_bytes(&[]).is_err());
        for cut in [7, 8, 40, HEADER, good.len() - 1] {
            assert!(Network::from_bytes(&good[..cut]).is_err(), "cut at {cut}");
        }
        let mut long = good.clone();
        long.push(0);
        assert!(matches!(Network::from_bytes(&long), Err(NetworkError::Size { .. })));
    }

    #[test]
    fn weights_that_could_overflow_are_refused() {
        let mut weights = Weights {
            hidden: 32,
            near: false,
            features: vec![0; INPUTS * 32],
            feature_bias: vec![0; 32],
            outputs: vec![0; BUCKETS * 64],
            output_bias: [0; BUCKETS],
        };
        assert!(Network::new("zero", &weights).is_ok());
        weights.outputs[5] = 128;
        let refused = Network::new("large", &weights).expect_err("an output weight of 128");
        assert_eq!(refused.to_string(), "output weight 128 is beyond 127");
        weights.outputs[5] = 0;
        weights.near = true;
        let refused = Network::new("near", &weights).expect_err("no rows for what is near");
        assert!(matches!(refused, NetworkError::Size { .. }), "{refused}");
        // Rows that are each within the limit but not together.
        weights.features = vec![MAX_FEATURE_WEIGHT; rows(true) * 32];
        let network = Network::new("near", &weights).expect("weights within their limits");
        assert!(network.sets.iter().all(|lane| lane.0.iter().all(|&w| w == MAX_FEATURE_WEIGHT)));
    }
}
