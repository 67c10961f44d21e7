//! How much a wish matters.

/// How much something matters to a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Good to have.
    Low,
    /// Wins material or saves some.
    Medium,
    /// Mates, or saves from mate.
    High,
}
