//! Semantic tokens of a launch file.

use super::cursor::is_word;
use crate::engine::plain::{SemanticKind, SemanticToken};
use std::ops::Range;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// Semantic tokens that overlap a range, in text order; `None` selects all tokens.
pub(crate) fn semantic_tokens(text: &str, within: Option<&Range<usize>>) -> Vec<SemanticToken> {
    let mut reader = Reader { open: Vec::new(), is_header: false, is_value: false, starts_line: true };
    let mut all = Vec::new();
    for token in Source::new(text).lex().into_vec() {
        let range = token.span().start()..token.span().end();
        let Some(kind) = reader.kind(token.kind(), &text[range.clone()]) else { continue };
        if within.is_none_or(|within| range.start < within.end && within.start < range.end) {
            all.push(SemanticToken { range, kind, written: false, definition: false, control_flow: false });
        }
    }
    all
}

struct Reader {
    /// Enclosing brackets, outermost first. True for braces, which contain keys.
    open: Vec<bool>,
    is_header: bool,
    is_value: bool,
    starts_line: bool,
}

impl Reader {
    fn kind(&mut self, token: TokenKind, text: &str) -> Option<SemanticKind> {
        let starts_line = std::mem::replace(&mut self.starts_line, token == TokenKind::Newline);
        match token {
            TokenKind::Whitespace => self.starts_line = starts_line,
            TokenKind::Comment => return Some(SemanticKind::Comment),
            TokenKind::Newline if self.open.is_empty() || self.is_header => {
                *self = Self { open: Vec::new(), is_header: false, is_value: false, starts_line: true };
            }
            TokenKind::Equals => self.is_value = true,
            TokenKind::Comma => self.is_value = self.open.last() != Some(&true),
            TokenKind::LeftSquareBracket if starts_line && self.open.is_empty() => self.is_header = true,
            TokenKind::LeftSquareBracket => self.open.push(false),
            TokenKind::LeftCurlyBracket => {
                self.open.push(true);
                self.is_value = false;
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                self.open.pop();
                self.is_value = true;
            }
            _ if is_word(token) && self.is_header => return Some(SemanticKind::Label),
            _ if is_word(token) && !self.is_value => return Some(SemanticKind::Name),
            _ if is_word(token) && text.starts_with(['"', '\'']) => return Some(SemanticKind::String),
            TokenKind::Atom | TokenKind::Dot => return Some(SemanticKind::Number).filter(|_| self.is_value),
            _ => {}
        }
        None
    }
}
