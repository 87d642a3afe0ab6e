//! Checks for names that are not declared and for names that are declared twice.

use super::code::Code;
use super::facts::Facts;
use super::findings::Findings;
use crate::finding::ItemRelated as Related;
use model::ptx::{Meaning, SymbolKind, UseKind};

/// Reports names that are not declared, and names that are declared twice.
pub(super) fn check(out: &mut Findings<'_>) {
    let facts = out.facts;
    for used in facts.names.uses() {
        if used.what != Meaning::Outer {
            continue;
        }
        if used.kind == UseKind::Mention {
            debug_name(out, used.token);
            continue;
        }
        let name = facts.text(used.token);
        let range = facts.range_of(used.token);
        let mut all = facts.context.globals.all_of(name);
        let mut earlier = facts.context.globals.all_of(name);
        let is_before = |item: usize, token: u32| {
            item < facts.context.item || item == facts.context.item && token < used.token
        };
        if earlier.any(|global| is_before(global.item, global.token)) {
            continue;
        }
        if all.next().is_some() {
            let message = format!(
                "`{name}` is declared further down; PTX requires the declaration before the first use"
            );
            out.error(Code::UndeclaredName, range, message);
        } else if used.kind == UseKind::Jump {
            let near = nearest_name(facts, name, |kind| kind == SymbolKind::Label);
            let message = format!("no label `{name}` in this scope or an enclosing one");
            out.add(Code::UndefinedLabel, true, range, message).suggest(near.as_deref());
        } else {
            let count = count_of_stem(facts, name);
            let near = if count.is_none() { nearest_name(facts, name, |_| true) } else { None };
            let message = format!("`{name}` is not declared{}", count.unwrap_or_default());
            out.add(Code::UndeclaredName, true, range, message).suggest(near.as_deref());
        }
    }
    for again in facts.names.redeclared() {
        let symbols = facts.names.symbols();
        let (later, first) = (&symbols[again.symbol as usize], &symbols[again.first as usize]);
        let name = later.name(facts.item);
        let (range, first) = (facts.range_of(later.token), facts.range_of(first.token));
        let problem =
            out.add(Code::RedeclaredName, true, range, format!("`{name}` is already declared in this scope"));
        problem.related.push(Related { place: first, message: "first declared here".into() });
    }
}

/// Checks the function name of a `.loc`. The name must be a label in a section.
fn debug_name(out: &mut Findings<'_>, token: u32) {
    let facts = out.facts;
    let range = facts.range_of(token);
    let statement = facts.item.statement_at(range.start).and_then(|at| facts.item.statements().get(at));
    let is_location =
        statement.and_then(|statement| facts.item.directive(statement)).is_some_and(|word| word == ".loc");
    let name = facts.text(token);
    if is_location && facts.context.globals.find(name).is_none() {
        out.error(Code::UndeclaredName, range, format!("no section of the module has a label `{name}`"));
    }
}

/// The most similar declared name; `None` if no declared name is similar.
fn nearest_name(facts: Facts<'_>, name: &str, is_meant: impl Fn(SymbolKind) -> bool) -> Option<String> {
    let own = facts.names.symbols().iter().filter(|symbol| is_meant(symbol.kind) && symbol.count.is_none());
    let globals = facts.context.globals.all().iter().filter(|global| is_meant(global.kind));
    let own = own.map(|symbol| symbol.name(facts.item)).chain(globals.map(|global| &*global.name));
    machine::nearest_name(name, own).map(str::to_owned)
}

/// Returns `; the last register ...` if the name is a numbered register beyond the declared count; otherwise
/// `None`.
fn count_of_stem(facts: Facts<'_>, name: &str) -> Option<String> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let mut all = facts.names.symbols().iter().filter(|symbol| symbol.count.is_some());
    let symbol = all.find(|symbol| stem.len() < name.len() && symbol.name(facts.item) == stem)?;
    let last = symbol.count?.checked_sub(1)?;
    Some(format!("; the last register `{stem}` is `{stem}{last}`"))
}
