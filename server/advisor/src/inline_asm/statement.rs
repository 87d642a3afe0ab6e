//! An `asm` statement with the item that contains it.

use machine::ptx::Ptx;
use std::ops::Range;
use syntax::cuda::asm::{Block, Template};
use syntax::cuda::{Attribute, Function, Item, ItemKind};

/// An `asm` statement with the item that contains it. Byte ranges of findings count from the start of the
/// item.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    pub item: &'a Item,
    /// The item's text.
    pub text: &'a str,
    pub block: &'a Block,
}

impl<'a> Statement<'a> {
    /// The function that contains the statement; `None` if the item is not a function.
    pub fn function(&self) -> Option<&'a Function> {
        match &self.item.kind {
            ItemKind::Function(function) => Some(function),
            _ => None,
        }
    }

    /// Text of a byte range of the item.
    pub fn slice(&self, range: &Range<u32>) -> &'a str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// True if the statement's code is PTX, and not assembly for the host's CPU.
    ///
    /// Code is PTX if it contains a PTX opcode followed by a modifier. In a function that runs only on the
    /// GPU, any word followed by a modifier is sufficient, because other assembly languages have no dots
    /// within words.
    pub fn is_ptx(&self, template: &Template, tables: &Ptx) -> bool {
        let attributes = self.function().map(|function| &*function.attributes).unwrap_or_default();
        let is_on_device =
            attributes.iter().any(|attribute| matches!(attribute, Attribute::Device | Attribute::Global));
        let is_on_host = attributes.contains(&Attribute::Host);
        if self.block.depth == 0 && !matches!(self.item.kind, ItemKind::Macro(_)) {
            return false;
        }
        let is_alone = is_on_device && !is_on_host;
        opcodes(&template.text).any(|opcode| is_alone || !tables.instruction(opcode).is_empty())
    }
}

/// Words that are followed by a modifier: `mov` in `mov.u32`.
fn opcodes(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices('.').filter_map(move |(at, _)| {
        let before = &text[..at];
        let word = &before[before.trim_end_matches(is_part).len()..];
        let has_modifier = text[at + 1..].starts_with(|c: char| c.is_ascii_lowercase());
        (has_modifier && word.starts_with(|c: char| c.is_ascii_lowercase())).then_some(word)
    })
}
