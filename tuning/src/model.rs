//! The network in floating point: forward, backward, and the parameters' layout.
//!
//! Sums are taken in a fixed order with explicit partial sums, and a batch is always cut into the
//! same shards, so the result depends neither on the number of threads nor on the processor.

use std::fmt;

use klotz::eval::nnue::features::{self, BUCKETS, Code, INPUTS, NOT_NEAR};
use klotz::eval::nnue::rows as row_count;
use rayon::prelude::*;

use crate::quantise::LIMITS;
use crate::samples::{Sample, Samples};

/// Shards of a batch; their gradients are added in order.
const SHARDS: usize = 8;
/// Partial sums of a dot product.
const WIDE: usize = 16;

/// Layer sizes the code is compiled for.
pub const HIDDEN_SIZES: [usize; 5] = [32, 64, 128, 256, 512];

/// The sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Hidden neurons a player.
    pub hidden: usize,
    /// Whether it knows what is near the king.
    pub near: bool,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let near = if self.near { "with" } else { "without" };
        write!(f, "{} hidden neurons {near} inputs near the king", self.hidden)
    }
}

/// Rows that several inputs share while training: one a piece, one a piece and rank, one a piece and
/// file. A square that is rarely seen so starts from what its neighbours have learnt.
const SHARED: usize = PIECES * (1 + 8 + 8);
const PIECES: usize = 12;

/// Number of parameters of a network: feature rows, feature biases, output rows, output biases, in
/// this order.
pub const fn network_count(shape: Shape) -> usize {
    let Shape { hidden, near } = shape;
    row_count(near) * hidden + hidden + BUCKETS * 2 * hidden + BUCKETS
}

/// Number of parameters that are trained: those of the network, the shared rows, and the output row
/// that all buckets share, since few positions have full hands.
pub const fn parameter_count(shape: Shape) -> usize {
    network_count(shape) + SHARED * shape.hidden + 2 * shape.hidden
}

/// The shared rows that an input adds to its own.
fn shared_rows(input: usize) -> impl Iterator<Item = usize> {
    let (piece, square) = (input / 64, input % 64);
    let by_place = [piece, PIECES + 8 * piece + square / 8, 9 * PIECES + 8 * piece + square % 8];
    by_place.into_iter().filter(move |_| input < 64 * PIECES)
}

fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

/// The network that trained parameters stand for: shared rows added to those that use them.
pub fn merged(shape: Shape, params: &[f32]) -> Vec<f32> {
    let hidden = shape.hidden;
    let layout = Layout::new(shape);
    let mut network = params[..layout.shared].to_vec();
    let shared = &params[layout.shared..layout.shared_output];
    network[..layout.feature_bias].par_chunks_exact_mut(hidden).enumerate().for_each(
        |(index, row)| {
            for from in shared_rows(index) {
                add(row, &shared[from * hidden..][..hidden]);
            }
        },
    );
    let shared_output = &params[layout.shared_output..];
    for row in network[layout.outputs..layout.output_bias].chunks_exact_mut(2 * hidden) {
        add(row, shared_output);
    }
    network
}

/// Extends a network's gradient by that of the shared rows.
pub fn with_shared(shape: Shape, gradient: &[f32]) -> Vec<f32> {
    let hidden = shape.hidden;
    let mut all = gradient.to_vec();
    all.resize(parameter_count(shape), 0.0);
    let layout = Layout::new(shape);
    let (shared, shared_output) =
        all[layout.shared..].split_at_mut(layout.shared_output - layout.shared);
    for (index, row) in gradient[..layout.feature_bias].chunks_exact(hidden).enumerate() {
        for to in shared_rows(index) {
            add(&mut shared[to * hidden..][..hidden], row);
        }
    }
    for row in gradient[layout.outputs..layout.output_bias].chunks_exact(2 * hidden) {
        add(shared_output, row);
    }
    all
}

