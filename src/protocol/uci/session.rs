//! UCI spoken for the engine.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::grammar::{Command, Go, Reply};
use crate::engine::{Audience, BENCH_DEPTH, Change, Clock, Engine, Event, Limits, Player, Task};
use crate::protocol::front::{self, AUTHOR, Flow};
use crate::protocol::grammar::info::Info;
use crate::protocol::grammar::setup::Setup;
use crate::protocol::grammar::talk::Talk;
use crate::protocol::grammar::words::{Clocks, WordError, no_piece, quoted};
use crate::protocol::lines::{exchanged, info_of, shown, uci_move};
use crate::protocol::output::Output;
use crate::protocol::partner;
use crate::protocol::place::Place;
use crate::rules::{Position, Status, Variant, notation};
use crate::types::{BoardId, Color, Seat};

/// Before this a root move's name is of no interest to anyone.
const SHOW_MOVES_AFTER: Duration = Duration::from_secs(2);

/// A UCI session.
pub struct Session {
    engine: Engine,
    place: Place,
    clocks: Option<Clocks>,
    /// The message that led to this place, where nothing else has changed it since.
    told: Option<Setup>,
    /// What was told of the partner's board makes no sense: it counts as unknown until both boards
    /// are told again.
    blind: bool,
    /// The last `position` was refused, and why: what stands here is not what the GUI means.
    refused: Option<String>,
    debug: bool,
    /// `isready` that waits for a change of the table to be made.
    unready: usize,
    /// When the running search was asked for.
    asked: Instant,
    /// The moves of a team that plays both boards, as they come.
    team: Option<Team>,
    /// Requests that came before the one at work was answered.
    queue: VecDeque<Order>,
}

/// A request, ready to be begun.
#[derive(Clone, Debug)]
struct Order {
    /// What to search on which board, or why nothing is.
    tasks: Result<Vec<(BoardId, Task)>, String>,
    /// The one answer names the moves of both boards.
    team: bool,
    at: Instant,
    /// A `stop` came before it could begin.
    stopped: bool,
}

/// An answer for two boards, complete when nothing is open.
#[derive(Clone, Debug, Default)]
struct Team {
    open: Vec<BoardId>,
    moves: [Option<String>; 2],
}

impl Session {
    /// A session for this engine.
    pub fn new(engine: Engine) -> Session {
        let place = Place::start(engine.settings().rules());
        Session {
            engine,
            place,
            clocks: None,
            told: None,
            blind: false,
            refused: None,
            debug: false,
            unready: 0,
            asked: Instant::now(),
            team: None,
            queue: VecDeque::new(),
        }
    }

    fn greet(&self, out: &mut Output) {
        out.say(Reply::Name(front::name()));
        out.say(Reply::Author(AUTHOR.to_string()));
        for decl in front::declarations(Audience::Uci) {
            out.say(Reply::Option(decl));
        }
        out.say(Reply::UciOk);
    }

    fn set_option(&mut self, name: &str, value: Option<&str>, out: &mut Output) {
        match self.engine.set(name, value) {
            Ok(Change::Rules) => self.change_rules(),
            Ok(Change::Log) => {
                let path = self.engine.settings().log.clone();
                if let Err(error) = out.log_to(&path) {
                    complain(out, format!("log file '{}': {error}", quoted(&path)));
                }
            }
            Ok(_) => {}
            Err(error) => complain(out, error),
        }
    }

    fn change_rules(&mut self) {
        self.told = None;
        match self.place.under(self.engine.settings()) {
            Ok(place) => self.place = place,
            // A GUI sets the variant first and the position next.
            Err(_) => self.place = Place::start(self.engine.settings().rules()),
        }
    }

    fn set_position(&mut self, setup: Setup, out: &mut Output) {
        // A GUI tells the whole game with every move: only what is new is played.
        let mut read = match self.told.as_ref().and_then(|told| setup.goes_on(told)) {
            Some(known) if !self.at_table() => {
                self.place.play_on(&setup.moves, known).map(|()| None)
            }
            _ => Place::read(&setup, self.engine.settings()).map(Some),
        };
        self.blind = false;
        if let Err(reason) = &read
            && let Some(own) = Place::read_own(&setup, self.engine.settings())
        {
            out.doubt("the partner's board", reason);
            self.blind = true;
            read = Ok(Some(own));
        }
        match read {
            Ok(None) => {
                self.refused = None;
                self.engine.see(self.place.boards());
                self.told = Some(setup);
            }
            Ok(Some(place)) => {
                self.refused = None;
                if let Some(clocks) = setup.clocks {
                    self.set_clocks(clocks, out);
                }
                let before = std::mem::replace(&mut self.place, place);
                if self.at_table() {
                    self.update_boards(&before, out);
                } else {
                    // A GUI with one board sets up the next search; the present one goes on.
                    self.engine.see(self.place.boards());
                }
                self.told = Some(setup);
            }
            Err(reason) => {
                complain(out, format!("position refused: {reason}"));
                self.refused = Some(reason);
            }
        }
    }

