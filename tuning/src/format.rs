//! Files of games: a header with the generator's settings, then checksummed blocks.
//!
//! Four bytes a ply: a 16-bit move and a 16-bit score in the mover's view. A killed generator
//! loses at most its last block; a damaged block costs its own games and no others.
//!
//! | part | bytes |
//! | --- | --- |
//! | header | `KLOTZGAM`, version, length of the settings, the settings as JSON, CRC-32 of all before |
//! | block | `KBLK`, index, games, plies, length, CRC-32 of the payload, CRC-32 of these six words, payload |
//! | game | length of the start FEN, FEN (`A \| B` for bughouse), result, deciding board, end, number of plies, plies, bughouse: one bit a ply for the board |

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use klotz::types::BoardId;
use serde::{Deserialize, Serialize};

use crate::files;

const MAGIC: &[u8; 8] = b"KLOTZGAM";
const VERSION: u32 = 1;
const BLOCK: &[u8; 4] = b"KBLK";
const BLOCK_HEADER: usize = 28;
/// No honest block is larger.
const MAX_PAYLOAD: u32 = 1 << 26;

/// What a file of games holds and how it was made; a resumed generator must have the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// `crazyhouse` or `bughouse`.
    pub variant: String,
    /// Seed of the whole run; game `i` is decided by the seed and `i`.
    pub seed: u64,
    /// Games in a block.
    pub block_games: u32,
    /// A search ends after the iteration that passes this many nodes.
    pub soft_nodes: u64,
    /// A search ends at once after this many nodes.
    pub hard_nodes: u64,
    /// Random plies before a game, at least; half the games have one more.
    pub random_plies: u32,
    /// Starts with a larger score are thrown away.
    pub start_limit: i32,
    /// A game is decided when this score …
    pub adjudicate: i32,
    /// … stood for this many plies.
    pub adjudicate_plies: u32,
    /// Of a thousand moves so many are random ones.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stray: u32,
    /// Table of a searcher, in MiB.
    pub hash: usize,
    /// Start positions: `start` or a book's file name and SHA-256.
    pub book: String,
    /// `classical`, or the network's name and SHA-256.
    pub evaluation: String,
    /// The engine's version.
    pub engine: String,
}

/// Files made before there was such a setting have none, and go on so.
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A finished game's result for White (bughouse: for the team of WhiteA).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Black, or the other team, won.
    Loss = 0,
    /// Nobody won.
    Draw = 1,
    /// White, or the first team, won.
    Win = 2,
}

impl Outcome {
    fn from_byte(byte: u8) -> Option<Outcome> {
        [Outcome::Loss, Outcome::Draw, Outcome::Win]
            .into_iter()
            .find(|&outcome| outcome as u8 == byte)
    }

    /// 0, 0.5 or 1.
    pub fn score(self) -> f32 {
        f32::from(self as u8) / 2.0
    }
}

/// How a generated game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// By the rules: mate.
    Mate = 0,
    /// By the rules: a draw.
    Drawn = 1,
    /// One side was far ahead for long enough.
    Adjudicated = 2,
    /// A simulated clock ran out.
    Flag = 3,
}

impl End {
    /// All ends.
    pub const ALL: [End; 4] = [End::Mate, End::Drawn, End::Adjudicated, End::Flag];
}

/// One ply of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The packed move.
    pub mv: u16,
    /// The search's value for the mover, or [`STRAY`].
    pub score: i16,
    /// The board it was played on; A in crazyhouse.
    pub board: BoardId,
}

/// In place of a score: the move was drawn at random and nothing was searched. What came later then
/// says nothing of the positions before.
pub const STRAY: i16 = i16::MIN;

/// A generated game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Start position, in bughouse both boards as `A | B`.
    pub start: String,
    /// Who won.
    pub outcome: Outcome,
    /// How it ended.
    pub end: End,
    /// In bughouse the board where the match was decided.
    pub decided: Option<BoardId>,
    /// The plies in order.
    pub plies: Vec<Ply>,
}

impl Game {
    fn write(&self, bytes: &mut Vec<u8>) -> Result<()> {
        bytes.extend(
            u16::try_from(self.start.len()).context("a start position too long")?.to_le_bytes(),
        );
        bytes.extend(self.start.as_bytes());
        bytes.extend([
            self.outcome as u8,
            self.end as u8,
            self.decided.map_or(2, |board| board.index() as u8),
        ]);
        bytes.extend(u16::try_from(self.plies.len()).context("a game too long")?.to_le_bytes());
        for ply in &self.plies {
            bytes.extend(ply.mv.to_le_bytes());
            bytes.extend(ply.score.to_le_bytes());
        }
        if self.start.contains('|') {
            bytes.extend(self.plies.chunks(8).map(|chunk| {
                chunk
                    .iter()
                    .enumerate()
                    .fold(0, |bits, (i, ply)| bits | (ply.board.index() as u8) << i)
            }));
        }
        Ok(())
    }

