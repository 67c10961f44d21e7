//! The search as a whole: sound lines, the same twice, mates told by the right rules, limits kept.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::*;
use crate::rules::{Position, Rules};
use crate::types::Move;

fn position(fen: &str, rules: Rules) -> Position {
    Position::from_fen(fen, rules).unwrap()
}

fn to_depth(position: Position, depth: u32) -> Request {
    let mut limits = Limits::new(Instant::now());
    limits.depth = Some(depth);
    Request::new(position, limits)
}

/// Searches and checks every line that is told.
fn search(searcher: &mut Searcher, request: &Request) -> (Outcome, Vec<Info>) {
    let infos = Mutex::new(Vec::new());
    let outcome = searcher.search(request, &Control::new(), &|event| {
        if let Event::Info(info) = event {
            infos.lock().unwrap().push(info);
        }
    });
    let infos = infos.into_inner().unwrap();
    for info in &infos {
        assert!(!info.pv.is_empty());
        let mut position = request.position;
        for &mv in &info.pv {
            assert!(position.is_legal(mv), "{mv:?} of {:?} in {}", info.pv, position.fen());
            position.make(mv);
        }
    }
    (outcome, infos)
}

/// Positions with as much in hand as a game can bring.
fn full_hands() -> Vec<Position> {
    let boards = [
        "4k3/8/8/8/8/8/8/4K3",
        "6k1/5ppp/8/8/8/8/5PPP/6K1",
        "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R",
        "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR",
        "r1bq1rk1/ppp2ppp/2n2n2/3p4/3P4/2N2N2/PPP2PPP/R1BQ1RK1",
        "2kr3r/ppp2ppp/8/8/8/8/PPP2PPP/2KR3R",
        "3k4/8/8/1QQ5/1qq5/8/8/3K4",
        "8/8/3k4/8/8/3K4/8/8",
        "k7/8/8/8/8/8/8/7K",
        "r4rk1/pppppppp/8/8/8/8/PPPPPPPP/R4RK1",
    ];
    let hands = [
        ("w", "QRRBBNNPPPPPqrrbbnnppppp", Rules::CRAZYHOUSE),
        ("b", "QBNPPPqbnppp", Rules::BUGHOUSE),
    ];
    boards
        .iter()
        .flat_map(|board| {
            hands.map(|(turn, hand, rules)| {
                position(&format!("{board}[{hand}] {turn} - - 0 1"), rules)
            })
        })
        .collect()
}

#[test]
fn full_hands_are_searched_soundly_and_the_same_twice() {
    let mut searcher = Searcher::new(1, 8).unwrap();
    let positions = full_hands();
    assert_eq!(positions.len(), 20);
    for position in positions.into_iter().chain([Position::start(Rules::CRAZYHOUSE)]) {
        let mut request = to_depth(position, 10);
        // Deep enough everywhere; the widest positions would take minutes in a checked build.
        request.limits.nodes = Some(60_000);
        searcher.clear();
        let (first, lines) = search(&mut searcher, &request);
        searcher.clear();
        let (second, again) = search(&mut searcher, &request);
        assert_eq!(first, second, "{}", position.fen());
        // Where a depth takes seconds, what it comes to is told before it is done: only the last
        // line of each depth does not depend on the machine.
        let untimed = |infos: Vec<Info>| -> Vec<Info> {
            let mut last: Vec<Info> = Vec::new();
            for info in infos {
                if last.last().is_some_and(|before| before.depth == info.depth) {
                    last.pop();
                }
                last.push(Info { time: Duration::ZERO, ..info });
            }
            last
        };
        assert_eq!(untimed(lines), untimed(again));
        assert!(first.best.is_some_and(|mv| position.is_legal(mv)));
    }
}

#[test]
fn mates_by_drop_are_found() {
    let mut searcher = Searcher::new(1, 8).unwrap();
    let cases = [
        ("6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1", Rules::CRAZYHOUSE, Score::Mate(1)),
        (
            "r4r1k/ppp2pp1/3N4/3Np3/B5p1/6B1/PP3Pp1/R1BQ1RK1[QNPPPbnpp] w - - 0 1",
            Rules::CRAZYHOUSE,
            Score::Mate(8),
        ),
    ];
    for (fen, rules, wanted) in cases {
        searcher.clear();
        let (outcome, infos) = search(&mut searcher, &to_depth(position(fen, rules), 12));
        let (Score::Mate(found), Score::Mate(wanted)) = (outcome.score, wanted) else {
            panic!("{fen}: {:?}", outcome.score)
        };
        assert!(found > 0 && found <= wanted, "{fen}: {found}");
        assert!(infos.iter().all(|info| info.wdl.is_some()));
    }
}

