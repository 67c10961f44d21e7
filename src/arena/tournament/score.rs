//! What became of the games: records for files, scores, standings, and the lines scripts read.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::config::{Config, Format, TeamSpec};
use super::schedule::block_size;
use crate::arena::stats::{Counts, Estimate, Verdict};

/// A move for a replay: seat, SAN, time and clock in milliseconds, the board after it, and the
/// other board's hands when a piece crossed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayMove(
    pub usize,
    pub String,
    pub i64,
    pub i64,
    pub String,
    pub Option<(String, String)>,
);

/// A finished game as files keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its place in the tournament, counted from 0.
    pub index: usize,
    /// Its block.
    pub block: usize,
    /// Its round, counted from 1.
    pub round: usize,
    /// The side whose view the score takes.
    pub first: usize,
    /// The other side.
    pub second: usize,
    /// Whether the first side sat on WhiteA and BlackB, or had White.
    pub first_is_one: bool,
    /// Names of the players in the order of the seats.
    pub names: [String; 4],
    /// The result token from the view of WhiteA.
    pub result: String,
    /// Half points of the first side.
    pub half_points: usize,
    /// How it ended.
    pub termination: String,
    /// Whether a player failed instead of losing on the board.
    pub forfeit: bool,
    /// The seat that lost.
    pub seat: Option<String>,
    /// More about the end.
    pub detail: Option<String>,
    /// What went wrong on the way, each with its seat.
    pub incidents: Vec<String>,
    /// Start and final position.
    pub start: String,
    /// The final position.
    pub fen: String,
    /// Length in milliseconds.
    pub length_ms: i64,
    /// The moves.
    pub moves: Vec<ReplayMove>,
    /// The event log, on a virtual clock.
    pub log: Vec<String>,
    /// The record as PGN or BPGN.
    pub record: String,
}

/// The games of a tournament in order, with what is counted of them.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Games by their place.
    pub games: BTreeMap<usize, GameRecord>,
    /// Byes: side and round.
    pub byes: Vec<(usize, usize)>,
}

/// Wins, draws and losses of the first side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Won.
    pub wins: u64,
    /// Lost.
    pub losses: u64,
    /// Drawn.
    pub draws: u64,
}

impl Tally {
    fn add(&mut self, half_points: usize) {
        match half_points {
            2 => self.wins += 1,
            0 => self.losses += 1,
            _ => self.draws += 1,
        }
    }

    /// Games.
    pub fn games(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// Points per game.
    pub fn ratio(&self) -> f64 {
        if self.games() == 0 {
            return 0.5;
        }
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games() as f64
    }

    fn text(&self) -> String {
        format!(
            "{} - {} - {}  [{:.3}] {}",
            self.wins,
            self.losses,
            self.draws,
            self.ratio(),
            self.games()
        )
    }
}

/// One line of the standings.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The side.
    pub side: usize,
    /// Its half points: of games, in a Swiss of encounters, since these need not be of equal length.
    pub half_points: usize,
    /// The half points of its opponents, each as often as it was met: Buchholz.
    pub buchholz: usize,
    /// Half points of its games.
    pub game_points: usize,
    /// Its games.
    pub tally: Tally,
    /// Games lost by failing.
    pub forfeits: u64,
}

impl Results {
    /// The games of two sides from the view of the first.
    pub fn tally(&self, first: usize, second: usize) -> Tally {
        let mut tally = Tally::default();
        for game in self.games.values() {
            if (game.first, game.second) == (first, second) {
                tally.add(game.half_points);
            } else if (game.first, game.second) == (second, first) {
                tally.add(2 - game.half_points);
            }
        }
        tally
    }

    /// Whole blocks of two sides, in their order, from the view of the first.
    pub fn blocks(&self, config: &Config, first: usize, second: usize) -> Vec<usize> {
        let mut blocks: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for game in self.games.values() {
            if (game.first, game.second) == (first, second) {
                blocks.entry(game.block).or_default().push(game.half_points);
            } else if (game.first, game.second) == (second, first) {
                blocks.entry(game.block).or_default().push(2 - game.half_points);
            }
        }
        let encounter = super::schedule::Encounter { round: 1, first, second };
        let size = block_size(config, &encounter);
        blocks.into_values().filter(|b| b.len() == size).map(|b| b.iter().sum()).collect()
    }

