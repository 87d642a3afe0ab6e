//! Navigation from a name: definitions, declarations, references, and callers of functions.

mod calls;

pub(crate) use calls::{all_names, incoming as incoming_calls, item_at, outgoing as outgoing_calls};

use super::referent::{self, Referent, is_of_module};
use super::values;
use crate::engine::cancel::Cancellable;
use crate::engine::ptx_text::placed;
use crate::ptx::view::{Position, View};
use crate::{NavigationTarget, Reference, Usage};
use model::ptx::{Meaning, Names, SymbolKind, UseKind};
use std::ops::Range;
use std::sync::Arc;
use syntax::ptx::{Item, ItemKind};

/// Definitions of the name at an offset. For a register read, these are the reaching writes. For other
/// names, these are the declarations. Also returns the range of the name at the offset. `None` if no
/// name is at the offset, or if the name has no definition.
pub(crate) fn definitions(view: &View<'_>, offset: usize) -> Option<(Range<usize>, Vec<NavigationTarget>)> {
    let place = view.place(offset)?;
    let facts = view.facts(place.item);
    let names = facts.names(place.item);
    let (token, subject) = referent::at(view, &place, names)?;
    let targets = match subject {
        Referent::Local { symbol, .. } => local(view, &place, names, token, symbol),
        Referent::Global(name) => declarations(view, name),
        Referent::SpecialRegister(_) | Referent::Unknown(_) => Vec::new(),
    };
    (!targets.is_empty()).then(|| (token_range(place.item, place.start, token), targets))
}

/// Declaration of the name at an offset, if the surrounding function declares the name. Also returns
/// the range of the name at the offset.
pub(crate) fn declaration(view: &View<'_>, offset: usize) -> Option<(Range<usize>, NavigationTarget)> {
    let place = view.place(offset)?;
    let facts = view.facts(place.item);
    let names = facts.names(place.item);
    let (token, subject) = referent::at(view, &place, names)?;
    let Referent::Local { symbol, .. } = subject else { return None };
    let declared = &names.symbols()[symbol as usize];
    let target = target(place.item, place.start, declared.token as usize);
    Some((token_range(place.item, place.start, token), target))
}

fn local(
    view: &View<'_>,
    place: &Position<'_>,
    names: &Names,
    token: usize,
    symbol: u32,
) -> Vec<NavigationTarget> {
    let declared = &names.symbols()[symbol as usize];
    let is_read = names.use_at(token as u32).is_some_and(|used| used.kind == UseKind::Read);
    if declared.kind == SymbolKind::Register && is_read {
        let origins = values::origins(view, place.item, names, token as u32);
        let tokens = origins.iter().flat_map(values::ReachingWrites::tokens);
        let found: Vec<_> = tokens.map(|&token| target(place.item, place.start, token as usize)).collect();
        if !found.is_empty() {
            return found;
        }
    }
    vec![target(place.item, place.start, declared.token as usize)]
}

/// Definitions of a module-scope name, otherwise all declarations.
fn declarations(view: &View<'_>, name: &str) -> Vec<NavigationTarget> {
    let globals = view.globals();
    let defines = globals.all_of(name).any(|global| global.is_definition);
    let meant = globals.all_of(name).filter(|global| global.is_definition || !defines);
    let target =
        |item: usize, token: u32| target(&view.module.items()[item], view.start(item), token as usize);
    meant.map(|global| target(global.item, global.token)).collect()
}

fn target(item: &Item, start: usize, token: usize) -> NavigationTarget {
    let selection = token_range(item, start, token);
    let byte = item.tokens()[token].start;
    let around = item.statement_at(byte).map(|at| placed(start, &item.range(&item.statements()[at])));
    NavigationTarget { range: around.unwrap_or_else(|| selection.clone()), selection }
}

fn token_range(item: &Item, start: usize, token: usize) -> Range<usize> {
    let token = &item.tokens()[token];
    placed(start, &(token.start..token.end()))
}

/// All mentions of the name at an offset, in text order.
pub(crate) fn references(view: &View<'_>, offset: usize) -> Cancellable<Vec<Reference>> {
    let Some(place) = view.place(offset) else { return Ok(Vec::new()) };
    let facts = view.facts(place.item);
    let names = facts.names(place.item);
    let Some((_, subject)) = referent::at(view, &place, names) else { return Ok(Vec::new()) };
    let mentions = mentions(view, &place, subject)?;
    let range = |mention: &Mention<'_>| token_range(mention.item, mention.start, mention.token);
    Ok(mentions.iter().map(|mention| Reference { range: range(mention), usage: mention.usage }).collect())
}

