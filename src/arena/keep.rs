//! A finished game as a record: BPGN for two boards, PGN for one.

use std::time::{SystemTime, UNIX_EPOCH};

use super::clock::TimeControl;
use super::table::{Finished, TableMove};
use crate::record::bpgn::{Bpgn, RecordedMove, Stamp};
use crate::record::pgn::{Pgn, PgnMove};
use crate::rules::{Rules, Variant};
use crate::types::{Seat, Team};

/// What a record tells besides the game.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// The event's name.
    pub event: String,
    /// The place.
    pub site: String,
    /// `YYYY.MM.DD` and `HH:MM:SS`, or question marks where a date would keep a record from
    /// repeating.
    pub date: (String, String),
    /// The round, or the game's number.
    pub round: String,
    /// The players in the order of [`Seat::ALL`].
    pub names: [String; 4],
    /// The players' ratings in the same order, where known.
    pub elo: [Option<i32>; 4],
    /// The time control of each seat.
    pub control: Option<TimeControl>,
    /// The rule set.
    pub rules: Option<Rules>,
    /// Whether the game did not begin with the array.
    pub from_position: bool,
}

/// The present date and time in UTC.
pub fn date_now() -> (String, String) {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days as i64);
    (
        format!("{year:04}.{month:02}.{day:02}"),
        format!("{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60),
    )
}

/// Days since 1970 as a date: years are counted from March, so that leap days come last.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The rule set as the tag `Rules` holds it: a preset and the options that differ from it.
fn rules_tag(rules: &Rules) -> String {
    let presets = ["bughouse", "bughouse-otb", "bughouse-swedish", "crazyhouse", "chess"];
    let differs = |preset: &Rules| {
        Rules::OPTIONS
            .iter()
            .filter(|(name, _)| preset.get(name) != rules.get(name))
            .filter_map(|(name, _)| Some(format!("{name}={}", rules.get(name)?)))
            .collect::<Vec<String>>()
    };
    let best = presets
        .iter()
        .filter_map(|name| Some((name, Rules::preset(name).ok()?)))
        .filter(|(_, preset)| preset.variant == rules.variant)
        .map(|(name, preset)| (differs(&preset), name))
        .min_by_key(|(options, _)| options.len());
    match best {
        Some((options, name)) if options.is_empty() => (*name).to_string(),
        Some((options, name)) => format!("{name} {}", options.join(" ")),
        None => String::new(),
    }
}