/// Where each part of the parameters begins.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Feature biases.
    pub feature_bias: usize,
    /// Output rows.
    pub outputs: usize,
    /// Output biases.
    pub output_bias: usize,
    /// Shared rows.
    pub shared: usize,
    /// Shared output row.
    pub shared_output: usize,
    /// End of all.
    pub end: usize,
}

impl Layout {
    /// The layout for a hidden size.
    pub const fn new(shape: Shape) -> Layout {
        let Shape { hidden, near } = shape;
        let feature_bias = row_count(near) * hidden;
        let outputs = feature_bias + hidden;
        let output_bias = outputs + BUCKETS * 2 * hidden;
        let shared = output_bias + BUCKETS;
        let shared_output = shared + SHARED * hidden;
        let end = shared_output + 2 * hidden;
        Layout { feature_bias, outputs, output_bias, shared, shared_output, end }
    }

    /// Where the parts begin and the last ends.
    pub const fn bounds(self) -> [usize; 7] {
        [
            0,
            self.feature_bias,
            self.outputs,
            self.output_bias,
            self.shared,
            self.shared_output,
            self.end,
        ]
    }
}

/// Fresh parameters.
pub fn initial(shape: Shape, seed: u64) -> Vec<f32> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let (hidden, layout) = (shape.hidden, Layout::new(shape));
    let mut values = vec![0.0; parameter_count(shape)];
    let features = 0..INPUTS * hidden;
    // About 34 inputs are lit at a time. Their rows start at random: rows that start at nothing and
    // learn only from those they share with cost 80 Elo. What is near the king starts at nothing, as
    // it only refines them.
    let (feature_range, output_range) = (1.0 / (34.0f32).sqrt(), 1.0 / (hidden as f32).sqrt());
    for (range, part) in [
        (feature_range, features),
        (output_range, layout.shared_output..layout.shared_output + 2 * hidden),
    ] {
        values[part].fill_with(|| (rng.f32() * 2.0 - 1.0) * range);
    }
    // In the middle of the clipped range, so that gradients flow at once.
    values[layout.feature_bias..layout.outputs].fill(0.25);
    values
}

/// What a batch is trained towards.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Weight of the game's result against the search's score.
    pub result_weight: f32,
    /// Centipawns for one unit of the logistic function.
    pub scale: f32,
}

/// The logistic function.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Target {
    /// The expected score the network should give.
    pub fn of(&self, sample: &Sample) -> f32 {
        self.expected(sample.score, sample.result_counts().then(|| sample.result()))
    }

    /// What a search's score and the game's result, where it counts, say together.
    pub fn expected(&self, score: i16, result: Option<f32>) -> f32 {
        let searched = sigmoid(f32::from(score) / self.scale);
        result.map_or(searched, |result| {
            self.result_weight * result + (1.0 - self.result_weight) * searched
        })
    }
}

