//! `klotz analyse`

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::RulesArguments;
use crate::rules::{Position, Status, notation};
use crate::search::mate::{MateLimits, MateSearch, Verdict};
use crate::search::{Control, Event, Info, Limits, ProofLimits, Request, Searcher};
use crate::types::Move;

/// Arguments of `klotz analyse`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  klotz analyse --depth 10\n  \
    klotz analyse --multipv 3 --movetime 2000 --fen 'r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1[QNqn] w - - 0 1'\n  \
    klotz analyse --file positions.epd --nodes 100000 --rules bughouse\n  \
    klotz analyse --prove '6rk/6pp/8/8/8/8/8/6K1[N] w - - 0 1' --mate 3\n\n\
    A file holds one FEN or EPD a line; an EPD's bm and am are checked. Without a limit each\n\
    position gets one second.")]
pub struct Arguments {
    /// The position; the start position if left out
    #[arg(long, value_name = "FEN", conflicts_with = "file")]
    fen: Option<String>,
    /// Prove a mate in this position, every defence played out: by checks, else by any moves
    #[arg(long, value_name = "FEN", conflicts_with_all = ["fen", "file"])]
    prove: Option<String>,
    /// With --prove: the mate must come by checks, within so many moves
    #[arg(long, value_name = "MOVES", requires = "prove",
        value_parser = clap::value_parser!(u32).range(1..))]
    mate: Option<u32>,
    /// With --prove: only so many moves without check may be played on the way
    #[arg(long, value_name = "MOVES", requires = "prove")]
    quiets: Option<u8>,
    /// A file of positions, one FEN or EPD a line
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// Deepest iteration
    #[arg(long)]
    depth: Option<u32>,
    /// Nodes for each position
    #[arg(long)]
    nodes: Option<u64>,
    /// Milliseconds for each position
    #[arg(long, value_name = "MS")]
    movetime: Option<u64>,
    /// How many lines to show
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    multipv: u16,
    /// Search threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Mebibytes of table
    #[arg(long, default_value_t = 64)]
    hash: usize,
    #[command(flatten)]
    rules: RulesArguments,
}

/// A position with what an EPD says of it.
struct Item {
    position: Position,
    id: Option<String>,
    best: Vec<Move>,
    avoid: Vec<Move>,
}

/// Analyses.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    if let Some(fen) = &arguments.prove {
        return prove(arguments, &super::position(Some(fen), rules)?);
    }
    let items = match &arguments.file {
        None => {
            let position = super::position(arguments.fen.as_deref(), rules)?;
            vec![Item { position, id: None, best: Vec::new(), avoid: Vec::new() }]
        }
        Some(path) => {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let mut items = Vec::new();
            for (number, line) in text.lines().enumerate() {
                let line = line.trim();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                items.push(
                    item(line, rules)
                        .with_context(|| format!("{} line {}", path.display(), number + 1))?,
                );
            }
            items
        }
    };
    let mut searcher = Searcher::new(arguments.threads, arguments.hash)?;
    let mut out = std::io::stdout();
    let (mut asked, mut found) = (0, 0);
    for item in &items {
        searcher.clear();
        if let Some(id) = &item.id {
            writeln!(out, "{id}")?;
        }
        writeln!(out, "{}", item.position.fen())?;
        let best = analyse(&mut searcher, arguments, &item.position);
        let Some(best) = best else {
            writeln!(out, "no move: {}", reason(&item.position))?;
            continue;
        };
        write!(out, "best {}", notation::to_san(&item.position, best))?;
        if !(item.best.is_empty() && item.avoid.is_empty()) {
            asked += 1;
            let right =
                (item.best.is_empty() || item.best.contains(&best)) && !item.avoid.contains(&best);
            found += usize::from(right);
            write!(out, "  {}", if right { "as it should be" } else { "NOT as it should be" })?;
        }
        writeln!(out)?;
    }
    if asked > 0 {
        writeln!(out, "{found} of {asked} solved")?;
    }
    Ok(())
}

fn prove(arguments: &Arguments, position: &Position) -> anyhow::Result<()> {
    let nodes = arguments.nodes.unwrap_or(u64::MAX);
    // Without any limit a hopeless attempt would go on for ever.
    let deadline = match (arguments.movetime, arguments.nodes) {
        (Some(ms), _) => Some(Instant::now() + Duration::from_millis(ms)),
        (None, None) => Some(Instant::now() + Duration::from_secs(60)),
        (None, Some(_)) => None,
    };
    let any = arguments.mate.is_none() && arguments.quiets.is_none();
    let (verdict, nodes) = if !any {
        let quiets = arguments.quiets.unwrap_or(0);
        let limits = MateLimits { nodes, moves: arguments.mate, quiets, deadline };
        let mut search = MateSearch::new(arguments.hash);
        (search.search(position, &[], &limits, &|| false), search.nodes())
    } else {
        let mut searcher = Searcher::new(arguments.threads, arguments.hash)?;
        let limits = ProofLimits { nodes, deadline };
        let attempt = searcher.prove(position, &limits, &Control::new());
        let verdict = match attempt.proof {
            Some(proof) => Verdict::Mate(proof),
            None if attempt.no_mate_by_checks => Verdict::NoMate,
            None => Verdict::Unknown,
        };
        (verdict, attempt.nodes)
    };
    let mut out = std::io::stdout();
    match verdict {
        Verdict::Mate(proof) => {
            let line = san_line(position, &proof.line).join(" ");
            writeln!(out, "mate in {}: {line}", proof.plies.div_ceil(2))?;
            writeln!(out, "{} positions played out to check it", proof.checked)?;
        }
        Verdict::NoMate if any => {
            writeln!(out, "no mate by checks, and with quiet moves none was found")?
        }
        Verdict::NoMate => writeln!(out, "no mate{}{}", by(arguments), within(arguments.mate))?,
        Verdict::Unknown => writeln!(out, "not decided within the limits")?,
    }
    writeln!(out, "{nodes} nodes")?;
    Ok(())
}

