//! Klotz, a crazyhouse and bughouse engine: one crate, whose modules know only what stands below
//! them. `engine-tests/tidy.rs` reads the `use` lines and holds them to it.
//!
//! | module | what it is | what it never knows |
//! | --- | --- | --- |
//! | [`types`] | squares, moves, scores, keys, seats | anything else |
//! | [`rules`] | one board with its hands; two boards and a match; notation | evaluation, search, clocks |
//! | [`eval`] | what one board is worth: network and classical | search, the other board |
//! | [`search`] | the best move of one board, and proofs of mate | text, threads of clients, the partner |
//! | [`team`] | two boards and four clocks: what captures are worth, wait or play, what to say | threads, text, real time |
//! | [`engine`] | the façade every client uses; where search and team meet | protocol text |
//! | [`protocol`] | UCI, CECP and UBI: grammar (pure, both directions) and sessions | search internals |
//! | [`record`] | PGN, BPGN, EPD | engines |
//! | [`arena`] | tables, matches, tournaments of engines as child processes | this engine's own search |
//! | [`cli`] | the subcommands | |
//!
//! A score becomes centipawns or mate only when it leaves the search; the search never prints; time
//! is passed in wherever a decision depends on it. `docs/architecture.md` has the picture.

pub mod arena;
pub mod cli;
pub mod engine;
pub mod eval;
pub mod protocol;
pub mod record;
pub mod rules;
pub mod search;
pub mod team;
pub mod types;
