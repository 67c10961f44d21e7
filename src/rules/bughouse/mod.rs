//! Bughouse: two boards played at once, the pieces that cross between them, and the match.
//!
//! [`Boards`] is the state a search over both boards would copy: two positions and nothing else.
//! [`Match`] is a match at a table: boards, history, and the rule that ended it.

mod boards;
mod exchange;
mod matches;
mod notation;
mod result;
#[cfg(test)]
mod tests;

pub use boards::{Boards, BoardsError, PlayError, Played, TWO_SETS};
pub use exchange::ExchangeError;
pub use matches::{Event, Match, MatchError, MatchMove};
pub use notation::TextError;
pub use result::{MatchEnd, MatchResult};
