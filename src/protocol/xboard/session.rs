//! CECP spoken for the engine.

mod say;
mod table;

use std::time::Instant;

use super::grammar::{Command, Reply, SetOption};
use super::hands::Hands;
use super::partner::Partner;
use super::timing::Timing;
use crate::engine::{Answer, Change, Engine, Event, Limits, MOST_THREADS, Task};
use crate::protocol::front::{self, Flow};
use crate::protocol::grammar::talk::Talk;
use crate::protocol::grammar::words::{WordError, no_piece, quoted};
use crate::protocol::lines::uci_move;
use crate::protocol::output::Output;
use crate::protocol::partner;
use crate::rules::game::{EndReason, Game};
use crate::rules::{Position, Rules, Status, Variant, notation};
use crate::types::{BoardId, Color, Move, Score};

/// The one board CECP knows.
const BOARD: BoardId = BoardId::A;
/// A draw is welcome at this score or below, in centipawns.
const DRAW_WELCOME: i32 = -40;
/// Hopeless, where `Resign` is on: this score or below, so many moves in a row.
const HOPELESS: i32 = -1200;
const HOPELESS_MOVES: u32 = 4;

/// What the engine does with a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// It watches both sides.
    Force,
    /// It plays a colour.
    Play(Color),
    /// It analyses.
    Analyze,
}

/// What a running search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Move,
    /// The reply expected, thought about in the opponent's time.
    Ponder(Move),
    Analysis,
}

/// A CECP session.
pub struct Session {
    engine: Engine,
    game: Game,
    mode: Mode,
    purpose: Option<Purpose>,
    timing: Timing,
    hands: Hands,
    partner: Partner,
    /// The last `setboard` was refused, and why.
    refused: Option<String>,
    post: bool,
    hard: bool,
    paused: bool,
    /// No `new` has come yet: a `variant` before it is meant for the first game.
    fresh: bool,
    draw_offered: bool,
    excluded: Vec<Move>,
    /// `.` is answered by the next thing the analysis tells.
    status_wanted: bool,
    expected: Option<Move>,
    last_score: Option<Score>,
    hopeless: u32,
    own_moves: u32,
    started: Instant,
}

impl Session {
    /// A session for this engine.
    pub fn new(mut engine: Engine) -> Session {
        engine.settings_mut().set_variant(Variant::Chess, false);
        let game = Game::new(Position::start(engine.settings().rules()));
        Session {
            engine,
            game,
            mode: Mode::Force,
            purpose: None,
            timing: Timing::new(),
            hands: Hands::default(),
            partner: Partner::default(),
            refused: None,
            post: false,
            hard: false,
            paused: false,
            fresh: true,
            draw_offered: false,
            excluded: Vec::new(),
            status_wanted: false,
            expected: None,
            last_score: None,
            hopeless: 0,
            own_moves: 0,
            started: Instant::now(),
        }
    }

    fn rules(&self) -> Rules {
        self.engine.settings().rules()
    }

    fn bughouse(&self) -> bool {
        self.game.position().rules().variant == Variant::Bughouse
    }

    /// Ends whatever is searched, without a word.
    fn halt(&mut self) {
        self.engine.cancel(BOARD);
        self.purpose = None;
    }

    fn new_game(&mut self) {
        self.halt();
        if !self.fresh {
            self.engine.settings_mut().set_variant(Variant::Chess, false);
        }
        self.fresh = false;
        self.engine.new_game();
        self.timing.new_game();
        self.begin(Position::start(self.rules()));
        self.mode = Mode::Play(Color::Black);
        self.paused = false;
        self.partner.new_game(self.rules());
    }

    /// Another position, and nothing left of what was before it.
    fn begin(&mut self, position: Position) {
        self.game = Game::new(position);
        self.hands.reset();
        self.excluded.clear();
        self.refused = None;
        self.draw_offered = false;
        self.expected = None;
        self.last_score = None;
        self.hopeless = 0;
        self.own_moves = 0;
    }

    fn variant(&mut self, name: &str, line: &str, out: &mut Output) {
        let (variant, chess960) = match name.to_ascii_lowercase().as_str() {
            "normal" | "chess" | "standard" => (Variant::Chess, false),
            "fischerandom" => (Variant::Chess, true),
            "crazyhouse" => (Variant::Crazyhouse, false),
            "bughouse" => (Variant::Bughouse, false),
            _ => return error(out, format!("unknown variant '{}'", quoted(name)), line),
        };
        self.halt();
        self.engine.settings_mut().set_variant(variant, chess960);
        self.begin(Position::start(self.rules()));
        self.partner.new_game(self.rules());
    }

