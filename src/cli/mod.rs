//! The subcommands.

pub mod bpgn;
pub mod table;
