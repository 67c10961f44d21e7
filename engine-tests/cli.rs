//! The subcommands of the real binary: wrong values, a reader that goes away, an interrupt.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn klotz(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_klotz"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn outcome(arguments: &[&str]) -> (Output, String) {
    let output = klotz(arguments).output().expect("klotz runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, text)
}

fn record(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("klotz-cli-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn numbers_out_of_range_are_refused() {
    for arguments in [
        ["perft", "1", "--threads", "100000"],
        ["perft", "1", "--threads", "0"],
        ["table", "--quiet", "--matches", "0"],
    ] {
        let (output, text) = outcome(&arguments);
        assert!(!output.status.success(), "{arguments:?} was taken");
        assert!(text.contains(arguments[2]) || text.contains(arguments[3]), "{text}");
    }
    let (output, text) = outcome(&["analyse", "--depth", "1", "--multipv", "0"]);
    assert!(!output.status.success() && text.contains("--multipv"), "{text}");
}

#[test]
fn a_wrong_command_line_is_told_in_one_line() {
    for (arguments, wanted) in [
        (&["--hlep"][..], "'--help'"),
        (&["bnech"], "'bench'"),
        (&["bench", "--dept", "3"], "'--depth'"),
        (&["bench", "nothing"], "perft"),
        (&["perft"], "<DEPTH>"),
        (&["analyse", "--depth", "x"], "'x'"),
        (&["arena", "-nosuch"], "nosuch"),
        (&["arena", "-engine", "name=a"], "engine"),
        (&["arena", "merge", "-json"], "-json"),
        (&["arena", "merge", "-nosuch"], "nosuch"),
    ] {
        let (output, text) = outcome(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && text.starts_with("klotz: "), "{text}");
        assert!(text.lines().count() == 1 && text.contains(wanted), "{text}");
    }
    for asked in ["--help", "--version"] {
        let (output, text) = outcome(&[asked]);
        assert!(output.status.success() && text.is_empty() && !output.stdout.is_empty());
    }
}

#[test]
fn an_option_that_klotz_does_not_take_is_named_before_the_match() {
    for (option, wanted) in [("Foo=3", "'Foo'"), ("Hash=banana", "banana"), ("Hash=0", "Hash")] {
        let file = record("option.bpgn");
        let path = file.to_string_lossy().into_owned();
        let (output, text) = outcome(&["table", "--option", option, "--record", &path]);
        assert!(!output.status.success(), "{option} was taken");
        assert!(text.lines().count() == 1 && text.contains(wanted), "{text}");
        let _ = std::fs::remove_file(&file);
    }
}

#[test]
fn nobody_reading_is_no_reason_to_panic() {
    let file = record("closed.pgn");
    let path = file.to_string_lossy().into_owned();
    let table = ["table", "--rules", "chess", "--nodes", "1", "--rule", "move_cap=4"];
    for arguments in [
        &["bench", "--depth", "1", "--verbose"][..],
        &["analyse", "--depth", "2"],
        &["arena", "--help"],
        &[&table[..], &["--quiet", "--record", &path]].concat(),
    ] {
        let mut child = klotz(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("klotz starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("klotz ends");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!text.contains("panicked"), "{arguments:?}: {text}");
    }
    let kept = std::fs::read_to_string(&file).expect("the record");
    assert!(kept.contains("[Result "), "{kept}");
    let _ = std::fs::remove_file(&file);
}

/// A terminal interrupts everyone in it: the engines must not die of it before the table stops.
#[cfg(unix)]
#[test]
fn a_match_broken_off_is_kept_and_lost_by_nobody() {
    use std::os::unix::process::CommandExt;
    for signal in ["-INT", "-TERM", "-HUP"] {
        let file = record(&format!("broken{signal}.bpgn"));
        let path = file.to_string_lossy().into_owned();
        let mut child = klotz(&[
            "table",
            "--plain",
            "--tc",
            "3600",
            "--seat",
            "WhiteA=human",
            "--record",
            &path,
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("klotz starts");
        let keyboard = child.stdin.take();
        let output = child.stdout.take().expect("its output");
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        // The boards are drawn once everybody sits.
        assert!(lines.any(|line| line.contains("a b c d e f g h")));
        let group = format!("-{}", child.id());
        let told = Command::new("kill").args([signal, "--", &group]).status().expect("kill");
        assert!(told.success());
        lines.by_ref().for_each(drop);
        drop(keyboard);
        assert!(child.wait().expect("its end").success(), "{signal}");
        let kept = std::fs::read_to_string(&file).expect("the record");
        assert!(kept.contains("[Result \"*\"]"), "{signal}: {kept}");
        let check = klotz(&["bpgn", "check", &path]).output().expect("the check");
        assert!(check.status.success(), "{signal}: {kept}");
        let _ = std::fs::remove_file(&file);
    }
}

#[test]
fn the_first_line_decides_the_protocol_however_it_is_written() {
    use std::io::Write;
    for (first, answer) in [
        ("xboard\nprotover 2", "feature ping=1"),
        ("\u{feff}xboard\nprotover 2", "feature ping=1"),
        ("\r\n\u{feff}\nXBOARD\nprotover 2", "feature ping=1"),
        ("\u{feff}UBI", "ubiok"),
        ("  UCI", "uciok"),
        ("\u{feff}uci", "uciok"),
    ] {
        let mut child =
            klotz(&[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("klotz runs");
        let mut input = child.stdin.take().expect("its input");
        writeln!(input, "{first}\nquit").expect("it listens");
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains(answer) && !said.contains("rror"), "{first:?}: {said}");
    }
}

#[test]
fn a_missing_command_and_a_mate_in_no_moves_are_refused_in_one_line() {
    for (words, told) in [
        (&["bpgn"][..], "a command is missing: check"),
        (&["analyse", "--prove", "6rk/6pp/8/8/8/8/8/6K1[N] w - - 0 1", "--mate", "0"], "--mate"),
        (&["table", "--nudge", "nan"], "--nudge"),
    ] {
        let output = klotz(words).output().expect("klotz runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(told), "{words:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
