//! Plays a claimed mate out against every defence.

use std::collections::HashMap;

use crate::rules::{Position, Status};
use crate::types::{Key, MAX_PLY, Move};

use super::Proof;
use super::dfpn::{LONGEST, Run};
use super::table::Place;

/// What is known of a position played out: plies to mate, and the attacker's move there.
type Played = HashMap<Key, Option<(u16, Option<Move>)>>;

/// More than this is not played out; such a proof is given up.
const MOST: usize = 4_000_000;
/// After so many it is asked whether to stop.
const LOOK: usize = 256;

/// Plays every defence against the proof in the run's table.
pub(super) fn play_out(run: &mut Run<'_>, position: &Position, plies: u16) -> Option<Proof> {
    let mut played = Played::new();
    // What the table has lost since must be found again.
    run.limit = run.limit.saturating_add(run.nodes / 2 + 100_000);
    let plies = attack(run, &mut played, position, plies)?;
    let line = longest_line(&played, position, plies);
    Some(Proof { line, plies: usize::from(plies), checked: played.len() })
}

/// As [`play_out`], for a position in which the attacker's first move is given, check or not.
pub(super) fn play_out_after(run: &mut Run<'_>, position: &Position, first: Move) -> Option<Proof> {
    let mut played = Played::new();
    run.limit = run.limit.saturating_add(run.nodes / 2 + 100_000);
    let plies = defend(run, &mut played, &position.after(first))? + 1;
    played.insert(position.key(), Some((plies, Some(first))));
    let line = longest_line(&played, position, plies);
    Some(Proof { line, plies: usize::from(plies), checked: played.len() })
}

/// Whether to give the proof up. What the table knows costs no nodes, so the nodes alone would not
/// tell when to ask.
fn too_much(run: &mut Run<'_>, played: &Played) -> bool {
    run.stopped |= played.len().is_multiple_of(LOOK) && (run.stop)();
    played.len() >= MOST || run.must_stop()
}

/// The attacker moves: one good move is enough.
fn attack(run: &mut Run<'_>, played: &mut Played, position: &Position, plies: u16) -> Option<u16> {
    if let Some(known) = played.get(&position.key()) {
        return known.map(|(plies, _)| plies);
    }
    if too_much(run, played) {
        return None;
    }
    // While it is being played out, coming back here would prove nothing.
    played.insert(position.key(), None);
    let place = Place::of(position, run.attacker);
    let mut known = (0..=run.quiets)
        .filter_map(|quiets| run.table.find(&place.with_quiets(quiets), plies.max(1)))
        .find(|numbers| numbers.pn == 0);
    if known.is_none() {
        known = Some(run.solve(position, LONGEST, run.quiets));
    }
    let numbers = known.filter(|numbers| numbers.pn == 0)?;
    let mv = numbers.mv.filter(|&mv| position.is_legal(mv))?;
    let below = defend(run, played, &position.after(mv))?;
    played.insert(position.key(), Some((below + 1, Some(mv))));
    Some(below + 1)
}

/// The defender moves: every answer must fail.
fn defend(run: &mut Run<'_>, played: &mut Played, position: &Position) -> Option<u16> {
    if let Some(known) = played.get(&position.key()) {
        return known.map(|(plies, _)| plies);
    }
    if too_much(run, played) {
        return None;
    }
    played.insert(position.key(), None);
    let answers = position.legal_moves();
    let mut plies = 0;
    if answers.is_empty() {
        if position.status() != Status::Checkmate {
            return None;
        }
    } else {
        for answer in answers {
            let below = attack(run, played, &position.after(answer), LONGEST)?;
            plies = plies.max(below + 1);
        }
    }
    played.insert(position.key(), Some((plies, None)));
    Some(plies)
}

/// The line in which the defender holds out longest.
fn longest_line(played: &Played, position: &Position, plies: u16) -> Vec<Move> {
    let mut line = Vec::new();
    let mut position = *position;
    let plies_of = |position: &Position| played.get(&position.key()).copied().flatten();
    for _ in 0..plies.min(MAX_PLY as u16) {
        let mv = match plies_of(&position) {
            Some((_, Some(mv))) => Some(mv),
            _ => position
                .legal_moves()
                .into_iter()
                .max_by_key(|&mv| plies_of(&position.after(mv)).map_or(0, |(plies, _)| plies)),
        };
        let Some(mv) = mv else { break };
        line.push(mv);
        position.make(mv);
    }
    line
}
