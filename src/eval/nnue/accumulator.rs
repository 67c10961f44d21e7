//! The hidden layer along a line of the search, kept up lazily: a move only notes what changed,
//! and the sums are made when a position is evaluated.

use arrayvec::ArrayVec;

use super::features::{self, Code, View};
use super::network::Network;
use super::simd::{self, Lane};
use crate::rules::{BoardObserver, Position};
use crate::types::{Color, Role, Square, color_index};

/// What one move changed; hand it to [`Position::make_with`] as the observer.
#[derive(Clone, Debug, Default)]
pub struct Delta {
    added: ArrayVec<Code, 8>,
    removed: ArrayVec<Code, 8>,
    /// More changed than there is room for: both views are made anew.
    overflow: bool,
    /// How each player sees the board after the move.
    seen: [View; 2],
    /// Which views hold their sums.
    computed: [bool; 2],
}

impl Delta {
    #[inline]
    fn add(&mut self, code: Code) {
        self.overflow |= self.added.try_push(code).is_err();
    }

    #[inline]
    fn remove(&mut self, code: Code) {
        self.overflow |= self.removed.try_push(code).is_err();
    }
}

impl BoardObserver for Delta {
    #[inline]
    fn put(&mut self, square: Square, color: Color, role: Role, promoted: bool) {
        self.add(features::piece(color, role, square));
        if promoted {
            self.add(features::promoted(color, role));
        }
        if role == Role::King {
            self.seen[color_index(color)] = View::of(color, square);
        }
    }

    #[inline]
    fn take(&mut self, square: Square, color: Color, role: Role, promoted: bool) {
        self.remove(features::piece(color, role, square));
        if promoted {
            self.remove(features::promoted(color, role));
        }
    }

    #[inline]
    fn hand(&mut self, color: Color, role: Role, before: u8, after: u8) {
        for slot in before..after {
            if let Some(code) = features::hand(color, role, slot) {
                self.add(code);
            }
        }
        for slot in after..before {
            if let Some(code) = features::hand(color, role, slot) {
                self.remove(code);
            }
        }
    }
}

/// The accumulators of every position from the root to the current one.
#[derive(Clone, Debug)]
pub struct AccumulatorStack {
    stride: usize,
    /// Two views of `stride` lanes a ply.
    lanes: Vec<Lane>,
    plies: Vec<Delta>,
}

impl AccumulatorStack {
    /// A stack for a network, standing at a root position.
    pub fn new(network: &Network, root: &Position) -> AccumulatorStack {
        let stride = network.hidden() / Lane::WIDTH;
        let mut stack = AccumulatorStack { stride, lanes: Vec::new(), plies: Vec::new() };
        stack.reset(root);
        stack
    }

    /// Forgets everything and stands at a new root.
    pub fn reset(&mut self, root: &Position) {
        self.plies.clear();
        let mut seen = [View::default(); 2];
        for color in Color::ALL {
            seen[color_index(color)] = View::of(color, root.king(color));
        }
        self.plies.push(Delta { seen, ..Delta::default() });
        self.reserve();
    }

    fn reserve(&mut self) {
        let needed = self.plies.len() * 2 * self.stride;
        if self.lanes.len() < needed {
            self.lanes.resize(needed, Lane::ZERO);
        }
    }

    /// One ply deeper; the observer for the move that leads there. Without a move told to it (a
    /// null move), the board is taken as unchanged.
    pub fn push(&mut self) -> &mut Delta {
        let seen = self.plies.last().map_or([View::default(); 2], |ply| ply.seen);
        self.plies.push(Delta { seen, ..Delta::default() });
        self.reserve();
        let last = self.plies.len() - 1;
        &mut self.plies[last]
    }

    /// Back by one ply; never beyond the root.
    pub fn pop(&mut self) {
        if self.plies.len() > 1 {
            self.plies.pop();
        }
    }

    /// Plies below the root.
    pub fn depth(&self) -> usize {
        self.plies.len() - 1
    }

    #[inline]
    fn span(&self, ply: usize, view: usize) -> std::ops::Range<usize> {
        let start = (ply * 2 + view) * self.stride;
        start..start + self.stride
    }

    /// Makes the current position's sums for one view.
    fn bring_up(&mut self, network: &Network, position: &Position, perspective: Color) {
        let view = color_index(perspective);
        let top = self.plies.len() - 1;
        let mut from = top;
        while !self.plies[from].computed[view] {
            if from == 0
                || self.plies[from].overflow
                || network.view(self.plies[from].seen[view])
                    != network.view(self.plies[from - 1].seen[view])
            {
                return self.refresh(network, position, perspective);
            }
            from -= 1;
        }
        let seen = network.view(self.plies[top].seen[view]);
        let (turn, first) = (features::orientation(perspective, seen.mirrored), seen.first_row());
        let turned = |codes: &[Code]| -> ArrayVec<Code, 8> {
            codes.iter().map(|&code| first + turn[usize::from(code)]).collect()
        };
        for ply in from + 1..=top {
            let (added, removed) =
                (turned(&self.plies[ply].added), turned(&self.plies[ply].removed));
            let (old, new) = (self.span(ply - 1, view), self.span(ply, view));
            let (before, after) = self.lanes.split_at_mut(new.start);
            let to = &mut after[..self.stride];
            simd::update(network.simd(), network.rows(), &before[old], to, &added, &removed);
            self.plies[ply].computed[view] = true;
        }
    }

    fn refresh(&mut self, network: &Network, position: &Position, perspective: Color) {
        let view = color_index(perspective);
        let top = self.plies.len() - 1;
        let seen = View::of(perspective, position.king(perspective));
        debug_assert_eq!(seen, self.plies[top].seen[view], "a move was not observed");
        let seen = network.view(seen);
        let (turn, first) = (features::orientation(perspective, seen.mirrored), seen.first_row());
        let mut lit: ArrayVec<Code, { features::MAX_ACTIVE }> = ArrayVec::new();
        features::active(position, |code| {
            // More than there is room for would take more pieces than exist.
            let _ = lit.try_push(first + turn[usize::from(code)]);
        });
        let span = self.span(top, view);
        let to = &mut self.lanes[span];
        simd::update(network.simd(), network.rows(), network.feature_bias(), to, &lit, &[]);
        self.plies[top].computed[view] = true;
    }

    /// Both views of the current position: white's and black's.
    pub(super) fn views(&mut self, network: &Network, position: &Position) -> [&[Lane]; 2] {
        debug_assert_eq!(self.stride, network.hidden() / Lane::WIDTH, "a stack of another network");
        for color in Color::ALL {
            self.bring_up(network, position, color);
        }
        let top = self.plies.len() - 1;
        [&self.lanes[self.span(top, 0)], &self.lanes[self.span(top, 1)]]
    }
}
