//! Files of a tournament: the journal it can go on from, the records, the results as JSON.
//!
//! The journal is written first, one line a game. After a kill at any moment it holds every game
//! that was finished; a line cut short is dropped, and the record file is made anew from it, so
//! that nothing is lost or stands there twice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::config::{Config, Format};
use super::schedule;
use super::score::{GameRecord, Results};

/// The first line of a journal.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    klotz_journal: u32,
    settings: BTreeMap<String, String>,
    shard: Option<(usize, usize)>,
    /// How long the record file was before the tournament.
    record_start: u64,
}

/// A file that is appended to and flushed line by line.
#[derive(Debug)]
pub struct Appender {
    file: File,
    path: PathBuf,
}

impl Appender {
    /// Opens a file at its end.
    pub fn open(path: &Path) -> Result<Appender, String> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        Ok(Appender { file, path: path.to_path_buf() })
    }

    /// Appends text in one write, so that another writer's lines stay whole.
    pub fn append(&mut self, text: &str) -> Result<(), String> {
        let fault = |e: std::io::Error| format!("cannot write {}: {e}", self.path.display());
        self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush()).map_err(fault)
    }
}

/// A journal being written.
#[derive(Debug)]
pub struct Journal {
    out: Appender,
}

/// The settings of two tournaments that differ, for an error that names one.
pub fn difference(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Option<String> {
    let keys = a.keys().chain(b.keys());
    let differs = keys.filter(|key| a.get(*key) != b.get(*key)).min()?;
    Some(differs.clone())
}

impl Journal {
    /// Opens a journal, or begins one. Returns the games it holds, after bringing the record file
    /// to the same state.
    pub fn open(
        path: &Path,
        settings: &BTreeMap<String, String>,
        shard: Option<(usize, usize)>,
        record: Option<&Path>,
    ) -> Result<(Journal, Vec<GameRecord>), String> {
        let name = path.display();
        let fault = |e: std::io::Error| format!("journal {name}: {e}");
        // A device may have no end.
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
            return Err(format!("journal {name}: not a regular file"));
        }
        let mut file =
            OpenOptions::new().create(true).read(true).append(true).open(path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(format!("journal {name}: another arena is playing by it"));
            }
            // Not every file system has locks.
            Err(TryLockError::Error(e)) if e.kind() == std::io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(e)) => return Err(fault(e)),
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(fault)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(fault)?;
            text.truncate(whole);
        }
        let mut out = Appender { file, path: path.to_path_buf() };
        let mut lines = text.lines();
        let Some(first) = lines.next() else {
            let record_start =
                record.and_then(|r| std::fs::metadata(r).ok()).map_or(0, |m| m.len());
            let head = Head { klotz_journal: 1, settings: settings.clone(), shard, record_start };
            let line = serde_json::to_string(&head).map_err(|e| format!("journal {name}: {e}"))?;
            out.append(&format!("{line}\n"))?;
            return Ok((Journal { out }, Vec::new()));
        };
        let head: Head = serde_json::from_str(first).map_err(|e| {
            format!("journal {name}, line 1: this is no journal of a tournament: {e}")
        })?;
        if let Some(key) = difference(&head.settings, settings) {
            return Err(format!("journal {name} is of another tournament: '{key}' differs"));
        }
        if head.shard != shard {
            return Err(format!("journal {name} is of another shard"));
        }
        let mut games = Vec::new();
        for (i, line) in lines.enumerate() {
            let game: GameRecord = serde_json::from_str(line)
                .map_err(|e| format!("journal {name}, line {}: {e}", i + 2))?;
            games.push(game);
        }
        if let Some(record) = record {
            restore(record, head.record_start, &games)?;
        }
        Ok((Journal { out }, games))
    }

    /// Adds a finished game.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), String> {
        let line = serde_json::to_string(game).map_err(|e| e.to_string())?;
        self.out.append(&format!("{line}\n"))
    }
}

fn restore(path: &Path, start: u64, games: &[GameRecord]) -> Result<(), String> {
    let fault = |e: std::io::Error| format!("cannot write {}: {e}", path.display());
    let mut file =
        OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(fault)?;
    let start = start.min(file.metadata().map_err(fault)?.len());
    file.set_len(start).map_err(fault)?;
    file.seek(SeekFrom::Start(start)).map_err(fault)?;
    for game in games {
        file.write_all(format!("{}\n", game.record).as_bytes()).map_err(fault)?;
    }
    file.flush().map_err(fault)
}

