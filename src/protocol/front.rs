//! What all sessions have in common: one loop that hears the client and the engine.

use std::io::{Read, Write};
use std::panic;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, select};

use super::grammar::decl::{Kind, OptionDecl};
use super::grammar::words::{WordError, split_first};
use super::input::{LONGEST_LINE, Line, Lines};
use super::output::Output;
use super::{ubi, uci, xboard};
use crate::engine::{Audience, Engine, Event, OptionKind, STACK, SearchError, Settings, Signal};

/// Whether a session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    On,
    /// The client said goodbye.
    Quit,
}

/// A protocol spoken for one engine.
pub trait Session {
    /// What its clients say.
    type Command;
    /// Reads a line that is not empty.
    fn read(line: &str) -> Result<Self::Command, WordError>;
    /// The engine that is spoken for.
    fn engine(&mut self) -> &mut Engine;
    /// The client says something, in this line.
    fn obey(&mut self, command: Self::Command, line: &str, at: Instant, out: &mut Output) -> Flow;
    /// A line says nothing that can be understood.
    fn misheard(&mut self, line: &str, why: String, out: &mut Output);
    /// Everything that is asked, or waits to be asked, is to be answered now.
    fn stop(&mut self) {
        self.engine().stop_all();
    }
    /// The engine tells something.
    fn tell(&mut self, event: Event, out: &mut Output);
}

/// So many lines are heard before the engine gets a word in.
const IN_A_ROW: usize = 256;

/// After the last line a running search is stopped and its move still said, within this time.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Speaks with a client until it leaves: the first line decides the protocol, UCI if it names none.
pub fn serve(
    input: impl Read + Send + 'static,
    client: Box<dyn Write + Send>,
) -> Result<(), SearchError> {
    // Brief searches run where the session does.
    let session = thread::Builder::new()
        .name("session".to_string())
        .stack_size(STACK)
        .spawn(move || speak(input, client))
        .map_err(|error| SearchError::Spawn(error.to_string()))?;
    session.join().unwrap_or_else(|fault| panic::resume_unwind(fault))
}

fn speak(
    input: impl Read + Send + 'static,
    client: Box<dyn Write + Send>,
) -> Result<(), SearchError> {
    let mut lines = Lines::new(input);
    let mut out = Output::new(client);
    let mut engine = Engine::new()?;
    engine.search_here();
    let mut first = loop {
        match lines.wait() {
            Some(line) if visible(&line.text).is_empty() => {}
            Some(line) => break line,
            None => return Ok(()),
        }
    };
    // Some editors and shells put a byte order mark before the first line of what is piped in.
    first.text = visible(&first.text).to_string();
    let (word, rest) = split_first(&first.text);
    let word = word.to_ascii_lowercase();
    if matches!(word.as_str(), "xboard" | "ubi" | "uci") {
        first.text = format!("{word} {rest}");
    }
    match word.as_str() {
        "xboard" => run(xboard::Session::new(engine), first, &mut lines, &mut out),
        "ubi" => run(ubi::Session::new(engine), first, &mut lines, &mut out),
        _ => run(uci::Session::new(engine), first, &mut lines, &mut out),
    }
    Ok(())
}

fn visible(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim()
}

fn run(mut session: impl Session, first: Line, lines: &mut Lines, out: &mut Output) {
    let mut flow = hear(&mut session, first, out);
    let signals = session.engine().signals().clone();
    let mut heard = 0;
    while flow == Flow::On && !out.closed() {
        // Lines come first: an answer must not be given that a line already here makes obsolete.
        if let Some(line) = lines.at_hand() {
            flow = hear(&mut session, line, out);
            // But a client that never stops talking must not make the engine's words pile up.
            heard += 1;
            while heard >= IN_A_ROW
                && let Ok(signal) = signals.try_recv()
            {
                absorb(&mut session, signal, out);
            }
            heard %= IN_A_ROW;
            continue;
        }
        heard = 0;
        if let Ok(signal) = signals.try_recv() {
            absorb(&mut session, signal, out);
            continue;
        }
        // What was said goes out as soon as nothing more is at hand to be said.
        out.flush();
        let line = if session.engine().quiet() {
            lines.wait()
        } else {
            select! {
                recv(lines.coming()) -> brought => brought.ok().and_then(|line| lines.take(line)),
                recv(signals) -> signal => {
                    if let Ok(signal) = signal {
                        absorb(&mut session, signal, out);
                    }
                    continue;
                }
            }
        };
        flow = match line {
            Some(line) => hear(&mut session, line, out),
            None => {
                last_words(&mut session, out);
                Flow::Quit
            }
        };
    }
    out.flush();
}

fn absorb(session: &mut impl Session, signal: Signal, out: &mut Output) {
    if let Some(event) = session.engine().absorb(signal) {
        session.tell(event, out);
    }
}

fn hear<S: Session>(session: &mut S, line: Line, out: &mut Output) -> Flow {
    out.heard(&line.text, line.at);
    let text = line.text.trim();
    if text.is_empty() {
        return Flow::On;
    }
    let read = match line.cut {
        true => Err(format!("line longer than {} MB", LONGEST_LINE >> 20)),
        false => S::read(text).map_err(|error| error.to_string()),
    };
    match read {
        Ok(command) => session.obey(command, text, line.at, out),
        Err(why) => {
            session.misheard(text, why, out);
            Flow::On
        }
    }
}

/// The input ended: whoever piped a few lines in still wants the move.
fn last_words(session: &mut impl Session, out: &mut Output) {
    let signals = session.engine().signals().clone();
    let end = Instant::now() + LAST_WORDS;
    session.stop();
    while session.engine().any_busy() || !session.engine().settled() {
        match signals.recv_deadline(end) {
            Ok(signal) => absorb(session, signal, out),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
}

/// The options as a protocol declares them.
pub(super) fn declarations(audience: Audience) -> Vec<OptionDecl> {
    let specs = Settings::specs().into_iter();
    specs
        .filter(|spec| spec.audience == Audience::All || spec.audience == audience)
        .map(|spec| OptionDecl {
            name: spec.name.to_string(),
            kind: match spec.kind {
                OptionKind::Check(default) => Kind::Check { default },
                OptionKind::Spin(default, min, max) => Kind::Spin { default, min, max },
                OptionKind::Combo(default, values) => Kind::Combo {
                    default: default.to_string(),
                    values: values.into_iter().map(String::from).collect(),
                },
                OptionKind::Text(default) => Kind::Text { default: default.to_string() },
                OptionKind::File => Kind::File { default: String::new() },
                OptionKind::Button => Kind::Button,
            },
        })
        .collect()
}

/// Our name as every protocol tells it.
pub(super) fn name() -> String {
    format!("Klotz {}", env!("CARGO_PKG_VERSION"))
}

/// Who made this.
pub(super) const AUTHOR: &str = "the Klotz authors";
