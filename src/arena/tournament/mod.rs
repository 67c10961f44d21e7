//! Tournaments: what to play, who plays when, and what became of it.

pub mod book;
pub mod config;
mod drafts;
pub mod journal;
pub mod run;
pub mod schedule;
pub mod score;
pub mod swiss;
mod words;

pub use config::Config;