    /// The blocks of two sides as counts.
    pub fn counts(&self, config: &Config, first: usize, second: usize) -> Counts {
        let encounter = super::schedule::Encounter { round: 1, first, second };
        let mut counts = Counts::new(block_size(config, &encounter));
        self.blocks(config, first, second).into_iter().for_each(|half| counts.add(half));
        counts
    }

    /// All sides, the best first: points, Buchholz, then the order of the list.
    pub fn standings(&self, config: &Config) -> Vec<Standing> {
        let mut standings: Vec<Standing> = (0..config.teams.len())
            .map(|side| Standing {
                side,
                half_points: 0,
                buchholz: 0,
                game_points: 0,
                tally: Tally::default(),
                forfeits: 0,
            })
            .collect();
        for game in self.games.values() {
            for (side, half) in
                [(game.first, game.half_points), (game.second, 2 - game.half_points)]
            {
                let Some(line) = standings.get_mut(side) else { continue };
                line.game_points += half;
                line.tally.add(half);
                line.forfeits += u64::from(game.forfeit && half == 0);
            }
        }
        let encounters = self.encounters();
        if config.format == Format::Swiss {
            for score in encounters.values() {
                let (first, second) = score.half_points(config);
                standings[score.first].half_points += first;
                standings[score.second].half_points += second;
            }
            for &(side, _) in &self.byes {
                standings[side].half_points += 2;
            }
        } else {
            standings.iter_mut().for_each(|line| line.half_points = line.game_points);
        }
        let points: Vec<usize> = standings.iter().map(|line| line.half_points).collect();
        for score in encounters.values() {
            standings[score.first].buchholz += points[score.second];
            standings[score.second].buchholz += points[score.first];
        }
        standings.sort_by_key(|l| (std::cmp::Reverse((l.half_points, l.buchholz)), l.side));
        standings
    }

    /// What the games of each block add up to.
    fn encounters(&self) -> BTreeMap<usize, EncounterScore> {
        let mut encounters: BTreeMap<usize, EncounterScore> = BTreeMap::new();
        for game in self.games.values() {
            let (first, second) = (game.first, game.second);
            let score = encounters.entry(game.block).or_insert(EncounterScore {
                first,
                second,
                games: 0,
                half_points: 0,
            });
            score.games += 1;
            score.half_points += game.half_points;
        }
        encounters
    }

    /// Endings by their names.
    pub fn endings(&self) -> BTreeMap<&str, usize> {
        let mut endings = BTreeMap::new();
        for game in self.games.values() {
            *endings.entry(game.termination.as_str()).or_default() += 1;
        }
        endings
    }
}

/// The games of one encounter, from the view of its first side.
struct EncounterScore {
    first: usize,
    second: usize,
    games: usize,
    half_points: usize,
}

impl EncounterScore {
    /// Half points of both sides for an encounter won, drawn or lost; nothing while it is played.
    fn half_points(&self, config: &Config) -> (usize, usize) {
        let encounter =
            super::schedule::Encounter { round: 1, first: self.first, second: self.second };
        if self.games < block_size(config, &encounter) {
            return (0, 0);
        }
        match self.half_points.cmp(&self.games) {
            Ordering::Greater => (2, 0),
            Ordering::Equal => (1, 1),
            Ordering::Less => (0, 2),
        }
    }
}

fn plus_minus(estimate: Option<Estimate>) -> String {
    match estimate {
        Some(Estimate { value, error }) if value.is_finite() && error.is_finite() => {
            let value = if value.abs() < 0.05 { 0.0 } else { value };
            format!("{value:.1} +/- {error:.1}")
        }
        Some(Estimate { value, .. }) if value.is_infinite() => {
            format!("{} +/- nan", if value > 0.0 { "inf" } else { "-inf" })
        }
        Some(Estimate { value, .. }) => format!("{value:.1} +/- nan"),
        None => "nan +/- nan".to_string(),
    }
}

