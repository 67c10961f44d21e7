//! The arena and the table through the real binary.

#[path = "mocks/hostile.rs"]
mod hostile;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use klotz::record;

const KLOTZ: &str = env!("CARGO_BIN_EXE_klotz");

/// A folder of its own for each test, emptied first.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("arena").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn klotz(folder: &Path, line: &str, fault: &str) -> Output {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = Command::new(KLOTZ);
    command.current_dir(folder).args(words).stdin(Stdio::null()).env_remove(FAULT);
    if !fault.is_empty() {
        command.env(FAULT, fault);
    }
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command that must succeed.
fn run(folder: &Path, line: &str) -> String {
    run_beside(folder, line, "")
}

/// The same with a hostile engine among the players.
fn run_beside(folder: &Path, line: &str, fault: &str) -> String {
    let output = klotz(folder, line, fault);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{line}\n{out}\n{err}");
    out
}

/// Runs a command that must fail, and gives its one line of error.
fn refused(folder: &Path, line: &str) -> String {
    refused_beside(folder, line, "")
}

fn refused_beside(folder: &Path, line: &str, fault: &str) -> String {
    let output = klotz(folder, line, fault);
    let err = text(&output.stderr);
    assert!(!output.status.success(), "{line} was accepted");
    assert_eq!(err.trim().lines().count(), 1, "{line}: {err}");
    err
}

/// Which fault the hostile engine has.
const FAULT: &str = "KLOTZ_TEST_FAULT";

/// The hostile engine is this test program itself, started as an engine with a fault to show.
#[test]
fn hostile_engine() {
    if let Ok(fault) = std::env::var(FAULT) {
        hostile::play(KLOTZ, &fault);
    }
}

/// The flags that start it.
fn hostile_flags() -> String {
    let program = std::env::current_exe().unwrap();
    format!("name=bad cmd={} arg=hostile_engine arg=--exact arg=--nocapture", program.display())
}

const VIRTUAL: &str = "arena -engine name=A nodes=120 -engine name=B nodes=80 -each tc=20+0 -variant bughouse \
                       -openings file=book.epd order=random -clock virtual -srand 5";

const BOOK: &str = "\
rnbqkb1r/pppp1ppp/5n2/4p3/2B1P3/2N5/PPPP1PPP/R1BQK1NR[] b KQkq - 3 3;
r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/2N5/PPPP1PPP/R1BQK1NR[] b KQkq - 3 3;
rnbqkb1r/pppp1ppp/4pn2/8/2PP4/8/PP2PPPP/RNBQKBNR[] w KQkq - 0 3
rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/8/PPP2PPP/RNBQKBNR[] w KQkq - 0 3
";

#[test]
fn a_virtual_match_repeats_at_any_concurrency() {
    let dir = folder("repeats");
    fs::write(dir.join("book.epd"), BOOK).unwrap();
    for n in [1, 2, 8] {
        run(
            &dir,
            &format!("{VIRTUAL} -rounds 6 -concurrency {n} -eventlog {n}.log -json {n}.json"),
        );
    }
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(read("1.log"), read("2.log"));
    assert_eq!(read("1.log"), read("8.log"));
    assert_eq!(read("1.json"), read("8.json"));
    assert!(read("1.log").contains("total 12 games crc32"));
    assert!(read("1.log").contains(" talk "), "the partners had something to say");
}

#[test]
fn a_virtual_match_of_ubi_engines_repeats() {
    let dir = folder("repeats-ubi");
    fs::write(dir.join("book.epd"), BOOK).unwrap();
    for n in [1, 4] {
        run(
            &dir,
            &format!(
                "{VIRTUAL} -each proto=ubi tc=20 cmd={KLOTZ} -rounds 4 -concurrency {n} -eventlog {n}.log"
            ),
        );
    }
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(read("1.log"), read("4.log"));
    assert!(read("1.log").contains(" talk "), "the partners had something to say");
}

