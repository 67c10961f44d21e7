//! What a tournament plays by, from flags in the habits of Cute Chess and fastchess.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::drafts::{
    Draft, TeamDraft, read_adjudication, read_openings, read_sprt, read_team, read_teams_file,
};
use super::words::{Flag, flags, toml_tokens, unknown, unknown_flag};
use crate::arena::clock::Micros;
use crate::arena::dialect::Protocol;
use crate::arena::spec::EngineSpec;
use crate::arena::stats::Sprt;
use crate::arena::table::{Adjudication, Driver};
use crate::rules::{Rules, Variant};

/// How pairings are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Everyone against everyone.
    #[default]
    RoundRobin,
    /// The first against all others.
    Gauntlet,
    /// By standings, nobody twice against the same.
    Swiss,
}

/// Where openings come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openings {
    /// The file.
    pub file: PathBuf,
    /// EPD, PGN or BPGN; by the file's name when not told.
    pub format: Option<String>,
    /// In random order.
    pub random: bool,
    /// Moves taken from games.
    pub plies: Option<usize>,
    /// The first one, counted from 1.
    pub start: usize,
}

/// Two players of one side; at a single board the first alone plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamSpec {
    /// The team's name.
    pub name: String,
    /// Its members' engines.
    pub members: [usize; 2],
    /// The sum of its members' ratings.
    pub rating: Option<u32>,
}

impl TeamSpec {
    /// Whether its members differ.
    pub fn is_mixed(&self) -> bool {
        self.members[0] != self.members[1]
    }
}

/// Everything a tournament plays by.
#[derive(Clone, Debug)]
pub struct Config {
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// Whether an engine is started anew for every game, per engine.
    pub restart: Vec<bool>,
    /// The sides that are paired.
    pub teams: Vec<TeamSpec>,
    /// The rule set.
    pub rules: Rules,
    /// Openings, if any.
    pub openings: Option<Openings>,
    /// The pairing system.
    pub format: Format,
    /// Rounds.
    pub rounds: usize,
    /// Games of an encounter, which make a block.
    pub games: Option<usize>,
    /// Whether sides keep their colours.
    pub noswap: bool,
    /// Games at the same time.
    pub concurrency: usize,
    /// A sequential test.
    pub sprt: Option<Sprt>,
    /// Early ends.
    pub adjudication: Adjudication,
    /// After how long a silent partner is told to go on.
    pub nudge: Option<Micros>,
    /// Real or virtual time; the seed is filled in per game.
    pub driver: Driver,
    /// Seed of everything random.
    pub seed: u64,
    /// Go on when an engine crashes.
    pub recover: bool,
    /// Games between two interim results.
    pub rating_interval: usize,
    /// Milliseconds between two games.
    pub wait_ms: u64,
    /// Event and site of the records.
    pub event: (String, String),
    /// PGN or BPGN file.
    pub record: Option<PathBuf>,
    /// Results as JSON.
    pub json: Option<PathBuf>,
    /// HTML report.
    pub report: Option<PathBuf>,
    /// Event log of the virtual clock.
    pub event_log: Option<PathBuf>,
    /// All traffic with the engines.
    pub log: Option<PathBuf>,
    /// Journal to go on from.
    pub resume: Option<PathBuf>,
    /// This part of so many, counted from 0.
    pub shard: Option<(usize, usize)>,
    /// The flags that decide what is played, to be read again from a result file.
    pub tokens: Vec<String>,
}

/// Flags that say where output goes and how the work is spread, not what is played.
const OUTSIDE: &[&str] = &[
    "concurrency",
    "pgnout",
    "bpgnout",
    "json",
    "report",
    "eventlog",
    "log",
    "resume",
    "shard",
    "wait",
    "ratinginterval",
    "recover",
];

/// Rounds, games of an encounter and games at a time that fit into memory.
const MOST_ROUNDS: usize = 1_000_000;
const MOST_GAMES: usize = 1_000;
const MOST_AT_ONCE: usize = 1_024;

