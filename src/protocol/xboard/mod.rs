//! XBoard's protocol, CECP 2: the grammar of both directions, and the session.

mod command;
mod reply;

pub use command::{Command, SetOption, Tell};
pub use reply::{Feature, Reply, Thinking};
