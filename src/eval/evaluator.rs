//! The evaluation a search thread holds: a network where there is one, else the classical.

use std::sync::Arc;

use super::nnue::{AccumulatorStack, Network, embedded};
use super::{EVAL_MAX, classical};
use crate::rules::{Captured, Position, Variant};
use crate::types::{Move, Value};

/// Which network judges which variant; without one the classical evaluation does.
#[derive(Clone, Debug, Default)]
pub struct Networks {
    crazyhouse: Option<Arc<Network>>,
    bughouse: Option<Arc<Network>>,
}

impl Networks {
    /// No network at all: the classical evaluation for everything.
    pub fn none() -> Networks {
        Networks::default()
    }

    /// The networks inside the program.
    pub fn embedded() -> Networks {
        // A test sees to it that they are good; were one not, the classical evaluation would play.
        Networks {
            crazyhouse: embedded::crazyhouse().ok().cloned(),
            bughouse: embedded::bughouse().ok().cloned(),
        }
    }

    /// The value of a position for the side to move, in centipawns, for a single look.
    pub fn evaluate(&self, position: &Position) -> Value {
        let mut evaluator = Evaluator::default();
        evaluator.start(self.get(position.rules().variant), position);
        evaluator.evaluate(position)
    }

    /// Sets a variant's network or takes it away; chess has none.
    pub fn set(&mut self, variant: Variant, network: Option<Arc<Network>>) {
        match variant {
            Variant::Chess => {}
            Variant::Crazyhouse => self.crazyhouse = network,
            Variant::Bughouse => self.bughouse = network,
        }
    }

    /// The variant's network.
    pub fn get(&self, variant: Variant) -> Option<&Arc<Network>> {
        match variant {
            Variant::Chess => None,
            Variant::Crazyhouse => self.crazyhouse.as_ref(),
            Variant::Bughouse => self.bughouse.as_ref(),
        }
    }
}

/// Evaluates along one line of moves at a time: every move made must be told.
#[derive(Debug, Default)]
pub struct Evaluator {
    nnue: Option<(Arc<Network>, AccumulatorStack)>,
}

impl Evaluator {
    /// Stands at a new root, to be judged by this network or classically.
    pub fn start(&mut self, network: Option<&Arc<Network>>, root: &Position) {
        match (&mut self.nnue, network) {
            (Some((current, stack)), Some(network)) if Arc::ptr_eq(current, network) => {
                stack.reset(root)
            }
            (nnue, network) => {
                *nnue = network
                    .map(|network| (Arc::clone(network), AccumulatorStack::new(network, root)));
            }
        }
    }

    /// Makes a move and follows it.
    #[inline]
    pub fn make(&mut self, position: &mut Position, mv: Move) -> Option<Captured> {
        match &mut self.nnue {
            Some((_, stack)) => position.make_with(mv, stack.push()),
            None => position.make(mv),
        }
    }

    /// Follows a null move.
    #[inline]
    pub fn pass(&mut self) {
        if let Some((_, stack)) = &mut self.nnue {
            stack.push();
        }
    }

    /// Goes back by one move.
    #[inline]
    pub fn back(&mut self) {
        if let Some((_, stack)) = &mut self.nnue {
            stack.pop();
        }
    }

    /// The value of the position it stands at, for the side to move, in centipawns.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let value = match &mut self.nnue {
            Some((network, stack)) => network.evaluate(position, stack),
            None => classical::evaluate(position),
        };
        value.clamp(-EVAL_MAX, EVAL_MAX)
    }
}
