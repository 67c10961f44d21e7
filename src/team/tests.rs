use std::time::Duration;

use super::*;
use crate::rules::{Position, Rules, Status};
use crate::search::Outlook;
use crate::types::{Color, MATE, Role, Seat, Value, Weight};

pub(super) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";
/// White mates with a knight on f7, and with nothing else.
const SMOTHERED: &str = "6rk/6pp/8/8/8/8/8/6K1[] w - - 0 1";

pub(super) fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen, Rules::BUGHOUSE).unwrap()
}

/// White on A with the other board given; clocks in seconds in the order of the seats.
pub(super) fn table(own: &str, other: Option<&str>, clocks: [u64; 4]) -> Table {
    let mut left = Clocks::default();
    for (seat, clock) in Seat::ALL.into_iter().zip(clocks) {
        left.set(seat, Some(seconds(clock)));
    }
    Table {
        seat: Seat::WhiteA,
        own: position(own),
        other: other.map(position),
        clocks: left,
        thinks: Duration::ZERO,
    }
}

pub(super) fn slot(role: Role) -> usize {
    role as usize - 1
}

#[test]
fn mates_in_one_are_found_with_what_is_not_there_yet() {
    let smothered = position(SMOTHERED);
    assert_eq!(mate_in_one(&smothered), None);
    assert_eq!(mating_roles(&smothered), [false, true, false, false, false]);
    assert!(mates_with(&smothered, Role::Knight).is_some());
    let mut with = smothered;
    with.add_to_hand(Color::White, Role::Knight).unwrap();
    assert!(mate_in_one(&with).is_some());
    assert_eq!(mating_roles(&with), [false; 5], "it mates already");
    // The reference: any move that leaves no answer.
    for fen in [SMOTHERED, START, "5rk1/5p1p/5P2/8/8/8/8/6K1[QRBNq] w - - 0 1"] {
        let position = position(fen);
        let slow = position.legal_moves().into_iter().any(|mv| {
            let mut next = position;
            next.make(mv);
            next.status() == Status::Checkmate
        });
        assert_eq!(mate_in_one(&position).is_some(), slow, "{fen}");
    }
}

#[test]
fn a_piece_that_mates_over_there_wins_the_match() {
    // Black on B, the partner, is on move and mates with a knight; White on A can take one.
    let mut mirrored = "6k1/8/8/8/8/8/6PP/6RK[] b - - 0 1";
    let own = "6k1/8/8/3n1p2/4P3/8/8/4K3[] w - - 0 1";
    let see = |view: &Table| outlook(view, &Inbox::default(), Parts::ALL, seconds(0), &mut Plain);
    let found = see(&table(own, Some(mirrored), [60; 4]));
    assert_eq!(found.partner_mates, 1 << slot(Role::Knight));
    assert_eq!(see(&table(START, Some(mirrored), [60; 4])).partner_mates, 0, "none to be had");
    // Not his turn: then it is a threat, and worth something.
    mirrored = "6k1/8/8/8/8/8/6PP/6RK[] w - - 0 1";
    let found = see(&table(own, Some(mirrored), [60; 4]));
    assert_eq!(found.partner_mates, 0);
    assert!(found.partner[slot(Role::Knight)] > Outlook::default().partner[slot(Role::Knight)]);
    // White on B, the diagonal, mates with a knight. While he may be about to move, he will not
    // have it in time; when he sits for it, it must not be given.
    let own = "6k1/8/8/3p4/4N3/8/8/4K3[] w - - 0 1";
    let mut view = table(own, Some(SMOTHERED), [60; 4]);
    assert_eq!(see(&view).diagonal_mates, 0);
    view.thinks = seconds(10);
    assert_eq!(see(&view).diagonal_mates, 1 << slot(Role::Knight));
}

