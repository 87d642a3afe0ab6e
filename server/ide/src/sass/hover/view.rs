//! The place that a hover is asked about, and the instruction there.

use crate::engine::issue_simulation::Issues;
use crate::engine::kernel::KernelModel;
use crate::engine::sass_view::SassView;
use crate::engine::target::Target;
use std::ops::Range;
use syntax::sass::{Chunk, Line, Token};

/// The token under the cursor and where it stands.
pub(super) struct TokenAt<'a> {
    pub(super) chunk: &'a Chunk,
    pub(super) line: &'a Line,
    pub(super) line_index: usize,
    /// The line's text.
    pub(super) text: &'a str,
    /// Byte in the whole text where the line starts.
    pub(super) line_start: usize,
    /// The chunk's first line in the whole text, 0-based.
    pub(super) first_line: u32,
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
        let (text, first_line) = (chunk.line_text(line_index), sass.listing().start(index).line);
        Some(Self { chunk, line, line_index, text, line_start, first_line, token })
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
    pub(super) sass: &'a SassView,
    pub(super) place: &'a TokenAt<'a>,
    pub(super) chunk: &'a Chunk,
    pub(super) model: &'a KernelModel,
    /// Issue cycles by the `pipeline` model, where it applies.
    pub(super) issues: Option<&'a Issues>,
    /// Issue cycles of either model are to be shown.
    pub(super) has_cycles: bool,
    pub(super) target: &'a Target,
    pub(super) inst: usize,
}
