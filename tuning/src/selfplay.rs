//! Games the engine plays against itself: crazyhouse on one board, bughouse on two.

use anyhow::{Result, ensure};
use fastrand::Rng;
use klotz::rules::{Position, Rules, Status, Variant};
use klotz::types::{BoardId, Color, Key, Move, Seat, Team, Value};

use crate::format::{End, Game, Outcome, Ply, STRAY, Settings};
use crate::player::{Book, Player};

/// Games longer than this are given up as drawn: nothing is learnt from shuffling.
const LONGEST: usize = 400;
/// Milliseconds a bughouse player has, and thinks on average.
const CLOCK: u32 = 180_000;
const THINKING: f64 = 2_500.0;
/// A start that can't be found in so many tries never will be.
const TRIES: usize = 10_000;

/// Plays the game with this number; the same number and settings give the same game.
pub fn play(
    player: &mut Player,
    settings: &Settings,
    rules: Rules,
    book: &Book,
    number: u64,
) -> Result<Game> {
    let mut rng =
        Rng::with_seed(settings.seed ^ number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let verdict = Verdict { score: settings.adjudicate, plies: settings.adjudicate_plies };
    let mut stray =
        Stray { per_thousand: settings.stray, rng: Rng::with_seed(rng.clone().u64(..)) };
    for _ in 0..TRIES {
        player.new_game();
        let (start, played) = if rules.variant == Variant::Bughouse {
            let Some(boards) = start_two(player, settings, rules, book, &mut rng)? else {
                continue;
            };
            player.new_game();
            let start = format!("{} | {}", boards[0].fen(), boards[1].fen());
            (
                start,
                play_two(boards, verdict, &mut rng, |_, position| {
                    stray.draw(position).or_else(|| player.think(position, &[]))
                })?,
            )
        } else {
            let Some(position) = start_one(player, settings, rules, book, &mut rng)? else {
                continue;
            };
            player.new_game();
            (
                position.fen(),
                play_one(position, verdict, |position, history| {
                    stray.draw(position).or_else(|| player.think(position, history))
                })?,
            )
        };
        let Played { plies, outcome, end, decided } = played;
        if !plies.is_empty() {
            return Ok(Game { start, outcome, end, decided, plies });
        }
    }
    anyhow::bail!(
        "no start within {} centipawns found; choose another book or --start-limit",
        settings.start_limit
    )
}

/// A book position or the start, for half the games each if there is a book.
fn first(rules: Rules, book: &Book, rng: &mut Rng) -> Result<(Position, bool)> {
    if book.positions.is_empty() || rng.bool() {
        return Ok((Position::start(rules), false));
    }
    let fen = &book.positions[rng.usize(..book.positions.len())];
    Position::from_fen(fen, rules)
        .map(|position| (position, true))
        .map_err(|error| anyhow::anyhow!("'{fen}': {error}"))
}

fn random_move(position: &Position, rng: &mut Rng) -> Option<Move> {
    let moves = position.legal_moves();
    (!moves.is_empty()).then(|| moves[rng.usize(..moves.len())])
}

/// Now and then a random move in place of a considered one.
struct Stray {
    per_thousand: u32,
    rng: Rng,
}

impl Stray {
    fn draw(&mut self, position: &Position) -> Option<(Move, Value)> {
        if self.per_thousand == 0 || self.rng.u32(..1000) >= self.per_thousand {
            return None;
        }
        random_move(position, &mut self.rng).map(|mv| (mv, STRAY.into()))
    }
}

/// Counts how long one side has been far ahead.
#[derive(Default)]
struct Judge {
    lead: i32,
    plies: u32,
}

impl Judge {
    /// Takes a score for White; whether the game is decided, and for whom.
    fn note(&mut self, white: Value, verdict: Verdict) -> Option<Outcome> {
        let lead = if white.abs() >= verdict.score { white.signum() } else { 0 };
        self.plies = if lead == self.lead { self.plies + 1 } else { 1 };
        self.lead = lead;
        match lead {
            0 => None,
            _ if self.plies < verdict.plies => None,
            1 => Some(Outcome::Win),
            _ => Some(Outcome::Loss),
        }
    }
}

const fn won_by(color: Color) -> Outcome {
    match color {
        Color::White => Outcome::Win,
        Color::Black => Outcome::Loss,
    }
}

fn for_white(position: &Position, value: Value) -> Value {
    if position.turn() == Color::White { value } else { -value }
}

/// When a game is called decided.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// When this score …
    pub score: Value,
    /// … stood for this many plies.
    pub plies: u32,
}

