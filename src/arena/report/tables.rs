//! Tables of the report: conditions, standings, who did what against whom, endings, incidents.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape;
use crate::arena::stats::Estimate;
use crate::arena::table::Driver;
use crate::arena::tournament::book::{is_double, variant_name};
use crate::arena::tournament::config::{Config, Format};
use crate::arena::tournament::score::{Results, Tally, against_all, forfeits_text, prizes};
use crate::rules::Rules;

/// More kinds of incidents than these are a broken engine, not something to read.
const INCIDENTS: usize = 50;

/// What was played, by which rules, on whose time.
pub(super) fn conditions(config: &Config, results: &Results) -> String {
    let format = match config.format {
        Format::RoundRobin if config.teams.len() == 2 => "match",
        Format::RoundRobin => "round robin",
        Format::Gauntlet => "gauntlet",
        Format::Swiss => "Swiss",
    };
    let mut facts = vec![format!(
        "{}, {format} of {} sides, {} games played",
        variant_name(config.rules),
        config.teams.len(),
        results.games.len()
    )];
    // Engines with the same limits are named together.
    let mut limits: Vec<(String, Vec<&str>)> = Vec::new();
    for engine in &config.engines {
        let control = engine.control.map(|control| control.to_string());
        let depth = engine.limits.depth.map(|plies| format!("depth {plies}"));
        let nodes = engine.limits.nodes.map(|nodes| format!("{nodes} nodes"));
        let all: Vec<String> = [control, depth, nodes].into_iter().flatten().collect();
        let all = if all.is_empty() { "no limit".to_string() } else { all.join(", ") };
        match limits.iter_mut().find(|(known, _)| *known == all) {
            Some((_, names)) => names.push(&engine.name),
            None => limits.push((all, vec![&engine.name])),
        }
    }
    facts.push(match limits.as_slice() {
        [(all, _)] => format!("{all} for everyone"),
        several => {
            let one = |(all, names): &(String, Vec<&str>)| format!("{all}: {}", names.join(", "));
            several.iter().map(one).collect::<Vec<_>>().join("; ")
        }
    });
    if let Driver::Virtual { rate, latency, .. } = config.driver {
        facts.push(format!("virtual clock of {rate} nodes/s and {} ms a move", latency / 1000));
    }
    if let Some(openings) = &config.openings {
        let order = if openings.random { "random" } else { "sequential" };
        let file = openings.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        facts.push(format!("openings from {file}, {order} order, seed {}", config.seed));
    }
    let preset = match config.rules.variant {
        crate::rules::Variant::Bughouse => Rules::BUGHOUSE,
        crate::rules::Variant::Crazyhouse => Rules::CRAZYHOUSE,
        crate::rules::Variant::Chess => Rules::CHESS,
    };
    let changed: Vec<String> = Rules::OPTIONS
        .iter()
        .filter_map(|(name, _)| Some((name, config.rules.get(name)?)))
        .filter(|(name, value)| preset.get(name).as_ref() != Some(value))
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if !changed.is_empty() {
        facts.push(format!("rules: {}", changed.join(", ")));
    }
    let moves: usize = results.games.values().map(|game| game.moves.len()).sum();
    if let Some(mean) = moves.checked_div(results.games.len()) {
        facts.push(format!("{mean} single moves a game on average"));
    }
    let items = facts.iter().map(|fact| format!("<li>{}</li>\n", escape(fact)));
    format!("<ul class=\"facts\">\n{}</ul>\n", items.collect::<String>())
}

fn number(x: f64) -> String {
    match x.is_finite() {
        // A zero has no sign.
        true => format!("{:.1}", if x.abs() < 0.05 { 0.0 } else { x }),
        false => "–".to_string(),
    }
}

