//! The token at an offset of a listing.

use crate::engine::sass_view::{LineAt, SassView};
use std::ops::Range;
use syntax::sass::Token;

/// A position in a line, and the token at the position.
pub(crate) struct TokenAt<'a> {
    pub line: LineAt<'a>,
    /// Byte offset in the line.
    pub column: usize,
    /// Token that contains the column, otherwise the token that ends at the column. `None` between
    /// tokens.
    pub token: Option<&'a Token>,
}

impl<'a> TokenAt<'a> {
    pub(crate) fn at(sass: &'a SassView, offset: usize) -> Option<Self> {
        let line = sass.line_at(offset)?;
        let column = offset - line.start;
        let holds = |token: &&Token| (token.start as usize..token.end()).contains(&column);
        let mut tokens = line.tokens().iter();
        let token = tokens.clone().find(holds).or_else(|| tokens.find(|token| token.end() == column));
        Some(Self { line, column, token })
    }

    /// Returns the range of the token in the text, or the range of the line if `token` is `None`.
    pub(crate) fn range(&self) -> Range<usize> {
        let whole = || self.line.start..self.line.start + self.line.text().len();
        self.token.map_or_else(whole, |token| self.line.range(token))
    }

    pub(crate) fn token_text(&self) -> &'a str {
        self.token.map_or("", |token| token.text(self.line.text()))
    }
}
