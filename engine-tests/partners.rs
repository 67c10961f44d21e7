//! A Klotz with a partner who means harm, through the arena on its virtual clock: it plays on,
//! never loses on time while it has a move, and sits no longer than it does for one honest word.

#[path = "mocks/partner.rs"]
mod partner;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const KLOTZ: &str = env!("CARGO_BIN_EXE_klotz");

/// Which fault the partner has.
const FAULT: &str = "KLOTZ_TEST_PARTNER";

/// The partner is this test program itself.
#[test]
fn bad_partner() {
    if let Ok(fault) = std::env::var(FAULT) {
        partner::play(KLOTZ, &fault);
    }
}

/// Time of each seat, moves a game may last, and how long a `sit` is obeyed, in milliseconds.
const CLOCK: i64 = 60_000;
const ASKED: i64 = 8_000;
/// How long nothing more of that kind is obeyed.
const DEAF: i64 = 30_000;

/// Four games in which `good` has a partner with a fault; the folder of what was written.
fn games(fault: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("partners").join(fault);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    let bad = std::env::current_exe().unwrap();
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine-tests/books/bughouse.epd");
    // A move takes 0.2 s, so that 300 of them fit: only sitting can lose on time.
    let line = format!(
        "arena -variant bughouse -clock virtual -nodetime 300 -each nodes=60 tc=60 option.Hash=4 \
         -engine name=good -engine name=bad cmd={} arg=bad_partner arg=--exact arg=--nocapture \
         -engine name=c -engine name=d -team name=one a=good b=bad -team name=two a=c b=d \
         -openings file={} order=random -srand 9 -rounds 1 -games 4 -maxmoves 500 -recover \
         -eventlog events -log traffic",
        bad.display(),
        book.display()
    );
    let output = Command::new(KLOTZ)
        .current_dir(&dir)
        .args(line.split_whitespace())
        .env(FAULT, fault)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{fault}: {said}");
    assert!(said.contains("Finished match"), "{fault}: {said}");
    dir
}

/// What `good` did in all games, from the traffic: its own time sat because the partner asked, game by
/// game, the longest of it at one move, and how many words it was told.
fn sat_for_partner(dir: &Path) -> (Vec<i64>, i64, usize) {
    let traffic = fs::read_to_string(dir.join("traffic")).unwrap();
    let (mut games, mut longest, mut words) = (Vec::new(), 0, 0);
    let (mut seat, mut clock) = (0, CLOCK);
    let (mut sitting, mut at_move) = (false, 0);
    for line in traffic.lines() {
        let Some((source, text)) = line.split_once("): ") else { continue };
        if !source[1..].starts_with("good(") {
            continue;
        }
        if text == "ucinewgame" {
            games.push(0);
            (clock, sitting, at_move) = (CLOCK, false, 0);
        }
        if let Some(name) = text.strip_prefix("setoption name UCI_Seat value ") {
            seat =
                ["WhiteA", "BlackA", "WhiteB", "BlackB"].iter().position(|s| *s == name).unwrap();
        }
        words += usize::from(text.starts_with("ptell ") && line.starts_with('>'));
        if let Some((_, clocks)) = text.split_once(" clock ") {
            let now = clocks.split(' ').nth(seat).unwrap().parse().unwrap();
            if std::mem::take(&mut sitting) {
                at_move += clock - now;
                *games.last_mut().unwrap() += clock - now;
                longest = longest.max(at_move);
            }
            clock = now;
        }
        sitting |= text.contains("the partner asks for it");
        if text.starts_with("bestmove ") && !text.contains("(none)") {
            at_move = 0;
        }
    }
    (games, longest, words)
}

/// The moves of `good` and the ends of the games, from the event log.
fn moves_and_ends(dir: &Path) -> (Vec<usize>, Vec<String>) {
    let events = fs::read_to_string(dir.join("events")).unwrap();
    let (mut moves, mut ends) = (Vec::new(), Vec::new());
    let mut seats: HashMap<&str, &str> = HashMap::new();
    for line in events.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["game", _, a, b, c, d] => {
                seats = ["WhiteA", "BlackA", "WhiteB", "BlackB"]
                    .into_iter()
                    .zip([*a, b, c, d])
                    .collect();
                moves.push(0);
            }
            [_, "move", seat, ..] if seats.get(seat) == Some(&"good") => {
                *moves.last_mut().unwrap() += 1;
            }
            [_, "end", _, how @ .., seat] => {
                let who = seats.get(seat).copied().unwrap_or("nobody");
                ends.push(format!("{who}: {}", how.join(" ")));
            }
            _ => {}
        }
    }
    (moves, ends)
}

#[test]
fn a_hostile_partner_costs_what_obeying_once_costs() {
    for fault in ["sit", "blunder", "dead", "wishes", "contradicts", "floods"] {
        let dir = games(fault);
        let (moves, ends) = moves_and_ends(&dir);
        assert_eq!(ends.len(), 4, "{fault}");
        for (moves, end) in moves.iter().zip(&ends) {
            assert!(*moves >= 5, "{fault}: {moves} moves, {end}");
            assert!(
                !end.contains("stalled") && !end.contains("left") && !end.contains("illegal"),
                "{end}"
            );
            assert!(end != "good: time forfeit", "{fault}");
        }
        let (sat, longest, words) = sat_for_partner(&dir);
        println!(
            "{fault}: {moves:?} moves, {ends:?}, sat {sat:?}, at one move {longest}, {words} words"
        );
        assert!(words > 20 || fault == "blunder" && words > 0, "{fault}: {words} words");
        // A moment more: it is asked again when that time is over.
        assert!(longest <= ASKED + 500, "{fault}: {longest} ms");
        let most = (ASKED + 500) * (1 + CLOCK / DEAF);
        assert!(sat.iter().all(|sat| *sat <= most), "{fault}: {sat:?}");
        let says_it = matches!(fault, "sit" | "contradicts" | "floods");
        assert!(says_it || sat.iter().all(|sat| *sat == 0), "{fault}: {sat:?}");
        assert!(fault != "sit" || sat.iter().any(|sat| *sat > 1_000), "{fault}: {sat:?}");
    }
}
