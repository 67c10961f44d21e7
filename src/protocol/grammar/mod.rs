//! The parts that the three grammars share. Pure text and messages: no engine is known here.

pub mod decl;
pub mod info;
pub mod setup;
pub mod talk;
pub mod words;