    fn read(bytes: &mut &[u8]) -> Option<Game> {
        fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
            let (head, rest) = bytes.split_at_checked(count)?;
            *bytes = rest;
            Some(head)
        }
        let short = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
        let len = short(take(bytes, 2)?);
        let start = std::str::from_utf8(take(bytes, len.into())?).ok()?.to_owned();
        let fixed = take(bytes, 5)?;
        let outcome = Outcome::from_byte(fixed[0])?;
        let end = *End::ALL.get(usize::from(fixed[1]))?;
        let decided = BoardId::ALL.get(usize::from(fixed[2])).copied();
        let count = usize::from(short(&fixed[3..]));
        let body = take(bytes, 4 * count)?;
        let boards = if start.contains('|') { take(bytes, count.div_ceil(8))? } else { &[] };
        let plies = body
            .chunks_exact(4)
            .enumerate()
            .map(|(i, four)| {
                let on_b = boards.get(i / 8).is_some_and(|bits| bits >> (i % 8) & 1 == 1);
                Ply {
                    mv: short(four),
                    score: short(&four[2..]) as i16,
                    board: if on_b { BoardId::B } else { BoardId::A },
                }
            })
            .collect();
        Some(Game { start, outcome, end, decided, plies })
    }
}

/// Games that were generated together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Place in the run.
    pub index: u32,
    /// The games.
    pub games: Vec<Game>,
}

impl Block {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut payload = Vec::new();
        for game in &self.games {
            game.write(&mut payload)?;
        }
        let plies: usize = self.games.iter().map(|game| game.plies.len()).sum();
        let mut bytes = BLOCK.to_vec();
        for word in [
            self.index,
            self.games.len() as u32,
            plies as u32,
            payload.len() as u32,
            crc32fast::hash(&payload),
        ] {
            bytes.extend(word.to_le_bytes());
        }
        let crc = crc32fast::hash(&bytes);
        bytes.extend(crc.to_le_bytes());
        bytes.extend(payload);
        Ok(bytes)
    }
}

/// What could not be read of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// Blocks whose checksum or content did not fit.
    pub blocks: u32,
    /// Games in them, where their header could still be read.
    pub games: u32,
    /// Bytes that belong to no good block.
    pub bytes: u64,
}

/// Reads a file block by block.
pub struct Reader {
    file: BufReader<File>,
    settings: Settings,
    loss: Loss,
    at: u64,
    len: u64,
    /// End of the last good block (or of the header).
    good_end: u64,
}

