//! `klotz table`: one match, watched live or played along.

use std::fs::OpenOptions;
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;

use crate::arena::clock::TimeControl;
use crate::arena::dialect::{GoLimits, Protocol};
use crate::arena::keep::{self, Heading};
use crate::arena::play::Play;
use crate::arena::process::{Output, Stamped, Traffic};
use crate::arena::spec::{EngineSpec, START};
use crate::arena::table::{
    Adjudication, Chair, Driver, Finished, KEYBOARD, Player, Table, TableConfig, Watcher,
};
use crate::arena::view::{Screen, ending_text};
use crate::rules::{Rules, Variant};
use crate::types::Seat;

/// Play one match at a table
#[derive(Args, Debug)]
pub struct TableArgs {
    /// Who sits where: SEAT=klotz, SEAT=human, SEAT=cmd:PROGRAM [ARGS] (UCI; with xboard: or ubi:
    /// in place of cmd: another protocol). Seats are WhiteA, BlackA, WhiteB, BlackB; free ones are
    /// Klotz'
    #[arg(long, value_name = "SEAT=PLAYER")]
    seat: Vec<String>,
    /// Time control: [moves/][minutes:]seconds[+increment], or inf
    #[arg(long, default_value = "180+0", value_parser = parse_control)]
    tc: TimeControl,
    /// Rule set: bughouse, bughouse-otb, bughouse-swedish, crazyhouse, chess
    #[arg(long, default_value = "bughouse")]
    rules: String,
    /// A rule that differs from the set, such as drop_aggression=no-check
    #[arg(long, value_name = "NAME=VALUE")]
    rule: Vec<String>,
    /// Start position; for two boards 'FEN | FEN'
    #[arg(long)]
    fen: Option<String>,
    /// Nodes a move for engines (not in XBoard's protocol, which has no word for it)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// An option for every Klotz at the table
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    /// Tell an engine that waits so many seconds to go on
    #[arg(long, value_name = "SECONDS", value_parser = nudge)]
    nudge: Option<f64>,
    /// Matches to play one after the other
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    matches: u32,
    /// File the record is appended to (.bpgn for two boards, .pgn for one)
    #[arg(long)]
    record: Option<PathBuf>,
    /// File for all lines between the table and the engines
    #[arg(long)]
    log: Option<PathBuf>,
    /// Lines instead of live boards
    #[arg(long)]
    plain: bool,
    /// Nothing but the results
    #[arg(long)]
    quiet: bool,
}

fn parse_control(text: &str) -> Result<TimeControl, String> {
    text.parse()
}

enum Seated {
    Human,
    Engine(EngineSpec),
}

/// The players in the order of [`Seat::ALL`].
fn seating(args: &TableArgs, seats: &[Seat]) -> Result<Vec<Seated>> {
    let mut taken: [Option<&str>; 4] = [None; 4];
    for entry in &args.seat {
        let (seat, player) = entry
            .split_once('=')
            .ok_or_else(|| anyhow!("--seat '{entry}': SEAT=PLAYER was expected"))?;
        let seat: Seat = seat.trim().parse().map_err(|e| anyhow!("--seat '{entry}': {e}"))?;
        if !seats.contains(&seat) {
            bail!("--seat '{entry}': a table of one board has no {seat}");
        }
        if let Some(first) = taken[seat.index()].replace(player) {
            bail!("seat {seat} is taken twice: by '{first}' and by '{player}'");
        }
    }
    taken.iter().map(|player| seated(player.unwrap_or("klotz"), args)).collect()
}

fn seated(player: &str, args: &TableArgs) -> Result<Seated> {
    let limits = GoLimits { nodes: args.nodes, ..GoLimits::default() };
    let mut spec = match player.split_once(':') {
        None if player.eq_ignore_ascii_case("human") => return Ok(Seated::Human),
        None if player.eq_ignore_ascii_case("klotz") => {
            let pairs = args.option.iter().map(|pair| match pair.split_once('=') {
                Some((name, value)) => Ok((name.to_string(), value.to_string())),
                None => Err(anyhow!("--option '{pair}': NAME=VALUE was expected")),
            });
            EngineSpec { options: pairs.collect::<Result<_>>()?, ..EngineSpec::klotz() }
        }
        Some((protocol, line)) => {
            let protocol = if protocol == "cmd" { "uci" } else { protocol };
            let protocol: Protocol =
                protocol.parse().map_err(|e| anyhow!("player '{player}': {e}"))?;
            EngineSpec::command(line, protocol).map_err(|e| anyhow!("player '{player}': {e}"))?
        }
        None => bail!(
            "player '{player}' is none of klotz, human, cmd:PROGRAM, xboard:PROGRAM, ubi:PROGRAM"
        ),
    };
    spec.limits = limits;
    Ok(Seated::Engine(spec))
}

fn rules(args: &TableArgs) -> Result<Rules> {
    let mut rules = Rules::preset(&args.rules)?;
    for pair in &args.rule {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| anyhow!("--rule '{pair}': NAME=VALUE was expected"))?;
        rules.set(name, value)?;
    }
    Ok(rules)
}

