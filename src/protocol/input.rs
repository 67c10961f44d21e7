//! Lines from a client, stamped when they arrive.
//!
//! Whoever has nothing else to wait for reads them himself; who must also hear the engine has them
//! read by a thread of its own. A client that asks for a brief search wakes one thread then, not two.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded};

/// The longest line that is read; no message needs a tenth of it.
pub const LONGEST_LINE: usize = 4 << 20;
/// Bytes read at once.
const CHUNK: usize = 1 << 16;

/// A line and when it came.
#[derive(Clone, Debug)]
pub struct Line {
    /// The text without its end; bytes that are no UTF-8 are replaced.
    pub text: String,
    /// When its end was read.
    pub at: Instant,
    /// Whether it was longer than [`LONGEST_LINE`] and its end is missing.
    pub cut: bool,
}

/// Where the lines come from.
pub struct Input {
    source: BufReader<Box<dyn Read + Send>>,
    bytes: Vec<u8>,
    cut: bool,
}

/// What the reading thread brings back: the input, and a line of it unless it has ended.
pub struct Brought(Input, Option<Line>);

/// A client's lines, in their order.
pub struct Lines {
    /// `None` while the thread reads, and after the end.
    input: Option<Input>,
    errands: Sender<Input>,
    brought: Receiver<Brought>,
}

impl Lines {
    /// The lines of this source.
    pub fn new(source: impl Read + Send + 'static) -> Lines {
        Lines::with_capacity(CHUNK, source)
    }

    fn with_capacity(capacity: usize, source: impl Read + Send + 'static) -> Lines {
        let source: Box<dyn Read + Send> = Box::new(source);
        let source = BufReader::with_capacity(capacity, source);
        let input = Some(Input { source, bytes: Vec::new(), cut: false });
        let (errands, sent) = bounded::<Input>(1);
        let (sender, brought) = bounded(1);
        // Without the thread nothing is heard, which looks like the end of input.
        let _ = std::thread::Builder::new().name("input".to_string()).spawn(move || {
            for mut input in sent {
                let line = input.read();
                if sender.send(Brought(input, line)).is_err() {
                    break;
                }
            }
        });
        Lines { input, errands, brought }
    }

    /// A line that has been read already.
    pub fn at_hand(&mut self) -> Option<Line> {
        match &mut self.input {
            Some(input) if input.source.buffer().contains(&b'\n') => input.read(),
            Some(_) => None,
            None => self.brought.try_recv().ok().and_then(|brought| self.take(brought)),
        }
    }

    /// Waits for the next line, and for nothing else; `None` at the end.
    pub fn wait(&mut self) -> Option<Line> {
        match &mut self.input {
            Some(input) => input.read(),
            None => self.brought.recv().ok().and_then(|brought| self.take(brought)),
        }
    }

    /// Has the next line read, and says where it will be brought: give that to [`Lines::take`].
    pub fn coming(&mut self) -> &Receiver<Brought> {
        if let Some(input) = self.input.take() {
            let _ = self.errands.send(input);
        }
        &self.brought
    }

    /// What was brought; `None` at the end.
    pub fn take(&mut self, brought: Brought) -> Option<Line> {
        let Brought(input, line) = brought;
        self.input = Some(input);
        line
    }
}

impl Input {
    /// The next line, waiting for it; `None` at the end.
    fn read(&mut self) -> Option<Line> {
        loop {
            let (used, ended) = match self.source.fill_buf() {
                Ok([]) => break,
                Ok(chunk) => {
                    let end = chunk.iter().position(|byte| *byte == b'\n');
                    let part = &chunk[..end.unwrap_or(chunk.len())];
                    let room = LONGEST_LINE.saturating_sub(self.bytes.len());
                    self.cut |= part.len() > room;
                    self.bytes.extend_from_slice(&part[..part.len().min(room)]);
                    (end.map_or(chunk.len(), |end| end + 1), end.is_some())
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            self.source.consume(used);
            if ended {
                return Some(self.line());
            }
        }
        (!self.bytes.is_empty()).then(|| self.line())
    }

    fn line(&mut self) -> Line {
        let text = String::from_utf8_lossy(&self.bytes).trim_end_matches('\r').to_string();
        self.bytes.clear();
        self.bytes.shrink_to(1 << 16);
        Line { text, at: Instant::now(), cut: std::mem::take(&mut self.cut) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn read(bytes: &[u8]) -> Vec<Line> {
        let lines = || Lines::with_capacity(7, Cursor::new(bytes.to_vec()));
        let mut all = Vec::new();
        let mut alone = lines();
        while let Some(line) = alone.wait() {
            all.push(line);
        }
        // Who reads makes no difference.
        let mut mixed = lines();
        let mut same = Vec::new();
        while let Some(line) = match mixed.at_hand() {
            None if same.len() % 2 == 0 => {
                let brought = mixed.coming().recv().expect("a line or the end");
                mixed.take(brought)
            }
            None => mixed.wait(),
            line => line,
        } {
            same.push(line);
        }
        let texts = |lines: &[Line]| lines.iter().map(|l| l.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&all), texts(&same));
        all
    }

    #[test]
    fn line_ends_bytes_and_a_missing_end() {
        let texts: Vec<String> =
            read(b"uci\r\n\n\xff\xfe go\nquit").into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["uci", "", "\u{fffd}\u{fffd} go", "quit"]);
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let mut bytes = vec![b'a'; LONGEST_LINE + 10];
        bytes.extend_from_slice(b"\nisready\n");
        let lines = read(&bytes);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].cut && lines[0].text.len() == LONGEST_LINE);
        assert_eq!((lines[1].text.as_str(), lines[1].cut), ("isready", false));
    }
}