impl Reader {
    /// Opens a file and reads its header.
    pub fn open(path: &Path) -> Result<Reader> {
        let name = path.display();
        let file = File::open(path).with_context(|| format!("{name}: can't open"))?;
        let len = file.metadata().with_context(|| format!("{name}: can't read"))?.len();
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut head = [0; 16];
        file.read_exact(&mut head)
            .ok()
            .with_context(|| format!("{name}: too short for a file of games"))?;
        ensure!(
            head.starts_with(MAGIC),
            "{name}: not a file of games (no {})",
            String::from_utf8_lossy(MAGIC)
        );
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        ensure!(word(8) == VERSION, "{name}: version {}, this program reads {VERSION}", word(8));
        ensure!(word(12) < 1 << 16, "{name}: damaged header");
        let mut json = vec![0; word(12) as usize + 4];
        file.read_exact(&mut json)
            .ok()
            .with_context(|| format!("{name}: cut off in its header"))?;
        let crc = json.split_off(json.len() - 4);
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&head);
        hasher.update(&json);
        ensure!(hasher.finalize().to_le_bytes() == crc[..], "{name}: damaged header");
        let settings = serde_json::from_slice(&json)
            .with_context(|| format!("{name}: settings that can't be read"))?;
        let at = (head.len() + json.len() + crc.len()) as u64;
        Ok(Reader { file, settings, loss: Loss::default(), at, len, good_end: at })
    }

    /// How the games were made.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What was lost so far; after the last block, all that was lost.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// Bytes read so far and in all.
    pub fn progress(&self) -> (u64, u64) {
        (self.at, self.len)
    }

    /// A block's header at the current place: index, games, plies, length, CRC.
    fn header(&mut self) -> std::io::Result<Option<[u32; 5]>> {
        let mut bytes = [0; BLOCK_HEADER];
        self.file.seek(SeekFrom::Start(self.at))?;
        if self.len - self.at < BLOCK_HEADER as u64 {
            return Ok(None);
        }
        self.file.read_exact(&mut bytes)?;
        let words: [u32; 7] = std::array::from_fn(|i| {
            u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
        });
        let fits = bytes.starts_with(BLOCK)
            && crc32fast::hash(&bytes[..24]) == words[6]
            && words[4] <= MAX_PAYLOAD;
        Ok(fits.then(|| [words[1], words[2], words[3], words[4], words[5]]))
    }

    /// Moves on to the next place where a block may begin.
    fn skip_to_block(&mut self) -> std::io::Result<()> {
        let mut window = Vec::new();
        let mut start = self.at + 1;
        loop {
            self.file.seek(SeekFrom::Start(start.min(self.len)))?;
            window.clear();
            let read = self.file.by_ref().take(1 << 16).read_to_end(&mut window)?;
            if let Some(found) = window.windows(4).position(|four| four == BLOCK) {
                self.at = start + found as u64;
                return Ok(());
            }
            if read < 4 {
                self.at = self.len;
                return Ok(());
            }
            start += read as u64 - 3;
        }
    }

    fn read_block(&mut self) -> std::io::Result<Option<Block>> {
        let mut in_damage = false;
        while self.at < self.len {
            let Some([index, games, plies, length, crc]) = self.header()? else {
                let from = self.at;
                self.skip_to_block()?;
                self.loss.blocks += u32::from(!std::mem::replace(&mut in_damage, true));
                self.loss.bytes += self.at - from;
                continue;
            };
            let end = self.at + BLOCK_HEADER as u64 + u64::from(length);
            let mut payload = Vec::new();
            self.file.by_ref().take(length.into()).read_to_end(&mut payload)?;
            let mut rest = &payload[..];
            let read: Option<Vec<Game>> = (payload.len() as u64 == u64::from(length)
                && crc32fast::hash(&payload) == crc)
                .then(|| (0..games).map(|_| Game::read(&mut rest)).collect())
                .flatten();
            let from = std::mem::replace(&mut self.at, end.min(self.len));
            match read {
                Some(list)
                    if rest.is_empty()
                        && list.iter().map(|g| g.plies.len()).sum::<usize>() == plies as usize =>
                {
                    self.good_end = end;
                    return Ok(Some(Block { index, games: list }));
                }
                _ => {
                    in_damage = false;
                    self.loss.blocks += 1;
                    self.loss.games += games;
                    self.loss.bytes += self.at - from;
                }
            }
        }
        Ok(None)
    }
}

impl Iterator for Reader {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Result<Block>> {
        self.read_block().context("can't read on").transpose()
    }
}

/// Appends blocks to a file.
#[derive(Debug)]
pub struct Writer {
    file: File,
}

/// Where a file goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The next block's index.
    pub next: u32,
    /// Blocks before it that are damaged, and stay lost.
    pub lost: u32,
}

impl Writer {
    /// Makes a new file, whole or not at all, or opens one with the same settings to go on. A block
    /// that was cut off at the end is removed.
    pub fn open(path: &Path, settings: &Settings) -> Result<(Writer, Start)> {
        let name = path.display();
        if path.exists() {
            let mut reader = Reader::open(path)?;
            if reader.settings() != settings {
                let of = |settings| serde_json::to_string(settings).unwrap_or_default();
                bail!(
                    "{name}: made with other settings: {}, asked for {}",
                    of(reader.settings()),
                    of(settings)
                );
            }
            let (mut next, mut found) = (0, 0);
            for block in reader.by_ref() {
                next = next.max(block?.index + 1);
                found += 1;
            }
            let end = reader.good_end;
            drop(reader);
            let file = OpenOptions::new()
                .write(true)
                .open(path)
                .with_context(|| format!("{name}: can't write"))?;
            file.set_len(end).with_context(|| format!("{name}: can't remove the cut-off block"))?;
            let mut writer = Writer { file };
            writer.file.seek(SeekFrom::End(0))?;
            return Ok((writer, Start { next, lost: next.saturating_sub(found) }));
        }
        let json = serde_json::to_vec(settings)?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(json);
        let crc = crc32fast::hash(&bytes);
        bytes.extend(crc.to_le_bytes());
        files::replace(path, &bytes)?;
        let file = OpenOptions::new()
            .append(true)
            .open(path)
            .with_context(|| format!("{name}: can't write"))?;
        Ok((Writer { file }, Start::default()))
    }

