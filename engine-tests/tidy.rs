//! Keeps the shape of the source: who may know whom, how long a file may be, where `unsafe` and
//! `unwrap` may stand, what the documents promise. Every rule is a function from text to
//! complaints, and each is tried on a bad sample first, so that none can pass by looking at nothing.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use support::rust_text::{code_only, paths_named, without_tests};
use support::{repository, source_files, text_files};

/// What a module may name of the others. `*` stands for one segment of a path, the longest key that
/// fits a file counts, and an entry allows everything below it. A module may always name itself.
const KNOWS: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("rules", &["types"]),
    ("eval", &["types", "rules"]),
    ("search", &["types", "rules", "eval"]),
    // The plain data that team play fills or reads; the search itself stays unknown to it.
    ("team", &["types", "rules", "eval", "search::Outlook", "search::Info", "search::Outcome"]),
    ("engine", &["types", "rules", "eval", "search", "team"]),
    // The grammars are pure text <-> message, so that the arena can speak them without an engine.
    ("protocol::grammar", &["types", "rules"]),
    ("protocol::*::grammar", &["types", "rules"]),
    ("protocol", &["types", "rules", "engine"]),
    ("record", &["types", "rules"]),
    ("arena", &["types", "rules", "record", "protocol::grammar", "protocol::*::grammar"]),
    ("analysis", &["types", "rules", "eval", "search", "team", "engine", "record"]),
    // The subcommands and the binary tie everything together.
    ("cli", &["*"]),
    ("main", &["*"]),
    ("lib", &["*"]),
];

const MAX_LINES: usize = 700;
const LONG_FILES: &[&str] = &["src/search/alphabeta.rs"];

/// Files that may hold `unsafe`, each block under a `SAFETY:` comment.
const UNSAFE_FILES: &[&str] = &[
    "engine-tests/memory.rs",
    "src/eval/nnue/",
    "src/search/mate/table.rs",
    "src/search/tt.rs",
    "tuning/src/model.rs",
];

/// Files that read what came from outside: a panic there is a way to stop the engine from outside.
const READS_OUTSIDE: &[&str] = &[
    "src/main.rs",
    "src/cli/",
    "src/protocol/",
    "src/record/",
    "src/arena/",
    "src/rules/fen.rs",
    "src/rules/notation.rs",
    "src/rules/options.rs",
];

/// Modules that answer through values and events and never print, sleep or read the clock on the side.
const SILENT: &[&str] = &["types", "rules", "eval", "search", "team", "engine", "record"];

fn starts_with_any(path: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| path.starts_with(prefix))
}

/// `src/search/tt.rs` -> `["search", "tt"]`; `mod.rs` names its folder.
fn module_of(path: &str) -> Vec<String> {
    let inner = path.strip_prefix("src/").unwrap_or(path);
    let inner = inner.strip_suffix(".rs").unwrap_or(inner);
    let inner = inner.strip_suffix("/mod").unwrap_or(inner);
    inner.split('/').map(str::to_owned).collect()
}

fn pattern_fits(pattern: &str, path: &[String]) -> bool {
    let wanted: Vec<&str> = pattern.split("::").collect();
    wanted.len() <= path.len() && wanted.iter().zip(path).all(|(w, p)| *w == "*" || w == p)
}

fn knowledge(path: &str, text: &str) -> Vec<String> {
    let module = module_of(path);
    let Some((_, allowed)) = KNOWS
        .iter()
        .filter(|(key, _)| pattern_fits(key, &module))
        .max_by_key(|(key, _)| key.split("::").count())
    else {
        return vec![format!("{path}: module '{}' has no line in the table KNOWS", module[0])];
    };
    let tops: Vec<&str> =
        KNOWS.iter().map(|(key, _)| *key).filter(|key| !key.contains("::")).collect();
    paths_named(&code_only(&without_tests(path, text)), &module)
        .into_iter()
        .filter(|named| tops.contains(&named[0].as_str()) && named[0] != module[0])
        .filter(|named| !allowed.iter().any(|entry| pattern_fits(entry, named)))
        .map(|named| format!("{path}: {} must not know {}", module[0], named.join("::")))
        .collect()
}

fn length(path: &str, text: &str) -> Vec<String> {
    let lines = text.lines().count();
    if lines > MAX_LINES && !LONG_FILES.contains(&path) {
        vec![format!("{path}: {lines} lines, more than {MAX_LINES}")]
    } else {
        Vec::new()
    }
}