/// All flags.
pub const FLAGS: &[&str] = &[
    "engine",
    "each",
    "team",
    "teams",
    "variant",
    "rules",
    "rule",
    "openings",
    "rounds",
    "games",
    "repeat",
    "noswap",
    "block",
    "concurrency",
    "sprt",
    "tournament",
    "pgnout",
    "bpgnout",
    "recover",
    "draw",
    "resign",
    "maxmoves",
    "ratinginterval",
    "srand",
    "event",
    "site",
    "wait",
    "log",
    "resume",
    "clock",
    "nodetime",
    "latency",
    "eventlog",
    "json",
    "report",
    "shard",
    "nudge",
    "config",
];

impl Config {
    /// Reads a command line. What is unknown or does not fit is named, and nothing is played.
    pub fn read(tokens: &[String]) -> Result<Config, String> {
        let mut all: Vec<(Flag, Option<String>)> = Vec::new();
        for flag in flags(tokens)? {
            if flag.name == "config" {
                let path = flag.file()?;
                let text =
                    std::fs::read_to_string(path).map_err(|e| format!("-config {path}: {e}"))?;
                let inner = toml_tokens(&text).map_err(|e| format!("{path}, {e}"))?;
                for inner in flags(&inner).map_err(|e| format!("{path}: {e}"))? {
                    if inner.name == "config" {
                        return Err(format!("{path}: 'config' inside a configuration file"));
                    }
                    all.push((inner, Some(path.to_string())));
                }
            } else {
                all.push((flag, None));
            }
        }
        let mut reader = Reader::default();
        for (flag, file) in &all {
            reader.flag(flag).map_err(|e| match file {
                Some(path) => format!("{path}: {e}"),
                None => e,
            })?;
            if !OUTSIDE.contains(&flag.name.as_str()) {
                reader.tokens.push(format!("-{}", flag.name));
                reader.tokens.extend(flag.values.iter().cloned());
            }
        }
        reader.finish()
    }

    /// Everything that decides the course of the games, by name, for comparing two tournaments.
    pub fn settings(&self, book: u32) -> BTreeMap<String, String> {
        let mut settings = BTreeMap::new();
        let mut put = |key: &str, value: String| settings.insert(key.to_string(), value);
        for (i, engine) in self.engines.iter().enumerate() {
            put(&format!("engine {}", i + 1), format!("{engine:?}"));
        }
        for (i, team) in self.teams.iter().enumerate() {
            put(&format!("team {}", i + 1), format!("{team:?}"));
        }
        put("rules", format!("{:?}", self.rules));
        put(
            "openings",
            format!(
                "{:?} {book:08x}",
                self.openings.as_ref().map(|o| (o.random, o.plies, o.start))
            ),
        );
        put("tournament", format!("{:?}", self.format));
        put("rounds", self.rounds.to_string());
        put("games", format!("{:?} {}", self.games, self.noswap));
        put("sprt", format!("{:?}", self.sprt));
        put("adjudication", format!("{:?} {:?}", self.adjudication, self.nudge));
        put("clock", format!("{:?}", self.driver));
        put("srand", self.seed.to_string());
        settings
    }
}

/// The flags read so far.
#[derive(Default)]
struct Reader {
    drafts: Vec<Draft>,
    each: Draft,
    teams: Vec<TeamDraft>,
    variant: Option<String>,
    preset: Option<String>,
    rule_changes: Vec<(String, String)>,
    openings: Option<Openings>,
    format: Format,
    rounds: Option<usize>,
    games: Option<usize>,
    noswap: bool,
    concurrency: Option<usize>,
    sprt: Option<Sprt>,
    adjudication: Adjudication,
    nudge: Option<Micros>,
    simulated: bool,
    rate: Option<u64>,
    latency: Option<Micros>,
    seed: Option<u64>,
    recover: bool,
    rating_interval: usize,
    wait_ms: u64,
    event: Option<String>,
    site: Option<String>,
    paths: BTreeMap<String, PathBuf>,
    shard: Option<(usize, usize)>,
    tokens: Vec<String>,
}

