//! UCI, for any engine with a position at a time, and with both boards for those that offer it.

use super::{Dialect, Heard, Lines, View, complaint, refusal, say, variant_name};
use crate::arena::clock::TimeControl;
use crate::arena::play::{Play, Played};
use crate::protocol::grammar::decl::{Kind, OptionDecl};
use crate::protocol::grammar::info::Info;
use crate::protocol::grammar::setup::{Setup, Start};
use crate::protocol::uci::grammar::{Command, Go, Reply};
use crate::rules::Rules;
use crate::types::{BoardId, Color, Seat};

/// Below this the answer to an outdated hand is better than a new search.
const TOO_LATE_TO_RESTART_MS: i64 = 300;

/// The state of a UCI engine.
#[derive(Debug, Default)]
pub struct Uci {
    name: Option<String>,
    options: Vec<OptionDecl>,
    searching: bool,
    /// Answers still to come that nobody wants.
    unwanted: u32,
}

impl Uci {
    fn option(&self, name: &str) -> Option<&OptionDecl> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    fn has(&self, name: &str) -> bool {
        self.option(name).is_some()
    }

    fn variants(&self) -> &[String] {
        match self.option("UCI_Variant").map(|option| &option.kind) {
            Some(Kind::Combo { values, .. }) => values,
            _ => &[],
        }
    }

    fn set(out: &mut Lines, name: &str, value: impl Into<String>) {
        say(out, Command::SetOption { name: name.into(), value: Some(value.into()) });
    }

    fn rules(&self, play: &Play, out: &mut Lines) {
        let rules = play.rules();
        for (name, _) in Rules::OPTIONS {
            if self.has(name)
                && let Some(value) = rules.get(name)
            {
                Self::set(out, name, value);
            }
        }
        if self.has("UCI_Chess960") {
            Self::set(out, "UCI_Chess960", rules.chess960.to_string());
        }
    }

    fn position(&self, view: &View<'_>) -> Setup {
        let fen = |board| Start::Fen(view.play.position(board).fen());
        let (second, clocks, moves) = (None, None, Vec::new());
        match view.play {
            Play::Single(game) => {
                let mut position = *game.start();
                let mut written = Vec::new();
                for &mv in game.moves() {
                    written.push(crate::rules::notation::to_uci(&position, mv));
                    position.make(mv);
                }
                let first = Start::Fen(game.start().fen());
                Setup { first, second, clocks, moves: written }
            }
            Play::Double(_) if self.sees_both_boards() => {
                let (second, clocks) = (Some(fen(BoardId::B)), Some(view.all_ms()));
                Setup { first: fen(BoardId::A), second, clocks, moves }
            }
            Play::Double(_) => Setup { first: fen(view.seat.board()), second, clocks, moves },
        }
    }

    fn go(view: &View<'_>) -> Go {
        let (depth, nodes) = (view.limits.depth, view.limits.nodes);
        let mut go = Go { depth, nodes, ..Go::default() };
        match view.control() {
            _ if view.limits.untimed => {}
            TimeControl::Clock { increment, .. } => {
                let board = view.seat.board();
                let time = |color| Some(view.ms(Seat::new(board, color)));
                let increment = |color| match view.clocks[Seat::new(board, color).index()].control()
                {
                    TimeControl::Clock { increment, .. } => Some(increment / 1000),
                    _ => Some(increment / 1000),
                };
                (go.wtime, go.btime) = (time(Color::White), time(Color::Black));
                (go.winc, go.binc) = (increment(Color::White), increment(Color::Black));
                go.movestogo = view.clocks[view.seat.index()].moves_to_go();
            }
            TimeControl::PerMove(us) => go.movetime = Some(us / 1000),
            TimeControl::Infinite => {}
        }
        go
    }

    fn info(&self, info: &Info) -> Option<Heard> {
        if let Some(most) = info.wait() {
            return self.searching.then_some(Heard::Sitting(most));
        }
        let best = info.multipv.is_none_or(|rank| rank == 1);
        Some(Heard::thought(info.score.filter(|_| best)?, info.depth?))
    }