    fn set_option(&mut self, option: &SetOption, line: &str, at: Instant, out: &mut Output) {
        match self.engine.set(&option.name, option.value.as_deref()) {
            Ok(Change::Log) => {
                let path = self.engine.settings().log.clone();
                if let Err(reason) = out.log_to(&path) {
                    error(out, format!("log file '{}': {reason}", quoted(&path)), line);
                }
            }
            Ok(Change::Rules) => self.change_rules(at, out),
            Ok(_) => {}
            Err(reason) => error(out, reason, line),
        }
    }

    /// Plays the game so far again under other rules. One that does not fit them goes on as it
    /// began, and the next follows the new ones.
    fn change_rules(&mut self, at: Instant, out: &mut Output) {
        let rules = self.rules();
        if rules == self.game.position().rules() {
            return;
        }
        let Ok(start) = Position::from_fen(&self.game.start().fen(), rules) else { return };
        let mut game = Game::new(start);
        if self.game.moves().iter().all(|mv| game.play(*mv).is_ok()) {
            let thinking = self.purpose.is_some();
            self.halt();
            self.game = game;
            if thinking {
                self.act(at, out);
            }
        }
    }

    /// Does what the mode asks for in this position.
    fn act(&mut self, at: Instant, out: &mut Output) {
        if self.paused || self.refused.is_some() {
            return;
        }
        match self.mode {
            Mode::Force => {}
            Mode::Analyze => self.analyse(at, out),
            Mode::Play(color) if color == self.game.position().turn() => {
                if !self.claim(out, false) {
                    let limits = self.timing.limits(at, self.engine.overhead(), self.own_moves);
                    self.search(Purpose::Move, *self.game.position(), limits, out);
                }
            }
            Mode::Play(_) => self.ponder(at, out),
        }
    }

    fn search(&mut self, purpose: Purpose, position: Position, limits: Limits, out: &mut Output) {
        self.show_table(out);
        let mut history = self.game.history();
        if let Purpose::Ponder(_) = purpose {
            history.push(self.game.position().key());
        }
        self.started = limits.start;
        let task = Task {
            position,
            history,
            patient: purpose == Purpose::Move,
            prompt: false,
            multipv: self.engine.settings().multipv,
            ponder: matches!(purpose, Purpose::Ponder(_)),
            limits,
        };
        self.purpose = Some(purpose);
        if let Err(reason) = self.engine.go(BOARD, task) {
            self.purpose = None;
            out.say(Reply::Comment(reason.to_string()));
        }
    }

    fn ponder(&mut self, at: Instant, out: &mut Output) {
        let mut position = *self.game.position();
        let Some(expected) = self.expected.filter(|mv| self.hard && position.is_legal(*mv)) else {
            return;
        };
        position.make(expected);
        if position.has_legal_move() {
            let limits = self.timing.limits(at, self.engine.overhead(), self.own_moves);
            self.search(Purpose::Ponder(expected), position, limits, out);
        }
    }

    fn analyse(&mut self, at: Instant, out: &mut Output) {
        let position = *self.game.position();
        let mut limits = Limits::new(at);
        limits.infinite = true;
        if !self.excluded.is_empty() {
            let legal = position.legal_moves();
            limits.search_moves =
                legal.into_iter().filter(|mv| !self.excluded.contains(mv)).collect();
            if limits.search_moves.is_empty() {
                return self.halt();
            }
        }
        if position.has_legal_move() {
            self.search(Purpose::Analysis, position, limits, out);
        } else {
            self.halt();
        }
    }

    /// Says the result where the rules have ended the game. A repetition or a full count of moves
    /// is claimed when it arises; a GUI that goes on after it wants to go on.
    fn claim(&mut self, out: &mut Output, just_arisen: bool) -> bool {
        if self.bughouse() {
            return false;
        }
        let Some(outcome) = self.game.outcome() else { return false };
        let over = matches!(outcome.reason, EndReason::Checkmate | EndReason::Stalemate);
        if !over && !just_arisen {
            return false;
        }
        let (result, reason) = match (outcome.winner, outcome.reason) {
            (Some(Color::White), _) => ("1-0", "White mates".to_string()),
            (Some(Color::Black), _) => ("0-1", "Black mates".to_string()),
            (None, reason) => ("1/2-1/2", format!("Draw: {reason}")),
        };
        out.say(Reply::Result { result: result.to_string(), reason });
        true
    }

