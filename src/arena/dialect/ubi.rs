//! The Universal Bughouse Interface: both boards and all clocks with every message.

use super::{Dialect, Heard, Lines, View};
use crate::arena::clock::TimeControl;
use crate::arena::play::{Play, Played};
use crate::types::{BoardId, Seat};

/// The state of a UBI engine.
#[derive(Debug, Default)]
pub struct Ubi {
    name: Option<String>,
    board: Option<BoardId>,
    thinking: bool,
    /// The search was asked for again, since a changed hand ends it without an answer.
    again: bool,
}

impl Ubi {
    fn position(view: &View<'_>) -> String {
        let [a, b, c, d] = Seat::ALL.map(|seat| view.ms(seat));
        format!("position {} clock {a} {b} {c} {d}", view.play.fen())
    }

    fn go(view: &View<'_>) -> String {
        let mut go = format!("go board {}", view.seat.board());
        if let TimeControl::PerMove(us) = view.control() {
            go += &format!(" movetime {}", us / 1000);
        }
        if let Some(depth) = view.limits.depth {
            go += &format!(" depth {depth}");
        }
        if let Some(nodes) = view.limits.nodes {
            go += &format!(" nodes {nodes}");
        }
        go
    }
}

impl Dialect for Ubi {
    fn greet(&mut self, out: &mut Lines) {
        out.push("ubi".to_string());
    }

