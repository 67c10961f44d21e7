//! Child processes: lines in, stamped lines out. Nothing here knows what the lines mean.
//!
//! A child may be slow, dead, mute or flood its output, and none of that may block a table: one
//! thread writes to it from a queue, one reads, cuts overlong lines and stamps each line with the
//! moment it arrived. The queue to the table is bounded, so a flood blocks only who floods.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

/// What a child does, or a person at the keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A line without its end.
    Line(String),
    /// It closed its output: it is dead or as good as dead.
    Closed,
}

/// An output with its source and the moment it arrived.
#[derive(Clone, Debug)]
pub struct Stamped {
    /// Who: the number the child was started with.
    pub source: usize,
    /// When.
    pub at: Instant,
    /// What.
    pub output: Output,
}

/// How to start a child.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The program, by path or by name.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder it starts in.
    pub dir: Option<PathBuf>,
}

/// Where the traffic with the children is written, when it is wanted.
pub type TrafficLog = Option<Arc<Mutex<Box<dyn Write + Send>>>>;

/// Longest line that is kept; the rest of a longer one is dropped.
const MAX_LINE: usize = 64 * 1024;

/// A running child.
#[derive(Debug)]
pub struct Process {
    child: Child,
    to_child: Option<Sender<String>>,
    name: String,
}

impl Process {
    /// Starts a program; its lines come out of `sink` under the number `source`.
    pub fn start(
        name: &str,
        program: &Program,
        source: usize,
        sink: Sender<Stamped>,
        log: TrafficLog,
    ) -> Result<Process, String> {
        let mut command = Command::new(&program.command);
        command.args(&program.args).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null());
        if let Some(dir) = &program.dir {
            command.current_dir(dir);
        }
        // Ctrl-C reaches everyone in the terminal's group; an engine that it ends would lose a game
        // that was only broken off.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let shown = program.command.display();
        let mut child = command
            .spawn()
            .map_err(|error| format!("engine '{name}': cannot start '{shown}': {error}"))?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("engine '{name}': no pipes to '{shown}'"));
        };
        let (to_child, lines) = crossbeam_channel::unbounded::<String>();
        let label = name.to_string();
        let out_log = log.clone();
        thread::spawn(move || {
            for text in lines {
                text.lines().for_each(|line| note(&out_log, '>', &label, source, line));
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let label = name.to_string();
        thread::spawn(move || {
            let mut reader = BufReader::with_capacity(1 << 16, stdout);
            loop {
                let output = match read_line(&mut reader) {
                    Some(line) => Output::Line(line),
                    None => Output::Closed,
                };
                let at = Instant::now();
                let ended = output == Output::Closed;
                if let Output::Line(line) = &output {
                    note(&log, '<', &label, source, line);
                }
                if sink.send(Stamped { source, at, output }).is_err() || ended {
                    break;
                }
            }
        });
        Ok(Process { child, to_child: Some(to_child), name: name.to_string() })
    }

    /// Queues lines, which go out together: a child is woken once for a position and what is asked
    /// about it. Sending to a dead child is no error here: its closed output tells.
    pub fn send(&self, lines: &[impl AsRef<str>]) {
        let text: String = lines.iter().flat_map(|line| [line.as_ref(), "\n"]).collect();
        if let Some(queue) = self.to_child.as_ref().filter(|_| !text.is_empty()) {
            let _ = queue.send(text);
        }
    }

    /// The name it was started with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it has ended.
    pub fn is_dead(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.send(&["quit"]);
        // Closing its input is what a child that knows no `quit` understands.
        self.to_child = None;
        let patience = Instant::now() + Duration::from_millis(500);
        while Instant::now() < patience {
            if self.is_dead() {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn note(log: &TrafficLog, direction: char, name: &str, source: usize, line: &str) {
    if let Some(log) = log
        && let Ok(mut out) = log.lock()
    {
        let _ = writeln!(out, "{direction}{name}({source}): {}", line.trim_end());
    }
}

/// A line of at most [`MAX_LINE`] bytes, decoded lossily; `None` at the end.
fn read_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        if chunk.is_empty() {
            return (!line.is_empty()).then(|| text(&line));
        }
        let end = chunk.iter().position(|b| *b == b'\n');
        let taken = end.unwrap_or(chunk.len());
        let room = MAX_LINE.saturating_sub(line.len());
        line.extend_from_slice(&chunk[..taken.min(room)]);
        reader.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Some(text(&line));
        }
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_decoded() {
        let mut bytes = b"one\r\n\n\xff\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', 1 << 20));
        bytes.extend(b"\nlast");
        let mut reader = BufReader::with_capacity(777, &bytes[..]);
        assert_eq!(read_line(&mut reader).as_deref(), Some("one"));
        assert_eq!(read_line(&mut reader).as_deref(), Some(""));
        assert_eq!(read_line(&mut reader).as_deref(), Some("\u{fffd}"));
        assert_eq!(read_line(&mut reader).map(|l| l.len()), Some(MAX_LINE));
        assert_eq!(read_line(&mut reader).as_deref(), Some("last"));
        assert_eq!(read_line(&mut reader), None);
    }

    #[test]
    fn a_missing_program_is_named() {
        let (sink, _lines) = crossbeam_channel::bounded(1);
        let program = Program { command: "/no/such/engine".into(), ..Program::default() };
        let error = Process::start("Ghost", &program, 0, sink, None).unwrap_err();
        assert!(error.contains("Ghost") && error.contains("/no/such/engine"), "{error}");
    }
}
