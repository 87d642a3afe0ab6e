//! Incremental edits: only changed items are read again.

use super::module::MAX_ITEMS;
use super::parse::Parser;
use super::{Item, Module};
use std::ops::Range;
use std::sync::Arc;

impl Module {
    /// Returns the module after `range` was replaced by `text`. The range is in bytes, at character
    /// boundaries.
    ///
    /// The result equals a parse of the new text from scratch. Only items that the edit touches or changes
    /// are read again, and only one instruction if the edit is inside that instruction. All other items are
    /// shared. A range beyond the end of the text is clamped to the text.
    #[must_use]
    pub fn edit(&self, range: Range<usize>, text: &str) -> Self {
        let len = self.len();
        let range = range.start.min(len)..range.end.clamp(range.start.min(len), len);
        if self.items.len() >= MAX_ITEMS {
            let mut all = self.text();
            all.replace_range(range, text);
            return Self::parse(&all);
        }
        if let Some(respelled) = self.respell(&range, text) {
            return respelled;
        }
        let first = self.first_reached(range.start);
        // The first token after the edit determines the end of the touched item, so one more item is read.
        let mut last = self.items.len().min(self.item_at(range.end).map_or(0, |item| item + 2).max(first));
        loop {
            let changed = self.changed_text(first..last, &range, text);
            if let Some((joins, items)) = self.read(&changed, last, range.end) {
                let edited = self.with(first..joins, items);
                let is_whole = edited.items.len() <= MAX_ITEMS;
                return if is_whole { edited } else { Self::parse(&edited.text()) };
            }
            last = (last + (last - first).max(1)).min(self.items.len());
        }
    }

    /// Index of the first item whose parse may have examined this byte of the text.
    pub(super) fn first_reached(&self, byte: usize) -> usize {
        let ends =
            self.items.iter().enumerate().map(|(index, item)| self.start(index).byte as usize + item.reach);
        ends.take_while(|&end| end < byte).count()
    }

    /// The text of these items after the edit.
    fn changed_text(&self, items: Range<usize>, edit: &Range<usize>, new: &str) -> String {
        let (start, end) = (self.start(items.start).byte as usize, self.start(items.end).byte as usize);
        let mut text = String::with_capacity(end - start + new.len());
        for item in &self.items[items] {
            text.push_str(item.text());
        }
        text.replace_range(edit.start - start..edit.end - start, new);
        text
    }

    /// Reads the changed text, which ends at the start of the old item `last`. Reading stops at the start of
    /// an old item after the edit. From that item on, the old items are kept, because no item depends on the
    /// text before its start. Returns the old item's index and the items read; `None` if more text is needed.
    fn read(&self, changed: &str, last: usize, edit_end: usize) -> Option<(usize, Vec<Arc<Item>>)> {
        let end = self.start(last).byte as usize;
        let mut parser = Parser::new(changed);
        let mut items: Vec<Arc<Item>> = Vec::new();
        let mut at = 0;
        loop {
            // The remaining text is unchanged, so its length determines the position in the old text.
            let old = end.checked_sub(changed.len() - at).filter(|&old| old >= edit_end);
            if let Some(joins) = old.and_then(|old| self.starting_at(old)) {
                return Some((joins, items));
            }
            let item = parser.item(at)?;
            // An item that examined bytes beyond the end may be read differently with more text after it.
            if last < self.items.len() && at + item.reach > changed.len() {
                return None;
            }
            at += item.text().len();
            items.push(Arc::new(item));
        }
    }

    /// Index of the item that starts at byte `byte`, or the number of items if `byte` is the end of the text. `None` if
    /// no item starts there.
    fn starting_at(&self, byte: usize) -> Option<usize> {
        let item = self.item_at(byte).unwrap_or(0);
        [item, self.items.len()].into_iter().find(|&item| self.start(item).byte as usize == byte)
    }

    /// This module with a range of items replaced.
    fn with(&self, replaced: Range<usize>, mut read: Vec<Arc<Item>>) -> Self {
        let items_read = read.len();
        let old = &self.items[replaced.clone()];
        // Items that examined changed text may still equal the old items.
        for (new, old) in read.iter_mut().zip(old).take_while(|(new, old)| new == old) {
            *new = Arc::clone(old);
        }
        for (new, old) in read.iter_mut().rev().zip(old.iter().rev()).take_while(|(new, old)| new == old) {
            *new = Arc::clone(old);
        }
        let items = self.items[..replaced.start].iter().cloned().chain(read);
        let items = items.chain(self.items[replaced.end..].iter().cloned()).collect();
        Self::from_items(items, items_read)
    }
}
