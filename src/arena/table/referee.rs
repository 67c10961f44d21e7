//! What the table does with what is no proper move: illegal ones, claims, refusals, offers.

use super::core::{SeatState, view};
use super::{Chair, Player, Table};
use crate::arena::dialect::View;
use crate::arena::play::{Ending, Termination};
use crate::rules::{BoardDraw, IllegalMove};
use crate::types::{Color, Seat};

/// Faults of one kind that are forgiven in a row.
const PATIENCE_WITH_FAULTS: u32 = 3;

impl Table<'_> {
    pub(super) fn illegal(&mut self, seat: Seat, text: &str, why: &str) {
        let shown: String = text.chars().take(40).collect();
        let loses = self.play.rules().illegal_move == IllegalMove::Loses;
        // Sjeng in trouble drops what it hopes for. Where that is only refused, it is waiting.
        if !loses && self.play.is_double() && self.lacks(seat, text) {
            if self.states[seat.index()].hopes == 0 {
                self.incident(seat, format!("dropped a piece not in hand: '{shown}'"));
            }
            self.states[seat.index()].hopes += 1;
            self.revive(seat);
            self.states[seat.index()].needs_ask = false;
            return self.wait(seat, None);
        }
        self.incident(seat, format!("illegal move '{shown}': {why}"));
        let state = &mut self.states[seat.index()];
        state.refusals += 1;
        if loses || state.refusals >= PATIENCE_WITH_FAULTS {
            let detail = if loses {
                format!("played '{shown}'")
            } else {
                format!("played illegal moves {} times in a row, at last '{shown}'", state.refusals)
            };
            return self.lose(seat, Termination::IllegalMove, detail);
        }
        self.revive(seat);
    }

    /// Whether a move drops a piece that the hand does not hold.
    fn lacks(&self, seat: Seat, text: &str) -> bool {
        let piece = text.chars().next().map(|c| c.to_ascii_uppercase());
        let held = self.play.hand_text(seat).to_ascii_uppercase();
        text.chars().nth(1) == Some('@')
            && piece.is_some_and(|c| "PNBRQ".contains(c) && !held.contains(c))
    }

    /// Sets the game up anew for an engine that has lost its way.
    pub(super) fn revive(&mut self, seat: Seat) {
        let view = view!(self, seat);
        if let Some(Chair { player: Player::Engine(engine), .. }) = &mut self.chairs[seat.index()] {
            engine.revive(&view);
            self.states[seat.index()].needs_ask = self.play.to_move(seat);
        }
    }

    /// An engine says how the game ended. In bughouse it cannot know, and is set right; on one
    /// board it may concede its own loss.
    pub(super) fn claim(&mut self, seat: Seat, text: &str) {
        let loses = match seat.color() {
            Color::White => text.starts_with("0-1"),
            Color::Black => text.starts_with("1-0"),
        };
        if loses && !self.play.is_double() {
            return self.lose(seat, Termination::Resign, text.to_string());
        }
        self.fault(seat, format!("false claim '{text}'"));
    }

    pub(super) fn refusal(&mut self, seat: Seat, text: &str) {
        // Engines answer so to words they don't know; only a refused move matters.
        let ours = self.moves.iter().rev().find(|mv| mv.played.seat.board() == seat.board());
        if ours.is_some_and(|mv| mv.played.seat != seat && text.contains(&mv.played.uci)) {
            self.fault(seat, format!("refuses a legal move: '{text}'"));
        }
    }

    fn fault(&mut self, seat: Seat, what: String) {
        let what: String = what.chars().take(120).collect();
        let double = self.play.is_double();
        if !double || self.incidents.last().is_none_or(|i| i.seat != seat || i.what != what) {
            self.incident(seat, what.clone());
        }
        let state = &mut self.states[seat.index()];
        state.revivals += 1;
        let often = state.revivals > PATIENCE_WITH_FAULTS;
        // At a bughouse table such claims are a habit of good engines; on one board a fault.
        if often && !double {
            return self.lose(seat, Termination::Left, what);
        }
        self.revive(seat);
        if often {
            self.states[seat.index()].needs_ask = false;
            self.wait(seat, None);
        }
    }

    /// An offer of a draw. At two boards the people at the table must agree, and where the rules let
    /// the other board play on, the two of a board. On one board a person and his opponent must,
    /// who is asked if he is an engine. Engines among themselves agree on nothing: early ends of
    /// their games are the arena's to tell.
    pub(super) fn offer_draw(&mut self, seat: Seat) {
        self.states[seat.index()].offers_draw = true;
        let offers = |seat: &Seat| self.states[seat.index()].offers_draw;
        let is_human = |seat: &Seat| {
            matches!(self.chairs[seat.index()], Some(Chair { player: Player::Human, .. }))
        };
        let pair = [seat, seat.opponent()];
        let people: Vec<Seat> = Seat::ALL.into_iter().filter(is_human).collect();
        if self.play.is_double()
            && self.play.rules().board_draw == BoardDraw::PlayOn
            && pair.iter().all(is_human)
        {
            if pair.iter().all(offers) {
                self.ending = self.ending.take().or(self.play.agree_board_draw(seat.board()));
                for seat in pair {
                    self.clocks[seat.index()].stop(self.now);
                    self.states[seat.index()] = SeatState::default();
                }
            }
            return;
        }
        let asked = if self.play.is_double() { people.clone() } else { pair.to_vec() };
        if !people.is_empty() && asked.iter().all(offers) {
            self.ending.get_or_insert(Ending::level(Termination::Agreement, None));
        }
    }

    /// An engine's offer, of which a person across the board is told.
    pub(super) fn offer_by_engine(&mut self, seat: Seat) {
        self.offer_draw(seat);
        let opponent = &self.chairs[seat.opponent().index()];
        let human = matches!(opponent, Some(Chair { player: Player::Human, .. }));
        if human && self.ending.is_none() && !self.play.is_double() {
            let name = self.names[seat.index()].clone();
            self.reply(&format!("{name} offers a draw: 'draw' before your next move agrees"));
        }
    }

    /// A person's offer, and what he is told of it.
    pub(super) fn offer_by_hand(&mut self, seat: Seat) -> Option<String> {
        self.offer_draw(seat);
        if self.ending.is_some() {
            return None;
        }
        if self.play.is_double() {
            return Some("draw offered; it stands until your next move".to_string());
        }
        let opponent = seat.opponent();
        let name = &self.names[opponent.index()];
        let Some(Chair { player: Player::Engine(engine), .. }) = &mut self.chairs[opponent.index()]
        else {
            return Some(format!("draw offered; it stands until {name} has moved"));
        };
        if engine.offer_draw() {
            return Some(format!("draw offered; {name} answers with its next move at the latest"));
        }
        self.states[seat.index()].offers_draw = false;
        Some(format!("{name} has no word for a draw in its protocol, so it plays on"))
    }
}
