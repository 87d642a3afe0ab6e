//! View of a PTX document, and a position in it.

use crate::engine::cancel::Cancel;
use crate::engine::context::Context;
use crate::engine::lineage::Lineage;
use crate::engine::ptx_memo::Facts;
use crate::engine::ptx_text::PtxText;
use machine::ptx::{Ptx, Target, Version};
use model::ptx::Globals;
use std::sync::Arc;
use syntax::ptx::{Item, Module, Token, TokenKind};

/// One version of a PTX document, with the settings, the memo, and the cancel token of the request.
pub(crate) struct View<'a> {
    pub text: &'a Arc<PtxText>,
    pub module: &'a Module,
    pub context: &'a Arc<Context>,
    pub cancel: &'a Cancel,
    /// Earlier versions of long functions.
    pub lineage: &'a Lineage<PtxText>,
    /// Tables of the PTX instruction set.
    pub table: Arc<Ptx>,
}

/// A position in the text, relative to its item.
#[derive(Clone, Copy)]
pub(crate) struct Position<'a> {
    /// Index of the item in the module.
    pub index: usize,
    pub item: &'a Arc<Item>,
    /// Offset of the item in the text.
    pub start: usize,
    /// Byte offset in the item.
    pub byte: u32,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        text: &'a Arc<PtxText>,
        lineage: &'a Lineage<PtxText>,
        context: &'a Arc<Context>,
        cancel: &'a Cancel,
    ) -> Self {
        Self { text, module: text.module(), context, cancel, lineage, table: Ptx::builtin() }
    }

    /// Returns a view of an earlier version of the text.
    pub(crate) fn earlier(&self, text: &'a Arc<PtxText>) -> Self {
        Self::new(text, self.lineage, self.context, self.cancel)
    }

    /// PTX version in the `.version` directive; `None` if it is missing or invalid.
    pub(crate) fn version(&self) -> Option<Version> {
        self.module.version()?.parse().ok()
    }

    /// Target in the `.target` directive; `None` if it is missing or unknown.
    pub(crate) fn target(&self) -> Option<Target> {
        self.module.target().find_map(|word| word.parse().ok())
    }

    /// PTX version and target of the module; `None` unless the module states both.
    pub(crate) fn written_for(&self) -> Option<(Version, Target)> {
        self.version().zip(self.target())
    }

    /// GPU for which figures are computed.
    pub(crate) fn target_gpu(&self) -> crate::engine::target::Target {
        let context = self.context;
        crate::engine::target::Target::for_module(&context.machine, &context.wish, self.target())
    }

    /// Declarations at module scope.
    pub(crate) fn globals(&self) -> &'a Globals {
        self.text.globals()
    }

    /// Facts about an item, memoized.
    pub(crate) fn facts(&self, item: &Item) -> Arc<Facts> {
        self.context.ptx.facts(item)
    }

    /// Position of an offset in its item; `None` if the text is empty.
    pub(crate) fn place(&self, offset: usize) -> Option<Position<'a>> {
        let index = self.module.item_at(offset)?;
        let start = self.start(index);
        let byte = u32::try_from(offset.saturating_sub(start)).ok()?;
        Some(Position { index, item: &self.module.items()[index], start, byte })
    }

    /// 1-based line number of a byte offset in the item at `place`.
    pub(crate) fn line(&self, place: &Position<'_>, byte: u32) -> u32 {
        let before = place.item.text().get(..byte as usize).unwrap_or_default();
        let lines = before.matches('\n').count();
        self.module.start(place.index).line + lines as u32 + 1
    }

    /// Offset of an item in the text.
    pub(crate) fn start(&self, item: usize) -> usize {
        self.module.start(item).byte as usize
    }
}

impl<'a> Position<'a> {
    /// Index of the token at the position. Between two adjacent tokens, the right token is chosen
    /// unless it is punctuation.
    pub(crate) fn token_index(&self) -> Option<usize> {
        let tokens = self.item.tokens();
        let following = tokens.partition_point(|token| token.start <= self.byte);
        let left = following.checked_sub(1)?;
        let holds = |at: usize| tokens[at].start <= self.byte && self.byte <= tokens[at].end();
        let is_dull = |at: usize| matches!(tokens[at].kind, TokenKind::Punct(_) | TokenKind::Operator);
        let before = left.checked_sub(1).filter(|&before| holds(before) && !is_dull(before));
        match before {
            Some(before) if tokens[left].start == self.byte && is_dull(left) => Some(before),
            _ => Some(left).filter(|&left| holds(left)),
        }
    }

    pub(crate) fn token(&self) -> Option<&'a Token> {
        self.token_index().map(|at| &self.item.tokens()[at])
    }
}
