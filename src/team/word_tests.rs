//! What a partner costs who asks for the wrong thing or means harm: what obeying him once costs.

use std::time::Duration;

use super::tests::{START, seconds, situation, slot, table};
use super::*;
use crate::rules::{Position, Rules};
use crate::search::Outlook;
use crate::types::{Color, Role, Weight};

/// How long a player sits in half a minute who hears these words ten times a second.
fn sat(words: &[Word]) -> Duration {
    let view = table(START, None, [60; 4]);
    let mut inbox = Inbox::default();
    let mut waited = Duration::ZERO;
    for tick in 0..300 {
        let now = Duration::from_millis(tick * 100);
        words.iter().for_each(|word| inbox.hear(*word, now));
        let mut situation = situation(&view, 0, [None; 5], 0);
        situation.waited = waited;
        if decide(&situation, &mut inbox, now) != Decision::Play {
            waited += Duration::from_millis(100);
        }
    }
    waited
}

#[test]
fn sit_for_ever_costs_one_wait() {
    let once = sat(&[Word::Sit]);
    assert!(once > seconds(1) && once <= seconds(9), "{once:?}");
    for contradiction in [
        &[Word::Go, Word::Sit][..],
        &[Word::Sit, Word::Go],
        &[Word::Fine, Word::Sit],
        &[Word::Sit, Word::MoveNow, Word::Sit, Word::Fine, Word::Sit],
    ] {
        assert!(sat(contradiction) <= once, "{contradiction:?}");
    }
}

#[test]
fn go_ends_a_wait_and_what_was_sat_stays_sat() {
    let mut inbox = Inbox::default();
    inbox.hear(Word::Sit, seconds(100));
    assert_eq!(inbox.sit_left(seconds(103)), Some(seconds(5)));
    inbox.hear(Word::Go, seconds(103));
    assert!(inbox.move_now() && inbox.sit_left(seconds(103)).is_none());
    inbox.hear(Word::Sit, seconds(110));
    assert_eq!(inbox.sit_left(seconds(111)), Some(seconds(4)));
    assert!(!inbox.move_now());
    // A piece has come: it was worth it.
    inbox.arrived();
    inbox.hear(Word::Sit, seconds(112));
    assert_eq!(inbox.sit_left(seconds(112)), Some(seconds(8)));
    assert_eq!(inbox.sit_left(seconds(120)), None);
    inbox.hear(Word::Sit, seconds(121));
    assert_eq!(inbox.sit_left(seconds(121)), None, "not for a while");
    inbox.hear(Word::Sit, seconds(150));
    assert_eq!(inbox.sit_left(seconds(150)), Some(seconds(8)));
}

#[test]
fn a_move_that_costs_something_is_played_once() {
    let mut inbox = Inbox::default();
    let at_first = inbox.indulgence(seconds(1));
    assert!(at_first > 0);
    inbox.obeyed(10, seconds(1));
    assert_eq!(inbox.indulgence(seconds(2)), at_first, "that cost nothing");
    inbox.obeyed(at_first, seconds(2));
    assert_eq!(inbox.indulgence(seconds(31)), 0);
    assert_eq!(inbox.indulgence(seconds(32)), at_first);
}

#[test]
fn a_wish_that_is_fulfilled_and_decides_nothing_is_the_last_for_a_while() {
    let view = table(START, None, [60; 4]);
    let worth = |inbox: &Inbox, role, now| {
        outlook(&view, inbox, Parts::ALL, now, &mut Plain).partner[slot(role)]
            - Outlook::default().partner[slot(role)]
    };
    let wish = |inbox: &mut Inbox, now| {
        for role in [Role::Pawn, Role::Knight, Role::Queen] {
            inbox.hear(Word::Need(role, Weight::High), now);
        }
    };
    let mut inbox = Inbox::default();
    wish(&mut inbox, seconds(100));
    assert!(worth(&inbox, Role::Queen, seconds(101)) > 3_000);
    inbox.gave(Role::Rook, seconds(101));
    assert!(worth(&inbox, Role::Queen, seconds(101)) > 3_000, "he did not want a rook");
    inbox.gave(Role::Pawn, seconds(102));
    for now in [103, 110, 131] {
        for role in [Role::Pawn, Role::Knight, Role::Queen] {
            assert!(worth(&inbox, role, seconds(now)) < 100, "{role:?} at {now}");
        }
        wish(&mut inbox, seconds(now));
    }
    wish(&mut inbox, seconds(133));
    assert!(worth(&inbox, Role::Knight, seconds(134)) > 3_000);
}

#[test]
fn a_player_without_a_move_asks_for_one() {
    let board = |fen| Position::from_fen(fen, Rules::BUGHOUSE).expect("a position");
    let say = |fen| Speaker::default().say(&Findings::stuck(&board(fen)), seconds(1));
    let blocked = "R6k/8/6K1/8/8/8/8/8[] b - - 0 1";
    assert_eq!(say(blocked), Some(Word::Need(Role::Knight, Weight::High)), "no pawn drops there");
    // The partner, who does not see that, does not stand still if he can take one.
    let mut inbox = Inbox::default();
    inbox.hear(Word::Need(Role::Knight, Weight::High), seconds(1));
    let stand = |own, inbox: &Inbox, now| {
        standing(&table(own, None, [60; 4]), inbox, seconds(now), &mut Plain)
    };
    let taking = "4k3/8/8/3n4/4P3/8/8/4K3[] w - - 0 1";
    assert!(stand(taking, &inbox, 2) < 0);
    assert_eq!(stand(START, &inbox, 2), 0);
    assert_eq!(stand(taking, &inbox, 30), 0, "forgotten");
    // What was given up stays so until something else is said.
    inbox.hear(Word::Dead, seconds(40));
    assert!(stand(START, &inbox, 80) < 0);
    inbox.hear(Word::Fine, seconds(81));
    assert_eq!(stand(START, &inbox, 82), 0);
}

#[test]
fn what_was_taken_is_seen_by_what_is_no_longer_there() {
    let board = |fen| Position::from_fen(fen, Rules::BUGHOUSE).expect("a position");
    let before = board("4k3/8/8/3q4/4N3/8/8/4K3[Pn] w - - 0 1");
    // Two plies later: the queen was taken, a knight dropped, another has come.
    let after = board("4k3/8/8/3N3n/8/8/8/4K3[Pn] w - - 0 2");
    let black = gone(&before, &after, Color::Black);
    assert_eq!(black, [false, false, false, false, true]);
    assert_eq!(gone(&before, &after, Color::White), [false; 5]);
    // What was promoted comes as a pawn.
    let promoted = board("4k3/8/8/3q~4/4N3/8/8/4K3[] w - - 0 1");
    let taken = board("4k3/8/8/3N4/8/8/8/4K3[] b - - 0 1");
    assert_eq!(gone(&promoted, &taken, Color::Black), [true, false, false, false, false]);
}
