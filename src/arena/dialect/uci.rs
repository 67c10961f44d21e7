//! UCI, for any engine with a position at a time, and with both boards for those that offer it.

use super::{Dialect, Heard, Lines, View, brackets, variant_name};
use crate::arena::clock::TimeControl;
use crate::arena::play::{Play, Played};
use crate::protocol::grammar::decl::OptionDecl;
use crate::types::{Color, Seat};

/// Below this the answer to an outdated hand is better than a new search.
const TOO_LATE_TO_RESTART_MS: i64 = 300;

/// The state of a UCI engine.
#[derive(Debug, Default)]
pub struct Uci {
    name: Option<String>,
    options: Vec<String>,
    /// Those of them whose declaration can be read.
    declared: Vec<OptionDecl>,
    variants: Vec<String>,
    searching: bool,
    /// Answers still to come that nobody wants.
    unwanted: u32,
}

impl Uci {
    fn has(&self, option: &str) -> bool {
        self.options.iter().any(|o| o.eq_ignore_ascii_case(option))
    }

    fn set(out: &mut Lines, name: &str, value: &str) {
        out.push(format!("setoption name {name} value {value}"));
    }

    fn rules(&self, play: &Play, out: &mut Lines) {
        use crate::rules::Rules;
        let rules = play.rules();
        for (name, _) in Rules::OPTIONS {
            if self.has(name)
                && let Some(value) = rules.get(name)
            {
                Self::set(out, name, &value);
            }
        }
        if self.has("UCI_Chess960") {
            Self::set(out, "UCI_Chess960", if rules.chess960 { "true" } else { "false" });
        }
    }

    fn position(&self, view: &View<'_>) -> String {
        match view.play {
            Play::Single(game) => {
                let mut line = format!("position fen {}", game.start().fen());
                let mut position = *game.start();
                for (i, &mv) in game.moves().iter().enumerate() {
                    line.push_str(if i == 0 { " moves " } else { " " });
                    line.push_str(&crate::rules::notation::to_uci(&position, mv));
                    position.make(mv);
                }
                line
            }
            Play::Double(table) if self.sees_both_boards() => {
                let [a, b, c, d] = Seat::ALL.map(|seat| view.ms(seat));
                format!("position fen {} clock {a} {b} {c} {d}", table.boards().fen())
            }
            Play::Double(table) => {
                format!("position fen {}", table.boards().board(view.seat.board()).fen())
            }
        }
    }

    fn go(view: &View<'_>) -> String {
        let mut line = "go".to_string();
        match view.control() {
            _ if view.limits.untimed => {}
            TimeControl::Clock { increment, .. } => {
                let board = view.seat.board();
                let time = |color| view.ms(Seat::new(board, color));
                let increments =
                    |color| match view.clocks[Seat::new(board, color).index()].control() {
                        TimeControl::Clock { increment, .. } => increment / 1000,
                        _ => increment / 1000,
                    };
                line += &format!(
                    " wtime {} btime {} winc {} binc {}",
                    time(Color::White),
                    time(Color::Black),
                    increments(Color::White),
                    increments(Color::Black)
                );
                if let Some(moves) = view.clocks[view.seat.index()].moves_to_go() {
                    line += &format!(" movestogo {moves}");
                }
            }
            TimeControl::PerMove(us) => line += &format!(" movetime {}", us / 1000),
            TimeControl::Infinite => {}
        }
        if let Some(depth) = view.limits.depth {
            line += &format!(" depth {depth}");
        }
        if let Some(nodes) = view.limits.nodes {
            line += &format!(" nodes {nodes}");
        }
        line
    }

    fn info(&mut self, line: &str) -> Option<Heard> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.get(1) == Some(&"string") {
            if words.get(2).map(|word| word.trim_end_matches(':')) != Some("sit") || !self.searching
            {
                return None;
            }
            let most = words.windows(2).find(|pair| pair[0] == "most").map(|pair| pair[1]);
            return Some(Heard::Sitting(most.and_then(|ms| ms.parse().ok())));
        }
        let after = |key: &str| {
            words.iter().position(|w| *w == key).map(|i| &words[i + 1..]).unwrap_or_default()
        };
        let depth = after("depth").first()?.parse().ok()?;
        let score = match after("score") {
            ["cp", cp, ..] => cp.parse::<i32>().ok()?,
            ["mate", moves, ..] => match moves.parse::<i32>().ok()? {
                n if n > 0 => 32_000 - n.min(1000),
                n => -32_000 - n.max(-1000),
            },
            _ => return None,
        };
        Some(Heard::Thought { score, depth })
    }

    fn best(&mut self, word: Option<&str>) -> Option<Heard> {
        if self.unwanted > 0 {
            self.unwanted -= 1;
            return (self.unwanted == 0).then_some(Heard::Free);
        }
        if !self.searching {
            return None;
        }
        self.searching = false;
        match word {
            None | Some("(none)" | "0000" | "none" | "NULL" | "null" | "pass" | "a1a1") => {
                Some(Heard::Wait)
            }
            Some(mv) => Some(Heard::Move(mv.to_string())),
        }
    }
}

