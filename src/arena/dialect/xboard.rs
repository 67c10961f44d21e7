//! CECP, with the habits of the engines that play bughouse in it.
//!
//! Seen: Fairy-Stockfish reads only the last word of `holding` and as a piece that arrives, wants
//! `memory` and `cores` before `new`, and takes lines it does not know for "move now"; Sjeng reads
//! only the brackets, wants bare moves, and forgets a `variant` sent before `new`; Sunsetter knows
//! neither `ping` nor `usermove`. So nothing is sent that was not asked for by a `feature`.

use super::{Dialect, Heard, Lines, View, say, variant_name};
use crate::arena::clock::{Micros, TimeControl};
use crate::arena::play::{Play, Played};
use crate::protocol::grammar::decl::{Kind, OptionDecl};
use crate::protocol::xboard::grammar::{Command, Feature, Reply, SetOption, Tell};
use crate::rules::{Position, Variant};
use crate::types::{BoardId, Color, HAND_ROLES};

/// The state of a CECP engine.
#[derive(Debug, Default)]
pub struct Xboard {
    name: Option<String>,
    variants: Option<Vec<String>>,
    declared: Vec<OptionDecl>,
    ping: bool,
    setboard: bool,
    usermove: bool,
    named: bool,
    /// It wants to see the partner's board: its moves and hands.
    otherboard: bool,
    /// It also takes that board's position and its clocks.
    othertable: bool,
    /// It knows the partner's board as it is.
    shown: bool,
    talks: bool,
    pings: u32,
    /// It only records moves.
    forced: bool,
    thinking: bool,
    /// A move of a game that is over may still come, and nothing tells it from the next.
    late: bool,
    /// What the last setup was made with, to repeat it.
    options: Vec<(String, String)>,
}

impl Xboard {
    fn features(&mut self, features: Vec<Feature>, out: &mut Lines) -> Option<Heard> {
        let mut done = false;
        for feature in features {
            let on = feature.is_on();
            let name = feature.name().to_string();
            match (name.as_str(), feature) {
                ("ping", _) => self.ping = on,
                ("setboard", _) => self.setboard = on,
                ("usermove", _) => self.usermove = on,
                ("name", _) => self.named = on,
                ("otherboard", _) => self.otherboard = on,
                ("othertable", _) => self.othertable = on,
                ("done", _) => done = on,
                ("myname", Feature::Text(_, name)) => self.name = Some(name),
                ("variants", Feature::Text(_, names)) => {
                    self.variants = Some(names.split(',').map(|v| v.trim().to_string()).collect());
                }
                (_, Feature::Option(option)) => self.declared.push(option),
                _ => {}
            }
            say(out, Command::Accepted(name));
        }
        done.then_some(Heard::Identified)
    }

    /// The clocks, as far as it wants to know them.
    fn times(&self, view: &View<'_>, out: &mut Lines) {
        if !matches!(view.control(), TimeControl::Clock { .. }) {
            return;
        }
        let left = |seat| view.ms(seat) / 10;
        let seat = view.seat;
        say(out, Command::Time(left(seat)));
        say(out, Command::OpponentTime(left(seat.opponent())));
        self.other_times(view, out);
    }

    fn other_times(&self, view: &View<'_>, out: &mut Lines) {
        if self.shown && self.othertable && matches!(view.control(), TimeControl::Clock { .. }) {
            let left = |seat| view.ms(seat) / 10;
            say(out, Command::PartnerTime(left(view.seat.partner())));
            say(out, Command::PartnerOpponentTime(left(view.seat.diagonal())));
        }
    }

    /// A new game with the present position, in force mode.
    fn setup(&mut self, view: &View<'_>, out: &mut Lines) {
        for (name, value) in self.options.iter().filter(|(n, _)| is_command(n)) {
            option(name, value, out);
        }
        say(out, Command::New);
        if view.play.rules().variant != Variant::Chess {
            say(out, Command::Variant(variant_name(view.play).to_string()));
        }
        let centiseconds = |us: Micros| (us / 10_000).max(0) as u64;
        match view.control() {
            TimeControl::Clock { moves, base, increment } => say(
                out,
                Command::Level {
                    moves: moves.unwrap_or(0),
                    base: centiseconds(base),
                    increment: centiseconds(increment),
                },
            ),
            TimeControl::PerMove(us) => say(out, Command::MoveTime(centiseconds(us).max(1))),
            TimeControl::Infinite => {}
        }
        if let Some(depth) = view.limits.depth {
            say(out, Command::Depth(depth));
        }
        say(out, Command::Post);
        say(out, Command::Easy);
        for (name, value) in self.options.iter().filter(|(n, _)| !is_command(n)) {
            option(name, value, out);
        }
        if self.named {
            let opponent = &view.names[view.seat.opponent().index()];
            say(out, Command::Ignored(format!("name {opponent}")));
        }
        say(out, Command::Force);
        self.forced = true;
        self.thinking = false;
        let board = view.seat.board();
        let array = Position::start(view.play.rules()).fen();
        let fen = view.play.position(board).fen();
        if fen != array {
            // In bughouse the hands are told apart; old engines know no empty brackets.
            let plain = view.play.is_double() || fen.contains("[]");
            say(out, Command::SetBoard(if plain { bare(&fen) } else { fen }));
        }
        if view.play.is_double() {
            let partner = view.names[view.seat.partner().index()].clone();
            say(out, Command::Partner(Some(partner)));
            self.all_hands(view, out);
            let other = view.play.position(board.other()).fen();
            self.shown = self.otherboard && (self.othertable || other == array);
            if self.shown && self.othertable {
                say(out, Command::PartnerSetBoard(other));
            }
        }
    }

