//! Training a network on files of games.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use klotz::eval::nnue::features::BUCKETS;

use crate::checkpoint::{Checkpoint, Epoch, Settings};
use crate::model::{self, AdamW, HIDDEN_SIZES, Target};
use crate::samples::{self, Data, Selection, Smoothing};
use crate::{curve, files};

/// Trains a network: AdamW with a cosine learning rate, judged by held-out games.
#[derive(Args)]
#[command(after_help = "Examples:
  klotz-tuning train data/ --out run --hidden 64
  klotz-tuning train data/ --out run --hidden 64          (again after a kill: goes on)
  klotz-tuning train bug/ --out bugrun --hidden 64 --init run/last.ckpt --rate 3e-4 --result-weight 0.15")]
pub struct Options {
    /// Files of games, or folders with .kgames files
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Folder for checkpoints and the learning curve; with a checkpoint in it, the run goes on
    #[arg(long)]
    out: PathBuf,
    /// Hidden neurons a player: 32, 64, 128, 256 or 512
    #[arg(long, default_value_t = 64)]
    hidden: usize,
    /// Without the inputs for pieces near the own king
    #[arg(long)]
    far: bool,
    /// Passes over the data
    #[arg(long, default_value_t = 20)]
    epochs: u32,
    /// Positions a step
    #[arg(long, default_value_t = 16384)]
    batch: usize,
    /// Highest learning rate
    #[arg(long, default_value_t = 1e-3)]
    rate: f32,
    /// Learning rate at the end
    #[arg(long, default_value_t = 1e-5)]
    last_rate: f32,
    /// Decay of weights
    #[arg(long, default_value_t = 0.3)]
    decay: f32,
    /// Weight of the game's result in the target, the rest is the search's score
    #[arg(long, default_value_t = 0.3)]
    result_weight: f32,
    /// Weight of the following searches' scores against the position's own
    #[arg(long, default_value_t = 0.0)]
    smoothing: f32,
    /// Keep positions in check as well
    #[arg(long)]
    keep_checks: bool,
    /// Keep positions whose best move takes or promotes as well
    #[arg(long)]
    keep_tactical: bool,
    /// Show only so many pieces of a role in a hand: 1 to 10
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=10))]
    hand_slots: u8,
    /// Output rows, by the number of pieces in hands: 8, or 1 for all positions
    #[arg(long, default_value_t = BUCKETS)]
    buckets: usize,
    /// Centipawns for one unit of the logistic function
    #[arg(long, default_value_t = 400.0)]
    scale: f32,
    /// Seed of the first weights and of the shuffling
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Start from another run's weights
    #[arg(long)]
    init: Option<PathBuf>,
    /// Steps between checkpoints
    #[arg(long, default_value_t = 200)]
    checkpoint_every: u64,
    /// Threads (0: all cores)
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Stop after this many steps in all, as if killed
    #[arg(long, hide = true)]
    stop_at: Option<u64>,
}

fn bar(length: u64, template: &str) -> Result<ProgressBar> {
    Ok(ProgressBar::new(length).with_style(ProgressStyle::with_template(template)?))
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    check(options)?;
    if options.threads > 0 {
        rayon::ThreadPoolBuilder::new().num_threads(options.threads).build_global()?;
    }
    let paths = files::games(&options.data)?;
    let reading = bar(0, "reading {bar:30} {bytes}/{total_bytes} {bytes_per_sec}")?;
    let selection = Selection {
        smoothing: Smoothing { weight: options.smoothing, scale: options.scale },
        checks: options.keep_checks,
        tactical: options.keep_tactical,
        hand_slots: options.hand_slots,
    };
    let mut data = samples::load(&paths, selection, &reading)?;
    if options.buckets == 1 {
        data.train.forget_buckets();
        data.held_out.forget_buckets();
    }
    reading.finish_and_clear();
    say!(
        "{} positions to train on, {} held out, of {} plies in {} games{}",
        data.train.len(),
        data.held_out.len(),
        data.plies,
        data.games,
        if data.bad_games > 0 {
            format!(" ({} games could not be played again)", data.bad_games)
        } else {
            String::new()
        }
    );
    std::fs::create_dir_all(&options.out).with_context(|| options.out.display().to_string())?;
    let mut run = start(options, &data)?;
    train(options, &data, &mut run)
}