#[test]
fn a_piece_is_worth_what_it_does_over_there() {
    let black = "6k1/8/8/8/8/8/6PP/6RK[] b - - 0 1";
    let view = table(START, Some(black), [60; 4]);
    // A partner who stands in check without a move is freed by a piece.
    let frozen = position("R6k/8/6K1/8/8/8/8/8[] b - - 0 1");
    assert_eq!(frozen.status(), Status::Wait);
    let freed = worths(&frozen, Color::Black);
    assert_eq!(freed[slot(Role::Knight)], FREEING);
    assert!(freed[slot(Role::Pawn)] < FREEING, "no pawn drops on the last rank");
    // Switched off, or unknown, the default stands.
    let off = outlook(&view, &Inbox::default(), Parts::NONE, seconds(0), &mut Plain);
    assert_eq!(off, Outlook::default());
    let blind = outlook(
        &table(START, None, [60; 4]),
        &Inbox::default(),
        Parts::ALL,
        seconds(0),
        &mut Plain,
    );
    assert_eq!(blind, Outlook::default());
}

#[test]
fn a_partner_about_to_flag_without_a_move_is_freed_first() {
    // Black on B stands in check without a move; White on A can take a knight, or a pawn, which
    // cannot be dropped where it would help.
    let own = "6k1/8/8/3n1p2/4P3/8/8/4K3[] w - - 0 1";
    let frozen = "R6k/8/6K1/8/8/8/8/8[] b - - 0 1";
    let freeing = |clocks| {
        let moves = rescue(&table(own, Some(frozen), clocks))?;
        Some(moves.iter().map(|mv| format!("{mv:?}")).collect::<Vec<_>>())
    };
    assert_eq!(freeing([60, 60, 60, 4]), Some(vec!["e4d5".to_owned()]));
    assert_eq!(freeing([60, 60, 60, 30]), None, "there is time");
    assert_eq!(freeing([60, 2, 60, 4]), None, "the opponent must move first");
    assert_eq!(rescue(&table(START, Some(frozen), [60, 60, 60, 4])), None, "nothing helps");
    assert_eq!(rescue(&table(own, None, [60, 60, 60, 4])), None);
}

#[test]
fn worths_do_not_depend_on_who_asks_first() {
    // The same board seen from both teams: what is the partner's for one is the diagonal's for
    // the other.
    let other = position("r3k2r/ppp2ppp/2n5/3q4/3P4/2N5/PPP2PPP/R2QK2R[Pn] w KQkq - 0 1");
    let mut view = table(START, None, [60; 4]);
    view.other = Some(other);
    let one = outlook(&view, &Inbox::default(), Parts::ALL, seconds(0), &mut Plain);
    view.seat = Seat::BlackA;
    let two = outlook(&view, &Inbox::default(), Parts::ALL, seconds(0), &mut Plain);
    assert_eq!((one.partner, one.diagonal), (two.diagonal, two.partner));
}

#[test]
fn arrivals_tell_free_pieces_from_dear_ones() {
    // Black on B, the partner, is to move: the hanging rook comes surely, the guarded pawn hardly.
    let other = "4k3/8/8/8/R2q4/8/3PP3/4K3[] b - - 0 1";
    let found = arrivals(&table(START, Some(other), [60; 4]));
    assert_eq!(found.mine[slot(Role::Rook)], 80);
    assert_eq!(found.mine[slot(Role::Pawn)], 8);
    assert_eq!(found.mine[slot(Role::Queen)], 0);
    assert_eq!(found.theirs, {
        let mut later = [0; 5];
        later[slot(Role::Queen)] = 26;
        later
    });
    assert_eq!(arrivals(&table(START, None, [60; 4])), Arrivals::default());
    // A promoted piece comes as a pawn.
    let promoted = "4k3/8/8/8/R~2q4/8/8/4K3[] b - - 0 1";
    let found = arrivals(&table(START, Some(promoted), [60; 4]));
    assert_eq!((found.mine[slot(Role::Pawn)], found.mine[slot(Role::Rook)]), (80, 0));
}

#[test]
fn what_two_sets_still_hold() {
    let mut view = table(START, None, [60; 4]);
    assert_eq!(view.outstanding(), [8, 2, 2, 2, 1]);
    view.own = position("2nk2r1/2pppp2/8/N7/PPP5/RRP4K/QRP5/QR6[q] w - - 0 1");
    assert_eq!(view.outstanding()[slot(Role::Rook)], 0, "four white rooks are all there are");
    view.own = position("8/6k1/8/8/8/8/8/RRRRRK2[] w - - 0 1");
    assert_eq!(view.outstanding()[slot(Role::Rook)], 0);
}