    /// Appends a block in one write.
    pub fn write(&mut self, block: &Block) -> Result<()> {
        self.file.write_all(&block.to_bytes()?).context("can't write a block")
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::files::tests::Scratch;

    pub fn settings() -> Settings {
        Settings {
            variant: "crazyhouse".into(),
            seed: 1,
            block_games: 2,
            soft_nodes: 400,
            hard_nodes: 4000,
            random_plies: 8,
            start_limit: 600,
            adjudicate: 2000,
            adjudicate_plies: 4,
            stray: 0,
            hash: 1,
            book: "start".into(),
            evaluation: "classical".into(),
            engine: "test".into(),
        }
    }

    fn block(index: u32) -> Block {
        let game = |start: &str, two: bool| Game {
            start: start.into(),
            outcome: Outcome::Win,
            end: End::Mate,
            decided: two.then_some(BoardId::B),
            plies: (0..11)
                .map(|i| Ply {
                    mv: i * 3 + 1,
                    score: -5 * i as i16,
                    board: if two && i % 3 == 0 { BoardId::B } else { BoardId::A },
                })
                .collect(),
        };
        Block { index, games: vec![game("a start", false), game("one | two", true)] }
    }

    fn write(path: &Path, blocks: std::ops::Range<u32>) {
        let (mut writer, start) = Writer::open(path, &settings()).expect("a new file");
        assert_eq!((start.next, start.lost), (blocks.start, 0));
        blocks.for_each(|index| writer.write(&block(index)).expect("space on the disk"));
    }

    fn read(path: &Path) -> (Vec<Block>, Loss) {
        let mut reader = Reader::open(path).expect("a good header");
        let blocks = reader.by_ref().collect::<Result<_>>().expect("readable");
        (blocks, reader.loss())
    }

    #[test]
    fn blocks_round_trip_and_runs_go_on() {
        let scratch = Scratch::new("format-round");
        let path = scratch.file("games");
        write(&path, 0..2);
        write(&path, 2..3);
        assert_eq!(read(&path), ((0..3).map(block).collect(), Loss::default()));
        let other = Settings { seed: 2, ..settings() };
        let refused = Writer::open(&path, &other).expect_err("another seed").to_string();
        assert!(refused.contains("other settings") && !refused.contains('\n'));
    }

    #[test]
    fn damage_costs_only_its_block() {
        let scratch = Scratch::new("format-damage");
        let path = scratch.file("games");
        write(&path, 0..4);
        let good = std::fs::read(&path).expect("just written");
        let size = block(0).to_bytes().expect("small").len();
        let first = good.len() - 4 * size;
        for at in 0..size {
            let mut bad = good.clone();
            bad[first + size + at] ^= 0x10;
            std::fs::write(&path, &bad).expect("space on the disk");
            let (blocks, loss) = read(&path);
            assert_eq!(blocks, [block(0), block(2), block(3)], "byte {at}");
            assert_eq!((loss.blocks, loss.bytes), (1, size as u64), "byte {at}");
        }
        for cut in [1, 20, BLOCK_HEADER, size - 1] {
            std::fs::write(&path, &good[..good.len() - cut]).expect("space on the disk");
            let (blocks, loss) = read(&path);
            assert_eq!((blocks.len(), loss.blocks, loss.bytes), (3, 1, (size - cut) as u64));
        }
        // Going on behind a damaged block tells of it.
        let mut bad = good.clone();
        bad[first + size + 40] ^= 0x10;
        std::fs::write(&path, &bad).expect("space on the disk");
        let (_, start) = Writer::open(&path, &settings()).expect("a file");
        assert_eq!(start, Start { next: 4, lost: 1 });
        std::fs::write(&path, &good[..good.len() - 1]).expect("space on the disk");
        // Going on after a cut gives the same file as an uninterrupted run.
        write(&path, 3..4);
        assert_eq!(std::fs::read(&path).expect("just written"), good);
    }

    #[test]
    fn a_bad_header_is_refused_in_one_line() {
        let scratch = Scratch::new("format-header");
        let path = scratch.file("games");
        write(&path, 0..1);
        let good = std::fs::read(&path).expect("just written");
        for at in 0..60 {
            let mut bad = good.clone();
            bad[at] ^= 1;
            std::fs::write(&path, &bad).expect("space on the disk");
            let error = Reader::open(&path).err().expect("a damaged header");
            assert!(!format!("{error:#}").contains('\n'));
        }
    }
}
