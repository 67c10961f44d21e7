//! What a CECP session says by itself: its features, its thinking, its progress.

use super::{Purpose, Session};
use crate::engine::{Audience, Info};
use crate::protocol::front;
use crate::protocol::lines::{line_of, speed, uci_move};
use crate::protocol::output::Output;
use crate::protocol::xboard::grammar::{Feature, Reply, Thinking};
use crate::rules::Position;
use crate::types::Move;

impl Session {
    pub(super) fn greet(&self, out: &mut Output) {
        let number = |name: &str, value| Feature::Number(name.to_string(), value);
        let text = |name: &str, value: &str| Feature::Text(name.into(), value.into());
        // All in the first line that tinyChessServer must see before it accepts.
        out.say(Reply::Features(vec![
            number("ping", 1),
            number("setboard", 1),
            number("usermove", 1),
            number("playother", 1),
            number("sigint", 0),
            number("colors", 0),
            number("analyze", 1),
            number("memory", 1),
            number("smp", 1),
            number("nps", 1),
            number("exclude", 1),
            number("debug", 1),
            number("otherboard", 1),
            number("othertable", 1),
            text("variants", "normal,crazyhouse,bughouse"),
            text("myname", &front::name()),
        ]));
        for mut decl in front::declarations(Audience::XBoard) {
            // python-chess reads a name up to the first blank.
            decl.name = decl.name.replace(' ', "_");
            // `memory` and `cores` say these two.
            if !matches!(decl.name.as_str(), "Hash" | "Threads") {
                out.say(Reply::Features(vec![Feature::Option(decl)]));
            }
        }
        out.say(Reply::Features(vec![number("done", 1)]));
    }

    pub(super) fn think_aloud(&mut self, position: &Position, info: &Info, out: &mut Output) {
        self.answer_status(info.depth, info.nodes, position, None, out);
        if !(self.post || self.mode == super::Mode::Analyze) {
            return;
        }
        let mut pv = line_of(position, &info.pv, uci_move);
        if let Some(Purpose::Ponder(expected)) = self.purpose {
            pv.insert(0, format!("({})", uci_move(self.game.position(), expected)));
        }
        out.say(Reply::Thinking(Thinking {
            depth: info.depth,
            score: info.score,
            time: (info.time.as_millis() / 10) as u64,
            nodes: info.nodes,
            extra: Some([u64::from(info.seldepth), speed(info), 0]),
            pv: pv.join(" "),
        }));
    }

    pub(super) fn answer_status(
        &mut self,
        depth: u32,
        nodes: u64,
        position: &Position,
        at: Option<(Move, u32)>,
        out: &mut Output,
    ) {
        if self.purpose != Some(Purpose::Analysis) || !std::mem::take(&mut self.status_wanted) {
            return;
        }
        let total = position.count_legal_moves();
        let left = at.map_or(0, |(_, number)| total.saturating_sub(number as usize));
        let mv = at.map(|(mv, _)| format!(" {}", uci_move(position, mv))).unwrap_or_default();
        let time = self.started.elapsed().as_millis() / 10;
        out.say(Reply::Status(format!("{time} {nodes} {depth} {left} {total}{mv}")));
    }
}