pub(super) fn situation<'a>(
    table: &'a Table,
    value: Value,
    hopes: Hopes,
    likely: u8,
) -> Situation<'a> {
    let arrivals = Arrivals { mine: [likely; 5], theirs: [0; 5] };
    let mating = [false; 5];
    Situation { table, value, other: None, hopes, mating, arrivals, waited: Duration::ZERO }
}

fn hoping(role: Role, value: Value) -> Hopes {
    let mut hopes = [None; 5];
    hopes[slot(role)] = Some(value);
    hopes
}

#[test]
fn waits_for_the_piece_that_mates_and_only_so_long() {
    // Black on B, the partner, can take a knight with his next move.
    let partner_moves = "4k3/8/8/8/4N3/3q4/8/4K3[] b - - 0 1";
    let mut view = table(SMOTHERED, Some(partner_moves), [60; 4]);
    let mating = mating_arrivals(&view, &mut Plain);
    assert_eq!(mating, [false, true, false, false, false]);
    let decided = |view: &Table, mating, value| {
        let mut situation = situation(view, value, [None; 5], 0);
        situation.mating = mating;
        decide(&situation, &mut Inbox::default(), seconds(1))
    };
    let moment = Duration::from_millis(3_750);
    let waits = Decision::Wait(Some(moment), Reason::Mates(Role::Knight));
    assert_eq!(decided(&view, mating, 0), waits);
    assert_eq!(decided(&view, [false; 5], 0), Decision::Play, "nothing comes");
    assert_eq!(decided(&view, mating, MATE - 1), Decision::Play, "a mate in hand is played");
    // The partner, who thinks of other things, is not waited for.
    view.thinks = moment;
    assert_eq!(decided(&view, mating, 0), Decision::Play, "the wait ends");
    // When the diagonal has moved it will be the partner's turn.
    let later = partner_moves.replace(" b ", " w ");
    let view = table(SMOTHERED, Some(&later), [60; 4]);
    assert_eq!(mating_arrivals(&view, &mut Plain), mating);
    let checked = table(SMOTHERED, Some("4k3/8/8/8/4N3/4q3/8/4K3[] w - - 0 1"), [60; 4]);
    assert_eq!(mating_arrivals(&checked, &mut Plain), [false; 5]);
    // Where that board is not known he is asked, and given time for one move.
    let mut blind = table(SMOTHERED, None, [60; 4]);
    assert_eq!(mating_arrivals(&blind, &mut Plain), mating);
    assert_eq!(decided(&blind, mating, 0), waits);
    blind.clocks.set(Seat::WhiteA, Some(seconds(40)));
    assert_eq!(decided(&blind, mating, 0), Decision::Play, "not at the cost of the clock");
}

#[test]
fn a_lost_board_stands_still_while_the_other_is_played() {
    let partner_moves = START.replace(" w ", " b ");
    let elsewhere = |view: &Table, value, other| {
        let mut situation = situation(view, value, [None; 5], 0);
        situation.other = Some(other);
        match decide(&situation, &mut Inbox::default(), seconds(1)) {
            Decision::Wait(time, Reason::Elsewhere) => time,
            decision => {
                assert_eq!(decision, Decision::Play);
                None
            }
        }
    };
    let moment = Some(Duration::from_millis(3_750));
    let mut view = table(START, Some(&partner_moves), [60; 4]);
    view.seat = Seat::WhiteA;
    assert_eq!(elsewhere(&view, -MATE + 4, 0), Some(Duration::from_millis(58_500)));
    assert_eq!(elsewhere(&view, -1_800, 0), moment);
    assert_eq!(elsewhere(&view, -1_800, -1_500), None, "no better there");
    assert_eq!(elsewhere(&view, -300, 900), None, "not lost");
    let blind = table(START, None, [60; 4]);
    let (inbox, now) = (Inbox::default(), seconds(1));
    assert_eq!(standing(&blind, &inbox, now, &mut Plain), 0);
    assert_eq!(elsewhere(&blind, -MATE + 4, 0), Some(Duration::from_millis(58_500)));
    assert_eq!(elsewhere(&blind, -1_800, 0), None, "who knows");
    // A partner who sits as well: of two one goes on.
    view.thinks = seconds(20);
    assert_eq!(elsewhere(&view, -1_800, 0), None);
    assert_eq!(elsewhere(&view, -MATE + 4, 0), Some(Duration::from_millis(58_500)));
    let mut own = table(&partner_moves, Some(&partner_moves), [60; 4]);
    (own.seat, own.thinks) = (Seat::BlackB, seconds(20));
    own.other = Some(position(START));
    assert_eq!(own.partner_to_move(), Some(true));
    assert_eq!(elsewhere(&own, -MATE + 4, 0), None);
    // The diagonal is on move: with more time than he has he must move, with less only a moment.
    let ahead = table(START, Some(START), [40, 60, 20, 60]);
    assert_eq!(elsewhere(&ahead, -MATE + 4, 0), Some(Duration::from_millis(38_500)));
    let behind = table(START, Some(START), [20, 60, 40, 60]);
    assert_eq!(elsewhere(&behind, -MATE + 4, 0), moment);
}

