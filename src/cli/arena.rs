//! `klotz arena`: matches and tournaments between engines.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::UsageError;

use crate::arena::report;
use crate::arena::stats::Verdict;
use crate::arena::tournament::Config;
use crate::arena::tournament::config::FLAGS;
use crate::arena::tournament::journal::{ResultFile, event_log, replace};
use crate::arena::tournament::run::{Close, Reporter, Tournament};
use crate::arena::tournament::schedule::GameSpec;
use crate::arena::tournament::score::{GameRecord, Results, duel_text, forfeits_text, table_text};

/// Play matches and tournaments between engines (docs/arena.md tells the flags)
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub struct ArenaArgs {
    /// Flags as Cute Chess and fastchess have them, or `merge FILES -json FILE`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<String>,
}

const USAGE: &str = "\
usage: klotz arena -engine name=A [cmd=…] [tc=…] -engine name=B … [-each …] [flags]
       klotz arena merge a.json b.json … [-json all.json] [-report all.html] [-partial]
for example:
  klotz arena -engine name=new -engine name=old cmd=/old/klotz -each tc=10+0.1 -rounds 100 \\
      -openings file=book.epd order=random -pgnout games.pgn -sprt elo0=0 elo1=10
  klotz arena -variant bughouse -engine name=us -engine name=sjeng cmd=sjeng proto=xboard \\
      -each tc=20+0.1 -rounds 10 -nudge 3 -bpgnout matches.bpgn -report matches.html
a key of -engine or -each is one of
  name= cmd= dir= arg= args= proto=uci|xboard|ubi tc=[moves/][min:]sec[+inc] st= depth= nodes=
  timemargin=MS restart=on option.NAME=VALUE; an engine without cmd= is Klotz
flags:";

/// Runs the subcommand.
pub fn run(args: &ArenaArgs) -> Result<()> {
    match args.flags.first().map(String::as_str) {
        None | Some("-h" | "-help" | "--help" | "help") => {
            let names: Vec<String> = FLAGS.iter().map(|name| format!("-{name}")).collect();
            let lines = names.chunks(8).map(|chunk| format!("\n  {}", chunk.join(" ")));
            super::say(format!(
                "{USAGE}{}\ndocs/arena.md tells what they do.",
                lines.collect::<String>()
            ));
            Ok(())
        }
        Some("merge") => merge(&args.flags[1..]),
        Some(_) => tournament(&args.flags),
    }
}

fn tournament(flags: &[String]) -> Result<()> {
    let config = Config::read(flags).map_err(UsageError)?;
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    // The first interrupt lets what is finished be written, the second waits for nothing.
    let interrupted = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(interrupted).context("cannot listen for an interrupt")?;
    let mut console = Console::new(&config);
    let tournament =
        Tournament::prepare(&config, &interrupt, &mut console).map_err(|e| anyhow!(e))?;
    let (results, close) = tournament.run().map_err(|e| anyhow!(e))?;
    console.close();
    super::say(summary(&config, &results).trim_end());
    match close {
        Close::Complete => super::say("Finished match"),
        Close::Decided(Verdict::H1) => super::say("Finished match: H1 was accepted"),
        Close::Decided(_) => super::say("Finished match: H0 was accepted"),
        Close::Interrupted => super::say("Interrupted; -resume with the same file goes on"),
        Close::Failed(why) => bail!("{why} (with -recover the tournament goes on)"),
    }
    Ok(())
}

/// The final tables.
fn summary(config: &Config, results: &Results) -> String {
    let main = match config.teams.len() {
        2 => duel_text(config, results, 0, 1),
        _ => table_text(config, results),
    };
    let endings: Vec<String> =
        results.endings().iter().map(|(name, count)| format!("{name} {count}")).collect();
    format!("{main}Endings: {}\n{}", endings.join(", "), forfeits_text(config, results))
}

