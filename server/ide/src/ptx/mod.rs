//! Answers about PTX: one file for each feature.

mod allowed;
mod blocks;
mod complete;
mod cost;
mod findings;
mod fixes;
mod folds;
mod format;
mod hover;
mod line_map;
mod lines;
mod links;
mod memo;
mod navigate;
mod needs;
mod rename;
mod roles;
mod selection;
mod semantic;
mod signature;
mod source;
mod subject;
mod symbols;
mod text;
mod values;

pub(crate) use complete::{completions, page};
pub(crate) use cost::{
    ESTIMATED, Origin, Placed, asked, early_hints, findings as of_cost, hints, lens, lenses, main_of, places,
    prepare, selection_cycles,
};
pub(crate) use findings::{of_model, of_syntax, of_text};
pub(crate) use fixes::fixes;
pub(crate) use folds::folds;
pub(crate) use format::format;
pub(crate) use hover::hover;
pub use line_map::{LineMap, MappedFunction};
pub(crate) use links::links;
pub(crate) use memo::{Facts, Memo};
pub(crate) use navigate::{all_names, definitions, incoming_calls, item_at, outgoing_calls, references};
pub(crate) use rename::{range_at, rename};
pub(crate) use selection::around;
pub(crate) use semantic::tokens;
pub(crate) use signature::signature;
pub use source::{PtxFunction, PtxSource};
pub(crate) use symbols::symbols;
pub(crate) use text::Text;

use crate::Analysis;
use machine::ptx::{Ptx, Target, Version};
use model::ptx::Globals;
use std::ops::Range;
use std::sync::Arc;
use syntax::ptx::{Item, Module, Token, TokenKind};

/// A PTX document as its answers see it.
pub(crate) struct View<'a> {
    pub analysis: &'a Analysis,
    pub module: &'a Module,
    text: &'a Text,
    /// The instruction set.
    pub table: Arc<Ptx>,
}

/// A place in the text as its item sees it.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// Index of the item in the module.
    pub index: usize,
    pub item: &'a Arc<Item>,
    /// Bytes from the start of the text to that of the item.
    pub start: usize,
    /// Bytes from the start of the item.
    pub byte: u32,
}

impl<'a> View<'a> {
    /// `None` where the document is not PTX.
    pub(crate) fn of(analysis: &'a Analysis) -> Option<Self> {
        let text = analysis.document.ptx()?;
        Some(Self { analysis, module: text.module(), text, table: Ptx::builtin() })
    }

    /// Returns the version that `.version` states; `None` where it is missing or no version.
    pub(crate) fn version(&self) -> Option<Version> {
        self.module.version()?.parse().ok()
    }

    /// The chip that `.target` names; `None` where it is missing or names none.
    pub(crate) fn target(&self) -> Option<Target> {
        self.module.target().find_map(|word| word.parse().ok())
    }

    /// Returns the version and the target that the module is written for, where it says both.
    pub(crate) fn written_for(&self) -> Option<(Version, Target)> {
        self.version().zip(self.target())
    }

    /// The GPU that numbers are for.
    pub(crate) fn target_gpu(&self) -> crate::target::Target {
        let context = &self.analysis.context;
        crate::target::Target::of_module(&context.machine, &context.wish, self.target())
    }

    /// Returns the declarations of module scope.
    pub(crate) fn globals(&self) -> &'a Globals {
        self.text.globals()
    }

    /// Returns the facts about an item, from the memo or new.
    pub(crate) fn facts(&self, item: &Item) -> Arc<Facts> {
        self.analysis.context.ptx.facts(item)
    }

    /// The item that holds this byte of the text. `None` only in an empty text.
    pub(crate) fn place(&self, offset: usize) -> Option<Place<'a>> {
        let index = self.module.item_at(offset)?;
        let start = self.start(index);
        let byte = u32::try_from(offset.saturating_sub(start)).ok()?;
        Some(Place { index, item: &self.module.items()[index], start, byte })
    }

    /// The 1-based line of the text that a byte of the place's item stands on.
    pub(crate) fn line(&self, place: &Place<'_>, byte: u32) -> u32 {
        let before = place.item.text().get(..byte as usize).unwrap_or_default();
        let lines = before.matches('\n').count();
        self.module.start(place.index).line + lines as u32 + 1
    }

    /// Bytes from the start of the text to that of the item.
    pub(crate) fn start(&self, item: usize) -> usize {
        self.module.start(item).byte as usize
    }
}

impl<'a> Place<'a> {
    /// The token at the place, as its index; of two that touch there the right one, but for punctuation.
    pub(crate) fn token_index(&self) -> Option<usize> {
        let tokens = self.item.tokens();
        let behind = tokens.partition_point(|token| token.start <= self.byte);
        let left = behind.checked_sub(1)?;
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

/// A range of an item's bytes as one of the text, whose item starts at `start`.
pub(crate) fn placed(start: usize, range: &Range<u32>) -> Range<usize> {
    start + range.start as usize..start + range.end as usize
}
