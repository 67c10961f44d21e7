//! UCI: the grammar of both directions, and the session that speaks it for the engine.

mod command;
mod reply;

pub use command::{Command, Go};
pub use reply::Reply;
pub(crate) use reply::real_move;
