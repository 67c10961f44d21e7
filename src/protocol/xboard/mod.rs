//! XBoard's protocol, CECP 2: the grammar of both directions, and the session.

pub mod grammar;
