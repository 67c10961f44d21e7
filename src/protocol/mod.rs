//! The protocols: text to message and back, and the sessions that speak them.
//!
//! [`serve`] speaks whichever protocol the first line asks for. The grammars know no engine, so
//! that the arena can use them from the other side.

mod front;
pub mod grammar;
mod input;
mod lines;
mod output;
mod partner;
mod place;
pub mod ubi;
pub mod uci;
pub mod xboard;

pub use front::{Flow, serve};