/// Plays the match, or several.
pub fn run(args: &TableArgs) -> Result<()> {
    let rules = rules(args)?;
    let opening = args.fen.as_deref().map(|text| match text.split_once('|') {
        Some((a, b)) => (a.trim().to_string(), Some(b.trim().to_string())),
        None => (text.trim().to_string(), None),
    });
    let play = Play::new(rules, opening.as_ref()).map_err(|e| anyhow!("--fen: {e}"))?;
    let players = seating(args, play.seats())?;
    let config = TableConfig {
        rules,
        opening,
        driver: Driver::Real,
        adjudication: Adjudication::default(),
        nudge: args.nudge.map(|seconds| (seconds.max(0.1) * 1e6) as i64),
        patience: 60_000_000,
    };
    let double = play.is_double();
    let file = args.record.clone().unwrap_or_else(|| {
        PathBuf::from(if double { "klotz-table.bpgn" } else { "klotz-table.pgn" })
    });
    // A record that cannot be written is known before the match, not after it.
    open(&file)?;

    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .context("cannot listen for an interrupt")?;

    let log = args.log.as_deref().map(Traffic::create).transpose().map_err(|e| anyhow!(e))?;
    let (sink, lines) = crossbeam_channel::bounded(4096);
    let mut chairs: [Option<Chair>; 4] = [None, None, None, None];
    let mut people = false;
    for &seat in play.seats() {
        let chair = match &players[seat.index()] {
            Seated::Human => {
                people = true;
                Chair {
                    name: seat.name().to_string(),
                    player: Player::Human,
                    control: args.tc,
                    margin: 0,
                    limits: GoLimits::default(),
                    identity: 0,
                }
            }
            Seated::Engine(spec) => {
                let engine = spec
                    .start(seat.index(), (&sink, &lines), log.clone())
                    .and_then(|mut engine| {
                        engine.check(&play)?;
                        engine.try_options(&play, &lines, START).map(|()| engine)
                    })
                    .map_err(|e| anyhow!("{seat}: {e}"))?;
                spec.chair(engine, args.tc, seat.index() as u64)
            }
        };
        chairs[seat.index()] = Some(chair);
    }
    if people {
        std::thread::spawn(move || keyboard(&sink));
    }
    let live = !args.plain && std::io::stdout().is_terminal();
    for _ in 0..args.matches {
        let mut screen = Screen::new(live);
        let mut nobody = ();
        let watcher: &mut dyn Watcher = if args.quiet { &mut nobody } else { &mut screen };
        let names =
            [0, 1, 2, 3].map(|i| chairs[i].as_ref().map_or(String::new(), |c| c.name.clone()));
        let table =
            Table::new(&config, chairs, &lines, watcher, &interrupt).map_err(|e| anyhow!("{e}"))?;
        let finished;
        (finished, chairs) = table.run();
        save(&file, &config, args.tc, &names, &finished)?;
        if args.quiet {
            super::say(ending_text(&finished.ending, &names));
        }
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
    }
    super::say(format!("record: {}", file.display()));
    match log.as_ref().and_then(|log| log.fault()) {
        Some(fault) => bail!("{fault}"),
        None => Ok(()),
    }
}

/// Seconds until a partner is told to go on.
fn nudge(text: &str) -> Result<f64, String> {
    let read = text.parse().ok().filter(|seconds| (0.0..=1e6).contains(seconds));
    read.ok_or_else(|| "seconds from 0 to 1000000 were expected".to_string())
}

fn open(file: &Path) -> Result<std::fs::File> {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    opened.with_context(|| format!("cannot write the record to {}", file.display()))
}

fn save(
    file: &Path,
    config: &TableConfig,
    control: TimeControl,
    names: &[String; 4],
    finished: &Finished,
) -> Result<()> {
    let heading = Heading {
        event: "Klotz table".to_string(),
        site: "-".to_string(),
        date: keep::date_now(),
        round: "-".to_string(),
        names: names.clone(),
        control: Some(control),
        rules: Some(config.rules),
        from_position: config.opening.is_some(),
        ..Heading::default()
    };
    let text = if config.rules.variant == Variant::Bughouse {
        keep::bpgn(&heading, finished).to_string()
    } else {
        keep::pgn(&heading, finished).to_string()
    };
    let mut out = open(file)?;
    writeln!(out, "{text}")
        .and_then(|()| out.flush())
        .with_context(|| format!("cannot write the record to {}", file.display()))
}

/// Lines typed by people, stamped like those of engines.
fn keyboard(sink: &crossbeam_channel::Sender<Stamped>) {
    let mut input = std::io::stdin().lock();
    loop {
        let mut bytes = Vec::new();
        let output = match input.read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => Output::Closed,
            Ok(_) => Output::Line(String::from_utf8_lossy(&bytes).trim().to_string()),
        };
        let ended = output == Output::Closed;
        if sink.send(Stamped { source: KEYBOARD, at: Instant::now(), output }).is_err() || ended {
            return;
        }
    }
}
