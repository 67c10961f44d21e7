//! UBI, the Universal Bughouse Interface 1.1: the grammar of both directions, and the session.

mod grammar;

pub use grammar::{Command, Level, Message, Reason, Reply};