    fn set_clocks(&mut self, clocks: Clocks, out: &mut Output) {
        partner::doubt_clocks(&self.clocks.unwrap_or_default(), &clocks, out);
        self.clocks = Some(clocks);
        self.engine.set_clocks(clocks.map(|left| left.map(millis)));
    }

    /// Both boards as far as what was told of them makes sense.
    fn known_boards(&self, out: &mut Output) -> [Option<Position>; 2] {
        let mut boards = self.place.boards();
        let ours = matches!(self.engine.settings().player, Player::Team(_));
        if let ([Some(a), Some(b)], false) = (&boards, ours)
            && (self.blind || partner::contradict(a, b, out))
        {
            boards[self.own_board().other().index()] = None;
        }
        boards
    }

    /// Whether the engine sits at a table, where boards and hands change while it thinks.
    fn at_table(&self) -> bool {
        self.engine.settings().two_board || matches!(self.place, Place::Two(_))
    }

    fn update_boards(&mut self, before: &Place, out: &mut Output) {
        let known = self.known_boards(out);
        self.engine.see(known);
        let own = self.place.to_move(self.engine.settings().player);
        for order in &mut self.queue {
            for (board, task) in order.tasks.iter_mut().flatten() {
                if own.contains(board) {
                    task.position = *self.place.board(*board);
                }
            }
        }
        for board in BoardId::ALL {
            if !self.engine.busy(board) || self.engine.pondering(board) {
                continue;
            }
            let (old, new) = (before.board(board), *self.place.board(board));
            if !own.contains(&board) {
                // The move was made without us; the request still gets its answer.
                self.engine.cancel(board);
                self.answer(board, &new, None, None, out);
                self.begin_next(out);
            } else if old.key() != new.key() && self.concerns(board, old) {
                let result = self.engine.update(board, new, self.place.history());
                self.report(result, out);
            }
        }
    }

    fn report<E: std::fmt::Display>(&self, result: Result<(), E>, out: &mut Output) {
        if let Err(error) = result {
            complain(out, error);
        }
    }

    /// Whether a change of this position is one of what is searched: with one board, a client may
    /// have set up its next position meanwhile.
    fn concerns(&self, board: BoardId, old: &Position) -> bool {
        let searched = self.engine.position(board);
        self.at_table() || searched.is_some_and(|position| position.key() == old.key())
    }

    /// The board whose hands `holding` tells: the own one.
    fn own_board(&self) -> BoardId {
        match (&self.place, self.engine.settings().player) {
            (Place::Two(_), Player::Seat(seat)) => seat.board(),
            _ => BoardId::A,
        }
    }

    /// Changes a board, or says why not.
    fn change_place(
        &mut self,
        word: &str,
        out: &mut Output,
        change: impl FnOnce(&mut Place) -> Result<(), String>,
    ) -> bool {
        self.told = None;
        let mut place = self.place.clone();
        let changed = change(&mut place);
        match &changed {
            Ok(()) => {
                let before = std::mem::replace(&mut self.place, place);
                self.update_boards(&before, out);
            }
            Err(reason) => complain(out, format!("{word} refused: {reason}")),
        }
        changed.is_ok()
    }

    /// Changes the partner's board. What does not fit means that the board is another than we thought.
    fn change_partner(
        &mut self,
        word: &str,
        out: &mut Output,
        change: impl FnOnce(&mut Place) -> Result<(), String>,
    ) {
        if !self.blind && !self.change_place(word, out, change) {
            self.blind = matches!(self.place, Place::Two(_));
            let before = self.place.clone();
            self.update_boards(&before, out);
        }
    }

