//! Words on a command line: flags of several tokens, keys with values, and the nearest known word
//! for an unknown one.

use std::fmt::Display;
use std::str::FromStr;

/// A flag with the tokens up to the next flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Its name without the dash.
    pub name: String,
    /// What follows it.
    pub values: Vec<String>,
}

/// Splits a command line into flags. A token that starts with a dash and a letter begins a flag.
pub fn flags(tokens: &[String]) -> Result<Vec<Flag>, String> {
    let mut flags: Vec<Flag> = Vec::new();
    for token in tokens {
        let dashes = token.len() - token.trim_start_matches('-').len();
        let letter = token[dashes..].starts_with(|c: char| c.is_ascii_alphabetic());
        if (1..=2).contains(&dashes) && letter {
            flags.push(Flag { name: token[dashes..].to_string(), values: Vec::new() });
        } else if let Some(flag) = flags.last_mut() {
            flag.values.push(token.clone());
        } else {
            return Err(format!("'{token}' stands before any flag"));
        }
    }
    Ok(flags)
}

/// How many letters must change to get from one word to another.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// So many known words are worth listing in an error.
const FEW: usize = 16;

/// `unknown WHAT 'WORD'`, with the known word that was meant, or all where they are few.
pub fn unknown(what: &str, word: &str, known: &[&str]) -> String {
    let lower = word.to_ascii_lowercase();
    let changes = |other: &&str| distance(&lower, other);
    let near = |other: &&&str| changes(other) <= (word.chars().count() / 3).max(2);
    let hint = match known.iter().min_by_key(|other| changes(other)).filter(near) {
        Some(nearest) => format!("; did you mean '{nearest}'?"),
        None if known.len() <= FEW => format!("; known are {}", known.join(", ")),
        None => String::new(),
    };
    let shown: String = word.chars().take(40).collect();
    format!("unknown {what} '{shown}'{hint}")
}

/// What other runners' flags are here.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (&["debug"], "-log FILE writes all traffic"),
    (&["epdout"], "-json FILE holds the final positions"),
    (&["tournamentfile", "autosaveinterval"], "-resume FILE keeps a tournament, game by game"),
    (&["outcomeinterval", "scoreinterval"], "-ratinginterval N prints interim results"),
    (&["output"], "results are printed as Cute Chess prints them"),
    (
        &["seeds", "reverse", "swap"],
        "-tournament and -noswap tell who meets whom with which colour",
    ),
    (&["tb", "tbpieces", "tbignore50"], "there are no tablebases with hands"),
    (&["bookmode", "book"], "-openings file= names positions or games to begin with"),
    (&["use-affinity", "force-concurrency"], "-concurrency N plays N games at a time, on any core"),
    (&["quick"], "a match wants -engine twice and tc= or nodes="),
    (&["event-log", "crc32"], "-eventlog FILE keeps all events with checksums"),
    (&["version"], "'klotz --version' tells it"),
];

/// An unknown flag, with what does its work here.
pub fn unknown_flag(name: &str, known: &[&str]) -> String {
    match ELSEWHERE.iter().find(|(names, _)| names.contains(&name)) {
        Some((_, instead)) => format!("unknown flag '-{name}': {instead}"),
        None => {
            let error = unknown("flag", name, known).replacen("flag '", "flag '-", 1);
            let error = error.replace("mean '", "mean '-");
            match error.contains("mean") {
                true => error,
                false => format!("{error}; 'klotz arena -help' lists them"),
            }
        }
    }
}

impl Flag {
    /// The only value.
    pub fn one(&self) -> Result<&str, String> {
        match self.values.as_slice() {
            [value] => Ok(value),
            [] => Err(format!("-{} wants a value", self.name)),
            _ => Err(format!("-{} wants one value, not '{}'", self.name, self.values.join(" "))),
        }
    }

    /// The only value as the name of a file, also written `file=NAME` as in other runners.
    pub fn file(&self) -> Result<&str, String> {
        let value = match self.values.as_slice() {
            [file, append] if file.starts_with("file=") && append == "append=true" => file,
            _ => self.one()?,
        };
        match value.split_once('=') {
            Some(("file", path)) => Ok(path),
            // A file of such a name would be a surprise.
            Some((key, _)) if !std::path::Path::new(value).exists() => {
                Err(format!("-{} wants a file, and '{key}=' is no key of it", self.name))
            }
            _ => Ok(value),
        }
    }

    /// No value.
    pub fn none(&self) -> Result<(), String> {
        match self.values.as_slice() {
            [] => Ok(()),
            _ => Err(format!("-{} wants no value, not '{}'", self.name, self.values.join(" "))),
        }
    }

    /// All values as one text.
    pub fn words(&self) -> Result<String, String> {
        let text = self.values.join(" ");
        match text.trim() {
            "" => Err(format!("-{} wants a value", self.name)),
            words => Ok(words.to_string()),
        }
    }

    /// The only value as a number of at least `low`.
    pub fn number<T: FromStr + PartialOrd + Display>(&self, low: T) -> Result<T, String> {
        let value = self.one()?;
        let read = value.parse().ok().filter(|n| *n >= low);
        read.ok_or_else(|| format!("-{} wants a number from {low} on, not '{value}'", self.name))
    }

    /// The only value as a number from 1 to `high`: what is counted so takes memory.
    pub fn count(&self, high: usize) -> Result<usize, String> {
        let value = self.one()?;
        let read = value.parse().ok().filter(|n| (1..=high).contains(n));
        read.ok_or_else(|| format!("-{} wants a number from 1 to {high}, not '{value}'", self.name))
    }