impl Dialect for Uci {
    fn greet(&mut self, out: &mut Lines) {
        out.push("uci".to_string());
    }

    fn hear(&mut self, line: &str, _out: &mut Lines) -> Option<Heard> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "uciok" => Some(Heard::Identified),
            "readyok" => Some(Heard::Ready),
            "bestmove" => self.best(rest.split_whitespace().next()),
            "info" if self.unwanted == 0 => self.info(line),
            "ptell" => Some(Heard::Talk(rest.to_string())),
            "id" => {
                if let Some(name) = rest.trim().strip_prefix("name ") {
                    self.name = Some(name.trim().to_string());
                }
                None
            }
            "option" => {
                self.declared.extend(OptionDecl::parse_uci(rest));
                let rest = rest.trim().strip_prefix("name ")?;
                let (name, tail) = rest.split_once(" type ").unwrap_or((rest, ""));
                if name == "UCI_Variant" {
                    let words: Vec<&str> = tail.split_whitespace().collect();
                    let named = words.windows(2).filter(|w| w[0] == "var");
                    self.variants = named.map(|w| w[1].to_string()).collect();
                }
                self.options.push(name.to_string());
                None
            }
            _ => None,
        }
    }

    fn unfit(&self, play: &Play) -> Option<String> {
        let wanted = variant_name(play);
        let knows = self.variants.iter().any(|v| v == wanted)
            || wanted == "chess" && (!self.has("UCI_Variant") || self.variants.is_empty())
            || wanted == "crazyhouse" && self.has("UCI_Crazyhouse");
        (!knows).then(|| {
            let all = if self.variants.is_empty() {
                "chess only".to_string()
            } else {
                self.variants.join(" ")
            };
            let shown: String = all.chars().take(120).collect();
            format!("does not play {wanted} (it offers {shown})")
        })
    }

    fn refuses(&self, name: &str, value: &str) -> Option<String> {
        // Some engines declare nothing and still take options.
        if self.options.is_empty() {
            return None;
        }
        // CECP's habit of writing blanks as underscores goes with every Klotz.
        let same = |other: &str| {
            other.eq_ignore_ascii_case(name) || other.eq_ignore_ascii_case(&name.replace('_', " "))
        };
        if !self.options.iter().any(|option| same(option)) {
            return Some(format!("has no option '{name}'"));
        }
        let refused = self.declared.iter().find(|decl| same(&decl.name))?.accepts(value).err();
        refused.map(|reason| format!("refuses it: {reason}"))
    }

    fn new_game(&mut self, options: &[(String, String)], view: &View<'_>, out: &mut Lines) {
        // An answer that is still owed from an earlier game is not wanted any more.
        self.cancel(out);
        if !self.variants.is_empty() {
            Self::set(out, "UCI_Variant", variant_name(view.play));
        }
        self.rules(view.play, out);
        for (name, value) in options {
            Self::set(out, name, value);
        }
        if view.play.is_double() && self.sees_both_boards() {
            Self::set(out, "UCI_TwoBoard", "true");
            Self::set(out, "UCI_Seat", view.seat.name());
        }
        out.push("ucinewgame".to_string());
    }

    fn ask(&mut self, view: &View<'_>, out: &mut Lines) {
        if self.unwanted > 0 {
            return;
        }
        out.push(self.position(view));
        out.push(Self::go(view));
        self.searching = true;
    }

    fn cancel(&mut self, out: &mut Lines) -> bool {
        if self.searching {
            out.push("stop".to_string());
            self.searching = false;
            self.unwanted += 1;
        }
        true
    }

    fn played(&mut self, played: &Played, view: &View<'_>, out: &mut Lines) {
        let own = view.seat.board();
        if !self.searching || !view.play.is_double() || played.seat.board() == own {
            return;
        }
        let own_board_changed = played.crossed.is_some() || played.exchanged.is_some();
        if self.sees_both_boards() {
            out.push(format!("pmove {}", played.uci));
            if played.crossed.is_some() {
                out.push(format!("holding {}", brackets(view.play, own)));
            }
            let [a, b, c, d] = Seat::ALL.map(|seat| view.ms(seat));
            out.push(format!("clock {a} {b} {c} {d}"));
        } else if own_board_changed && view.ms(view.seat) > TOO_LATE_TO_RESTART_MS {
            self.cancel(out);
        }
    }

    fn tell(&mut self, text: &str, out: &mut Lines) {
        if self.sees_both_boards() {
            out.push(format!("ptell {text}"));
        }
    }

    fn revive(&mut self, _view: &View<'_>, _out: &mut Lines) {
        self.searching = false;
    }

    fn game_over(&mut self, _result: &str, _reason: &str, out: &mut Lines) {
        self.cancel(out);
    }

    fn ping(&mut self, out: &mut Lines) -> bool {
        out.push("isready".to_string());
        true
    }

    fn owes(&self) -> bool {
        self.unwanted > 0
    }

    fn own_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn sees_both_boards(&self) -> bool {
        self.has("UCI_TwoBoard")
    }

    // UCI has no words for partners; the two-board dialect, which has, wants them first.
    fn speaks_first(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::clock::SeatClock;
    use crate::arena::dialect::GoLimits;
    use crate::rules::Rules;

    struct Table {
        play: Play,
        clocks: [SeatClock; 4],
        names: [String; 4],
    }

    impl Table {
        fn new(rules: Rules) -> Table {
            let clock = SeatClock::new("10+0.1".parse().unwrap(), 0);
            let names = ["a", "b", "c", "d"].map(String::from);
            Table { play: Play::new(rules, None).unwrap(), clocks: [clock; 4], names }
        }

        fn view(&self, seat: Seat) -> View<'_> {
            View {
                play: &self.play,
                seat,
                now: 0,
                clocks: &self.clocks,
                names: &self.names,
                limits: GoLimits { nodes: Some(7), ..GoLimits::default() },
            }
        }
    }

    fn greeted(lines: &[&str]) -> Uci {
        let mut uci = Uci::default();
        for line in lines {
            uci.hear(line, &mut Vec::new());
        }
        uci
    }

    const VARIANT: &str = "option name UCI_Variant type combo default chess var chess var bughouse";

    #[test]
    fn a_board_at_a_time_restarts_when_the_hand_changes() {
        let mut table = Table::new(Rules::BUGHOUSE);
        let mut uci = greeted(&["id name Some Engine", VARIANT, "uciok"]);
        assert_eq!(uci.own_name(), Some("Some Engine"));
        assert_eq!(uci.unfit(&table.play), None);
        let mut out = Vec::new();
        uci.ask(&table.view(Seat::WhiteA), &mut out);
        assert!(out[0].starts_with("position fen rnbqkbnr/") && !out[0].contains('|'));
        assert_eq!(out[1], "go wtime 10000 btime 10000 winc 100 binc 100 nodes 7");
        let mut last = None;
        for (seat, mv) in [
            (Seat::WhiteB, "e4"),
            (Seat::BlackB, "d5"),
            (Seat::WhiteB, "exd5"),
            (Seat::BlackB, "Qxd5"),
        ] {
            out.clear();
            let played = table.play.play(seat, mv).unwrap();
            uci.played(&played, &table.view(Seat::WhiteA), &mut out);
            last = Some(played);
        }
        assert_eq!(last.unwrap().crossed.map(|c| c.0), Some(Seat::WhiteA));
        // The pawn that White took went to black on board A already.
        assert!(uci.unwanted == 1 && !uci.searching);
        assert_eq!(uci.hear("bestmove e2e4", &mut out), Some(Heard::Free));
        out.clear();
        uci.ask(&table.view(Seat::WhiteA), &mut out);
        assert!(out[0].contains("[Pp]"), "{}", out[0]);
        assert_eq!(
            uci.hear("bestmove P@e4 ponder e7e5", &mut out),
            Some(Heard::Move("P@e4".into()))
        );
        assert_eq!(uci.hear("bestmove e2e4", &mut out), None);
    }

    #[test]
    fn both_boards_are_told_live() {
        let mut table = Table::new(Rules::BUGHOUSE);
        let mut uci = greeted(&[VARIANT, "option name UCI_TwoBoard type check default false"]);
        let mut out = Vec::new();
        uci.new_game(&[("Threads".into(), "1".into())], &table.view(Seat::BlackB), &mut out);
        assert!(out.contains(&"setoption name UCI_Seat value BlackB".to_string()));
        table.play.play(Seat::WhiteB, "e2e4").unwrap();
        uci.ask(&table.view(Seat::BlackB), &mut out);
        let played = table.play.play(Seat::WhiteA, "g1f3").unwrap();
        out.clear();
        uci.played(&played, &table.view(Seat::BlackB), &mut out);
        assert_eq!(out, ["pmove g1f3", "clock 10000 10000 10000 10000"]);
        let line = "info string sit: time works for us, on board B, at most 250 ms";
        assert_eq!(uci.hear(line, &mut out), Some(Heard::Sitting(Some(250))));
        assert_eq!(uci.hear("bestmove (none)", &mut out), Some(Heard::Wait));
    }

    #[test]
    fn crazyhouse_is_told_with_its_moves() {
        let mut table = Table::new(Rules::CRAZYHOUSE);
        let mut uci = greeted(&[VARIANT]);
        assert!(uci.unfit(&table.play).unwrap().contains("crazyhouse"));
        table.play.play(Seat::WhiteA, "e4").unwrap();
        table.play.play(Seat::BlackA, "d5").unwrap();
        let mut out = Vec::new();
        uci.ask(&table.view(Seat::WhiteA), &mut out);
        assert!(out[0].ends_with("moves e2e4 d7d5"), "{}", out[0]);
        let info = "info depth 9 seldepth 12 score mate -2 nodes 5";
        let heard = uci.hear(info, &mut out);
        assert_eq!(heard, Some(Heard::Thought { score: -31_998, depth: 9 }));
    }
}
