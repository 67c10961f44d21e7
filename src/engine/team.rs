//! Where search and team play meet: what is known of the table, and what an answer waits for.

use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

use super::around::{Around, move_key};
use super::expert::Expert;
use super::lane::{Found, Job, SearchId, Signal};
use super::{Active, Engine, Event, Limits, Task};
use crate::rules::{Position, Variant};
use crate::search::{Outcome, Outlook, Request};
use crate::team::{self, Arrivals, Decision, Findings, Hopes, Reason, Situation, Table, Word};
use crate::types::{BoardId, HAND_ROLES, Key, MATE, Move, Score, Value};

/// A node of the search for mates, which judges no position, takes so much less time than one of the
/// search for a move (0.34 and 0.68 microseconds).
const CHEAPER: u64 = 2;
/// Nodes for a look at one "what if".
const PROBE_NODES: u64 = 3_000;
/// With less on the clock nothing is looked at beside the move itself.
const PROBE_CLOCK: Duration = Duration::from_secs(3);
/// Below this a move may depend on what comes.
const TROUBLE: Value = -1_500;
/// An outlook that changed by so much is worth beginning anew.
const NEW_OUTLOOK: Value = 900;

/// An answer that is held back by choice.
pub(super) struct Sitting {
    outcome: Outcome,
    since: Instant,
    /// Dropped with this, it calls the alarm off.
    _alarm: Sender<()>,
}

/// What a request's answer depends on beside the search.
#[derive(Default)]
pub(super) struct Thoughts {
    /// Held back.
    pub sitting: Option<Sitting>,
    /// Time held back before, for this request.
    waited: Duration,
    /// Why is told once.
    told: bool,
    /// No answer before this, see [`Engine::hold`].
    not_before: Option<Instant>,
    hopes: Option<Hopes>,
    /// The partner's move and its value, once looked at.
    suggestion: Option<(Move, Value)>,
    probing: Option<Outcome>,
    /// What the search was begun with.
    pub outlook: Outlook,
    /// Pieces the partner may take next with which the mover mates by force, by the other board as
    /// it was.
    pub mating: (Key, [bool; 5]),
}

impl Thoughts {
    /// What remains when the search begins anew: how long was waited, and that it was told.
    pub(super) fn for_new_search(&self) -> Thoughts {
        let &Thoughts { waited, told, not_before, .. } = self;
        Thoughts { waited, told, not_before, ..Thoughts::default() }
    }

    /// How much longer no answer may be given.
    fn too_early(&self) -> Option<Duration> {
        let left = self.not_before?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }
}

fn value_of(score: Score) -> Value {
    match score {
        Score::Cp(cp) => cp,
        Score::Mate(moves) if moves > 0 => MATE - (2 * moves - 1),
        Score::Mate(moves) => -MATE - 2 * moves,
    }
}

impl Engine {
    /// The two boards as they are now; a board that is not known is `None`.
    pub fn see(&mut self, boards: [Option<Position>; 2]) {
        self.around.settle();
        let before = std::mem::replace(&mut self.around.boards, boards);
        for board in BoardId::ALL {
            let index = board.index();
            let key = |position: &Option<Position>| position.as_ref().map(Position::key);
            let changed = key(&before[index]) != key(&boards[index]);
            if let (true, Some(old), Some(new)) = (changed, before[index], boards[index]) {
                self.around.board_changed(board, &old, &new);
            }
            if changed {
                self.look_across(board.other());
            }
        }
    }

    /// What the four clocks show now, in the order of the seats; `None` where nobody told.
    pub fn set_clocks(&mut self, left: [Option<Duration>; 4]) {
        self.around.set_clocks(left);
    }

    /// The partner of the player on a board says something.
    pub fn hear(&mut self, board: BoardId, word: Word) {
        if !self.settings.parts().talk {
            return;
        }
        let now = self.around.now(board, self.around.prompt);
        self.around.inboxes[board.index()].hear(word, now);
        if self.around.may_look(board) {
            self.look_across(board);
        }
        if word == Word::MoveNow && !self.waiting(board) && !self.pondering(board) {
            self.stop(board);
        }
    }

    /// Whether an answer is held back by choice.
    pub fn sitting(&self, board: BoardId) -> bool {
        let active = self.active[board.index()].as_ref();
        active.is_some_and(|active| active.thoughts.sitting.is_some())
    }

    /// An open request is not answered before so much time has passed, unless it is stopped.
    pub fn hold(&mut self, board: BoardId, time: Duration) {
        if let Some(active) = &mut self.active[board.index()] {
            active.thoughts.not_before = Some(Instant::now() + time);
        }
    }

    /// A new match: nothing is known and nothing was said.
    pub(super) fn leave_table(&mut self) {
        self.around = Around::new();
    }

