//! What a position is worth without searching. Knows one board with its hands, never another.

pub mod nnue;
