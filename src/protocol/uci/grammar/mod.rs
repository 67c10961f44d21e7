//! UCI as text and messages, both directions.

mod command;
mod reply;

pub use command::{Command, Go};
pub use reply::Reply;
pub(crate) use reply::real_move;