/// A tournament's results as a file.
#[derive(Debug, Serialize, Deserialize)]
pub struct ResultFile {
    /// What was played.
    pub settings: BTreeMap<String, String>,
    /// The flags it was played by.
    pub flags: Vec<String>,
    /// Every game, in order.
    pub games: Vec<GameRecord>,
    /// Sides that sat out, with the round.
    pub byes: Vec<(usize, usize)>,
    /// The part that was played, of so many, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<(usize, usize)>,
}

impl ResultFile {
    /// The results as they are written.
    pub fn new(
        settings: BTreeMap<String, String>,
        config: &Config,
        results: &Results,
    ) -> ResultFile {
        ResultFile {
            settings,
            flags: config.tokens.clone(),
            games: results.games.values().cloned().collect(),
            byes: results.byes.clone(),
            shard: config.shard,
        }
    }

    /// Writes the file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        replace(path, &format!("{text}\n"))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<ResultFile, String> {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
        serde_json::from_str(&text).map_err(|e| format!("{name} holds no results: {e}"))
    }

    /// Joins the results of shards.
    pub fn merge(files: Vec<(PathBuf, ResultFile)>) -> Result<ResultFile, String> {
        let mut files = files.into_iter();
        let (_, mut all) = files.next().ok_or("merge wants result files")?;
        all.shard = None;
        for (path, file) in files {
            if let Some(key) = difference(&all.settings, &file.settings) {
                return Err(format!(
                    "{} is of another tournament: '{key}' differs",
                    path.display()
                ));
            }
            all.games.extend(file.games);
            all.byes.extend(file.byes);
        }
        all.games.sort_by_key(|game| game.index);
        if let Some(twice) = all.games.windows(2).find(|pair| pair[0].index == pair[1].index) {
            return Err(format!("game {} is there twice", twice[0].index + 1));
        }
        Ok(all)
    }

    /// What of a tournament's games is not there, in words; `parts` are the shards it was put
    /// together from.
    pub fn missing(&self, config: &Config, parts: &[Option<(usize, usize)>]) -> Option<String> {
        // A Swiss depends on its results, and a test may have ended the match early.
        if config.format == Format::Swiss || config.sprt.is_some() && parts.contains(&None) {
            return None;
        }
        let played: BTreeSet<usize> = self.games.iter().map(|game| game.index).collect();
        let of = parts.iter().flatten().map(|(_, of)| *of).next().unwrap_or(1);
        let mut lost: BTreeMap<usize, usize> = BTreeMap::new();
        let mut games = 0;
        for (block, encounter) in schedule::encounters(config).iter().enumerate() {
            let size = schedule::block_size(config, encounter);
            let gone = (games..games + size).filter(|index| !played.contains(index)).count();
            games += size;
            if gone > 0 {
                *lost.entry(block % of).or_default() += gone;
            }
        }
        let gone: usize = lost.values().sum();
        let shard = |(part, gone): (usize, usize)| format!("{gone} of shard {}/{of}", part + 1);
        let shards: Vec<String> = lost.into_iter().map(shard).collect();
        match (gone, of) {
            (0, _) => None,
            (_, 1) => Some(format!("{gone} of {games} games are missing")),
            _ => Some(format!("{gone} of {games} games are missing: {}", shards.join(", "))),
        }
    }

    /// The games as results.
    pub fn results(&self) -> Results {
        let games = self.games.iter().map(|game| (game.index, game.clone())).collect();
        Results { games, byes: self.byes.clone() }
    }
}

/// Replaces a file by way of another, so that it is never half written.
pub fn replace(path: &Path, text: &str) -> Result<(), String> {
    let fault = |e: std::io::Error| format!("cannot write {}: {e}", path.display());
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        // A device or a pipe cannot be replaced.
        return std::fs::write(path, text).map_err(fault);
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = PathBuf::from(beside);
    std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path)).map_err(|e| {
        let _ = std::fs::remove_file(&beside);
        fault(e)
    })
}

/// The event log of all games in order, each with its checksum, and a checksum of the whole.
pub fn event_log(results: &Results) -> String {
    let mut text = String::new();
    let mut whole = crc32fast::Hasher::new();
    for game in results.games.values() {
        let body = game.log.join("\n");
        whole.update(body.as_bytes());
        text += &format!("game {} {}\n{body}\n", game.index + 1, game.names.join(" "));
        text +=
            &format!("game {} crc32 {:08x}\n", game.index + 1, crc32fast::hash(body.as_bytes()));
    }
    text + &format!("total {} games crc32 {:08x}\n", results.games.len(), whole.finalize())
}
