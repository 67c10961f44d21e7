//! Just enough reading of Rust source for the tidy test.

/// The text without its test module (from `#[cfg(test)]` on, by this project's habit the end of a
/// file); files that are tests altogether come out empty.
pub fn without_tests(path: &str, text: &str) -> String {
    if path.ends_with("tests.rs") || path.contains("/tests/") {
        return String::new();
    }
    text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned()
}

/// The text with comments and the contents of literals blanked; line numbers stay.
pub fn code_only(text: &str) -> String {
    let bytes: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < bytes.len() {
        let rest = &bytes[i..];
        let len = match rest {
            ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
            ['/', '*', ..] => block_comment(rest),
            ['r', '"', ..] | ['r', '#', ..] if !joins_word(&bytes, i) => raw_string(rest),
            ['"', ..] => string(rest),
            ['\'', '\\', _, ..] => 3 + rest[3..].iter().position(|c| *c == '\'').unwrap_or(0) + 1,
            ['\'', _, '\'', ..] => 3,
            _ => 0,
        };
        if len == 0 {
            out.push(bytes[i]);
            i += 1;
        } else {
            let end = (i + len).min(bytes.len());
            out.extend(bytes[i..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            i = end;
        }
    }
    out
}

fn joins_word(bytes: &[char], i: usize) -> bool {
    i > 0 && (bytes[i - 1].is_alphanumeric() || bytes[i - 1] == '_')
}

fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut i = 0;
    while i < rest.len() {
        match &rest[i..] {
            ['/', '*', ..] => (depth, i) = (depth + 1, i + 2),
            ['*', '/', ..] => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}

fn string(rest: &[char]) -> usize {
    let mut i = 1;
    while i < rest.len() && rest[i] != '"' {
        i += if rest[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

/// Length of a raw string, 0 when it is none (a raw identifier).
fn raw_string(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let mut i = 2 + hashes;
    while i < rest.len() {
        if rest[i] == '"' && rest[i + 1..].iter().take_while(|c| **c == '#').count() >= hashes {
            return i + 1 + hashes;
        }
        i += 1;
    }
    rest.len()
}

/// Every path into this crate that the code names, from its root, groups expanded:
/// `use crate::{a::b, c}` gives `[a, b]` and `[c]`. `module` is the file's own path, for `super`.
pub fn paths_named(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let tokens = tokens(code);
    let mut named = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let fresh = i == 0 || tokens[i - 1] != "::";
        match tokens[i].as_str() {
            "crate" | "klotz" if fresh && next_is(&tokens, i, "::") => {
                i = tree(&tokens, i + 2, Vec::new(), &mut named);
            }
            "super" if fresh && next_is(&tokens, i, "::") => {
                let mut base = module.to_vec();
                while tokens.get(i).is_some_and(|t| t == "super") && next_is(&tokens, i, "::") {
                    base.pop();
                    i += 2;
                }
                i = tree(&tokens, i, base, &mut named);
            }
            _ => i += 1,
        }
    }
    named.retain(|path| !path.is_empty());
    named
}

fn next_is(tokens: &[String], i: usize, wanted: &str) -> bool {
    tokens.get(i + 1).is_some_and(|t| t == wanted)
}

/// Reads one use tree from `i`; returns where it ends.
fn tree(tokens: &[String], mut i: usize, base: Vec<String>, named: &mut Vec<Vec<String>>) -> usize {
    let mut path = base;
    loop {
        match tokens.get(i).map(String::as_str) {
            Some("{") => {
                i += 1;
                while i < tokens.len() && tokens[i] != "}" {
                    let start = i;
                    i = tree(tokens, i, path.clone(), named);
                    while i < tokens.len() && tokens[i] != "," && tokens[i] != "}" {
                        i += 1; // `as name`
                    }
                    if i < tokens.len() && tokens[i] == "," || i == start {
                        i += 1;
                    }
                }
                return i + 1;
            }
            Some("self") | Some("*") => i += 1,
            Some(word) if word.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                path.push(word.to_owned());
                i += 1;
            }
            _ => return finish(i, path, named),
        }
        if tokens.get(i).is_some_and(|t| t == "::") {
            i += 1;
        } else {
            return finish(i, path, named);
        }
    }
}

fn finish(i: usize, path: Vec<String>, named: &mut Vec<Vec<String>>) -> usize {
    named.push(path);
    i
}

fn tokens(code: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_alphanumeric() || c == '_' {
            let mut word = String::from(c);
            while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                word.push(c);
            }
            out.push(word);
        } else if c == ':' && chars.next_if_eq(&':').is_some() {
            out.push("::".to_owned());
        } else if !c.is_whitespace() {
            out.push(c.to_string());
        }
    }
    out
}