    fn hear(&mut self, line: &str, out: &mut Lines) -> Option<Heard> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["ubiok", ..] => Some(Heard::Identified),
            ["readyok", ..] => Some(Heard::Ready),
            ["id", "name", name @ ..] => {
                self.name = Some(name.join(" "));
                None
            }
            ["bestmove", "board", board, mv, ..] => {
                if self.board.is_none_or(|own| own.to_string() != *board) || !self.thinking {
                    return None;
                }
                self.thinking = false;
                // The answer may have been under way when the search was asked for again.
                if std::mem::take(&mut self.again) {
                    out.push(format!("stop board {board}"));
                }
                Some(match *mv {
                    "(none)" | "0000" => Heard::Wait,
                    mv => Heard::Move(mv.to_string()),
                })
            }
            ["teammsg", message @ ..] => words_of(message).map(Heard::Talk),
            ["info", "board", _, "string", "sit" | "sit:", ..] if self.thinking => {
                Some(Heard::Sitting(None))
            }
            ["info", ..] => {
                let after = |key: &str| {
                    words
                        .iter()
                        .position(|w| *w == key)
                        .map(|i| &words[i + 1..])
                        .unwrap_or_default()
                };
                let depth = after("depth").first()?.parse().ok()?;
                match after("score") {
                    ["cp", cp, ..] => Some(Heard::Thought { score: cp.parse().ok()?, depth }),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn unfit(&self, play: &Play) -> Option<String> {
        (!play.is_double()).then(|| "speaks UBI, which is for bughouse only".to_string())
    }

    fn new_game(&mut self, options: &[(String, String)], view: &View<'_>, out: &mut Lines) {
        let board = view.seat.board();
        self.cancel(out);
        self.board = Some(board);
        for (name, value) in options {
            out.push(format!("setoption name {name} value {value}"));
        }
        out.push("ubinewgame".to_string());
        let color = view.seat.color().to_string();
        out.push(format!("metadata position {color}_{board}"));
        out.push(format!("metadata seat {}", view.seat));
    }

    fn ask(&mut self, view: &View<'_>, out: &mut Lines) {
        out.push(Self::position(view));
        out.push(Self::go(view));
        self.thinking = true;
        self.again = false;
    }

    // After `stop` no answer follows, so nothing has to be awaited.
    fn cancel(&mut self, out: &mut Lines) -> bool {
        if let (true, Some(board)) = (self.thinking, self.board) {
            out.push(format!("stop board {board}"));
        }
        self.thinking = false;
        true
    }

    fn played(&mut self, played: &Played, view: &View<'_>, out: &mut Lines) {
        if self.thinking && played.seat.board() != view.seat.board() {
            out.push(Self::position(view));
            if played.crossed.is_some() || played.exchanged.is_some() {
                self.again = true;
                out.push(Self::go(view));
            }
        }
    }

    fn tell(&mut self, text: &str, out: &mut Lines) {
        if let Some(message) = message_of(text) {
            out.push(format!("partnermsg {message}"));
        }
    }

    fn revive(&mut self, _view: &View<'_>, _out: &mut Lines) {
        self.thinking = false;
    }

    fn game_over(&mut self, result: &str, reason: &str, out: &mut Lines) {
        self.cancel(out);
        out.push(format!("metadata game_result {result} {reason}"));
    }

    fn ping(&mut self, out: &mut Lines) -> bool {
        out.push("isready".to_string());
        true
    }

    fn own_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn sees_both_boards(&self) -> bool {
        true
    }
}

fn letter(piece: &str) -> Option<char> {
    Some(match piece {
        "pawn" | "p" => 'p',
        "knight" | "n" => 'n',
        "bishop" | "b" => 'b',
        "rook" | "r" => 'r',
        "queen" | "q" => 'q',
        _ => return None,
    })
}

/// A team message in the words of the other protocols.
fn words_of(message: &[&str]) -> Option<String> {
    Some(match message {
        ["stall", ..] => "sit".to_string(),
        ["play_fast", ..] => "fast".to_string(),
        ["need", piece, rest @ ..] => {
            let plus = match rest {
                ["urgency", "low", ..] => "+",
                ["urgency", "high", ..] => "+++",
                _ => "++",
            };
            format!("{plus}{}", letter(piece)?)
        }
        ["threat", "critical", ..] => "dead".to_string(),
        ["threat", "low", ..] => "x".to_string(),
        _ => return None,
    })
}

/// The other protocols' words as a team message.
fn message_of(text: &str) -> Option<String> {
    let wish = text.trim_start_matches('+');
    Some(match text {
        "sit" | "stop" => "stall".to_string(),
        "fast" => "play_fast reason time".to_string(),
        "dead" | "---" => "threat critical".to_string(),
        "x" | "ok" => "threat low".to_string(),
        _ if wish.len() == 1 && wish != text => {
            let urgency = match text.len() {
                2 => "low",
                3 => "medium",
                _ => "high",
            };
            format!("need {} urgency {urgency}", letter(wish)?)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::clock::SeatClock;
    use crate::arena::dialect::GoLimits;
    use crate::rules::Rules;

    #[test]
    fn talk_is_translated_both_ways() {
        assert_eq!(message_of("+++n").as_deref(), Some("need n urgency high"));
        assert_eq!(words_of(&["need", "knight", "urgency", "high"]).as_deref(), Some("+++n"));
        assert_eq!(message_of("hello there"), None);
        assert_eq!(words_of(&["material", "+1"]), None);
    }

    #[test]
    fn only_the_own_boards_move_counts() {
        let mut ubi = Ubi { board: Some(BoardId::B), thinking: true, ..Ubi::default() };
        let mut out = Vec::new();
        assert_eq!(ubi.hear("bestmove board A e2e4", &mut out), None);
        assert_eq!(ubi.hear("bestmove board B n@f3", &mut out), Some(Heard::Move("n@f3".into())));
        assert_eq!(ubi.hear("bestmove board B n@f3", &mut out), None);
    }

    fn view<'a>(play: &'a Play, clocks: &'a [SeatClock; 4], names: &'a [String; 4]) -> View<'a> {
        let limits = GoLimits { nodes: Some(7), ..GoLimits::default() };
        View { play, seat: Seat::WhiteA, now: 0, clocks, names, limits }
    }

    #[test]
    fn a_changed_hand_is_asked_for_again() {
        let clocks = [SeatClock::new("10+0".parse().unwrap(), 0); 4];
        let names = ["a", "b", "c", "d"].map(String::from);
        let mut play = Play::new(Rules::BUGHOUSE, None).unwrap();
        let mut ubi = Ubi { board: Some(BoardId::A), ..Ubi::default() };
        let mut out = Vec::new();
        ubi.ask(&view(&play, &clocks, &names), &mut out);
        for (seat, mv, lines) in
            [(Seat::WhiteB, "e4", 1), (Seat::BlackB, "d5", 1), (Seat::WhiteB, "exd5", 2)]
        {
            out.clear();
            let played = play.play(seat, mv).unwrap();
            ubi.played(&played, &view(&play, &clocks, &names), &mut out);
            assert_eq!(out.len(), lines, "{out:?}");
        }
        assert_eq!(out[1], "go board A nodes 7");
        out.clear();
        assert_eq!(ubi.hear("bestmove board A e2e4", &mut out), Some(Heard::Move("e2e4".into())));
        assert_eq!(out, ["stop board A"]);
    }
}