    /// A judge for one look at the table.
    fn expert(&mut self, limits: &Limits) -> Expert<'_> {
        Expert::new(self.settings.networks(), &mut self.around.mates, limits)
    }

    /// What a search begins with: its outlook and limits, and what may come that mates.
    pub(super) fn prepare(&mut self, board: BoardId, task: &Task) -> Prepared {
        let mut limits = task.limits.clone();
        let parts = self.settings.parts();
        if task.position.rules().variant != Variant::Bughouse {
            return Prepared { outlook: Outlook::default(), limits, mating: Default::default() };
        }
        let table = self.around.table(board, task);
        let now = self.around.now(board, task.prompt);
        self.around.watch(&table, now);
        let inbox = &self.around.inboxes[board.index()];
        if parts.waiting
            && let (Some(clock), Some(pace)) = (&mut limits.clock, team::pace(&table, inbox, now))
        {
            clock.remaining = clock.remaining.min(pace.left);
            clock.increment = clock.increment.min(pace.increment);
        }
        if parts.trade_worth
            && limits.search_moves.is_empty()
            && let Some(moves) = team::rescue(&table)
        {
            limits.search_moves = moves;
        }
        let inbox = inbox.clone();
        let hoped = self.around.hoped[board.index()];
        let mut expert = self.expert(&limits);
        let outlook = team::outlook(&table, &inbox, parts, now, &mut expert);
        // What came was waited for: the mate that was seen must be found again.
        if hoped
            && limits.search_moves.is_empty()
            && let Some(mv) = expert.mate(&table.own)
        {
            limits.search_moves = vec![mv];
        }
        let hears = table.other.is_some() || parts.talk;
        let mating = if parts.waiting && parts.arrivals && task.patient && hears {
            (other_key(&table), team::mating_arrivals(&table, &mut expert))
        } else {
            Default::default()
        };
        // Where nodes are counted, what was spent on this is not there for the search.
        if let Some(nodes) = &mut limits.nodes {
            *nodes = nodes.saturating_sub(expert.spent / CHEAPER).max(*nodes / 2);
        }
        Prepared { outlook, limits, mating }
    }

    /// Something changed that is no change of this board: an answer held back may be due, and a
    /// search may have to look at the other board anew.
    fn look_across(&mut self, board: BoardId) {
        let Some(active) = &self.active[board.index()] else { return };
        if active.thoughts.sitting.is_some() {
            self.reconsider(board);
            return;
        }
        if active.control.is_none() || active.stopped || active.task.ponder {
            return;
        }
        let task = active.task.clone();
        let outlook = self.prepare(board, &task).outlook;
        let Some(active) = &self.active[board.index()] else { return };
        let old = &active.thoughts.outlook;
        let differs = |one: &[Value; 5], two: &[Value; 5]| {
            one.iter().zip(two).any(|(one, two)| one.abs_diff(*two) >= NEW_OUTLOOK as u32)
        };
        let other_mates = outlook.partner_mates != old.partner_mates
            || outlook.diagonal_mates != old.diagonal_mates;
        if other_mates
            || differs(&old.partner, &outlook.partner)
            || differs(&old.diagonal, &outlook.diagonal)
        {
            let (position, history) = (active.task.position, active.task.history.clone());
            // A worker that does not start again leaves the search it has.
            let _ = self.update(board, position, history);
        }
    }

    /// A search has ended. Tells whether its answer is due; if not, what there is to tell.
    pub(super) fn consider(&mut self, board: BoardId, outcome: &mut Outcome) -> Due {
        let parts = self.settings.parts();
        let Some(active) = &self.active[board.index()] else { return Due::Now };
        let task = &active.task;
        if task.position.rules().variant != Variant::Bughouse || !task.patient {
            return Due::Now;
        }
        if let (Some(left), false) = (active.thoughts.too_early(), active.stopped)
            && self.keep(board, outcome.clone(), left)
        {
            return Due::Later(None);
        }
        let Some(active) = &self.active[board.index()] else { return Due::Now };
        let task = &active.task;
        let prompt = task.prompt;
        let limits = task.limits.clone();
        let (seen, mut mating) = active.thoughts.mating;
        let table = self.around.table(board, task);
        let arrivals = if parts.arrivals { team::arrivals(&table) } else { Arrivals::default() };
        let value = value_of(outcome.score);
        let id = active.id;
        if !active.stopped && active.thoughts.hopes.is_none() {
            let probes = self.probes(board, &table, value, &arrivals, outcome);
            if !probes.is_empty()
                && let (Some(lane), Some(active)) =
                    (&self.lanes[board.index()], &mut self.active[board.index()])
            {
                active.thoughts.probing = Some(outcome.clone());
                lane.post(Job::Probe(id, probes));
                return Due::Later(None);
            }
        }
        let now = self.around.now(board, prompt);
        self.around.watch(&table, now);
        let mut other = None;
        if parts.waiting {
            let inbox = self.around.inboxes[board.index()].clone();
            let mut expert = self.expert(&limits);
            if value <= TROUBLE {
                other = Some(team::standing(&table, &inbox, now, &mut expert));
            }
            // While he sat, the other board went on.
            if parts.arrivals && seen != other_key(&table) {
                mating = team::mating_arrivals(&table, &mut expert);
            }
        }
        let put_off = if prompt { self.around.put_off(board, &table) } else { Duration::ZERO };
        let inbox = &mut self.around.inboxes[board.index()];
        let Some(active) = &mut self.active[board.index()] else { return Due::Now };
        let thoughts = &mut active.thoughts;
        let mut obeyed = None;
        if let Some((mv, worth)) = thoughts.suggestion
            && worth >= value - inbox.indulgence(now)
        {
            outcome.best = Some(mv);
            outcome.ponder = None;
            obeyed = Some(value - worth);
        }
        let mut hopes = thoughts.hopes.unwrap_or_default();
        thoughts.mating = (other_key(&table), mating);
        for ((hope, role), mates) in hopes.iter_mut().zip(HAND_ROLES).zip(mating) {
            if mates || hope.is_none() && team::mates_with(&table.own, role).is_some() {
                *hope = Some(MATE - 1);
            }
        }
        let waited = put_off
            + thoughts.waited
            + thoughts.sitting.as_ref().map_or(Duration::ZERO, |sitting| sitting.since.elapsed());
        let situation = Situation { table: &table, value, other, hopes, mating, arrivals, waited };
        let decision = if parts.waiting && !active.stopped {
            team::decide(&situation, inbox, now)
        } else {
            Decision::Play
        };
        let waiting = matches!(decision, Decision::Wait(Some(_), _));
        if let (Some(cost), false) = (obeyed, waiting) {
            inbox.obeyed(cost, now);
        }
        self.around.hoped[board.index()] |= matches!(decision, Decision::Wait(_, Reason::Mates(_)));
        let mut said = Vec::new();
        if parts.talk {
            let against = outcome.best.map_or([None; 5], |mv| given_to_opponent(&table.own, mv));
            let found = match decision {
                Decision::Wait(None, _) => Findings::stuck(&table.own),
                _ => Findings { value, with: hopes, against, waiting },
            };
            let word = self.around.speakers[board.index()].say(&found, now);
            said.extend(word.map(|word| Event::Say(board, word)));
        }
        match decision {
            Decision::Wait(Some(time), reason) if prompt => {
                if put_off.is_zero() {
                    self.around.began[board.index()] = Some((move_key(&table.own), now));
                }
                self.around.granted[board.index()] = time;
                outcome.best = None;
                said.push(Event::Sit(board, reason, time));
                Due::After(said)
            }
            Decision::Wait(Some(time), reason) => {
                said.into_iter().for_each(|event| self.notice(board, event));
                self.sit(board, outcome.clone(), time, reason)
            }
            Decision::Play | Decision::Wait(None, _) if said.is_empty() => Due::Now,
            Decision::Play | Decision::Wait(None, _) => Due::After(said),
        }
    }

    /// A player who has no move waits without a search, but not without a word.
    pub(super) fn cry(&mut self, board: BoardId, position: &Position) {
        if self.settings.parts().talk {
            let now = self.around.now(board, false);
            let found = Findings::stuck(position);
            if let Some(word) = self.around.speakers[board.index()].say(&found, now) {
                self.notice(board, Event::Say(board, word));
            }
        }
    }

    /// Looks at "what if" only where the answer may depend on it.
    fn probes(
        &self,
        board: BoardId,
        table: &Table,
        value: Value,
        arrivals: &Arrivals,
        outcome: &Outcome,
    ) -> Vec<(usize, Request)> {
        let mut probes = Vec::new();
        let hurried = table.clocks.get(table.seat).is_some_and(|left| left < PROBE_CLOCK);
        let Some(active) = &self.active[board.index()] else { return probes };
        if hurried || outcome.depth == 0 {
            return probes;
        }
        let request = |position: Position| {
            let mut limits = Limits::new(Instant::now());
            // Where nodes are counted, a look beside costs little of what the move may cost.
            let most = active.task.limits.nodes.map_or(PROBE_NODES, |nodes| nodes / 5);
            limits.nodes = Some(most.clamp(1, PROBE_NODES));
            let mut request = Request::new(position, limits);
            request.outlook = active.thoughts.outlook.clone();
            request
        };
        let parts = self.settings.parts();
        if parts.waiting && value <= TROUBLE {
            for (slot, role) in HAND_ROLES.into_iter().enumerate() {
                let mut with = table.own;
                if arrivals.mine[slot] > 0 && with.add_to_hand(with.turn(), role).is_ok() {
                    probes.push((slot, request(with)));
                }
            }
        }
        let suggestion = self.around.inboxes[board.index()].suggestion();
        if let Some(mv) = suggestion.filter(|mv| table.own.is_legal(*mv))
            && parts.talk
            && outcome.best != Some(mv)
        {
            let mut only = request(table.own);
            only.limits.search_moves = vec![mv];
            probes.push((SUGGESTION, only));
        }
        probes
    }

    /// The looks are done.
    pub(super) fn probed(&mut self, board: BoardId, id: SearchId, values: &[(usize, Outcome)]) {
        let Some(active) = self.active[board.index()].as_mut().filter(|active| active.id == id)
        else {
            return;
        };
        let mut hopes = Hopes::default();
        for (slot, outcome) in values {
            match hopes.get_mut(*slot) {
                Some(hope) => *hope = Some(value_of(outcome.score)),
                None => {
                    active.thoughts.suggestion =
                        outcome.best.map(|mv| (mv, value_of(outcome.score)));
                }
            }
        }
        active.thoughts.hopes = Some(hopes);
        if let Some(outcome) = active.thoughts.probing.take() {
            let _ = self.sender.send(Signal { board, found: Found::Outcome(id, Some(outcome)) });
        }
    }

    fn sit(&mut self, board: BoardId, outcome: Outcome, time: Duration, reason: Reason) -> Due {
        // Without an alarm the wait would have no end.
        if !self.keep(board, outcome, time) {
            return Due::Now;
        }
        let Some(active) = &mut self.active[board.index()] else { return Due::Now };
        let first = !std::mem::replace(&mut active.thoughts.told, true);
        Due::Later(first.then_some(Event::Sit(board, reason, time)))
    }

    /// Holds an outcome back and sets an alarm; false if none could be set.
    fn keep(&mut self, board: BoardId, outcome: Outcome, time: Duration) -> bool {
        let Some(active) = &mut self.active[board.index()] else { return false };
        let id = active.id;
        let held = &mut active.thoughts.sitting;
        let since = held.as_ref().map_or_else(Instant::now, |sitting| sitting.since);
        let (alarm, cancelled) = bounded(0);
        *held = Some(Sitting { outcome, since, _alarm: alarm });
        let sender = self.sender.clone();
        let alarm = move || {
            if cancelled.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                // Nobody listens any more only while the process ends.
                let _ = sender.send(Signal { board, found: Found::Alarm(id) });
            }
        };
        thread::Builder::new().name("alarm".to_owned()).spawn(alarm).is_ok()
    }

    /// Decides again about an answer that is held back.
    pub(super) fn reconsider(&mut self, board: BoardId) {
        let Some(active) = &self.active[board.index()] else { return };
        let Some(sitting) = &active.thoughts.sitting else { return };
        let found = Found::Outcome(active.id, Some(sitting.outcome.clone()));
        let _ = self.sender.send(Signal { board, found });
    }

    /// Tells the client something beside its answers, in turn.
    pub(super) fn notice(&self, board: BoardId, event: Event) {
        let _ = self.sender.send(Signal { board, found: Found::Notice(Box::new(event)) });
    }
}

