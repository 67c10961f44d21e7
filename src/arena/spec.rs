//! Who plays: an engine's program, protocol, options and limits, before it is started.

use std::path::PathBuf;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};

use super::clock::{Micros, TimeControl};
use super::dialect::{GoLimits, Protocol};
use super::process::{Program, Stamped, TrafficLog};
use super::table::{Chair, Engine, Player};

/// An engine that can be started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineSpec {
    /// Its name in records; empty until it is known.
    pub name: String,
    /// Its program; none is Klotz itself.
    pub program: Option<Program>,
    /// What it speaks.
    pub protocol: Protocol,
    /// Options to set before each game.
    pub options: Vec<(String, String)>,
    /// Its time control.
    pub control: Option<TimeControl>,
    /// Bounds besides the clock.
    pub limits: GoLimits,
    /// What the flag forgives.
    pub margin: Micros,
}

/// How long an engine may take to start: some load large files first.
pub const START: Duration = Duration::from_secs(15);

impl EngineSpec {
    /// Klotz itself.
    pub fn klotz() -> EngineSpec {
        EngineSpec { name: "Klotz".to_string(), ..EngineSpec::default() }
    }

    /// An engine by a command line, with blanks inside quotes kept.
    pub fn command(line: &str, protocol: Protocol) -> Result<EngineSpec, String> {
        let mut words = split_words(line)?.into_iter();
        let command = words.next().ok_or("an engine without a program")?;
        let name = PathBuf::from(&command)
            .file_name()
            .map_or_else(|| command.clone(), |name| name.to_string_lossy().into_owned());
        let program = Program { command: command.into(), args: words.collect(), dir: None };
        Ok(EngineSpec { name, program: Some(program), protocol, ..EngineSpec::default() })
    }

    /// Starts the engine; its lines come out of the channel with the number `source`.
    pub fn start(
        &self,
        source: usize,
        channel: (&Sender<Stamped>, &Receiver<Stamped>),
        log: TrafficLog,
    ) -> Result<Engine, String> {
        let own;
        let program = match &self.program {
            Some(program) => program,
            None => {
                let command = std::env::current_exe()
                    .map_err(|e| format!("engine '{}': where is this program? {e}", self.name))?;
                own = Program { command, ..Program::default() };
                &own
            }
        };
        Engine::start(
            &self.name,
            program,
            self.protocol,
            &self.options,
            source,
            channel,
            START,
            log,
        )
    }

    /// The engine on a chair.
    pub fn chair(&self, engine: Engine, control: TimeControl, identity: u64) -> Chair {
        Chair {
            name: self.name.clone(),
            player: Player::Engine(Box::new(engine)),
            control: self.control.unwrap_or(control),
            margin: self.margin,
            limits: self.limits,
            identity,
        }
    }
}

/// Splits at blanks, except between quotes.
pub fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(format!("an unclosed quote in '{text}'"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines() {
        let spec = EngineSpec::command("\"/a b/engine\" -x 'y z'", Protocol::Xboard).unwrap();
        assert_eq!(spec.name, "engine");
        assert_eq!(spec.program.unwrap().args, ["-x", "y z"]);
        assert!(EngineSpec::command("  ", Protocol::Uci).is_err());
        assert!(split_words("a \"b").is_err());
    }
}
