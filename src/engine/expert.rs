//! The judge of positions that nobody searches.

use std::time::Duration;

use crate::eval::Networks;
use crate::rules::Position;
use crate::search::Limits;
use crate::search::mate::MateSearch;
use crate::team::Judge;
use crate::types::{Move, Value};

/// Nodes of one look for a mate, and what part of a search whose nodes are counted it may take.
const MATE_NODES: u64 = 600;
const MATE_SHARE: u64 = 20;
/// With less on the clock a look is a glance.
const HURRIED: Duration = Duration::from_secs(3);

/// Judges positions by the network and a short search for mates.
pub(super) struct Expert<'a> {
    networks: Networks,
    mates: &'a mut MateSearch,
    each: u64,
    /// Nodes spent so far.
    pub spent: u64,
}

impl Judge for Expert<'_> {
    fn value(&mut self, position: &Position) -> Value {
        self.spent += 1;
        self.networks.evaluate(position)
    }

    fn mates(&mut self, position: &Position) -> bool {
        self.mate(position).is_some()
    }
}

impl<'a> Expert<'a> {
    /// A judge who spends so much on each look as a search with these limits can spare.
    pub fn new(networks: Networks, mates: &'a mut MateSearch, limits: &Limits) -> Expert<'a> {
        let hurried = limits.clock.is_some_and(|clock| clock.remaining < HURRIED);
        let most = if hurried { MATE_NODES / 10 } else { MATE_NODES };
        let each = limits.nodes.map_or(most, |nodes| (nodes / MATE_SHARE).min(most));
        Expert { networks, mates, each, spent: 0 }
    }

    /// The first move of a forced mate. It is not played out: that could take long, and the clients
    /// are waiting.
    pub fn mate(&mut self, position: &Position) -> Option<Move> {
        let found = self.mates.glance(position, self.each);
        self.spent += self.mates.nodes();
        found.map(|(_, mv)| mv)
    }
}
