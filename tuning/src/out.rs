//! Writing to the terminal, where a reader that went away is no reason to end hours of work.

/// As `println!`, but a closed pipe is not an error.
macro_rules! say {
    ($($arg:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout(), $($arg)*);
    }};
}
