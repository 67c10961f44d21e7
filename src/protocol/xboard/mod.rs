//! XBoard's protocol, CECP 2: the grammar of both directions, and the session.

pub mod grammar;
mod hands;
mod partner;
mod session;
mod timing;

pub use session::Session;
