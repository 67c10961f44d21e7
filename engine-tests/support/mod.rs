//! What several of the integration tests share.
#![allow(dead_code, reason = "each test target uses its own part of this module")]

pub mod mutate;
pub mod process;
pub mod rust_text;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the checkout.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the tests' data.
pub fn data(name: &str) -> PathBuf {
    repository().join("engine-tests/data").join(name)
}

const SKIPPED: &[&str] =
    &["target", ".git", ".venv", "node_modules", "__pycache__", "proptest-regressions"];

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        if path.is_dir() {
            if !SKIPPED.contains(&name.unwrap_or_default().as_str()) {
                walk(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

fn read_below(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    walk(folder, &mut paths);
    paths.sort();
    paths
        .into_iter()
        .filter(|path| wanted(path))
        .filter_map(|path| {
            let text = fs::read_to_string(&path).ok()?;
            let name = path.strip_prefix(repository()).ok()?.to_string_lossy().replace('\\', "/");
            Some((name, text))
        })
        .collect()
}

/// Rust files below a folder of the checkout, as (relative path, text).
pub fn source_files(folder: &str) -> Vec<(String, String)> {
    read_below(&repository().join(folder), |path| path.extension().is_some_and(|e| e == "rs"))
}

/// Every text file of the checkout that people write, as (relative path, text).
pub fn text_files() -> Vec<(String, String)> {
    let known = ["rs", "md", "toml", "py", "tsv", "epd", "perft", "txt", "sh", "yml", "json"];
    read_below(repository(), |path| match path.extension() {
        Some(extension) => known.contains(&extension.to_string_lossy().as_ref()),
        None => path.file_name().is_some_and(|name| name == "run"),
    })
}

/// A FEN with its hand in one order: programs write it in different ones.
pub fn sorted_hand(fen: &str) -> String {
    match (fen.find('['), fen.find(']')) {
        (Some(open), Some(close)) => {
            let mut hand: Vec<char> = fen[open + 1..close].chars().collect();
            hand.sort_unstable();
            let hand: String = hand.into_iter().collect();
            format!("{}[{hand}]{}", &fen[..open], &fen[close + 1..])
        }
        _ => fen.to_owned(),
    }
}