/// The plies of a game and how it ended.
pub struct Played {
    /// The plies in order.
    pub plies: Vec<Ply>,
    /// Who won.
    pub outcome: Outcome,
    /// How.
    pub end: End,
    /// In bughouse the deciding board.
    pub decided: Option<BoardId>,
}

/// A start for a crazyhouse game; none if it is no good.
pub fn start_one(
    player: &mut Player,
    settings: &Settings,
    rules: Rules,
    book: &Book,
    rng: &mut Rng,
) -> Result<Option<Position>> {
    let (mut position, from_book) = first(rules, book, rng)?;
    let plies = if from_book { settings.random_plies / 2 } else { settings.random_plies };
    for _ in 0..plies + rng.u32(..2) {
        let Some(mv) = random_move(&position, rng) else { return Ok(None) };
        position.make(mv);
    }
    let thought = player.think(&position, &[]);
    Ok(thought.filter(|(_, value)| value.abs() <= settings.start_limit).map(|_| position))
}

/// Plays a game on one board; `think` is asked for the mover's move and its value for him.
pub fn play_one(
    mut position: Position,
    verdict: Verdict,
    mut think: impl FnMut(&Position, &[Key]) -> Option<(Move, Value)>,
) -> Result<Played> {
    let (mut history, mut plies): (Vec<Key>, Vec<Ply>) = (Vec::new(), Vec::new());
    let mut judge = Judge::default();
    let (outcome, end) = loop {
        let key = position.key();
        if plies.len() >= LONGEST || history.iter().filter(|&&earlier| earlier == key).count() >= 2
        {
            break (Outcome::Draw, End::Drawn);
        }
        let Some((mv, value)) = think(&position, &history) else {
            break match position.status() {
                Status::Checkmate => (won_by(!position.turn()), End::Mate),
                _ => (Outcome::Draw, End::Drawn),
            };
        };
        ensure!(position.is_legal(mv), "the engine played an illegal move in {}", position.fen());
        plies.push(Ply { mv: mv.raw(), score: value as i16, board: BoardId::A });
        if value != Value::from(STRAY)
            && let Some(outcome) = judge.note(for_white(&position, value), verdict)
        {
            break (outcome, End::Adjudicated);
        }
        history.push(key);
        position.make(mv);
    };
    Ok(Played { plies, outcome, end, decided: None })
}

/// Two boards with what passes between them.
struct Table {
    boards: [Position; 2],
    /// Milliseconds each seat has left.
    clocks: [u32; 4],
    /// When the mover of each board will have moved.
    due: [u32; 2],
    /// When each board's mover came to move.
    since: [u32; 2],
}

impl Table {
    fn mover(&self, board: BoardId) -> Seat {
        Seat::new(board, self.boards[board.index()].turn())
    }

    fn mated(&self) -> Option<BoardId> {
        BoardId::ALL
            .into_iter()
            .find(|board| self.boards[board.index()].status() == Status::Checkmate)
    }

    /// A mover whose time is up.
    fn flagged(&self, now: u32) -> Option<Seat> {
        BoardId::ALL
            .into_iter()
            .map(|board| (now.saturating_sub(self.since[board.index()]), self.mover(board)))
            .find(|&(used, seat)| used >= self.clocks[seat.index()])
            .map(|(_, seat)| seat)
    }

    /// The board where a move falls due first among those that have one.
    fn next(&self) -> Option<BoardId> {
        let ready =
            BoardId::ALL.into_iter().filter(|board| self.boards[board.index()].has_legal_move());
        ready.min_by_key(|board| self.due[board.index()])
    }
}

/// Makes a move; what it captures crosses to the other board.
fn make(boards: &mut [Position; 2], board: BoardId, mv: Move) -> Result<()> {
    if let Some(captured) = boards[board.index()].make(mv) {
        boards[board.other().index()].add_to_hand(captured.color, captured.role)?;
    }
    Ok(())
}

/// Time for a move: mostly short, now and then long.
fn thinking(rng: &mut Rng) -> u32 {
    (100.0 - THINKING * (1.0 - rng.f64()).ln()) as u32
}

fn winner(team: Team) -> Outcome {
    match team {
        Team::One => Outcome::Win,
        Team::Two => Outcome::Loss,
    }
}