fn check(options: &Options) -> Result<()> {
    ensure!(
        HIDDEN_SIZES.contains(&options.hidden),
        "--hidden {}: one of {HIDDEN_SIZES:?}",
        options.hidden
    );
    ensure!(
        [1, BUCKETS].contains(&options.buckets),
        "--buckets {}: 1 or {BUCKETS}",
        options.buckets
    );
    ensure!((1..=1 << 20).contains(&options.batch), "--batch {}: from 1 to 1048576", options.batch);
    ensure!(
        (0.0..1.0).contains(&options.smoothing),
        "--smoothing {}: from 0 to below 1",
        options.smoothing
    );
    ensure!(options.epochs > 0, "--epochs 0: at least 1");
    ensure!(
        (0.0..=1.0).contains(&options.result_weight),
        "--result-weight {}: from 0 to 1",
        options.result_weight
    );
    for (name, value) in
        [("rate", options.rate), ("last-rate", options.last_rate), ("scale", options.scale)]
    {
        ensure!(value.is_finite() && value > 0.0, "--{name} {value}: above 0");
    }
    ensure!((0.0..=10.0).contains(&options.decay), "--decay {}: from 0 to 10", options.decay);
    Ok(())
}

/// A fresh state, or the one a killed run left.
fn start(options: &Options, data: &Data) -> Result<Checkpoint> {
    let init = options
        .init
        .as_deref()
        .map(|path| anyhow::Ok((files::sha256(&files::read(path)?), path)))
        .transpose()?;
    let settings = Settings {
        hidden: options.hidden,
        near: !options.far,
        seed: options.seed,
        epochs: options.epochs,
        batch: options.batch,
        rate: options.rate,
        last_rate: options.last_rate,
        decay: options.decay,
        result_weight: options.result_weight,
        scale: options.scale,
        smoothing: options.smoothing,
        buckets: options.buckets,
        init: init.as_ref().map(|(sha256, _)| sha256.clone()),
        positions: data.train.len(),
        fingerprint: data.train.fingerprint(),
    };
    let last = options.out.join("last.ckpt");
    if last.exists() {
        let found = Checkpoint::read(&last)?;
        ensure!(
            found.settings == settings,
            "{}: of another run ({}); choose another --out or the same settings and data",
            last.display(),
            serde_json::to_string(&found.settings)?
        );
        say!("going on after step {}", found.step);
        return Ok(found);
    }
    let params = match init {
        Some((_, path)) => {
            let found = Checkpoint::read(path)?;
            let (found_shape, asked) = (found.settings.shape(), settings.shape());
            ensure!(found_shape == asked, "{}: {found_shape}, asked for {asked}", path.display());
            found.params
        }
        None => model::initial(settings.shape(), options.seed),
    };
    let optimiser = AdamW::new(params.len());
    Ok(Checkpoint { settings, step: 0, epochs: Vec::new(), loss: 0.0, params, optimiser })
}

/// The learning rate of a step: a short rise, then half a cosine.
fn rate(settings: &Settings, step: u64, total: u64) -> f32 {
    let rise = (total / 50).clamp(1, 200);
    let progress = (step as f64 / total.max(1) as f64).min(1.0);
    let cosine = (1.0 + (progress * std::f64::consts::PI).cos()) / 2.0;
    let rise = (step as f64 / rise as f64).min(1.0);
    let (high, low) = (f64::from(settings.rate), f64::from(settings.last_rate));
    ((low + (high - low) * cosine) * rise) as f32
}