/// A line of standings' Elo interval on a scale that all lines share.
fn bar(estimate: Estimate, reach: f64) -> String {
    let x = |elo: f64| 100.0 + 96.0 * (elo / reach).clamp(-1.0, 1.0);
    let error = if estimate.error.is_finite() { estimate.error } else { reach };
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 200 16\" role=\"img\" aria-label=\"Elo interval\">\
         <line class=\"axis\" x1=\"100\" y1=\"0\" x2=\"100\" y2=\"16\"/>\
         <line class=\"span\" x1=\"{:.1}\" y1=\"8\" x2=\"{:.1}\" y2=\"8\"/>\
         <circle cx=\"{:.1}\" cy=\"8\" r=\"4\"/></svg>",
        x(estimate.value - error),
        x(estimate.value + error),
        x(estimate.value)
    )
}

/// The standings with a bar for each Elo interval; in a Swiss with what breaks ties and wins prizes.
pub(super) fn standings(config: &Config, results: &Results) -> String {
    let lines = results.standings(config);
    let swiss = config.format == Format::Swiss;
    let estimates: Vec<Option<Estimate>> =
        lines.iter().map(|line| against_all(config, results, line.side)).collect();
    let finite = |e: &Option<Estimate>| e.filter(|e| e.value.is_finite());
    let reach = estimates
        .iter()
        .filter_map(finite)
        .map(|e| e.value.abs() + if e.error.is_finite() { e.error } else { 0.0 })
        .fold(50.0, f64::max);
    let mut html = format!(
        "<h2>Standings</h2>\n<div class=\"wide\"><table><thead><tr><th>#</th><th>Side</th>\
         <th>Points</th>{}<th>Games</th><th>+</th><th>=</th><th>−</th><th>Forfeits</th><th>Elo</th>\
         <th>±</th><th>95 % interval</th></tr></thead><tbody>\n",
        if swiss { "<th>Buchholz</th><th>Rating</th>" } else { "" }
    );
    for (rank, (line, estimate)) in lines.iter().zip(&estimates).enumerate() {
        let tally = line.tally;
        let team = &config.teams[line.side];
        let ties = if swiss {
            let rating = team.rating.map_or("–".to_string(), |rating| rating.to_string());
            format!("<td>{:.1}</td><td>{rating}</td>", line.buchholz as f64 / 2.0)
        } else {
            String::new()
        };
        let _ = writeln!(
            html,
            "<tr><td>{}</td><th scope=\"row\">{}</th><td>{:.1}</td>{ties}<td>{}</td><td>{}</td>\
             <td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            rank + 1,
            escape(&team.name),
            line.half_points as f64 / 2.0,
            tally.games(),
            tally.wins,
            tally.draws,
            tally.losses,
            line.forfeits,
            estimate.map_or("–".to_string(), |e| number(e.value)),
            estimate.map_or("–".to_string(), |e| number(e.error)),
            finite(estimate).map_or(String::new(), |e| bar(e, reach)),
        );
    }
    html += "</tbody></table></div>\n";
    if config.teams.len() > 2 {
        html += "<p class=\"note\">Elo is the difference to the opponents met, all taken together; a \
                 dash for the error means too few lost or won blocks to tell.</p>\n";
    }
    for line in prizes(config, &lines) {
        let _ = writeln!(html, "<p>{}</p>", escape(&line));
    }
    html
}

/// Who scored what against whom. Rows are the view; a cell is tinted by its score.
pub(super) fn cross_table(config: &Config, results: &Results) -> String {
    let lines = results.standings(config);
    let mut html =
        String::from("<h2>Cross table</h2>\n<div class=\"wide\"><table><thead><tr><th>Side</th>");
    for (rank, line) in lines.iter().enumerate() {
        let name = escape(&config.teams[line.side].name);
        let _ = write!(html, "<th title=\"{name}\">{}</th>", rank + 1);
    }
    html.push_str("<th>Points</th></tr></thead><tbody>\n");
    for (rank, line) in lines.iter().enumerate() {
        let name = escape(&config.teams[line.side].name);
        let _ = write!(html, "<tr><th scope=\"row\">{}. {name}</th>", rank + 1);
        for other in &lines {
            html += &cell(line.side == other.side, results.tally(line.side, other.side));
        }
        let games = line.tally.games();
        let _ = writeln!(html, "<td>{}/{games}</td></tr>", line.game_points as f64 / 2.0);
    }
    html += "</tbody></table></div>\n";
    html + "<p class=\"note\">Points of the row's side out of the games against the column's, and below \
            them its wins, draws and losses.</p>\n"
}

