//! Declarations of variables, registers and parameters.

use super::body::begins_line;
use super::list::Until;
use super::{Parser, Step};
use crate::ptx::variable::{is_linkage, is_space, is_type};
use crate::ptx::{TokenKind, TokenRange};

impl Parser<'_> {
    /// `.shared .align 16 .b8 tile[2][64], other;`
    pub(super) fn variable(&mut self) -> Step {
        self.head()?;
        self.declarators()?;
        self.semicolon()
    }

    /// The dotted words of a declaration with their arguments, up to a name or to `.entry` or `.func`.
    pub(super) fn head(&mut self) -> Step {
        let (mut has_space, mut has_type, mut has_pointer) = (false, false, false);
        while self.kind() == Some(TokenKind::Modifier) {
            let word = self.word();
            if matches!(word, ".entry" | ".func") && !has_space {
                return Ok(());
            }
            let is_type = is_type(word);
            // A pointer's space is that of its target.
            let is_another = (has_space || has_type) && is_space(word) && !has_pointer
                || has_type && is_type
                || has_space && (is_linkage(word) || begins_line(word) && word != ".align");
            if is_another {
                return Err(self.fail(if has_type { "expected a name" } else { "expected a type" }));
            }
            has_space |= is_space(word);
            has_type |= is_type;
            has_pointer |= word == ".ptr";
            self.bump_as(TokenKind::Directive);
            if word == ".align" {
                self.expect_kind(TokenKind::Integer, "expected a number of bytes")?;
            } else if self.is(b'(') {
                self.arguments()?;
            }
        }
        match (has_space, has_type) {
            (false, _) => Err(self.fail("expected a state space")),
            (_, false) => Err(self.fail("expected a type")),
            _ => Ok(()),
        }
    }

    /// `.attribute(.unified(19, 95))`
    pub(super) fn attribute(&mut self) -> Step {
        self.bump_as(TokenKind::Directive);
        if self.is(b'(') { self.arguments() } else { Err(self.fail("expected `(`")) }
    }

    /// Reads the parentheses of `.attribute`: dotted words, numbers, more parentheses.
    fn arguments(&mut self) -> Step {
        let depth = self.brackets.len();
        loop {
            match self.kind() {
                Some(TokenKind::Punct(b'(')) => self.brackets.push(b')'),
                Some(TokenKind::Punct(b')')) => {
                    self.brackets.pop();
                }
                Some(TokenKind::Modifier) => {
                    self.bump_as(TokenKind::Directive);
                    continue;
                }
                Some(TokenKind::Name | TokenKind::Integer | TokenKind::Punct(b',')) => {}
                _ => return Err(self.fail("expected `,` or `)`")),
            }
            self.bump();
            if self.brackets.len() == depth {
                return Ok(());
            }
        }
    }

    /// `name`, `%r<10>`, `name[2][] = { … }`, with commas between. `ptxas` takes a declaration of nothing, too.
    pub(super) fn declarators(&mut self) -> Step {
        if self.is(b';') {
            return Ok(());
        }
        loop {
            self.expect_kind(TokenKind::Name, "expected a name")?;
            if self.eat(b'<') {
                self.expect_kind(TokenKind::Integer, "expected a number of registers")?;
                self.expect(b'>', "expected `>`")?;
            }
            self.dimensions()?;
            if self.eat(b'=') {
                self.list(Until::Declarator)?;
            }
            if !self.eat(b',') {
                return Ok(());
            }
        }
    }

    fn dimensions(&mut self) -> Step {
        while self.eat(b'[') {
            if matches!(self.kind(), Some(TokenKind::Integer | TokenKind::Name)) {
                self.bump();
            }
            self.expect(b']', "expected a number or `]`")?;
        }
        Ok(())
    }

    /// Reads the parentheses of a function; each parameter says for itself what it is.
    pub(super) fn parameters(&mut self) -> (TokenRange, Step) {
        self.bump();
        let start = self.next_index();
        let mut step = Ok(());
        while !self.is(b')') {
            step = self.parameter();
            if step.is_err() {
                self.skip_parameter();
            }
            let is_next = self.eat(b',');
            if !is_next && self.kind() == Some(TokenKind::Modifier) && is_space(self.word()) {
                // The comma between them is being written.
                if step.is_ok() {
                    self.note("expected `,` or `)`");
                }
            } else if !is_next {
                break;
            } else if step.is_ok() && self.is(b')') {
                self.note("expected a parameter");
            }
        }
        let range = TokenRange { start, end: self.next_index() };
        // Why a parameter could not be read was said.
        let step = match step {
            _ if self.eat(b')') => Ok(()),
            Ok(()) => Err(self.fail("expected `,` or `)`")),
            failed => failed,
        };
        (range, step)
    }

    fn parameter(&mut self) -> Step {
        if self.kind() != Some(TokenKind::Modifier) {
            return Err(self.fail("expected a parameter"));
        }
        let step = self.head().and_then(|()| self.expect_kind(TokenKind::Name, "expected a name"));
        self.brackets.clear();
        step.and_then(|()| self.dimensions())
    }

    /// Goes on to where a parameter ends.
    fn skip_parameter(&mut self) {
        while let Some(kind) = self.kind() {
            let ends = match kind {
                TokenKind::Punct(b',' | b')' | b'{' | b'}' | b';') => true,
                TokenKind::Modifier => self.first_on_line || is_space(self.word()),
                _ => false,
            };
            if ends {
                return;
            }
            self.bump();
        }
    }
}