fn train(options: &Options, data: &Data, run: &mut Checkpoint) -> Result<()> {
    let settings = run.settings.clone();
    let shape = settings.shape();
    let target = Target { result_weight: settings.result_weight, scale: settings.scale };
    let count = data.train.len();
    let steps_an_epoch = count.div_ceil(settings.batch) as u64;
    let total = steps_an_epoch * u64::from(settings.epochs);
    let held: Vec<u32> = (0..data.held_out.len() as u32).collect();
    let last = options.out.join("last.ckpt");
    let progress = bar(
        total * settings.batch as u64,
        "{bar:30} {percent}% {per_sec} positions, {eta} left {msg}",
    )?;
    let mut scratch = Vec::new();
    while run.step < total {
        let epoch = run.step / steps_an_epoch;
        let mut order: Vec<u32> = (0..count as u32).collect();
        fastrand::Rng::with_seed(settings.seed.wrapping_mul(1_000_003) + epoch).shuffle(&mut order);
        let done = (run.step % steps_an_epoch) as usize;
        for list in order.chunks(settings.batch).skip(done) {
            let network = model::merged(shape, &run.params);
            let loss = model::batch(shape, &network, &data.train, list, target, &mut scratch);
            let gradient = model::with_shared(shape, &scratch[0]);
            ensure!(
                loss.is_finite(),
                "step {}: the loss is not a number; try a lower --rate",
                run.step
            );
            run.loss += loss * list.len() as f64 / count as f64;
            run.step += 1;
            let rate = rate(&settings, run.step, total);
            run.optimiser.step(shape, &mut run.params, &gradient, run.step, rate, settings.decay);
            progress.set_position(run.step * settings.batch as u64);
            if options.stop_at == Some(run.step) {
                return Ok(());
            }
            let due = run.step.is_multiple_of(options.checkpoint_every.max(1));
            if due && !run.step.is_multiple_of(steps_an_epoch) {
                run.write(&last)?;
            }
        }
        let network = model::merged(shape, &run.params);
        let held_out = model::loss(shape, &network, &data.held_out, &held, target);
        let best = run.epochs.iter().all(|epoch| epoch.held_out > held_out);
        run.epochs.push(Epoch { train: run.loss, held_out });
        let line = format!("epoch {:>3}: loss {:.6}, held out {held_out:.6}", epoch + 1, run.loss);
        progress.suspend(|| say!("{line}"));
        run.loss = 0.0;
        if best {
            run.write(&options.out.join("best.ckpt"))?;
        }
        run.write(&last)?;
        files::replace(&options.out.join("curve.svg"), curve::svg(&run.epochs)?.as_bytes())?;
    }
    progress.finish();
    say!("{} after {} steps", last.display(), run.step);
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::files::tests::Scratch;
    use crate::samples::tests::random_samples;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn options(out: PathBuf, more: &[&str]) -> Options {
        let out = out.display().to_string();
        let line =
            ["x", "data", "--out", &out, "--hidden", "32", "--epochs", "3", "--batch", "100"];
        Line::parse_from(line.iter().chain(more)).options
    }

    fn data() -> Data {
        Data { train: random_samples(950, 1), held_out: random_samples(50, 2), ..Data::default() }
    }

    fn go(options: &Options, data: &Data) -> Result<()> {
        let mut state = start(options, data)?;
        train(options, data, &mut state)
    }

    #[test]
    fn a_killed_run_ends_with_the_same_network() {
        let scratch = Scratch::new("train-resume");
        let data = data();
        std::fs::create_dir_all(scratch.file("whole")).expect("a folder");
        std::fs::create_dir_all(scratch.file("killed")).expect("a folder");
        let whole = options(scratch.file("whole"), &["--checkpoint-every", "4"]);
        go(&whole, &data).expect("a run");
        for stop in ["7", "13", "20"] {
            let killed =
                options(scratch.file("killed"), &["--checkpoint-every", "4", "--stop-at", stop]);
            go(&killed, &data).expect("a part of a run");
        }
        go(&options(scratch.file("killed"), &["--checkpoint-every", "4"]), &data)
            .expect("the rest");
        let read =
            |name: &str| std::fs::read(scratch.file(name).join("last.ckpt")).expect("a checkpoint");
        assert!(read("whole") == read("killed"));
        let checkpoint =
            Checkpoint::read(&scratch.file("whole").join("last.ckpt")).expect("its own file");
        assert_eq!((checkpoint.step, checkpoint.epochs.len()), (30, 3));
        assert!(checkpoint.epochs[2].train < checkpoint.epochs[0].train);
        crate::quantise::quantise("test", &checkpoint.settings, &checkpoint.params)
            .expect("weights within limits");
    }

    #[test]
    fn other_settings_and_damage_are_refused_in_one_line() {
        let scratch = Scratch::new("train-refuse");
        let data = data();
        let first = options(scratch.file("."), &[]);
        go(&first, &data).expect("a run");
        let refuse = |options: &Options, word: &str| {
            let error = format!("{:#}", go(options, &data).expect_err("a refusal"));
            assert!(error.contains(word) && !error.contains('\n'), "{error}");
        };
        refuse(&options(scratch.file("."), &["--seed", "2"]), "another run");
        let path = scratch.file("last.ckpt");
        let mut bytes = std::fs::read(&path).expect("a checkpoint");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).expect("space on the disk");
        refuse(&first, "checksum");
        std::fs::write(&path, b"nothing").expect("space on the disk");
        refuse(&first, "not a checkpoint");
        assert!(check(&options(scratch.file("."), &["--rate", "NaN"])).is_err());
    }
}
