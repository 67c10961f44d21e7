//! UBI spoken for the engine.
//!
//! Every `position` tells both boards and all clocks. A board that changed under a running search,
//! or under an answer that is held back by choice, ends that search without a word, as the protocol
//! demands; a change of the other board alone does not touch it. A player without a move who may
//! still get a piece keeps his request open: it is answered once a `position` gives him a move,
//! unless a `go` has begun another before.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::grammar::{Command, Message, Reply};
use crate::engine::{Audience, Change, Clock, Engine, Event, MessageMode, Player, Task, Word};
use crate::protocol::front::{self, AUTHOR, Flow};
use crate::protocol::grammar::info::Info;
use crate::protocol::grammar::setup::Setup;
use crate::protocol::grammar::words::{WordError, quoted};
use crate::protocol::lines::{exchanged, info_of, ubi_move};
use crate::protocol::output::Output;
use crate::protocol::partner;
use crate::protocol::place::Place;
use crate::protocol::uci::{grammar::Go, limits_of, prompt};
use crate::rules::{Position, Variant};
use crate::types::{BoardId, Seat};

/// More keys than any server sends; more would only fill memory.
const MOST_METADATA: usize = 256;

/// A server that keeps to the letter of the protocol asks again after every change of the board,
/// also where a player waits who would answer by himself. Within this time its `go` takes the place
/// of the one that waited, so that it never gets two answers.
const ASKS_AGAIN: Duration = Duration::from_millis(25);

/// A UBI session.
pub struct Session {
    engine: Engine,
    boards: [Position; 2],
    clocks: [i64; 4],
    /// What was told of the partner's board makes no sense: it counts as unknown.
    blind: bool,
    /// The partner has said what cannot be understood.
    puzzled: bool,
    refused: Option<String>,
    unready: usize,
    metadata: BTreeMap<String, String>,
}

impl Session {
    /// A session for this engine.
    pub fn new(mut engine: Engine) -> Session {
        engine.settings_mut().set_variant(Variant::Bughouse, false);
        let start = Position::start(engine.settings().table_rules());
        Session {
            engine,
            boards: [start; 2],
            clocks: [0; 4],
            blind: false,
            puzzled: false,
            refused: None,
            unready: 0,
            metadata: BTreeMap::new(),
        }
    }

    fn set_position(&mut self, setup: &Setup, out: &mut Output) {
        let whole = match (&setup.second, setup.clocks) {
            (Some(_), Some([Some(a), Some(b), Some(c), Some(d)])) => Ok([a, b, c, d]),
            (None, _) => Err("position needs both boards, written A | B".to_string()),
            (Some(_), _) => Err("position needs clock and four numbers".to_string()),
        };
        self.blind = false;
        let read = whole.and_then(|clocks| {
            let settings = self.engine.settings();
            let place = Place::read(setup, settings).or_else(|reason| {
                let own = match settings.player {
                    Player::Seat(_) => Place::read_own(setup, settings),
                    // Whom else we play nobody said.
                    Player::Mover | Player::Team(_) => None,
                };
                self.blind = own.is_some();
                out.doubt("the partner's board", &reason);
                own.ok_or(reason)
            })?;
            match place {
                Place::Two(boards) => Ok((*boards, clocks)),
                Place::One(_) => Err("position needs both boards, written A | B".to_string()),
            }
        });
        match read {
            Ok((boards, clocks)) => {
                self.refused = None;
                let told = self.clocks != [0; 4];
                let before = self.clocks.map(|left| told.then_some(left));
                partner::doubt_clocks(&before, &clocks.map(Some), out);
                self.clocks = clocks;
                let left = |ms: i64| Some(Duration::from_millis(u64::try_from(ms).unwrap_or(0)));
                self.engine.set_clocks(clocks.map(left));
                let mut known = boards.map(Some);
                for board in BoardId::ALL {
                    if self.blind && !self.is_ours(board) {
                        known[board.index()] = None;
                    } else {
                        self.change(board, boards[board.index()], out);
                    }
                }
                self.engine.see(known);
            }
            Err(reason) => {
                complain(out, None, format!("position refused: {reason}"));
                self.refused = Some(reason);
            }
        }
    }

    fn is_ours(&self, board: BoardId) -> bool {
        matches!(self.engine.settings().player, Player::Seat(seat) if seat.board() == board)
    }