    fn read_move(&self, text: &str) -> Result<Move, String> {
        let position = self.game.position();
        notation::from_uci(position, text)
            .or_else(|first| notation::from_san(position, text).map_err(|_| first.to_string()))
    }

    fn user_move(&mut self, text: &str, at: Instant, out: &mut Output) {
        let illegal = |out: &mut Output, reason: String| {
            out.say(Reply::IllegalMove { reason, mv: quoted(text) });
        };
        if let Some(reason) = &self.refused {
            return illegal(out, format!("the position was refused: {reason}"));
        }
        let mv = match self.read_move(text) {
            Ok(mv) => mv,
            Err(reason) => return illegal(out, reason),
        };
        let hit = self.purpose == Some(Purpose::Ponder(mv));
        if !hit {
            self.halt();
        }
        self.play(mv);
        self.hands.answered();
        if let Mode::Play(_) = self.mode
            && self.claim(out, true)
        {
            self.halt();
        } else if hit && !self.paused {
            self.purpose = Some(Purpose::Move);
            self.started = at;
            self.engine.ponderhit(BOARD, at);
        } else {
            self.act(at, out);
        }
    }

    /// Plays a move that is known to be legal.
    fn play(&mut self, mv: Move) {
        self.excluded.clear();
        self.expected = None;
        let before = *self.game.position();
        if self.game.play(mv).is_err() {
            return;
        }
        let mut copy = before;
        let taken = copy.make(mv);
        let mut position = *self.game.position();
        self.hands.captured(&mut position, before.turn(), taken);
        if position.key() != self.game.position().key() {
            self.game = Game::new(position);
        }
    }

    fn take_back(&mut self, moves: usize, line: &str, at: Instant, out: &mut Output) {
        if self.game.moves().len() < moves {
            return error(out, "no move to take back", line);
        }
        self.halt();
        for _ in 0..moves {
            self.game.undo();
        }
        self.excluded.clear();
        self.hands.reset();
        self.expected = None;
        self.own_moves = self.own_moves.saturating_sub(1);
        if self.mode == Mode::Analyze {
            self.act(at, out);
        }
    }

    fn set_board(&mut self, fen: &str, line: &str, at: Instant, out: &mut Output) {
        match Position::from_fen(fen, self.rules()) {
            Ok(position) => {
                self.halt();
                self.begin(position);
                if self.mode == Mode::Analyze {
                    self.act(at, out);
                }
            }
            Err(reason) => {
                self.halt();
                self.refused = Some(reason.to_string());
                error(out, reason, line);
            }
        }
    }

    fn holding(&mut self, command: &Command, line: &str, at: Instant, out: &mut Output) {
        let Command::Holding { white, black, added } = command else { return };
        let mut position = *self.game.position();
        if position.rules().variant == Variant::Chess {
            return;
        }
        if let Err(reason) = self.hands.told(&mut position, *white, *black, *added) {
            return error(out, reason, line);
        }
        if position.key() == self.game.position().key() {
            return;
        }
        self.game = Game::new(position);
        self.show_table(out);
        match self.purpose {
            Some(Purpose::Move) => {
                if let Err(reason) = self.engine.update(BOARD, position, Vec::new()) {
                    out.say(Reply::Comment(reason.to_string()));
                }
            }
            Some(Purpose::Ponder(_)) => {
                self.halt();
                self.ponder(at, out);
            }
            Some(Purpose::Analysis) => self.act(at, out),
            None => {}
        }
    }

    fn exclude(&mut self, text: &str, on: bool, line: &str, at: Instant, out: &mut Output) {
        let moves = match text {
            "all" => self.game.position().legal_moves().to_vec(),
            text => match self.read_move(text) {
                Ok(mv) => vec![mv],
                Err(reason) => return error(out, reason, line),
            },
        };
        self.excluded.retain(|mv| !moves.contains(mv));
        if on {
            self.excluded.extend(moves);
        }
        if self.mode == Mode::Analyze {
            self.act(at, out);
        }
    }

