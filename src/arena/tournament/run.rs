//! Playing a tournament: workers with their own engines take games from a queue, and one hand
//! writes down what comes back.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};

use super::book::Book;
use super::config::{Config, Format};
use super::journal::{Appender, Journal, ResultFile, event_log, replace};
use super::schedule::{self, Encounter, GameSpec};
use super::score::{GameRecord, ReplayMove, Results};
use super::swiss;
use crate::arena::dialect::Heard;
use crate::arena::keep::{self, Heading};
use crate::arena::play::{Play, Termination};
use crate::arena::process::{Output, Stamped, Traffic, TrafficLog};
use crate::arena::spec::START;
use crate::arena::stats::{Counts, Verdict};
use crate::arena::table::{Chair, Driver, Engine, Finished, Player, Table, TableConfig};
use crate::types::{Seat, Team};

/// What a tournament tells whoever runs it.
pub trait Reporter {
    /// A game begins; `of` games are planned as far as is known.
    fn started(&mut self, spec: &GameSpec, of: usize);
    /// A game has ended.
    fn finished(&mut self, game: &GameRecord, results: &Results, of: usize);
    /// Anything else worth a line.
    fn note(&mut self, text: &str);
}

/// How an end of the tournament came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Close {
    /// Everything was played.
    Complete,
    /// The sequential test has decided.
    Decided(Verdict),
    /// Broken off by a signal.
    Interrupted,
    /// An engine failed and nobody asked to go on.
    Failed(String),
}

/// The engines of one worker.
struct Worker {
    pool: Vec<(usize, Engine)>,
    channel: (Sender<Stamped>, Receiver<Stamped>),
    next_source: usize,
    log: TrafficLog,
}