#[test]
fn a_killed_match_goes_on_where_it_stopped() {
    let dir = folder("resume");
    fs::write(dir.join("book.epd"), BOOK).unwrap();
    let whole = format!("{VIRTUAL} -rounds 8 -json whole.json -bpgnout whole.bpgn");
    run(&dir, &whole);
    let again = format!("{VIRTUAL} -rounds 8 -json again.json -bpgnout again.bpgn -resume journal");
    // Killed when the first games are in the journal; which ones does not matter.
    let mut child = Command::new(KLOTZ)
        .current_dir(&dir)
        .args(again.split_whitespace())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let journal = dir.join("journal");
    let lines = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    while lines() < 4 && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let _ = child.kill();
    let _ = child.wait();
    // As if the kill had cut the last line and a record.
    let mut torn = fs::read_to_string(&journal).unwrap();
    torn.push_str("{\"index\":");
    fs::write(&journal, torn).unwrap();
    let record = dir.join("again.bpgn");
    let mut half = fs::read_to_string(&record).unwrap();
    half.push_str("[Event \"torn");
    fs::write(&record, half).unwrap();
    run(&dir, &again);
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(read("whole.json"), read("again.json"));
    assert_eq!(read("whole.bpgn"), read("again.bpgn"));
    run(&dir, "bpgn check again.bpgn");
    let error = refused(&dir, &again.replace("-rounds 8", "-rounds 9"));
    assert!(error.contains("another tournament: 'rounds'"), "{error}");
}

#[test]
fn shards_join_to_the_whole() {
    let dir = folder("shards");
    fs::write(dir.join("book.epd"), BOOK).unwrap();
    run(&dir, &format!("{VIRTUAL} -rounds 5 -json whole.json -eventlog whole.log"));
    for i in 1..=3 {
        run(&dir, &format!("{VIRTUAL} -rounds 5 -json {i}.json -shard {i}/3"));
    }
    run(
        &dir,
        "arena merge 1.json 2.json 3.json -json merged.json -eventlog merged.log -report r.html",
    );
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(read("whole.json"), read("merged.json"));
    assert_eq!(read("whole.log"), read("merged.log"));
    assert!(read("r.html").contains("<h2>Standings</h2>"));
    assert!(refused(&dir, "arena merge 1.json 1.json").contains("twice"));
    // The whole is asked for, unless a part is wanted on purpose.
    let error = refused(&dir, "arena merge 1.json 3.json -json part.json");
    assert!(error.contains("4 of 10 games are missing: 4 of shard 2/3"), "{error}");
    assert!(!dir.join("part.json").exists());
    run(&dir, "arena merge 1.json 3.json -json part.json -partial");
    run(&dir, "arena merge whole.json -report r.html");
}

#[test]
fn an_option_that_an_engine_refuses_is_told_before_any_game() {
    let dir = folder("refused-option");
    for (flags, option) in [
        ("-each nodes=20 option.EvalFile=/nope", "option EvalFile=/nope: "),
        ("-each nodes=20 proto=ubi option.EvalFile=/nope -variant bughouse", "EvalFile=/nope"),
        ("-each depth=1 st=1 proto=xboard option.EvalFile=/nope", "option EvalFile=/nope: "),
        ("-each depth=1 st=1 proto=xboard option.memory=999999999", "option memory=999999999: "),
    ] {
        let line = format!("arena -engine name=A -engine name=B {flags} -rounds 1 -json r.json");
        let error = refused(&dir, &line);
        assert!(error.contains("engine 'A' refuses ") && error.contains(option), "{error}");
        assert!(!dir.join("r.json").exists() || fs::read(dir.join("r.json")).unwrap().is_empty());
    }
    // One engine's option is no other's, and what is taken is played with.
    let line = "arena -engine name=A option.Hash=2 -engine name=B option.EvalFile=/nope \
                -each nodes=20 -rounds 1";
    assert!(refused(&dir, line).contains("engine 'B' refuses "));
    let line = "table --rules crazyhouse --nodes 20 --option EvalFile=/nope --record t.pgn";
    assert!(refused(&dir, line).contains("EvalFile=/nope"));
}

#[test]
fn an_engine_that_says_much_is_not_thought_to_refuse() {
    // The flood comes with the first `go`; before it, the greeting's talk of a foreign engine.
    let (said, _) = against("chatty", "crazyhouse", "-each nodes=20 tc=600 option.Hash=2");
    assert!(said.contains("Finished match"), "{said}");
}