impl Reader {
    fn flag(&mut self, flag: &Flag) -> Result<(), String> {
        match flag.name.as_str() {
            "engine" => self.drafts.push(Draft::read(flag)?),
            "each" => self.each.add(flag)?,
            "team" => self.teams.push(read_team(flag)?),
            "teams" => self.teams.extend(read_teams_file(flag.one()?)?),
            "variant" => {
                let name = flag.one()?;
                let chess = matches!(name, "standard" | "normal");
                self.variant = Some(if chess { "chess" } else { name }.to_string());
            }
            "rules" => self.preset = Some(flag.one()?.to_string()),
            "rule" => {
                for token in &flag.values {
                    let (name, value) = token
                        .split_once('=')
                        .ok_or_else(|| format!("-rule: '{token}' is no name=value"))?;
                    self.rule_changes.push((name.to_string(), value.to_string()));
                }
            }
            "openings" => self.openings = Some(read_openings(flag)?),
            "rounds" => self.rounds = Some(flag.count(MOST_ROUNDS)?),
            "games" | "block" => self.games = Some(flag.count(MOST_GAMES)?),
            // An encounter's games share their opening anyhow.
            "repeat" if flag.values.is_empty() => {}
            "repeat" => self.games = Some(flag.count(MOST_GAMES)?),
            "noswap" => {
                flag.none()?;
                self.noswap = true;
            }
            "concurrency" => self.concurrency = Some(flag.count(MOST_AT_ONCE)?),
            "sprt" => self.sprt = Some(read_sprt(flag)?),
            "tournament" => {
                self.format = match flag.one()? {
                    "round-robin" | "roundrobin" => Format::RoundRobin,
                    "gauntlet" => Format::Gauntlet,
                    "swiss" => Format::Swiss,
                    other => {
                        return Err(unknown(
                            "tournament",
                            other,
                            &["round-robin", "gauntlet", "swiss"],
                        ));
                    }
                }
            }
            "draw" | "resign" | "maxmoves" => read_adjudication(flag, &mut self.adjudication)?,
            "pgnout" | "bpgnout" | "json" | "report" | "eventlog" | "log" | "resume" => {
                self.paths.insert(flag.name.clone(), flag.file()?.into());
            }
            "recover" => {
                flag.none()?;
                self.recover = true;
            }
            "ratinginterval" => self.rating_interval = flag.number(0)?,
            "srand" => self.seed = Some(flag.number(0)?),
            "event" => self.event = Some(flag.words()?),
            "site" => self.site = Some(flag.words()?),
            "wait" => self.wait_ms = flag.number(0)?,
            "nudge" => match flag.number(0.0)? {
                seconds if seconds <= 1e6 => self.nudge = Some((seconds * 1e6) as Micros),
                _ => return Err("-nudge wants at most 1000000 seconds".to_string()),
            },
            "clock" => {
                self.simulated = match flag.one()? {
                    "real" => false,
                    "virtual" => true,
                    other => return Err(unknown("clock", other, &["real", "virtual"])),
                }
            }
            "nodetime" => {
                let text = flag.one()?;
                let rate = text.strip_suffix("/s").unwrap_or(text).parse().ok().filter(|n| *n > 0);
                self.rate = Some(
                    rate.ok_or_else(|| format!("-nodetime wants nodes a second, not '{text}'"))?,
                );
            }
            "latency" => self.latency = Some(flag.number::<u32>(0)? as Micros * 1000),
            "shard" => {
                let text = flag.one()?;
                let part = text
                    .split_once('/')
                    .and_then(|(i, n)| Some((i.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
                match part {
                    Some((i, n)) if i >= 1 && i <= n => self.shard = Some((i - 1, n)),
                    _ => return Err(format!("-shard wants i/n with 1 ≤ i ≤ n, not '{text}'")),
                }
            }
            other => {
                return Err(unknown_flag(other, FLAGS));
            }
        }
        Ok(())
    }

    fn rules(&self) -> Result<Rules, String> {
        let name = self.preset.as_deref().or(self.variant.as_deref()).unwrap_or("crazyhouse");
        let mut rules = Rules::preset(name).map_err(|e| e.to_string())?;
        if let Some(variant) = &self.variant {
            let wanted = Rules::preset(variant).map_err(|e| format!("-variant: {e}"))?.variant;
            if wanted != rules.variant {
                return Err(format!("-rules {name} is not for -variant {variant}"));
            }
        }
        for (name, value) in &self.rule_changes {
            rules.set(name, value).map_err(|e| format!("-rule: {e}"))?;
        }
        Ok(rules)
    }

    fn finish(mut self) -> Result<Config, String> {
        let rules = self.rules()?;
        let double = rules.variant == Variant::Bughouse;
        let (mut engines, mut restart) = (Vec::new(), Vec::new());
        for draft in std::mem::take(&mut self.drafts) {
            let own = engines.iter().filter(|e: &&EngineSpec| e.program.is_none()).count();
            let (spec, again) = draft.finish(&self.each, own)?;
            engines.push(spec);
            restart.push(again);
        }
        for (i, engine) in engines.iter().enumerate() {
            if engines[..i].iter().any(|e| e.name == engine.name) {
                return Err(format!("two engines are named '{}': give each a name=", engine.name));
            }
        }
        let teams = self.teams(&engines, double)?;
        if teams.len() < 2 {
            return Err("a tournament wants two -engine at least".to_string());
        }
        let pairs = teams.len() * (teams.len() - 1) / 2;
        let games = self.rounds.unwrap_or(1) * self.games.unwrap_or(2) * pairs;
        if games > MOST_ROUNDS * 10 {
            return Err(format!("{games} games are more than anyone can wait for"));
        }
        let driver = self.driver(&engines)?;
        if self.sprt.is_some() && teams.len() != 2 {
            return Err("-sprt compares two sides, not more".to_string());
        }
        if double && (self.adjudication.draw.is_some() || self.adjudication.resign.is_some()) {
            return Err(
                "-draw and -resign judge one board; a bughouse match is decided on two".to_string()
            );
        }
        if self.format == Format::Swiss && self.shard.is_some() {
            return Err("-shard: a Swiss pairs by results and cannot be spread".to_string());
        }
        let path = |name: &str| self.paths.get(name).cloned();
        if path("eventlog").is_some() && driver == Driver::Real {
            return Err("-eventlog wants -clock virtual: real times never repeat".to_string());
        }
        let (pgn, bpgn) = (path("pgnout"), path("bpgnout"));
        if double && pgn.is_some() || !double && bpgn.is_some() {
            let right = if double { "-bpgnout" } else { "-pgnout" };
            return Err(format!("these games are written by {right}"));
        }
        let swiss_rounds = if self.format == Format::Swiss { 7 } else { 1 };
        Ok(Config {
            engines,
            restart,
            teams,
            rules,
            openings: self.openings,
            format: self.format,
            rounds: self.rounds.unwrap_or(swiss_rounds),
            games: self.games,
            noswap: self.noswap,
            concurrency: self.concurrency.unwrap_or(1),
            sprt: self.sprt,
            adjudication: self.adjudication,
            nudge: self.nudge,
            driver,
            seed: self.seed.unwrap_or(0),
            recover: self.recover,
            rating_interval: self.rating_interval,
            wait_ms: self.wait_ms,
            event: (
                self.event.unwrap_or_else(|| "Klotz arena".to_string()),
                self.site.unwrap_or_else(|| "-".to_string()),
            ),
            record: pgn.or(bpgn),
            json: self.paths.get("json").cloned(),
            report: self.paths.get("report").cloned(),
            event_log: self.paths.get("eventlog").cloned(),
            log: self.paths.get("log").cloned(),
            resume: self.paths.get("resume").cloned(),
            shard: self.shard,
            tokens: self.tokens,
        })
    }

    fn teams(&self, engines: &[EngineSpec], double: bool) -> Result<Vec<TeamSpec>, String> {
        if self.teams.is_empty() {
            let team = |(i, engine): (usize, &EngineSpec)| TeamSpec {
                name: engine.name.clone(),
                members: [i, i],
                rating: None,
            };
            return Ok(engines.iter().enumerate().map(team).collect());
        }
        if !double {
            return Err("-team seats two players, which only bughouse has".to_string());
        }
        let find = |team: &TeamDraft, name: &String| {
            engines.iter().position(|e| e.name == *name).ok_or_else(|| {
                let known: Vec<&str> = engines.iter().map(|e| e.name.as_str()).collect();
                format!("team '{}': {}", team.name, unknown("engine", name, &known))
            })
        };
        let mut teams: Vec<TeamSpec> = Vec::new();
        for team in &self.teams {
            let members = [find(team, &team.members[0])?, find(team, &team.members[1])?];
            let name =
                if team.name.is_empty() { team.members.join(" + ") } else { team.name.clone() };
            if teams.iter().any(|t| t.name == name) {
                return Err(format!("two teams are named '{name}'"));
            }
            teams.push(TeamSpec { name, members, rating: team.rating });
        }
        Ok(teams)
    }

    fn driver(&self, engines: &[EngineSpec]) -> Result<Driver, String> {
        let counting = engines
            .iter()
            .find(|engine| engine.protocol == Protocol::Xboard && engine.limits.nodes.is_some());
        if let Some(engine) = counting {
            let name = &engine.name;
            return Err(format!("engine '{name}': CECP has no word for nodes=; use depth= or st="));
        }
        if !self.simulated {
            if self.rate.is_some() || self.latency.is_some() {
                return Err("-nodetime and -latency belong to -clock virtual".to_string());
            }
            for engine in engines {
                let bounded = engine.limits.depth.is_some() || engine.limits.nodes.is_some();
                if engine.control.is_none() && !bounded {
                    return Err(format!(
                        "engine '{}' has neither tc= nor st=, nodes= or depth=",
                        engine.name
                    ));
                }
            }
            return Ok(Driver::Real);
        }
        for engine in engines {
            if engine.limits.nodes.is_none() || engine.protocol == Protocol::Xboard {
                return Err(format!(
                    "engine '{}': -clock virtual wants nodes= and uci or ubi",
                    engine.name
                ));
            }
        }
        let rate = self.rate.unwrap_or(500_000);
        Ok(Driver::Virtual { rate, latency: self.latency.unwrap_or(10_000), seed: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Config, String> {
        let tokens: Vec<String> = line.split_whitespace().map(String::from).collect();
        Config::read(&tokens)
    }

    #[test]
    fn the_usual_line_is_read() {
        let config = read(
            "-engine name=A cmd=/bin/x option.Hash=16 -engine name=B tc=40/60 -each tc=10+0.1 option.Hash=8 \
             option.Threads=1 -rounds 500 -repeat -concurrency 2 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 \
             -draw movenumber=40 movecount=8 score=10 -resign movecount=3 score=900 -pgnout x.pgn -recover",
        )
        .unwrap();
        assert_eq!(
            config.engines[0].options,
            [("Threads".into(), "1".into()), ("Hash".into(), "16".into())]
        );
        assert!(config.engines[1].program.is_none());
        assert_eq!(config.engines[1].control.unwrap().to_string(), "40/60+0");
        assert_eq!((config.rounds, config.concurrency, config.recover), (500, 2, true));
        assert_eq!(config.adjudication.resign, Some((3, 900, false)));
        assert_eq!(config.rules.variant, Variant::Crazyhouse);
    }

    #[test]
    fn a_second_each_adds_to_the_first() {
        let config = read(
            "-engine name=A -engine name=B -each tc=10 nodes=20 option.Hash=8 -each tc=5 option.Hash=4",
        )
        .unwrap();
        let engine = &config.engines[1];
        assert_eq!(engine.limits.nodes, Some(20));
        assert_eq!(engine.control.unwrap().to_string(), "5+0");
        assert_eq!(engine.options, [("Hash".to_string(), "4".to_string())]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (line, words) in [
            ("-engine name=A tc=1 -engine name=B tc=1 -concurency 2", "-concurrency"),
            ("-engine nam=A", "'name'"),
            ("-engine name=A tc=1", "two -engine"),
            ("-engine name=A tc=1 -engine name=A tc=1", "two engines are named 'A'"),
            ("-engine name=A tc=x", "time control"),
            ("-engine name=A -engine name=B tc=1", "'A' has neither"),
            ("-engine name=A -engine name=B -each tc=1 -variant bughose", "bughose"),
            ("-engine name=A -engine name=B -each tc=1 -variant bughouse -pgnout x", "-bpgnout"),
            ("-engine name=A -engine name=B -each tc=1 -clock virtual", "nodes="),
            ("-engine name=A proto=xboard -engine name=B -each tc=1 nodes=5", "'A': CECP has no"),
            ("-engine name=A -engine name=B -each tc=1 -eventlog x", "virtual"),
            ("-engine name=A -engine name=B -each tc=1 -shard 3/2", "-shard"),
            ("-engine name=A -engine name=B -each tc=1 -sprt elo0=5 elo1=0", "elo0 < elo1"),
            ("-engine name=A -engine name=B -each tc=1 -sprt elo0=nan elo1=5", "elo0 < elo1"),
            ("-engine name=A -engine name=B -each tc=1 -sprt elo0=0 elo1=inf", "elo0 < elo1"),
            ("-engine name=A -engine name=B -each tc=1 -sprt alpha=nan", "alpha"),
            ("-engine name=A -engine name=B -each tc=1 -nudge inf", "-nudge"),
            ("-engine name=A -engine name=B -each tc=1 -nudge nan", "-nudge"),
            ("-engine name=A -engine name=B -each st=nan", "st=nan"),
            ("-engine name=A -engine name=B -each tc=nan", "time control"),
            ("-engine name=A -engine name=B -each tc=1 -resign score=-100", "score=-100"),
            ("-engine name=A -engine name=B -each tc=1 -draw score=-1", "score=-1"),
            ("-engine name=A -engine name=B -each tc=1 -resign movecount=0", "movecount=0"),
            ("-engine name=A -engine name=B -each tc=1 -resign twosided=yes", "twosided=yes"),
            ("-engine name=A -engine name=B -each tc=1 -openings file=x start=0", "start=0"),
            ("-engine name=A -engine name=B -each tc=1 -recover yes", "-recover"),
            ("-engine name=A -engine name=B -each tc=1 -event", "-event"),
            ("-engine name=A -engine name=B -each tc=1 name=X", "name of its own"),
            ("-engine name= -engine name=B -each tc=1", "name="),
            ("-engine name=A -engine name=B -each tc=1 -rounds many", "many"),
            ("-engine name=A -engine name=B -each tc=1 -rounds 99999999999", "from 1 to 1000000"),
            (
                "-engine name=A -engine name=B -each tc=1 -rounds 1000000 -games 99",
                "99000000 games",
            ),
            ("-engine name=A -engine name=B -each tc=1 -concurrency 9999999", "from 1 to 1024"),
            ("-engine name=A -engine name=B -each tc=1 nodes=0", "nodes=0"),
            ("-engine name=A -engine name=B -each tc=1 -variant bughouse -team a=A b=C", "'C'"),
            ("-engine name=A -engine name=B -each tc=1 -config /no/such.toml", "/no/such.toml"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(words), "{line}: {error}");
        }
    }
}