#[test]
fn mate_lines_are_complete() {
    let mut searcher = Searcher::new(1, 8).unwrap();
    let fen = "r4r1k/ppp2pp1/3N4/3Np3/B5p1/6B1/PP3Pp1/R1BQ1RK1[QNPPPbnpp] w - - 0 1";
    let attack = position(fen, Rules::CRAZYHOUSE);
    let mut limits = Limits::new(Instant::now());
    limits.mate = Some(9);
    let requests = [Request::new(attack, limits), to_depth(attack, 12)];
    for request in requests {
        let (outcome, infos) = search(&mut searcher, &request);
        assert!(matches!(outcome.score, Score::Mate(moves) if moves > 0 && moves <= 9));
        let mut position = attack;
        for &mv in &infos.last().unwrap().pv {
            position.make(mv);
        }
        assert_eq!(position.status(), crate::rules::Status::Checkmate);
    }
}

/// Whole games, random at first, with captures handed back so that bughouse hands fill too.
#[test]
fn whole_games_are_searched_soundly() {
    let mut searcher = Searcher::new(1, 4).unwrap();
    let mut rng = fastrand::Rng::with_seed(5);
    for rules in [Rules::CRAZYHOUSE, Rules::BUGHOUSE, Rules::CHESS] {
        for _ in 0..3 {
            let mut position = Position::start(rules);
            let mut history = Vec::new();
            for ply in 0..140 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = if ply < 10 || rng.u8(..8) == 0 {
                    moves[rng.usize(..moves.len())]
                } else {
                    let mut request = Request::new(position, Limits::new(Instant::now()));
                    request.history = history.clone();
                    request.limits.nodes = Some(500);
                    request.multipv = 1 + usize::from(ply % 5 == 0);
                    let (outcome, _) = search(&mut searcher, &request);
                    outcome.best.unwrap()
                };
                history.push(position.key());
                if let Some(captured) = position.make(mv)
                    && rules.variant == crate::rules::Variant::Bughouse
                {
                    position.add_to_hand(captured.color, captured.role).unwrap();
                }
            }
        }
    }
}

#[test]
fn proofs_end_in_mate_on_the_board() {
    let mut searcher = Searcher::new(1, 8).unwrap();
    let limits = ProofLimits { nodes: 400_000, deadline: None };
    let fen = "r4r1k/ppp2pp1/3N4/3Np3/B5p1/6B1/PP3Pp1/R1BQ1RK1[QNPPPbnpp] w - - 0 1";
    let attack = position(fen, Rules::CRAZYHOUSE);
    let proof = searcher.prove(&attack, &limits, &Control::new()).proof.unwrap();
    assert_eq!(proof.line.len(), proof.plies);
    let mut end = attack;
    for &mv in &proof.line {
        assert!(end.is_legal(mv));
        end.make(mv);
    }
    assert_eq!(end.status(), crate::rules::Status::Checkmate);
    let few = ProofLimits { nodes: 2_000, deadline: None };
    let start = Position::start(Rules::CRAZYHOUSE);
    let attempt = searcher.prove(&start, &few, &Control::new());
    assert!(attempt.proof.is_none() && attempt.no_mate_by_checks);
}

#[test]
fn in_bughouse_a_check_that_a_drop_could_answer_is_no_mate() {
    let mut searcher = Searcher::new(1, 8).unwrap();
    let back_rank = "6k1/5ppp/8/8/8/8/8/R3K3[] w - - 0 1";
    let (outcome, _) = search(&mut searcher, &to_depth(position(back_rank, Rules::BUGHOUSE), 6));
    assert!(matches!(outcome.score, Score::Cp(cp) if cp > 3000), "{:?}", outcome.score);
    // The same with the rook beside the king, guarded: nothing could be put between.
    let contact = "5bk1/4R1pp/6P1/8/8/8/8/4K3[R] w - - 0 1";
    let (outcome, _) = search(&mut searcher, &to_depth(position(contact, Rules::BUGHOUSE), 8));
    assert!(outcome.best.is_some());
}

