//! Threads that search in turns, some dozens of nodes each, so that what several threads do together
//! can be counted whatever else the machine has to do.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Nodes of a turn, about.
pub(super) const TURN: u64 = 64;

/// Whose turn it is.
#[derive(Debug)]
pub(super) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    at_it: usize,
    /// Nodes each thread has searched; the greatest number for one that has ended.
    nodes: Vec<u64>,
}

impl State {
    /// Gives the turn to the thread that is furthest behind.
    fn pass(&mut self) {
        let behind = self.nodes.iter().enumerate().min_by_key(|(_, nodes)| **nodes);
        self.at_it = behind.map_or(0, |(index, _)| index);
    }
}

impl Turns {
    pub fn new(threads: usize) -> Turns {
        let state = State { at_it: 0, nodes: vec![0; threads] };
        Turns { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nobody panics while holding it, and any content will do.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells how far a thread is, and returns when it is the one furthest behind.
    pub fn wait(&self, index: usize, nodes: u64) {
        let mut state = self.lock();
        if state.at_it == index {
            state.nodes[index] = nodes;
            state.pass();
            if state.at_it != index {
                self.changed.notify_all();
            }
        }
        while state.at_it != index {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A thread has ended; the others need not wait for it.
    pub fn end(&self, index: usize) {
        let mut state = self.lock();
        state.nodes[index] = u64::MAX;
        if state.at_it == index {
            state.pass();
        }
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_gets_ahead_by_more_than_a_turn() {
        let turns = Turns::new(3);
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for index in 0..3 {
                let (turns, order) = (&turns, &order);
                scope.spawn(move || {
                    for turn in 0..10 {
                        turns.wait(index, turn * TURN);
                        order.lock().unwrap().push(index);
                    }
                    turns.end(index);
                });
            }
        });
        let order = order.into_inner().unwrap();
        assert_eq!(order.len(), 30);
        for index in 0..3 {
            for (i, _) in order.iter().enumerate() {
                let mine = order[..i].iter().filter(|other| **other == index).count();
                assert!((mine * 3).abs_diff(i) <= 6, "{order:?}");
            }
        }
    }
}
