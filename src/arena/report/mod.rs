//! The HTML report: one page that needs nothing else, with tables, curves and a replay.

mod curves;

use std::fmt::Write as _;

use serde_json::json;

use super::stats::Estimate;
use super::tournament::Config;
use super::tournament::score::{Results, against_all, duel_text, forfeits_text};

/// Games that can be replayed; a page with more would be too heavy to open.
const REPLAYS: usize = 500;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// Text inside HTML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A self-contained page.
pub fn html(config: &Config, results: &Results) -> String {
    let title = escape(&config.event.0);
    let mut body = format!("<h1>{title}</h1>\n");
    let _ = writeln!(
        body,
        "<p>{} of {} sides, {} games played.</p>",
        escape(super::tournament::book::variant_name(config.rules)),
        config.teams.len(),
        results.games.len()
    );
    body += &standings(config, results);
    if config.teams.len() > 2 {
        body += &cross_table(config, results);
    } else {
        let text = escape(&duel_text(config, results, 0, 1));
        let _ = writeln!(body, "<pre>{text}</pre>");
    }
    for (caption, svg) in curves::all(config, results) {
        let _ = writeln!(body, "<figure><figcaption>{caption}</figcaption>{svg}</figure>");
    }
    body += &endings(config, results);
    body += &replay(config, results);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn number(x: f64) -> String {
    if x.is_finite() { format!("{x:.1}") } else { "–".to_string() }
}

/// The standings with a bar for each Elo interval on one common scale.
fn standings(config: &Config, results: &Results) -> String {
    let lines = results.standings(config);
    let estimates: Vec<Option<Estimate>> =
        lines.iter().map(|line| against_all(config, results, line.side)).collect();
    let finite = |e: &Option<Estimate>| e.filter(|e| e.value.is_finite());
    let reach = estimates
        .iter()
        .filter_map(finite)
        .map(|e| e.value.abs() + if e.error.is_finite() { e.error } else { 0.0 })
        .fold(50.0, f64::max);
    let mut html = String::from(
        "<h2>Standings</h2>\n<div class=\"wide\"><table><thead><tr><th>#</th><th>Side</th>\
         <th>Points</th><th>Games</th><th>+</th><th>=</th><th>−</th><th>Forfeits</th><th>Elo</th>\
         <th>±</th><th>95 % interval</th></tr></thead><tbody>\n",
    );
    for (rank, (line, estimate)) in lines.iter().zip(&estimates).enumerate() {
        let bar = finite(estimate).map_or(String::new(), |e| {
            let x = |elo: f64| 100.0 + 96.0 * (elo / reach).clamp(-1.0, 1.0);
            let error = if e.error.is_finite() { e.error } else { reach };
            format!(
                "<svg class=\"bar\" viewBox=\"0 0 200 16\" role=\"img\" aria-label=\"Elo interval\">\
                 <line class=\"axis\" x1=\"100\" y1=\"0\" x2=\"100\" y2=\"16\"/>\
                 <line class=\"span\" x1=\"{:.1}\" y1=\"8\" x2=\"{:.1}\" y2=\"8\"/>\
                 <circle cx=\"{:.1}\" cy=\"8\" r=\"4\"/></svg>",
                x(e.value - error),
                x(e.value + error),
                x(e.value)
            )
        });
        let tally = line.tally;
        let _ = writeln!(
            html,
            "<tr><td>{}</td><th scope=\"row\">{}</th><td>{:.1}</td><td>{}</td><td>{}</td><td>{}</td>\
             <td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{bar}</td></tr>",
            rank + 1,
            escape(&config.teams[line.side].name),
            line.half_points as f64 / 2.0,
            tally.games(),
            tally.wins,
            tally.draws,
            tally.losses,
            line.forfeits,
            estimate.map_or("–".to_string(), |e| number(e.value)),
            estimate.map_or("–".to_string(), |e| number(e.error)),
        );
    }
    html + "</tbody></table></div>\n"
}

fn cross_table(config: &Config, results: &Results) -> String {
    let order: Vec<usize> = results.standings(config).iter().map(|line| line.side).collect();
    let mut html =
        String::from("<h2>Cross table</h2>\n<div class=\"wide\"><table><thead><tr><th>Side</th>");
    for (rank, _) in order.iter().enumerate() {
        let _ = write!(html, "<th>{}</th>", rank + 1);
    }
    html.push_str("</tr></thead><tbody>\n");
    for (rank, &side) in order.iter().enumerate() {
        let name = escape(&config.teams[side].name);
        let _ = write!(html, "<tr><th scope=\"row\">{}. {name}</th>", rank + 1);
        for &other in &order {
            let tally = results.tally(side, other);
            let cell = match (side == other, tally.games()) {
                (true, _) => "<td class=\"self\"></td>".to_string(),
                (_, 0) => "<td></td>".to_string(),
                (_, games) => {
                    let points = tally.wins as f64 + tally.draws as f64 / 2.0;
                    format!(
                        "<td title=\"+{} ={} −{}\">{points}/{games}</td>",
                        tally.wins, tally.draws, tally.losses
                    )
                }
            };
            html += &cell;
        }
        html += "</tr>\n";
    }
    html + "</tbody></table></div>\n"
}

fn endings(config: &Config, results: &Results) -> String {
    let mut html = String::from(
        "<h2>Endings</h2>\n<table><thead><tr><th>By</th><th>Games</th></tr></thead><tbody>\n",
    );
    for (name, count) in results.endings() {
        let _ = writeln!(html, "<tr><th scope=\"row\">{}</th><td>{count}</td></tr>", escape(name));
    }
    html += "</tbody></table>\n<h2>Forfeits</h2>\n";
    let forfeits = forfeits_text(config, results);
    html + &if forfeits.is_empty() {
        "<p>None.</p>\n".to_string()
    } else {
        format!("<pre>{}</pre>\n", escape(&forfeits))
    }
}

fn replay(config: &Config, results: &Results) -> String {
    let games: Vec<_> = results
        .games
        .values()
        .take(REPLAYS)
        .map(|game| {
            json!({
                "n": game.index + 1, "names": game.names, "result": game.result, "end": game.termination,
                "seat": game.seat, "detail": game.detail, "start": game.start, "moves": game.moves,
                "notes": game.incidents,
            })
        })
        .collect();
    let controls: Vec<_> = config
        .engines
        .iter()
        .map(|engine| (engine.name.clone(), engine.control.and_then(base_ms)))
        .collect();
    let data = json!({
        "double": super::tournament::book::is_double(config.rules), "games": games, "base": controls,
    });
    // A closing tag inside a string would end the script element.
    let data = data.to_string().replace('<', "\\u003c");
    format!(
        "<h2>Games</h2>\n<div id=\"replay\" tabindex=\"0\">\n\
         <label>Game <select id=\"game\"></select></label>\n\
         <div class=\"buttons\"><button id=\"first\" aria-label=\"start\">|◀</button>\
         <button id=\"back\" aria-label=\"back\">◀</button>\
         <button id=\"play\" aria-label=\"play\">▶ play</button>\
         <button id=\"next\" aria-label=\"forward\">▶</button>\
         <button id=\"last\" aria-label=\"end\">▶|</button>\
         <input id=\"ply\" type=\"range\" min=\"0\" value=\"0\" aria-label=\"move\"></div>\n\
         <p id=\"said\"></p>\n<div id=\"boards\"></div>\n<div id=\"moves\"></div>\n</div>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n"
    )
}

fn base_ms(control: super::clock::TimeControl) -> Option<i64> {
    match control {
        super::clock::TimeControl::Clock { base, .. } => Some(base / 1000),
        super::clock::TimeControl::PerMove(us) => Some(us / 1000),
        super::clock::TimeControl::Infinite => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_page() {
        let line = "-engine name=<script>x</script> -engine name=B&C -each tc=1 -variant bughouse";
        let tokens: Vec<String> = line.split(' ').map(String::from).collect();
        let config = Config::read(&tokens).unwrap();
        let page = html(&config, &Results::default());
        assert!(!page.contains("<script>x"), "{page}");
        assert!(page.contains("&lt;script&gt;x") && page.contains("B&amp;C"));
        assert!(page.contains("\\u003cscript>x"));
    }
}
