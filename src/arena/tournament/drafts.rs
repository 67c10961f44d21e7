//! Flags with several keys: engines, teams, openings, tests, early ends.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use super::config::Openings;
use super::words::{Flag, unknown, value};
use crate::arena::clock::{Micros, TimeControl};
use crate::arena::process::Program;
use crate::arena::spec::{EngineSpec, split_words};
use crate::arena::stats::{Model, Sprt};
use crate::arena::table::Adjudication;

const ENGINE_KEYS: &[&str] = &[
    "name",
    "cmd",
    "dir",
    "arg",
    "args",
    "proto",
    "tc",
    "st",
    "depth",
    "nodes",
    "timemargin",
    "restart",
    "option.",
];

/// An engine as its flags tell it, before `-each` is applied.
#[derive(Clone, Default)]
pub(super) struct Draft {
    spec: EngineSpec,
    command: Option<String>,
    args: Vec<String>,
    dir: Option<PathBuf>,
    proto: Option<String>,
    restart: Option<bool>,
    margin: Option<Micros>,
}

impl Draft {
    pub(super) fn read(flag: &Flag) -> Result<Draft, String> {
        let mut draft = Draft::default();
        draft.add(flag)?;
        Ok(draft)
    }

    /// Adds a flag to what was said before; what it says anew counts.
    pub(super) fn add(&mut self, flag: &Flag) -> Result<(), String> {
        let draft = self;
        for (key, text) in flag.pairs(ENGINE_KEYS)? {
            let fault = |e: String| format!("-{} {key}={text}: {e}", flag.name);
            match key {
                "name" if flag.name == "each" => {
                    return Err(fault("every engine has a name of its own".to_string()));
                }
                "name" | "cmd" if text.trim().is_empty() => {
                    return Err(fault("nothing stands behind it".to_string()));
                }
                "name" => draft.spec.name = text.to_string(),
                "cmd" => draft.command = Some(text.to_string()),
                "dir" => draft.dir = Some(text.into()),
                "arg" => draft.args.push(text.to_string()),
                "args" => draft.args.extend(split_words(text).map_err(fault)?),
                "proto" => {
                    text.parse::<crate::arena::dialect::Protocol>().map_err(fault)?;
                    draft.proto = Some(text.to_string());
                }
                "tc" => draft.spec.control = Some(text.parse().map_err(fault)?),
                "st" => {
                    let seconds: f64 = value(&flag.name, key, text)?;
                    if !(0.001..=1e6).contains(&seconds) {
                        return Err(fault("seconds for each move were expected".to_string()));
                    }
                    draft.spec.control = Some(TimeControl::PerMove((seconds * 1e6) as Micros));
                }
                "depth" => {
                    let plies = value::<NonZeroU32>(&flag.name, key, text)?;
                    draft.spec.limits.depth = Some(plies.get());
                }
                "nodes" => {
                    let nodes = value::<NonZeroU64>(&flag.name, key, text)?;
                    draft.spec.limits.nodes = Some(nodes.get());
                }
                "timemargin" => {
                    draft.margin = Some(value::<u32>(&flag.name, key, text)? as Micros * 1000)
                }
                "restart" => {
                    draft.restart = Some(match text {
                        "on" | "true" => true,
                        "off" | "auto" | "false" => false,
                        _ => return Err(fault("on or off was expected".to_string())),
                    });
                }
                _ => {
                    let name = key.strip_prefix("option.").unwrap_or(key);
                    draft.spec.options.retain(|(other, _)| other != name);
                    draft.spec.options.push((name.to_string(), text.to_string()));
                }
            }
        }
        Ok(())
    }

    /// Fills what the engine leaves open.
    pub(super) fn finish(
        mut self,
        each: &Draft,
        count: usize,
    ) -> Result<(EngineSpec, bool), String> {
        let spec = &mut self.spec;
        let mut options = each.spec.options.clone();
        options.retain(|(name, _)| !spec.options.iter().any(|(own, _)| own == name));
        options.append(&mut spec.options);
        spec.options = options;
        spec.control = spec.control.or(each.spec.control);
        spec.limits.depth = spec.limits.depth.or(each.spec.limits.depth);
        spec.limits.nodes = spec.limits.nodes.or(each.spec.limits.nodes);
        spec.margin = self.margin.or(each.margin).unwrap_or(0);
        if let Some(proto) = self.proto.or_else(|| each.proto.clone()) {
            spec.protocol = proto.parse()?;
        }
        let command = self.command.or_else(|| each.command.clone());
        spec.program = match command {
            None => None,
            Some(line) => {
                // A program whose path has blanks is one that exists as it stands.
                let mut words = if std::path::Path::new(&line).exists() {
                    vec![line]
                } else {
                    split_words(&line)?
                };
                if words.is_empty() {
                    return Err("an engine with an empty cmd".to_string());
                }
                let command = PathBuf::from(words.remove(0));
                if spec.name.is_empty() {
                    spec.name =
                        command.file_name().map_or(String::new(), |n| n.to_string_lossy().into());
                }
                words.extend(if self.args.is_empty() { each.args.clone() } else { self.args });
                Some(Program { command, args: words, dir: self.dir.or_else(|| each.dir.clone()) })
            }
        };
        if spec.name.is_empty() {
            spec.name =
                if count == 0 { "Klotz".to_string() } else { format!("Klotz {}", count + 1) };
        }
        Ok((self.spec, self.restart.or(each.restart).unwrap_or(false)))
    }
}

