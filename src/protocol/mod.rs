//! The protocols: text to message and back, and the sessions that speak them.

pub mod grammar;
pub mod ubi;
pub mod uci;
pub mod xboard;
