//! Text, lines and tokens of a chunk, for code that assembles lines into instructions.

use super::{Line, Token};

/// Text, lines and tokens of a chunk before its instructions are assembled.
#[derive(Clone, Copy)]
pub(super) struct Pieces<'a> {
    pub text: &'a str,
    pub lines: &'a [Line],
    pub tokens: &'a [Token],
}

impl<'a> Pieces<'a> {
    pub(super) fn line_text(&self, line: &Line) -> &'a str {
        &self.text[line.start as usize..(line.start + line.len) as usize]
    }

    pub(super) fn line_tokens(&self, line: &Line) -> &'a [Token] {
        &self.tokens[line.first_token as usize..][..line.token_count as usize]
    }
}