    /// Every piece in the hands of the own board, once by the brackets and once by the pieces, for
    /// the two ways engines read `holding`.
    fn all_hands(&self, view: &View<'_>, out: &mut Lines) {
        let (white, black) = view.hands(view.seat.board());
        for (color, hand) in [(Color::White, white), (Color::Black, black)] {
            // Queens first, as the brackets show them.
            for (role, count) in HAND_ROLES.into_iter().zip(hand).rev() {
                for _ in 0..count {
                    say(out, Command::Holding { white, black, added: Some(Tell { color, role }) });
                }
            }
        }
    }

    /// A move on the other board, for an engine that watches it.
    fn show_other(&self, played: &Played, view: &View<'_>, out: &mut Lines) {
        if self.shown {
            self.other_times(view, out);
            say(out, Command::PartnerMove(played.uci.clone()));
        }
    }

    /// A piece went from its board to the partner's.
    fn show_other_hands(&self, board: BoardId, view: &View<'_>, out: &mut Lines) {
        if self.shown {
            let (white, black) = view.hands(board);
            say(out, Command::PartnerHolding(white, black));
        }
    }
}

/// Options that are commands of their own.
fn is_command(name: &str) -> bool {
    matches!(name, "memory" | "cores")
}

/// Sets an option in whatever way it is set.
fn option(name: &str, value: &str, out: &mut Lines) {
    if is_command(name) {
        out.push(format!("{name} {value}"));
    } else {
        let (name, value) = (name.to_string(), Some(value.to_string()));
        say(out, Command::Option(SetOption { name, value }));
    }
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

impl Dialect for Xboard {
    fn greet(&mut self, out: &mut Lines) {
        say(out, Command::XBoard);
        say(out, Command::Protover(2));
    }

    fn silent_greeting(&self) -> bool {
        true
    }

    fn hear(&mut self, line: &str, out: &mut Lines) -> Option<Heard> {
        Some(match Reply::parse(line).ok()? {
            Reply::Features(features) => return self.features(features, out),
            Reply::Pong(n) if n.parse() == Ok(self.pings) => Heard::Ready,
            Reply::Move(mv) => {
                self.thinking = false;
                Heard::Move(mv)
            }
            Reply::Resign => Heard::Resign,
            Reply::TellIcs(words) if words == "resign" => Heard::Resign,
            Reply::OfferDraw => Heard::OfferDraw,
            Reply::PartnerTell(words) => Heard::Talk(words),
            Reply::Result { .. } => {
                self.thinking = false;
                Heard::Claim(line.to_string())
            }
            Reply::IllegalMove { .. } => Heard::Refused(line.to_string()),
            Reply::Other(text) if text.starts_with("Illegal") => Heard::Refused(text),
            Reply::Thinking(thinking) => Heard::thought(thinking.score, thinking.depth),
            _ => return None,
        })
    }

    fn unfit(&self, play: &Play) -> Option<String> {
        let wanted =
            if play.rules().variant == Variant::Chess { "normal" } else { variant_name(play) };
        let variants = self.variants.as_ref()?;
        let listed = || variants.join(",").chars().take(120).collect::<String>();
        (!variants.iter().any(|v| v == wanted))
            .then(|| format!("does not play {wanted} (it offers {})", listed()))
    }

    fn set_option(&mut self, name: &str, value: &str, out: &mut Lines) {
        option(name, value, out);
    }

    fn complaint(&self, line: &str) -> Option<String> {
        match Reply::parse(line).ok()? {
            Reply::Error { reason, .. } if !reason.is_empty() => Some(reason),
            Reply::Error { line, .. } => Some(line),
            _ => None,
        }
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
        say(out, Command::Go);
        self.forced = false;
        self.thinking = true;
    }

    fn played(&mut self, played: &Played, view: &View<'_>, out: &mut Lines) {
        let own = view.seat.board();
        if played.seat.board() != own {
            self.show_other(played, view, out);
            if let Some((seat, captured)) = played.crossed {
                let (white, black) = view.hands(own);
                let added = Some(Tell { color: seat.color(), role: captured.role });
                say(out, Command::Holding { white, black, added });
            }
            return;
        }
        if played.crossed.is_some() {
            self.show_other_hands(own.other(), view, out);
        }
        if played.seat == view.seat {
            self.thinking = false;
            return;
        }
        if !self.forced {
            self.times(view, out);
            self.thinking = true;
        }
        match self.usermove {
            true => say(out, Command::Move(played.uci.clone())),
            false => say(out, &played.uci),
        }
    }

    fn tell(&mut self, text: &str, out: &mut Lines) {
        if self.talks {
            say(out, Command::PartnerTell(text.to_string()));
        }
    }

    fn revive(&mut self, view: &View<'_>, out: &mut Lines) {
        self.setup(view, out);
    }

    fn loses_track(&self) -> bool {
        true
    }

    fn offer_draw(&mut self, out: &mut Lines) -> bool {
        say(out, Command::Draw);
        true
    }

    fn game_over(&mut self, result: &str, reason: &str, out: &mut Lines) {
        say(out, Command::Force);
        say(out, Command::Result(format!("{result} {{{reason}}}")));
        // With a ping it will be known when it has done with this game.
        self.late = self.thinking && !self.ping;
        self.forced = true;
        self.thinking = false;
    }

    fn ping(&mut self, out: &mut Lines) -> bool {
        if self.ping {
            self.pings += 1;
            say(out, Command::Ping(self.pings.to_string()));
        }
        self.ping
    }

    // Options need not be declared here: `memory` and `cores` are words of their own, and a check
    // is written in more than one way.
    fn refuses(&self, name: &str, value: &str) -> Option<String> {
        let declared = self.declared.iter().find(|decl| decl.name.eq_ignore_ascii_case(name))?;
        if matches!(declared.kind, Kind::Check { .. }) {
            return None;
        }
        Some(format!("refuses it: {}", declared.accepts(value).err()?))
    }

    fn may_answer_late(&self) -> bool {
        self.late
    }

    fn own_name(&self) -> Option<&str> {
        self.name.as_deref()
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
    fn who_wants_to_sees_the_other_board() {
        let clocks = [SeatClock::new("10+0".parse().unwrap(), 0); 4];
        let names = ["a", "b", "c", "d"].map(String::from);
        let mut play = Play::new(Rules::BUGHOUSE, None).unwrap();
        fn view<'a>(
            play: &'a Play,
            clocks: &'a [SeatClock; 4],
            names: &'a [String; 4],
        ) -> View<'a> {
            let limits = GoLimits::default();
            View { play, seat: Seat::WhiteA, now: 0, clocks, names, limits }
        }
        for (features, moves) in [
            ("ping=1", &["holding [] [P] BP"][..]),
            ("otherboard=1", &["pmove e2e4", "pmove d7d5", "pmove e4d5", "holding [] [P] BP"]),
            (
                "otherboard=1 othertable=1",
                &[
                    "ptime 1000",
                    "potim 1000",
                    "pmove e2e4",
                    "ptime 1000",
                    "potim 1000",
                    "pmove d7d5",
                    "ptime 1000",
                    "potim 1000",
                    "pmove e4d5",
                    "holding [] [P] BP",
                ],
            ),
        ] {
            play = Play::new(play.rules(), None).unwrap();
            let mut xboard = Xboard::default();
            let mut out = Vec::new();
            xboard.hear(&format!("feature {features} done=1"), &mut out);
            xboard.new_game(&[], &view(&play, &clocks, &names), &mut out);
            let whole = features.contains("othertable");
            assert_eq!(
                out.iter().any(|line| line.starts_with("psetboard rnbqkbnr/")),
                whole,
                "{out:?}"
            );
            out.clear();
            for (seat, mv) in [(Seat::WhiteB, "e4"), (Seat::BlackB, "d5"), (Seat::WhiteB, "exd5")] {
                let played = play.play(seat, mv).unwrap();
                xboard.played(&played, &view(&play, &clocks, &names), &mut out);
            }
            assert_eq!(out, moves, "{features}");
        }
    }

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
        assert_eq!(xboard.hear("feature done=0", &mut out), None);
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
        assert_eq!(hear("  3 100004 10 480 Nf3"), Some(Heard::Thought { score: 31_996, depth: 3 }));
        assert_eq!(hear("Chess"), None);
        assert_eq!(bare("k7/8/8/8/8/8/8/7Q~[Pp] w - - 0 1"), "k7/8/8/8/8/8/8/7Q w - - 0 1");
    }
}
