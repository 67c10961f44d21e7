//! Every option, declared once: its name, its values, and what it sets. All protocols offer these.

use std::fs;
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use crate::eval::Networks;
use crate::eval::nnue::Network;
use crate::rules::{Rules, RulesError, Variant};
use crate::team::Parts;
use crate::types::{BoardId, Seat, Team};

/// What values an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// On or off, and what it is at first.
    Check(bool),
    /// A number: at first, at least, at most.
    Spin(i64, i64, i64),
    /// One of some words, and which one at first.
    Combo(&'static str, Vec<&'static str>),
    /// Any text, and what it is at first.
    Text(&'static str),
    /// The name of a file; at first none.
    File,
    /// An action.
    Button,
}

/// Which clients an option is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All of them.
    All,
    /// UCI alone.
    Uci,
    /// CECP alone.
    XBoard,
}

/// An option as it is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its name.
    pub name: &'static str,
    /// Its values.
    pub kind: OptionKind,
    /// Who is offered it.
    pub audience: Audience,
}

/// What setting an option calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing more.
    Stored,
    /// Another size of the table.
    Hash,
    /// Another number of threads.
    Threads,
    /// An empty table.
    Clear,
    /// Positions must be read anew under other rules.
    Rules,
    /// Another log file.
    Log,
    /// Other networks, or none.
    Networks,
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// No such option.
    #[error("unknown option '{0}'")]
    Unknown(String),
    /// The option does not take this value.
    #[error("option {name} cannot be '{value}': it takes {takes}")]
    Value {
        /// The option.
        name: &'static str,
        /// What was asked for.
        value: String,
        /// What it takes.
        takes: String,
    },
    /// The rule option does not take this value.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The network file is not one; the networks in use stay.
    #[error("EvalFile '{path}': {reason}")]
    Network {
        /// What was asked for.
        path: String,
        /// Why it was refused.
        reason: String,
    },
}

/// Who the engine plays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// Whoever is to move on board A, or on the only board.
    Mover,
    /// One seat.
    Seat(Seat),
    /// Both seats of a team.
    Team(Team),
}

impl Player {
    const NAMES: [(&'static str, Player); 7] = [
        ("mover", Player::Mover),
        ("WhiteA", Player::Seat(Seat::WhiteA)),
        ("BlackA", Player::Seat(Seat::BlackA)),
        ("WhiteB", Player::Seat(Seat::WhiteB)),
        ("BlackB", Player::Seat(Seat::BlackB)),
        ("team1", Player::Team(Team::One)),
        ("team2", Player::Team(Team::Two)),
    ];

    /// Whether a seat is played by the engine, `mover` being whoever moves on board A.
    pub fn plays(self, seat: Seat) -> bool {
        match self {
            Player::Mover => seat.board() == BoardId::A,
            Player::Seat(own) => own == seat,
            Player::Team(team) => seat.team() == team,
        }
    }
}

/// How much a partner's messages count, as UBI's `TeamMessageMode` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageMode {
    /// Not at all.
    Ignore,
    /// They are weighed, but nobody waits because of them.
    Consider,
    /// All of them.
    Full,
}

