//! Generating games: many searchers, one file, blocks in order.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use klotz::rules::Position;

use crate::format::{Block, Settings, Writer};
use crate::player::{Book, Effort, Evaluation, Player};
use crate::{player, samples, selfplay};

/// Which games to generate.
#[derive(Clone, Copy, ValueEnum)]
enum Variant {
    /// One board.
    Crazyhouse,
    /// Two boards side by side, with simulated clocks.
    Bughouse,
}

/// Generates games by self-play; run again with the same settings it goes on where it was ended.
#[derive(Args)]
#[command(after_help = "Examples:
  klotz-tuning datagen data/zh-1.kgames --seed 1 --games 20000
  klotz-tuning datagen data/zh-2.kgames --seed 2 --net run/zh.nnue --book crazyhouse-p4-f12.epd
  nice -n 19 klotz-tuning datagen data/bug-1.kgames --variant bughouse --seed 3 --threads 1")]
pub struct Options {
    /// File to write, or to go on with
    file: PathBuf,
    /// Games to generate
    #[arg(long, value_enum, default_value_t = Variant::Crazyhouse)]
    variant: Variant,
    /// Number of games in the file at the end (0: until ended from outside)
    #[arg(long, default_value_t = 0)]
    games: u64,
    /// Seed of the run; each file should have its own
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// No iteration begins after this many nodes
    #[arg(long, default_value_t = 400)]
    nodes: u64,
    /// A search ends at this many nodes
    #[arg(long, default_value_t = 4000)]
    hard_nodes: u64,
    /// Random plies before a game (half of them after a book position)
    #[arg(long, default_value_t = 8)]
    random_plies: u32,
    /// Throw starts away whose score is beyond this
    #[arg(long, default_value_t = 600)]
    start_limit: i32,
    /// Decide a game when this score …
    #[arg(long, default_value_t = 2000)]
    adjudicate: i32,
    /// … stood for this many plies
    #[arg(long, default_value_t = 4)]
    adjudicate_plies: u32,
    /// Of a thousand moves in the games so many are random ones, whose mistakes the players then
    /// have to punish; 0 to 500
    #[arg(long, default_value_t = 0)]
    stray: u32,
    /// Start positions for half the games (FEN or EPD)
    #[arg(long)]
    book: Option<PathBuf>,
    /// Network to play with (default: the classical evaluation)
    #[arg(long)]
    net: Option<PathBuf>,
    /// Table of each searcher, in MiB
    #[arg(long, default_value_t = 1)]
    hash: usize,
    /// Games in a block: what a kill can cost
    #[arg(long, default_value_t = 32)]
    block_games: u32,
    /// Threads (0: all cores)
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

struct Job {
    settings: Settings,
    rules: klotz::rules::Rules,
    book: Book,
    evaluation: Evaluation,
    last_block: u32,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    ensure!(
        options.nodes > 0 && options.hard_nodes >= options.nodes,
        "--hard-nodes below --nodes, or no nodes at all"
    );
    ensure!(
        (1..=10_000).contains(&options.block_games),
        "--block-games {}: from 1 to 10000",
        options.block_games
    );
    ensure!(options.stray <= 500, "--stray {}: at most 500", options.stray);
    ensure!(options.random_plies <= 100, "--random-plies {}: at most 100", options.random_plies);
    let variant = options
        .variant
        .to_possible_value()
        .context("a variant without a name")?
        .get_name()
        .to_owned();
    let rules = samples::rules(&variant)?;
    let book = Book::load(options.book.as_ref())?;
    for fen in &book.positions {
        Position::from_fen(fen, rules).with_context(|| format!("book: '{fen}'"))?;
    }
    let evaluation = Evaluation::load(options.net.as_deref())?;
    let settings = Settings {
        variant,
        seed: options.seed,
        block_games: options.block_games,
        soft_nodes: options.nodes,
        hard_nodes: options.hard_nodes,
        random_plies: options.random_plies,
        start_limit: options.start_limit,
        adjudicate: options.adjudicate,
        adjudicate_plies: options.adjudicate_plies,
        stray: options.stray,
        hash: options.hash,
        book: book.name.clone(),
        evaluation: evaluation.name().to_owned(),
        engine: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let (writer, start) = Writer::open(&options.file, &settings)?;
    let first = start.next;
    let last_block = match options.games {
        0 => u32::MAX,
        games => u32::try_from(games.div_ceil(options.block_games.into()))
            .context("--games: too many")?,
    };
    if first > 0 {
        say!("{}: going on after block {}", options.file.display(), first - 1);
    }
    if start.lost > 0 {
        say!(
            "{}: {} blocks before it are damaged; their {} games are lost and not made again",
            options.file.display(),
            start.lost,
            u64::from(start.lost) * u64::from(options.block_games)
        );
    }
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads.min(1024),
    };
    let job = Job { settings, rules, book, evaluation, last_block };
    let next = AtomicU32::new(first);
    let (sender, receiver) = sync_channel(2 * threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            player::thread().spawn_scoped(scope, || work(&job, &next, sender))?;
        }
        drop(sender);
        collect(&job, writer, first, &receiver)
    })
}

