//! Operands of instructions and directives, separated by commas.

use super::{Token, TokenKind};
use std::ops::Range;

/// An operand, an element of an operand, or an initialiser, as a sequence of tokens.
#[derive(Debug, Clone, Copy)]
pub struct Operand<'a> {
    tokens: &'a [Token],
    text: &'a str,
}

/// The shape of an operand, without its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// `%r1`, `%tid.x`, `p`, `v.b0`, `WARP_SZ`.
    Name,
    /// `_`.
    Sink,
    Integer,
    Float,
    String,
    /// `{a, b, _}`.
    Vector,
    /// `[a+4]`, `[map, {x, y}]`.
    Address,
    /// `(a, b)`: the arguments or results of a call.
    List,
    /// `name[2]`: an address that is written with a subscript.
    Element,
    /// `p|q`, `{a, b, c, d}|p`.
    Pair,
    /// `4*2`, `name+4`, `generic(name)`, `(.s64)4`.
    Expression,
    /// An empty operand.
    Missing,
}

impl<'a> Operand<'a> {
    pub(super) fn new(tokens: &'a [Token], text: &'a str) -> Self {
        Self { tokens, text }
    }

    /// The operands between commas outside of brackets.
    pub(super) fn list(tokens: &'a [Token], text: &'a str) -> Operands<'a> {
        Operands { rest: (!tokens.is_empty()).then_some(tokens), text }
    }

    /// Tokens in text order, including the sign; empty if the operand is missing.
    pub fn tokens(&self) -> &'a [Token] {
        self.tokens
    }

    /// Byte range in the item; `None` if the operand is missing.
    pub fn range(&self) -> Option<Range<u32>> {
        Some(self.tokens.first()?.start..self.tokens.last()?.end())
    }

    /// Returns the operand as written.
    pub fn text(&self) -> &'a str {
        self.range().map_or("", |range| &self.text[range.start as usize..range.end as usize])
    }

    /// The sign before the operand: `-`, `+`, `!` or `~`.
    pub fn sign(&self) -> Option<u8> {
        match self.tokens.first()?.kind {
            TokenKind::Punct(sign @ (b'-' | b'+' | b'!' | b'~')) => Some(sign),
            _ => None,
        }
    }

    /// Determines the operand's shape from its tokens, ignoring the sign.
    pub fn kind(&self) -> OperandKind {
        // Most operands are one token.
        if let [only] = self.tokens {
            return match only.kind {
                TokenKind::Name if only.text(self.text) == "_" => OperandKind::Sink,
                TokenKind::Name => OperandKind::Name,
                TokenKind::Integer => OperandKind::Integer,
                TokenKind::Float => OperandKind::Float,
                TokenKind::String => OperandKind::String,
                TokenKind::Punct(b'-' | b'+' | b'!' | b'~') => OperandKind::Missing,
                _ => OperandKind::Expression,
            };
        }
        if self.pair().is_some() {
            return OperandKind::Pair;
        }
        let tokens = self.unsigned();
        let Some((first, rest)) = tokens.split_first() else { return OperandKind::Missing };
        let whole = |kind| if is_selector(rest) { kind } else { OperandKind::Expression };
        match first.kind {
            TokenKind::Name if rest.is_empty() && first.text(self.text) == "_" => OperandKind::Sink,
            TokenKind::Name if rest.first().is_some_and(|token| token.is(b'[')) && closes(rest) => {
                OperandKind::Element
            }
            TokenKind::Name => whole(OperandKind::Name),
            TokenKind::Integer => whole(OperandKind::Integer),
            TokenKind::Float => whole(OperandKind::Float),
            TokenKind::String => whole(OperandKind::String),
            TokenKind::Punct(b'{') if closes(tokens) => OperandKind::Vector,
            TokenKind::Punct(b'[') if closes(tokens) => OperandKind::Address,
            // Casts and parenthesised values have no comma.
            TokenKind::Punct(b'(') if closes(tokens) => OperandKind::List,
            _ => OperandKind::Expression,
        }
    }

    /// Name token of a [`OperandKind::Name`] or [`OperandKind::Element`], without its selectors; `None` for
    /// other kinds.
    pub fn name(&self) -> Option<&'a Token> {
        let named = matches!(self.kind(), OperandKind::Name | OperandKind::Element);
        self.unsigned().first().filter(|_| named)
    }

    /// Returns the selectors, without the dot: the `x` of `%tid.x`, the `b0` of `%r1.b0`.
    pub fn selectors(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        let text = self.text;
        let count = self.tokens.iter().rev().take_while(|token| token.kind == TokenKind::Modifier).count();
        self.tokens[self.tokens.len() - count..].iter().map(move |token| &token.text(text)[1..])
    }

    /// Returns the elements between the commas in the brackets of a vector, an address, a list or a subscript.
    pub fn elements(&self) -> Operands<'a> {
        let tokens = self.unsigned();
        let tokens = match self.kind() {
            OperandKind::Vector | OperandKind::Address | OperandKind::List => tokens,
            OperandKind::Element => &tokens[1..],
            _ => &[],
        };
        Self::list(between(tokens), self.text)
    }

    /// `p` and `q` of `p|q`; `None` if the operand is not a pair of names or vectors.
    pub fn pair(&self) -> Option<(Self, Self)> {
        if !self.tokens.iter().any(|token| token.is(b'|')) {
            return None;
        }
        let at = self.outside().find(|&at| self.tokens[at].is(b'|'))?;
        let is_place = |tokens: &[Token]| match tokens.split_first() {
            Some((first, rest)) if first.kind == TokenKind::Name => is_selector(rest),
            Some((first, _)) => first.is(b'{') && closes(tokens),
            None => false,
        };
        let (left, right) = (&self.tokens[..at], &self.tokens[at + 1..]);
        let both = is_place(left) && is_place(right);
        both.then(|| (Self::new(left, self.text), Self::new(right, self.text)))
    }

    /// Splits the contents of an address into a base and an optional offset: `a` and `-4` for `a+-4`, `a` and `None`
    /// for `a`. The offset of `a-4` keeps its sign.
    pub fn base_and_offset(&self) -> (Self, Option<Self>) {
        let is_term = |&at: &usize| at > 0 && matches!(self.tokens[at].kind, TokenKind::Punct(b'+' | b'-'));
        let Some(at) = self.outside().find(is_term) else { return (*self, None) };
        let from = if self.tokens[at].is(b'+') { at + 1 } else { at };
        (Self::new(&self.tokens[..at], self.text), Some(Self::new(&self.tokens[from..], self.text)))
    }

    fn unsigned(&self) -> &'a [Token] {
        let signs = self
            .tokens
            .iter()
            .take_while(|token| matches!(token.kind, TokenKind::Punct(b'-' | b'+' | b'!' | b'~')));
        &self.tokens[signs.count()..]
    }

    /// Indices of the tokens outside of brackets.
    fn outside(&self) -> impl Iterator<Item = usize> + use<'a> {
        let mut depth = 0_usize;
        self.tokens.iter().enumerate().filter_map(move |(at, token)| {
            let before = depth;
            depth = open_after(token, depth);
            (before == 0 && depth == 0).then_some(at)
        })
    }
}