impl MessageMode {
    const NAMES: [(&'static str, MessageMode); 3] = [
        ("ignore", MessageMode::Ignore),
        ("consider", MessageMode::Consider),
        ("full", MessageMode::Full),
    ];
}

/// A rule option that is left to the preset.
const PRESET: &str = "preset";
/// The preset that a variant has when nothing is said.
const STANDARD: &str = "standard";
/// No machine this is made for has more mebibytes to spare.
const MOST_HASH: i64 = 131_072;
/// What the option Threads takes at most.
pub const MOST_THREADS: u32 = 64;

/// The values of all options.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Mebibytes of the table.
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Lines to report.
    pub multipv: usize,
    /// Milliseconds kept back of every move.
    pub overhead: u64,
    /// Whether win, draw and loss are reported.
    pub show_wdl: bool,
    /// Whether positions are analysed: no cap of moves then draws a game.
    pub analyse: bool,
    /// Whether the engine sits at a table: without a move it waits for a piece.
    pub two_board: bool,
    /// Who the engine plays for.
    pub player: Player,
    /// Whether hopeless games are resigned.
    pub resign: bool,
    /// Whether the other board, the clocks and the partner's words count at all.
    pub team_play: bool,
    /// Which of that, if it does.
    pub team_parts: Parts,
    /// How much a partner's messages count in UBI.
    pub message_mode: MessageMode,
    /// Where lines are logged; empty for nowhere.
    pub log: String,
    /// Whether networks judge positions, or the hand-written evaluation.
    use_networks: bool,
    /// A network from a file, for crazyhouse and bughouse alike.
    loaded: Option<Arc<Network>>,
    /// The variant the client has named. Until it names one, the preset decides.
    variant: Option<Variant>,
    preset: Option<Rules>,
    overrides: Vec<(&'static str, String)>,
    chess960: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hash: 16,
            threads: 1,
            multipv: 1,
            overhead: 20,
            show_wdl: false,
            analyse: false,
            two_board: false,
            player: Player::Mover,
            resign: false,
            team_play: true,
            team_parts: Parts::ALL,
            message_mode: MessageMode::Full,
            log: String::new(),
            use_networks: true,
            loaded: None,
            variant: None,
            preset: None,
            overrides: Vec::new(),
            chess960: false,
        }
    }
}

impl Settings {
    /// Every option that is offered.
    pub fn specs() -> Vec<OptionSpec> {
        use Audience::{All, Uci, XBoard};
        use OptionKind::{Button, Check, Combo, File, Spin, Text};
        let spec = |name, kind, audience| OptionSpec { name, kind, audience };
        let first = Settings::default();
        let mut presets = vec![STANDARD];
        presets.extend(Rules::PRESETS.iter().map(|(name, _)| *name));
        let mut specs = vec![
            spec("UCI_Variant", Combo("crazyhouse", Variant::NAMES.to_vec()), Uci),
            spec("Hash", Spin(first.hash as i64, 1, MOST_HASH), All),
            spec("Threads", Spin(first.threads as i64, 1, MOST_THREADS.into()), All),
            spec("MultiPV", Spin(1, 1, 256), All),
            spec("Ponder", Check(false), Uci),
            spec("Move Overhead", Spin(first.overhead as i64, 0, 5000), All),
            spec("Clear Hash", Button, All),
            spec("Debug Log File", File, All),
            spec("Use NNUE", Check(true), All),
            spec("EvalFile", File, All),
            spec("UCI_AnalyseMode", Check(false), Uci),
            spec("UCI_ShowWDL", Check(false), Uci),
            spec("UCI_Chess960", Check(false), Uci),
            spec("UCI_TwoBoard", Check(false), Uci),
            spec("UCI_Seat", Combo("mover", Player::NAMES.map(|(name, _)| name).to_vec()), Uci),
            spec("Resign", Check(false), XBoard),
            spec("TeamPlay", Check(true), All),
            spec("TradeWorth", Check(Parts::ALL.trade_worth), All),
            spec("Arrivals", Check(Parts::ALL.arrivals), All),
            spec("Waiting", Check(Parts::ALL.waiting), All),
            spec("Talk", Check(Parts::ALL.talk), All),
            spec(
                "TeamMessageMode",
                Combo("full", MessageMode::NAMES.map(|(name, _)| name).to_vec()),
                All,
            ),
            spec("Rules", Combo(STANDARD, presets), All),
        ];
        for (name, values) in Rules::OPTIONS {
            let kind = match name {
                "move_cap" => Text(PRESET),
                _ => Combo(PRESET, std::iter::once(PRESET).chain(values.iter().copied()).collect()),
            };
            specs.push(spec(name, kind, All));
        }
        specs
    }

