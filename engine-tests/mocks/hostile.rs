//! An engine that misbehaves in one way, in UCI or CECP. It stands between the arena and a real
//! Klotz, so that it plays well until it does not.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio, exit};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn};
use std::time::Duration;

/// Plays through `program` and never comes back.
pub fn play(program: &str, fault: &str) -> ! {
    let fault = fault.to_string();
    let child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            eprintln!("hostile: {error}");
            exit(2);
        }
    };
    let (Some(mut to_child), Some(from_child)) = (child.stdin.take(), child.stdout.take()) else {
        exit(2);
    };
    let asked = Arc::new(AtomicUsize::new(0));
    let left = Arc::new(AtomicI64::new(0));
    let out = Arc::new(Mutex::new(()));
    let (asked_in, left_in, out_in, fault_in) =
        (Arc::clone(&asked), Arc::clone(&left), Arc::clone(&out), fault.clone());
    spawn(move || {
        let white = AtomicUsize::new(1);
        for line in BufReader::new(std::io::stdin()).lines() {
            let Ok(line) = line else { break };
            if line.starts_with("position") {
                let side = line.split_whitespace().any(|w| w == "w");
                let moves = line.split(" moves ").nth(1).map_or(0, |m| m.split(' ').count());
                white.store(usize::from(side == (moves % 2 == 0)), Ordering::SeqCst);
            }
            if line.starts_with("go") {
                let count = asked_in.fetch_add(1, Ordering::SeqCst) + 1;
                let key = if white.load(Ordering::SeqCst) == 1 { "wtime" } else { "btime" };
                let mut words = line.split_whitespace().skip_while(|w| *w != key).skip(1);
                left_in.store(
                    words.next().and_then(|ms| ms.parse().ok()).unwrap_or(0),
                    Ordering::SeqCst,
                );
                match fault_in.as_str() {
                    "exit" if count >= 10 => exit(1),
                    "flood" => flood(&out_in),
                    _ => {}
                }
            }
            // It talks about everything, and means no harm.
            if fault_in == "chatty" && line.starts_with("setoption") {
                say(&out_in, &format!("info string {line}: no error, errors 0"));
                say(&out_in, "info string warning: nothing");
                say(&out_in, "an error is not what this is");
            }
            // It never heard of such a word.
            if fault_in == "no-ping" && line.starts_with("ping") {
                continue;
            }
            if writeln!(to_child, "{line}").and_then(|()| to_child.flush()).is_err() {
                break;
            }
        }
        exit(0);
    });
    let mut moves = 0;
    for line in BufReader::new(from_child).lines() {
        let Ok(line) = line else { break };
        moves += usize::from(line.starts_with("move "));
        let line = if line.starts_with("move ") {
            match (fault.as_str(), moves) {
                ("claim-once", 4) | ("claim-always", 4..) => "1/2-1/2 {Draw by wish}".to_string(),
                ("claim-mate", 1) => {
                    say(&out, &line);
                    "1-0 {White mates}".to_string()
                }
                _ => line,
            }
        } else if line.starts_with("feature ping=1") && fault == "no-ping" {
            line.replacen("ping=1", "ping=0", 1)
        } else if line.starts_with("pong") && fault == "mute-ping" {
            continue;
        } else if line.starts_with("bestmove") {
            match (fault.as_str(), asked.load(Ordering::SeqCst)) {
                ("silent", _) => continue,
                ("illegal", 4..) => "bestmove a1h7".to_string(),
                ("sit", _) => "bestmove (none)".to_string(),
                ("late", 4..) => {
                    // One millisecond after the flag, by the clock the arena told.
                    sleep(Duration::from_millis(left.load(Ordering::SeqCst).max(0) as u64 + 1));
                    line
                }
                ("long", _) => {
                    say(&out, &"x".repeat(1 << 20));
                    line
                }
                _ => line,
            }
        } else {
            line
        };
        say(&out, &line);
    }
    exit(0);
}

fn say(out: &Mutex<()>, line: &str) {
    let _one_at_a_time = out.lock();
    let mut stdout = std::io::stdout().lock();
    if writeln!(stdout, "{line}").and_then(|()| stdout.flush()).is_err() {
        exit(0);
    }
}

/// Twenty thousand lines that say nothing.
fn flood(out: &Mutex<()>) {
    for i in 0..20_000 {
        say(out, &format!("info string nothing {i}"));
    }
}