fn open_after(token: &Token, depth: usize) -> usize {
    match token.kind {
        TokenKind::Punct(b'[' | b'(' | b'{') => depth + 1,
        TokenKind::Punct(b']' | b')' | b'}') => depth.saturating_sub(1),
        _ => depth,
    }
}

fn is_selector(tokens: &[Token]) -> bool {
    tokens.iter().all(|token| token.kind == TokenKind::Modifier)
}

/// True if the first token is a bracket that is closed by the last token, apart from selectors after the
/// bracket.
fn closes(tokens: &[Token]) -> bool {
    closing(tokens).is_some_and(|close| is_selector(&tokens[close + 1..]))
}

/// Index of the token that closes the first token's bracket.
fn closing(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0;
    tokens.iter().position(|token| {
        depth = open_after(token, depth);
        depth == 0
    })
}

/// Returns the tokens inside the first token's bracket.
fn between(tokens: &[Token]) -> &[Token] {
    closing(tokens).filter(|&close| close > 0).map_or(&[], |close| &tokens[1..close])
}

/// The operands of a list, in text order.
#[derive(Debug, Clone)]
pub struct Operands<'a> {
    rest: Option<&'a [Token]>,
    text: &'a str,
}

impl<'a> Iterator for Operands<'a> {
    type Item = Operand<'a>;

    fn next(&mut self) -> Option<Operand<'a>> {
        let all = self.rest?;
        let mut depth = 0;
        let comma = all.iter().position(|token| {
            depth = open_after(token, depth);
            depth == 0 && token.is(b',')
        });
        let (tokens, rest) = match comma {
            Some(comma) => (&all[..comma], Some(&all[comma + 1..])),
            None => (all, None),
        };
        self.rest = rest;
        Some(Operand::new(tokens, self.text))
    }
}