    fn variant(&self) -> Variant {
        let preset = self.preset.map(|preset| preset.variant);
        self.variant.or(preset).unwrap_or(Variant::Crazyhouse)
    }

    /// The parts of team play that are on.
    pub fn parts(&self) -> Parts {
        if self.team_play { self.team_parts } else { Parts::NONE }
    }

    fn part(&mut self, name: &str) -> &mut bool {
        let parts = &mut self.team_parts;
        match name {
            "TradeWorth" => &mut parts.trade_worth,
            "Arrivals" => &mut parts.arrivals,
            "Waiting" => &mut parts.waiting,
            _ => &mut parts.talk,
        }
    }

    /// The rules in force.
    pub fn rules(&self) -> Rules {
        let variant = self.variant();
        let preset = self.preset.filter(|preset| preset.variant == variant);
        let mut rules = preset.unwrap_or(Rules::of(variant));
        for (option, value) in &self.overrides {
            // An option that means nothing in this variant waits for one where it does.
            let _ = rules.set(option, value);
        }
        rules.chess960 = self.chess960;
        if self.analyse {
            rules.move_cap = None;
        }
        rules
    }

    /// The rules of two boards: those in force, or plain bughouse where another variant is set.
    pub fn table_rules(&self) -> Rules {
        let mut table = self.clone();
        table.variant = Some(Variant::Bughouse);
        table.rules()
    }

    /// What judges positions.
    pub fn networks(&self) -> Networks {
        if !self.use_networks {
            return Networks::none();
        }
        let mut networks = Networks::embedded();
        if let Some(network) = &self.loaded {
            for variant in [Variant::Crazyhouse, Variant::Bughouse] {
                networks.set(variant, Some(Arc::clone(network)));
            }
        }
        networks
    }

    /// Names the variant; a preset of another variant is left aside.
    pub fn set_variant(&mut self, variant: Variant, chess960: bool) {
        self.variant = Some(variant);
        self.chess960 = chess960;
    }

