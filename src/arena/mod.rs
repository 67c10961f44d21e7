//! Tables, matches and tournaments between engines and people.

pub mod clock;
pub mod dialect;
pub mod keep;
pub mod play;
pub mod process;
pub mod report;
pub mod spec;
pub mod stats;
pub mod table;
pub mod tournament;
pub mod view;
