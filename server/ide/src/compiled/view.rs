//! Compiled code in the form that features of its source file use.

use crate::engine::cancel::Cancel;
use crate::engine::code::Code;
use crate::engine::context::Context;
use crate::engine::document::AttachedCode;
use crate::engine::line_moves::{LineMoves, MovedLine};
use crate::engine::sass_view::SassView;
use memchr::memchr_iter;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Code compiled from a version of a source, together with the current source.
pub(crate) struct CodeView<'a> {
    pub code: Arc<Code>,
    pub sass: SassView,
    moves: &'a LineMoves,
    /// One-line reason why the compiler rejected the current source. `None` if it did not.
    refused: Option<&'a str>,
    /// Byte offsets of line starts in the current source.
    starts: Vec<usize>,
    text: Cow<'a, str>,
}

impl<'a> CodeView<'a> {
    pub(crate) fn new(
        AttachedCode { compiled, moves, refused }: &'a AttachedCode,
        text: Cow<'a, str>,
        context: Arc<Context>,
        cancel: &Cancel,
    ) -> Self {
        let code = Arc::clone(&compiled.0);
        let sass = SassView {
            text: Arc::clone(&code.text),
            context,
            cancel: cancel.clone(),
            origin: None,
            lineage: Arc::default(),
        };
        let breaks = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        Self { code, sass, moves, refused: refused.as_deref(), starts, text }
    }

    /// True if the current source may differ from the source that was compiled.
    pub(crate) fn is_stale(&self) -> bool {
        !self.moves.is_empty() || self.code.from.stale.is_some() || self.refused.is_some()
    }

    /// Returns a sentence that explains why a kernel's code is older than the current source. `None` if the
    /// code is current.
    pub(crate) fn age(&self, kernel: &str) -> Option<String> {
        let stale = self.code.from.stale.as_ref().or_else(|| self.code.stale.get(kernel));
        match (stale, self.refused) {
            (Some(why), _) => {
                Some(format!("The compiled code is from an older version of this text: {why}."))
            }
            (None, Some(why)) => {
                Some(format!("The code is from an older version: the current text does not compile. {why}."))
            }
            (None, None) if !self.moves.is_empty() => {
                Some("The compiled code is older than the last edits.".to_owned())
            }
            (None, None) => None,
        }
    }

    /// Returns the 1-based source line of an instruction. For code inlined from another file, returns the
    /// line of the innermost call in this source. `None` for an instruction without a line in this source.
    pub(crate) fn line_of(&self, chunk: usize, inst: usize) -> Option<u32> {
        let stack = self.code.stacks.get(chunk)?.get(inst)?;
        stack.iter().find(|place| self.is_own(&place.path)).map(|place| place.line)
    }

    /// Returns the 1-based source line of an instruction in the compiler's line table. `None` if the line is
    /// in another file or unknown.
    pub(crate) fn own_line_of(&self, chunk: usize, inst: usize) -> Option<u32> {
        let place = self.code.stacks.get(chunk)?.get(inst)?.first()?;
        self.is_own(&place.path).then_some(place.line)
    }

    /// Returns the 1-based source line of an instruction, or of the outermost call that it was inlined
    /// through. `None` for an instruction without a line in this source.
    pub(crate) fn outer_line_of(&self, chunk: usize, inst: usize) -> Option<u32> {
        let stack = self.code.stacks.get(chunk)?.get(inst)?;
        stack.iter().rev().find(|place| self.is_own(&place.path)).map(|place| place.line)
    }

    pub(crate) fn is_own(&self, path: &str) -> bool {
        *path == *self.code.from.path
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the current text of a compiled line without surrounding blanks. `line` is 1-based. `None` if
    /// the line does not exist.
    pub(crate) fn text_of(&self, line: u32) -> Option<&str> {
        self.text.get(self.place(line)?.1)
    }

    /// Returns the current position of a compiled line: its 0-based line now, and its byte range without
    /// surrounding blanks. `line` is 1-based. `None` if the current source has no such line.
    pub(crate) fn place(&self, line: u32) -> Option<(MovedLine, Range<usize>)> {
        let moved = self.moves.now(line.checked_sub(1)?);
        let start = *self.starts.get(moved.line as usize)?;
        let end = self.starts.get(moved.line as usize + 1).copied().unwrap_or(self.text.len());
        let text = &self.text[start..end];
        let start = start + (text.len() - text.trim_start().len());
        Some((moved, start..(start + text.trim().len()).max(start)))
    }
}