    fn answered(&mut self, answer: &Answer, out: &mut Output) {
        let purpose = self.purpose.take();
        if answer.broken {
            out.say(Reply::Comment("the search broke off; any legal move is played".to_string()));
        }
        if purpose == Some(Purpose::Move) && answer.position.status() == Status::Wait {
            // Told to move, but what he could have moved was taken away: he waits on.
            return self.act(Instant::now(), out);
        }
        let (Some(Purpose::Move), Some(mv)) = (purpose, answer.best) else { return };
        self.last_score = Some(answer.score);
        let position = *self.game.position();
        if answer.depth > 0 && self.resigns(answer.score) {
            self.mode = Mode::Force;
            return out.say(Reply::Resign);
        }
        if std::mem::take(&mut self.draw_offered) && welcome(answer.score) {
            out.say(Reply::OfferDraw);
        }
        self.own_moves += 1;
        self.timing.moved(self.started.elapsed(), self.own_moves);
        self.hands.said(&position, mv);
        self.play(mv);
        out.say(Reply::Move(uci_move(&position, mv)));
        self.expected = answer.ponder.filter(|mv| self.game.position().is_legal(*mv));
        if !self.claim(out, true) {
            self.ponder(Instant::now(), out);
        }
    }

    fn resigns(&mut self, score: Score) -> bool {
        let lost = match score {
            Score::Mate(moves) => moves <= 0,
            Score::Cp(cp) => cp <= HOPELESS,
        };
        self.hopeless = if lost { self.hopeless + 1 } else { 0 };
        self.engine.settings().resign && self.hopeless >= HOPELESS_MOVES
    }
}

/// Whether a draw is better than what is expected.
fn welcome(score: Score) -> bool {
    match score {
        Score::Cp(cp) => cp <= DRAW_WELCOME,
        Score::Mate(moves) => moves <= 0,
    }
}