    fn go(&mut self, go: &Go, at: Instant, out: &mut Output) {
        let player = self.engine.settings().player;
        let boards = self.place.to_move(player);
        let refusal = match (&self.refused, boards.first(), go.perft) {
            (Some(reason), ..) => Some(format!("no search: the position was refused: {reason}")),
            (None, Some(_), Some(0)) => {
                return out.say("\nNodes searched: 1");
            }
            (None, Some(_), Some(depth)) => {
                let result = self.engine.perft(*self.place.board(BoardId::A), depth);
                return self.report(result, out);
            }
            (None, None, _) => Some(match player {
                Player::Seat(seat) => format!("no search: {seat} is not to move"),
                _ => "no search: the team is to move on neither board".to_string(),
            }),
            (None, Some(_), None) => None,
        };
        let tasks: Result<Vec<_>, String> = match refusal {
            Some(reason) => Err(reason),
            None => boards.iter().map(|b| Ok((*b, self.task(go, *b, at)?))).collect(),
        };
        if let (Some(fault), Ok(_)) = (go.fault(), &tasks) {
            complain(out, format!("{fault}: passed over"));
        }
        let team = matches!(self.place, Place::Two(_)) && matches!(player, Player::Team(_));
        self.queue.push_back(Order { tasks, team, at, stopped: false });
        if self.busy() {
            // The GUI did not wait for the move: it gets it now, and then the next.
            self.engine.stop_all();
        } else {
            self.begin_next(out);
        }
    }

    fn busy(&self) -> bool {
        BoardId::ALL.into_iter().any(|board| self.engine.busy(board))
    }

    /// Begins what waits in the queue, until something is searched.
    fn begin_next(&mut self, out: &mut Output) {
        while !self.busy() {
            let Some(order) = self.queue.pop_front() else { return };
            let Order { tasks, team, at, stopped } = order;
            self.asked = at;
            match tasks {
                Err(reason) => {
                    complain(out, reason);
                    out.say(Reply::BestMove { best: None, ponder: None });
                }
                // Overtaken before it began: it gets a move, and no time.
                Ok(tasks) if !self.queue.is_empty() => {
                    self.open_boards(&tasks, team);
                    for (board, task) in tasks {
                        let any = task.position.legal_moves().first().copied();
                        self.answer(board, &task.position, any, None, out);
                    }
                }
                Ok(tasks) => {
                    self.open_boards(&tasks, team);
                    self.begin(tasks, out);
                }
            }
            if stopped {
                self.engine.stop_all();
            }
        }
    }

    /// Which boards an answer must name.
    fn open_boards(&mut self, tasks: &[(BoardId, Task)], team: bool) {
        let open = tasks.iter().map(|(board, _)| *board).collect();
        self.team = team.then(|| Team { open, ..Team::default() });
    }

    fn begin(&mut self, tasks: Vec<(BoardId, Task)>, out: &mut Output) {
        for (board, task) in tasks {
            if let Err(error) = self.engine.go(board, task) {
                complain(out, error);
                let position = *self.place.board(board);
                self.answer(board, &position, None, None, out);
            } else if self.engine.waiting(board) {
                let why = format!("no move on board {board} until a piece comes");
                out.say(Reply::Info(Box::new(Info::waits(None, "", &why))));
            }
        }
    }

    fn task(&self, go: &Go, board: BoardId, at: Instant) -> Result<Task, String> {
        let settings = self.engine.settings();
        let position = *self.place.board(board);
        let mut limits = limits_of(go, &position, at);
        limits.overhead = self.engine.overhead();
        for text in &go.searchmoves {
            let mv = notation::from_uci(&position, text)
                .map_err(|error| format!("no search: searchmoves: {error}"))?;
            limits.search_moves.push(mv);
        }
        let told = [go.wtime, go.btime, go.movetime].iter().any(Option::is_some);
        if let (Some(clocks), false, false) = (self.clocks, told, go.infinite) {
            let bounded = go.depth.is_some() || go.nodes.is_some() || go.mate.is_some();
            let seat = Seat::new(board, position.turn());
            if let (Some(left), false) = (clocks[seat.index()], bounded) {
                limits.clock = Some(clock(left, None, None));
                limits.infinite = false;
            }
        }
        // A GUI that misspelt its limit waits for a move, not for a search without end.
        if let (Some(fault), true, false) = (go.fault(), limits.infinite, go.infinite) {
            return Err(format!("no search: {fault}"));
        }
        let table = self.at_table() && position.rules().variant == Variant::Bughouse;
        Ok(Task {
            position,
            history: self.place.history(),
            patient: table && !limits.infinite && !go.ponder,
            prompt: prompt(go),
            limits,
            multipv: settings.multipv,
            ponder: go.ponder,
        })
    }