/// Repeatable seed of a game.
fn game_seed(seed: u64, index: usize) -> u64 {
    fastrand::Rng::with_seed(seed ^ (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).u64(..)
}

impl Worker {
    fn new(log: TrafficLog) -> Worker {
        let channel = crossbeam_channel::bounded(4096);
        Worker { pool: Vec::new(), channel, next_source: 0, log }
    }

    fn engine(&mut self, config: &Config, index: usize) -> Result<Engine, String> {
        if let Some(at) = self.pool.iter().position(|(own, _)| *own == index) {
            return Ok(self.pool.swap_remove(at).1);
        }
        self.next_source += 1;
        let channel = (&self.channel.0, &self.channel.1);
        config.engines[index].start(self.next_source, channel, self.log.clone())
    }

    fn play(
        &mut self,
        config: &Config,
        spec: &GameSpec,
        interrupt: &AtomicBool,
    ) -> Result<(Option<GameRecord>, Option<String>), String> {
        let play = Play::new(config.rules, spec.opening.as_ref())?;
        let mut chairs: [Option<Chair>; 4] = [None, None, None, None];
        for &seat in play.seats() {
            let index = spec.seats[seat.index()];
            let engine = self.engine(config, index)?;
            engine.check(&play)?;
            // Told apart by side and colour, never by board.
            let first = seat.team() == spec.first_team;
            let identity = u64::from(first) * 2 + u64::from(seat.color().is_white());
            let control = crate::arena::clock::TimeControl::Infinite;
            let mut chair = config.engines[index].chair(engine, control, identity);
            chair.limits.untimed = config.driver != Driver::Real;
            chairs[seat.index()] = Some(chair);
        }
        let driver = match config.driver {
            Driver::Real => Driver::Real,
            Driver::Virtual { rate, latency, .. } => {
                Driver::Virtual { rate, latency, seed: game_seed(config.seed, spec.index) }
            }
        };
        let table_config = TableConfig {
            rules: config.rules,
            opening: spec.opening.clone(),
            driver,
            adjudication: config.adjudication,
            nudge: config.nudge,
            patience: 60_000_000,
        };
        let mut nobody = ();
        let table = Table::new(&table_config, chairs, &self.channel.1, &mut nobody, interrupt)?;
        let (finished, chairs) = table.run();
        let failure = self.take_back(config, spec, &finished, chairs);
        if finished.ending.termination == Termination::Unfinished {
            return Ok((None, failure));
        }
        Ok((Some(record(config, spec, &finished)), failure))
    }

    /// Keeps the engines that are fit for another game; tells of one that crashed.
    fn take_back(
        &mut self,
        config: &Config,
        spec: &GameSpec,
        finished: &Finished,
        chairs: [Option<Chair>; 4],
    ) -> Option<String> {
        let at_fault = |seat: Seat| finished.ending.seat == Some(seat);
        let mut engines: Vec<(Seat, String, Engine)> = Vec::new();
        for (seat, chair) in Seat::ALL.into_iter().zip(chairs) {
            if let Some(Chair { player: Player::Engine(engine), name, .. }) = chair {
                engines.push((seat, name, *engine));
            }
        }
        let flagged = finished.ending.termination == Termination::Flag;
        let suspects: Vec<Seat> =
            engines.iter().map(|(seat, ..)| *seat).filter(|s| flagged && at_fault(*s)).collect();
        let mute = self.settle(&mut engines, suspects);
        let mut failure = None;
        for (seat, name, mut engine) in engines {
            let index = spec.seats[seat.index()];
            let crashed = at_fault(seat)
                && matches!(finished.ending.termination, Termination::Left | Termination::Stall);
            if crashed {
                let detail = finished.ending.detail.clone().unwrap_or_default();
                failure =
                    Some(format!("engine '{name}' on {seat} in game {}: {detail}", spec.index + 1));
            }
            let unfit = mute.contains(&seat) || engine.may_answer_late() || engine.is_dead();
            if crashed || unfit || config.restart[index] {
                continue;
            }
            self.pool.push((index, engine));
        }
        failure
    }

    /// Waits for the answers still owed, and for a sign of life of the suspects; returns those who
    /// gave none. Lines go to whom they belong.
    fn settle(&self, engines: &mut [(Seat, String, Engine)], mut suspects: Vec<Seat>) -> Vec<Seat> {
        let end = std::time::Instant::now() + Duration::from_secs(2);
        for (seat, _, engine) in engines.iter_mut() {
            if suspects.contains(seat) && !engine.ping() {
                suspects.retain(|other| other != seat);
            }
        }
        loop {
            let owing =
                engines.iter().filter(|(_, _, engine)| engine.owes()).map(|(seat, ..)| *seat);
            let waiting: Vec<Seat> = owing.chain(suspects.iter().copied()).collect();
            let next =
                if waiting.is_empty() { None } else { self.channel.1.recv_deadline(end).ok() };
            let Some(stamped) = next.filter(|_| std::time::Instant::now() < end) else {
                return waiting;
            };
            let from = engines.iter_mut().find(|(_, _, engine)| engine.source() == stamped.source);
            if let (Some((seat, _, engine)), Output::Line(line)) = (from, &stamped.output)
                && engine.hear(line) == Some(Heard::Ready)
            {
                suspects.retain(|other| other != seat);
            }
        }
    }
}

/// A finished game as files keep it.
fn record(config: &Config, spec: &GameSpec, finished: &Finished) -> GameRecord {
    let names = spec.seats.map(|index| config.engines[index].name.clone());
    let double = super::book::is_double(config.rules);
    // A record that carries the date would differ from run to run.
    let date = match config.driver {
        Driver::Real => keep::date_now(),
        Driver::Virtual { .. } => ("????.??.??".to_string(), "??:??:??".to_string()),
    };
    let heading = Heading {
        event: config.event.0.clone(),
        site: config.event.1.clone(),
        date,
        round: format!("{}.{}", spec.encounter.round, spec.index + 1),
        names: names.clone(),
        control: config.engines[spec.seats[0]].control,
        rules: Some(config.rules),
        from_position: spec.opening.is_some(),
        ..Heading::default()
    };
    let text = if double {
        keep::bpgn(&heading, finished).to_string()
    } else {
        keep::pgn(&heading, finished).to_string()
    };
    let half_one = finished.ending.half_points().unwrap_or(1);
    let moves = finished.moves.iter().map(|mv| {
        let (at, left) = (mv.at / 1000, mv.remaining / 1000);
        let played = &mv.played;
        ReplayMove(
            played.seat.index(),
            played.san.clone(),
            at,
            left,
            mv.fen.clone(),
            mv.other_hands.clone(),
        )
    });
    GameRecord {
        index: spec.index,
        block: spec.block,
        round: spec.encounter.round,
        first: spec.encounter.first,
        second: spec.encounter.second,
        first_is_one: spec.first_team == Team::One,
        names,
        result: finished.ending.result().to_string(),
        half_points: if spec.first_team == Team::One { half_one } else { 2 - half_one },
        termination: finished.ending.termination.name().to_string(),
        forfeit: finished.ending.termination.is_forfeit(),
        seat: finished.ending.seat.map(|seat| seat.name().to_string()),
        detail: finished.ending.detail.clone().filter(|d| !d.is_empty()),
        incidents: finished.incidents.iter().map(|i| format!("{}: {}", i.seat, i.what)).collect(),
        start: finished.start.clone(),
        fen: finished.fen.clone(),
        length_ms: finished.length / 1000,
        moves: moves.collect(),
        log: finished.log.clone(),
        record: text,
    }
}

/// What workers send back.
enum News {
    Started(GameSpec),
    Ended(Box<Option<GameRecord>>, Option<String>),
    Broken(String),
}

/// A tournament being played.
pub struct Tournament<'a> {
    config: &'a Config,
    book: Book,
    settings: BTreeMap<String, String>,
    results: Results,
    journal: Option<Journal>,
    record: Option<Appender>,
    workers: Vec<Worker>,
    interrupt: &'a AtomicBool,
    reporter: &'a mut dyn Reporter,
}

