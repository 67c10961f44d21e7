//! The Universal Bughouse Interface: both boards and all clocks with every message.

use super::{Dialect, Heard, Lines, View, complaint, refusal, say};
use crate::arena::clock::TimeControl;
use crate::arena::play::{Play, Played};
use crate::protocol::grammar::decl::OptionDecl;
use crate::protocol::grammar::info::Info;
use crate::protocol::grammar::setup::{Setup, Start};
use crate::protocol::grammar::talk::Talk;
use crate::protocol::ubi::grammar::{Command, Message, Reply};
use crate::protocol::uci::grammar::Go;
use crate::types::BoardId;

/// The state of a UBI engine.
#[derive(Debug, Default)]
pub struct Ubi {
    name: Option<String>,
    options: Vec<OptionDecl>,
    board: Option<BoardId>,
    thinking: bool,
    /// The search was asked for again, since a changed hand ends it without an answer.
    again: bool,
}

impl Ubi {
    fn position(view: &View<'_>) -> Command {
        let fen = |board| Start::Fen(view.play.position(board).fen());
        Command::Position(Setup {
            first: fen(BoardId::A),
            second: Some(fen(BoardId::B)),
            clocks: Some(view.all_ms()),
            moves: Vec::new(),
        })
    }

    fn go(view: &View<'_>) -> Command {
        let (depth, nodes) = (view.limits.depth, view.limits.nodes);
        let movetime = match view.control() {
            TimeControl::PerMove(us) => Some(us / 1000),
            _ => None,
        };
        let limits = Go { movetime, depth, nodes, ..Go::default() };
        Command::Go { board: view.seat.board(), limits }
    }

    fn best(&mut self, board: BoardId, mv: Option<String>, out: &mut Lines) -> Option<Heard> {
        if self.board.is_none_or(|own| own != board) || !std::mem::take(&mut self.thinking) {
            return None;
        }
        // The answer may have been under way when the search was asked for again.
        if std::mem::take(&mut self.again) {
            say(out, Command::Stop(Some(board)));
        }
        Some(mv.map_or(Heard::Wait, Heard::Move))
    }

    fn info(&self, info: &Info) -> Option<Heard> {
        if let Some(most) = info.wait() {
            return self.thinking.then_some(Heard::Sitting(most));
        }
        Some(Heard::thought(info.score?, info.depth?))
    }
}

impl Dialect for Ubi {
    fn greet(&mut self, out: &mut Lines) {
        say(out, Command::Ubi);
    }

    fn hear(&mut self, line: &str, out: &mut Lines) -> Option<Heard> {
        match Reply::parse(line).ok()? {
            Reply::UbiOk => return Some(Heard::Identified),
            Reply::ReadyOk => return Some(Heard::Ready),
            Reply::BestMove { board, best } => return self.best(board, best, out),
            Reply::Team(message) => {
                return Talk::Word(message.word()?).say().map(Heard::Talk);
            }
            Reply::Info(info) => return self.info(&info),
            Reply::Name(name) => self.name = Some(name),
            Reply::Option(option) => self.options.push(option),
            Reply::Author(_) | Reply::Other(_) => {}
        }
        None
    }

    fn unfit(&self, play: &Play) -> Option<String> {
        (!play.is_double()).then(|| "speaks UBI, which is for bughouse only".to_string())
    }

    fn refuses(&self, name: &str, value: &str) -> Option<String> {
        refusal(&self.options, name, value)
    }

    fn set_option(&mut self, name: &str, value: &str, out: &mut Lines) {
        say(out, Command::SetOption { name: name.to_string(), value: Some(value.to_string()) });
    }

    fn complaint(&self, line: &str) -> Option<String> {
        match Reply::parse(line).ok()? {
            Reply::Info(info) => complaint(&info),
            _ => None,
        }
    }

    fn new_game(&mut self, options: &[(String, String)], view: &View<'_>, out: &mut Lines) {
        let board = view.seat.board();
        self.cancel(out);
        self.board = Some(board);
        for (name, value) in options {
            self.set_option(name, value, out);
        }
        say(out, Command::NewGame);
        let seat = format!("{}_{board}", view.seat.color());
        say(out, Command::Metadata("position".to_string(), seat));
        say(out, Command::Metadata("seat".to_string(), view.seat.to_string()));
    }

    fn ask(&mut self, view: &View<'_>, out: &mut Lines) {
        say(out, Self::position(view));
        say(out, Self::go(view));
        self.thinking = true;
        self.again = false;
    }

    // After `stop` no answer follows, so nothing has to be awaited.
    fn cancel(&mut self, out: &mut Lines) -> bool {
        if let (true, Some(board)) = (self.thinking, self.board) {
            say(out, Command::Stop(Some(board)));
        }
        self.thinking = false;
        true
    }

    fn played(&mut self, played: &Played, view: &View<'_>, out: &mut Lines) {
        if self.thinking && played.seat.board() != view.seat.board() {
            say(out, Self::position(view));
            if played.crossed.is_some() || played.exchanged.is_some() {
                self.again = true;
                say(out, Self::go(view));
            }
        }
    }

    fn tell(&mut self, text: &str, out: &mut Lines) {
        if let Some(Talk::Word(word)) = Talk::parse(text)
            && let Some(message) = Message::of(word)
        {
            say(out, Command::Partner(message));
        }
    }

    fn revive(&mut self, _view: &View<'_>, _out: &mut Lines) {
        self.thinking = false;
    }

    fn game_over(&mut self, result: &str, reason: &str, out: &mut Lines) {
        self.cancel(out);
        say(out, Command::Metadata("game_result".to_string(), format!("{result} {reason}")));
    }

    fn ping(&mut self, out: &mut Lines) -> bool {
        say(out, Command::IsReady);
        true
    }

    fn own_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn sees_both_boards(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::clock::SeatClock;
    use crate::arena::dialect::GoLimits;
    use crate::rules::Rules;
    use crate::types::Seat;

    #[test]
    fn talk_is_translated_both_ways() {
        let mut out = Vec::new();
        let mut ubi = Ubi::default();
        ubi.tell("+++n", &mut out);
        ubi.tell("hello there", &mut out);
        assert_eq!(out, ["partnermsg need n urgency high"]);
        let heard = ubi.hear("teammsg need n urgency high", &mut out);
        assert_eq!(heard, Some(Heard::Talk("+++n".into())));
        assert_eq!(ubi.hear("teammsg material +1", &mut out), None);
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