#[inline(always)]
fn dot<const H: usize>(a: &[f32; H], b: &[f32; H]) -> f32 {
    let mut sums = [0.0f32; WIDE];
    for (a, b) in a.as_chunks::<WIDE>().0.iter().zip(b.as_chunks::<WIDE>().0) {
        for i in 0..WIDE {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum()
}

struct Views<const H: usize> {
    /// Hidden sums before activation: the mover's view, the opponent's view.
    sums: [[f32; H]; 2],
    active: [[f32; H]; 2],
}

#[inline(always)]
fn rows<const H: usize>(part: &[f32]) -> &[[f32; H]] {
    part.as_chunks::<H>().0
}

/// Calls `with` for each row that a view lights.
#[inline(always)]
fn each_row(
    near: bool,
    (turn, king): (&[Code; INPUTS], u8),
    codes: &[Code],
    mut with: impl FnMut(usize),
) {
    let places = features::near_rows(king);
    for &code in codes {
        let input = usize::from(turn[usize::from(code)]);
        with(input);
        if near && let Some(&place) = places.get(input).filter(|&&place| place != NOT_NEAR) {
            with(usize::from(place));
        }
    }
}

#[inline(always)]
fn forward<const H: usize>(
    near: bool,
    params: &[f32],
    samples: &Samples,
    sample: &Sample,
    views: &mut Views<H>,
) -> f32 {
    let layout = Layout::new(Shape { hidden: H, near });
    let features = rows::<H>(&params[..layout.feature_bias]);
    let bias = &rows::<H>(&params[layout.feature_bias..layout.outputs])[0];
    let outputs = rows::<H>(&params[layout.outputs..layout.output_bias]);
    let bucket = usize::from(sample.bucket);
    let mut out = params[layout.output_bias + bucket];
    for (view, seen) in samples.views(sample).into_iter().enumerate() {
        let sums = &mut views.sums[view];
        *sums = *bias;
        each_row(near, seen, samples.codes(sample), |row| {
            let row = &features[row];
            for i in 0..H {
                sums[i] += row[i];
            }
        });
        let active = &mut views.active[view];
        for i in 0..H {
            let clipped = sums[i].clamp(0.0, 1.0);
            active[i] = clipped * clipped;
        }
        out += dot(active, &outputs[2 * bucket + view]);
    }
    out
}

/// Adds a shard's gradient; returns its summed squared error.
#[inline(always)]
fn shard<const H: usize>(
    near: bool,
    params: &[f32],
    samples: &Samples,
    list: &[u32],
    target: Target,
    gradient: &mut [f32],
) -> f64 {
    let layout = Layout::new(Shape { hidden: H, near });
    let mut views = Views::<H> { sums: [[0.0; H]; 2], active: [[0.0; H]; 2] };
    let mut loss = 0.0;
    let outputs = rows::<H>(&params[layout.outputs..layout.output_bias]);
    let (feature_part, rest) = gradient.split_at_mut(layout.feature_bias);
    let (bias_part, rest) = rest.split_at_mut(H);
    let (output_part, output_bias) = rest.split_at_mut(BUCKETS * 2 * H);
    let feature_rows = feature_part.as_chunks_mut::<H>().0;
    let bias = &mut bias_part.as_chunks_mut::<H>().0[0];
    let output_rows = output_part.as_chunks_mut::<H>().0;
    for &index in list {
        let sample = samples.get(index);
        let predicted = sigmoid(forward(near, params, samples, sample, &mut views));
        let error = predicted - target.of(sample);
        loss += f64::from(error) * f64::from(error);
        let slope = 2.0 * error * predicted * (1.0 - predicted);
        let bucket = usize::from(sample.bucket);
        output_bias[bucket] += slope;
        for (view, seen) in samples.views(sample).into_iter().enumerate() {
            let (sums, active) = (&views.sums[view], &views.active[view]);
            let weights = &outputs[2 * bucket + view];
            let output_row = &mut output_rows[2 * bucket + view];
            let mut back = [0.0f32; H];
            for i in 0..H {
                output_row[i] += slope * active[i];
                let clipped = sums[i].clamp(0.0, 1.0);
                let open = if sums[i] < 1.0 { 1.0 } else { 0.0 };
                back[i] = slope * weights[i] * 2.0 * clipped * open;
                bias[i] += back[i];
            }
            each_row(near, seen, samples.codes(sample), |row| {
                let row = &mut feature_rows[row];
                for i in 0..H {
                    row[i] += back[i];
                }
            });
        }
    }
    loss
}

#[inline(always)]
fn loss_of<const H: usize>(
    near: bool,
    params: &[f32],
    samples: &Samples,
    list: &[u32],
    target: Target,
) -> f64 {
    let mut views = Views::<H> { sums: [[0.0; H]; 2], active: [[0.0; H]; 2] };
    let error = |&index: &u32| {
        let sample = samples.get(index);
        f64::from(sigmoid(forward(near, params, samples, sample, &mut views)) - target.of(sample))
    };
    list.iter().map(error).map(|error| error * error).sum()
}

macro_rules! vectorised {
    ($wide:ident, $name:ident, $plain:ident, ($($arg:ident: $kind:ty),*)) => {
        /// The same code compiled for 256-bit vectors; no fused operations, so the same bits.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $wide<const H: usize>($($arg: $kind),*) -> f64 {
            $plain::<H>($($arg),*)
        }

        fn $name<const H: usize>($($arg: $kind),*) -> f64 {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                #[allow(unsafe_code)]
                // SAFETY: the processor has AVX2.
                return unsafe { $wide::<H>($($arg),*) };
            }
            $plain::<H>($($arg),*)
        }
    };
}

