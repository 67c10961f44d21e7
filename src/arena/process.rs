//! Child processes: lines in, stamped lines out. Nothing here knows what the lines mean.
//!
//! A child may be slow, dead, mute or flood its output, and none of that may block a table: what it
//! has no room for is written by a thread from a queue; another reads, cuts overlong lines and stamps
//! each line with the moment it arrived. The queue to the table is bounded, so a flood blocks only
//! who floods.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
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
pub type TrafficLog = Option<Arc<Traffic>>;

/// A file of traffic. Nothing waits for it: what went wrong is told when all is done.
#[derive(Debug)]
pub struct Traffic {
    file: Mutex<File>,
    path: PathBuf,
    fault: OnceLock<String>,
}

impl Traffic {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Arc<Traffic>, String> {
        let file = File::create(path);
        let file = file.map_err(|e| format!("cannot write the log {}: {e}", path.display()))?;
        let (file, path) = (Mutex::new(file), path.to_path_buf());
        Ok(Arc::new(Traffic { file, path, fault: OnceLock::new() }))
    }

    /// The first thing that went wrong.
    pub fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    fn write(&self, line: &str) {
        if let Ok(mut file) = self.file.lock()
            && let Err(e) = file.write_all(line.as_bytes())
        {
            let path = self.path.display();
            self.fault.get_or_init(|| format!("cannot write the log {path}: {e}"));
        }
    }
}

/// Longest line that is kept; the rest of a longer one is dropped.
const MAX_LINE: usize = 64 * 1024;

/// So much a pipe takes at once if it has room at all (pipe(7), `PIPE_BUF`).
#[cfg(target_os = "linux")]
const AT_ONCE: usize = 4096;

/// The way to a child.
struct Inlet {
    pipe: Mutex<ChildStdin>,
    /// Texts that are not written yet.
    queued: AtomicUsize,
    label: String,
    source: usize,
    log: TrafficLog,
}

impl fmt::Debug for Inlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Inlet({})", self.label)
    }
}

impl Inlet {
    /// Writes a text, however long that takes; `false` when nobody reads any more.
    fn write(&self, text: &str) -> bool {
        text.lines().for_each(|line| note(&self.log, '>', &self.label, self.source, line));
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        pipe.write_all(text.as_bytes()).and_then(|()| pipe.flush()).is_ok()
    }

    /// Whether a text can be written without waiting for anything.
    #[cfg(target_os = "linux")]
    fn has_room(&self, text: &str) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        if text.len() > AT_ONCE || self.queued.load(Ordering::Acquire) > 0 {
            return false;
        }
        let Ok(pipe) = self.pipe.try_lock() else { return false };
        let mut asked = [PollFd::new(&*pipe, PollFlags::OUT)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut asked, Some(&now)).is_ok() && asked[0].revents().contains(PollFlags::OUT)
    }

    #[cfg(not(target_os = "linux"))]
    fn has_room(&self, _text: &str) -> bool {
        false
    }
}

/// A running child.
#[derive(Debug)]
pub struct Process {
    child: Child,
    inlet: Option<(Arc<Inlet>, Sender<String>)>,
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
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("engine '{name}': no pipes to '{shown}'"));
        };
        let (to_child, lines) = crossbeam_channel::unbounded::<String>();
        let inlet = Arc::new(Inlet {
            pipe: Mutex::new(stdin),
            queued: AtomicUsize::new(0),
            label: name.to_string(),
            source,
            log: log.clone(),
        });
        let patient = Arc::clone(&inlet);
        thread::spawn(move || {
            for text in lines {
                if !patient.write(&text) {
                    break;
                }
                patient.queued.fetch_sub(1, Ordering::Release);
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
        Ok(Process { child, inlet: Some((inlet, to_child)), name: name.to_string() })
    }

    /// Sends lines, which go out together: a child is woken once for a position and what is asked
    /// about it. Whoever has no room for them gets them later, and nobody waits for that. Sending to a
    /// dead child is no error here: its closed output tells.
    pub fn send(&self, lines: &[impl AsRef<str>]) {
        let text: String = lines.iter().flat_map(|line| [line.as_ref(), "\n"]).collect();
        let Some((inlet, queue)) = self.inlet.as_ref().filter(|_| !text.is_empty()) else { return };
        if inlet.has_room(&text) {
            // No other thread is woken only to write a line.
            inlet.write(&text);
        } else {
            inlet.queued.fetch_add(1, Ordering::Relaxed);
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
        self.inlet = None;
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
    if let Some(log) = log {
        log.write(&format!("{direction}{name}({source}): {}\n", line.trim_end()));
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

/// Decoded lossily. Control characters get the same mark as what is no text, since an engine's words
/// reach terminals.
fn text(line: &[u8]) -> String {
    let harmless = |c: char| if c.is_control() && c != '\t' { '\u{fffd}' } else { c };
    String::from_utf8_lossy(line).trim().chars().map(harmless).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_decoded() {
        let mut bytes = b"one\r\n\n\xff\nb\x1b[31m\tc\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', 1 << 20));
        bytes.extend(b"\nlast");
        let mut reader = BufReader::with_capacity(777, &bytes[..]);
        assert_eq!(read_line(&mut reader).as_deref(), Some("one"));
        assert_eq!(read_line(&mut reader).as_deref(), Some(""));
        assert_eq!(read_line(&mut reader).as_deref(), Some("\u{fffd}"));
        assert_eq!(read_line(&mut reader).as_deref(), Some("b\u{fffd}[31m\tc"));
        assert_eq!(read_line(&mut reader).map(|l| l.len()), Some(MAX_LINE));
        assert_eq!(read_line(&mut reader).as_deref(), Some("last"));
        assert_eq!(read_line(&mut reader), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn who_does_not_read_makes_nobody_wait() {
        let (sink, lines) = crossbeam_channel::unbounded();
        let program = Program {
            command: "sh".into(),
            args: vec!["-c".into(), "read go; sleep 0.2; cat".into()],
            dir: None,
        };
        let child = Process::start("Late", &program, 0, sink, None).expect("a shell");
        child.send(&["go"]);
        let sent: Vec<String> = (0..3000).map(|i| format!("{i} {}", "x".repeat(100))).collect();
        let start = Instant::now();
        sent.iter().for_each(|line| child.send(&[line]));
        assert!(start.elapsed() < Duration::from_secs(60));
        for wanted in &sent {
            let heard = lines.recv_timeout(Duration::from_secs(60)).expect("a line");
            assert_eq!(heard.output, Output::Line(wanted.clone()));
        }
    }

    #[test]
    fn a_missing_program_is_named() {
        let (sink, _lines) = crossbeam_channel::bounded(1);
        let program = Program { command: "/no/such/engine".into(), ..Program::default() };
        let error = Process::start("Ghost", &program, 0, sink, None).unwrap_err();
        assert!(error.contains("Ghost") && error.contains("/no/such/engine"), "{error}");
    }
}