/// Plays blocks until there are no more, or nobody wants them.
fn work(job: &Job, next: &AtomicU32, sender: SyncSender<Result<Block>>) {
    let settings = &job.settings;
    let effort = Effort { soft_nodes: Some(settings.soft_nodes), hard_nodes: settings.hard_nodes };
    let mut player = match Player::new(&job.evaluation, effort, settings.hash) {
        Ok(player) => player,
        Err(error) => return drop(sender.send(Err(error))),
    };
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= job.last_block {
            return;
        }
        let numbers = (0..settings.block_games)
            .map(|i| u64::from(index) * u64::from(settings.block_games) + u64::from(i));
        let games: Result<Vec<_>> = numbers
            .map(|number| selfplay::play(&mut player, settings, job.rules, &job.book, number))
            .collect();
        let block = games.map(|games| Block { index, games });
        let failed = block.is_err();
        if sender.send(block).is_err() || failed {
            return;
        }
    }
}

/// Writes blocks in the order of their numbers.
fn collect(
    job: &Job,
    mut writer: Writer,
    first: u32,
    receiver: &Receiver<Result<Block>>,
) -> Result<()> {
    const EVERY: Duration = Duration::from_secs(60);
    let endless = job.last_block == u32::MAX;
    let style = if endless {
        "{spinner} {pos} positions, {per_sec}, {elapsed} {msg}"
    } else {
        "{bar:30} {percent}% {per_sec} positions, {eta} left {msg}"
    };
    let bar = if endless { ProgressBar::no_length() } else { ProgressBar::new(0) };
    let bar = bar.with_style(ProgressStyle::with_template(style)?);
    let plain = !std::io::stderr().is_terminal();
    let (mut waiting, mut next) = (BTreeMap::new(), first);
    let (mut positions, mut games) = (0u64, 0u64);
    let start = Instant::now();
    let mut told = start;
    while let Ok(block) = receiver.recv() {
        let block = block?;
        waiting.insert(block.index, block);
        while let Some(block) = waiting.remove(&next) {
            writer.write(&block)?;
            next += 1;
            games += block.games.len() as u64;
            positions += block.games.iter().map(|game| game.plies.len() as u64).sum::<u64>();
        }
        if !endless && games > 0 {
            bar.set_length(positions / u64::from(next - first) * u64::from(job.last_block - first));
        }
        bar.set_position(positions);
        bar.set_message(format!("{games} games"));
        if plain && told.elapsed() >= EVERY {
            told = Instant::now();
            let rate = positions as f64 / start.elapsed().as_secs_f64();
            say!("{positions} positions in {games} games, {rate:.0} positions/s");
        }
    }
    bar.finish();
    say!("{positions} positions in {games} games, {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}
