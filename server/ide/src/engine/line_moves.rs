//! Maps lines of a compiled source to lines of the edited source.

use memchr::memchr_iter;
use std::ops::Range;

/// The edits of a source since it was compiled, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LineMoves(Vec<Move>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Move {
    /// The first line that the edit touched, 0-based.
    first: u32,
    /// Number of lines that the edit touched, counted before (`taken`) and after (`given`) the edit.
    taken: u32,
    given: u32,
    /// True if the edit only inserts whole lines before line `first`. Line `first` then moves down unchanged.
    is_between: bool,
}

/// Position of a line after the edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MovedLine {
    /// The line, 0-based.
    pub line: u32,
    /// True if an edit touched the line, so its text may have changed.
    pub is_touched: bool,
}

/// Largest number of edits that are recorded separately. Later edits are merged into a single edit that covers all
/// touched lines.
const MAX: usize = 256; // limit: bounds the time of each later edit

impl LineMoves {
    /// True if the source has not been edited since it was compiled.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records an edit. `before` is the source before the edit.
    pub(crate) fn edit(&mut self, before: &str, range: &Range<usize>, text: &str) {
        let lines = |text: &str| memchr_iter(b'\n', text.as_bytes()).count() as u32;
        let start = range.start.min(before.len());
        let end = range.end.clamp(start, before.len());
        let (bytes, at) = (before.as_bytes(), start);
        let first = lines(&before[..start]);
        let taken = lines(&before[start..end]) + 1;
        let given = lines(text) + 1;
        let starts_line = at == 0 || bytes[at - 1] == b'\n';
        let is_between = start == end && starts_line && text.ends_with('\n');
        if self.0.len() == MAX {
            let all = self.merged();
            self.0 = vec![all];
        }
        self.0.push(Move { first, taken, given, is_between });
    }

    /// Merges all edits into a single edit, from the first touched line to the last touched line.
    fn merged(&self) -> Move {
        let first = self.0.iter().map(|one| one.first).min().unwrap_or(0);
        let grown: i64 = self.0.iter().map(|one| i64::from(one.given) - i64::from(one.taken)).sum();
        let last = self.0.iter().map(|one| one.first + one.taken.max(one.given)).max().unwrap_or(0);
        let taken = last - first;
        let given = (i64::from(taken) + grown).max(1) as u32;
        Move { first, taken, given, is_between: false }
    }

    /// Returns the current position of a 0-based line of the compiled source.
    pub(crate) fn now(&self, line: u32) -> MovedLine {
        let start = MovedLine { line, is_touched: false };
        self.0.iter().fold(start, |at, one| one.place(at))
    }
}

impl Move {
    fn place(&self, at: MovedLine) -> MovedLine {
        let following = self.first + self.taken;
        if at.line < self.first {
            at
        } else if at.line >= following || self.is_between {
            MovedLine { line: at.line + self.given - self.taken, ..at }
        } else {
            MovedLine { line: at.line.min(self.first + self.given - 1), is_touched: true }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "zero\none\ntwo\nthree\n";

    fn moved(range: Range<usize>, text: &str, line: u32) -> (u32, bool) {
        let mut moves = LineMoves::default();
        moves.edit(TEXT, &range, text);
        let MovedLine { line, is_touched } = moves.now(line);
        (line, is_touched)
    }

    #[test]
    fn lines_move_along_and_those_touched_are_known() {
        // Inserts a line before line 1.
        assert_eq!(moved(5..5, "new\n", 0), (0, false));
        assert_eq!(moved(5..5, "new\n", 1), (2, false));
        // Inserts a letter into line 1.
        assert_eq!(moved(6..6, "x", 0), (0, false));
        assert_eq!(moved(6..6, "x", 1), (1, true));
        assert_eq!(moved(6..6, "x", 2), (2, false));
        // Removes line 1.
        assert_eq!(moved(5..9, "", 0), (0, false));
        assert_eq!(moved(5..9, "", 3), (2, false));
        assert_eq!(moved(0..19, "", 3), (0, true));
    }

    #[test]
    fn many_edits_are_one() {
        let mut moves = LineMoves::default();
        for _ in 0..1000 {
            moves.edit(TEXT, &(6..6), "x");
        }
        assert!(moves.0.len() <= MAX);
        assert_eq!(moves.now(3), MovedLine { line: 3, is_touched: false });
        assert!(moves.now(1).is_touched);
    }
}
