//! Replays the conversations in `transcripts/` with the real binary.
//!
//! A line that begins with `>` is said to the engine, one with `<` must be its next line (`*` stands
//! for any text), `.` demands that it says nothing for a moment, `#` is a comment. What an engine may
//! say at any time is passed over unless a `<` asks for it: lines of thinking, declared options, words
//! for the partner.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// A reply later than this is none.
const PATIENCE: Duration = Duration::from_secs(60);
/// Silence that is long enough to be meant.
const SILENCE: Duration = Duration::from_millis(150);

struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Talk {
    fn begin() -> Talk {
        let mut child = Command::new(env!("CARGO_BIN_EXE_klotz"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("klotz starts");
        let output = child.stdout.take().expect("its output");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Talk { child, input, lines }
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("its input");
        // An engine that was told to quit may be gone already.
        let _ = writeln!(input, "{line}");
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What may come at any time.
fn noise(line: &str) -> bool {
    let thinking = line.split_whitespace().take(4).filter(|w| w.parse::<i64>().is_ok()).count();
    line.starts_with("info") && line.contains(" depth ")
        || line.starts_with("option ")
        || line.starts_with("id ")
        || ["ptell ", "teammsg ", "tellics ptell "].iter().any(|word| line.starts_with(word))
        || line.starts_with("feature ") && !line.ends_with("done=1")
        || thinking == 4
}

/// Whether a line fits a pattern in which `*` stands for any text.
fn fits(pattern: &str, line: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == line,
        Some((head, rest)) => {
            let Some(tail) = line.strip_prefix(head) else { return false };
            (0..=tail.len())
                .filter(|at| tail.is_char_boundary(*at))
                .any(|at| fits(rest, &tail[at..]))
        }
    }
}

fn replay(path: &Path) -> Result<usize, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut talk = Talk::begin();
    let mut replies = 0;
    for (number, step) in text.lines().enumerate() {
        let place = format!("{}:{}", path.display(), number + 1);
        let (kind, rest) = step.split_at(step.len().min(1));
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        match kind {
            "" | "#" => {}
            ">" => talk.say(rest),
            "<" => loop {
                match talk.lines.recv_timeout(PATIENCE) {
                    Ok(line) if fits(rest, &line) => {
                        replies += 1;
                        break;
                    }
                    Ok(line) if noise(&line) => {}
                    Ok(line) => return Err(format!("{place}: wanted '{rest}', got '{line}'")),
                    Err(error) => return Err(format!("{place}: wanted '{rest}': {error}")),
                }
            },
            "." => loop {
                match talk.lines.recv_timeout(SILENCE) {
                    Ok(line) if noise(&line) => {}
                    Ok(line) => return Err(format!("{place}: wanted silence, got '{line}'")),
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(error) => return Err(format!("{place}: {error}")),
                }
            },
            other => return Err(format!("{place}: '{other}' begins no step")),
        }
    }
    Ok(replies)
}

fn all_of(protocol: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine-tests/transcripts");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the transcripts")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(protocol))
        })
        .collect();
    files.sort();
    assert!(files.len() > 3, "hardly any transcripts of {protocol}: {files:?}");
    let failures: Vec<String> = files
        .iter()
        .filter_map(|path| match replay(path) {
            Ok(0) => Some(format!("{}: asks for no reply", path.display())),
            Ok(_) => None,
            Err(error) => Some(error),
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn uci() {
    all_of("uci-");
}

#[test]
fn xboard() {
    all_of("xboard-");
}

#[test]
fn ubi() {
    all_of("ubi-");
}

#[test]
fn patterns() {
    assert!(fits("bestmove *", "bestmove e2e4"));
    assert!(fits("a*c*", "abcd") && !fits("a*c", "abcd") && fits("*", ""));
    assert!(noise("9 156 1084 48000 1 2 3\te2e4") && !noise("move e2e4"));
}
