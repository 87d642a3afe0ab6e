//! Nesting of outline entries.

use crate::Symbol;

/// Deepest nesting of entries. Malformed or generated listings can have a million nested loops.
const MAX_DEPTH: usize = 16; // limit: bounds the recursion of clients

/// Nests entries by their ranges. The entries must be in text order.
pub(crate) fn nested(entries: impl IntoIterator<Item = Symbol>) -> Vec<Symbol> {
    let mut open: Vec<Symbol> = Vec::new();
    let mut done = Vec::new();
    for entry in entries {
        let is_past = |last: &Symbol| last.range.end <= entry.range.start;
        while open.len() == MAX_DEPTH || open.last().is_some_and(is_past) {
            close(&mut open, &mut done);
        }
        open.push(entry);
    }
    while !open.is_empty() {
        close(&mut open, &mut done);
    }
    done
}

/// Moves the innermost open entry to the children of its parent entry, or to `done` if it has no parent.
fn close(open: &mut Vec<Symbol>, done: &mut Vec<Symbol>) {
    if let Some(entry) = open.pop() {
        open.last_mut().map_or(done, |around| &mut around.children).push(entry);
    }
}

/// Returns loops as index ranges, in text order. Skips a loop that partly overlaps an earlier loop.
pub(crate) fn uncrossed(loops: impl IntoIterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut around: Vec<u32> = Vec::new();
    let mut kept = Vec::new();
    for (first, last) in loops {
        while around.pop_if(|end| *end < first).is_some() {}
        if around.last().is_none_or(|end| last <= *end) {
            around.push(last);
            kept.push((first, last));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SymbolKind;
    use std::ops::Range;

    fn entry(range: Range<usize>) -> Symbol {
        let name = format!("{range:?}");
        let selection = range.start..range.start + 1;
        Symbol { name, detail: String::new(), kind: SymbolKind::Loop, range, selection, children: Vec::new() }
    }

    fn names(entries: &[Symbol]) -> String {
        let name = |entry: &Symbol| match &*entry.children {
            [] => entry.name.clone(),
            inside => format!("{} ({})", entry.name, names(inside)),
        };
        entries.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn entries_lie_in_those_around_them() {
        let entries = [0..9, 1..4, 2..3, 3..4, 5..9, 10..12].map(entry);
        assert_eq!(names(&nested(entries)), "0..9 (1..4 (2..3, 3..4), 5..9), 10..12");
    }

    #[test]
    fn many_in_each_other_nest_no_deeper_than_the_limit() {
        let count = 100_000;
        let mut depth = 0;
        let mut inside = nested((0..count).map(|at| entry(at..2 * count - at)));
        while let Some(last) = inside.pop() {
            inside = last.children;
            depth += 1;
        }
        assert_eq!(depth, MAX_DEPTH);
    }

    #[test]
    fn loops_that_cross_are_left_out() {
        assert_eq!(
            uncrossed([(0, 9), (1, 3), (2, 5), (4, 9), (8, 12), (10, 11)]),
            [(0, 9), (1, 3), (4, 9), (10, 11)]
        );
    }
}
