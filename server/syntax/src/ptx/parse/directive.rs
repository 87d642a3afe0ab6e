//! Directives, at module scope and in bodies.

use super::list::Until;
use super::{Parser, Step};
use crate::ptx::variable::{is_linkage, is_space};
use crate::ptx::{ItemKind, StatementKind, TokenKind};

impl Parser<'_> {
    /// The item that starts with the dotted word here.
    pub(super) fn dotted_item(&mut self) -> ItemKind {
        let word = self.word();
        match word {
            ".section" => return self.section(),
            ".version" => self.directive(|parser| {
                parser.bump_as(TokenKind::Directive);
                parser.expect_kind(TokenKind::Float, "expected a version as `9.0`")
            }),
            ".address_size" => self.directive(|parser| {
                parser.bump_as(TokenKind::Directive);
                parser.expect_kind(TokenKind::Integer, "expected 32 or 64")
            }),
            ".target" => self.directive(Self::target),
            ".file" => self.directive(Self::file),
            ".loc" | ".loc_intermediate" => self.directive(Self::location),
            _ if is_linkage(word) || is_space(word) || begins_declaration(word) => return self.declaration(),
            ".pragma" | ".alias" => self.directive(Self::terminated),
            _ => self.directive(|parser| {
                parser.unknown();
                Ok(())
            }),
        }
        ItemKind::Directive
    }

    fn directive(&mut self, read: impl FnOnce(&mut Self) -> Step) {
        let step = read(self);
        self.add(0, StatementKind::Directive, step);
    }

    /// A variable or a function.
    fn declaration(&mut self) -> ItemKind {
        let linkage = is_linkage(self.word()).then_some(0);
        let step = self.head();
        if step.is_ok() && matches!(self.word(), ".entry" | ".func") {
            return self.function(linkage);
        }
        let step = step.and_then(|()| self.declarators()).and_then(|()| self.semicolon());
        self.add(0, StatementKind::Variable, step);
        ItemKind::Variable
    }

    /// `.target sm_90a, debug`
    fn target(&mut self) -> Step {
        self.bump_as(TokenKind::Directive);
        loop {
            self.expect_kind(TokenKind::Name, "expected an architecture or an option")?;
            if !self.eat(b',') {
                return Ok(());
            }
        }
    }

    /// A directive that a `;` ends: `.pragma "nounroll";`, `.branchtargets L1, L2;`, `.alias a, b;`.
    pub(super) fn terminated(&mut self) -> Step {
        let is_pragma = self.word() == ".pragma";
        self.bump_as(TokenKind::Directive);
        if is_pragma && self.kind() != Some(TokenKind::String) {
            return Err(self.fail("expected a string"));
        }
        self.list(Until::Semicolon)?;
        self.semicolon()
    }

    /// Reads an unknown directive at module scope, with the rest of its line.
    fn unknown(&mut self) {
        self.note_here("expected a directive");
        self.bump_as(TokenKind::Directive);
        while self.current.is_some() && !self.first_on_line && !self.is(b'}') {
            if self.eat(b';') {
                break;
            }
            self.bump();
        }
    }

    /// `.loc 1 5 0, function_name $L__info_string0, inlined_at 1 7 5`: a place, and into which it was inlined.
    pub(super) fn location(&mut self) -> Step {
        self.bump_as(TokenKind::Directive);
        self.place()?;
        while self.eat(b',') {
            let word = self.word();
            self.expect_kind(TokenKind::Name, "expected `function_name` or `inlined_at`")?;
            if word == "inlined_at" {
                self.place()?;
                continue;
            }
            self.expect_kind(TokenKind::Name, "expected a label")?;
            if self.eat(b'+') {
                self.expect_kind(TokenKind::Integer, "expected an offset")?;
            }
        }
        Ok(())
    }

    fn place(&mut self) -> Step {
        self.expect_kind(TokenKind::Integer, "expected the index of a file")?;
        self.expect_kind(TokenKind::Integer, "expected a line")?;
        self.expect_kind(TokenKind::Integer, "expected a column")
    }

    /// `.file 1 "kernel.cu", 1700000000, 512`: the index, the path, when it was changed, how long it is.
    pub(super) fn file(&mut self) -> Step {
        self.bump_as(TokenKind::Directive);
        self.expect_kind(TokenKind::Integer, "expected the index of the file")?;
        self.expect_kind(TokenKind::String, "expected the path of the file")?;
        if self.eat(b',') { self.values() } else { Ok(()) }
    }

    /// Numbers and strings with commas between; none is as well.
    pub(super) fn values(&mut self) -> Step {
        let mut last = self.tokens.last().copied();
        while let Some(TokenKind::Integer | TokenKind::Float | TokenKind::String) = self.kind() {
            self.bump();
            last = self.current;
            if !self.eat(b',') {
                return Ok(());
            }
        }
        if last.is_some_and(|token| token.is(b',')) { Err(self.fail("expected a value")) } else { Ok(()) }
    }
}

fn begins_declaration(word: &str) -> bool {
    matches!(word, ".entry" | ".func" | ".align" | ".attribute")
}
