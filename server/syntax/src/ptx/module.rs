//! A PTX text as a list of items. Immutable: an edit returns a new module that shares the unchanged items.

use super::parse::{Parser, unread};
use super::{InstructionEdit, Item, ItemKind, Start};
use std::sync::Arc;

/// Maximum number of items that are read from a text. The text after them becomes one unread item. The longest known
/// modules have about ten thousand items.
pub(super) const MAX_ITEMS: usize = 500_000; // limit: 150 MB of items

/// A PTX text as a sequence of [`Item`]s. Every byte of the text belongs to one item.
#[derive(Debug, Clone)]
pub struct Module {
    pub(super) items: Vec<Arc<Item>>,
    /// Start of each item, then the end of the text.
    starts: Vec<Start>,
    pub(super) items_read: usize,
    pub(super) respelled: Option<InstructionEdit>,
}

impl Module {
    /// Reads a PTX text. Any text is accepted.
    pub fn parse(text: &str) -> Self {
        let mut parser = Parser::new(text);
        let mut items = Vec::new();
        let mut at = 0;
        while items.len() < MAX_ITEMS
            && let Some(item) = parser.item(at)
        {
            at += item.text().len();
            items.push(Arc::new(item));
        }
        if at < text.len() {
            items.push(Arc::new(unread(&text[at..])));
        }
        let items_read = items.len();
        Self::from_items(items, items_read)
    }

    pub(super) fn from_items(items: Vec<Arc<Item>>, items_read: usize) -> Self {
        let mut at = Start::default();
        let mut starts = Vec::with_capacity(items.len() + 1);
        for item in &items {
            starts.push(at);
            at.byte += item.text().len() as u32;
            at.line += item.lines();
        }
        starts.push(at);
        Self { items, starts, items_read, respelled: None }
    }

    /// Items in text order. Their concatenated texts equal the module's text.
    pub fn items(&self) -> &[Arc<Item>] {
        &self.items
    }

    /// Number of items that the last parse or edit read. The other items were reused.
    pub fn items_read(&self) -> usize {
        self.items_read
    }

    /// Returns the start of an item. For an index equal to the number of items, returns the end of the text.
    pub fn start(&self, item: usize) -> Start {
        self.starts[item]
    }

    /// Length of the text in bytes.
    pub fn len(&self) -> usize {
        self.starts.last().map_or(0, |end| end.byte as usize)
    }

    /// True for an empty text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Index of the item that contains this byte, or of the last item at the end of the text. `None` only for
    /// an empty text.
    pub fn item_at(&self, byte: usize) -> Option<usize> {
        let starts = &self.starts[..self.items.len()];
        starts.partition_point(|start| start.byte as usize <= byte).checked_sub(1)
    }

    /// The text, byte for byte.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.len());
        for item in &self.items {
            text.push_str(item.text());
        }
        text
    }

    /// The version number in the first `.version` directive: `9.3`. `None` if the module has no such
    /// directive.
    pub fn version(&self) -> Option<&str> {
        self.named_by(".version").next()
    }

    /// Returns the words of the first `.target` directive: `sm_90a`, then options.
    pub fn target(&self) -> impl Iterator<Item = &str> {
        self.named_by(".target")
    }

    /// The operands of the first directive that starts with this word.
    fn named_by(&self, word: &str) -> impl Iterator<Item = &str> {
        let directives = self.items.iter().filter(|item| item.kind() == ItemKind::Directive);
        let mut statements = directives.filter_map(|item| Some((item, item.statements().first()?)));
        let found = statements.find(|(item, statement)| item.directive(statement) == Some(word));
        found.into_iter().flat_map(|(item, statement)| item.operands(statement).map(|operand| operand.text()))
    }
}