    fn answer(
        &mut self,
        board: BoardId,
        position: &Position,
        best: Option<crate::types::Move>,
        ponder: Option<crate::types::Move>,
        out: &mut Output,
    ) {
        let text = best.map(|mv| match &self.place {
            Place::One(_) => uci_move(position, mv),
            Place::Two(boards) => {
                let mut boards = **boards;
                boards[board.index()] = *position;
                exchanged(uci_move(position, mv), boards, board, mv)
            }
        });
        if let Some(team) = &mut self.team {
            team.open.retain(|open| *open != board);
            team.moves[board.index()] = text;
            if team.open.is_empty() {
                // As Hivemind writes the moves of a team.
                let [a, b] = team.moves.clone().map(|mv| mv.unwrap_or_else(|| "pass".into()));
                self.team = None;
                out.say(Reply::BestMove { best: Some(format!("({a},{b})")), ponder: None });
            }
            return;
        }
        let ponder = best.zip(ponder).and_then(|(best, reply)| {
            let mut next = *position;
            next.make(best);
            next.is_legal(reply).then(|| uci_move(&next, reply))
        });
        out.say(Reply::BestMove { best: text, ponder });
    }

    fn show(&self, out: &mut Output) {
        match &self.place {
            Place::One(game) => shown(game.position(), Some(game)).iter().for_each(|l| out.say(l)),
            Place::Two(boards) => {
                for (board, position) in BoardId::ALL.iter().zip(boards.iter()) {
                    out.say(format!("Board: {board}"));
                    shown(position, None).iter().for_each(|line| out.say(line));
                }
            }
        }
    }
}

/// One line of text for the GUI.
fn say(out: &mut Output, text: impl Into<String>) {
    out.say(Reply::Info(Box::new(Info::text(text))));
}

/// One line about something wrong.
fn complain(out: &mut Output, what: impl std::fmt::Display) {
    say(out, format!("error: {what}"));
}

/// Milliseconds, of which a late clock may show a negative number.
fn millis(value: i64) -> Duration {
    Duration::from_millis(u64::try_from(value).unwrap_or_default())
}

fn clock(remaining: i64, increment: Option<i64>, moves_to_go: Option<u32>) -> Clock {
    Clock {
        remaining: millis(remaining),
        increment: millis(increment.unwrap_or_default()),
        moves_to_go: moves_to_go.filter(|moves| *moves > 0),
    }
}

/// Whether a `go` names no time, only the size of the search: then the table's time does not pass
/// by itself.
pub(in crate::protocol) fn prompt(go: &Go) -> bool {
    let timed = [go.wtime, go.btime, go.movetime].iter().any(Option::is_some);
    !timed && (go.nodes.is_some() || go.depth.is_some())
}

/// The limits a `go` asks for. Without any it is a search until `stop`.
pub(in crate::protocol) fn limits_of(go: &Go, position: &Position, at: Instant) -> Limits {
    let (time, increment) = match position.turn() {
        Color::White => (go.wtime, go.winc),
        Color::Black => (go.btime, go.binc),
    };
    let mut limits = Limits::new(at);
    limits.depth = go.depth;
    limits.nodes = go.nodes;
    limits.mate = go.mate;
    limits.movetime = go.movetime.map(millis);
    limits.clock = time.map(|time| clock(time, increment, go.movestogo));
    let bounded = limits.depth.is_some()
        || limits.nodes.is_some()
        || limits.movetime.is_some()
        || limits.clock.is_some();
    limits.infinite = go.infinite || !bounded && go.mate.is_none();
    if let (Some(moves), false, false) = (go.mate, bounded, go.infinite) {
        // A mate in n shows within 2n plies; a little more, since the search prunes.
        limits.depth = Some(moves.saturating_mul(2).saturating_add(2));
    }
    limits
}

impl front::Session for Session {
    type Command = Command;

    fn read(line: &str) -> Result<Command, WordError> {
        Command::parse(line)
    }

    fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    fn stop(&mut self) {
        self.queue.iter_mut().for_each(|order| order.stopped = true);
        self.engine.stop_all();
    }

    fn misheard(&mut self, line: &str, why: String, out: &mut Output) {
        complain(out, &why);
        if line.starts_with("position") {
            self.refused = Some(why);
        }
    }

