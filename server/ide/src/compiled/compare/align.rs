//! Matches the instructions of two versions by a longest common subsequence, then matches moved and changed
//! instructions.

use rustc_hash::{FxHashMap, FxHashSet};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::VecDeque;
use std::hash::Hash;
use std::ops::Range;

/// Maximum product of the two versions' instruction counts in one search. A search takes about this many steps if the
/// versions have little in common. Longer code is split in the middle: the halves are searched first, then the
/// unmatched instructions around the middle.
const MAX_PAIRS: usize = 1 << 26; // limit: bounds time and memory

/// Keys for matching an instruction with the instructions of another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// Id of the instruction's text without register numbers and scheduling information.
    pub words: u32,
    /// Id of the opcode.
    pub opcode: u32,
    /// Source line of the instruction, numbered consistently in both versions.
    pub line: Option<u32>,
}

/// Relation of two matched instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchKind {
    /// The same instruction, in the same position relative to the others.
    Same,
    /// The same instruction, in another position relative to the others.
    Moved,
    /// The same opcode in the same position, with other operands or modifiers.
    Changed,
}

/// Matched instructions of two versions.
#[derive(Debug)]
pub(super) struct Alignment {
    /// Partner of each instruction. `None` for a removed or added instruction.
    pub of_before: Vec<Option<(usize, MatchKind)>>,
    pub of_after: Vec<Option<(usize, MatchKind)>>,
}

/// Ranges of instructions in both versions between two matched pairs.
type Gap = (Range<usize>, Range<usize>);

/// Aligns the instructions of a kernel. If several matches are possible, prefers instructions of the same
/// source line.
pub(super) fn align(before: &[Key], after: &[Key]) -> Alignment {
    let mut found = Alignment { of_before: vec![None; before.len()], of_after: vec![None; after.len()] };
    let all = (0..before.len(), 0..after.len());
    let outer = found.pair_common(before, after, &all, |key| (key.words, key.line));
    // If a source line was split or joined, its instructions are now attributed to other lines.
    let inner = outer.into_iter().map(|gap| found.pair_common(before, after, &gap, |key| key.words));
    let gaps: Vec<Gap> = inner.flatten().collect();
    found.pair_left(before, after, all, MatchKind::Moved, |key| (key.words, key.line));
    for gap in gaps {
        found.pair_left(before, after, gap, MatchKind::Changed, |key| (key.opcode, key.line));
    }
    found
}

impl Alignment {
    fn pair(&mut self, before: usize, after: usize, bond: MatchKind) {
        self.of_before[before] = Some((after, bond));
        self.of_after[after] = Some((before, bond));
    }

