//! UBI, the Universal Bughouse Interface 1.1: the grammar of both directions, and the session.

pub mod grammar;
mod session;

pub use session::Session;