/// A token that mentions a symbol.
pub(super) struct Mention<'a> {
    /// Index of the item in the module.
    pub index: usize,
    pub item: &'a Arc<Item>,
    /// Offset of the item in the text.
    pub start: usize,
    /// Index of the token in the item.
    pub token: usize,
    pub usage: Usage,
}

/// All mentions of `subject`, the referent of the name at `place`, in text order.
pub(super) fn mentions<'a>(
    view: &View<'a>,
    place: &Position<'a>,
    subject: Referent<'a>,
) -> Cancellable<Vec<Mention<'a>>> {
    match subject {
        Referent::Local { symbol, number } => local_mentions(view, place, symbol, number),
        Referent::Global(name) | Referent::Unknown(name) => {
            named(view, 0..view.module.items().len(), |_| true, name)
        }
        Referent::SpecialRegister(name) => named(view, place.index..place.index + 1, |_| true, name),
    }
}

/// Mentions of a name that the item declares. Mentions of a label include mentions in debug sections.
fn local_mentions<'a>(
    view: &View<'a>,
    place: &Position<'a>,
    symbol: u32,
    number: Option<u32>,
) -> Cancellable<Vec<Mention<'a>>> {
    let facts = view.facts(place.item);
    let names = facts.names(place.item);
    let declared = &names.symbols()[symbol as usize];
    let mention = |token: u32, usage| Mention {
        index: place.index,
        item: place.item,
        start: place.start,
        token: token as usize,
        usage,
    };
    let mut found = vec![mention(declared.token, Usage::Write)];
    found.extend(names.uses().iter().filter_map(|used| match used.what {
        Meaning::Symbol(other, which) if other == symbol && (number.is_none() || which == number) => {
            Some(mention(used.token, usage(used.kind)))
        }
        _ => None,
    }));
    found.sort_by_key(|mention| mention.token);
    if declared.kind == SymbolKind::Label {
        let name = declared.name(place.item);
        let all = 0..view.module.items().len();
        let sections = named(view, all, |item| item.kind() == ItemKind::Section, name)?;
        found.extend(sections);
        found.sort_by_key(|mention| (mention.index, mention.token));
    }
    Ok(found)
}

/// Mentions of the module-scope name or special register `name` in the given items. Skips items for
/// which `is_meant` returns false.
fn named<'a>(
    view: &View<'a>,
    items: Range<usize>,
    is_meant: impl Fn(&Item) -> bool,
    name: &str,
) -> Cancellable<Vec<Mention<'a>>> {
    let mut found = Vec::new();
    for index in items {
        view.cancel.check()?;
        let item = &view.module.items()[index];
        // Most items do not contain the name, so their names need not be resolved.
        if !is_meant(item) || !item.text().contains(name) {
            continue;
        }
        let facts = view.facts(item);
        let names = facts.names(item);
        let start = view.start(index);
        for (token, spelled) in item.tokens().iter().enumerate() {
            if spelled.len as usize != name.len() || item.token_text(spelled) != name {
                continue;
            }
            let Some(usage) = usage_outside(item, names, token as u32) else { continue };
            found.push(Mention { index, item, start, token, usage });
        }
    }
    Ok(found)
}

/// Usage of a module-scope name or special register by a token; `None` if the item itself declares the
/// name.
fn usage_outside(item: &Item, names: &Names, token: u32) -> Option<Usage> {
    if let Some(symbol) = names.declared_at(token) {
        return is_of_module(item, &names.symbols()[symbol as usize]).then_some(Usage::Write);
    }
    let used = names.use_at(token)?;
    match used.what {
        Meaning::Symbol(symbol, _) => {
            is_of_module(item, &names.symbols()[symbol as usize]).then_some(usage(used.kind))
        }
        Meaning::Outer | Meaning::SpecialRegister => Some(usage(used.kind)),
        Meaning::Word => None,
    }
}

const fn usage(kind: UseKind) -> Usage {
    match kind {
        UseKind::Write | UseKind::ReadWrite => Usage::Write,
        UseKind::Read => Usage::Read,
        UseKind::Address | UseKind::Call | UseKind::Jump | UseKind::List | UseKind::Mention => Usage::Text,
    }
}