    /// Sets an option by the name and value a client sends.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Change, OptionError> {
        let value = value.unwrap_or_default().trim();
        let known = name.trim().to_ascii_lowercase();
        match known.as_str() {
            // Old dialects, and what Hivemind's clients send.
            "uci_crazyhouse" => {
                let on = check("UCI_Crazyhouse", value)?;
                self.variant = Some(if on { Variant::Crazyhouse } else { Variant::Chess });
                return Ok(Change::Rules);
            }
            "team" => {
                self.player = match value.to_ascii_lowercase().as_str() {
                    "white" => Player::Team(Team::One),
                    "black" => Player::Team(Team::Two),
                    _ => return Err(refused("Team", value, "white or black".into())),
                };
                return Ok(Change::Stored);
            }
            "mode" | "uci_opponent" | "ponder" => return Ok(Change::Stored),
            _ => {}
        }
        let specs = Settings::specs();
        // CECP's clients are told names without blanks.
        let same =
            |name: &str| name.to_ascii_lowercase().replace(' ', "_") == known.replace(' ', "_");
        let Some(spec) = specs.iter().find(|spec| same(spec.name)) else {
            return Err(OptionError::Unknown(shorten(name)));
        };
        self.apply(spec, value)
    }

    fn apply(&mut self, spec: &OptionSpec, value: &str) -> Result<Change, OptionError> {
        let name = spec.name;
        let number = || spin(spec, value);
        Ok(match name {
            "Hash" => {
                self.hash = number()?;
                Change::Hash
            }
            "Threads" => {
                self.threads = number()?;
                Change::Threads
            }
            "MultiPV" => {
                self.multipv = number()?;
                Change::Stored
            }
            "Move Overhead" => {
                self.overhead = number()? as u64;
                Change::Stored
            }
            "Clear Hash" => Change::Clear,
            "Debug Log File" => {
                self.log = if value == "<empty>" { String::new() } else { value.to_string() };
                Change::Log
            }
            "Use NNUE" => {
                self.use_networks = check(name, value)?;
                Change::Networks
            }
            "EvalFile" => {
                let named = !matches!(value, "" | "<empty>");
                self.loaded = named.then(|| network(value)).transpose()?;
                Change::Networks
            }
            "UCI_ShowWDL" => {
                self.show_wdl = check(name, value)?;
                Change::Stored
            }
            "UCI_TwoBoard" => {
                self.two_board = check(name, value)?;
                Change::Stored
            }
            "Resign" => {
                self.resign = check(name, value)?;
                Change::Stored
            }
            "TeamPlay" => {
                self.team_play = check(name, value)?;
                Change::Stored
            }
            "TradeWorth" | "Arrivals" | "Waiting" | "Talk" => {
                let on = check(name, value)?;
                *self.part(name) = on;
                Change::Stored
            }
            "TeamMessageMode" => {
                let names = MessageMode::NAMES;
                let found = names.iter().find(|(text, _)| text.eq_ignore_ascii_case(value));
                self.message_mode = found
                    .map(|(_, mode)| *mode)
                    .ok_or_else(|| refused(name, value, names.map(|(text, _)| text).join(", ")))?;
                Change::Stored
            }
            "UCI_AnalyseMode" => {
                self.analyse = check(name, value)?;
                Change::Rules
            }
            "UCI_Chess960" => {
                self.chess960 = check(name, value)?;
                Change::Rules
            }
            "UCI_Variant" => {
                let variant = Variant::from_str(&value.to_ascii_lowercase())
                    .map_err(|()| refused(name, value, Variant::NAMES.join(", ")))?;
                self.variant = Some(variant);
                Change::Rules
            }
            "UCI_Seat" => {
                let found = Player::NAMES.iter().find(|(text, _)| text.eq_ignore_ascii_case(value));
                self.player = found.map(|(_, player)| *player).ok_or_else(|| {
                    refused(name, value, Player::NAMES.map(|(text, _)| text).join(", "))
                })?;
                Change::Stored
            }
            "Rules" if value == STANDARD => {
                self.preset = None;
                Change::Rules
            }
            "Rules" => {
                self.preset = Some(Rules::preset(value)?);
                Change::Rules
            }
            rule => self.set_rule(rule, value)?,
        })
    }

    fn set_rule(&mut self, option: &'static str, value: &str) -> Result<Change, OptionError> {
        if !(value == PRESET || value.is_empty()) {
            // Bughouse takes every option, so this judges the value alone.
            Rules::BUGHOUSE.clone_with(option, value)?;
        }
        self.overrides.retain(|(name, _)| *name != option);
        if !(value == PRESET || value.is_empty()) {
            self.overrides.push((option, value.to_string()));
        }
        Ok(Change::Rules)
    }
}

trait CloneWith {
    fn clone_with(self, option: &str, value: &str) -> Result<Rules, RulesError>;
}

impl CloneWith for Rules {
    fn clone_with(mut self, option: &str, value: &str) -> Result<Rules, RulesError> {
        self.set(option, value)?;
        Ok(self)
    }
}

/// Long or unprintable text is no use in a message.
fn shorten(text: &str) -> String {
    text.chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn refused(name: &'static str, value: &str, takes: String) -> OptionError {
    OptionError::Value { name, value: shorten(value), takes }
}

/// Reads a network file.
fn network(path: &str) -> Result<Arc<Network>, OptionError> {
    let refused = |reason: String| OptionError::Network { path: shorten(path), reason };
    let bytes = fs::read(path).map_err(|error| refused(error.to_string()))?;
    Network::from_bytes(&bytes).map(Arc::new).map_err(|error| refused(error.to_string()))
}

fn check(name: &'static str, value: &str) -> Result<bool, OptionError> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" | "on" => Ok(true),
        "false" | "0" | "off" => Ok(false),
        _ => Err(refused(name, value, "true or false".into())),
    }
}

