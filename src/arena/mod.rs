//! Tables, matches and tournaments between engines and people.

pub mod stats;