    fn best(&mut self, mv: Option<String>) -> Option<Heard> {
        if self.unwanted > 0 {
            self.unwanted -= 1;
            return (self.unwanted == 0).then_some(Heard::Free);
        }
        if !std::mem::take(&mut self.searching) {
            return None;
        }
        Some(mv.map_or(Heard::Wait, Heard::Move))
    }
}

impl Dialect for Uci {
    fn greet(&mut self, out: &mut Lines) {
        say(out, Command::Uci);
    }

    fn hear(&mut self, line: &str, _out: &mut Lines) -> Option<Heard> {
        match Reply::parse(line).ok()? {
            Reply::UciOk => return Some(Heard::Identified),
            Reply::ReadyOk => return Some(Heard::Ready),
            Reply::BestMove { best, .. } => return self.best(best),
            Reply::Info(info) if self.unwanted == 0 => return self.info(&info),
            Reply::PartnerTell(text) => return Some(Heard::Talk(text)),
            Reply::Name(name) => self.name = Some(name),
            Reply::Option(option) => self.options.push(option),
            Reply::Info(_) | Reply::Author(_) | Reply::Other(_) => {}
        }
        None
    }

    fn unfit(&self, play: &Play) -> Option<String> {
        let wanted = variant_name(play);
        let variants = self.variants();
        let knows = variants.iter().any(|v| v == wanted)
            || wanted == "chess" && variants.is_empty()
            || wanted == "crazyhouse" && self.has("UCI_Crazyhouse");
        (!knows).then(|| {
            let all =
                if variants.is_empty() { "chess only".to_string() } else { variants.join(" ") };
            let shown: String = all.chars().take(120).collect();
            format!("does not play {wanted} (it offers {shown})")
        })
    }

    fn refuses(&self, name: &str, value: &str) -> Option<String> {
        refusal(&self.options, name, value)
    }

    fn set_game(&mut self, play: &Play, out: &mut Lines) {
        if !self.variants().is_empty() {
            Self::set(out, "UCI_Variant", variant_name(play));
        }
        self.rules(play, out);
    }

    fn set_option(&mut self, name: &str, value: &str, out: &mut Lines) {
        Self::set(out, name, value);
    }

    fn complaint(&self, line: &str) -> Option<String> {
        match Reply::parse(line).ok()? {
            Reply::Info(info) => complaint(&info),
            // So Stockfish and its kin.
            Reply::Other(text) if text.starts_with("No such option") => Some(text),
            _ => None,
        }
    }

    fn new_game(&mut self, options: &[(String, String)], view: &View<'_>, out: &mut Lines) {
        // An answer that is still owed from an earlier game is not wanted any more.
        self.cancel(out);
        self.set_game(view.play, out);
        for (name, value) in options {
            Self::set(out, name, value);
        }
        if view.play.is_double() && self.sees_both_boards() {
            Self::set(out, "UCI_TwoBoard", "true");
            Self::set(out, "UCI_Seat", view.seat.name());
        }
        say(out, Command::NewGame);
    }

    fn ask(&mut self, view: &View<'_>, out: &mut Lines) {
        if self.unwanted > 0 {
            return;
        }
        say(out, Command::Position(self.position(view)));
        say(out, Command::Go(Self::go(view)));
        self.searching = true;
    }

    fn cancel(&mut self, out: &mut Lines) -> bool {
        if std::mem::take(&mut self.searching) {
            say(out, Command::Stop);
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
            say(out, Command::PartnerMove(played.uci.clone()));
            if played.crossed.is_some() {
                let (white, black) = view.hands(own);
                say(out, Command::Holding(white, black));
            }
            say(out, Command::Clock(view.all_ms()));
        } else if own_board_changed && view.ms(view.seat) > TOO_LATE_TO_RESTART_MS {
            self.cancel(out);
        }
    }

    fn tell(&mut self, text: &str, out: &mut Lines) {
        if self.sees_both_boards() {
            say(out, Command::PartnerTell(text.to_string()));
        }
    }

    fn revive(&mut self, _view: &View<'_>, _out: &mut Lines) {
        self.searching = false;
    }

    fn game_over(&mut self, _result: &str, _reason: &str, out: &mut Lines) {
        self.cancel(out);
    }

    fn ping(&mut self, out: &mut Lines) -> bool {
        say(out, Command::IsReady);
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
