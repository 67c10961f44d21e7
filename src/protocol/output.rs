//! The one place where a session's lines leave, and where both directions are logged.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::time::Instant;

/// Writes lines to the client. A client that has gone away is noticed, not fatal.
pub struct Output {
    client: BufWriter<Box<dyn Write>>,
    log: Option<BufWriter<File>>,
    start: Instant,
    closed: bool,
    /// The kinds of doubt that were noted.
    doubts: Vec<&'static str>,
}

impl Output {
    /// Writes to `client`; log stamps count from now.
    pub fn new(client: Box<dyn Write>) -> Output {
        Output {
            client: BufWriter::new(client),
            log: None,
            start: Instant::now(),
            closed: false,
            doubts: Vec::new(),
        }
    }

    /// Logs every line from now on to a file, or nowhere if the name is empty. When the file cannot
    /// be opened, the log stays as it was.
    pub fn log_to(&mut self, path: &str) -> io::Result<()> {
        self.log = match path {
            "" => None,
            path => Some(BufWriter::new(File::options().create(true).append(true).open(path)?)),
        };
        Ok(())
    }

    /// Says one line. Nothing arrives before [`Output::flush`].
    pub fn say(&mut self, line: impl Display) {
        let line = line.to_string();
        self.note('>', &line, Instant::now());
        self.closed |= writeln!(self.client, "{line}").is_err();
    }

    /// Notes in the log something that was heard and makes no sense: each kind of it once, since
    /// whoever says such a thing says it at every move.
    pub fn doubt(&mut self, kind: &'static str, what: impl Display) {
        if self.log.is_some() && !self.doubts.contains(&kind) {
            self.doubts.push(kind);
            self.note('!', &format!("{kind}: {what}"), Instant::now());
        }
    }

    /// Logs a line that was heard.
    pub fn heard(&mut self, line: &str, at: Instant) {
        self.note('<', line, at);
    }

    fn note(&mut self, direction: char, line: &str, at: Instant) {
        if let Some(log) = &mut self.log {
            let time = at.saturating_duration_since(self.start).as_secs_f64();
            if writeln!(log, "{time:.6} {direction} {line}").is_err() {
                self.log = None;
            }
        }
    }

    /// Sends what was said.
    pub fn flush(&mut self) {
        self.closed |= self.client.flush().is_err();
        if let Some(log) = &mut self.log
            && log.flush().is_err()
        {
            self.log = None;
        }
    }

    /// Whether the client has gone away.
    pub fn closed(&self) -> bool {
        self.closed
    }
}