fn error(out: &mut Output, reason: impl std::fmt::Display, line: &str) {
    out.say(Reply::Error { reason: reason.to_string(), line: quoted(line) });
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
        error(out, why, line);
    }

    fn obey(&mut self, command: Command, line: &str, at: Instant, out: &mut Output) -> Flow {
        if let (Command::Holding { .. } | Command::PartnerHolding(..), Some(letter)) =
            (&command, no_piece(line))
        {
            out.doubt("a hand", format!("'{letter}' is no piece"));
        }
        let clock = match &command {
            Command::Time(now) => Some((self.timing.own, *now)),
            Command::OpponentTime(now) => Some((self.timing.opponent, *now)),
            Command::PartnerTime(now) => Some((self.timing.partner, *now)),
            Command::PartnerOpponentTime(now) => Some((self.timing.diagonal, *now)),
            _ => None,
        };
        if let Some((before, now)) = clock {
            let ms = |centiseconds: i64| centiseconds.saturating_mul(10);
            partner::doubt_clocks(&[before.map(ms)], &[Some(ms(now))], out);
        }
        match command {
            Command::XBoard | Command::Book | Command::Ignored(_) | Command::Rejected(_) => {}
            Command::Protover(version) => {
                if version >= 2 {
                    self.greet(out);
                }
            }
            Command::Accepted(feature) => {
                if matches!(feature.as_str(), "" | "otherboard") {
                    self.partner.shown = true;
                }
            }
            Command::Quit => return Flow::Quit,
            Command::Ping(n) => out.say(Reply::Pong(n)),
            Command::New => self.new_game(),
            Command::Variant(name) => self.variant(&name, line, out),
            Command::Force => {
                self.halt();
                self.mode = Mode::Force;
            }
            Command::Go => {
                if let Some(reason) = &self.refused {
                    error(out, format!("the position was refused: {reason}"), line);
                } else {
                    self.halt();
                    self.mode = Mode::Play(self.game.position().turn());
                    self.act(at, out);
                }
            }
            Command::PlayOther => {
                self.halt();
                self.mode = Mode::Play(!self.game.position().turn());
                self.act(at, out);
            }
            Command::White => self.mode = Mode::Play(Color::Black),
            Command::Black => self.mode = Mode::Play(Color::White),
            Command::Level { moves, base, increment } => self.timing.level(moves, base, increment),
            Command::MoveTime(time) => self.timing.each(time),
            Command::Depth(plies) => self.timing.depth(plies),
            Command::NodesPerSecond(nodes) => self.timing.nodes_per_second(nodes),
            Command::Time(time) => self.timing.own(time),
            // The engine's own clock has come just before.
            Command::OpponentTime(time) => {
                self.timing.opponent = Some(time);
                self.show_table(out);
            }
            Command::Move(text) => self.user_move(&text, at, out),
            // A player who waits has nothing to move.
            Command::MoveNow if self.engine.waiting(BOARD) => {}
            Command::MoveNow if self.purpose == Some(Purpose::Move) => self.engine.stop(BOARD),
            Command::MoveNow => {}
            Command::Draw => self.draw(out),
            Command::Result(_) => {
                self.halt();
                self.mode = Mode::Force;
            }
            Command::SetBoard(fen) => self.set_board(&fen, line, at, out),
            Command::Hint => {
                let position = self.game.position();
                if let Some(mv) = self.expected.filter(|mv| position.is_legal(*mv)) {
                    out.say(Reply::Hint(uci_move(position, mv)));
                }
            }
            Command::Undo => self.take_back(1, line, at, out),
            Command::Remove => self.take_back(2, line, at, out),
            Command::Hard => {
                self.hard = true;
                if let (Mode::Play(_), None) = (self.mode, self.purpose) {
                    self.act_on_hard(at, out);
                }
            }
            Command::Easy => {
                self.hard = false;
                if let Some(Purpose::Ponder(_)) = self.purpose {
                    self.halt();
                }
            }
            Command::Post => self.post = true,
            Command::NoPost => self.post = false,
            Command::Analyze => {
                self.halt();
                self.mode = Mode::Analyze;
                self.status_wanted = false;
                self.act(at, out);
            }
            Command::Exit => {
                if self.mode == Mode::Analyze {
                    self.halt();
                    self.mode = Mode::Force;
                }
                self.status_wanted = false;
            }
            Command::Status => self.status_wanted = self.mode == Mode::Analyze,
            Command::Pause => {
                self.halt();
                self.paused = true;
            }
            Command::Resume => {
                if std::mem::take(&mut self.paused) {
                    self.act(at, out);
                }
            }
            Command::Memory(megabytes) => self.resize("Hash", megabytes, line, out),
            Command::Cores(threads) => {
                // A GUI gives every engine the same cores, more than one can use or not.
                let most = threads.min(MOST_THREADS.into());
                if most < threads {
                    out.say(Reply::Comment(format!("cores {threads}: {most} are used")));
                }
                self.resize("Threads", most, line, out);
            }
            Command::Option(option) => self.set_option(&option, line, at, out),
            Command::Exclude(text) => self.exclude(&text, true, line, at, out),
            Command::Include(text) => self.exclude(&text, false, line, at, out),
            Command::Holding { .. } => self.holding(&command, line, at, out),
            Command::Partner(name) => self.partner.name = name,
            Command::PartnerTell(text) => self.partner_tell(&text, out),
            Command::PartnerMove(text) => {
                // Who waits for a piece that is on its way need not think again before it is here.
                if !self.partner.play(&text, out) {
                    self.show_table(out);
                }
            }
            Command::PartnerHolding(white, black) => {
                if let Err(reason) = self.partner.set_hands(&white, &black) {
                    error(out, reason, line);
                }
                self.show_table(out);
            }
            Command::PartnerSetBoard(fen) => {
                let rules = self.engine.settings().table_rules();
                if let Err(reason) = self.partner.set_board(&fen, rules) {
                    error(out, reason, line);
                }
                self.show_table(out);
            }
            Command::PartnerTime(time) => {
                self.timing.partner = Some(time);
                self.show_table(out);
            }
            Command::PartnerOpponentTime(time) => {
                self.timing.diagonal = Some(time);
                self.show_table(out);
            }
        }
        Flow::On
    }

    fn tell(&mut self, event: Event, out: &mut Output) {
        match event {
            Event::Infos(_, position, infos) => {
                infos.iter().for_each(|info| self.think_aloud(&position, info, out));
            }
            Event::CurrMove(_, position, depth, mv, number) => {
                self.answer_status(depth, 0, &position, Some((mv, number)), out);
            }
            Event::Answer(_, answer) => self.answered(&answer, out),
            Event::Refused(reason) => out.say(Reply::Comment(reason.to_string())),
            Event::Say(_, word) => {
                // Without a partner nobody listens.
                if let (Some(_), Some(text)) = (&self.partner.name, Talk::Word(word).say()) {
                    out.say(Reply::PartnerTell(text));
                }
            }
            Event::Sit(_, reason, _) => {
                out.say(Reply::Comment(format!("sit: {}", partner::reason_text(reason))));
            }
            Event::Ready | Event::Perft(..) | Event::Bench(_) => {}
        }
    }
}

impl Session {
    /// Pondering was allowed in the middle of a game.
    fn act_on_hard(&mut self, at: Instant, out: &mut Output) {
        if self.mode == Mode::Play(!self.game.position().turn()) && !self.paused {
            self.ponder(at, out);
        }
    }

    /// What `memory` and `cores` allow; more than fits is not asked of anyone.
    fn resize(&mut self, option: &str, value: u64, line: &str, out: &mut Output) {
        if let Err(reason) = self.engine.set(option, Some(&value.to_string())) {
            error(out, reason, line);
        }
    }
}
