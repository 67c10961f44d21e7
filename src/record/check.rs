//! Replaying a record against the rules.

use super::RecordError;
use super::bpgn::{Bpgn, Claim, LossKind};
use super::pgn::Pgn;
use crate::rules::bughouse::{Boards, Match, MatchEnd};
use crate::rules::game::Game;
use crate::rules::{Position, Rules, Status, notation};
use crate::types::{BoardId, Color, Seat, Team};

/// A record that was replayed.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The match at its last move.
    pub table: Match,
    /// Both boards before each move.
    pub boards: Vec<Boards>,
}

/// Reads the tag `Rules` over what is usual for the variant.
fn read_rules(mut rules: Rules, tag: Option<&str>, line: usize) -> Result<Rules, RecordError> {
    let fault = |error: &dyn std::fmt::Display| RecordError::new(line, error.to_string());
    for (i, word) in tag.unwrap_or_default().split_whitespace().enumerate() {
        match word.split_once('=') {
            None if i == 0 => rules = Rules::preset(word).map_err(|e| fault(&e))?,
            None => return Err(fault(&format!("the tag Rules holds '{word}'"))),
            Some((option, value)) => rules.set(option, value).map_err(|e| fault(&e))?,
        }
    }
    Ok(rules)
}

/// Replays a bughouse record and names its first fault.
///
/// Checked are the start position, each move's board, colour, number and legality, that the game
/// does not break off, what the words of the ending say of the final position, and that the result
/// and the tags do not contradict them.
pub fn bpgn(game: &Bpgn) -> Result<Replay, RecordError> {
    let rules = read_rules(Rules::BUGHOUSE, game.tag("Rules"), game.line)?;
    let at = |line: usize, what: String| Err(RecordError::new(line, what));
    let start = match game.tag("FEN") {
        Some(fen) => match Boards::from_fen(fen, rules) {
            Ok(boards) => boards,
            Err(error) => return at(game.line, format!("the tag FEN: {error}")),
        },
        None => match Boards::start(rules) {
            Ok(boards) => boards,
            Err(error) => return at(game.line, error.to_string()),
        },
    };
    let mut table = Match::from_boards(start);
    let mut boards = Vec::with_capacity(game.moves.len());
    let mut numbers = BoardId::ALL.map(|board| fullmove(&start, board));
    for mv in &game.moves {
        let now = *table.boards();
        let (seat, board) = (mv.seat, mv.seat.board());
        let shown = format!("{}{} {}", mv.number, seat, mv.san);
        if let Some(result) = table.result() {
            return at(mv.line, format!("{shown}: the match was over: {result}"));
        }
        if now.mover(board) != seat {
            return at(
                mv.line,
                format!("{shown}: {} is to move on board {board}", now.mover(board)),
            );
        }
        if mv.number != numbers[board.index()] {
            let expected = numbers[board.index()];
            return at(mv.line, format!("{shown}: move {expected} was to come on board {board}"));
        }
        let (played, exchange) = match now.read_san(board, &mv.san) {
            Ok(read) => read,
            Err(error) => return at(mv.line, format!("{shown}: {error}")),
        };
        if let Err(error) = table.play(board, played, exchange) {
            return at(mv.line, format!("{shown}: {error}"));
        }
        boards.push(now);
        numbers[board.index()] = fullmove(table.boards(), board);
    }
    if game.broken_off > 0 && game.ending.is_none() {
        let what = "the game breaks off: neither its ending nor a result stands there";
        return at(game.broken_off, what.to_string());
    }
    check_ending(game, &table)?;
    check_tags(game)?;
    Ok(Replay { table, boards })
}

/// Replays a game of one board, chess if its tag `Variant` says so and else crazyhouse, and names
/// its first fault; `line` is where the game begins, since the reader keeps no other.
pub fn pgn(game: &Pgn, line: usize) -> Result<Game, RecordError> {
    let fault = |what: String| RecordError::new(line, what);
    let variant = game.tag("Variant").unwrap_or("crazyhouse").to_ascii_lowercase();
    let rules = match variant.as_str() {
        "crazyhouse" | "zh" => Rules::CRAZYHOUSE,
        "chess" | "standard" | "normal" => Rules::CHESS,
        _ => {
            return Err(fault(format!(
                "the tag Variant: '{variant}' is neither crazyhouse nor chess"
            )));
        }
    };
    let rules = read_rules(rules, game.tag("Rules"), line)?;
    let start = match game.tag("FEN") {
        Some(fen) => Position::from_fen(fen, rules)
            .map_err(|error| fault(format!("the tag FEN: {error}")))?,
        None => Position::start(rules),
    };
    let mut played = Game::new(start);
    for mv in &game.moves {
        let position = played.position();
        let dots = if position.turn() == Color::White { "." } else { "..." };
        let shown = format!("{}{dots} {}", position.game_ply() / 2 + 1, mv.san);
        if let Some(outcome) = played.outcome() {
            return Err(fault(format!("{shown}: the game was over: {outcome}")));
        }
        let found = notation::from_san(position, &mv.san)
            .map_err(|error| fault(format!("{shown}: {error}")))?;
        played.play(found).map_err(|error| fault(format!("{shown}: {error}")))?;
    }
    let plies = game.moves.len();
    if let Some(count) = game.tag("PlyCount").filter(|count| count.parse() != Ok(plies)) {
        return Err(fault(format!("the tag PlyCount is {count}, but {plies} moves can be read")));
    }
    if game.result.is_empty() {
        return Err(fault("the moves break off: no result stands behind them".to_string()));
    }
    if let Some(tag) = game.tag("Result").filter(|tag| *tag != game.result) {
        return Err(fault(format!(
            "the tag Result is {tag}, but the moves end in {}",
            game.result
        )));
    }
    if let Some(outcome) = played.outcome() {
        let result = match outcome.winner {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        };
        if game.result != result && game.result != "*" {
            return Err(fault(format!("the result is {}, but {outcome}", game.result)));
        }
    }
    Ok(played)
}

