//! UCI: the grammar of both directions, and the session that speaks it for the engine.

pub mod grammar;
mod session;

pub use session::Session;
pub(super) use session::{limits_of, prompt};