/// The slot of the partner's move among the looks.
const SUGGESTION: usize = HAND_ROLES.len();

/// What tells one state of the other board from the next; zero where it is not known.
fn other_key(table: &Table) -> Key {
    table.other.as_ref().map_or(0, Position::key)
}

/// What a search begins with.
pub(super) struct Prepared {
    pub outlook: Outlook,
    pub limits: Limits,
    pub mating: (Key, [bool; 5]),
}

/// Whether the answer is due.
pub(super) enum Due {
    Now,
    /// It is, once this is told.
    After(Vec<Event>),
    /// It is held back; perhaps there is something to tell.
    Later(Option<Event>),
}

impl Active {
    /// What was held back is over: the time it took stays taken.
    pub(super) fn stand_up(&mut self) -> bool {
        let Some(sitting) = self.thoughts.sitting.take() else { return false };
        self.thoughts.waited += sitting.since.elapsed();
        true
    }

    /// The outcome that is held back, or being thought over.
    pub(super) fn held(&self) -> Option<Outcome> {
        let sitting = self.thoughts.sitting.as_ref().map(|sitting| &sitting.outcome);
        sitting.or(self.thoughts.probing.as_ref()).cloned()
    }
}

/// After the best move: whether the opponent would mate at once with each role in his hand.
fn given_to_opponent(position: &Position, best: Move) -> Hopes {
    let next = position.after(best);
    if team::mate_in_one(&next).is_some() {
        return [None; 5];
    }
    HAND_ROLES.map(|role| team::mates_with(&next, role).map(|_| -MATE + 2))
}
