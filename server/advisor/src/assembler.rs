//! Errors in a PTX module, as the assembler would say them: item by item, given what module scope declares.
//!
//! What is half-written starts no cascade: a statement with a syntax error is not looked at, and a name that means nothing
//! is reported once and fits everywhere.

mod address;
mod call_parameters;
mod calls;
mod code;
mod constants;
mod declarations;
mod directives;
mod function_limits;
mod header;
mod instruction;
mod module_names;
mod operands;
mod place;
mod spelled;
mod value;
mod vector;

#[cfg(test)]
mod tests;

use crate::finding::{ItemFinding as Finding, ItemRelated as Related, Severity};
use call_parameters::CallResults;
use machine::ptx::Ptx;
use model::ptx::{Globals, Meaning, Names, SymbolKind, UseKind};
use place::Place;
use std::ops::Range;
use syntax::ptx::{Item, Statement, StatementKind, Token};

pub(crate) use code::Code;
pub use header::Heading;
pub(crate) use header::check_header;

/// Facts about the module around an item that a check must know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The instruction set.
    pub tables: &'a Ptx,
    pub globals: &'a Globals,
    /// Index of the item: what is declared in later ones is not known yet.
    pub item: usize,
    /// Where it does not say its version or target, nothing is above them.
    pub module: Heading,
}

/// Returns the errors in an item, in text order.
pub(crate) fn check(item: &Item, names: &Names, context: &Context<'_>) -> Vec<Finding> {
    let mut check =
        Check { item, names, context, problems: Vec::new(), call_results: CallResults::default() };
    check.names();
    check.declarations();
    check.module_names();
    check.directives();
    check.instructions();
    check.constants();
    check.function_limits();
    let mut problems = check.problems;
    problems.sort_by_key(|problem| (problem.place.start, problem.place.end));
    problems
}

fn finding(code: Code, is_error: bool, range: Range<u32>, message: String) -> Finding {
    let severity = if is_error { Severity::Error } else { Severity::Warning };
    Finding { severity: Some(severity), ..Finding::new(code.name(), range, message) }
}

struct Check<'a> {
    item: &'a Item,
    names: &'a Names,
    context: &'a Context<'a>,
    problems: Vec<Finding>,
    call_results: CallResults,
}

impl<'a> Check<'a> {
    fn error(&mut self, code: Code, place: impl Place, message: impl Into<String>) {
        self.add(code, true, place, message);
    }

    fn warning(&mut self, code: Code, place: impl Place, message: impl Into<String>) {
        self.add(code, false, place, message);
    }

    fn add(
        &mut self,
        code: Code,
        is_error: bool,
        place: impl Place,
        message: impl Into<String>,
    ) -> &mut Finding {
        let at = self.problems.len();
        self.problems.push(finding(code, is_error, place.bytes(), message.into()));
        &mut self.problems[at]
    }

    fn text(&self, token: u32) -> &'a str {
        self.item.tokens().get(token as usize).map_or("", |token| self.item.token_text(token))
    }

    fn range_of(&self, token: u32) -> Range<u32> {
        self.item.tokens().get(token as usize).map_or(0..0, |token: &Token| token.start..token.end())
    }

    /// True for a statement in which or at whose end the parser found an error.
    fn is_broken(&self, statement: &Statement) -> bool {
        if statement.kind == StatementKind::Error {
            return true;
        }
        let range = self.item.range(statement);
        self.item.errors().iter().any(|error| error.range.start < range.end && error.range.end > range.start)
    }

    /// Names that mean nothing, and names that are declared twice.
    fn names(&mut self) {
        for used in self.names.uses() {
            if used.what != Meaning::Outer {
                continue;
            }
            if used.kind == UseKind::Mention {
                self.debug_name(used.token);
                continue;
            }
            let name = self.text(used.token);
            let range = self.range_of(used.token);
            let mut all = self.context.globals.all_of(name);
            let mut earlier = self.context.globals.all_of(name);
            let is_before = |item: usize, token: u32| {
                item < self.context.item || item == self.context.item && token < used.token
            };
            if earlier.any(|global| is_before(global.item, global.token)) {
                continue;
            }
            if all.next().is_some() {
                let message = format!(
                    "`{name}` is declared further down; PTX requires the declaration before the first use"
                );
                self.error(Code::UndeclaredName, range, message);
            } else if used.kind == UseKind::Jump {
                let near = self.nearest_name(name, |kind| kind == SymbolKind::Label);
                let message = format!("no label `{name}` in this scope or an enclosing one");
                self.add(Code::UndefinedLabel, true, range, message).suggest(near.as_deref());
            } else {
                let count = self.count_of_stem(name);
                let near = if count.is_none() { self.nearest_name(name, |_| true) } else { None };
                let message = format!("`{name}` is not declared{}", count.unwrap_or_default());
                self.add(Code::UndeclaredName, true, range, message).suggest(near.as_deref());
            }
        }
        for again in self.names.redeclared() {
            let symbols = self.names.symbols();
            let (later, first) = (&symbols[again.symbol as usize], &symbols[again.first as usize]);
            let name = later.name(self.item);
            let (range, first) = (self.range_of(later.token), self.range_of(first.token));
            let problem = self.add(
                Code::RedeclaredName,
                true,
                range,
                format!("`{name}` is already declared in this scope"),
            );
            problem.related.push(Related { place: first, message: "first declared here".into() });
        }
    }

    /// The name of an inlined function, which a label in a section holds.
    fn debug_name(&mut self, token: u32) {
        let range = self.range_of(token);
        let statement = self.item.statement_at(range.start).and_then(|at| self.item.statements().get(at));
        let is_location =
            statement.and_then(|statement| self.item.directive(statement)).is_some_and(|word| word == ".loc");
        let name = self.text(token);
        if is_location && self.context.globals.find(name).is_none() {
            self.error(Code::UndeclaredName, range, format!("no section of the module has a label `{name}`"));
        }
    }

    /// The declared name nearest to this one; `None` where none is near.
    fn nearest_name(&self, name: &str, is_meant: impl Fn(SymbolKind) -> bool) -> Option<String> {
        let own =
            self.names.symbols().iter().filter(|symbol| is_meant(symbol.kind) && symbol.count.is_none());
        let globals = self.context.globals.all().iter().filter(|global| is_meant(global.kind));
        let own = own.map(|symbol| symbol.name(self.item)).chain(globals.map(|global| &*global.name));
        machine::nearest_name(name, own).map(str::to_owned)
    }

    /// Says how many registers there are of a numbered register's stem.
    fn count_of_stem(&self, name: &str) -> Option<String> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let mut all = self.names.symbols().iter().filter(|symbol| symbol.count.is_some());
        let symbol = all.find(|symbol| stem.len() < name.len() && symbol.name(self.item) == stem)?;
        let last = symbol.count?.checked_sub(1)?;
        Some(format!("; the last register `{stem}` is `{stem}{last}`"))
    }
}
