//! A text of CUDA C++ as tree-sitter sees it, and the declarations in it.

use super::mask::mask;
use super::read::{self, Reader};
use super::{Item, ItemKind};
use crate::stop;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::{InputEdit, Parser, Point, Tree};
use xxhash_rust::xxh3::xxh3_128;

/// A text of CUDA C++. Immutable; an edit gives a new one that shares what it left alone.
#[derive(Debug, Clone)]
pub struct Source {
    text: Arc<str>,
    /// `None` where the parser gave up, which it does for texts beyond 4 GiB alone.
    tree: Option<Tree>,
    unit: Arc<Unit>,
}

/// The declarations of a text.
#[derive(Debug, Default)]
pub struct Unit {
    /// In the order of the text; those of namespaces and of `extern "C"` stand among the others.
    pub items: Vec<Placed>,
}

/// A declaration and its place.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Bytes from the start of the text.
    pub start: u32,
    /// Hash of the declaration's text.
    pub hash: u128,
    pub item: Arc<Item>,
}

impl Placed {
    /// Returns bytes of the text for bytes of the item.
    pub fn range(&self, range: &Range<u32>) -> Range<usize> {
        (self.start + range.start) as usize..(self.start + range.end) as usize
    }
}

impl Unit {
    /// The declaration that holds this byte of the text, with the byte as the declaration counts it.
    pub fn item_at(&self, offset: usize) -> Option<(&Placed, u32)> {
        let offset = u32::try_from(offset).ok()?;
        let behind = self.items.partition_point(|placed| placed.start <= offset);
        let placed = &self.items[behind.checked_sub(1)?];
        let byte = offset - placed.start;
        (byte <= placed.item.length).then_some((placed, byte))
    }

    /// The functions, in the order of the text.
    pub fn functions(&self) -> impl Iterator<Item = (&Placed, &super::Function)> {
        self.items.iter().filter_map(|placed| match &placed.item.kind {
            ItemKind::Function(function) => Some((placed, function)),
            _ => None,
        })
    }
}

impl Source {
    /// Reads any text.
    pub fn parse(text: &str) -> Self {
        Self::read(text.into(), None, &Unit::default())
    }

    /// Returns the text after one edit. Only declarations whose text changed are read again.
    #[must_use]
    pub fn edit(&self, range: Range<usize>, new: &str) -> Self {
        let (Some(before), Some(behind)) = (self.text.get(..range.start), self.text.get(range.end..)) else {
            return self.clone();
        };
        let text: Arc<str> = [before, new, behind].concat().into();
        let tree = self.tree.clone().map(|mut tree| {
            // What is blanked depends on whole lines, so that the parser has to look at those.
            let start = before.rfind('\n').map_or(0, |end| end + 1);
            let line_end = |from: usize| text_end(&text, from);
            let rest = line_end(range.start + new.len()) - (range.start + new.len());
            let (old_end, new_end) = (range.end + rest, range.start + new.len() + rest);
            let old_end = old_end.min(self.text.len());
            tree.edit(&InputEdit {
                start_byte: start,
                old_end_byte: old_end,
                new_end_byte: new_end,
                start_position: point(&self.text, start),
                old_end_position: point(&self.text, old_end),
                new_end_position: point(&text, new_end),
            });
            tree
        });
        Self::read(text, tree.as_ref(), &self.unit)
    }

    fn read(text: Arc<str>, old: Option<&Tree>, earlier: &Unit) -> Self {
        stop::check();
        let masked = mask(&text);
        let mut parser = Parser::new();
        let is_ready = parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).is_ok();
        let tree = is_ready.then(|| parser.parse(&*masked, old)).flatten();
        let known: HashMap<u128, &Arc<Item>> =
            earlier.items.iter().map(|placed| (placed.hash, &placed.item)).collect();
        let mut items = Vec::new();
        if let Some(tree) = &tree {
            for node in read::declarations(tree.root_node()) {
                stop::check();
                let hash = xxh3_128(&text.as_bytes()[node.byte_range()]);
                let item = known.get(&hash).map_or_else(
                    || Arc::new(Reader::new(&text, node.start_byte()).item(node)),
                    |&item| Arc::clone(item),
                );
                items.push(Placed { start: node.start_byte() as u32, hash, item });
            }
        }
        Self { text, tree, unit: Arc::new(Unit { items }) }
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The declarations of the text.
    pub fn unit(&self) -> &Arc<Unit> {
        &self.unit
    }

    /// The tree of the parser, whose bytes are those of the text.
    pub fn tree(&self) -> Option<&Tree> {
        self.tree.as_ref()
    }

    /// True where the whole text parses.
    pub fn is_whole(&self) -> bool {
        self.tree.as_ref().is_some_and(|tree| !tree.root_node().has_error())
    }
}

fn text_end(text: &str, from: usize) -> usize {
    text[from..].find('\n').map_or(text.len(), |length| from + length)
}

/// Row and column in bytes of a place.
fn point(text: &str, byte: usize) -> Point {
    let before = &text.as_bytes()[..byte];
    let row = memchr::memchr_iter(b'\n', before).count();
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    Point { row, column: byte - line_start }
}
