//! Lists of positions: one a line, a FEN of four or six fields, `A | B` for two boards.

use super::RecordError;

/// A line of an opening list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpdLine {
    /// Its line in the file, counted from 1.
    pub line: usize,
    /// The FEN of board A, or of the only board.
    pub first: String,
    /// The FEN of board B, on a line of two.
    pub second: Option<String>,
}

/// The positions of a text. Blank lines and lines that start with `#` are passed over; operations
/// after the position (`bm …; id …;`) too. Whether a FEN is a position, the rules say.
pub fn read(text: &str) -> Result<Vec<EpdLine>, RecordError> {
    let mut lines = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut boards = line.split('|');
        let mut next = || boards.next().map(|board| fen(board, i + 1)).transpose();
        let (first, second) = (next()?, next()?);
        if boards.next().is_some() {
            return Err(RecordError::new(i + 1, "more than two boards"));
        }
        let first = first.ok_or_else(|| RecordError::new(i + 1, "no position"))?;
        lines.push(EpdLine { line: i + 1, first, second });
    }
    Ok(lines)
}

/// The fields of a FEN without what follows them.
fn fen(text: &str, line: usize) -> Result<String, RecordError> {
    let text = text.split(';').next().unwrap_or_default();
    let fields: Vec<&str> = text.split_whitespace().collect();
    if fields.len() < 4 {
        return Err(RecordError::new(
            line,
            format!("a position has four or six fields, not {}", fields.len()),
        ));
    }
    let counters = fields.len() >= 6 && fields[4..6].iter().all(|f| f.parse::<u32>().is_ok());
    Ok(fields[..if counters { 6 } else { 4 }].join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let text = "# list\n\n8/8/8/8/8/8/8/8[] w - - 3 4;\n8/8/8/8/8/8/8/8 b - - bm e4; | 8/8/8/8/8/8/8/8[q] w - -\n";
        let lines = read(text).unwrap();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].first, "8/8/8/8/8/8/8/8[] w - - 3 4");
        assert_eq!((lines[1].line, lines[1].first.as_str()), (4, "8/8/8/8/8/8/8/8 b - -"));
        assert_eq!(lines[1].second.as_deref(), Some("8/8/8/8/8/8/8/8[q] w - -"));
        assert_eq!(read("x y").unwrap_err().line, 1);
        assert!(read("a b c d | a b c d | a b c d").is_err());
    }
}
