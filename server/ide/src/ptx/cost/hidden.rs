//! Hidden SASS listing of a lowered PTX function, and its mapping to PTX statements.

use crate::engine::kernel_view::KernelView;
use crate::engine::lowered::Cost;
use crate::engine::origin::{LoweredFunction, Origin, main_of};
use crate::engine::sass_text::SassText;
use crate::engine::sass_view::SassView;
use crate::ptx::view::View;
use model::ptx::lower::Facts;
use std::ops::Range;
use std::sync::Arc;
use syntax::ptx::ItemKind;
use syntax::sass::Chunk;

/// Maximum number of statements in a function whose cost is estimated. ptxas needs more than an hour for a longer
/// function.
const MAX_STATEMENTS: usize = 150_000; // limit: 500 MB of listing, model and route

/// Number of items, from the start of a module, for which costs are estimated.
const MAX_ITEMS: usize = 5_000; // limit: 400 MB of listings and models

/// Hidden listing of a function, and its mapping to the PTX.
pub(super) struct HiddenListing {
    pub sass: SassView,
    pub placed: LoweredFunction,
}

impl View<'_> {
    /// Facts about the module that the lowering needs.
    fn lowering_facts(&self) -> &Facts {
        self.text.lowering_facts()
    }

    /// Estimated cost of a function, memoized. `None` for items other than functions, and for functions
    /// whose cost is not estimated.
    pub(super) fn cost(&self, item: usize) -> Option<HiddenListing> {
        Some(self.hide(self.placed(item)?))
    }

    /// Like [`Self::cost`], but returns only a memoized cost. `None` if no cost is memoized, `Some(None)` if the
    /// function has no cost.
    #[expect(clippy::option_option, reason = "not computed yet differs from known to be absent")]
    pub(super) fn known_cost(&self, item: usize) -> Option<Option<HiddenListing>> {
        let function = self.module.items().get(item)?;
        if self.unestimated(item).is_some() {
            return Some(None);
        }
        let cost = self.context.ptx.known_cost(function, self.around())?;
        Some(cost.map(|cost| self.hide(LoweredFunction::new(cost, self.module.start(item)))))
    }

    pub(super) fn placed(&self, item: usize) -> Option<LoweredFunction> {
        let function = self.module.items().get(item)?;
        if function.kind() != ItemKind::Function || self.unestimated(item).is_some() {
            return None;
        }
        let arch = self.target_gpu().gpu.arch;
        let facts = self.lowering_facts();
        let known = self.facts(function);
        let lower = || Cost::lower(function, known.names(function), facts, &arch);
        let cost = self.context.ptx.cost(function, self.around(), lower)?;
        Some(LoweredFunction::new(cost, self.module.start(item)))
    }

    /// Reason why the cost of a function is not estimated: the function or the module is too long.
    /// `None` if the cost is estimated.
    pub(super) fn unestimated(&self, item: usize) -> Option<&'static str> {
        let is_long = self.module.items().get(item)?.statements().len() > MAX_STATEMENTS;
        match (is_long, item >= MAX_ITEMS) {
            (true, _) => Some("not estimated: the function has more than 150,000 statements"),
            (false, true) => {
                Some("not estimated from here on: 5,000 functions and variables precede this function")
            }
            (false, false) => None,
        }
    }

    /// Functions with a lens: all functions among the first [`MAX_ITEMS`] items, and the next function. The lens of
    /// the next function explains why later functions have no lens.
    pub(super) fn estimated_bodies(&self) -> Vec<usize> {
        let mut bodies = self.bodies();
        let estimated = bodies.partition_point(|item| *item < MAX_ITEMS);
        bodies.truncate(estimated + 1);
        bodies
    }

    /// Hash of all inputs of a function's lowering, except the text of the function.
    fn around(&self) -> u64 {
        self.lowering_facts().hash() ^ u64::from(self.target_gpu().gpu.arch.sm)
    }

    fn hide(&self, placed: LoweredFunction) -> HiddenListing {
        let text = Arc::clone(&placed.cost.text);
        let origin = Origin::new(self.target_gpu(), std::iter::once(placed.clone()));
        HiddenListing { sass: self.hidden(text, origin), placed }
    }

    /// Returns a view of a hidden listing.
    pub(super) fn hidden(&self, text: Arc<SassText>, origin: Arc<Origin>) -> SassView {
        SassView {
            text,
            context: Arc::clone(self.context),
            cancel: self.cancel.clone(),
            origin: Some(origin),
            // A hidden listing is never edited.
            lineage: Arc::default(),
        }
    }

    /// Indices of the items that are functions with a body.
    pub(crate) fn bodies(&self) -> Vec<usize> {
        let items = self.module.items().iter().enumerate();
        items
            .filter(|(_, item)| item.function().is_some_and(|function| function.body.is_some()))
            .map(|(at, _)| at)
            .collect()
    }

    /// Indices of the function items that overlap a range of the text.
    pub(super) fn functions_in(&self, range: &Range<usize>) -> Vec<usize> {
        let (Some(first), Some(last)) = (self.module.item_at(range.start), self.module.item_at(range.end))
        else {
            return Vec::new();
        };
        (first..=last).filter(|&at| self.module.items()[at].kind() == ItemKind::Function).collect()
    }
}

impl HiddenListing {
    /// The only function of the listing, and the function's start offset; `None` if the listing has no
    /// code.
    pub(super) fn chunk(&self) -> Option<(&Arc<Chunk>, usize)> {
        let (index, chunk) = self.sass.kernels().next()?;
        Some((chunk, self.sass.start(index)))
    }

    /// The only function of the listing, with its model; `None` if the listing has no code.
    pub(super) fn kernel(&self) -> Option<KernelView<'_>> {
        let (index, _) = self.sass.kernels().next()?;
        Some(self.sass.kernel(index))
    }

    /// Instruction on the listing line at an offset; `None` if the line has no instruction.
    pub(super) fn instruction_at(&self, offset: usize) -> Option<u32> {
        let (chunk, start) = self.chunk()?;
        let byte = u32::try_from(offset.checked_sub(start)?).ok()?;
        Some(chunk.instruction_on(u32::try_from(chunk.line_at(byte)?).ok()?)? as u32)
    }

    /// Offset in the listing of the start of an instruction's line.
    pub(super) fn offset_of(&self, inst: u32) -> Option<usize> {
        let (chunk, start) = self.chunk()?;
        let line = chunk.instructions().get(inst as usize)?.line;
        Some(start + chunk.lines()[line as usize].start as usize)
    }

    /// Instructions that a statement is lowered to, in listing order.
    pub(super) fn instructions_of(&self, statement: usize) -> Vec<u32> {
        let count = self.placed.cost.origin.len() as u32;
        (0..count).filter(|&inst| self.placed.statement(inst) == Some(statement)).collect()
    }

    /// The instruction that represents a statement: the first instruction that accesses memory,
    /// otherwise the first instruction in the statement's block, otherwise the first instruction.
    pub(super) fn main_instruction(&self, statement: usize) -> Option<u32> {
        let own = self.instructions_of(statement);
        main_of(&self.placed, self.kernel()?.program(), &own)
    }
}