/// The lines about two sides, as other runners print them.
pub fn duel_text(config: &Config, results: &Results, first: usize, second: usize) -> String {
    let name = |side: usize| config.teams[side].name.as_str();
    let tally = results.tally(first, second);
    let counts = results.counts(config, first, second);
    let mut text = format!("Score of {} vs {}: {}\n", name(first), name(second), tally.text());
    let side = |one: bool| {
        let mut tally = Tally::default();
        let own = results.games.values().filter(|g| (g.first, g.second) == (first, second));
        own.filter(|g| g.first_is_one == one).for_each(|g| tally.add(g.half_points));
        tally
    };
    if !super::book::is_double(config.rules) {
        let _ = writeln!(text, "...      {} playing White: {}", name(first), side(true).text());
        let _ = writeln!(text, "...      {} playing Black: {}", name(first), side(false).text());
    }
    let draws =
        if tally.games() == 0 { 0.0 } else { 100.0 * tally.draws as f64 / tally.games() as f64 };
    let los = counts.los().map_or("nan".to_string(), |los| format!("{:.1}", 100.0 * los));
    let _ = writeln!(
        text,
        "Elo difference: {}, LOS: {los} %, DrawRatio: {draws:.1} %",
        plus_minus(counts.elo())
    );
    let _ = writeln!(text, "Normalized Elo: {}", plus_minus(counts.nelo()));
    if counts.games_per_block() > 1 {
        let _ = writeln!(text, "Ptnml(0-{}): {:?}", counts.counts().len() - 1, counts.counts());
    }
    if let Some(sprt) = &config.sprt {
        let (llr, verdict) = sprt.judge(&counts);
        let (lower, upper) = sprt.bounds();
        let part = 100.0 * if llr >= 0.0 { llr / upper } else { llr / lower };
        let accepted = match verdict {
            Verdict::Open => "",
            Verdict::H0 => " - H0 was accepted",
            Verdict::H1 => " - H1 was accepted",
        };
        let _ = writeln!(
            text,
            "SPRT: llr {llr:.2} ({part:.1}%), lbound {lower:.2}, ubound {upper:.2}{accepted}"
        );
    }
    text
}

/// The whole table of a tournament of many.
pub fn table_text(config: &Config, results: &Results) -> String {
    let width = config.teams.iter().map(|t| t.name.chars().count()).max().unwrap_or(4).max(4);
    let standings = results.standings(config);
    let swiss = config.format == Format::Swiss;
    let mut text = format!(
        "{:>4} {:<width$} {:>8} {:>7} {:>6} {:>5} {:>5} {:>5} {:>8}{}\n",
        "Rank",
        "Name",
        "Elo",
        "+/-",
        "Games",
        "Won",
        "Drawn",
        "Lost",
        "Points",
        if swiss { "  Buchholz  Rating" } else { "" }
    );
    for (rank, line) in standings.iter().enumerate() {
        let estimate = against_all(config, results, line.side);
        let number = |x: f64| match x.is_finite() {
            true => format!("{:.0}", if x.abs() < 0.5 { 0.0 } else { x }),
            false => "-".to_string(),
        };
        let _ = write!(
            text,
            "{:>4} {:<width$} {:>8} {:>7} {:>6} {:>5} {:>5} {:>5} {:>8.1}",
            rank + 1,
            config.teams[line.side].name,
            estimate.map_or("-".to_string(), |e| number(e.value)),
            estimate.map_or("-".to_string(), |e| number(e.error)),
            line.tally.games(),
            line.tally.wins,
            line.tally.draws,
            line.tally.losses,
            line.half_points as f64 / 2.0
        );
        if swiss {
            let rating = config.teams[line.side].rating.map_or("-".to_string(), |r| r.to_string());
            let _ = write!(text, "  {:>8.1}  {rating:>6}", line.buchholz as f64 / 2.0);
        }
        text.push('\n');
    }
    for prize in prizes(config, &standings) {
        text += &prize;
        text.push('\n');
    }
    text
}

/// A side against all others together.
pub fn against_all(config: &Config, results: &Results, side: usize) -> Option<Estimate> {
    let mut counts: Option<Counts> = None;
    for other in (0..config.teams.len()).filter(|other| *other != side) {
        for half in results.blocks(config, side, other) {
            let own = results.counts(config, side, other).games_per_block();
            let counts = counts.get_or_insert_with(|| Counts::new(own));
            if counts.games_per_block() == own {
                counts.add(half);
            }
        }
    }
    counts?.elo()
}

