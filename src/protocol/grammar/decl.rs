//! An option as an engine declares it, in the words of UCI/UBI and of CECP.

use vampirc_uci::{Serializable, UciOptionConfig};

use super::words::{WordError, Words, bad, join, quoted};

/// What values an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// On or off.
    Check {
        /// The value before anyone sets it.
        default: bool,
    },
    /// A whole number within a range.
    Spin {
        /// The value before anyone sets it.
        default: i64,
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// One of some words.
    Combo {
        /// The value before anyone sets it.
        default: String,
        /// All values.
        values: Vec<String>,
    },
    /// Any text.
    Text {
        /// The value before anyone sets it.
        default: String,
    },
    /// The name of a file; CECP tells it apart from text.
    File {
        /// The value before anyone sets it.
        default: String,
    },
    /// An action.
    Button,
}

/// A declared option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDecl {
    /// Its name, blanks included.
    pub name: String,
    /// Its values.
    pub kind: Kind,
}

/// How UCI writes an empty text.
const EMPTY: &str = "<empty>";

impl OptionDecl {
    /// The line of UCI and UBI: `option name … type …`.
    pub fn uci(&self) -> String {
        let name = self.name.clone();
        match &self.kind {
            Kind::Check { default } => UciOptionConfig::Check { name, default: Some(*default) },
            Kind::Spin { default, min, max } => UciOptionConfig::Spin {
                name,
                default: Some(*default),
                min: Some(*min),
                max: Some(*max),
            },
            Kind::Combo { default, values } => {
                UciOptionConfig::Combo { name, default: Some(default.clone()), var: values.clone() }
            }
            Kind::Text { default } | Kind::File { default } => {
                let default = if default.is_empty() { EMPTY } else { default };
                UciOptionConfig::String { name, default: Some(default.to_string()) }
            }
            Kind::Button => UciOptionConfig::Button { name },
        }
        .serialize()
    }

    /// Reads what follows the word `option` in UCI and UBI.
    pub fn parse_uci(rest: &str) -> Result<OptionDecl, WordError> {
        let mut words = Words::new(rest);
        if words.next() != Some("name") {
            return Err(WordError::Missing("option", "name"));
        }
        let mut name = Vec::new();
        loop {
            match words.need("option", "type")? {
                "type" => break,
                word => name.push(word),
            }
        }
        let kind = words.need("option", "type")?;
        let (mut default, mut min, mut max, mut vars) = (String::new(), None, None, Vec::new());
        while let Some(word) = words.next() {
            match word {
                "default" => default = until_keyword(&mut words),
                "min" => min = Some(until_keyword(&mut words)),
                "max" => max = Some(until_keyword(&mut words)),
                "var" => vars.push(until_keyword(&mut words)),
                _ => {}
            }
        }
        if default == EMPTY {
            default.clear();
        }
        // Engines declare the oddest things and still take the option.
        let limit = |text: Option<String>, otherwise: i64| {
            text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
        };
        let kind = match kind {
            "check" => Kind::Check { default: default == "true" },
            "spin" => Kind::Spin {
                default: default.parse().unwrap_or(0),
                min: limit(min, i64::MIN),
                max: limit(max, i64::MAX),
            },
            "combo" => Kind::Combo { default, values: vars },
            "button" => Kind::Button,
            _ => Kind::Text { default },
        };
        Ok(OptionDecl { name: join(name), kind })
    }

    /// Whether the option takes this value; the reason names both.
    pub fn accepts(&self, value: &str) -> Result<(), String> {
        let wanted = match &self.kind {
            Kind::Check { .. } if !matches!(value, "true" | "false") => "true or false".to_string(),
            Kind::Spin { min, max, .. }
                if !value.parse().is_ok_and(|n: i64| (*min..=*max).contains(&n)) =>
            {
                format!("a number from {min} to {max}")
            }
            Kind::Combo { values, .. } if !values.iter().any(|v| v.eq_ignore_ascii_case(value)) => {
                values.join(", ")
            }
            _ => return Ok(()),
        };
        Err(format!("option {} cannot be '{}': it takes {wanted}", self.name, quoted(value)))
    }

