//! People at the table: what they type.

use super::{Chair, Player, Sight, Table};
use crate::arena::play::Termination;
use crate::types::Seat;

const HELP: &str = "a move (e2e4, Nf3, P@e4) | resign | draw | board | say WORDS | help; \
                    with several people begin with the seat: 'BlackB Nf6'";

/// Whatever is longer was not meant for the table: a pasted file, a cat on the keyboard.
const LONGEST_LINE: usize = 200;

impl Table<'_> {
    fn people(&self) -> Vec<Seat> {
        let human =
            |s: &Seat| matches!(self.chairs[s.index()], Some(Chair { player: Player::Human, .. }));
        Seat::ALL.into_iter().filter(human).collect()
    }

    pub(super) fn typed(&mut self, line: &str) {
        if line.chars().count() > LONGEST_LINE {
            return self.reply(&format!("no line here is longer than {LONGEST_LINE} characters"));
        }
        let people = self.people();
        let (first, rest) =
            line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let named = first.trim_end_matches(':').parse::<Seat>().ok();
        let (seat, text) = match named {
            Some(seat) if people.contains(&seat) => (Some(seat), rest.trim()),
            Some(seat) => return self.reply(&format!("{seat} is not yours: {}", list(&people))),
            None => {
                let to_move: Vec<Seat> =
                    people.iter().copied().filter(|s| self.play.to_move(*s)).collect();
                let only = |seats: &[Seat]| (seats.len() == 1).then(|| seats[0]);
                (only(&people).or_else(|| only(&to_move)), line.trim())
            }
        };
        match text {
            "" => return,
            "help" | "?" => return self.reply(HELP),
            "board" => return self.see(Sight::Start),
            _ => {}
        }
        let Some(seat) = seat else {
            return self.reply(&format!("whose? begin with one of {}", list(&people)));
        };
        match text {
            "resign" => self.lose(seat, Termination::Resign, String::new()),
            "quit" | "exit" => self.lose(seat, Termination::Left, "quit".to_string()),
            "draw" => {
                if let Some(answer) = self.offer_by_hand(seat) {
                    self.reply(&answer);
                }
            }
            _ => {
                if let Some(words) = text.strip_prefix("say ") {
                    return self.talk(seat, words.trim());
                }
                if !self.play.to_move(seat) {
                    return self.reply(&format!(
                        "'{text}': it is not your turn on board {}",
                        seat.board()
                    ));
                }
                // A mistyped move is no move at the table, whatever the rule for illegal ones.
                let mut trial = self.play.clone();
                match trial.play(seat, text) {
                    Ok(_) => self.make_move(seat, text),
                    Err(why) => {
                        self.reply(&format!("'{text}' is no move for {seat}: {why} (try 'help')"))
                    }
                }
            }
        }
    }

    /// The end of the input: whoever typed there has left.
    pub(super) fn keyboard_closed(&mut self) {
        if let Some(&seat) = self.people().first() {
            self.lose(seat, Termination::Left, "the input ended".to_string());
        }
    }

    pub(super) fn reply(&mut self, text: &str) {
        self.see(Sight::Answer(text));
    }
}

fn list(seats: &[Seat]) -> String {
    seats.iter().map(|seat| seat.name()).collect::<Vec<_>>().join(", ")
}