#[test]
fn a_journal_belongs_to_one_arena() {
    let dir = folder("lock");
    fs::write(dir.join("book.epd"), BOOK).unwrap();
    let line = format!("{VIRTUAL} -rounds 1 -resume journal");
    let held = fs::File::create(dir.join("journal")).unwrap();
    held.lock().unwrap();
    assert!(refused(&dir, &line).contains("another arena"));
    drop(held);
    run(&dir, &line);
    let devices = ["/dev/zero", "/dev/full", "."];
    for device in devices.iter().filter(|device| Path::new(device).exists()) {
        let error = refused(&dir, &line.replace("-resume journal", &format!("-resume {device}")));
        assert!(error.contains("not a regular file"), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_told() {
    let dir = folder("full");
    let line = "arena -engine name=A -engine name=B -each nodes=20 -rounds 1 -log /dev/full";
    assert!(refused(&dir, line).contains("cannot write the log /dev/full"));
}

#[test]
fn a_book_is_not_longer_than_it_is() {
    let dir = folder("book");
    fs::write(dir.join("book.epd"), BOOK).unwrap();
    fs::write(dir.join("book.bpgn"), "[WhiteA \"a\"]\n\n1A. e4 *\n").unwrap();
    fs::write(dir.join("inner.toml"), "config = \"inner.toml\"\n").unwrap();
    fs::write(dir.join("wrong.toml"), "rounds = \"many\"\n").unwrap();
    fs::write(dir.join("teams.tsv"), "# none\n").unwrap();
    let two = "arena -engine name=A -engine name=B -each nodes=20 -rounds 1";
    for (flags, words) in [
        ("-openings file=book.epd start=5", "start=5, but it has only 4"),
        ("-openings file=book.bpgn", "two boards are for bughouse only"),
        ("-config inner.toml", "inner.toml: 'config' inside"),
        ("-config wrong.toml", "wrong.toml: -rounds"),
        ("-variant bughouse -teams teams.tsv", "no team in it"),
    ] {
        let error = refused(&dir, &format!("{two} {flags}"));
        assert!(error.contains(words), "{flags}: {error}");
    }
}

/// A short match of a hostile engine on the real clock. Each fault ends its game by itself, so how
/// fast the machine is changes nothing.
fn against(fault: &str, variant: &str, flags: &str) -> (String, String) {
    let dir = folder(&format!("hostile-{fault}-{variant}"));
    let out = if variant == "bughouse" { "-bpgnout" } else { "-pgnout" };
    let line = format!(
        "arena -engine {} -engine name=good nodes=50 -each tc=0.4+0.02 -variant {variant} -rounds 1 -recover \
         {out} games {flags}",
        hostile_flags()
    );
    let said = run_beside(&dir, &line, fault);
    (said, fs::read_to_string(dir.join("games")).unwrap())
}

#[test]
fn hostile_engines_lose_and_the_tournament_goes_on() {
    // Who fails in another way than by time has so much of it that a busy machine changes nothing.
    let slow = "-each nodes=50 tc=600";
    for (fault, ending, flags) in [
        ("silent", "time forfeit", ""),
        ("exit", "left the table", slow),
        ("illegal", "illegal move", slow),
        ("sit", "time forfeit", ""),
        ("late", "time forfeit", ""),
    ] {
        for variant in ["crazyhouse", "bughouse"] {
            let (said, record) = against(fault, variant, flags);
            assert!(said.contains("Finished match"), "{fault}: {said}");
            assert!(said.contains("Score of bad vs good: 0 - 2 - 0"), "{fault} {variant}: {said}");
            assert!(said.contains(&format!("Endings: {ending} 2")), "{fault} {variant}: {said}");
            assert!(said.contains("Forfeits: bad on "), "{fault} {variant}: {said}");
            if variant == "bughouse" {
                for game in record::bpgn::read(&record) {
                    let game = game.unwrap();
                    record::check::bpgn(&game).unwrap();
                    let seat: klotz::types::Seat = game.tag("LosingSeat").unwrap().parse().unwrap();
                    assert_eq!(game.tag(seat.name()), Some("bad"), "{fault}");
                }
            }
        }
    }
}

/// The same in CECP, on a clock that does not matter; the incidents told are given back too.
fn against_in_cecp(fault: &str, variant: &str, flags: &str) -> (String, String) {
    let flags = format!("-each depth=2 tc=600 -json results.json {flags}");
    let bad = format!("-engine {} proto=xboard", hostile_flags());
    let dir = folder(&format!("hostile-{fault}-{variant}"));
    let line =
        format!("arena {bad} -engine name=good -variant {variant} -rounds 1 -recover {flags}");
    let said = run_beside(&dir, &line, fault);
    (said, fs::read_to_string(dir.join("results.json")).unwrap())
}

#[test]
fn a_false_claim_is_set_right_and_told() {
    for variant in ["crazyhouse", "bughouse"] {
        let (said, results) = against_in_cecp("claim-once", variant, "-maxmoves 20");
        assert!(said.contains("Finished match") && !said.contains("Forfeits"), "{said}");
        let told = results.matches("false claim '1/2-1/2 {Draw by wish}'").count();
        // At two boards two such engines sit at the table.
        assert!(told >= 1, "{variant}: {results}");
    }
}

#[test]
fn claims_without_end_lose() {
    let (said, _) = against_in_cecp("claim-always", "crazyhouse", "");
    assert!(said.contains("Score of bad vs good: 0 - 2 - 0"), "{said}");
    assert!(said.contains("Endings: left the table 2"), "{said}");
    assert!(said.contains("Forfeits: bad on "), "{said}");
    // At two boards no claim counts at all: whoever only claims, runs out of time.
    let (said, results) = against_in_cecp("claim-always", "bughouse", "-each depth=2 tc=1");
    assert!(said.contains("Score of bad vs good: 0 - 2 - 0"), "{said}");
    assert!(said.contains("Endings: time forfeit 2"), "{said}");
    assert!(results.contains("false claim"), "{results}");
}

#[test]
fn a_true_claim_changes_nothing() {
    let dir = folder("claims");
    let book = dir.join("mate.epd");
    fs::write(&book, "6rk/6pp/8/4N3/8/8/8/6K1[] w - -\n").unwrap();
    for variant in ["crazyhouse", "bughouse"] {
        let flags = format!("-openings file={}", book.display());
        let (said, results) = against_in_cecp("claim-mate", variant, &flags);
        assert!(said.contains("Endings: mate 2"), "{said}");
        assert!(!said.contains("Forfeits") && !results.contains("false claim"), "{said} {results}");
    }
}

#[test]
fn engines_without_a_pong_do_not_hang_the_arena() {
    let (said, _) = against_in_cecp("no-ping", "crazyhouse", "-maxmoves 20");
    assert!(said.contains("Finished match") && !said.contains("Forfeits"), "{said}");
    // One that offers it and does not answer is not ready to play.
    let (said, results) = against_in_cecp("mute-ping", "crazyhouse", "-games 1");
    assert!(said.contains("Score of bad vs good: 0 - 1 - 0"), "{said}");
    assert!(said.contains("Endings: stalled 1"), "{said}");
    assert!(results.contains("was not ready to play"), "{results}");
}

#[test]
fn mate_and_flag_at_the_same_instant() {
    let dir = folder("instant");
    let other = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq -";
    fs::write(dir.join("mate.epd"), format!("6rk/6pp/8/4N3/8/8/8/6K1[] w - - | {other}\n"))
        .unwrap();
    // White of board A takes 20,000 nodes for his mate; his partner thinks longer about his answer
    // to a quick first move, with so much time that his flag falls at that moment, or just beside.
    let play = |time: i64, rules: &str| {
        let line = format!(
            "arena -variant bughouse -rules {rules} -clock virtual -each tc=100 \
             -engine name=W nodes=20000 -engine name=b nodes=90000 tc={:.6} \
             -engine name=w nodes=10 -engine name=x nodes=10 -team name=one a=W b=b \
             -team name=two a=x b=w -openings file=mate.epd -rounds 1 -games 1 -eventlog e.log",
            time as f64 / 1e6
        );
        run(&dir, &line);
        fs::read_to_string(dir.join("e.log")).unwrap()
    };
    let log = play(90_000_000, "bughouse-otb");
    let moment = |seat: &str| -> i64 {
        let line = log.lines().find(|line| line.contains(&format!(" move {seat} "))).unwrap();
        line.split(' ').find_map(|word| word.parse().ok()).unwrap()
    };
    let time = moment("WhiteA") - moment("WhiteB");
    assert!(log.contains(" end 1-0 mate "), "{log}");
    for (time, rules, end) in [
        (time, "bughouse-otb", "end 1/2-1/2 simultaneous ends"),
        (time, "bughouse", "end 1-0 mate"),
        (time + 1, "bughouse-otb", "end 1-0 mate"),
        (time - 1, "bughouse-otb", "end 0-1 time forfeit BlackB"),
    ] {
        let log = play(time, rules);
        assert!(log.contains(end), "{time} {rules}: {log}");
    }
}

#[test]
fn noise_does_no_harm() {
    for fault in ["flood", "long"] {
        let (said, _) = against(fault, "bughouse", "-each nodes=30 tc=600");
        assert!(said.contains("Finished match"), "{fault}: {said}");
        assert!(!said.contains("Forfeits"), "{fault}: {said}");
    }
}

#[test]
fn without_recover_a_crash_stops_the_match_but_keeps_its_games() {
    let dir = folder("crash");
    let line = format!(
        "arena -engine {} -engine name=good nodes=50 -each tc=5 -rounds 9 -pgnout games.pgn",
        hostile_flags()
    );
    let error = refused_beside(&dir, &line, "exit");
    assert!(error.contains("'bad'") && error.contains("-recover"), "{error}");
    let games = record::pgn::read(&fs::read_to_string(dir.join("games.pgn")).unwrap());
    assert_eq!(games.last().unwrap().tag("Termination"), Some("left the table"));
}

#[test]
fn a_swiss_ends_with_standings_and_prizes() {
    let dir = folder("swiss");
    let names = ["A", "B", "C", "D", "E", "F", "G", "H"];
    let mut line =
        String::from("arena -variant bughouse -tournament swiss -clock virtual -each tc=20");
    for (i, name) in names.iter().enumerate() {
        line += &format!(" -engine name={name} nodes={}", 20 + 10 * i);
        line += &format!(
            " -team name=t{name} a={name} b={} rating={}",
            names[(i + 1) % 8],
            3000 + 200 * i
        );
    }
    let said = run(&dir, &format!("{line} -games 1"));
    for round in 1..=7 {
        assert!(said.contains(&format!("Standings after round {round}:")), "{said}");
    }
    assert!(said.contains("Buchholz"), "{said}");
    assert!(
        said.contains("Best team below 4000: ") && said.contains("Best team below 3200: "),
        "{said}"
    );
    // Seven rounds of eight teams: everyone has met everyone once.
    assert!(said.contains("Started game 28 of 28"), "{said}");
    let error = refused(&dir, &format!("{line} -rounds 8"));
    assert!(error.contains("wants 9 sides"), "{error}");
}

#[test]
fn bad_input_is_named_before_any_game() {
    let dir = folder("bad");
    fs::write(dir.join("book.epd"), "rnbqkbnr/8/8/8/8/8/8/8 w - -\n").unwrap();
    let two = "-engine name=A -engine name=B -each tc=1";
    for (line, words) in [
        (format!("arena {two} -concurency 2"), "did you mean '-concurrency'"),
        ("arena -engine nmae=A".to_string(), "did you mean 'name'"),
        (format!("arena {two} -openings file=book.epd"), "book.epd, line 1"),
        (format!("arena {two} -openings file=none.epd"), "none.epd"),
        (format!("arena {two} -engine name=C cmd=/no/engine"), "/no/engine"),
        (format!("arena {two} -resume book.epd"), "no journal"),
        (format!("arena {two} -pgnout /no/folder/x.pgn"), "/no/folder/x.pgn"),
        ("table --seat WhiteA=human --seat WhiteA=klotz".to_string(), "taken twice"),
        ("table --seat WhiteA=cmd:/no/engine".to_string(), "/no/engine"),
        ("table --seat WhiteC=klotz".to_string(), "WhiteC"),
        ("table --fen x|y".to_string(), "board A"),
        ("bpgn check none.bpgn".to_string(), "none.bpgn"),
    ] {
        let error = refused(&dir, &line);
        assert!(error.contains(words), "{line}: {error}");
    }
    if cfg!(target_os = "linux") {
        let error = refused(&dir, &format!("arena {two} -each nodes=5 tc=9 -pgnout /dev/full"));
        assert!(error.contains("/dev/full"), "{error}");
    }
}

#[test]
fn the_bughouse_book_holds() {
    let book = include_str!("books/bughouse.epd");
    let lines = record::epd::read(book).unwrap();
    assert!(lines.len() >= 500, "{}", lines.len());
    let mut boards = std::collections::BTreeSet::new();
    for line in &lines {
        let second = line.second.as_ref().unwrap();
        assert_ne!(&line.first, second, "line {}", line.line);
        let text = format!("{} | {second}", line.first);
        let start = klotz::rules::bughouse::Boards::from_fen(&text, klotz::rules::Rules::BUGHOUSE);
        let table = klotz::rules::bughouse::Match::from_boards(start.unwrap());
        assert!(table.result().is_none(), "line {}", line.line);
        assert_eq!(table.boards().piece_count(), 64, "line {}", line.line);
        assert!(boards.insert(text), "line {} is there twice", line.line);
    }
}

#[test]
fn a_table_is_played_and_its_record_holds() {
    let dir = folder("table");
    let said = run(&dir, "table --tc 600 --nodes 60 --matches 2 --quiet");
    let ended = |line: &&str| line.contains("checkmated") || line.contains("move cap");
    assert_eq!(said.lines().filter(ended).count(), 2, "{said}");
    let checked = run(&dir, "bpgn check klotz-table.bpgn --fen");
    assert!(checked.contains("2 games replayed, no fault"), "{checked}");
    let plain = run(&dir, "table --tc 600 --nodes 40 --rules crazyhouse --record one.pgn");
    assert!(plain.contains("record: one.pgn"), "{plain}");
    assert_eq!(record::pgn::read(&fs::read_to_string(dir.join("one.pgn")).unwrap()).len(), 1);
}

#[test]
fn a_person_may_sit_down_mistype_and_resign() {
    use std::io::Write;
    let dir = folder("person");
    let mut child = Command::new(KLOTZ)
        .current_dir(&dir)
        .args(["table", "--tc", "600", "--seat", "WhiteA=human", "--nodes", "20", "--plain"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"e2e5\nhello\nBlackB e5\nNf3\nresign\n").unwrap();
    let output = child.wait_with_output().unwrap();
    drop(input);
    let said = text(&output.stdout);
    assert!(said.contains("'e2e5' is no move for WhiteA"), "{said}");
    assert!(said.contains("'hello' is no move"), "{said}");
    assert!(said.contains("BlackB is not yours"), "{said}");
    assert!(said.contains("WhiteA resigns  0-1"), "{said}");
    let record = fs::read_to_string(dir.join("klotz-table.bpgn")).unwrap();
    let game = record::bpgn::read(&record).next().unwrap().unwrap();
    assert!(game.moves.iter().any(|mv| mv.san == "Nf3"));
}

#[test]
fn a_draw_is_asked_of_the_opponent() {
    use std::io::Write;
    let dir = folder("draw");
    let fen = "k7/8/8/8/8/8/6P1/4K2Q[QQ] w - - 0 1";
    for (seat, fen, typed, words) in [
        ("klotz".to_string(), "", "draw\nresign\n", "has no word for a draw"),
        (format!("xboard:{KLOTZ}"), "", "draw\ne2e4\nresign\n", "answers with its next move"),
        (format!("xboard:{KLOTZ}"), fen, "draw\ng2g3\n", "1/2-1/2"),
    ] {
        let mut command = Command::new(KLOTZ);
        command.current_dir(&dir).args([
            "table",
            "--rules",
            "crazyhouse",
            "--tc",
            "600",
            "--plain",
        ]);
        command.args(["--seat", "WhiteA=human", "--seat", &format!("BlackA={seat}")]);
        if !fen.is_empty() {
            command.args(["--fen", fen]);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(typed.as_bytes()).unwrap();
        let said = text(&child.wait_with_output().unwrap().stdout);
        drop(input);
        assert!(said.contains(words), "{typed}: {said}");
        assert_eq!(said.contains("1/2-1/2"), !fen.is_empty(), "{said}");
    }
}

#[test]
fn a_board_drawn_over_the_board_lets_the_other_play_on() {
    use std::io::Write;
    let dir = folder("board-draw");
    let mut child = Command::new(KLOTZ)
        .current_dir(&dir)
        .args("table --rules bughouse-otb --tc 600 --nodes 30 --quiet".split(' '))
        .args(["--seat", "WhiteA=human", "--seat", "BlackA=human"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"WhiteA draw\nBlackA draw\n").unwrap();
    let said = text(&child.wait_with_output().unwrap().stdout);
    drop(input);
    assert!(said.contains("(board A drawn before)"), "{said}");
    let record = fs::read_to_string(dir.join("klotz-table.bpgn")).unwrap();
    let game = record::bpgn::read(&record).next().unwrap().unwrap();
    assert!(game.moves.iter().all(|mv| mv.seat.board() == klotz::types::BoardId::B));
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_leaves_its_record() {
    let dir = folder("interrupted");
    let mut child = Command::new(KLOTZ)
        .current_dir(&dir)
        .args(["table", "--tc", "600", "--seat", "WhiteA=human", "--plain"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // A closed input would be a player who leaves.
    let _input = child.stdin.take();
    // The first line comes when the players sit.
    let mut first = [0; 1];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert!(child.wait().unwrap().success());
    let record = fs::read_to_string(dir.join("klotz-table.bpgn")).unwrap();
    let game = record::bpgn::read(&record).next().unwrap().unwrap();
    assert_eq!(game.result, "*");
    record::check::bpgn(&game).unwrap();
}
