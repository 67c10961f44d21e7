//! A match between two evaluations, or two settings of the search: colour-swapped pairs at fixed
//! nodes.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use fastrand::Rng;
use indicatif::{ProgressBar, ProgressStyle};
use klotz::arena::stats::Counts;
use klotz::rules::{Position, Rules, Variant};
use klotz::search::Params;
use klotz::types::{Color, Team};

use crate::format::{Outcome, Settings};
use crate::player::{Book, Effort, Evaluation, Player};
use crate::{player, samples, selfplay};

/// Plays a match between two networks, or a network and the classical evaluation.
#[derive(Args)]
#[command(after_help = "Examples:
  klotz-tuning match new.nnue classical --book openings.epd --games 1000
  klotz-tuning match new.nnue old.nnue --nodes 2000 --games 4000
  klotz-tuning match a.nnue a.nnue --first rfp_margin=90 --second rfp_margin=130
  klotz-tuning match a.nnue a.nnue --first without=null-move
  klotz-tuning match bughouse.nnue crazyhouse.nnue --variant bughouse --games 2000")]
pub struct Options {
    /// Network file, or `classical`
    first: PathBuf,
    /// Network file, or `classical`
    second: PathBuf,
    /// crazyhouse or bughouse
    #[arg(long, default_value = "crazyhouse")]
    variant: String,
    /// Games, two for each opening
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 2000)]
    nodes: u64,
    /// Openings (FEN or EPD), taken in an order drawn by the seed; without, random moves
    #[arg(long)]
    book: Option<PathBuf>,
    /// Random plies for openings that come from no book
    #[arg(long, default_value_t = 8)]
    random_plies: u32,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Table of each player, in MiB
    #[arg(long, default_value_t = 4)]
    hash: usize,
    /// A number of the first side's search, as name=value, or without=part (repeat, or commas)
    #[arg(long = "first", value_name = "NAME=VALUE", value_delimiter = ',')]
    first_numbers: Vec<String>,
    /// The same for the second side
    #[arg(long = "second", value_name = "NAME=VALUE", value_delimiter = ',')]
    second_numbers: Vec<String>,
    /// Threads (0: all cores)
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// A pair's half points for the first side, and each game's outcome for it.
pub type Pair = (usize, [Outcome; 2]);

/// Pairs of games with sides swapped, each decided by its number.
pub struct Pairs {
    rules: Rules,
    book: Book,
    order: Vec<usize>,
    settings: Settings,
}

struct Match {
    evaluations: [Evaluation; 2],
    params: [Params; 2],
    pairs: Pairs,
    count: u64,
    effort: Effort,
    hash: usize,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    ensure!(
        options.games >= 2 && options.games.is_multiple_of(2),
        "--games {}: an even number from 2 on, since every start is played from both sides",
        options.games
    );
    ensure!(options.nodes > 0, "--nodes 0: at least 1");
    let book = Book::load(options.book.as_ref())?;
    let pairs = Pairs::new(&options.variant, book, options.random_plies, options.seed)?;
    let evaluations =
        [Evaluation::load(Some(&options.first))?, Evaluation::load(Some(&options.second))?];
    let effort = Effort { soft_nodes: None, hard_nodes: options.nodes };
    let count = options.games.div_ceil(2);
    let params = [numbers(&options.first_numbers)?, numbers(&options.second_numbers)?];
    let this = Match { evaluations, params, pairs, count, effort, hash: options.hash };
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads.min(1024),
    };
    this.run(threads)
}

/// The search's numbers with those set that were asked for.
fn numbers(words: &[String]) -> Result<Params> {
    let mut params = Params::default();
    for word in words {
        let set = match word.split_once('=') {
            Some(("without", part)) => params.without(part).map_err(Into::into),
            Some((name, value)) => value
                .parse()
                .map_err(anyhow::Error::from)
                .and_then(|value| Ok(params.set(name, value)?)),
            None => Err(anyhow::anyhow!("not name=value")),
        };
        set.with_context(|| format!("'{word}'"))?;
    }
    Ok(params)
}

/// Who plays White, or the team of WhiteA: 0 for the first side.
fn for_first(outcome: Outcome, swapped: bool) -> Outcome {
    match outcome {
        Outcome::Win if swapped => Outcome::Loss,
        Outcome::Loss if swapped => Outcome::Win,
        other => other,
    }
}