/// A team before its members are looked up.
pub(super) struct TeamDraft {
    pub name: String,
    pub members: [String; 2],
    pub rating: Option<u32>,
}

pub(super) fn read_team(flag: &Flag) -> Result<TeamDraft, String> {
    let mut team = TeamDraft { name: String::new(), members: Default::default(), rating: None };
    for (key, text) in flag.pairs(&["name", "a", "b", "rating"])? {
        match key {
            "name" | "a" | "b" if text.trim().is_empty() => {
                return Err(format!("-team {key}=: nothing stands behind it"));
            }
            "name" => team.name = text.to_string(),
            "a" => team.members[0] = text.to_string(),
            "b" => team.members[1] = text.to_string(),
            _ => team.rating = Some(value(&flag.name, key, text)?),
        }
    }
    Ok(team)
}

/// Teams from a file: name, both members and the ratings of both, between tabs.
pub(super) fn read_teams_file(path: &str) -> Result<Vec<TeamDraft>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("-teams {path}: {e}"))?;
    let mut teams = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
        let rating = |text: &str| text.parse::<u32>().ok();
        let (Some(name), Some(a), Some(b), Some(first), Some(second)) = (
            cells.first(),
            cells.get(1),
            cells.get(2),
            cells.get(3).and_then(|t| rating(t)),
            cells.get(4).and_then(|t| rating(t)),
        ) else {
            return Err(format!(
                "{path}, line {}: name, two engines and two ratings between tabs were expected",
                i + 1
            ));
        };
        teams.push(TeamDraft {
            name: name.to_string(),
            members: [a.to_string(), b.to_string()],
            rating: Some(first + second),
        });
    }
    if teams.is_empty() {
        return Err(format!("-teams {path}: no team in it"));
    }
    Ok(teams)
}

pub(super) fn read_openings(flag: &Flag) -> Result<Openings, String> {
    let mut openings = Openings { start: 1, ..Openings::default() };
    for (key, text) in flag.pairs(&["file", "format", "order", "plies", "start"])? {
        match (key, text) {
            ("file", _) => openings.file = text.into(),
            ("format", "epd" | "pgn" | "bpgn") => openings.format = Some(text.to_string()),
            ("order", "random" | "sequential") => openings.random = text == "random",
            ("plies", _) => openings.plies = Some(value(&flag.name, key, text)?),
            ("start", _) => {
                openings.start = value::<NonZeroUsize>(&flag.name, key, text)?.get();
            }
            _ => return Err(format!("-openings {key}={text}: not a valid value")),
        }
    }
    if openings.file.as_os_str().is_empty() {
        return Err("-openings wants file=".to_string());
    }
    Ok(openings)
}

pub(super) fn read_sprt(flag: &Flag) -> Result<Sprt, String> {
    let mut sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::Logistic };
    for (key, text) in flag.pairs(&["elo0", "elo1", "alpha", "beta", "model"])? {
        match key {
            "elo0" => sprt.elo0 = value(&flag.name, key, text)?,
            "elo1" => sprt.elo1 = value(&flag.name, key, text)?,
            "alpha" => sprt.alpha = value(&flag.name, key, text)?,
            "beta" => sprt.beta = value(&flag.name, key, text)?,
            _ => {
                sprt.model = match text {
                    "logistic" => Model::Logistic,
                    "normalized" | "normalised" => Model::Normalized,
                    _ => return Err(unknown("SPRT model", text, &["logistic", "normalized"])),
                }
            }
        }
    }
    let probability = |p: f64| (0.0..0.5).contains(&p) && p > 0.0;
    let bounds = sprt.elo0.is_finite() && sprt.elo1.is_finite() && sprt.elo0 < sprt.elo1;
    if !probability(sprt.alpha) || !probability(sprt.beta) || !bounds {
        return Err("-sprt wants elo0 < elo1 and alpha and beta between 0 and 0.5".to_string());
    }
    Ok(sprt)
}

/// A score that counts for either side, which a negative one cannot.
fn centipawns(flag: &str, text: &str) -> Result<i32, String> {
    match value::<i32>(flag, "score", text)? {
        score @ 0.. => Ok(score),
        _ => Err(format!("-{flag} score={text}: a number from 0 on was expected")),
    }
}

pub(super) fn read_adjudication(flag: &Flag, into: &mut Adjudication) -> Result<(), String> {
    match flag.name.as_str() {
        "maxmoves" => into.max_moves = Some(flag.number(1)?),
        "draw" => {
            let (mut from, mut count, mut score) = (0, 8, 10);
            for (key, text) in flag.pairs(&["movenumber", "movecount", "score"])? {
                match key {
                    "movenumber" => from = value(&flag.name, key, text)?,
                    "movecount" => count = value::<NonZeroU32>(&flag.name, key, text)?.get(),
                    _ => score = centipawns(&flag.name, text)?,
                }
            }
            into.draw = Some((from, count, score));
        }
        _ => {
            let (mut count, mut score, mut both) = (3, 1000, false);
            for (key, text) in flag.pairs(&["movecount", "score", "twosided"])? {
                match key {
                    "movecount" => count = value::<NonZeroU32>(&flag.name, key, text)?.get(),
                    "score" => score = centipawns(&flag.name, text)?,
                    _ => both = value(&flag.name, key, text)?,
                }
            }
            into.resign = Some((count, score, both));
        }
    }
    Ok(())
}