#[test]
fn a_position_without_moves_has_no_best_move() {
    let mut searcher = Searcher::new(1, 1).unwrap();
    let mated = "4R1k1/5ppp/8/8/8/8/8/4K3[] b - - 0 1";
    let (outcome, _) = search(&mut searcher, &to_depth(position(mated, Rules::CRAZYHOUSE), 5));
    assert_eq!((outcome.best, outcome.score), (None, Score::Mate(0)));
    let (outcome, _) = search(&mut searcher, &to_depth(position(mated, Rules::BUGHOUSE), 5));
    assert_eq!(outcome.best, None);
}

#[test]
fn repetition_counts_what_was_played_before() {
    // Black is lost unless White repeats: the table of keys must make that seen.
    let start = position("7k/8/8/8/8/8/q7/7K[] w - - 0 1", Rules::CRAZYHOUSE);
    let mut request = to_depth(start, 4);
    let (alone, _) = search(&mut Searcher::new(1, 1).unwrap(), &request);
    assert!(matches!(alone.score, Score::Cp(cp) if cp < -200));
    // Every position after a king move has stood twice before.
    request.history = start
        .legal_moves()
        .into_iter()
        .flat_map(|mv| [start.after(mv).key(), start.after(mv).key()])
        .collect();
    let (repeating, _) = search(&mut Searcher::new(1, 1).unwrap(), &request);
    assert_eq!(repeating.score, Score::Cp(0));
}

#[test]
fn limits_are_kept() {
    let mut searcher = Searcher::new(1, 8).unwrap();
    let start = Position::start(Rules::CRAZYHOUSE);
    let mut request = Request::new(start, Limits::new(Instant::now()));
    request.limits.nodes = Some(5000);
    let (outcome, _) = search(&mut searcher, &request);
    assert_eq!(outcome.nodes, 5000);

    let mut request = to_depth(start, 6);
    request.multipv = 3;
    let (_, infos) = search(&mut searcher, &request);
    let last: Vec<&Info> = infos.iter().filter(|info| info.depth == 6).collect();
    let firsts: Vec<Move> = last[last.len() - 3..].iter().map(|info| info.pv[0]).collect();
    assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2] && firsts[0] != firsts[2]);

    let only = start.legal_moves()[3];
    request.limits.search_moves = vec![only];
    let (outcome, _) = search(&mut searcher, &request);
    assert_eq!(outcome.best, Some(only));
}

#[test]
fn a_search_stopped_at_once_plays_what_comes_first_in_order() {
    let mut searcher = Searcher::new(1, 1).unwrap();
    let cases = [
        // A mate in one before anything else.
        ("6k1/5ppp/8/8/8/8/8/4K3[RQ] w - - 0 1", "mate"),
        // A queen to be had for nothing.
        ("4k3/8/8/3q4/4P3/8/8/4K3[] w - - 0 1", "e4xd5"),
    ];
    for (fen, wanted) in cases {
        let mut request =
            Request::new(position(fen, Rules::CRAZYHOUSE), Limits::new(Instant::now()));
        request.limits.nodes = Some(1);
        let best = searcher.search(&request, &Control::new(), &|_| {}).best.unwrap();
        let next = request.position.after(best);
        let mates = next.status() == crate::rules::Status::Checkmate;
        assert!(mates || best.is_capture(), "{fen}: {best:?}, not {wanted}");
    }
}

#[test]
fn a_stopped_search_still_has_a_move() {
    let mut searcher = Searcher::new(2, 8).unwrap();
    let mut request = Request::new(Position::start(Rules::BUGHOUSE), Limits::new(Instant::now()));
    request.limits.infinite = true;
    let control = Control::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            control.stop();
        });
        let outcome = searcher.search(&request, &control, &|_| {});
        assert!(outcome.best.is_some());
    });
    assert!(searcher.set_threads(0).is_err() && searcher.set_threads(10_000).is_err());
    assert_eq!(searcher.threads(), 2);
    assert!(searcher.set_hash(1 << 40).is_err());
    assert_eq!(searcher.hash_mb(), 8);
}
