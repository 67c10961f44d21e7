//! CECP, with the habits of the engines that play bughouse in it.
//!
//! Seen: Fairy-Stockfish reads only the last word of `holding` and as a piece that arrives, wants
//! `memory` and `cores` before `new`, and takes lines it does not know for "move now"; Sjeng reads
//! only the brackets, wants bare moves, and forgets a `variant` sent before `new`; Sunsetter knows
//! neither `ping` nor `usermove`. So nothing is sent that was not asked for by a `feature`.

use super::{Dialect, Heard, Lines, View, brackets, variant_name};
use crate::arena::clock::TimeControl;
use crate::arena::play::{Play, Played};
use crate::rules::Variant;
use crate::types::Seat;

/// The state of a CECP engine.
#[derive(Debug, Default)]
pub struct Xboard {
    name: Option<String>,
    variants: Option<Vec<String>>,
    ping: bool,
    setboard: bool,
    usermove: bool,
    named: bool,
    talks: bool,
    pings: u32,
    /// It only records moves.
    forced: bool,
    thinking: bool,
    /// What the last setup was made with, to repeat it.
    options: Vec<(String, String)>,
}

impl Xboard {
    fn feature(&mut self, rest: &str, out: &mut Lines) -> Option<Heard> {
        let mut done = None;
        for (key, value) in features(rest) {
            match key.as_str() {
                "ping" => self.ping = value == "1",
                "setboard" => self.setboard = value == "1",
                "usermove" => self.usermove = value == "1",
                "name" => self.named = value == "1",
                "myname" => self.name = Some(value),
                "variants" => {
                    let names = value.split(',').map(|v| v.trim().to_string());
                    self.variants = Some(names.collect());
                }
                "done" => done = Some(value == "1"),
                _ => {}
            }
            out.push(format!("accepted {key}"));
        }
        (done == Some(true)).then_some(Heard::Identified)
    }

    fn times(&self, view: &View<'_>, out: &mut Lines) {
        if matches!(view.control(), TimeControl::Clock { .. }) {
            out.push(format!("time {}", view.ms(view.seat) / 10));
            out.push(format!("otim {}", view.ms(view.seat.opponent()) / 10));
        }
    }

    /// A new game with the present position, in force mode.
    fn setup(&mut self, view: &View<'_>, out: &mut Lines) {
        for (name, value) in self.options.iter().filter(|(n, _)| is_command(n)) {
            out.push(format!("{name} {value}"));
        }
        out.push("new".to_string());
        if view.play.rules().variant != Variant::Chess {
            out.push(format!("variant {}", variant_name(view.play)));
        }
        match view.control() {
            TimeControl::Clock { moves, base, increment } => {
                let (minutes, rest) = (base / 60_000_000, base % 60_000_000 / 1_000_000);
                let increment = increment as f64 / 1e6;
                let moves = moves.unwrap_or(0);
                out.push(format!("level {moves} {minutes}:{rest:02} {increment}"));
            }
            TimeControl::PerMove(us) => out.push(format!("st {}", (us / 1_000_000).max(1))),
            TimeControl::Infinite => {}
        }
        if let Some(depth) = view.limits.depth {
            out.push(format!("sd {depth}"));
        }
        out.push("post".to_string());
        out.push("easy".to_string());
        for (name, value) in self.options.iter().filter(|(n, _)| !is_command(n)) {
            out.push(format!("option {name}={value}"));
        }
        if self.named {
            out.push(format!("name {}", view.names[view.seat.opponent().index()]));
        }
        out.push("force".to_string());
        self.forced = true;
        self.thinking = false;
        let board = view.seat.board();
        let position = view.play.position(board);
        let array = crate::rules::Position::start(view.play.rules()).fen();
        let fen = position.fen();
        if fen != array {
            // In bughouse the hands are told apart; old engines know no empty brackets.
            let plain = view.play.is_double() || fen.contains("[]");
            out.push(format!("setboard {}", if plain { bare(&fen) } else { fen }));
        }
        if view.play.is_double() {
            out.push(format!("partner {}", view.names[view.seat.partner().index()]));
            self.all_hands(view, out);
        }
    }

    /// Every piece in the hands of the own board, once by the brackets and once by the pieces, for
    /// the two ways engines read `holding`.
    fn all_hands(&self, view: &View<'_>, out: &mut Lines) {
        let board = view.seat.board();
        let all = brackets(view.play, board);
        for color in [crate::types::Color::White, crate::types::Color::Black] {
            let letter = color.fold_wb('W', 'B');
            for piece in view.play.hand_text(Seat::new(board, color)).chars() {
                out.push(format!("holding {all} {letter}{}", piece.to_ascii_uppercase()));
            }
        }
    }
}

/// Options that are commands of their own.
fn is_command(name: &str) -> bool {
    matches!(name, "memory" | "cores")
}

/// A FEN without its hands and promoted marks.
fn bare(fen: &str) -> String {
    match (fen.find('['), fen.find(']')) {
        (Some(open), Some(close)) if open < close => {
            format!("{}{}", fen[..open].replace('~', ""), &fen[close + 1..])
        }
        _ => fen.replace('~', ""),
    }
}

/// `key=value key="a value"` pairs.
fn features(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while let Some((key, after)) = rest.split_once('=') {
        let key = key.trim().to_string();
        let (value, tail) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        found.push((key, value.to_string()));
        rest = tail.trim_start();
    }
    found
}

impl Dialect for Xboard {
    fn greet(&mut self, out: &mut Lines) {
        out.push("xboard".to_string());
        out.push("protover 2".to_string());
    }

