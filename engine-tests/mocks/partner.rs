//! A partner who plays well and talks badly. It stands between the arena and a real Klotz, and puts
//! words of its own in place of what that one says to its partner.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio, exit};
use std::sync::{Arc, Mutex};
use std::thread::spawn;

use klotz::rules::{Position, Rules, notation};
use klotz::team::mate_in_one;
use klotz::types::{Move, Role};

/// What it says before each of its moves.
fn words(fault: &str, turn: usize, partner: Option<&Position>) -> Vec<String> {
    let one = |text: &str| vec![text.to_string()];
    match fault {
        "sit" => one("sit"),
        "blunder" => partner.and_then(blunder).map(|mv| format!("move {mv}")).into_iter().collect(),
        "dead" => one("dead"),
        "wishes" => one(["+++q", "---p", "+++p", "---q", "+++n", "n mates me"][turn % 6]),
        "contradicts" => [
            "sit", "go", "fast", "slow", "sit", "x", "sit", "dead", "move", "sit", "+trades", "sit",
        ][turn % 3 * 4..][..4]
            .iter()
            .map(|word| word.to_string())
            .collect(),
        "floods" => (0..500).map(|i| ["sit", "+++n", "go", "x", "z"][i % 5].to_string()).collect(),
        _ => exit(2),
    }
}

/// A move that gets the mover mated at once, or loses the queen for nothing.
fn blunder(position: &Position) -> Option<String> {
    let queen = |mv: Move| {
        let moved = mv.from().and_then(|from| position.role_at(from));
        moved == Some(Role::Queen) && !position.see_ge(mv, -500)
    };
    let moves = position.legal_moves();
    let mated = moves.iter().find(|mv| mate_in_one(&position.after(**mv)).is_some());
    let mv = mated.or_else(|| moves.iter().find(|mv| queen(**mv)))?;
    Some(notation::to_uci(position, *mv))
}

/// Plays through `program` and never comes back.
pub fn play(program: &str, fault: &str) -> ! {
    let child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else { exit(2) };
    let (Some(mut to_child), Some(from_child)) = (child.stdin.take(), child.stdout.take()) else {
        exit(2);
    };
    let board: Arc<Mutex<Option<Position>>> = Arc::default();
    let seen = Arc::clone(&board);
    spawn(move || {
        let mut other = 1;
        for line in BufReader::new(std::io::stdin()).lines().map_while(Result::ok) {
            if line.contains("UCI_Seat") {
                other = usize::from(line.ends_with('A'));
            }
            if let Some(boards) = line.strip_prefix("position fen ") {
                let boards = boards.split(" clock ").next().unwrap_or_default();
                let fen = boards.split(" | ").nth(other).unwrap_or_default();
                *seen.lock().unwrap() = Position::from_fen(fen, Rules::BUGHOUSE).ok();
            }
            if writeln!(to_child, "{line}").and_then(|()| to_child.flush()).is_err() {
                break;
            }
        }
        exit(0);
    });
    let mut turn = 0;
    for line in BufReader::new(from_child).lines().map_while(Result::ok) {
        if line.starts_with("ptell ") {
            continue;
        }
        if line.starts_with("bestmove") {
            turn += 1;
            let partner = *board.lock().unwrap();
            words(fault, turn, partner.as_ref())
                .iter()
                .for_each(|word| say(&format!("ptell {word}")));
        }
        say(&line);
    }
    exit(0);
}

fn say(line: &str) {
    let mut stdout = std::io::stdout().lock();
    if writeln!(stdout, "{line}").and_then(|()| stdout.flush()).is_err() {
        exit(0);
    }
}