    /// Pairs the instructions of a longest common subsequence. Returns the gaps between the pairs.
    fn pair_common<K: Copy + Hash + Ord>(
        &mut self,
        before: &[Key],
        after: &[Key],
        gap: &Gap,
        key: impl Copy + Fn(&Key) -> K,
    ) -> Vec<Gap> {
        let is_long = |gap: &Gap| gap.0.len().saturating_mul(gap.1.len()) > MAX_PAIRS;
        if is_long(gap) {
            let middle = (gap.0.start.midpoint(gap.0.end), gap.1.start.midpoint(gap.1.end));
            let mut gaps =
                self.pair_common(before, after, &(gap.0.start..middle.0, gap.1.start..middle.1), key);
            let at = gaps.len();
            gaps.extend(self.pair_common(before, after, &(middle.0..gap.0.end, middle.1..gap.1.end), key));
            // Instructions in one half may match instructions in the other half.
            if let Some([one, other]) = gaps.get(at.max(1) - 1..=at)
                && (one.0.end, one.1.end) == middle
                && (other.0.start, other.1.start) == middle
            {
                let around = (one.0.start..other.0.end, one.1.start..other.1.end);
                let found = if is_long(&around) {
                    vec![around]
                } else {
                    self.pair_common(before, after, &around, key)
                };
                gaps.splice(at - 1..=at, found);
            }
            return gaps;
        }
        let keys = |all: &[Key]| all.iter().map(&key).collect::<Vec<K>>();
        let (old, new) = (keys(&before[gap.0.clone()]), keys(&after[gap.1.clone()]));
        // Instructions in only one version are in no common subsequence, and slow down the search.
        let shared = |of: &[K], others: &[K]| -> Vec<usize> {
            let known: FxHashSet<&K> = others.iter().collect();
            (0..of.len()).filter(|&at| known.contains(&of[at])).collect()
        };
        let (old_places, new_places) = (shared(&old, &new), shared(&new, &old));
        let at = |places: &[usize], all: &[K]| places.iter().map(|&at| all[at]).collect::<Vec<K>>();
        let (old, new) = (at(&old_places, &old), at(&new_places, &new));
        let mut gaps = Vec::new();
        let mut open = (gap.0.start, gap.1.start);
        let mut close = |open: (usize, usize), end: (usize, usize)| {
            if open.0 < end.0 || open.1 < end.1 {
                gaps.push((open.0..end.0, open.1..end.1));
            }
        };
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            let DiffOp::Equal { old_index, new_index, len } = op else { continue };
            for at in 0..len {
                let pair =
                    (gap.0.start + old_places[old_index + at], gap.1.start + new_places[new_index + at]);
                close(open, pair);
                self.pair(pair.0, pair.1, MatchKind::Same);
                open = (pair.0 + 1, pair.1 + 1);
            }
        }
        close(open, (gap.0.end, gap.1.end));
        gaps
    }

    /// Pairs remaining instructions that have equal keys, in order.
    fn pair_left<K: Hash + Eq>(
        &mut self,
        before: &[Key],
        after: &[Key],
        gap: Gap,
        bond: MatchKind,
        key: impl Fn(&Key) -> K,
    ) {
        let mut left: FxHashMap<K, VecDeque<usize>> = FxHashMap::default();
        for old in gap.0.filter(|&old| self.of_before[old].is_none()) {
            left.entry(key(&before[old])).or_default().push_back(old);
        }
        let open: Vec<usize> = gap.1.filter(|&new| self.of_after[new].is_none()).collect();
        for new in open {
            if let Some(old) = left.get_mut(&key(&after[new])).and_then(VecDeque::pop_front) {
                self.pair(old, new, bond);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses instructions from letters, each followed by the digit of its line. Letters that differ only in
    /// case have the same opcode.
    fn keys(text: &str) -> Vec<Key> {
        text.split(' ')
            .map(|word| {
                let letter = word.chars().next().expect("a word starts with a letter");
                let words = u32::from(letter);
                Key { words, opcode: letter.to_ascii_lowercase().into(), line: word[1..].parse().ok() }
            })
            .collect()
    }

    /// Returns the matches of all instructions in both versions, with `-` for unmatched instructions.
    fn aligned(before: &str, after: &str) -> (String, String) {
        let found = align(&keys(before), &keys(after));
        let in_words = |all: &[Option<(usize, MatchKind)>]| {
            let word = |one: &Option<(usize, MatchKind)>| match one {
                None => "-".to_owned(),
                Some((at, MatchKind::Same)) => at.to_string(),
                Some((at, MatchKind::Moved)) => format!("m{at}"),
                Some((at, MatchKind::Changed)) => format!("c{at}"),
            };
            all.iter().map(word).collect::<Vec<_>>().join(" ")
        };
        (in_words(&found.of_before), in_words(&found.of_after))
    }

    #[test]
    fn instructions_of_one_line_are_matched_first() {
        // The load of line 2 stays, that of line 1 goes.
        assert_eq!(aligned("l1 l2 s2", "l2 s2"), ("- 0 1".to_owned(), "1 2".to_owned()));
        // A line that was split in two keeps its instructions.
        assert_eq!(aligned("l1 a1 s1", "l1 a2 s2").0, "0 1 2");
    }

    #[test]
    fn moved_and_changed_instructions_differ_from_new_ones() {
        assert_eq!(aligned("a1 b1 c1 d1", "b1 c1 d1 a1").0, "m3 0 1 2");
        assert_eq!(aligned("a1 b1 c1", "a1 B1 c1").0, "0 c1 2");
        // Another opcode, and the same opcode of another line.
        assert_eq!(aligned("a1 b1 c1", "a1 x1 c1"), ("0 - 2".to_owned(), "0 - 2".to_owned()));
        assert_eq!(aligned("a1 b1 c1", "a1 B2 c1").0, "0 - 2");
    }

    #[test]
    fn kernels_that_are_long_are_aligned_in_parts() {
        let key = |words: u32| Key { words: words % 300, opcode: words % 300, line: Some(words / 100) };
        let before: Vec<Key> = (0..20_000).map(key).collect();
        let after: Vec<Key> = (0..50).map(key).chain((0..20_000).map(key)).collect();
        let found = align(&before, &after);
        let same = found.of_before.iter().filter(|one| matches!(one, Some((_, MatchKind::Same)))).count();
        assert_eq!(same, 20_000, "also around the positions at which the versions are split");
    }
}