    fn silent_greeting(&self) -> bool {
        true
    }

    fn hear(&mut self, line: &str, out: &mut Lines) -> Option<Heard> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "feature" => self.feature(rest, out),
            "pong" => rest.parse().is_ok_and(|n: u32| n == self.pings).then_some(Heard::Ready),
            "move" => {
                self.thinking = false;
                Some(Heard::Move(rest.to_string()))
            }
            "My" if rest.starts_with("move is") => {
                self.thinking = false;
                rest.rsplit([' ', ':']).next().map(|mv| Heard::Move(mv.to_string()))
            }
            "resign" => Some(Heard::Resign),
            "offer" => Some(Heard::OfferDraw),
            "tellics" => match rest.split_once(char::is_whitespace).unwrap_or((rest, "")) {
                ("ptell", words) => Some(Heard::Talk(words.trim().to_string())),
                ("resign", _) => Some(Heard::Resign),
                _ => None,
            },
            "1-0" | "0-1" | "1/2-1/2" => {
                self.thinking = false;
                Some(Heard::Claim(line.to_string()))
            }
            "Illegal" => Some(Heard::Refused(line.to_string())),
            _ => {
                // Thinking output: depth, centipawns, centiseconds, nodes, variation.
                let mut numbers = line.split_whitespace().map(|w| w.parse::<i64>());
                match (numbers.next(), numbers.next(), numbers.next(), numbers.next()) {
                    (Some(Ok(depth)), Some(Ok(score)), Some(Ok(_)), Some(Ok(_))) => {
                        Some(Heard::Thought {
                            score: score.clamp(-32_000, 32_000) as i32,
                            depth: depth.clamp(0, 1000) as u32,
                        })
                    }
                    _ => None,
                }
            }
        }
    }

    fn unfit(&self, play: &Play) -> Option<String> {
        let wanted =
            if play.rules().variant == Variant::Chess { "normal" } else { variant_name(play) };
        let variants = self.variants.as_ref()?;
        let listed = || variants.join(",").chars().take(120).collect::<String>();
        (!variants.iter().any(|v| v == wanted))
            .then(|| format!("does not play {wanted} (it offers {})", listed()))
    }

    fn new_game(&mut self, options: &[(String, String)], view: &View<'_>, out: &mut Lines) {
        self.options = options.to_vec();
        self.talks = view.play.is_double();
        self.setup(view, out);
    }

    fn ask(&mut self, view: &View<'_>, out: &mut Lines) {
        if self.thinking {
            return;
        }
        self.times(view, out);
        out.push("go".to_string());
        self.forced = false;
        self.thinking = true;
    }

    fn played(&mut self, played: &Played, view: &View<'_>, out: &mut Lines) {
        if played.seat.board() == view.seat.board() {
            if played.seat == view.seat {
                self.thinking = false;
                return;
            }
            if !self.forced {
                self.times(view, out);
                self.thinking = true;
            }
            let word = if self.usermove { "usermove " } else { "" };
            out.push(format!("{word}{}", played.uci));
        } else if let Some((seat, captured)) = played.crossed {
            let letter = seat.color().fold_wb('W', 'B');
            let piece = captured.role.upper_char();
            out.push(format!("holding {} {letter}{piece}", brackets(view.play, view.seat.board())));
        }
    }

    fn tell(&mut self, text: &str, out: &mut Lines) {
        if self.talks {
            out.push(format!("ptell {text}"));
        }
    }

    fn revive(&mut self, view: &View<'_>, out: &mut Lines) {
        self.setup(view, out);
    }

    fn game_over(&mut self, result: &str, reason: &str, out: &mut Lines) {
        out.push("force".to_string());
        out.push(format!("result {result} {{{reason}}}"));
        self.forced = true;
        self.thinking = false;
    }

    fn ping(&mut self, out: &mut Lines) -> bool {
        if self.ping {
            self.pings += 1;
            out.push(format!("ping {}", self.pings));
        }
        self.ping
    }

    fn own_name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_with_quotes() {
        let mut xboard = Xboard::default();
        let mut out = Vec::new();
        let line =
            r#"feature ping=1 myname="Sjeng 11.2" variants="normal,bughouse" usermove=0 done=1"#;
        assert_eq!(xboard.hear(line, &mut out), Some(Heard::Identified));
        assert!(xboard.ping && !xboard.usermove);
        assert_eq!(xboard.own_name(), Some("Sjeng 11.2"));
        assert_eq!(out.len(), 5);
        assert_eq!(features("done=0"), [("done".to_string(), "0".to_string())]);
    }

    #[test]
    fn lines_of_engines() {
        let mut xboard = Xboard::default();
        let mut out = Vec::new();
        let mut hear = |line: &str| xboard.hear(line, &mut out);
        assert_eq!(hear("move P@e4"), Some(Heard::Move("P@e4".into())));
        assert_eq!(hear("tellics ptell +n"), Some(Heard::Talk("+n".into())));
        assert_eq!(
            hear("  9 156 1084 48000 Nf3 Nc6"),
            Some(Heard::Thought { score: 156, depth: 9 })
        );
        assert!(matches!(hear("0-1 {Black Mates}"), Some(Heard::Claim(_))));
        assert!(matches!(hear("Illegal move: e2e5"), Some(Heard::Refused(_))));
        assert_eq!(hear("Chess"), None);
        assert_eq!(bare("k7/8/8/8/8/8/8/7Q~[Pp] w - - 0 1"), "k7/8/8/8/8/8/8/7Q w - - 0 1");
    }
}