/// The best of the prize classes in a Swiss: teams by the sum of their members' ratings.
pub fn prizes(config: &Config, standings: &[Standing]) -> Vec<String> {
    if config.format != Format::Swiss {
        return Vec::new();
    }
    let best = |(class, limit): (&str, u32)| {
        let fits = |team: &TeamSpec| team.rating.is_some_and(|rating| rating < limit);
        let best = standings.iter().find(|line| fits(&config.teams[line.side]))?;
        Some(format!("Best team {class}: {}", config.teams[best.side].name))
    };
    [("below 4000", 4000), ("below 3200", 3200)].into_iter().filter_map(best).collect()
}

/// Failures by side and kind.
pub fn forfeits_text(config: &Config, results: &Results) -> String {
    let mut lines: BTreeMap<(usize, &str, &str), usize> = BTreeMap::new();
    for game in results.games.values().filter(|g| g.forfeit) {
        let loser = if game.half_points == 0 { game.first } else { game.second };
        let seat = game.seat.as_deref().unwrap_or("-");
        *lines.entry((loser, seat, &game.termination)).or_default() += 1;
    }
    let mut text = String::new();
    for ((side, seat, kind), count) in lines {
        let _ = writeln!(text, "Forfeits: {} on {seat}: {kind} x {count}", config.teams[side].name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(index: usize, block: usize, sides: (usize, usize), half_points: usize) -> GameRecord {
        GameRecord {
            index,
            block,
            round: 1,
            first: sides.0,
            second: sides.1,
            first_is_one: true,
            names: Default::default(),
            result: String::new(),
            half_points,
            termination: String::new(),
            forfeit: false,
            seat: None,
            detail: None,
            incidents: Vec::new(),
            start: String::new(),
            fen: String::new(),
            length_ms: 0,
            moves: Vec::new(),
            log: Vec::new(),
            record: String::new(),
        }
    }

    /// Block by block the half points of the first side's games.
    fn results(blocks: &[((usize, usize), &[usize])]) -> Results {
        let mut results = Results::default();
        for (block, &(sides, games)) in blocks.iter().enumerate() {
            for &half in games {
                let index = results.games.len();
                results.games.insert(index, game(index, block, sides, half));
            }
        }
        results
    }

    fn points(config: &Config, results: &Results) -> Vec<(usize, usize, usize)> {
        let lines = results.standings(config);
        lines.iter().map(|line| (line.side, line.half_points, line.buchholz)).collect()
    }

    fn config(format: &str) -> Config {
        let line = format!(
            "-variant bughouse -each nodes=1 tc=1 -clock virtual -tournament {format} \
             -engine name=x -engine name=y -team name=A a=x b=x -team name=B a=y b=y \
             -team name=C a=y b=y -team name=D a=x b=y"
        );
        let tokens: Vec<String> = line.split_whitespace().map(String::from).collect();
        Config::read(&tokens).unwrap()
    }

    #[test]
    fn in_a_swiss_an_encounter_counts_once_however_long_it_is() {
        let config = config("swiss");
        let side = |name: &str| config.teams.iter().position(|t| t.name == name).unwrap();
        let [a, b, c, d] = ["A", "B", "C", "D"].map(side);
        // The mixed team D plays four games where the others play two.
        let mut games = results(&[((a, b), &[2, 2]), ((c, d), &[2, 0, 0, 0])]);
        assert_eq!(points(&config, &games), [(a, 2, 0), (d, 2, 0), (b, 0, 2), (c, 0, 2)]);
        // One that is still played counts for nobody, and a bye is an encounter won.
        games.games.pop_last();
        games.byes.push((b, 1));
        assert_eq!(points(&config, &games), [(a, 2, 2), (b, 2, 2), (c, 0, 0), (d, 0, 0)]);
    }

    #[test]
    fn elsewhere_every_game_counts() {
        let config = config("round-robin");
        let games = results(&[((0, 1), &[2, 1]), ((0, 2), &[2, 0])]);
        assert_eq!(points(&config, &games)[..2], [(0, 5, 3), (2, 2, 5)]);
    }
}
