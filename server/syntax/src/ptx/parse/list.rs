//! Rows of values with commas between: operands, initialisers, what a directive names, rows of debug data.
//!
//! An expression is not built but checked: what may follow a value, and what an operator.

use super::{Failed, Parser, Step, is_selector};
use crate::ptx::TokenKind;
use crate::ptx::lex::Found;

/// End of a list, brackets aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// The `;` of an instruction or a directive.
    Semicolon,
    /// The comma or the `;` after an initialiser.
    Declarator,
    /// Whatever can't go on: rows of debug data have no mark at their end.
    Row,
}

impl Parser<'_> {
    /// Reads values up to what ends them, which is left.
    pub(super) fn list(&mut self, until: Until) -> Step {
        let mut ternaries = 0_u32;
        loop {
            self.value(until)?;
            if !self.between(until, &mut ternaries)? {
                return Ok(());
            }
        }
    }

    /// Reads a value with its prefixes: signs, opening brackets, casts.
    fn value(&mut self, until: Until) -> Step {
        // A closing bracket may directly follow its opening one: `()`, and `{}` of an initialiser.
        let mut opened = false;
        loop {
            match self.kind() {
                Some(TokenKind::Name | TokenKind::Integer | TokenKind::Float | TokenKind::String) => {
                    if self.first_on_line && until == Until::Semicolon && self.begins_statement() {
                        return Err(self.fail("expected an operand"));
                    }
                    self.bump();
                    return Ok(());
                }
                Some(TokenKind::Punct(b'-' | b'+' | b'!' | b'~')) => {
                    self.bump();
                    opened = false;
                }
                Some(TokenKind::Punct(open @ (b'(' | b'[' | b'{'))) => {
                    self.open(open);
                    opened = true;
                }
                Some(TokenKind::Punct(close @ (b')' | b'}')))
                    if opened
                        && self.brackets.last() == Some(&close)
                        && (close == b')' || until == Until::Declarator) =>
                {
                    self.brackets.pop();
                    self.bump();
                    return Ok(());
                }
                Some(TokenKind::Modifier) if until == Until::Row => {
                    self.bump_as(TokenKind::Directive);
                    return Ok(());
                }
                Some(TokenKind::Modifier) if opened && self.brackets.last() == Some(&b')') => {
                    self.bump();
                    self.expect(b')', "expected `)` behind the type")?;
                    self.brackets.pop();
                    opened = false;
                }
                _ => return Err(self.fail("expected an operand")),
            }
        }
    }

    /// Reads the tokens after a value; true if another value must follow.
    #[inline]
    fn between(&mut self, until: Until, ternaries: &mut u32) -> Result<bool, Failed> {
        loop {
            match self.kind() {
                Some(TokenKind::Punct(b',')) => {
                    if until == Until::Declarator && self.brackets.is_empty() {
                        return Ok(false);
                    }
                    self.bump();
                    return Ok(true);
                }
                Some(TokenKind::Punct(b';')) if self.brackets.is_empty() => return Ok(false),
                Some(TokenKind::Punct(close @ (b')' | b']' | b'}'))) => {
                    if self.brackets.last() == Some(&close) {
                        self.brackets.pop();
                        self.bump();
                    } else if self.brackets.is_empty() && close == b'}' {
                        return Ok(false);
                    } else {
                        return Err(self.fail_between());
                    }
                }
                Some(TokenKind::Modifier) if until == Until::Row || self.begins_directive() => {
                    return Ok(false);
                }
                Some(TokenKind::Modifier) if until != Until::Declarator && self.after_place() => self.bump(),
                Some(TokenKind::Punct(b':')) => {
                    let Some(open) = ternaries.checked_sub(1) else { return Err(self.fail_between()) };
                    *ternaries = open;
                    self.bump();
                    return Ok(true);
                }
                Some(TokenKind::Punct(b'?')) => {
                    *ternaries += 1;
                    self.bump();
                    return Ok(true);
                }
                // The settings of a sampler have names: `{ filter_mode = nearest }`.
                Some(TokenKind::Punct(b'=')) if until == Until::Declarator && !self.brackets.is_empty() => {
                    self.bump();
                    return Ok(true);
                }
                Some(
                    TokenKind::Operator
                    | TokenKind::Punct(b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'^' | b'|' | b'<' | b'>'),
                ) => {
                    self.bump();
                    return Ok(true);
                }
                // `generic(x)`, and `0xff(x)`, which is a byte of an address.
                Some(TokenKind::Punct(b'(')) if self.takes_argument() => {
                    self.open(b'(');
                    return Ok(true);
                }
                Some(TokenKind::Punct(b'[')) if self.after_place() && self.is_subscript() => {
                    self.open(b'[');
                    return Ok(true);
                }
                _ if until == Until::Row && self.brackets.is_empty() => return Ok(false),
                None => return if self.brackets.is_empty() { Ok(false) } else { Err(self.fail_between()) },
                // A token on a new line would be part of this statement only because of a forgotten `;`.
                Some(_) if self.first_on_line && self.brackets.is_empty() => return Ok(false),
                Some(_) => return Err(self.fail_between()),
            }
        }
    }

    /// Whether the dotted word here begins a line and cannot follow an operand.
    fn begins_directive(&self) -> bool {
        self.first_on_line && self.brackets.is_empty() && !is_selector(&self.word()[1..])
    }

    fn open(&mut self, open: u8) {
        self.brackets.push(match open {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        });
        self.bump();
    }

    fn fail_between(&mut self) -> Failed {
        self.fail(match self.brackets.last() {
            None => "expected `,` or `;`",
            Some(b')') => "expected `,` or `)`",
            Some(b']') => "expected `,` or `]`",
            Some(_) => "expected `,` or `}`",
        })
    }

    /// Whether an argument in parentheses may follow the previous token.
    fn takes_argument(&self) -> bool {
        self.tokens.last().is_some_and(|token| match token.kind {
            TokenKind::Integer => true,
            TokenKind::Name => matches!(&self.item_text()[token.range()], "generic" | "mask"),
            _ => false,
        })
    }

    /// Whether the previous token ends a name, an address or a vector, which the current one can qualify.
    fn after_place(&self) -> bool {
        self.tokens.last().is_some_and(|token| {
            matches!(token.kind, TokenKind::Name | TokenKind::Modifier | TokenKind::Punct(b']' | b'}'))
        })
    }

    /// Whether a number follows the bracket here; a name would be the base of an address after a missing comma.
    fn is_subscript(&self) -> bool {
        let mut ahead = self.lexer;
        let next = ahead.next(&mut Found::default()).token;
        next.is_some_and(|token| {
            matches!(token.kind, TokenKind::Integer | TokenKind::Punct(b'+' | b'-' | b'('))
                || &self.item_text()[token.range()] == "WARP_SZ"
        })
    }
}