    /// The value of CECP's `feature option="…"`.
    pub fn xboard(&self) -> String {
        let tail = match &self.kind {
            Kind::Check { default } => format!("check {}", u8::from(*default)),
            Kind::Spin { default, min, max } => format!("spin {default} {min} {max}"),
            Kind::Combo { default, values } => {
                let marked = values.iter().map(|value| {
                    if value == default { format!("*{value}") } else { value.clone() }
                });
                format!("combo {}", marked.collect::<Vec<_>>().join(" /// "))
            }
            // XBoard knows these two by the blank behind them, also where nothing follows.
            Kind::Text { default } => format!("string {default}"),
            Kind::File { default } => format!("file {default}"),
            Kind::Button => "button".to_string(),
        };
        format!("{} -{}", self.name, tail)
    }

    /// Reads the value of CECP's `feature option="…"`.
    pub fn parse_xboard(text: &str) -> Result<OptionDecl, WordError> {
        let at = text.rfind(" -").ok_or(WordError::Missing("option", "-type"))?;
        let at = [" -check", " -spin", " -combo", " -string", " -file", " -path", " -button"]
            .iter()
            .chain(&[" -save", " -reset", " -slider"])
            .filter_map(|kind| text.find(kind))
            .min()
            .unwrap_or(at);
        let (name, rest) = (text[..at].trim(), text[at + 2..].trim());
        let (kind, rest) = super::words::split_first(rest);
        let kind = match kind {
            "check" => Kind::Check { default: rest == "1" },
            "spin" | "slider" => {
                let mut words = Words::new(rest);
                Kind::Spin {
                    default: words.number("option", "a whole number")?,
                    min: words.number("option", "a whole number")?,
                    max: words.number("option", "a whole number")?,
                }
            }
            "combo" => {
                let all: Vec<&str> = rest.split("///").map(str::trim).collect();
                let default = all.iter().find(|v| v.starts_with('*')).or(all.first());
                Kind::Combo {
                    default: default.map_or("", |v| v.trim_start_matches('*')).to_string(),
                    values: all.iter().map(|v| v.trim_start_matches('*').to_string()).collect(),
                }
            }
            "string" => Kind::Text { default: rest.to_string() },
            "file" | "path" => Kind::File { default: rest.to_string() },
            "button" | "save" | "reset" => Kind::Button,
            other => return Err(bad("option type", other, "one that CECP knows")),
        };
        Ok(OptionDecl { name: name.to_string(), kind })
    }
}

fn until_keyword(words: &mut Words<'_>) -> String {
    let mut out = Vec::new();
    while let Some(word) = words.peek() {
        if matches!(word, "default" | "min" | "max" | "var") {
            break;
        }
        out.push(word);
        words.next();
    }
    join(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<OptionDecl> {
        let decl = |name: &str, kind| OptionDecl { name: name.into(), kind };
        vec![
            decl("Ponder", Kind::Check { default: false }),
            decl("Move Overhead", Kind::Spin { default: 10, min: 0, max: 5000 }),
            decl(
                "UCI_Variant",
                Kind::Combo {
                    default: "crazyhouse".into(),
                    values: vec!["chess".into(), "crazyhouse".into()],
                },
            ),
            decl("EvalFile", Kind::Text { default: String::new() }),
            decl("Clear Hash", Kind::Button),
        ]
    }

    #[test]
    fn both_dialects_round_trip() {
        for decl in samples() {
            let line = decl.uci();
            let rest = line.strip_prefix("option ").expect("the word option");
            assert_eq!(OptionDecl::parse_uci(rest).expect(&line), decl);
            let text = decl.xboard();
            assert_eq!(OptionDecl::parse_xboard(&text).expect(&text), decl);
        }
    }

    #[test]
    fn values_are_judged_by_the_declaration() {
        let all = samples();
        for (at, good, wrong) in
            [(0, "true", "yes"), (1, "5000", "5001"), (1, "0", "banana"), (2, "Chess", "losers")]
        {
            assert_eq!(all[at].accepts(good), Ok(()));
            let reason = all[at].accepts(wrong).expect_err(wrong);
            assert!(reason.contains(&all[at].name) && reason.contains(wrong), "{reason}");
        }
        assert_eq!(all[3].accepts("anything"), Ok(()));
    }

    #[test]
    fn lines_as_guis_know_them() {
        let lines: Vec<_> = samples().iter().map(OptionDecl::uci).collect();
        assert_eq!(lines[1], "option name Move Overhead type spin default 10 min 0 max 5000");
        assert_eq!(lines[3], "option name EvalFile type string default <empty>");
        assert_eq!(samples()[2].xboard(), "UCI_Variant -combo chess /// *crazyhouse");
        assert_eq!(samples()[0].xboard(), "Ponder -check 0");
    }
}
