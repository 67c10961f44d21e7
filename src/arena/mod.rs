//! Tables, matches and tournaments between engines and people.

pub mod clock;
pub mod process;
pub mod stats;
