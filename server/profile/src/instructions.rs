//! The instructions of a kernel or function, and their counts.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Instructions in address order; empty if a file does not list them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Instructions {
    /// Offsets in bytes from the start of the kernel or function.
    offsets: Vec<u64>,
    /// Texts of the instructions; empty if the file has no texts.
    texts: Vec<Box<str>>,
    /// Columns by metric name: indices of instructions, in order, with their counts. Most metrics cover few
    /// instructions.
    columns: BTreeMap<Arc<str>, Vec<(u32, f64)>>,
}

/// True if a per-instruction metric is a count, which can be summed. Averages and type codes cannot be
/// summed.
pub(super) fn is_count(metric: &str) -> bool {
    !metric.starts_with("derived__") && !metric.ends_with("_type")
}

impl Instructions {
    /// The instructions at these offsets. The offsets may be unordered and may repeat.
    pub(super) fn at(mut offsets: Vec<u64>) -> Self {
        offsets.sort_unstable();
        offsets.dedup();
        Self { offsets, ..Self::default() }
    }

    /// Adds a metric with its counts by offset. If an offset repeats, its last count is used.
    pub(super) fn add(&mut self, metric: Arc<str>, counts: impl IntoIterator<Item = (u64, f64)>) {
        let mut column: Vec<(u32, f64)> = Vec::new();
        for (offset, count) in counts {
            let at = self.offsets.binary_search(&offset).ok().and_then(|at| u32::try_from(at).ok());
            column.extend(at.map(|at| (at, count)));
        }
        if !column.is_sorted_by_key(|(at, _)| *at) {
            column.sort_by_key(|(at, _)| *at);
        }
        column.dedup_by(|later, kept| {
            let is_again = later.0 == kept.0;
            if is_again {
                kept.1 = later.1;
            }
            is_again
        });
        column.shrink_to_fit();
        self.columns.insert(metric, column);
    }

    /// Appends the offsets of instructions without counts after the last listed instruction, up to a code size of
    /// `size` bytes. Appends nothing if there are more than `MAX` such instructions, if instruction lengths differ,
    /// or if the listed instructions have texts.
    pub(super) fn fill_up_to(&mut self, size: u64) {
        /// Maximum number of instructions that pad code.
        const MAX: usize = 64; // limit: sections end at multiples of 128 bytes
        let [first, second, ..] = self.offsets[..] else { return };
        let step = second - first;
        let is_even = self.offsets.windows(2).all(|pair| pair[1] - pair[0] == step);
        let Some(last) = self.offsets.last().filter(|_| is_even && self.texts.is_empty()) else { return };
        let steps = (1..=MAX as u64 + 1).map_while(|count| step.checked_mul(count)?.checked_add(*last));
        let following: Vec<u64> = steps.take_while(|offset| *offset < size).collect();
        if following.len() <= MAX {
            self.offsets.extend(following);
        }
    }

    /// Number of instructions up to and including the last one with a count. Any instructions after it are padding.
    pub fn counted_len(&self) -> usize {
        let ends = self.columns.values().filter_map(|column| column.last());
        ends.map(|(at, _)| *at as usize + 1).max().unwrap_or(0)
    }

    /// Sets the texts, one per instruction. Ignored if the number of texts differs from the number of
    /// instructions.
    pub(super) fn set_texts(&mut self, texts: Vec<Box<str>>) {
        if texts.len() == self.offsets.len() {
            self.texts = texts;
        }
    }

    /// True if the metric has counts for instructions.
    pub fn has(&self, metric: &str) -> bool {
        self.columns.contains_key(metric)
    }

    /// The sum of a metric's counts.
    pub fn total(&self, metric: &str) -> f64 {
        self.columns.get(metric).into_iter().flatten().fold(0.0, |sum, (_, count)| sum + count)
    }

    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Measure of the memory use: the number of instructions plus the number of counts of all metrics.
    pub(super) fn room(&self) -> usize {
        self.offsets.len() + self.columns.values().map(Vec::len).sum::<usize>()
    }

    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Offset of each instruction in bytes from the start of the kernel or function.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The text of the instruction with index `at`; `None` if the file has no texts.
    pub fn text(&self, at: usize) -> Option<&str> {
        self.texts.get(at).map(|text| &**text)
    }

    /// The count of an instruction for a metric; `None` if the instruction has no count.
    pub fn count(&self, metric: &str, at: usize) -> Option<f64> {
        let column = self.columns.get(metric)?;
        let found = column.binary_search_by_key(&at, |(at, _)| *at as usize).ok()?;
        Some(column[found].1)
    }

    /// Offsets and counts of the instructions for which a metric has counts, in address order.
    pub fn counts(&self, metric: &str) -> impl Iterator<Item = (u64, f64)> {
        let column = self.columns.get(metric).into_iter().flatten();
        column.map(|(at, count)| (self.offsets[*at as usize], *count))
    }

    /// The metrics that have counts for instructions, ordered by name.
    pub fn metrics(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(|name| &**name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(offsets: &[u64], size: u64) -> (Vec<u64>, usize) {
        let mut own = Instructions::at(offsets.to_vec());
        own.add("inst_executed".into(), offsets.iter().map(|offset| (*offset, 1.0)));
        own.fill_up_to(size);
        (own.offsets().to_vec(), own.counted_len())
    }

    #[test]
    fn code_is_filled_up_to_its_size() {
        assert_eq!(filled(&[0, 16], 64), (vec![0, 16, 32, 48], 2));
        assert_eq!(filled(&[0, 16], 32), (vec![0, 16], 2));
        assert_eq!(filled(&[8, 16, 32], 64), (vec![8, 16, 32], 3), "between control words");
        assert_eq!(filled(&[0], 64), (vec![0], 1), "of unknown length");
        assert_eq!(filled(&[0, 16], 1 << 40), (vec![0, 16], 2), "of another size");
        assert_eq!(filled(&[0, u64::MAX - 1], u64::MAX), (vec![0, u64::MAX - 1], 2));
    }
}