fn fullmove(boards: &Boards, board: BoardId) -> u32 {
    boards.board(board).game_ply() / 2 + 1
}

fn check_ending(game: &Bpgn, table: &Match) -> Result<(), RecordError> {
    let line = if game.ending_line > 0 {
        game.ending_line
    } else {
        game.moves.last().map_or(game.line, |mv| mv.line)
    };
    let fault = |what: String| Err(RecordError::new(line, what));
    let claim = game.claim();
    if let Claim::Lost(seat, LossKind::Checkmated) = claim {
        let position = table.boards().board(seat.board());
        if position.turn() != seat.color() || position.status() != Status::Checkmate {
            return fault(format!("{seat} is said to be checkmated and is not"));
        }
    }
    match (table.result(), claim) {
        (Some(result), Claim::Lost(seat, _)) if result.winner == Some(seat.team()) => {
            fault(format!("{seat} is said to have lost, but {result}"))
        }
        (Some(result), Claim::Draw) if result.winner.is_some() => {
            fault(format!("a draw is said, but {result}"))
        }
        (Some(result), Claim::Lost(seat, _))
            if result.winner.is_none() && result.reason != MatchEnd::BoardScores =>
        {
            fault(format!("{seat} is said to have lost, but {result}"))
        }
        _ => Ok(()),
    }
}

