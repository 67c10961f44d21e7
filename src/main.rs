//! The `klotz` binary.

fn main() {}