    fn obey(&mut self, command: Command, line: &str, at: Instant, out: &mut Output) -> Flow {
        if let (Command::Holding(..) | Command::PartnerHolding(..), Some(letter)) =
            (&command, no_piece(line))
        {
            out.doubt("a hand", format!("'{letter}' is no piece"));
        }
        match command {
            Command::Uci => self.greet(out),
            Command::Debug(on) => self.debug = on,
            Command::IsReady if self.engine.settled() || self.engine.any_busy() => {
                out.say(Reply::ReadyOk);
            }
            Command::IsReady => self.unready += 1,
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref(), out),
            Command::Register => {}
            Command::NewGame => {
                self.engine.new_game();
                self.place = Place::start(self.engine.settings().rules());
                self.told = None;
                self.refused = None;
                self.clocks = None;
                self.blind = false;
            }
            Command::Position(setup) => self.set_position(setup, out),
            Command::Go(go) => self.go(&go, at, out),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                BoardId::ALL.into_iter().for_each(|board| self.engine.ponderhit(board, at));
            }
            Command::Quit => return Flow::Quit,
            Command::Holding(white, black) => {
                let board = self.own_board();
                self.change_place("holding", out, |p| p.set_hands(board, &white, &black));
            }
            Command::PartnerHolding(white, black) => {
                let board = self.own_board().other();
                self.change_partner("pholding", out, |place| match place {
                    Place::One(_) => Err("the partner's board is not known".to_string()),
                    Place::Two(_) => place.set_hands(board, &white, &black),
                });
            }
            Command::PartnerMove(text) => {
                let board = self.own_board().other();
                self.change_partner("pmove", out, |place| place.play_partner(board, &text));
            }
            Command::Clock(clocks) => self.set_clocks(clocks, out),
            Command::PartnerTell(text) => {
                if self.debug {
                    say(out, format!("partner: {}", quoted(&text)));
                }
                let board = self.own_board();
                if let Some(word) = partner::hear(&text, self.place.board(board), out) {
                    self.engine.hear(board, word);
                }
            }
            Command::Display => self.show(out),
            Command::Eval => {
                for board in self.place.to_move(self.engine.settings().player) {
                    let value = self.engine.evaluate(self.place.board(board));
                    out.say(format!("Evaluation: {value} cp for the side to move"));
                }
            }
            Command::Bench(depth) => {
                let position = *self.place.board(BoardId::A);
                let result = self.engine.bench(position, depth.unwrap_or(BENCH_DEPTH));
                self.report(result, out);
            }
        }
        Flow::On
    }

    fn tell(&mut self, event: Event, out: &mut Output) {
        match event {
            Event::Infos(board, position, infos) => {
                let wdl = self.engine.settings().show_wdl;
                for info in infos {
                    let mut line = info_of(&position, &info, None, wdl);
                    line.board = matches!(self.place, Place::Two(_)).then_some(board);
                    out.say(Reply::Info(Box::new(line)));
                }
            }
            Event::CurrMove(_, position, depth, mv, number) => {
                if self.asked.elapsed() >= SHOW_MOVES_AFTER {
                    out.say(Reply::Info(Box::new(Info {
                        depth: Some(depth),
                        currmove: Some(uci_move(&position, mv)),
                        currmovenumber: Some(number),
                        ..Info::default()
                    })));
                }
            }
            Event::Answer(board, answer) => {
                if answer.broken {
                    complain(out, "the search broke off; this is any legal move");
                }
                let position = answer.position;
                if answer.best.is_none() && position.status() != Status::Ongoing && self.debug {
                    say(out, format!("no move: {:?}", position.status()));
                }
                self.answer(board, &position, answer.best, answer.ponder, out);
                self.begin_next(out);
            }
            Event::Perft(position, counts) => {
                let total: u64 = counts.iter().map(|(_, count)| count).sum();
                let whole = counts.len() == position.legal_moves().len();
                for (mv, count) in counts {
                    out.say(format!("{}: {count}", uci_move(&position, mv)));
                }
                out.say("");
                // What was counted until then is no count of the position.
                let stopped = if whole { "" } else { " (stopped: not all moves were counted)" };
                out.say(format!("Nodes searched: {total}{stopped}"));
            }
            Event::Say(_, word) => {
                // Who plays one seat of a table has a partner who may listen.
                if let (Player::Seat(_), Some(text)) =
                    (self.engine.settings().player, Talk::Word(word).say())
                {
                    out.say(Reply::PartnerTell(text));
                }
            }
            Event::Sit(board, reason, time) => {
                let (most, place) = (Some(time.as_millis()), format!(" board {board}"));
                let line = Info::waits(most, &place, &partner::reason_text(reason));
                out.say(Reply::Info(Box::new(line)));
            }
            Event::Bench(report) => {
                out.say(format!("{} nodes {} nps", report.nodes, report.speed()));
            }
            Event::Ready => {
                for _ in 0..std::mem::take(&mut self.unready) {
                    out.say(Reply::ReadyOk);
                }
            }
            Event::Refused(error) => {
                complain(out, error);
                if self.engine.settled() {
                    self.tell(Event::Ready, out);
                }
            }
        }
    }
}
