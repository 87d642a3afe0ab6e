//! Input of a check: a PTX item, its resolved names, and the facts about its module.

use super::header::Heading;
use machine::ptx::Ptx;
use model::ptx::{Globals, Names};
use std::ops::Range;
use syntax::ptx::{Item, Statement, StatementKind};

/// Facts about an item's module that a check needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The PTX instruction tables.
    pub tables: &'a Ptx,
    pub globals: &'a Globals,
    /// Index of the item in its module. Declarations in later items are not visible in the item.
    pub item: usize,
    /// The module's version and target. If either is missing, no instruction is reported as too new.
    pub module: Heading,
}

/// An item, its names, and its module.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub item: &'a Item,
    pub names: &'a Names,
    pub context: &'a Context<'a>,
}

impl<'a> Facts<'a> {
    pub(super) fn text(self, token: u32) -> &'a str {
        self.item.tokens().get(token as usize).map_or("", |token| self.item.token_text(token))
    }

    pub(super) fn range_of(self, token: u32) -> Range<u32> {
        self.item.tokens().get(token as usize).map_or(0..0, |token| token.start..token.end())
    }

    /// True if the parser found an error in a statement or at its end.
    pub(super) fn is_broken(self, statement: &Statement) -> bool {
        if statement.kind == StatementKind::Error {
            return true;
        }
        let range = self.item.range(statement);
        self.item.errors().iter().any(|error| error.range.start < range.end && error.range.end > range.start)
    }
}