/// A start for a bughouse match; none if it is no good.
pub fn start_two(
    player: &mut Player,
    settings: &Settings,
    rules: Rules,
    book: &Book,
    rng: &mut Rng,
) -> Result<Option<[Position; 2]>> {
    let mut boards = [first(rules, book, rng)?.0, first(rules, book, rng)?.0];
    for _ in 0..settings.random_plies + rng.u32(..2) {
        for board in BoardId::ALL {
            let Some(mv) = random_move(&boards[board.index()], rng) else { return Ok(None) };
            make(&mut boards, board, mv)?;
        }
    }
    for board in &boards {
        let Some((_, value)) = player.think(board, &[]) else { return Ok(None) };
        if value.abs() > settings.start_limit {
            return Ok(None);
        }
    }
    Ok(Some(boards))
}

/// Plays a match on two boards; `think` is asked for a seat's move and its value for that seat.
/// The clocks run by `rng` alone.
pub fn play_two(
    boards: [Position; 2],
    verdict: Verdict,
    rng: &mut Rng,
    mut think: impl FnMut(Seat, &Position) -> Option<(Move, Value)>,
) -> Result<Played> {
    let mut table =
        Table { boards, clocks: [CLOCK; 4], due: [thinking(rng), thinking(rng)], since: [0; 2] };
    let mut plies: Vec<Ply> = Vec::new();
    let mut judges = [Judge::default(), Judge::default()];
    // The last score of each board for the team of WhiteA.
    let mut standing = [0; 2];
    let (outcome, end, decided) = loop {
        if let Some(board) = table.mated() {
            break (winner(table.mover(board).team().other()), End::Mate, Some(board));
        }
        // Nobody can move and nothing can come, or it goes on for too long.
        let Some(board) = table.next().filter(|_| plies.len() < 2 * LONGEST) else {
            break (Outcome::Draw, End::Drawn, None);
        };
        let (seat, index) = (table.mover(board), board.index());
        let now = table.due[index];
        if let Some(flagged) = table.flagged(now) {
            break (winner(flagged.team().other()), End::Flag, Some(flagged.board()));
        }
        let position = table.boards[index];
        let Some((mv, value)) = think(seat, &position) else {
            break (Outcome::Draw, End::Drawn, None);
        };
        ensure!(position.is_legal(mv), "the engine played an illegal move in {}", position.fen());
        plies.push(Ply { mv: mv.raw(), score: value as i16, board });
        if value != Value::from(STRAY) {
            standing[index] = if seat.team() == Team::One { value } else { -value };
            if let Some(outcome) = judges[index].note(standing[index], verdict) {
                let both = standing[0] + standing[1];
                if both.signum() == standing[index].signum() && both.abs() >= verdict.score {
                    break (outcome, End::Adjudicated, Some(board));
                }
            }
        }
        table.clocks[seat.index()] -= now.saturating_sub(table.since[index]);
        make(&mut table.boards, board, mv)?;
        table.since[index] = now;
        table.due[index] = now + thinking(rng);
        let waiting = &mut table.due[board.other().index()];
        *waiting = (*waiting).max(now);
    };
    Ok(Played { plies, outcome, end, decided })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::settings;
    use crate::player::{self, Effort, Evaluation};
    use crate::samples;

    #[test]
    fn games_are_repeatable_and_can_be_played_again() {
        let thread = player::thread().spawn(repeat).expect("a thread");
        thread.join().expect("no panic");
    }

    fn repeat() {
        for variant in ["crazyhouse", "bughouse"] {
            let settings =
                Settings { variant: variant.into(), soft_nodes: 20, hard_nodes: 200, ..settings() };
            let rules = samples::rules(variant).expect("a known variant");
            let book = Book::load(None).expect("no file to read");
            let effort =
                Effort { soft_nodes: Some(settings.soft_nodes), hard_nodes: settings.hard_nodes };
            let evaluation = Evaluation::load(None).expect("no file to read");
            let mut player = Player::new(&evaluation, effort, 1).expect("a small table");
            let first: Vec<Game> = (0..3)
                .map(|i| play(&mut player, &settings, rules, &book, i).expect("a game"))
                .collect();
            let mut other = Player::new(&evaluation, effort, 1).expect("a small table");
            let last = play(&mut other, &settings, rules, &book, 2).expect("a game");
            assert_eq!(first[2], last);
            for game in &first {
                let mut shown = 0;
                samples::replay(game, rules, |_, _, _| shown += 1).expect("a legal game");
                assert_eq!(shown, game.plies.len());
                assert_eq!(game.start.contains('|'), variant == "bughouse");
            }
        }
    }
}