fn cell(own: bool, tally: Tally) -> String {
    match (own, tally.games()) {
        (true, _) => "<td class=\"self\"></td>".to_string(),
        (_, 0) => "<td></td>".to_string(),
        (_, games) => {
            let ratio = tally.ratio();
            // Green above one half, red below, and the colour never alone: the figures say the same.
            let (hue, strength) = (if ratio >= 0.5 { 130 } else { 10 }, (ratio - 0.5).abs() * 0.9);
            format!(
                "<td style=\"background:hsl({hue} 60% 50% / {strength:.2})\">{}/{games}<br>\
                 <small>+{} ={} −{}</small></td>",
                tally.wins as f64 + tally.draws as f64 / 2.0,
                tally.wins,
                tally.draws,
                tally.losses
            )
        }
    }
}

/// How the games ended, who won by place at the table, and who failed.
pub(super) fn endings(config: &Config, results: &Results) -> String {
    let mut html = String::from(
        "<h2>Endings</h2>\n<table><thead><tr><th>By</th><th>Games</th></tr></thead><tbody>\n",
    );
    for (name, count) in results.endings() {
        let _ = writeln!(html, "<tr><th scope=\"row\">{}</th><td>{count}</td></tr>", escape(name));
    }
    html += "</tbody></table>\n";
    let count = |result: &str| results.games.values().filter(|g| g.result == result).count();
    let (one, two) = match is_double(config.rules) {
        true => ("WhiteA and BlackB", "BlackA and WhiteB"),
        false => ("White", "Black"),
    };
    if !results.games.is_empty() {
        let _ = writeln!(
            html,
            "<p>{one} won {}, {two} {}, drawn {}.</p>",
            count("1-0"),
            count("0-1"),
            count("1/2-1/2")
        );
    }
    html += "<h2>Forfeits</h2>\n";
    let forfeits = forfeits_text(config, results);
    html + &if forfeits.is_empty() {
        "<p>None.</p>\n".to_string()
    } else {
        format!("<pre>{}</pre>\n", escape(&forfeits))
    }
}

/// What went wrong without ending a game: who, what, how often, and in which game first.
pub(super) fn incidents(config: &Config, results: &Results) -> String {
    let mut all: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    for game in results.games.values() {
        for incident in &game.incidents {
            let (seat, what) = incident.split_once(": ").unwrap_or(("", incident));
            let at = crate::types::Seat::ALL.iter().position(|known| known.name() == seat);
            let who = at.map_or(seat, |at| game.names[at].as_str());
            let key = (who.to_string(), what.to_string());
            all.entry(key).or_insert((0, game.index + 1)).0 += 1;
        }
    }
    if all.is_empty() {
        return String::new();
    }
    let rest = all.len().saturating_sub(INCIDENTS);
    let mut html = format!(
        "<h2>Incidents</h2>\n<p>What went wrong without ending a game{}.</p>\n<div class=\"wide\">\
         <table><thead><tr><th>Engine</th><th>What</th><th>Times</th><th>First in game</th></tr>\
         </thead><tbody>\n",
        if is_double(config.rules) { ", on either board" } else { "" }
    );
    for ((who, what), (times, first)) in all.into_iter().take(INCIDENTS) {
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{}</th><td class=\"text\">{}</td><td>{times}</td><td>{first}</td></tr>",
            escape(&who),
            escape(&what)
        );
    }
    html += "</tbody></table></div>\n";
    if rest > 0 {
        let _ = writeln!(html, "<p>And {rest} more kinds.</p>");
    }
    html
}
