//! The place that a hover is asked about, and the instruction there.

use crate::ModelChoice;
use crate::engine::issue_simulation::Issues;
use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::SassView;
use std::ops::Range;
use syntax::sass::{Chunk, Line, Token};

/// The token under the cursor and where it stands.
pub(super) struct TokenAt<'a> {
    /// Of the chunk.
    pub(super) index: usize,
    pub(super) chunk: &'a Chunk,
    pub(super) line: &'a Line,
    pub(super) line_index: usize,
    /// The line's text.
    pub(super) text: &'a str,
    /// Byte in the whole text where the line starts.
    pub(super) line_start: usize,
    /// The token at the cursor; `None` between tokens.
    pub(super) token: Option<&'a Token>,
}

impl<'a> TokenAt<'a> {
    pub(super) fn at(sass: &'a SassView, offset: usize) -> Option<Self> {
        let index = sass.listing().chunk_at(offset)?;
        let chunk: &Chunk = &sass.listing().chunks()[index];
        let start = sass.start(index);
        let line_index = chunk.line_at(u32::try_from(offset - start).ok()?)?;
        let line = &chunk.lines()[line_index];
        let line_start = start + line.start as usize;
        let column = offset - line_start;
        let tokens = chunk.line_tokens(line_index);
        let token = tokens
            .iter()
            .find(|token| (token.start as usize..=token.end()).contains(&column) && column < token.end());
        let token = token.or_else(|| tokens.iter().find(|token| token.end() == column));
        let text = chunk.line_text(line_index);
        Some(Self { index, chunk, line, line_index, text, line_start, token })
    }

    pub(super) fn range(&self) -> Range<usize> {
        match self.token {
            Some(token) => self.line_start + token.start as usize..self.line_start + token.end(),
            None => self.line_start..self.line_start + self.text.len(),
        }
    }

    pub(super) fn token_text(&self) -> &'a str {
        self.token.map_or("", |token| token.text(self.text))
    }
}

/// One instruction and all that is known of it.
pub(super) struct View<'a> {
    pub(super) kernel: &'a KernelView<'a>,
    pub(super) place: &'a TokenAt<'a>,
    /// Issue cycles by the `pipeline` model, where it applies.
    pub(super) issues: Option<&'a Issues>,
    /// Issue cycles of either model are to be shown.
    pub(super) has_cycles: bool,
    pub(super) inst: usize,
}

impl<'a> View<'a> {
    pub(super) fn new(kernel: &'a KernelView<'a>, place: &'a TokenAt<'a>, inst: usize) -> Self {
        let issues = kernel.issues();
        let has_cycles = issues.is_some() || kernel.sass.context.config.model != ModelChoice::Pipeline;
        Self { kernel, place, issues, has_cycles, inst }
    }
}