vectorised!(shard_avx2, shard_best, shard, (near: bool, params: &[f32], samples: &Samples, list: &[u32], target: Target, gradient: &mut [f32]));
vectorised!(loss_avx2, loss_best, loss_of, (near: bool, params: &[f32], samples: &Samples, list: &[u32], target: Target));

macro_rules! by_size {
    ($hidden:expr, $name:ident($($arg:expr),*)) => {
        match $hidden {
            32 => $name::<32>($($arg),*),
            64 => $name::<64>($($arg),*),
            128 => $name::<128>($($arg),*),
            256 => $name::<256>($($arg),*),
            _ => $name::<512>($($arg),*),
        }
    };
}

/// A batch's mean gradient, and its mean squared error. `scratch` holds the shards' gradients.
pub fn batch(
    shape: Shape,
    params: &[f32],
    samples: &Samples,
    list: &[u32],
    target: Target,
    scratch: &mut Vec<Vec<f32>>,
) -> f64 {
    scratch.resize_with(SHARDS, Vec::new);
    let size = list.len().div_ceil(SHARDS).max(1);
    let losses: Vec<f64> = scratch
        .par_iter_mut()
        .enumerate()
        .map(|(index, gradient)| {
            gradient.clear();
            gradient.resize(params.len(), 0.0);
            let part = list.chunks(size).nth(index).unwrap_or(&[]);
            by_size!(shape.hidden, shard_best(shape.near, params, samples, part, target, gradient))
        })
        .collect();
    let share = 1.0 / list.len().max(1) as f32;
    let (sum, others) = scratch.split_at_mut(1);
    let (chunk, others) = (params.len().div_ceil(SHARDS), &others[..]);
    sum[0].par_chunks_mut(chunk).enumerate().for_each(|(index, sum)| {
        for other in others {
            let part = &other[index * chunk..][..sum.len()];
            sum.iter_mut().zip(part).for_each(|(sum, value)| *sum += value);
        }
        sum.iter_mut().for_each(|value| *value *= share);
    });
    losses.iter().sum::<f64>() / list.len().max(1) as f64
}

/// Mean squared error over samples.
pub fn loss(shape: Shape, params: &[f32], samples: &Samples, list: &[u32], target: Target) -> f64 {
    let parts: Vec<f64> = list
        .par_chunks(4096)
        .map(|part| by_size!(shape.hidden, loss_best(shape.near, params, samples, part, target)))
        .collect();
    parts.iter().sum::<f64>() / list.len().max(1) as f64
}

/// AdamW with decoupled decay of the weights (not of biases and what is shared), and clipping to what the
/// quantised network can hold.
pub struct AdamW {
    /// Mean of the gradients.
    pub mean: Vec<f32>,
    /// Mean of their squares.
    pub square: Vec<f32>,
}

impl AdamW {
    /// A fresh optimiser.
    pub fn new(count: usize) -> AdamW {
        AdamW { mean: vec![0.0; count], square: vec![0.0; count] }
    }

