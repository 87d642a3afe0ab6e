//! Heads of functions.

use super::{Item, Operand, Token, TokenKind, TokenRange, Variable};

/// The head of a function. All indices refer to the item's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    pub kind: FunctionKind,
    /// Index of `.extern`, `.visible`, `.weak` or `.common`.
    pub linkage: Option<u32>,
    /// `None` if the name is missing.
    pub name: Option<u32>,
    /// Tokens in the parentheses before the name.
    pub returns: TokenRange,
    /// Tokens in the parentheses after the name.
    pub parameters: TokenRange,
    /// Tokens after the parameters: `.maxntid 256, 1, 1`, `.noreturn`.
    pub performance: TokenRange,
    /// Index of the statement that opens the body; `None` for a declaration.
    pub body: Option<u32>,
}

/// Directive that begins the function: `.entry` or `.func`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    Entry,
    Func,
}

/// A directive between a function's parameters and its body.
#[derive(Debug, Clone, Copy)]
pub struct Performance<'a> {
    /// `.maxntid`.
    pub word: &'a Token,
    arguments: &'a [Token],
    text: &'a str,
}

impl<'a> Performance<'a> {
    /// Operands of the directive: `256`, `1`, `1`.
    pub fn arguments(&self) -> impl Iterator<Item = Operand<'a>> + Clone + use<'a> {
        Operand::list(self.arguments, self.text)
    }
}

impl Item {
    /// The parameters declared by a range of tokens, one per declaration that begins with a dot.
    pub fn parameters(&self, range: TokenRange) -> impl Iterator<Item = Variable<'_>> + Clone {
        Operand::list(self.tokens_of(range), self.text())
            .map(|parameter| Variable::new(parameter.tokens(), self.text()))
    }

    /// The directives between a function's parameters and its body.
    pub fn performance(&self, function: &Function) -> impl Iterator<Item = Performance<'_>> + Clone {
        let is_directive = |token: &Token| token.kind == TokenKind::Directive;
        let tokens = self.tokens_of(function.performance);
        // A word in parentheses belongs to the preceding directive: `.attribute(.unified(1, 2))`.
        let mut rest = tokens;
        let mut pieces = Vec::new();
        while let Some((word, following)) = rest.split_first() {
            let mut depth = 0_usize;
            let next = following.iter().position(|token| {
                depth = match token.kind {
                    TokenKind::Punct(b'(') => depth + 1,
                    TokenKind::Punct(b')') => depth.saturating_sub(1),
                    _ => depth,
                };
                depth == 0 && is_directive(token)
            });
            let (arguments, after) = following.split_at(next.unwrap_or(following.len()));
            let arguments = match arguments {
                [all @ .., last] if last.is(b';') => all,
                all => all,
            };
            if is_directive(word) {
                pieces.push(Performance { word, arguments, text: self.text() });
            }
            rest = after;
        }
        pieces.into_iter()
    }
}
