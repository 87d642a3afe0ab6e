//! The instructions of a kernel, and what was counted of each.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Instructions in the order of their addresses; none where a file says nothing of them. Counts stand in columns, one for a metric.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Instructions {
    /// Bytes from the start of the kernel.
    offsets: Vec<u64>,
    /// Their texts; empty where the file has none.
    texts: Vec<Box<str>>,
    /// By the names of the metrics; `None` where a metric says nothing of an instruction.
    columns: BTreeMap<Arc<str>, Vec<Option<f64>>>,
}

/// Whether a metric of instructions counts something, so that it adds up: averages and kinds do not.
pub(super) fn is_count(metric: &str) -> bool {
    !metric.starts_with("derived__") && !metric.ends_with("_type")
}

impl Instructions {
    /// The instructions at these offsets, in any order and more than once each.
    pub(super) fn at(mut offsets: Vec<u64>) -> Self {
        offsets.sort_unstable();
        offsets.dedup();
        Self { offsets, ..Self::default() }
    }

    /// Adds a metric; `counts` are by offset.
    pub(super) fn add(&mut self, metric: Arc<str>, counts: impl IntoIterator<Item = (u64, f64)>) {
        let mut column = vec![None; self.offsets.len()];
        for (offset, count) in counts {
            if let Ok(at) = self.offsets.binary_search(&offset) {
                column[at] = Some(count);
            }
        }
        self.columns.insert(metric, column);
    }

    /// Adds the texts, one for each instruction.
    pub(super) fn set_texts(&mut self, texts: Vec<Box<str>>) {
        if texts.len() == self.offsets.len() {
            self.texts = texts;
        }
    }

    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Bytes of each instruction from the start of the kernel.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The text of an instruction, by its position; `None` where the file has none.
    pub fn text(&self, at: usize) -> Option<&str> {
        self.texts.get(at).map(|text| &**text)
    }

    /// The count of an instruction by a metric; `None` where it says nothing of it.
    pub fn count(&self, metric: &str, at: usize) -> Option<f64> {
        *self.columns.get(metric)?.get(at)?
    }

    /// The metrics that say something of instructions, in the order of their names.
    pub fn metrics(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(|name| &**name)
    }
}
