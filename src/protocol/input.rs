//! Lines from a client, read on a thread of their own and stamped when they arrive.

use std::io::{BufRead, ErrorKind};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded};

/// The longest line that is read; no message needs a tenth of it.
pub const LONGEST_LINE: usize = 4 << 20;
/// How many lines may wait to be handled before the client has to.
const WAITING_LINES: usize = 4096;

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

/// Reads lines until the input ends or nobody wants them. The channel closes at the end.
pub fn lines_of(input: impl BufRead + Send + 'static) -> Receiver<Line> {
    let (sender, lines) = bounded(WAITING_LINES);
    // Without the thread nothing is heard, which looks like the end of input.
    let _ = std::thread::Builder::new()
        .name("input".to_string())
        .spawn(move || read_all(input, &sender));
    lines
}

fn read_all(mut input: impl BufRead, sender: &Sender<Line>) {
    let mut bytes = Vec::new();
    let mut cut = false;
    loop {
        let (used, ended) = match input.fill_buf() {
            Ok([]) => break,
            Ok(chunk) => {
                let end = chunk.iter().position(|byte| *byte == b'\n');
                let part = &chunk[..end.unwrap_or(chunk.len())];
                let room = LONGEST_LINE.saturating_sub(bytes.len());
                cut |= part.len() > room;
                bytes.extend_from_slice(&part[..part.len().min(room)]);
                (end.map_or(chunk.len(), |end| end + 1), end.is_some())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        input.consume(used);
        if ended && !deliver(&mut bytes, &mut cut, sender) {
            return;
        }
    }
    if !bytes.is_empty() {
        deliver(&mut bytes, &mut cut, sender);
    }
}

fn deliver(bytes: &mut Vec<u8>, cut: &mut bool, sender: &Sender<Line>) -> bool {
    let text = String::from_utf8_lossy(bytes).trim_end_matches('\r').to_string();
    let sent = sender.send(Line { text, at: Instant::now(), cut: *cut });
    bytes.clear();
    bytes.shrink_to(1 << 16);
    *cut = false;
    sent.is_ok()
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use super::*;

    fn read(bytes: &[u8]) -> Vec<Line> {
        lines_of(BufReader::with_capacity(7, Cursor::new(bytes.to_vec()))).iter().collect()
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
