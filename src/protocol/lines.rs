//! What the engine tells, as the grammars write it.

use crate::engine::{self, Bound};
use crate::protocol::grammar::info;
use crate::rules::bughouse::Boards;
use crate::rules::game::Game;
use crate::rules::{Position, PromotionRule, Status, notation};
use crate::types::{BoardId, Move, Seat};

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

/// A move at a table of two boards. A promotion by exchange names the piece it takes off the other
/// board where several fit.
pub(super) fn exchanged(text: String, boards: [Position; 2], board: BoardId, mv: Move) -> String {
    let position = &boards[board.index()];
    let (PromotionRule::Exchange, Some(role)) = (position.rules().promotion, mv.promotion_role())
    else {
        return text;
    };
    let seat = Seat::new(board, position.turn());
    let [a, b] = boards;
    let Ok(table) = Boards::new(a, b) else { return text };
    let several = table.exchanges(seat, role).more_than_one();
    match table.likely_exchange(seat, role).filter(|_| several) {
        Some(square) => format!("{text}{square}"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn a_promotion_names_its_piece_where_several_fit() {
        let rules = Rules { promotion: PromotionRule::Exchange, ..Rules::BUGHOUSE };
        let read = |fen: &str| Position::from_fen(fen, rules).expect(fen);
        let a = read("4k3/P7/8/8/8/8/8/4K3[] w - - 0 1");
        let mv = notation::from_uci(&a, "a7a8q").expect("a promotion");
        for (other, wanted) in [
            ("4k3/8/8/8/8/Q7/8/3QK3[] w - - 0 1", "a7a8qa3"),
            ("4k3/8/8/8/8/8/8/3QK3[] w - - 0 1", "a7a8q"),
        ] {
            let boards = [a, read(other)];
            let text = exchanged("a7a8q".to_string(), boards, BoardId::A, mv);
            assert_eq!(text, wanted);
            let mut table = boards;
            crate::protocol::place::play(&mut table, BoardId::A, &text).expect("a legal move");
        }
    }
}
