//! CECP as text and messages, both directions.

mod command;
mod reply;

pub use command::{Command, SetOption, Tell};
pub use reply::{Feature, Reply, Thinking};