fn panics_on_input(path: &str, text: &str) -> Vec<String> {
    if !starts_with_any(path, READS_OUTSIDE) {
        return Vec::new();
    }
    let code = code_only(&without_tests(path, text));
    numbered(&code)
        .filter(|(_, line)| [".unwrap()", ".expect(", "panic!("].iter().any(|w| line.contains(w)))
        .map(|(n, line)| format!("{path}:{n}: may panic on input: {}", line.trim()))
        .collect()
}

fn unsafe_blocks(path: &str, text: &str) -> Vec<String> {
    let code = code_only(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut complaints = Vec::new();
    for (n, line) in numbered(&code) {
        let word = line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == "unsafe");
        let allow = line.contains("unsafe_code") && line.contains("allow");
        if (word || allow) && !starts_with_any(path, UNSAFE_FILES) {
            complaints.push(format!("{path}:{n}: unsafe outside the files allowed for it"));
        } else if word {
            let above = &lines[n.saturating_sub(12)..n];
            if !above.iter().any(|l| l.contains("SAFETY:") || l.contains("# Safety")) {
                complaints.push(format!("{path}:{n}: unsafe without a SAFETY comment above it"));
            }
        }
    }
    complaints
}

fn side_effects(path: &str, text: &str) -> Vec<String> {
    let code = code_only(&without_tests(path, text));
    let module = module_of(path);
    let mut words = vec!["static mut "];
    if SILENT.contains(&module[0].as_str()) {
        words.extend(["println!", "eprintln!", "print!(", "eprint!(", "thread::sleep"]);
    }
    // The measurement of the generator's speed is no part of the rules themselves.
    let timeless = module[0] == "team" || module[0] == "rules" && module[1..] != ["speed"];
    if timeless {
        words.push("Instant::now");
    }
    numbered(&code)
        .flat_map(|(n, line)| words.iter().filter(|w| line.contains(**w)).map(move |w| (n, *w)))
        .map(|(n, word)| format!("{path}:{n}: '{}' has no place here", word.trim_end_matches('(')))
        .collect()
}

/// Paths of one machine and hosts of package registries must not be committed.
fn machine_words(path: &str, text: &str) -> Vec<String> {
    // In pieces, so that this file does not complain of itself.
    let words = [
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/"),
        concat!("/ho", "me/"),
        concat!("pypi", ".org"),
        concat!("python", "hosted.org"),
        concat!("static.crates", ".io"),
        concat!("index.crates", ".io"),
        concat!("registry.npm", "js"),
        concat!("deb.deb", "ian.org"),
    ];
    numbered(text)
        .flat_map(|(n, line)| words.iter().filter(|w| line.contains(**w)).map(move |w| (n, *w)))
        .map(|(n, word)| format!("{path}:{n}: names '{word}'"))
        .collect()
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line))
}

type Rule = fn(&str, &str) -> Vec<String>;

const SOURCE_RULES: &[(&str, Rule)] = &[
    ("knowledge", knowledge),
    ("panics_on_input", panics_on_input),
    ("unsafe_blocks", unsafe_blocks),
    ("side_effects", side_effects),
];

