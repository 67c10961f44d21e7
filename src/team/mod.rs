//! Team play in bughouse: what the other board means to this one, and when to play, wait or speak.
//!
//! Pure functions of plain data: two boards, four clocks, what a search found, what the partner
//! said, and the present moment, which is always passed in. Never threads, text or real time.
//! `docs/team-play.md` tells players what comes of it.

mod arrivals;
mod budget;
mod inbox;
mod judge;
mod mates;
mod outlook;
mod requests;
mod sit;
mod table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod word_tests;

pub use arrivals::{Arrivals, arrivals};
pub use budget::{Pace, pace};
pub use inbox::Inbox;
pub use judge::{Judge, Plain};
pub use mates::{gone, mate_in_one, mates_with, mating_roles, takeable};
pub use outlook::{FREEING, MATING, mating_arrivals, outlook, rescue, standing, worths};
pub use requests::{Findings, Speaker};
pub use sit::{Decision, Hopes, Reason, Situation, decide, patience};
pub use table::{Clocks, Moment, Parts, Table};

pub use crate::types::Word;
