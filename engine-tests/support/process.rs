//! The real binary as a child, spoken to in lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Long enough for the slowest machine; only a hang gets there.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running `klotz`.
pub struct Klotz {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Klotz {
    /// Starts it with arguments and says the first line.
    pub fn start(arguments: &[&str], first: &str) -> Klotz {
        let mut child = Command::new(env!("CARGO_BIN_EXE_klotz"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("klotz starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut klotz = Klotz { child, stdin, lines };
        klotz.say(first);
        klotz
    }

    /// In UCI, greeted.
    pub fn uci() -> Klotz {
        let mut klotz = Klotz::start(&[], "uci");
        klotz.until(|line| line == "uciok");
        klotz
    }

    /// Sends a line.
    pub fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("not closed yet");
        writeln!(stdin, "{line}").expect("klotz listens");
    }

    /// Reads up to the first line that fits, which is the last of those returned.
    pub fn until(&mut self, fits: impl Fn(&str) -> bool) -> Vec<String> {
        let until = Instant::now() + PATIENCE;
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let last = fits(&line);
                    seen.push(line);
                    if last {
                        return seen;
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("klotz hangs after {seen:#?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("klotz ended after {seen:#?}"),
            }
        }
    }

    /// Reads up to a line that begins so.
    pub fn until_word(&mut self, word: &str) -> Vec<String> {
        self.until(|line| line.split_whitespace().next() == Some(word))
    }

    /// What UCI prints until everything sent so far was handled, without the `readyok`.
    pub fn settled(&mut self) -> Vec<String> {
        self.say("isready");
        let mut seen = self.until(|line| line == "readyok");
        seen.pop();
        seen
    }

    /// Closes its input and waits; true for a clean end.
    pub fn close(mut self) -> bool {
        self.stdin = None;
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.success();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }
}

impl Drop for Klotz {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