    /// One step; `step` counts from 1.
    pub fn step(
        &mut self,
        shape: Shape,
        params: &mut [f32],
        gradient: &[f32],
        step: u64,
        rate: f32,
        decay: f32,
    ) {
        const BETA: [f32; 2] = [0.9, 0.999];
        let exponent = i32::try_from(step).unwrap_or(i32::MAX);
        let (fix_mean, fix_square) =
            (1.0 / (1.0 - BETA[0].powi(exponent)), 1.0 / (1.0 - BETA[1].powi(exponent)));
        let bounds = Layout::new(shape).bounds();
        for part in 0..6 {
            let limit = LIMITS[part];
            let decay = if part == 0 || part == 2 { decay } else { 0.0 };
            let range = bounds[part]..bounds[part + 1];
            let (params, gradient) = (&mut params[range.clone()], &gradient[range.clone()]);
            let (mean, square) = (&mut self.mean[range.clone()], &mut self.square[range]);
            for i in 0..params.len() {
                mean[i] = BETA[0] * mean[i] + (1.0 - BETA[0]) * gradient[i];
                square[i] = BETA[1] * square[i] + (1.0 - BETA[1]) * gradient[i] * gradient[i];
                let step = mean[i] * fix_mean / ((square[i] * fix_square).sqrt() + 1e-8);
                params[i] = (params[i] - rate * (step + decay * params[i])).clamp(-limit, limit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tests::random_samples;

    const TARGET: Target = Target { result_weight: 0.3, scale: 400.0 };

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        [false, true].into_iter().for_each(|near| compare_slopes(Shape { hidden: 32, near }));
    }

    fn compare_slopes(shape: Shape) {
        let samples = random_samples(64, 5);
        let list: Vec<u32> = (0..64).collect();
        // Small weights keep every neuron below its upper clip, where the slope jumps.
        let mut params: Vec<f32> = initial(shape, 9).iter().map(|value| value * 0.4).collect();
        let layout = Layout::new(shape);
        let mut rng = fastrand::Rng::with_seed(4);
        params[layout.shared..layout.shared_output].fill_with(|| (rng.f32() - 0.5) * 0.02);
        let loss_at = |params: &[f32]| loss(shape, &merged(shape, params), &samples, &list, TARGET);
        let mut scratch = Vec::new();
        let reported = batch(shape, &merged(shape, &params), &samples, &list, TARGET, &mut scratch);
        let gradient = with_shared(shape, &scratch[0]);
        assert!((reported - loss_at(&params)).abs() < 1e-9);
        let bounds = layout.bounds();
        for part in bounds.windows(2) {
            // The steepest parameters of each kind, where rounding weighs least.
            let mut order: Vec<usize> = (part[0]..part[1]).collect();
            order.sort_by(|&a, &b| gradient[b].abs().total_cmp(&gradient[a].abs()));
            for &at in order.iter().take(8) {
                let slope = |step: f32| {
                    let shifted = |sign: f32| {
                        let mut params = params.clone();
                        params[at] += sign * step;
                        loss_at(&params)
                    };
                    (shifted(1.0) - shifted(-1.0)) / f64::from(2.0 * step)
                };
                let (numeric, analytic) = (slope(1e-3), f64::from(gradient[at]));
                let tolerance = 0.02 * analytic.abs() + 2e-6;
                assert!(
                    (numeric - analytic).abs() < tolerance,
                    "{at}: {numeric} against {analytic}"
                );
            }
        }
    }

    #[test]
    fn wide_and_plain_code_agree_bit_for_bit() {
        const SHAPE: Shape = Shape { hidden: 64, near: true };
        let samples = random_samples(50, 6);
        let list: Vec<u32> = (0..50).collect();
        let params = merged(SHAPE, &initial(SHAPE, 3));
        let run = |wide: bool| {
            let mut gradient = vec![0.0; params.len()];
            let loss = if wide {
                shard_best::<64>(SHAPE.near, &params, &samples, &list, TARGET, &mut gradient)
            } else {
                shard::<64>(SHAPE.near, &params, &samples, &list, TARGET, &mut gradient)
            };
            (loss.to_bits(), gradient.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
        };
        assert!(run(true) == run(false));
    }
}
