//! A table as text: both boards with hands and clocks, drawn over and over on a terminal, or a
//! line for each event where there is none.

use std::fmt::Write as _;
use std::io::Write;

use super::clock::Micros;
use super::play::Ending;
use super::table::{Scene, Sight, Watcher};
use crate::types::{BoardId, Color, File, Rank, Seat, Square};

/// How a clock shows a time.
pub fn clock_text(us: Micros) -> String {
    let tenths = (us / 100_000).max(0);
    let (minutes, rest) = (tenths / 600, tenths % 600);
    format!("{minutes}:{:02}.{}", rest / 10, rest % 10)
}

/// The table in eleven lines: black's name and hand above each board, white's below. Board B is
/// turned, so that partners sit side by side.
pub fn draw(scene: &Scene<'_>) -> Vec<String> {
    let boards: &[BoardId] = if scene.play.is_double() { &BoardId::ALL } else { &[BoardId::A] };
    let mut columns: Vec<Vec<String>> = Vec::new();
    for &board in boards {
        let bottom = if board == BoardId::A { Color::White } else { Color::Black };
        let seat = |color| Seat::new(board, color);
        let mut lines = vec![player(scene, seat(bottom.other()))];
        for row in 0..8 {
            let rank = if bottom == Color::White { 7 - row } else { row };
            let mut line = format!("  {} ", rank + 1);
            for column in 0..8 {
                let file = if bottom == Color::White { column } else { 7 - column };
                let square = Square::from_coords(File::new(file), Rank::new(rank));
                line.push(' ');
                line.push(letter(scene, board, square));
            }
            lines.push(line);
        }
        let files = if bottom == Color::White { "a b c d e f g h" } else { "h g f e d c b a" };
        lines.push(format!("     {files}"));
        lines.push(player(scene, seat(bottom)));
        columns.push(lines);
    }
    let rows = columns.first().map_or(0, Vec::len);
    (0..rows)
        .map(|row| {
            let cells = columns.iter().map(|column| format!("{:<42}", column[row]));
            cells.collect::<String>().trim_end().to_string()
        })
        .collect()
}

fn letter(scene: &Scene<'_>, board: BoardId, square: Square) -> char {
    let position = scene.play.position(board);
    match (position.role_at(square), position.color_at(square)) {
        (Some(role), Some(Color::White)) => role.upper_char(),
        (Some(role), _) => role.char(),
        _ => '.',
    }
}

fn player(scene: &Scene<'_>, seat: Seat) -> String {
    let turn = if scene.play.to_move(seat) { '*' } else { ' ' };
    let time = clock_text(scene.clocks[seat.index()].remaining(scene.now));
    let name: String = scene.names[seat.index()].chars().take(12).collect();
    let hand = scene.play.hand_text(seat);
    format!("{turn} {:<7} {name:<12} {time:>7} {hand}", seat.name())
}

/// The sentence that tells the end.
pub fn ending_text(ending: &Ending, names: &[String; 4]) -> String {
    let who = ending.seat.map_or(String::new(), |seat| match names[seat.index()].as_str() {
        name if name == seat.name() || name.is_empty() => seat.name().to_string(),
        name => format!("{seat} ({name})"),
    });
    let detail = ending.detail.as_ref().filter(|d| !d.is_empty());
    let detail = detail.map_or(String::new(), |detail| format!(" ({detail})"));
    format!("{}{detail}  {}", ending.sentence(&who), ending.result())
}

/// Shows a match on standard output.
#[derive(Debug)]
pub struct Screen {
    live: bool,
    /// The last lines under the boards.
    news: Vec<String>,
    drawn: bool,
}

const NEWS: usize = 8;
const CLEAR: &str = "\x1b[2J";
const HOME: &str = "\x1b[H";
const REST_OF_LINE: &str = "\x1b[K";
const SAVE: &str = "\x1b7";
const RESTORE: &str = "\x1b8";

impl Screen {
    /// A screen that redraws itself, or one that prints line after line.
    pub fn new(live: bool) -> Screen {
        Screen { live, news: Vec::new(), drawn: false }
    }

    /// The boards and the news at the top of the screen. The first picture leaves the cursor below
    /// them; later ones put it back where it was, so that a person sees what he is typing.
    fn frame(&mut self, boards: &[String]) -> String {
        let mut text = String::from(if self.drawn { SAVE } else { CLEAR });
        text.push_str(HOME);
        let from = self.news.len().saturating_sub(NEWS);
        let news = self.news[from..].iter().map(String::as_str).chain([""; NEWS]).take(NEWS);
        for line in boards.iter().map(String::as_str).chain([""]).chain(news) {
            let _ = write!(text, "{line}{REST_OF_LINE}\r\n");
        }
        if self.drawn {
            text.push_str(RESTORE);
        }
        self.drawn = true;
        text
    }

    fn redraw(&mut self, scene: &Scene<'_>) {
        print(&self.frame(&draw(scene)));
    }
}

/// A closed terminal is no reason to break a match off.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// What happened, in a line; nothing for what only moves the clocks.
fn line(sight: Sight<'_>, scene: &Scene<'_>) -> Option<String> {
    Some(match sight {
        Sight::Start => return None,
        Sight::Tick => return None,
        Sight::Move(played) => {
            let letter = played.seat.board().to_string();
            let letter =
                if played.seat.color().is_white() { letter } else { letter.to_lowercase() };
            let left = clock_text(scene.clocks[played.seat.index()].remaining(scene.now));
            let crossed = played.crossed.map_or(String::new(), |(seat, captured)| {
                format!("   {} to {seat}", captured.role.upper_char())
            });
            format!("{:>3}{letter}. {:<8} {left}{crossed}", played.number, played.san)
        }
        Sight::Wait(seat) => format!("     {seat} waits"),
        Sight::Talk(seat, words) => format!("     {seat} to {}: {words}", seat.partner()),
        Sight::Incident(incident) => format!("  !  {}: {}", incident.seat, incident.what),
        Sight::Answer(words) => format!("  >  {words}"),
        Sight::End(ending) => ending_text(ending, scene.names),
    })
}

impl Watcher for Screen {
    fn saw(&mut self, sight: Sight<'_>, scene: &Scene<'_>) {
        let news = line(sight, scene);
        if self.live {
            self.news.extend(news);
            self.redraw(scene);
            return;
        }
        if let Some(news) = news {
            print(&format!("{news}\n"));
        }
        if matches!(sight, Sight::Start | Sight::End(_)) {
            print(&format!("\n{}\n\n", draw(scene).join("\n")));
        }
    }

    fn tick(&self) -> Option<Micros> {
        self.live.then_some(100_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redraw_leaves_what_is_being_typed() {
        let mut screen = Screen::new(true);
        let boards = vec!["a board".to_string()];
        let first = screen.frame(&boards);
        assert!(first.starts_with(CLEAR) && !first.contains(RESTORE));
        screen.news.push("1A. e4".to_string());
        let next = screen.frame(&boards);
        assert!(next.starts_with(SAVE) && next.ends_with(RESTORE), "{next:?}");
        assert!(next.contains("1A. e4") && !next.contains(CLEAR));
        assert_eq!(first.matches('\n').count(), next.matches('\n').count());
    }
}
