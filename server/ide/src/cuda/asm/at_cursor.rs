//! The code of the `asm` statement at an offset, wrapped in a PTX function.

use super::operand;
use crate::cuda::view::CudaView;
use crate::engine::lineage::Lineage;
use crate::engine::ptx_text::PtxText;
use crate::ptx::view::View;
use machine::ptx::Ptx;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use syntax::cuda::ItemKind;
use syntax::cuda::asm::{Block, Operand, Template};

/// The code of an `asm` statement in a PTX function that declares a register per operand. The code may be
/// incomplete.
pub(super) struct CodeAtCursor<'a> {
    /// Byte offset of [`Self::text`] in the document.
    start: usize,
    /// Text of the declaration that contains the statement, up to the next declaration.
    text: &'a str,
    block: Block,
    template: Template,
    module: Arc<PtxText>,
    /// Byte offset of the code in the module.
    base: usize,
    /// Range of each operand's declaration in the module, by operand number.
    declared: Vec<Range<usize>>,
}

impl<'a> CodeAtCursor<'a> {
    /// Returns the code around an offset of the document. `None` outside of the strings of an `asm`
    /// statement, and in code that is not for a GPU.
    pub(super) fn new(view: &CudaView<'a>, offset: usize) -> Option<Self> {
        let document = view.text.text();
        let items = &view.text.unit().items;
        // Incomplete code may have no declaration here. The preceding declaration starts outside of any
        // string.
        let next = items.partition_point(|placed| placed.start as usize <= offset);
        let start = next.checked_sub(1).map_or(0, |own| items[own].start as usize);
        let end = items.get(next).map_or(document.len(), |next| next.start as usize);
        let text = document.get(start..end)?;
        let block = Block::at(text, u32::try_from(offset - start).ok()?)?;
        let template = Template::read_half_typed(text, &block);
        let own = view.text.unit().item_at(offset).map(|(placed, _)| &placed.item.kind);
        let is_macro = matches!(own, Some(ItemKind::Macro(_)));
        let is_in_function = own.is_none() || block.depth > 0;
        let is_ptx = is_on_device(&text[..block.range.start as usize]) || has_opcode(&template.text);
        (is_macro || is_in_function && is_ptx).then(|| Self::at_block(start, text, block, template))
    }

    fn at_block(start: usize, text: &'a str, block: Block, template: Template) -> Self {
        let mut module = String::from(".entry asm() { ");
        let known = if block.has_all_operands { &*block.operands } else { &[] };
        let mut declared = vec![0..0; known.len()];
        // PTX completion proposes the last declared register first.
        for (number, own) in known.iter().enumerate().rev() {
            let _ = write!(module, ".reg .{} ", operand::register(text, own).unwrap_or("b32"));
            let name = module.len();
            let _ = write!(module, "%{number}");
            declared[number] = name..module.len();
            module.push_str("; ");
        }
        module.extend(std::iter::repeat_n("{ ", template.braces_to_open()));
        let base = module.len();
        module.push_str(&template.text);
        module.push_str("\n}\n");
        Self { start, text, block, template, module: Arc::new(PtxText::parse(&module)), base, declared }
    }

    /// Runs a query on the code as PTX. Offsets are module offsets, see [`Self::cursor`], [`Self::name_at`]
    /// and [`Self::place`].
    pub(super) fn ask<T>(&self, view: &CudaView<'_>, ask: impl FnOnce(&View<'_>) -> T) -> T {
        let lineage = Lineage::default();
        ask(&View::new(&self.module, &lineage, view.context, view.cancel))
    }

    /// Converts a cursor position in the document to an offset in the module. `None` within an escape
    /// sequence.
    pub(super) fn cursor(&self, offset: usize) -> Option<usize> {
        Some(self.base + self.template.bytes_before(self.local(offset))? as usize)
    }

    /// Converts the offset of a name's start or end in the document to an offset in the module.
    pub(super) fn name_at(&self, offset: usize) -> Option<usize> {
        match self.template.byte_at(self.local(offset)) {
            Some(byte) => Some(self.base + byte as usize),
            None => self.cursor(offset),
        }
    }

    /// Converts a range in the module to a range in the document. `None` if the range is empty or not within
    /// the code.
    pub(super) fn place(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let code = self.base..self.base + self.template.text.len();
        let is_in_code = code.start <= range.start && range.start < range.end && range.end <= code.end;
        is_in_code.then(|| {
            let own = (range.start - self.base) as u32..(range.end - self.base) as u32;
            self.in_document(&self.template.place(&own))
        })
    }

    /// Returns the document range of the word at the cursor. `None` if the word spans several strings.
    pub(super) fn word(&self, range: &Range<usize>, cursor: usize) -> Option<Range<usize>> {
        if range.is_empty() {
            return Some(cursor..cursor);
        }
        let word = self.place(range)?;
        let mut strings = self.block.literals.iter().map(|literal| self.in_document(&literal.range));
        let is_whole = strings.any(|own| own.start <= word.start && word.end <= own.end);
        (is_whole && word.start <= cursor && cursor <= word.end).then_some(word)
    }

    /// Returns the operand that is declared at a range of the module.
    pub(super) fn operand_at(&self, range: &Range<usize>) -> Option<&Operand> {
        let number = self.declared.iter().position(|declared| declared == range)?;
        self.block.operands.get(number)
    }

    /// Returns the operand with a PTX name such as `%1`.
    pub(super) fn operand_named(&self, name: &str) -> Option<&Operand> {
        let number: usize = name.strip_prefix('%')?.parse().ok()?;
        self.declared.get(number).and_then(|_| self.block.operands.get(number))
    }

    /// Returns the text of the declaration that contains the statement.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// True if the strings spell the `%` of register names as `%%`.
    pub(super) fn doubles_percents(&self) -> bool {
        self.template.names_operands
    }

    /// Converts a range in [`Self::text`] to a range in the document.
    pub(super) fn in_document(&self, range: &Range<u32>) -> Range<usize> {
        self.start + range.start as usize..self.start + range.end as usize
    }

    fn local(&self, offset: usize) -> u32 {
        offset.checked_sub(self.start).and_then(|local| u32::try_from(local).ok()).unwrap_or(u32::MAX)
    }
}

/// True if the head of a declaration marks it as GPU code, by a keyword or by a macro such as
/// `CUTLASS_DEVICE`.
fn is_on_device(head: &str) -> bool {
    head.contains("__global__") || head.to_ascii_lowercase().contains("device")
}

/// True if the code contains a PTX opcode followed by a dot. Mnemonics of other assemblers contain no dots.
fn has_opcode(code: &str) -> bool {
    let tables = Ptx::builtin();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    code.match_indices('.').any(|(at, _)| {
        let before = &code[..at];
        let word = &before[before.trim_end_matches(is_part).len()..];
        !word.is_empty() && !tables.instruction(word).is_empty()
    })
}
