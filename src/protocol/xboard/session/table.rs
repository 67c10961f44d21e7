//! A CECP session among other people: the partner, the table, draws offered.

use super::{BOARD, Mode, Session, welcome};
use crate::protocol::grammar::talk::Talk;
use crate::protocol::output::Output;
use crate::protocol::partner;
use crate::protocol::xboard::grammar::Reply;
use crate::types::Seat;

impl Session {
    /// Tells the engine what is known of both boards.
    pub(super) fn show_table(&mut self, out: &mut Output) {
        if self.bughouse() {
            let own = *self.game.position();
            let other = self.partner.board();
            let other = other.filter(|other| !partner::contradict(&own, other, out));
            self.engine.see([Some(own), other]);
            let turn = own.turn();
            let own = if self.mode == Mode::Play(!turn) { !turn } else { turn };
            self.engine.set_clocks(self.timing.clocks(Seat::new(BOARD, own)));
        }
    }

    pub(super) fn draw(&mut self, out: &mut Output) {
        if self.bughouse() {
            return;
        }
        // Only in the opponent's time is there nothing to wait for; otherwise our next move's score
        // decides, and the answer goes with it, as GUIs expect.
        let his_turn = self.mode == Mode::Play(!self.game.position().turn());
        match self.last_score {
            Some(score) if his_turn && welcome(score) => out.say(Reply::OfferDraw),
            Some(_) if his_turn => {}
            _ => self.draw_offered = true,
        }
    }

    pub(super) fn partner_tell(&mut self, text: &str, out: &mut Output) {
        let talk = Talk::parse(text);
        let word = partner::hear(text, self.game.position(), out);
        let clock = |n| i64::try_from(n).ok();
        match talk {
            // As Fairy-Stockfish tells its partner, up to a thousand times a second.
            Some(Talk::Clock(n)) => {
                self.timing.partner = clock(n);
                self.show_table(out);
            }
            Some(Talk::OpponentClock(n)) => {
                self.timing.diagonal = clock(n);
                self.show_table(out);
            }
            _ => {}
        }
        if let Some(word) = word {
            self.engine.hear(BOARD, word);
        }
        if talk == Some(Talk::Help) {
            let words = "I understand: +p ++n +++q -b ---r sit go fast slow dead x trade notrade";
            out.say(Reply::PartnerTell(words.to_string()));
        }
    }
}