fn common_tags(heading: &Heading, finished: &Finished) -> Vec<(String, String)> {
    let mut tags = vec![
        ("Event", heading.event.clone()),
        ("Site", heading.site.clone()),
        ("Date", heading.date.0.clone()),
        ("Time", heading.date.1.clone()),
        ("Round", heading.round.clone()),
    ];
    let control = heading.control.map_or("-".to_string(), |control| control.to_string());
    tags.push(("TimeControl", control));
    tags.push(("Result", finished.ending.result().to_string()));
    tags.push(("Termination", finished.ending.termination.name().to_string()));
    if let Some(detail) = finished.ending.detail.as_ref().filter(|d| !d.is_empty()) {
        tags.push(("TerminationDetails", detail.clone()));
    }
    tags.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

/// A bughouse match as BPGN.
pub fn bpgn(heading: &Heading, finished: &Finished) -> Bpgn {
    let mut tags = common_tags(heading, finished);
    let mut seats = Vec::new();
    for seat in Seat::ALL {
        seats.push((seat.name().to_string(), heading.names[seat.index()].clone()));
        if let Some(elo) = heading.elo[seat.index()] {
            seats.push((format!("{}Elo", seat.name()), elo.to_string()));
        }
    }
    tags.splice(5..5, seats);
    let mut tag = |name: &str, value: String| tags.push((name.to_string(), value));
    if let Some(rules) = &heading.rules {
        tag("Rules", rules_tag(rules));
    }
    if let Some(seat) = finished.ending.seat {
        tag("DecidedBoard", seat.board().to_string());
        tag("LosingSeat", seat.name().to_string());
    }
    if let Some(team) = finished.ending.winner {
        tag("WinningTeam", if team == Team::One { "1" } else { "2" }.to_string());
    }
    if heading.from_position {
        tag("SetUp", "1".to_string());
        tag("FEN", finished.start.clone());
    }
    let recorded = |mv: &TableMove| RecordedMove {
        line: 0,
        seat: mv.played.seat,
        number: mv.played.number,
        san: mv.played.san.clone(),
        stamp: heading
            .control
            .filter(|control| *control != TimeControl::Infinite)
            .map(|_| Stamp::Remaining(mv.remaining)),
    };
    // Equal engines share a name, so the words name the seat where the name would not do.
    let sentence = finished.ending.sentence(finished.ending.seat.map_or("", Seat::name));
    Bpgn {
        tags,
        moves: finished.moves.iter().map(recorded).collect(),
        comments: incidents(finished),
        ending: Some(sentence),
        result: finished.ending.result().to_string(),
        ..Bpgn::default()
    }
}

fn incidents(finished: &Finished) -> Vec<(usize, String)> {
    let before = |at| finished.moves.iter().filter(|mv| mv.at <= at).count();
    let said = finished.incidents.iter();
    said.map(|i| (before(i.at), format!("{}: {}", i.seat, i.what))).collect()
}

/// A game of one board as PGN, moves with score, depth and time as other runners write them.
pub fn pgn(heading: &Heading, finished: &Finished) -> Pgn {
    let mut tags = common_tags(heading, finished);
    let name = |seat: Seat| heading.names[seat.index()].clone();
    let mut players =
        vec![("White".to_string(), name(Seat::WhiteA)), ("Black".to_string(), name(Seat::BlackA))];
    if heading.rules.is_some_and(|rules| rules.variant == Variant::Crazyhouse) {
        players.push(("Variant".to_string(), "Crazyhouse".to_string()));
    }
    tags.splice(5..5, players);
    if heading.from_position {
        tags.push(("SetUp".to_string(), "1".to_string()));
        tags.push(("FEN".to_string(), finished.start.clone()));
    }
    tags.push(("PlyCount".to_string(), finished.moves.len().to_string()));
    let mut last_at = 0;
    let mut moves = Vec::with_capacity(finished.moves.len());
    for mv in &finished.moves {
        let seconds = (mv.at - last_at) as f64 / 1e6;
        last_at = mv.at;
        let comment = match mv.thought {
            Some((score, depth)) => format!("{}/{depth} {seconds:.3}s", shown(score)),
            None => format!("{seconds:.3}s"),
        };
        moves.push(PgnMove { san: mv.played.san.clone(), comment: Some(comment) });
    }
    let first = finished.moves.first().map(|mv| &mv.played);
    let who =
        finished.ending.seat.map_or(String::new(), |seat| heading.names[seat.index()].clone());
    Pgn {
        tags,
        moves,
        first: (first.is_some_and(|p| p.seat == Seat::BlackA), first.map_or(1, |p| p.number)),
        ending: Some(finished.ending.sentence(&who)),
        result: finished.ending.result().to_string(),
    }
}

/// A score as people read it: pawns, or moves to mate.
fn shown(score: i32) -> String {
    match score {
        31_000.. => format!("+M{}", 32_000 - score),
        ..=-31_000 => format!("-M{}", 32_000 + score),
        _ => format!("{:+.2}", f64::from(score) / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_787), (2026, 11, 30));
    }

    #[test]
    fn rules_are_told_by_preset_and_difference() {
        assert_eq!(rules_tag(&Rules::BUGHOUSE), "bughouse");
        assert_eq!(rules_tag(&Rules::BUGHOUSE_OTB), "bughouse-otb");
        let mut rules = Rules::BUGHOUSE;
        rules.set("move_cap", "100").unwrap();
        assert_eq!(rules_tag(&rules), "bughouse move_cap=100");
        assert_eq!(rules_tag(&Rules::CRAZYHOUSE), "crazyhouse");
    }
}
