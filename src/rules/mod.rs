//! The rules: one board's [`Position`] with hands, what may be played on it, and how it is written.
//!
//! [`Position::make`] reports the captured piece; whose hand it enters is decided by the variant
//! (crazyhouse: the mover's) or by whoever holds both boards. Knows `types`; never evaluation,
//! search, clocks or input and output.

pub mod bughouse;
mod checks;
mod fen;
pub mod game;
mod keys;
mod legality;
mod make;
mod movegen;
#[cfg(test)]
mod naive;
pub mod notation;
#[cfg(test)]
mod option_tests;
mod options;
mod perft;
mod position;
mod see;
pub mod speed;

pub use checks::CheckInfo;
pub use fen::FenError;
pub use legality::Status;
pub use make::{BoardObserver, Captured};
pub use movegen::Gen;
pub use options::{
    BoardDraw, DropAggression, IllegalMove, PassPieces, PawnDropRanks, PromotionRule, Rules,
    RulesError, Simultaneous, Variant,
};
pub use perft::{perft, perft_divide};
pub use position::{HandError, Position};
pub use see::{BOARD_VALUES, HAND_VALUES};

#[cfg(test)]
mod tests;