impl<'a> Tournament<'a> {
    /// Prepares everything that can fail before a game is played: openings, files, engines.
    pub fn prepare(
        config: &'a Config,
        interrupt: &'a AtomicBool,
        reporter: &'a mut dyn Reporter,
    ) -> Result<Tournament<'a>, String> {
        let book = match &config.openings {
            Some(openings) => Book::load(openings, config.rules, config.seed)?,
            None => Book::default(),
        };
        if config.format == Format::Swiss {
            let needed = config.rounds + 1 - config.teams.len() % 2;
            if config.teams.len() < needed {
                return Err(format!(
                    "a Swiss of {} rounds without repeated pairings wants {needed} sides, not {}",
                    config.rounds,
                    config.teams.len()
                ));
            }
        }
        let settings = config.settings(book.checksum);
        for path in [&config.json, &config.report, &config.event_log].into_iter().flatten() {
            writable(path)?;
        }
        let mut results = Results::default();
        let journal = match &config.resume {
            Some(path) => {
                let record = config.record.as_deref();
                let (journal, games) = Journal::open(path, &settings, config.shard, record)?;
                if !games.is_empty() {
                    reporter.note(&format!("resumed with {} finished games", games.len()));
                }
                results.games = games.into_iter().map(|game| (game.index, game)).collect();
                Some(journal)
            }
            None => None,
        };
        let record = config.record.as_deref().map(Appender::open).transpose()?;
        let log = config.log.as_deref().map(Traffic::create).transpose()?;
        let mut workers: Vec<Worker> =
            (0..config.concurrency).map(|_| Worker::new(log.clone())).collect();
        let play = Play::new(config.rules, None)?;
        for index in 0..config.engines.len() {
            let mut engine = workers[0].engine(config, index)?;
            engine.check(&play)?;
            engine.try_options(&play, &workers[0].channel.1, START)?;
            workers[0].pool.push((index, engine));
        }
        Ok(Tournament {
            config,
            book,
            settings,
            results,
            journal,
            record,
            workers,
            interrupt,
            reporter,
        })
    }

    /// Plays everything that is not played yet.
    pub fn run(mut self) -> Result<(Results, Close), String> {
        let close = match self.config.format {
            Format::Swiss => self.swiss(),
            _ => {
                let mut specs = Vec::new();
                for (block, encounter) in schedule::encounters(self.config).into_iter().enumerate()
                {
                    let index = specs.len();
                    specs.extend(schedule::games(self.config, &self.book, block, index, encounter));
                }
                let all = specs.len();
                self.stage(specs, all)
            }
        };
        // What was played is written even when the rest failed.
        if let Ok(Close::Decided(_)) = close {
            self.cut_after_decision();
        }
        self.write_results()?;
        let close = close?;
        let log = self.workers.iter().find_map(|worker| worker.log.as_ref());
        match log.and_then(|log| log.fault()) {
            Some(fault) => Err(fault.to_string()),
            None => Ok((self.results, close)),
        }
    }

    fn write_results(&self) -> Result<(), String> {
        if let Some(path) = &self.config.json {
            let file = ResultFile::new(self.settings.clone(), self.config, &self.results);
            file.write(path)?;
        }
        if let Some(path) = &self.config.event_log {
            replace(path, &event_log(&self.results))?;
        }
        if let Some(path) = &self.config.report {
            replace(path, &crate::arena::report::html(self.config, &self.results))?;
        }
        Ok(())
    }

    /// A Swiss is played round by round; each round is paired from all results before it.
    fn swiss(&mut self) -> Result<Close, String> {
        let (mut block, mut index) = (0, 0);
        let mut met: swiss::Round = Vec::new();
        let finished = std::mem::take(&mut self.results.games);
        let rounds = self.config.rounds;
        for round in 1..=rounds {
            let order: Vec<usize> =
                self.results.standings(self.config).iter().map(|line| line.side).collect();
            let pairs = swiss::pair(&order, &met, rounds - round)
                .ok_or_else(|| format!("round {round} cannot be paired without a repeat"))?;
            let mut specs = Vec::new();
            for &(first, second) in &pairs {
                let Some(second) = second else {
                    self.results.byes.push((first, round));
                    continue;
                };
                let encounter = Encounter { round, first, second };
                let games = schedule::games(self.config, &self.book, block, index, encounter);
                block += 1;
                index += games.len();
                specs.extend(games);
            }
            for spec in &specs {
                if let Some(game) = finished.get(&spec.index) {
                    self.results.games.insert(spec.index, game.clone());
                }
            }
            met.extend(pairs);
            match self.stage(specs, index)? {
                Close::Complete => {}
                other => return Ok(other),
            }
            let table = super::score::table_text(self.config, &self.results);
            self.reporter.note(&format!("Standings after round {round}:\n{table}"));
        }
        Ok(Close::Complete)
    }

    /// Plays a set of games on all workers.
    fn stage(&mut self, specs: Vec<GameSpec>, of: usize) -> Result<Close, String> {
        let mine = |spec: &GameSpec| self.config.shard.is_none_or(|(i, n)| spec.block % n == i);
        let todo = |spec: &GameSpec| !self.results.games.contains_key(&spec.index);
        let queue: VecDeque<GameSpec> = specs.into_iter().filter(|s| mine(s) && todo(s)).collect();
        if let Some(verdict) = self.verdict() {
            return Ok(Close::Decided(verdict));
        }
        let queue = Mutex::new(queue);
        let halt = AtomicBool::new(false);
        let (news_out, news_in) = crossbeam_channel::unbounded::<News>();
        let (config, interrupt) = (self.config, self.interrupt);
        let mut workers = std::mem::take(&mut self.workers);
        let close = std::thread::scope(|scope| {
            for worker in &mut workers {
                let (queue, halt, news) = (&queue, &halt, news_out.clone());
                scope.spawn(move || work(worker, config, queue, halt, interrupt, &news));
            }
            drop(news_out);
            self.listen(&news_in, &halt, of)
        });
        self.workers = workers;
        let close = close?;
        if self.interrupt.load(Ordering::Relaxed) && close == Close::Complete {
            return Ok(Close::Interrupted);
        }
        Ok(close)
    }

    /// Takes news until every worker has stopped. Whatever happens, finished games are kept.
    fn listen(
        &mut self,
        news: &Receiver<News>,
        halt: &AtomicBool,
        of: usize,
    ) -> Result<Close, String> {
        let mut close = Ok(Close::Complete);
        for item in news {
            match item {
                News::Started(spec) => self.reporter.started(&spec, of),
                News::Broken(error) => {
                    halt.store(true, Ordering::Relaxed);
                    close = close.and(Err(error));
                }
                News::Ended(game, failure) => {
                    if let Some(game) = *game
                        && let Err(error) = self.keep(game, of)
                    {
                        halt.store(true, Ordering::Relaxed);
                        close = close.and(Err(error));
                    }
                    if let Some(failure) = failure {
                        if self.config.recover {
                            self.reporter.note(&format!("Warning: {failure}"));
                        } else if close == Ok(Close::Complete) {
                            halt.store(true, Ordering::Relaxed);
                            close = Ok(Close::Failed(failure));
                        }
                    }
                    if close == Ok(Close::Complete)
                        && let Some(verdict) = self.verdict()
                    {
                        halt.store(true, Ordering::Relaxed);
                        close = Ok(Close::Decided(verdict));
                    }
                }
            }
        }
        close
    }

    fn keep(&mut self, game: GameRecord, of: usize) -> Result<(), String> {
        if let Some(journal) = &mut self.journal {
            journal.add(&game)?;
        }
        if let Some(record) = &mut self.record {
            record.append(&format!("{}\n", game.record))?;
        }
        self.results.games.insert(game.index, game.clone());
        self.reporter.finished(&game, &self.results, of);
        Ok(())
    }

    /// What the sequential test says of the blocks in their order, as far as they are complete
    /// without a gap: games that happen to finish early must not weigh more.
    fn verdict(&self) -> Option<Verdict> {
        self.decision().map(|(verdict, _)| verdict)
    }

    fn decision(&self) -> Option<(Verdict, usize)> {
        let sprt = self.config.sprt.filter(|_| self.config.shard.is_none())?;
        let encounter = Encounter { round: 1, first: 0, second: 1 };
        let size = schedule::block_size(self.config, &encounter);
        let mut counts = Counts::new(size);
        for block in 0.. {
            let games = block * size..(block + 1) * size;
            let halves: Option<usize> =
                games.map(|i| self.results.games.get(&i).map(|game| game.half_points)).sum();
            counts.add(halves?);
            let (_, verdict) = sprt.judge(&counts);
            if verdict != Verdict::Open {
                return Some((verdict, (block + 1) * size));
            }
        }
        None
    }

    /// Games that ran beside the deciding ones count no more than if they had not begun.
    fn cut_after_decision(&mut self) {
        if let Some((_, games)) = self.decision() {
            self.results.games.retain(|index, _| *index < games);
        }
    }
}

fn writable(path: &Path) -> Result<(), String> {
    Appender::open(path).map(|_| ())
}

fn work(
    worker: &mut Worker,
    config: &Config,
    queue: &Mutex<VecDeque<GameSpec>>,
    halt: &AtomicBool,
    interrupt: &AtomicBool,
    news: &Sender<News>,
) {
    while !halt.load(Ordering::Relaxed) && !interrupt.load(Ordering::Relaxed) {
        let Some(spec) = queue.lock().ok().and_then(|mut queue| queue.pop_front()) else { return };
        let _ = news.send(News::Started(spec.clone()));
        match worker.play(config, &spec, interrupt) {
            Ok((game, failure)) => {
                let _ = news.send(News::Ended(Box::new(game), failure));
            }
            Err(error) => {
                let _ = news.send(News::Broken(error));
                return;
            }
        }
        if config.wait_ms > 0 {
            std::thread::sleep(Duration::from_millis(config.wait_ms));
        }
    }
}
