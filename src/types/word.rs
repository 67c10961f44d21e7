//! What bughouse partners say to each other, one meaning for every dialect.

use super::{Move, Role, Weight};

/// One thing partners say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// Wait.
    Sit,
    /// Don't wait any longer.
    Go,
    /// Move at once.
    MoveNow,
    /// Play this move.
    Play(Move),
    /// Hurry.
    Fast,
    /// There is time.
    Slow,
    /// A piece of this role is wanted.
    Need(Role, Weight),
    /// A piece of this role must not be given to his opponent.
    Deny(Role, Weight),
    /// Trade freely.
    Trade,
    /// Trade nothing.
    NoTrade,
    /// I am being mated.
    Dead,
    /// The danger is over, or what I asked for is not needed any more.
    Fine,
}