fn spin(spec: &OptionSpec, value: &str) -> Result<usize, OptionError> {
    let OptionKind::Spin(_, min, max) = spec.kind else {
        return Err(refused(spec.name, value, "no number".into()));
    };
    value
        .parse::<i64>()
        .ok()
        .filter(|n| (min..=max).contains(n))
        .and_then(|n| usize::try_from(n).ok())
        .ok_or_else(|| refused(spec.name, value, format!("a number from {min} to {max}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offered_value_is_taken() {
        let mut settings = Settings::default();
        for spec in Settings::specs() {
            let values: Vec<String> = match &spec.kind {
                OptionKind::Check(_) => vec!["true".into(), "false".into()],
                OptionKind::Spin(first, min, max) => {
                    [first, min, max].map(ToString::to_string).to_vec()
                }
                OptionKind::Combo(_, values) => values.iter().map(ToString::to_string).collect(),
                OptionKind::Text(first) => vec![first.to_string(), String::new(), "500".into()],
                OptionKind::File | OptionKind::Button => vec![String::new()],
            };
            for value in values {
                let result = settings.set(spec.name, Some(&value));
                assert!(result.is_ok(), "{} = {value}: {result:?}", spec.name);
            }
        }
    }

    #[test]
    fn bad_values_are_named_and_change_nothing() {
        let mut settings = Settings::default();
        let mut error = |name: &str, value: &str| {
            settings.set(name, Some(value)).expect_err("an error").to_string()
        };
        assert_eq!(
            error("Hash", "banana"),
            "option Hash cannot be 'banana': it takes a number from 1 to 131072"
        );
        assert_eq!(error("Hush", "3"), "unknown option 'Hush'");
        assert!(error("UCI_Variant", "atomic").contains("chess, crazyhouse, bughouse"));
        assert!(error("promotion", "sideways").contains("sideways"));
        assert_eq!(settings.hash, 16);
    }

    #[test]
    fn networks_can_be_left_out_and_bad_files_are_refused() {
        let mut settings = Settings::default();
        let has = |settings: &Settings| settings.networks().get(Variant::Crazyhouse).is_some();
        assert!(has(&settings) && settings.networks().get(Variant::Chess).is_none());
        settings.set("Use NNUE", Some("false")).expect("a check");
        assert!(!has(&settings));
        settings.set("Use_NNUE", Some("true")).expect("a check");
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let error = settings.set("EvalFile", Some(file)).expect_err("no network").to_string();
        assert!(error.contains("EvalFile") && error.contains("KLOTZNET"), "{error}");
        assert!(settings.set("EvalFile", Some("no such file")).is_err());
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/networks/crazyhouse.nnue");
        settings.set("EvalFile", Some(file)).expect("a network");
        assert!(settings.networks().get(Variant::Bughouse).is_some());
        settings.set("EvalFile", Some("<empty>")).expect("none");
        assert!(has(&settings));
    }

    #[test]
    fn rules_follow_variant_preset_and_single_options() {
        let mut settings = Settings::default();
        settings.set("promotion", Some("exchange")).expect("taken in advance");
        assert_eq!(settings.rules(), Rules::CRAZYHOUSE);
        settings.set("Rules", Some("bughouse-otb")).expect("a preset");
        assert!(settings.rules().dropped_rook_castles);
        assert_eq!(settings.rules().get("promotion").as_deref(), Some("exchange"));
        settings.set("UCI_Variant", Some("chess")).expect("a variant");
        assert_eq!(settings.rules(), Rules::CHESS);
        assert_eq!(settings.table_rules().variant, Variant::Bughouse);
        settings.set("promotion", Some(PRESET)).expect("back to the preset");
        settings.set("UCI_Crazyhouse", Some("true")).expect("the old name");
        assert_eq!(settings.rules(), Rules::CRAZYHOUSE);
    }
}