    fn change(&mut self, board: BoardId, new: Position, out: &mut Output) {
        let old = std::mem::replace(&mut self.boards[board.index()], new);
        if old.key() == new.key() {
            return;
        }
        if self.engine.waiting(board) && old.turn() == new.turn() {
            if let Err(error) = self.engine.update(board, new, Vec::new()) {
                complain(out, Some(board), error);
            }
            let left = self.clocks[Seat::new(board, new.turn()).index()];
            let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
            self.engine.hold(board, ASKS_AGAIN.min(left / 8));
        } else {
            self.engine.cancel(board);
        }
    }

    fn go(&mut self, board: BoardId, go: &Go, at: Instant, out: &mut Output) {
        let unknown = self.blind && !self.is_ours(board);
        let unknown = unknown.then(|| format!("board {board} is not known"));
        if let Some(reason) = self.refused.as_ref().or(unknown.as_ref()) {
            complain(out, Some(board), format!("no search: the position was refused: {reason}"));
            self.engine.cancel(board);
            return out.say(Reply::BestMove { board, best: None });
        }
        // The limits are hints: without one the engine plays by its clock.
        if let Some(fault) = go.fault() {
            complain(out, Some(board), format!("{fault}: passed over"));
        }
        let position = self.boards[board.index()];
        let mut limits = limits_of(go, &position, at);
        limits.overhead = self.engine.overhead();
        let hinted = limits.depth.is_some() || limits.nodes.is_some() || limits.movetime.is_some();
        if !go.infinite && !hinted {
            let left = self.clocks[Seat::new(board, position.turn()).index()];
            limits.infinite = false;
            limits.clock = Some(Clock {
                remaining: Duration::from_millis(u64::try_from(left).unwrap_or_default()),
                increment: Duration::ZERO,
                moves_to_go: None,
            });
        }
        let task = Task {
            position,
            history: Vec::new(),
            limits,
            multipv: self.engine.settings().multipv,
            ponder: false,
            patient: !go.infinite,
            prompt: prompt(go),
        };
        if let Err(error) = self.engine.go(board, task) {
            complain(out, Some(board), error);
            return out.say(Reply::BestMove { board, best: None });
        }
        if self.engine.waiting(board) {
            let line = Info::waits(None, "", "no move until a piece comes");
            out.say(Reply::Info(Box::new(Info { board: Some(board), ..line })));
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>, out: &mut Output) {
        match self.engine.set(name, value) {
            Ok(Change::Log) => {
                let path = self.engine.settings().log.clone();
                if let Err(error) = out.log_to(&path) {
                    complain(out, None, format!("log file '{}': {error}", quoted(&path)));
                }
            }
            Ok(Change::Rules) => self.change_rules(out),
            Ok(_) => {}
            // The standard asks to pass over what is not known.
            Err(crate::engine::OptionError::Unknown(_)) => {}
            Err(error) => complain(out, None, error),
        }
    }

    fn change_rules(&mut self, out: &mut Output) {
        match Place::Two(Box::new(self.boards)).under(self.engine.settings()) {
            Ok(Place::Two(boards)) => self.boards = *boards,
            Ok(Place::One(_)) => {}
            Err(reason) => {
                complain(out, None, format!("the boards do not fit the rules: {reason}"));
                self.refused = Some(reason);
            }
        }
    }

    /// The partner speaks to the seat that is ours; which it is, the metadata say.
    fn hear_partner(&mut self, message: &Message) {
        let Some(word) = message.word() else { return };
        let settings = self.engine.settings();
        let boards = match settings.player {
            _ if settings.message_mode == MessageMode::Ignore => return,
            Player::Seat(seat) => vec![seat.board()],
            // Who plays both seats needs no words; who knows no seat hears for both boards.
            Player::Team(_) => return,
            Player::Mover => BoardId::ALL.to_vec(),
        };
        if settings.message_mode == MessageMode::Consider && word == Word::Sit {
            return;
        }
        for board in boards {
            self.engine.hear(board, word);
        }
    }

    /// `metadata position white_A,black_B` and `metadata seat WhiteA` tell whom we play.
    fn note(&mut self, key: String, value: String, out: &mut Output) {
        if matches!(key.as_str(), "position" | "seat") {
            match player(&value) {
                Some(player) => self.engine.settings_mut().player = player,
                None => {
                    let shown = quoted(&value);
                    let wanted = "one seat, or both of a team, as white_A,black_B";
                    return complain(out, None, format!("{key} '{shown}' is not {wanted}"));
                }
            }
        }
        if key == "game_result" {
            BoardId::ALL.into_iter().for_each(|board| self.engine.cancel(board));
        }
        if self.metadata.len() < MOST_METADATA || self.metadata.contains_key(&key) {
            self.metadata.insert(key, value);
        }
    }
}

/// The seats a server gives us: one or a team's two. Each `WhiteA`, or as UBI writes it `white_A`.
fn player(text: &str) -> Option<Player> {
    let seats = text.split(',').map(|seat| seat.trim().replace('_', "").parse().ok());
    match seats.collect::<Option<Vec<Seat>>>()?.as_slice() {
        [one] => Some(Player::Seat(*one)),
        [one, other] if one.partner() == *other => Some(Player::Team(one.team())),
        _ => None,
    }
}

fn complain(out: &mut Output, board: Option<BoardId>, what: impl std::fmt::Display) {
    let info = Info { board, ..Info::text(format!("error: {what}")) };
    out.say(Reply::Info(Box::new(info)));
}

impl front::Session for Session {
    type Command = Command;

