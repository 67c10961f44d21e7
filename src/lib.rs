//! Klotz, a crazyhouse and bughouse engine.

pub mod arena;
pub mod cli;
pub mod engine;
pub mod eval;
pub mod protocol;
pub mod record;
pub mod rules;
pub mod search;
pub mod team;
pub mod types;