#[test]
fn source_keeps_the_rules() {
    let mut complaints = Vec::new();
    let sources = source_files("src");
    assert!(sources.len() >= 5, "found hardly any source: {sources:?}");
    for (path, text) in &sources {
        for (_, rule) in SOURCE_RULES {
            complaints.extend(rule(path, text));
        }
    }
    for folder in ["src", "tuning/src", "engine-tests", "benches"] {
        for (path, text) in source_files(folder) {
            complaints.extend(length(&path, &text));
            if folder != "src" {
                complaints.extend(unsafe_blocks(&path, &text));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn no_file_names_a_machine() {
    let files = text_files();
    assert!(files.iter().any(|(path, _)| path == "Cargo.toml"));
    let complaints: Vec<String> =
        files.iter().flat_map(|(path, text)| machine_words(path, text)).collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn no_build_script_fetches() {
    for (path, text) in text_files().iter().filter(|(path, _)| path.ends_with("build.rs")) {
        for word in ["http", "curl", "wget", "TcpStream"] {
            assert!(!text.contains(word), "{path}: a build script that names '{word}'");
        }
    }
}

/// The checkers on samples that break each rule: a checker that can't fail checks nothing.
#[test]
fn each_rule_can_fail() {
    let bad: &[(Rule, &str, &str, &str)] = &[
        (knowledge, "src/rules/make.rs", "use crate::search::Limits;", "search::Limits"),
        (knowledge, "src/rules/mod.rs", "use crate::{types::Move, eval::{self, nnue}};", "eval"),
        (knowledge, "src/eval/nnue/simd.rs", "use super::super::super::team;", "team"),
        (knowledge, "src/search/pool.rs", "fn f() { crate::protocol::say() }", "protocol::say"),
        (knowledge, "src/arena/seats.rs", "use crate::protocol::uci::session;", "session"),
        (
            knowledge,
            "src/protocol/uci/grammar/reply.rs",
            "use crate::engine::Engine;",
            "engine::Engine",
        ),
        (
            knowledge,
            "src/protocol/grammar/words.rs",
            "use crate::engine::Engine;",
            "engine::Engine",
        ),
        (knowledge, "src/team/sit.rs", "use crate::search::alphabeta;", "alphabeta"),
        (knowledge, "src/novel/mod.rs", "", "no line in the table"),
        (length, "src/a.rs", &"x\n".repeat(MAX_LINES + 1), "more than"),
        (panics_on_input, "src/protocol/uci/mod.rs", "let x = y\n    .unwrap();", ":2: may panic"),
        (panics_on_input, "src/record/pgn.rs", "y.expect(\"fine\")", "may panic"),
        (unsafe_blocks, "src/rules/make.rs", "unsafe { f() }", "outside"),
        (unsafe_blocks, "src/rules/make.rs", "#![allow(unsafe_code)]", "outside"),
        (unsafe_blocks, "src/search/tt.rs", "fn g() {\n    unsafe { f() }\n}", "SAFETY"),
        (side_effects, "src/search/mod.rs", "println!(\"info\");", "println!"),
        (side_effects, "src/arena/mod.rs", "static mut X: u8 = 0;", "static mut"),
        (side_effects, "src/team/sit.rs", "let t = Instant::now();", "Instant::now"),
        (machine_words, "docs/a.md", concat!("see /ro", "ot/x"), "names"),
    ];
    for (rule, path, text, wanted) in bad {
        let complaints = rule(path, text);
        assert!(
            complaints.iter().any(|c| c.contains(wanted)),
            "{path} with {text:?} should have been refused with '{wanted}': {complaints:?}"
        );
    }
}

#[test]
fn each_rule_lets_good_code_pass() {
    let good: &[(Rule, &str, &str)] = &[
        (knowledge, "src/search/mod.rs", "use crate::{rules::Position, types::*};"),
        (knowledge, "src/search/tt.rs", "use super::limits::Limits; use crate::search::params;"),
        (knowledge, "src/rules/a.rs", "//! [`crate::search`]\nlet s = \"crate::eval::x\";"),
        (knowledge, "src/rules/a.rs", "#[cfg(test)]\nmod tests { use crate::search::Limits; }"),
        (knowledge, "src/arena/seats.rs", "use crate::protocol::uci::grammar::Command;"),
        (panics_on_input, "src/protocol/a.rs", "x.unwrap_or(1); // .unwrap()\n\"panic!(\""),
        (panics_on_input, "src/search/a.rs", "x.unwrap()"),
        (unsafe_blocks, "src/search/tt.rs", "// SAFETY: in bounds\nunsafe { f() }"),
        (side_effects, "src/protocol/a.rs", "println!(\"uciok\");"),
    ];
    for (rule, path, text) in good {
        assert_eq!(rule(path, text), Vec::<String>::new(), "{path} with {text:?}");
    }
}

/// The shell lines of the documents: what stands in fenced `sh` blocks, continuation lines joined.
fn shell_lines(markdown: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut inside = false;
    let mut joined = false;
    for line in markdown.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            inside = !inside && (language == "sh" || language == "console");
            continue;
        }
        if !inside {
            continue;
        }
        let line = line.trim().trim_start_matches("$ ");
        let (line, continues) = match line.strip_suffix('\\') {
            Some(start) => (start.trim_end(), true),
            None => (line, false),
        };
        match lines.last_mut() {
            Some(last) if joined => *last = format!("{last} {line}"),
            _ => lines.push(line.to_owned()),
        }
        joined = continues;
    }
    lines.retain(|line| !line.is_empty() && !line.starts_with('#'));
    lines
}

/// What a documented command line needs: files, cargo targets, subcommands of Klotz with flags.
fn command_needs(line: &str) -> (Vec<String>, Option<Vec<String>>) {
    let line = line.split(" #").next().unwrap_or(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut files = Vec::new();
    let mut klotz = None;
    for (i, word) in words.iter().enumerate() {
        let next = words.get(i + 1).copied().unwrap_or("");
        match *word {
            "--test" => files.push(format!("engine-tests/{next}.rs")),
            "--bench" if words.contains(&"bench") => files.push(format!("benches/{next}.rs")),
            "--" if words.starts_with(&["cargo", "run"]) && !words.contains(&"-p") => {
                klotz = Some(&words[i + 1..]);
            }
            w if w == "klotz" || w.ends_with("/release/klotz") => klotz = Some(&words[i + 1..]),
            w if w.starts_with("engine-tests/") || w.starts_with(".ci/") => {
                files.push(w.to_owned());
            }
            _ => {}
        }
    }
    let flags_and_name = klotz.map(|args| {
        args.iter()
            .take_while(|w| !["|", ">", "&&", "<"].contains(*w))
            .enumerate()
            .filter(|(i, w)| *i == 0 || w.starts_with("--"))
            .map(|(_, w)| w.split('=').next().unwrap_or(w).to_owned())
            .collect()
    });
    (files, flags_and_name)
}

#[test]
fn documents_name_what_exists() {
    let mut complaints = BTreeSet::new();
    let mut seen = 0;
    for (path, text) in text_files().iter().filter(|(path, _)| path.ends_with(".md")) {
        for line in shell_lines(text) {
            seen += 1;
            let (files, klotz) = command_needs(&line);
            for file in files.iter().filter(|file| !repository().join(file).exists()) {
                complaints.insert(format!("{path}: `{line}` names {file}, which does not exist"));
            }
            if let Some(args) = klotz
                && let Err(reason) = klotz_knows(&args)
            {
                complaints.insert(format!("{path}: `{line}`: {reason}"));
            }
        }
        for target in links(text) {
            let folder = Path::new(path).parent().unwrap_or(Path::new(""));
            if !repository().join(folder).join(&target).exists() {
                complaints.insert(format!("{path}: link to {target}, which does not exist"));
            }
        }
    }
    assert!(seen > 0, "no command found in any document");
    assert!(complaints.is_empty(), "\n{}", complaints.into_iter().collect::<Vec<_>>().join("\n"));
}

/// Asks the real binary for its help on a subcommand and looks for each flag there.
fn klotz_knows(args: &[String]) -> Result<(), String> {
    let (name, flags) = match args.split_first() {
        Some((first, rest)) if !first.starts_with("--") => (Some(first), rest),
        _ => (None, args),
    };
    let output = Command::new(env!("CARGO_BIN_EXE_klotz"))
        .args(name)
        .arg("--help")
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("klotz has no subcommand '{}'", name.map_or("", String::as_str)));
    }
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    match flags.iter().find(|flag| !help.contains(flag.as_str())) {
        Some(flag) => Err(format!("its help does not know {flag}")),
        None => Ok(()),
    }
}

/// Relative link targets of a markdown text.
fn links(markdown: &str) -> Vec<String> {
    markdown
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn document_checks_can_fail() {
    let text =
        "```sh\n$ cargo run --release -- nonsense --loud \\\n    --more  # note\n# no\n```\n";
    let lines = shell_lines(text);
    assert_eq!(lines.len(), 1, "{lines:?}");
    let (_, klotz) = command_needs(&lines[0]);
    assert_eq!(klotz, Some(vec!["nonsense".into(), "--loud".into(), "--more".into()]));
    let (files, _) = command_needs("engine-tests/nothing && cargo test --test absent");
    assert_eq!(files, ["engine-tests/nothing", "engine-tests/absent.rs"]);
    assert_eq!(links("see [a](b.md#c) and [d](https://e.f)"), ["b.md"]);
    assert!(klotz_knows(&["surely-no-subcommand".into()]).is_err());
    assert!(klotz_knows(&["perft".into(), "--surely-no-flag".into()]).is_err());
    assert_eq!(klotz_knows(&["perft".into()]), Ok(()));
}
