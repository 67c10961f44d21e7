//! `holding`: the hands as the GUI knows them, which may be a move behind.

use super::grammar::Tell;
use crate::protocol::grammar::words::Hand;
use crate::protocol::place::put_hands;
use crate::rules::{Captured, Position, Variant};
use crate::types::{Color, HAND_ROLES, Move, Role};

/// What is still under way between the GUI's hands and ours.
#[derive(Clone, Debug, Default)]
pub(super) struct Hands {
    /// A drop we have said that no `holding` has shown yet: whose, which piece, the hand before.
    dropped: Option<(Color, Role, Hand)>,
    /// Crazyhouse on a server: a capture whose piece was shown before the move was.
    announced: Option<(Color, Role)>,
}

impl Hands {
    /// Another game or position: nothing is under way.
    pub(super) fn reset(&mut self) {
        *self = Hands::default();
    }

    /// We have said this move.
    pub(super) fn said(&mut self, before: &Position, mv: Move) {
        let color = before.turn();
        self.dropped = mv.drop_role().map(|role| (color, role, hand_of(before, color)));
    }

    /// The opponent has moved, so the GUI has seen ours.
    pub(super) fn answered(&mut self) {
        self.dropped = None;
    }

    /// After a move that took something: in crazyhouse takes it out of the hand again if the hand
    /// already held it when it was told.
    pub(super) fn captured(&mut self, position: &mut Position, by: Color, taken: Option<Captured>) {
        let Some((color, role)) = self.announced.take() else { return };
        if taken.is_some_and(|taken| taken.role == role) && color == by {
            // The announced piece is there, so there is one to take out.
            let _ = position.remove_from_hand(color, role);
        }
    }

    /// Puts the hands told into the position.
    ///
    /// The brackets count, not the hint. But a GUI that has not handled our drop yet still shows
    /// the dropped piece; then the hands are what it shows without that piece.
    pub(super) fn told(
        &mut self,
        position: &mut Position,
        mut white: Hand,
        mut black: Hand,
        added: Option<Tell>,
    ) -> Result<(), String> {
        let mut dropped = None;
        if let Some((color, role, before)) = self.dropped {
            let told = if color == Color::White { &mut white } else { &mut black };
            let mut stale = before;
            if let Some(tell) = added.filter(|tell| tell.color == color) {
                stale[slot(tell.role)] = stale[slot(tell.role)].saturating_add(1);
            }
            if *told == stale && told[slot(role)] > 0 {
                told[slot(role)] -= 1;
                dropped = Some((color, role, stale));
            }
        }
        put_hands(position, &white, &black)?;
        self.dropped = dropped;
        let house = position.rules().variant == Variant::Crazyhouse;
        self.announced = added
            .filter(|tell| house && tell.color == position.turn())
            .map(|tell| (tell.color, tell.role));
        Ok(())
    }
}

fn hand_of(position: &Position, color: Color) -> Hand {
    HAND_ROLES.map(|role| position.hand(color, role))
}

fn slot(role: Role) -> usize {
    HAND_ROLES.iter().position(|r| *r == role).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::grammar::words::two_hands;
    use crate::rules::Rules;
    use crate::types::Square;

    fn tell(hands: &mut Hands, position: &mut Position, text: &str, added: Option<(Color, Role)>) {
        let (white, black, _) = two_hands(text).expect("hands");
        let added = added.map(|(color, role)| Tell { color, role });
        hands.told(position, white, black, added).expect("possible hands");
    }

    #[test]
    fn a_hand_that_is_one_drop_behind() {
        let fen = "4k3/8/8/8/8/8/8/4K3[N] w - - 0 1";
        let mut position = Position::from_fen(fen, Rules::BUGHOUSE).expect("a position");
        let mut hands = Hands::default();
        let drop = Move::drop(Role::Knight, Square::E5);
        hands.said(&position, drop);
        position.make(drop);
        tell(&mut hands, &mut position, "[NP] []", Some((Color::White, Role::Pawn)));
        assert!(position.fen().contains("[P]"), "{}", position.fen());
        // The next pawn comes while the drop is still unseen; then the drop is seen.
        tell(&mut hands, &mut position, "[NPP] []", Some((Color::White, Role::Pawn)));
        assert!(position.fen().contains("[PP]"), "{}", position.fen());
        tell(&mut hands, &mut position, "[PP] []", None);
        tell(&mut hands, &mut position, "[NPP] []", Some((Color::White, Role::Knight)));
        assert!(position.fen().contains("[NPP]"), "{}", position.fen());
    }

    #[test]
    fn the_brackets_count_not_the_hint() {
        let mut position = Position::start(Rules::BUGHOUSE);
        let added = Some((Color::Black, Role::Rook));
        tell(&mut Hands::default(), &mut position, "[PPPRQ] [R]", added);
        assert!(position.fen().contains("[QRPPPr]"), "{}", position.fen());
    }

    #[test]
    fn a_server_that_shows_the_capture_first_does_not_double_it() {
        let fen = "4k3/8/8/3p4/4P3/8/8/4K3[] w - - 0 1";
        let mut position = Position::from_fen(fen, Rules::CRAZYHOUSE).expect("a position");
        let mut hands = Hands::default();
        tell(&mut hands, &mut position, "[P] []", Some((Color::White, Role::Pawn)));
        let taken = position.make(Move::capture(Square::E4, Square::D5));
        hands.captured(&mut position, Color::White, taken);
        assert!(position.fen().contains("[P]"), "{}", position.fen());
    }
}
