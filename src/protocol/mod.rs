//! The protocols: text to message and back, and the sessions that speak them.

pub mod decl;
pub mod info;
pub mod setup;
pub mod talk;
pub mod ubi;
pub mod uci;
pub mod words;
pub mod xboard;