#[test]
fn the_side_ahead_on_the_clock_may_wait_and_the_other_may_not() {
    // The diagonal is to move on the other board.
    let ahead = table(START, Some(START), [30, 60, 20, 60]);
    let behind = table(START, Some(START), [20, 60, 30, 60]);
    assert_eq!(patience(&ahead, false, Duration::ZERO), seconds(20));
    assert_eq!(patience(&behind, false, Duration::ZERO), Duration::ZERO);
    // Where every move loses, all but the reserve may go.
    assert_eq!(patience(&behind, true, Duration::ZERO), seconds(16));
    assert_eq!(
        patience(&table(START, Some(START), [1, 60, 60, 60]), true, Duration::ZERO),
        Duration::ZERO
    );
    let mut unknown = ahead;
    unknown.clocks = Clocks::default();
    assert!(patience(&unknown, false, Duration::ZERO) <= seconds(1));
}

#[test]
fn no_wait_reaches_the_flag() {
    for mine in [0, 1, 2, 3, 5, 60, 3600] {
        for theirs in [0, 1, 5, 60, 3600] {
            for other in [None, Some(START), Some("4k3/8/8/8/8/8/8/4K3[] b - - 0 1")] {
                let view = table(START, other, [mine, 60, theirs, 60]);
                for value in [-MATE + 2, -2_000, 0] {
                    for hopes in [[None; 5], [Some(MATE - 3); 5], [Some(value + 600); 5]] {
                        let mut inbox = Inbox::default();
                        inbox.hear(Word::Sit, seconds(1));
                        let mut situation = situation(&view, value, hopes, 80);
                        situation.other = Some(0);
                        situation.mating = [hopes[0].is_some(); 5];
                        let found = decide(&situation, &mut inbox, seconds(1));
                        if let Decision::Wait(time, _) = found {
                            let time = time.expect("a wait by choice has an end");
                            assert!(time + seconds(1) < seconds(mine), "{time:?} of {mine}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_lost_position_waits_for_what_saves_it() {
    let mut view = table(START, Some(START), [20, 60, 10, 60]);
    let waits = |view: &Table| {
        let lost = situation(view, -MATE + 4, hoping(Role::Bishop, -200), 1);
        decide(&lost, &mut Inbox::default(), seconds(1))
    };
    let saves = |time| Decision::Wait(Some(time), Reason::Saves(Role::Bishop));
    assert_eq!(waits(&view), saves(seconds(16)), "the diagonal must move first");
    view.clocks.set(Seat::WhiteB, Some(seconds(60)));
    assert_eq!(waits(&view), saves(Duration::from_millis(3_750)), "he need not, and may sit");
    view.thinks = seconds(20);
    assert_eq!(waits(&view), Decision::Play);
    let hopeless = situation(&view, -MATE + 4, hoping(Role::Bishop, -MATE + 6), 80);
    assert_eq!(decide(&hopeless, &mut Inbox::default(), seconds(1)), Decision::Play);
}

/// Two players on move, one on each board, as they are asked in turn, until one of them plays: how
/// long both sat. `lost` and `hope` are the values of their boards without and with a piece.
fn both_sat(seats: [Seat; 2], clocks: [u64; 4], lost: [Value; 2], hope: [Value; 2]) -> Duration {
    let fen = |seat: Seat| if seat.color() == Color::White { START } else { BLACK_MOVES };
    let mut inboxes = [Inbox::default(), Inbox::default()];
    inboxes.iter_mut().for_each(|inbox| inbox.hear(Word::Sit, seconds(1)));
    let (mut past, mut ends) = (Duration::ZERO, [Duration::ZERO; 2]);
    loop {
        for i in [0, 1] {
            if ends[i] > past {
                continue;
            }
            let mut view = table(fen(seats[i]), Some(fen(seats[1 - i])), clocks);
            (view.seat, view.thinks) = (seats[i], past);
            for seat in seats {
                view.clocks.run(seat, past);
            }
            let mut situation = situation(&view, lost[i], [Some(hope[i]); 5], 80);
            situation.other =
                Some(if seats[1].team() == seats[0].team() { lost[1 - i] } else { 0 });
            situation.mating = [hope[i] > MATE - 100; 5];
            situation.waited = past;
            match decide(&situation, &mut inboxes[i], seconds(1) + past) {
                Decision::Play => return past,
                Decision::Wait(time, _) => ends[i] = past + time.expect("an end"),
            }
        }
        past = ends[0].min(ends[1]);
    }
}

const BLACK_MOVES: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] b KQkq - 0 1";

#[test]
fn two_who_wait_for_each_other_do_not_wait_long() {
    let values = [-MATE + 4, -4_000, -2_000, -1_600, 0];
    let partners = [Seat::WhiteA, Seat::BlackB];
    let diagonals = [Seat::WhiteA, Seat::WhiteB];
    for seats in [partners, diagonals] {
        for lost in values.into_iter().flat_map(|one| values.map(|two| [one, two])) {
            for hope in [[-400, -400], [MATE - 1, -400], [-400, 500], [MATE - 1, MATE - 1]] {
                for clocks in [[60; 4], [60, 60, 60, 50], [50, 60, 60, 60], [60, 60, 50, 60]] {
                    let both = both_sat(seats, clocks, lost, hope);
                    // A moment, or as long as a `sit` is obeyed.
                    assert!(both <= seconds(9), "{seats:?} {lost:?} {hope:?} {clocks:?}: {both:?}");
                }
            }
        }
    }
}

#[test]
fn without_a_move_there_is_only_waiting() {
    let stuck = "8/8/8/8/8/5k2/8/r4K2[] w - - 0 1";
    let view = table(stuck, None, [60; 4]);
    let found = decide(&situation(&view, 0, [None; 5], 0), &mut Inbox::default(), seconds(1));
    assert_eq!(found, Decision::Wait(None, Reason::NoMove));
}

#[test]
fn words_change_worths_and_fade() {
    let view = table(START, None, [60; 4]);
    let default = Outlook::default();
    let mut inbox = Inbox::default();
    let at = |inbox: &Inbox, now| outlook(&view, inbox, Parts::ALL, seconds(now), &mut Plain);
    inbox.hear(Word::Need(Role::Knight, Weight::High), seconds(10));
    inbox.hear(Word::Deny(Role::Queen, Weight::Medium), seconds(10));
    let heard = at(&inbox, 11);
    assert!(heard.partner[slot(Role::Knight)] >= 5_000);
    assert!(heard.diagonal[slot(Role::Queen)] > default.diagonal[slot(Role::Queen)]);
    assert_eq!(heard.partner[slot(Role::Rook)], default.partner[slot(Role::Rook)]);
    assert_eq!(at(&inbox, 60), default, "forgotten");
    inbox.hear(Word::Need(Role::Knight, Weight::High), seconds(70));
    inbox.hear(Word::Fine, seconds(71));
    assert_eq!(at(&inbox, 72), default, "taken back");
    inbox.hear(Word::NoTrade, seconds(80));
    assert!(at(&inbox, 81).diagonal.iter().zip(default.diagonal).all(|(now, was)| *now > was));
    // Where the other board is seen, a word weighs less than what stands there.
    let seeing = table(START, Some(START), [60; 4]);
    inbox.hear(Word::Need(Role::Pawn, Weight::High), seconds(90));
    let seen = outlook(&seeing, &inbox, Parts::ALL, seconds(91), &mut Plain);
    assert!(seen.partner[slot(Role::Pawn)] < 2_000);
}

#[test]
fn the_clock_of_the_diagonal_sets_the_pace() {
    let left =
        |clocks| pace(&table(START, None, clocks), &Inbox::default(), seconds(0)).unwrap().left;
    assert_eq!(left([60, 60, 60, 60]), seconds(60));
    assert_eq!(left([60, 60, 30, 60]), seconds(60), "ahead: no reason to waste it");
    assert!(left([30, 60, 60, 60]) <= seconds(16));
    assert!(left([10, 60, 60, 60]) >= Duration::from_millis(3_400), "not without bounds");
    assert_eq!(left([0, 60, 60, 60]), Duration::ZERO);
    let short = |ms| {
        let mut view = table(START, None, [60; 4]);
        view.clocks.set(Seat::WhiteA, Some(Duration::from_millis(ms)));
        view.clocks.set(Seat::WhiteB, None);
        pace(&view, &Inbox::default(), seconds(0)).unwrap()
    };
    // Little time is mostly kept for what a busy machine may take.
    assert_eq!(short(500).left, Duration::from_millis(125));
    assert_eq!(short(500).increment, Duration::from_millis(50));
    assert_eq!((short(300).left, short(2_000).left), (Duration::ZERO, seconds(2)));
    let mut inbox = Inbox::default();
    inbox.hear(Word::Fast, seconds(5));
    let view = table(START, None, [60; 4]);
    assert_eq!(pace(&view, &inbox, seconds(6)).unwrap().left, seconds(15));
    assert_eq!(pace(&view, &inbox, seconds(60)).unwrap().left, seconds(60));
    let mut unknown = view;
    unknown.clocks = Clocks::default();
    assert_eq!(pace(&unknown, &inbox, seconds(6)), None);
}

#[test]
fn wishes_are_said_once_and_taken_back() {
    let mut speaker = Speaker::default();
    let mut found =
        Findings { value: 50, with: hoping(Role::Knight, MATE - 1), ..Default::default() };
    let need = Word::Need(Role::Knight, Weight::High);
    assert_eq!(speaker.say(&found, seconds(1)), Some(need));
    assert_eq!(speaker.say(&found, seconds(2)), None);
    assert_eq!(speaker.say(&found, seconds(9)), None, "it is known");
    found.with = [None; 5];
    assert_eq!(speaker.say(&found, seconds(10)), Some(Word::Fine));
    assert_eq!(speaker.say(&found, seconds(20)), None);
    // What mates me is said, and what only costs a pawn is not.
    found.against = hoping(Role::Queen, -MATE + 2);
    assert_eq!(speaker.say(&found, seconds(30)), Some(Word::Deny(Role::Queen, Weight::High)));
    found.against = hoping(Role::Queen, -50);
    assert_eq!(speaker.say(&found, seconds(40)), Some(Word::Fine));
    assert_eq!(speaker.say(&found, seconds(50)), None);
}

#[test]
fn a_mated_player_asks_for_what_saves_before_he_gives_up() {
    let mut speaker = Speaker::default();
    let mut found =
        Findings { value: -MATE + 4, with: hoping(Role::Bishop, 100), ..Default::default() };
    assert_eq!(speaker.say(&found, seconds(1)), Some(Word::Need(Role::Bishop, Weight::High)));
    found.with = [None; 5];
    assert_eq!(speaker.say(&found, seconds(5)), Some(Word::Fine));
    assert_eq!(speaker.say(&found, seconds(9)), Some(Word::Dead));
    found.value = 0;
    assert_eq!(speaker.say(&found, seconds(13)), Some(Word::Fine));
}

#[test]
fn no_flood_of_words() {
    let mut speaker = Speaker::default();
    let mut rng = fastrand::Rng::with_seed(3);
    let mut last: Option<Duration> = None;
    for tick in 0..5_000 {
        let now = Duration::from_millis(tick * 37);
        let mut random = || [(); 5].map(|()| Some(rng.i32(-32_000..32_000)));
        let found =
            Findings { value: 0, with: random(), against: random(), waiting: tick % 2 == 0 };
        if speaker.say(&found, now).is_some() {
            assert!(last.is_none_or(|last| now - last >= seconds(3)));
            last = Some(now);
        }
    }
    assert!(last.is_some());
}
