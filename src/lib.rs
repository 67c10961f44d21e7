//! Klotz, a crazyhouse and bughouse engine.

pub mod types;
