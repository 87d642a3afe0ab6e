//! Lines that define a label or name a function.

use crate::engine::sass_view::SassView;
use std::ops::Range;
use syntax::sass::{Chunk, LineKind, TokenKind};

/// The line that defines a label, and the byte range of the label in the line.
pub(super) fn label_line(chunk: &Chunk, name: &str) -> Option<(usize, Range<usize>)> {
    let defines = |&line: &usize| chunk.lines()[line].kind == LineKind::Label;
    (0..chunk.lines().len()).filter(defines).find_map(|line| {
        let text = chunk.line_text(line);
        let mut tokens = chunk.line_tokens(line).iter();
        let token = tokens.find(|token| token.kind == TokenKind::Label && token.text(text) == name)?;
        Some((line, token.start as usize..token.end()))
    })
}

/// Chunk of a kernel or function, the line that names it, and the byte range of the name in the line.
pub(super) fn function(sass: &SassView, name: &str) -> Option<(usize, (usize, Range<usize>))> {
    let named = name.strip_prefix(".text.").unwrap_or(name);
    sass.kernels().find_map(|(index, chunk)| {
        if chunk.name() != Some(named) {
            return None;
        }
        Some((index, label_line(chunk, named).or_else(|| name_line(chunk))?))
    })
}

/// Returns the line of a chunk's name, and the byte range of the name in the line.
pub(super) fn name_line(chunk: &Chunk) -> Option<(usize, Range<usize>)> {
    let name = chunk.name_range()?;
    let line = chunk.line_at(name.start)?;
    let start = chunk.lines()[line].start;
    Some((line, (name.start - start) as usize..(name.end - start) as usize))
}
