//! `.section` with its rows of debug data.

use super::function::begins_item;
use super::list::Until;
use super::{Parser, Step};
use crate::ptx::{ItemKind, StatementKind, TokenKind};

impl Parser<'_> {
    pub(super) fn section(&mut self) -> ItemKind {
        if self.section_name().is_err() {
            while self.current.is_some() && !self.is(b'{') && !self.first_on_line {
                self.bump();
            }
        }
        self.add(0, StatementKind::Directive, Ok(()));
        if self.is(b'{') {
            self.rows();
        }
        ItemKind::Section
    }

    /// `.section .debug_info`
    fn section_name(&mut self) -> Step {
        self.bump_as(TokenKind::Directive);
        if self.kind() != Some(TokenKind::Modifier) || begins_item(self.word()) {
            return Err(self.fail("expected the section's name"));
        }
        self.bump_as(TokenKind::Directive);
        if self.is(b'{') { Ok(()) } else { Err(self.fail("expected `{`")) }
    }

    fn rows(&mut self) {
        self.open_scope();
        while !self.scopes.is_empty() {
            let first = self.next_index();
            match self.kind() {
                Some(TokenKind::Modifier)
                    if matches!(self.word(), ".section" | ".version" | ".visible" | ".func") =>
                {
                    return self.leave_scopes();
                }
                Some(TokenKind::Modifier) => {
                    self.bump_as(TokenKind::Directive);
                    let step = self.list(Until::Row);
                    self.eat(b';');
                    self.add(first, StatementKind::Data, step);
                }
                Some(TokenKind::Name) => {
                    self.bump();
                    if self.is(b':') {
                        self.label(first);
                    } else {
                        let failed = self.fail("expected `:`");
                        self.add(first, StatementKind::Error, Err(failed));
                    }
                }
                Some(TokenKind::Punct(b'}')) => self.close_scope(),
                None => return self.leave_scopes(),
                Some(_) => self.unexpected("expected a row of data"),
            }
        }
    }
}
