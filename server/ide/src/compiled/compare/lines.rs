//! Matches source lines before and after an edit.

use similar::TextDiff;
use std::collections::BTreeMap;
use std::ops::Range;

/// Matching lines of two sources, in the order of the later source.
#[derive(Debug)]
pub(super) struct LinePairs(Vec<(Option<u32>, Option<u32>)>);

impl LinePairs {
    pub(super) fn new(before: &str, after: &str) -> Self {
        let mut pairs = Vec::new();
        for op in TextDiff::from_lines(before, after).ops() {
            let (old, new) = (op.old_range(), op.new_range());
            // Replaced lines are paired in order. Excess lines of the longer side have no partner.
            for at in 0..old.len().max(new.len()) {
                let number = |range: &Range<usize>| (at < range.len()).then(|| (range.start + at + 1) as u32);
                pairs.push((number(&old), number(&new)));
            }
        }
        Self(pairs)
    }

    /// Numbers the lines of the first source. Matching lines have the same number in [`Self::numbers_after`].
    pub(super) fn numbers_before(&self) -> BTreeMap<u32, u32> {
        (0..).zip(&self.0).filter_map(|(number, pair)| Some((pair.0?, number))).collect()
    }

    pub(super) fn numbers_after(&self) -> BTreeMap<u32, u32> {
        (0..).zip(&self.0).filter_map(|(number, pair)| Some((pair.1?, number))).collect()
    }

    /// Returns the matching lines of both sources, 1-based. `None` if a source lacks the line.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Option<u32>, Option<u32>)> {
        self.0.iter().copied()
    }
}