/// What the tags say of the end: no more than can be, and nothing else than the ending. The result
/// token may take whose view it likes, but not another than the tag.
fn check_tags(game: &Bpgn) -> Result<(), RecordError> {
    let fault = |tag: &str, what: String| {
        Err(RecordError::new(game.tag_line(tag), format!("the tag {tag} {what}")))
    };
    let ended = game.broken_off == 0;
    if let Some(tag) = game.tag("Result").filter(|tag| ended && *tag != game.result) {
        return fault("Result", format!("is {tag}, but the moves end in {}", game.result));
    }
    let mut lost = match game.claim() {
        Claim::Lost(seat, _) => Some(seat),
        Claim::Draw | Claim::Unknown => None,
    };
    if let Some(tag) = game.tag("LosingSeat") {
        let Ok(seat) = tag.parse::<Seat>() else {
            return fault("LosingSeat", format!("is '{tag}', which is no seat"));
        };
        if let Some(lost) = lost.filter(|lost| *lost != seat) {
            return fault("LosingSeat", format!("is {seat}, but the ending says {lost}"));
        }
        lost = Some(seat);
    }
    if let Some(tag) = game.tag("DecidedBoard") {
        let Some(board) = BoardId::ALL.into_iter().find(|board| board.to_string() == tag) else {
            return fault("DecidedBoard", format!("is '{tag}', neither A nor B"));
        };
        if let Some(lost) = lost.filter(|lost| lost.board() != board) {
            return fault("DecidedBoard", format!("is {board}, but {lost} lost"));
        }
    }
    match game.tag("WinningTeam") {
        None => Ok(()),
        Some("1") if game.winner() == Some(Team::One) => Ok(()),
        Some("2") if game.winner() == Some(Team::Two) => Ok(()),
        Some("1" | "2") => fault("WinningTeam", "contradicts the ending".to_string()),
        Some(tag) => fault("WinningTeam", format!("is '{tag}', neither 1 nor 2")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::bpgn as text;
    use super::*;

    fn check(body: &str) -> Result<Replay, RecordError> {
        bpgn(&text::read(body).next().unwrap().unwrap())
    }

    const NAMES: &str = "[WhiteA \"w\"][BlackA \"x\"]\n[WhiteB \"y\"][BlackB \"z\"]\n\n";

    #[test]
    fn a_capture_crosses_and_is_dropped() {
        let body = format!("{NAMES}1A. e4 1B. e4 1a. d5 2A. exd5 1b. P@e3 {{y resigns}} 1-0\n");
        let replay = check(&body).unwrap();
        assert_eq!(replay.boards.len(), 5);
        // Black's pawn, taken on board A, went to Black on board B and was put on e3.
        assert!(replay.table.boards().fen().contains("4p3"));
    }

    #[test]
    fn the_first_fault_is_named_with_its_line() {
        for (moves, line, words) in [
            ("1A. e4\n1A. d4 *", 5, "to move"),
            ("1A. e4 2a. e5 *", 4, "move 1 was to come"),
            ("1A. e4\n1a. N@f6 *", 5, "BlackA"),
            ("1A. e4 {x checkmated} 1-0", 4, "is not"),
            ("1A. f3 1a. e5 2A. g4 2a. Qh4+ {w checkmated} 0-1", 4, "is not"),
        ] {
            let fault = check(&format!("{NAMES}{moves}\n")).unwrap_err();
            assert_eq!(fault.line, line, "{moves}: {fault}");
            assert!(fault.what.contains(words), "{moves}: {fault}");
        }
    }

    #[test]
    fn tags_and_ends_that_contradict_each_other() {
        let moves = "1A. f3 1a. e5\n2A. g4 1B. e4 2a. Qh4";
        for (tags, end, line, words) in [
            ("", "", 6, "breaks off"),
            ("", "3A.", 6, "breaks off"),
            ("", "\n\n[WhiteA \"next\"]", 6, "breaks off"),
            ("[Result \"1-0\"]", "{BlackB resigns} 0-1", 3, "Result is 1-0"),
            ("[Result \"1-0\"]", "*", 3, "end in *"),
            ("[DecidedBoard \"Q\"]", "{BlackB resigns} 1-0", 3, "'Q'"),
            ("[DecidedBoard \"A\"]", "{BlackB resigns} 1-0", 3, "BlackB lost"),
            ("[LosingSeat \"WhiteC\"]", "{BlackB resigns} 1-0", 3, "no seat"),
            ("[LosingSeat \"WhiteA\"]", "{BlackB resigns} 1-0", 3, "says BlackB"),
            ("[LosingSeat \"WhiteA\"][DecidedBoard \"B\"]", "1-0", 3, "WhiteA lost"),
            ("[WinningTeam \"7\"]", "{BlackB resigns} 1-0", 3, "'7'"),
            ("[WinningTeam \"1\"]", "{BlackB resigns} 1-0", 3, "contradicts"),
        ] {
            let tags = if tags.is_empty() { String::new() } else { format!("{tags}\n") };
            let body =
                format!("{}{tags}\n{moves} {end}", NAMES.trim_end_matches('\n').to_owned() + "\n");
            let fault = check(&body).unwrap_err();
            let line = line - usize::from(tags.is_empty());
            assert!(fault.line == line && fault.what.contains(words), "{body}: {fault}");
        }
        // What real files do: no token, or one that takes the other view.
        for end in ["{BlackB resigns}", "{BlackB resigns} 0-1", "{BlackB resigns} *"] {
            check(&format!("{NAMES}{moves} {end}\n")).unwrap();
        }
    }

    #[test]
    fn games_of_one_board_are_replayed_too() {
        let find = |body: &str| {
            let text = format!("\n[White \"w\"]\n[Black \"b\"]\n{body}\n");
            assert!(!super::super::is_bpgn(&text));
            let games = super::super::pgn::read(&text);
            let lines = super::super::pgn::first_lines(&text);
            assert_eq!((games.len(), &lines[..]), (1, &[2][..]));
            pgn(&games[0], lines[0])
        };
        let game = "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 4. P@d5 {+0.10/9 0.1s} *";
        let replayed = find(&format!("\n{game}")).unwrap();
        assert_eq!(replayed.moves().len(), 7);
        for (body, words) in [
            ("\n1. e4 e5 2. Ke3 *", "2. Ke3"),
            ("\n1. e4 N@f6 *", "1... N@f6"),
            ("[PlyCount \"3\"]\n\n1. e4 e5 *", "PlyCount"),
            ("[Result \"1-0\"]\n\n1. e4 e5 0-1", "Result"),
            ("[Result \"1-0\"]\n\n1. e4 e5 {a comment}", "the moves break off: no result"),
            ("[Variant \"atomic\"]\n\n1. e4 *", "atomic"),
            ("\n1. f3 e5 2. g4 Qh4# 1-0", "checkmate"),
            ("\n1. f3 e5 2. g4 Qh4 3. e4 *", "over"),
            ("[FEN \"8/8/8/8 w - - 0 1\"]\n\n1. e4 *", "FEN"),
        ] {
            let fault = find(body).unwrap_err();
            assert!(fault.line == 2 && fault.what.contains(words), "{body}: {fault}");
        }
    }

    #[test]
    fn mate_and_what_contradicts_it() {
        // Contact mate: nothing could be put between.
        let start = "[FEN \"7k/Q7/6K1/8/8/8/8/8[] w - - 0 1 | 4k3/8/8/8/8/8/8/4K3[] w - - 0 1\"]\n";
        let body = format!("{NAMES}{start}1A. Qh7# {{x checkmated}} 1-0");
        let replay = check(&body).unwrap();
        assert_eq!(replay.table.result().unwrap().winner, Some(Team::One));
        let wrong = body.replace("x checkmated", "w resigns");
        assert!(check(&wrong).unwrap_err().what.contains("lost"));
    }
}