impl Match {
    fn run(&self, threads: usize) -> Result<()> {
        let (sender, receiver) = sync_channel(threads);
        let next = AtomicU64::new(0);
        let bar = ProgressBar::new(2 * self.count).with_style(ProgressStyle::with_template(
            "{bar:30} {pos}/{len} games, {eta} left {msg}",
        )?);
        let (mut counts, mut games) = (Counts::new(2), [0u64; 3]);
        let work = std::thread::scope(|scope| -> Result<_> {
            let handles: Vec<_> = (0..threads)
                .map(|_| {
                    let sender = sender.clone();
                    player::thread().spawn_scoped(scope, || self.play(&next, sender))
                })
                .collect::<std::io::Result<_>>()?;
            drop(sender);
            while let Ok(pair) = receiver.recv() {
                let (points, outcomes): Pair = pair?;
                counts.add(points);
                outcomes.iter().for_each(|&outcome| games[outcome as usize] += 1);
                bar.inc(2);
                bar.set_message(elo(&counts));
            }
            Ok(handles.into_iter().flat_map(|handle| handle.join()).collect::<Vec<_>>())
        })?;
        bar.finish_and_clear();
        say!(
            "{} - {}: {} games at {} nodes, +{} ={} -{}, Elo {}, pairs {:?}",
            self.evaluations[0].short_name(),
            self.evaluations[1].short_name(),
            games.iter().sum::<u64>(),
            self.effort.hard_nodes,
            games[Outcome::Win as usize],
            games[Outcome::Draw as usize],
            games[Outcome::Loss as usize],
            elo(&counts),
            counts.counts()
        );
        for side in 0..2 {
            let parts = work.iter().map(|work| work[side]);
            let (nodes, time) =
                parts.fold((0, Duration::ZERO), |sum, work| (sum.0 + work.0, sum.1 + work.1));
            let rate = nodes as f64 / time.as_secs_f64().max(1e-9) / 1000.0;
            say!("  {}: {rate:.0} kn/s", self.evaluations[side].name());
        }
        Ok(())
    }

    fn play(&self, next: &AtomicU64, sender: SyncSender<Result<Pair>>) -> [(u64, Duration); 2] {
        let make = |side: usize| -> Result<Player> {
            let mut player = Player::new(&self.evaluations[side], self.effort, self.hash)?;
            player.set_params(&self.params[side]);
            Ok(player)
        };
        let mut players = match (make(0), make(1)) {
            (Ok(first), Ok(second)) => [first, second],
            (Err(error), _) | (_, Err(error)) => {
                drop(sender.send(Err(error)));
                return [(0, Duration::ZERO); 2];
            }
        };
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.count {
                break;
            }
            let pair = self.pairs.play(&mut players, number);
            let failed = pair.is_err();
            if sender.send(pair).is_err() || failed {
                break;
            }
        }
        players.map(|player| player.work())
    }
}

impl Pairs {
    /// Pairs from a book in an order drawn by the seed, or from random moves.
    pub fn new(variant: &str, book: Book, random_plies: u32, seed: u64) -> Result<Pairs> {
        let mut order: Vec<usize> = (0..book.positions.len()).collect();
        Rng::with_seed(seed).shuffle(&mut order);
        let settings = Settings {
            variant: variant.to_owned(),
            seed,
            block_games: 2,
            soft_nodes: 0,
            hard_nodes: 0,
            random_plies,
            start_limit: 300,
            adjudicate: 2000,
            adjudicate_plies: 6,
            stray: 0,
            hash: 0,
            book: book.name.clone(),
            evaluation: String::new(),
            engine: String::new(),
        };
        Ok(Pairs { rules: samples::rules(variant)?, book, order, settings })
    }

    /// Two games from one start, sides swapped.
    pub fn play(&self, players: &mut [Player; 2], number: u64) -> Result<Pair> {
        let seed = self.settings.seed ^ number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut rng = Rng::with_seed(seed);
        let verdict = selfplay::Verdict {
            score: self.settings.adjudicate,
            plies: self.settings.adjudicate_plies,
        };
        let boards = self.start(&mut players[0], number, &mut rng)?;
        let mut outcomes = [Outcome::Draw; 2];
        for (swapped, result) in [false, true].into_iter().zip(&mut outcomes) {
            players.iter_mut().for_each(Player::new_game);
            let played = if self.rules.variant == Variant::Bughouse {
                selfplay::play_two(boards, verdict, &mut rng.clone(), |seat, position| {
                    players[usize::from((seat.team() == Team::Two) != swapped)].think(position, &[])
                })?
            } else {
                selfplay::play_one(boards[0], verdict, |position, history| {
                    players[usize::from((position.turn() == Color::Black) != swapped)]
                        .think(position, history)
                })?
            };
            *result = for_first(played.outcome, swapped);
        }
        Ok((outcomes.iter().map(|&outcome| outcome as usize).sum(), outcomes))
    }

    /// The start of a pair; a crazyhouse game uses the first board.
    fn start(&self, player: &mut Player, number: u64, rng: &mut Rng) -> Result<[Position; 2]> {
        let from_book = |number: u64| {
            let index = self.order[number as usize % self.order.len()];
            let fen = &self.book.positions[index];
            Position::from_fen(fen, self.rules)
                .map_err(|error| anyhow::anyhow!("book: '{fen}': {error}"))
        };
        let two = self.rules.variant == Variant::Bughouse;
        if !self.order.is_empty() {
            let other = if two { number.wrapping_mul(7) + 3 } else { number };
            return Ok([from_book(number)?, from_book(other)?]);
        }
        for _ in 0..10_000 {
            player.new_game();
            let found = if two {
                selfplay::start_two(player, &self.settings, self.rules, &self.book, rng)?
            } else {
                selfplay::start_one(player, &self.settings, self.rules, &self.book, rng)?
                    .map(|position| [position; 2])
            };
            if let Some(boards) = found {
                return Ok(boards);
            }
        }
        anyhow::bail!("no balanced start found by random moves")
    }
}

fn elo(counts: &Counts) -> String {
    counts
        .elo()
        .map_or_else(|| "unknown".to_owned(), |elo| format!("{:+.1} ± {:.1}", elo.value, elo.error))
}
