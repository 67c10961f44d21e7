//! What the engine tells, as the grammars write it.

use crate::engine::{self, Bound};
use crate::protocol::grammar::info;
use crate::rules::game::Game;
use crate::rules::{Position, Status, notation};
use crate::types::{BoardId, Move};

/// A move as UCI writes it.
pub(super) fn uci_move(position: &Position, mv: Move) -> String {
    notation::to_uci(position, mv)
}

/// A move as UBI writes it: the piece dropped in lower case.
pub(super) fn ubi_move(position: &Position, mv: Move) -> String {
    let text = notation::to_uci(position, mv);
    match text.split_once('@') {
        Some((piece, square)) => format!("{}@{square}", piece.to_ascii_lowercase()),
        None => text,
    }
}

/// A line of moves, each written in the position it is played in.
pub(super) fn line_of(
    position: &Position,
    pv: &[Move],
    write: fn(&Position, Move) -> String,
) -> Vec<String> {
    let mut position = *position;
    let mut line = Vec::with_capacity(pv.len());
    for mv in pv {
        if !position.is_legal(*mv) {
            break;
        }
        line.push(write(&position, *mv));
        position.make(*mv);
    }
    line
}

/// A line of thinking as UCI and UBI tell it.
pub(super) fn info_of(
    position: &Position,
    info: &engine::Info,
    board: Option<BoardId>,
    wdl: bool,
) -> info::Info {
    let write = if board.is_some() { ubi_move } else { uci_move };
    let millis = info.time.as_millis() as u64;
    info::Info {
        board,
        depth: Some(info.depth),
        seldepth: Some(info.seldepth),
        multipv: Some(info.multipv as u32),
        score: Some(info.score),
        bound: match info.bound {
            Bound::Lower => info::Bound::Lower,
            Bound::Upper => info::Bound::Upper,
            _ => info::Bound::Exact,
        },
        wdl: info.wdl.filter(|_| wdl).map(|wdl| wdl.map(u32::from)),
        nodes: Some(info.nodes),
        nps: Some(speed(info)),
        hashfull: Some(u32::from(info.hashfull)),
        time: Some(millis),
        pv: line_of(position, &info.pv, write),
        ..info::Info::default()
    }
}

/// Nodes a second.
pub(super) fn speed(info: &engine::Info) -> u64 {
    let micros = info.time.as_micros().max(1);
    (u128::from(info.nodes) * 1_000_000 / micros) as u64
}

/// What `d` shows of a board.
pub(super) fn shown(position: &Position, game: Option<&Game>) -> Vec<String> {
    let checkers: Vec<String> = position.checkers().into_iter().map(|sq| sq.to_string()).collect();
    let status = match (position.status(), game.and_then(Game::outcome)) {
        (Status::Checkmate, _) => "checkmate".to_string(),
        (Status::Stalemate, _) => "stalemate".to_string(),
        (Status::Wait, _) => "wait".to_string(),
        (Status::Ongoing, Some(outcome)) => format!("draw ({})", outcome.reason),
        (Status::Ongoing, None) => "ongoing".to_string(),
    };
    vec![
        format!("Fen: {}", position.fen()),
        format!("Key: {:016x}", position.key()),
        format!("Checkers: {}", checkers.join(" ")).trim_end().to_string(),
        format!("Status: {status}"),
    ]
}