fn by(arguments: &Arguments) -> String {
    match arguments.quiets.unwrap_or(0) {
        0 => " by checks".to_owned(),
        quiets => format!(" by checks and at most {quiets} other moves"),
    }
}

fn within(moves: Option<u32>) -> String {
    moves.map(|moves| format!(" within {moves} moves")).unwrap_or_default()
}

fn reason(position: &Position) -> &'static str {
    match position.status() {
        Status::Checkmate => "checkmate",
        Status::Stalemate => "stalemate",
        Status::Wait => "the player waits for a piece",
        Status::Ongoing => "none was asked for",
    }
}

fn analyse(searcher: &mut Searcher, arguments: &Arguments, position: &Position) -> Option<Move> {
    let mut limits = Limits::new(Instant::now());
    limits.depth = arguments.depth;
    limits.nodes = arguments.nodes;
    limits.movetime = arguments.movetime.map(Duration::from_millis);
    if limits.depth.is_none() && limits.nodes.is_none() && limits.movetime.is_none() {
        limits.movetime = Some(Duration::from_secs(1));
    }
    let mut request = Request::new(*position, limits);
    request.multipv = arguments.multipv.into();
    let show = |event| {
        if let Event::Info(info) = event {
            super::say(line(position, &info));
        }
    };
    searcher.search(&request, &Control::new(), &show).best
}

fn line(position: &Position, info: &Info) -> String {
    let moves = san_line(position, &info.pv[..info.pv.len().min(16)]);
    format!(
        "{:>3} {:>10} {:>10} nodes {:>7} ms  {}",
        format!("{}.{}", info.depth, info.multipv),
        info.score.to_string(),
        info.nodes,
        info.time.as_millis(),
        moves.join(" ")
    )
}

fn san_line(position: &Position, line: &[Move]) -> Vec<String> {
    let mut next = *position;
    let mut moves = Vec::with_capacity(line.len());
    for mv in line {
        moves.push(notation::to_san(&next, *mv));
        next.make(*mv);
    }
    moves
}

/// A FEN of four or six fields, then perhaps EPD operations.
fn item(text: &str, rules: crate::rules::Rules) -> anyhow::Result<Item> {
    // An EPD that asks nothing may still end with a semicolon.
    let words: Vec<&str> = text.trim_end_matches([';', ' ']).split_whitespace().collect();
    let number = |at: usize| words.get(at).is_some_and(|word| word.parse::<u32>().is_ok());
    let fields = if number(4) && number(5) { 6 } else { 4 };
    let position = Position::from_fen(&words[..fields.min(words.len())].join(" "), rules)?;
    let mut item = Item { position, id: None, best: Vec::new(), avoid: Vec::new() };
    let operations = words.get(fields..).unwrap_or_default().join(" ");
    for operation in operations.split(';').map(str::trim).filter(|o| !o.is_empty()) {
        let (code, value) = operation.split_once(' ').unwrap_or((operation, ""));
        let moves = || -> anyhow::Result<Vec<Move>> {
            let read = |text: &str| {
                notation::from_san(&position, text)
                    .or_else(|first| notation::from_uci(&position, text).map_err(|_| first))
            };
            Ok(value.split_whitespace().map(read).collect::<Result<_, _>>()?)
        };
        match code {
            "id" => item.id = Some(value.trim_matches('"').to_string()),
            "bm" => item.best = moves()?,
            "am" => item.avoid = moves()?,
            _ => {}
        }
    }
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn epd_operations() {
        let line = "4k3/8/8/8/8/8/8/4K3[Q] w - - bm Q@e2+ Q@e3; id \"a; b\"; hmvc 0;";
        let item = item(&line.replace("a; b", "a b"), Rules::CRAZYHOUSE).expect("an EPD");
        assert_eq!((item.best.len(), item.id.as_deref()), (2, Some("a b")));
        assert!(super::item("4k3/8/8/8/8/8/8/4K3[Q] w - -;", Rules::CRAZYHOUSE).is_ok());
        assert!(super::item("4k3/8 w - -", Rules::CRAZYHOUSE).is_err());
    }
}