    /// `key=value` pairs, each key one of `known` or beginning with one that ends in a point.
    pub fn pairs(&self, known: &[&str]) -> Result<Vec<(&str, &str)>, String> {
        let pair = |token: &'_ String| -> Result<(usize, usize), String> {
            let at = token
                .find('=')
                .ok_or_else(|| format!("-{}: '{token}' is no key=value", self.name))?;
            let key = &token[..at];
            let fits = |k: &&str| {
                *k == key || k.ends_with('.') && key.starts_with(k) && key.len() > k.len()
            };
            if !known.iter().any(fits) {
                return Err(unknown(&format!("key of -{}", self.name), key, known));
            }
            Ok((at, at + 1))
        };
        let cut = |token| pair(token).map(|(a, b)| (&token[..a], &token[b..]));
        self.values.iter().map(cut).collect()
    }
}

/// A number in a `key=value` pair.
pub fn value<T: FromStr>(flag: &str, key: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("-{flag} {key}={text}: not a valid value"))
}

/// A whole configuration file as flags: top-level keys are flags, tables their `key=value` pairs,
/// arrays of tables repeated flags.
pub fn toml_tokens(text: &str) -> Result<Vec<String>, String> {
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| {
        let line = e.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
        format!("line {line}: {}", e.message())
    })?;
    let mut tokens = Vec::new();
    for (key, value) in &table {
        match value {
            toml::Value::Array(items) if items.iter().all(toml::Value::is_table) => {
                for item in items {
                    tokens.push(format!("-{key}"));
                    pairs_of("", item, &mut tokens)?;
                }
            }
            toml::Value::Table(_) => {
                tokens.push(format!("-{key}"));
                pairs_of("", value, &mut tokens)?;
            }
            toml::Value::Boolean(false) => {}
            toml::Value::Boolean(true) => tokens.push(format!("-{key}")),
            other => {
                tokens.push(format!("-{key}"));
                tokens.push(scalar(key, other)?);
            }
        }
    }
    Ok(tokens)
}

fn pairs_of(prefix: &str, value: &toml::Value, tokens: &mut Vec<String>) -> Result<(), String> {
    match value {
        toml::Value::Table(table) => {
            for (key, inner) in table {
                let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                pairs_of(&name, inner, tokens)?;
            }
        }
        // Nothing else may stand there more than once.
        toml::Value::Array(items) if prefix == "arg" => {
            for item in items {
                tokens.push(format!("{prefix}={}", scalar(prefix, item)?));
            }
        }
        other => tokens.push(format!("{prefix}={}", scalar(prefix, other)?)),
    }
    Ok(())
}

fn scalar(key: &str, value: &toml::Value) -> Result<String, String> {
    match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(n) => Ok(n.to_string()),
        toml::Value::Float(x) => Ok(x.to_string()),
        toml::Value::Boolean(b) => Ok(b.to_string()),
        _ => Err(format!("'{key}' holds neither text nor a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(line: &str) -> Vec<String> {
        line.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn a_flag_owns_what_follows_it() {
        let flags = flags(&tokens(
            "-engine name=A arg=-x -sprt elo0=-5 elo1=0 -resign score=-3 -repeat -5",
        ))
        .unwrap();
        assert_eq!(flags[0].values, ["name=A", "arg=-x"]);
        assert_eq!(flags[1].pairs(&["elo0", "elo1"]).unwrap()[0], ("elo0", "-5"));
        assert_eq!(flags[3].values, ["-5"]);
        assert!(super::flags(&tokens("x -y")).is_err());
    }

    #[test]
    fn the_nearest_word_is_offered() {
        assert_eq!(
            unknown("flag", "concurency", &["rounds", "concurrency"]),
            "unknown flag 'concurency'; did you mean 'concurrency'?"
        );
        let colours = &["red", "green"];
        assert_eq!(
            unknown("colour", "blue", colours),
            "unknown colour 'blue'; known are red, green"
        );
        let known: Vec<&str> = std::iter::repeat_n("concurrency", 40).collect();
        assert!(unknown_flag("debug", &known).contains("-log FILE"));
        assert!(unknown_flag("concurency", &known).contains("did you mean '-concurrency'?"));
        assert!(unknown_flag("xyzzy", &known).ends_with("'klotz arena -help' lists them"));
        let read = |line: &str| flags(&tokens(line)).unwrap()[0].file().map(String::from);
        assert_eq!(read("-pgnout file=a.pgn append=true"), Ok("a.pgn".to_string()));
        assert_eq!(read("-pgnout a.pgn"), Ok("a.pgn".to_string()));
        assert!(read("-report penta=true").unwrap_err().contains("'penta='"));
        assert!(read("-pgnout a.pgn min fi").unwrap_err().contains("one value"));
        let flag = &flags(&tokens("-engine nmae=A option.Hash=1")).unwrap()[0];
        let error = flag.pairs(&["name", "option."]).unwrap_err();
        assert!(error.contains("'nmae'") && error.contains("'name'"), "{error}");
    }

    #[test]
    fn a_configuration_file_is_the_same_flags() {
        let text = "rounds = 5\nrepeat = true\nrecover = false\n[[engine]]\nname = \"A b\"\narg = [\"-x\", \"y\"]\n[engine.option]\nHash = 16\n[each]\ntc = \"1+0.1\"\n";
        let tokens = toml_tokens(text).unwrap();
        let mut flags = flags(&tokens).unwrap();
        flags.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(
            flags.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(),
            ["each", "engine", "repeat", "rounds"]
        );
        assert!(flags[1].values.contains(&"option.Hash=16".to_string()));
        assert!(flags[1].values.contains(&"arg=-x".to_string()));
        assert!(toml_tokens("a = 1\nb = \n").unwrap_err().starts_with("line 2"));
        assert!(toml_tokens("[each]\ntc = [1, 20]\n").unwrap_err().contains("'tc'"));
    }
}
