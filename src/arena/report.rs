//! The HTML report.

use super::tournament::Config;
use super::tournament::score::Results;

/// A self-contained page.
pub fn html(_config: &Config, _results: &Results) -> String {
    String::new()
}