    fn read(line: &str) -> Result<Command, WordError> {
        Command::parse(line)
    }

    fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    fn misheard(&mut self, line: &str, why: String, out: &mut Output) {
        if line.starts_with("partnermsg") {
            out.doubt("the partner's word", quoted(line));
            // Who speaks so will go on.
            if std::mem::replace(&mut self.puzzled, true) {
                return;
            }
        }
        complain(out, None, &why);
        if line.starts_with("position") {
            self.refused = Some(why);
        }
    }

    fn obey(&mut self, command: Command, _line: &str, at: Instant, out: &mut Output) -> Flow {
        match command {
            Command::Ubi => {
                out.say(Reply::Name(front::name()));
                out.say(Reply::Author(AUTHOR.to_string()));
                for decl in front::declarations(Audience::All) {
                    out.say(Reply::Option(decl));
                }
                out.say(Reply::UbiOk);
            }
            Command::IsReady if self.engine.settled() || self.engine.any_busy() => {
                out.say(Reply::ReadyOk);
            }
            Command::IsReady => self.unready += 1,
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref(), out),
            Command::NewGame => {
                BoardId::ALL.into_iter().for_each(|board| self.engine.cancel(board));
                self.engine.new_game();
                self.boards = [Position::start(self.engine.settings().table_rules()); 2];
                self.refused = None;
                self.clocks = [0; 4];
                self.blind = false;
            }
            Command::Position(setup) => self.set_position(&setup, out),
            Command::Partner(message) => self.hear_partner(&message),
            Command::Go { board, limits } => self.go(board, &limits, at, out),
            Command::Stop(None) => {
                BoardId::ALL.into_iter().for_each(|board| self.engine.cancel(board));
            }
            Command::Stop(Some(board)) => self.engine.cancel(board),
            Command::Metadata(key, value) => self.note(key, value, out),
            Command::Quit => return Flow::Quit,
        }
        Flow::On
    }

    fn tell(&mut self, event: Event, out: &mut Output) {
        match event {
            Event::Infos(board, position, infos) => {
                for info in infos {
                    let line = info_of(&position, &info, Some(board), false);
                    out.say(Reply::Info(Box::new(line)));
                }
            }
            Event::Answer(board, answer) => {
                if answer.broken {
                    complain(out, Some(board), "the search broke off; this is any legal move");
                }
                let mut boards = self.boards;
                boards[board.index()] = answer.position;
                let best = answer
                    .best
                    .map(|mv| exchanged(ubi_move(&answer.position, mv), boards, board, mv));
                out.say(Reply::BestMove { board, best });
            }
            Event::Ready => {
                for _ in 0..std::mem::take(&mut self.unready) {
                    out.say(Reply::ReadyOk);
                }
            }
            Event::Refused(error) => {
                complain(out, None, error);
                if self.engine.settled() {
                    self.tell(Event::Ready, out);
                }
            }
            Event::Say(_, word) => {
                // Who plays one seat has a partner who listens.
                if let (Player::Seat(_), Some(message)) =
                    (self.engine.settings().player, Message::of(word))
                {
                    out.say(Reply::Team(message));
                }
            }
            Event::Sit(board, reason, time) => {
                let why = partner::reason_text(reason);
                let line = Info::waits(Some(time.as_millis()), "", &why);
                out.say(Reply::Info(Box::new(Info { board: Some(board), ..line })));
            }
            Event::CurrMove(..) | Event::Perft(..) | Event::Bench(_) => {}
        }
    }
}
