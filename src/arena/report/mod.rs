//! The HTML report: one page that needs nothing else, with tables, curves and a replay.

mod curves;
mod tables;

use std::fmt::Write as _;

use serde_json::json;

use super::tournament::Config;
use super::tournament::score::{Results, duel_text};

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
    body += &tables::conditions(config, results);
    body += &tables::standings(config, results);
    if config.teams.len() > 2 {
        body += &tables::cross_table(config, results);
    } else {
        let text = escape(&duel_text(config, results, 0, 1));
        let _ = writeln!(body, "<pre>{text}</pre>");
    }
    for (caption, svg) in curves::all(config, results) {
        let _ = writeln!(body, "<figure><figcaption>{caption}</figcaption>{svg}</figure>");
    }
    body += &tables::endings(config, results);
    body += &tables::incidents(config, results);
    body += &replay(config, results);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
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
         <label>Games of <select id=\"who\"></select></label>\n\
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

    #[test]
    fn many_sides_get_a_cross_table() {
        let line =
            "-engine name=A nodes=9 -engine name=B -engine name=C -each tc=1 nodes=7 -srand 4";
        let tokens: Vec<String> = line.split(' ').map(String::from).collect();
        let config = Config::read(&tokens).unwrap();
        let page = html(&config, &Results::default());
        assert!(page.contains("crazyhouse, round robin of 3 sides"), "{page}");
        assert!(page.contains("1+0, 9 nodes: A; 1+0, 7 nodes: B, C"), "{page}");
        assert!(page.contains("<h2>Cross table</h2>"), "{page}");
    }
}