fn merge(words: &[String]) -> Result<()> {
    let (mut files, mut out) = (Vec::new(), std::collections::BTreeMap::new());
    let mut partial = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-json" | "-report" | "-eventlog" | "-pgnout" | "-bpgnout" => {
                let path =
                    words.next().ok_or_else(|| UsageError(format!("{word} wants a file")))?;
                out.insert(word.as_str(), PathBuf::from(path));
            }
            "-partial" => partial = true,
            other if other.starts_with('-') => {
                let known = "-json, -report, -eventlog, -pgnout, -bpgnout and -partial";
                bail!(UsageError(format!("merge knows {known}, not '{other}'")))
            }
            file => {
                let path = Path::new(file).to_path_buf();
                let read = ResultFile::read(&path).map_err(|e| anyhow!(e))?;
                files.push((path, read));
            }
        }
    }
    let parts: Vec<_> = files.iter().map(|(_, file): &(PathBuf, ResultFile)| file.shard).collect();
    let all = ResultFile::merge(files).map_err(|e| anyhow!(e))?;
    let config = Config::read(&all.flags).map_err(|e| anyhow!("flags in the results: {e}"))?;
    if let Some(missing) = all.missing(&config, &parts).filter(|_| !partial) {
        bail!("{missing} (-partial merges what there is)");
    }
    let results = all.results();
    for (flag, path) in out {
        let done = match flag {
            "-json" => all.write(&path),
            "-report" => replace(&path, &report::html(&config, &results)),
            "-eventlog" => replace(&path, &event_log(&results)),
            _ => {
                let records = results.games.values().map(|game| format!("{}\n", game.record));
                replace(&path, &records.collect::<String>())
            }
        };
        done.map_err(|e| anyhow!(e))?;
    }
    super::say(summary(&config, &results).trim_end());
    Ok(())
}

/// Lines on standard output; a bar on a terminal.
struct Console<'a> {
    config: &'a Config,
    bar: Option<ProgressBar>,
    since_table: usize,
}

impl<'a> Console<'a> {
    fn new(config: &'a Config) -> Console<'a> {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            let style =
                ProgressStyle::with_template("{bar:30} {pos}/{len} [{elapsed}<{eta}] {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Console { config, bar, since_table: 0 }
    }

    fn print(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| super::say(text)),
            None => super::say(text),
        }
    }

    fn close(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn sides(&self, first: usize, second: usize, first_is_one: bool) -> String {
        let name = |side: usize| self.config.teams[side].name.as_str();
        let (one, two) = if first_is_one { (first, second) } else { (second, first) };
        format!("{} vs {}", name(one), name(two))
    }
}

impl Reporter for Console<'_> {
    fn started(&mut self, spec: &GameSpec, of: usize) {
        if let Some(bar) = &self.bar {
            bar.set_length(of as u64);
        }
        let one = spec.first_team == crate::types::Team::One;
        let sides = self.sides(spec.encounter.first, spec.encounter.second, one);
        self.print(&format!("Started game {} of {of} ({sides})", spec.index + 1));
    }

    fn finished(&mut self, game: &GameRecord, results: &Results, of: usize) {
        let sides = self.sides(game.first, game.second, game.first_is_one);
        let seat = game.seat.as_ref().map_or(String::new(), |seat| format!("{seat}: "));
        let detail = game.detail.as_ref().map_or(String::new(), |detail| format!(", {detail}"));
        self.print(&format!(
            "Finished game {} ({sides}): {} {{{seat}{}{detail}}}",
            game.index + 1,
            game.result,
            game.termination
        ));
        let duel = self.config.teams.len() == 2;
        let score = duel_text(self.config, results, game.first, game.second);
        let line = score.lines().next().unwrap_or_default();
        if duel {
            self.print(line);
        }
        if let Some(bar) = &self.bar {
            bar.set_length(of as u64);
            bar.set_position(results.games.len() as u64);
            bar.set_message(line.trim_start_matches("Score of ").to_string());
        }
        self.since_table += 1;
        if self.config.rating_interval > 0 && self.since_table >= self.config.rating_interval {
            self.since_table = 0;
            let table = if duel { score } else { table_text(self.config, results) };
            self.print(table.trim_end());
        }
    }

    fn note(&mut self, text: &str) {
        self.print(text);
    }
}
