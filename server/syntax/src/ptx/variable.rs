//! Declarations of variables, read from tokens on demand.

use super::{Operand, Token, TokenKind};

/// The declaration of variables, registers or a parameter.
#[derive(Debug, Clone, Copy)]
pub struct Variable<'a> {
    /// The dotted words with their arguments.
    head: &'a [Token],
    /// The names with their suffixes, separated by commas, without the `;`.
    names: &'a [Token],
    text: &'a str,
}

/// A declared name.
#[derive(Debug, Clone, Copy)]
pub struct Declarator<'a> {
    pub name: &'a Token,
    /// The 10 in `%r<10>`; `None` if there are no angle brackets.
    pub count: Option<&'a Token>,
    dimensions: &'a [Token],
    initialiser: Option<&'a [Token]>,
    text: &'a str,
}

/// Arguments of a parameter's `.ptr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer<'a> {
    /// `.global`; `None` for a pointer to generic address space.
    pub space: Option<&'a Token>,
    pub align: Option<&'a Token>,
}

impl<'a> Variable<'a> {
    pub(super) fn new(tokens: &'a [Token], text: &'a str) -> Self {
        let names = head_length(tokens);
        let (head, names) = tokens.split_at(names);
        let names = match names {
            [all @ .., last] if last.is(b';') => all,
            all => all,
        };
        Self { head, names, text }
    }

    /// `.extern`, `.visible`, `.weak` or `.common`.
    pub fn linkage(&self) -> Option<&'a Token> {
        self.words().find(|token| is_linkage(token.text(self.text)))
    }

    /// The state space: `.reg`, `.global`, `.const[2]`, `.param`.
    pub fn space(&self) -> Option<&'a Token> {
        self.words().find(|token| is_space(token.text(self.text)))
    }

    /// The number after `.align`. The alignment of a pointer's target is ignored.
    pub fn align(&self) -> Option<&'a Token> {
        align(&self.head[..self.pointer_at().unwrap_or(self.head.len())], self.text)
    }

    /// The vector size: `.v2`, `.v4` or `.v8`.
    pub fn vector(&self) -> Option<&'a Token> {
        self.words().find(|token| is_vector(token.text(self.text)))
    }

    /// The type: `.b32`, `.f16x2`, `.pred`, `.texref`.
    pub fn ty(&self) -> Option<&'a Token> {
        self.words().find(|token| is_type(token.text(self.text)))
    }

    /// Returns the arguments of `.ptr`; `None` if the declaration has no `.ptr`.
    pub fn pointer(&self) -> Option<Pointer<'a>> {
        let following = &self.head[self.pointer_at()? + 1..];
        let space = following
            .iter()
            .find(|token| token.kind == TokenKind::Directive && is_space(token.text(self.text)));
        Some(Pointer { space, align: align(following, self.text) })
    }

    /// Returns the attributes in the parentheses of `.attribute`: `.managed`, `.unified(19, 95)`.
    pub fn attributes(&self) -> impl Iterator<Item = Operand<'a>> + Clone + use<'a> {
        let following = self.head.iter().position(|token| token.text(self.text) == ".attribute");
        let tokens = following.map_or(&[][..], |word| inner(&self.head[word + 1..]));
        Operand::list(tokens, self.text)
    }

    /// The declared names, in text order.
    pub fn declarators(&self) -> impl Iterator<Item = Declarator<'a>> + Clone + use<'a> {
        let text = self.text;
        Operand::list(self.names, text).filter_map(move |one| Declarator::new(one.tokens(), text))
    }

    /// The dotted words outside of parentheses.
    fn words(&self) -> impl Iterator<Item = &'a Token> + use<'a> {
        let mut depth = 0_usize;
        self.head.iter().filter(move |token| {
            match token.kind {
                TokenKind::Punct(b'(') => depth += 1,
                TokenKind::Punct(b')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && token.kind == TokenKind::Directive
        })
    }

    fn pointer_at(&self) -> Option<usize> {
        self.head.iter().position(|token| token.text(self.text) == ".ptr")
    }
}

impl<'a> Declarator<'a> {
    fn new(tokens: &'a [Token], text: &'a str) -> Option<Self> {
        let (name, rest) = tokens.split_first().filter(|(name, _)| name.kind == TokenKind::Name)?;
        let (count, rest) = match rest {
            [open, count, close, rest @ ..] if open.is(b'<') && close.is(b'>') => (Some(count), rest),
            rest => (None, rest),
        };
        let equals = rest.iter().position(|token| token.is(b'='));
        let (dimensions, initialiser) = match equals {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        Some(Self { name, count, dimensions, initialiser, text })
    }

    /// Returns the contents of each pair of brackets: a number, or `None` for `[]`.
    pub fn dimensions(&self) -> impl Iterator<Item = Option<&'a Token>> + Clone + use<'a> {
        let tokens = self.dimensions;
        let open = tokens.iter().enumerate().filter(|(_, token)| token.is(b'['));
        open.map(move |(at, _)| tokens.get(at + 1).filter(|inside| !inside.is(b']')))
    }

    /// Returns the operand after `=`.
    pub fn initialiser(&self) -> Option<Operand<'a>> {
        self.initialiser.map(|tokens| Operand::new(tokens, self.text))
    }
}

/// Number of tokens before the first name outside of parentheses.
fn head_length(tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    let name = tokens.iter().position(|token| {
        match token.kind {
            TokenKind::Punct(b'(') => depth += 1,
            TokenKind::Punct(b')') => depth = depth.saturating_sub(1),
            TokenKind::Name => return depth == 0,
            _ => {}
        }
        false
    });
    name.unwrap_or(tokens.len())
}

/// Returns the tokens inside the parentheses that the first token opens.
fn inner(tokens: &[Token]) -> &[Token] {
    let Some((open, rest)) = tokens.split_first() else { return &[] };
    if !open.is(b'(') {
        return &[];
    }
    let mut depth = 0_usize;
    let close = rest.iter().position(|token| {
        match token.kind {
            TokenKind::Punct(b'(') => depth += 1,
            TokenKind::Punct(b')') if depth == 0 => return true,
            TokenKind::Punct(b')') => depth -= 1,
            _ => {}
        }
        false
    });
    &rest[..close.unwrap_or(rest.len())]
}

fn align<'a>(head: &'a [Token], text: &str) -> Option<&'a Token> {
    let word = head.iter().position(|token| token.text(text) == ".align")?;
    head.get(word + 1).filter(|token| token.kind == TokenKind::Integer)
}

pub(super) fn is_linkage(word: &str) -> bool {
    matches!(word, ".extern" | ".visible" | ".weak" | ".common")
}

/// True for state spaces in which a variable can be declared.
pub(super) fn is_space(word: &str) -> bool {
    matches!(word, ".reg" | ".param" | ".global" | ".shared" | ".local" | ".const" | ".sreg" | ".tex")
        || word.starts_with(".const[")
        || word.starts_with(".param::")
        || word.starts_with(".shared::")
}

fn is_vector(word: &str) -> bool {
    matches!(word, ".v2" | ".v4" | ".v8")
}

/// True for every dotted word that is neither a linkage, a state space, a vector size nor another known word.
/// The parser has no list of types.
pub(super) fn is_type(word: &str) -> bool {
    let is_other = is_linkage(word) || is_space(word) || is_vector(word);
    !is_other && !matches!(word, ".align" | ".ptr" | ".attribute" | ".entry" | ".func")
}
