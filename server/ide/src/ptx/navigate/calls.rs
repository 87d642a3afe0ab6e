//! Call hierarchy of a module's functions.

use super::super::symbols::extent;
use super::token_range;
use crate::engine::cancel::Cancellable;
use crate::engine::names::demangle;
use crate::engine::ptx_text::placed;
use crate::ptx::view::View;
use crate::{CallItem, CallSite, NamedFunction};
use model::ptx::{Meaning, SymbolKind, UseKind};
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::ptx::{FunctionKind, Item};

/// The function named by a call at the offset, otherwise the function around the offset.
pub(crate) fn item_at(view: &View<'_>, offset: usize) -> Option<CallItem> {
    let place = view.place(offset)?;
    let named = place.token_index().and_then(|token| {
        let name = place.item.token_text(&place.item.tokens()[token]);
        function(view, name).filter(|_| calls(view, place.index).iter().any(|call| call.token == token))
    });
    call_item(view, named.unwrap_or(place.index))
}

pub(crate) fn outgoing(view: &View<'_>, selection: usize) -> Vec<CallSite> {
    let Some(place) = view.place(selection) else { return Vec::new() };
    let mut by_callee: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    for call in calls(view, place.index) {
        if let Some(callee) = function(view, call.name) {
            by_callee.entry(callee).or_default().push(token_range(place.item, place.start, call.token));
        }
    }
    let sites = by_callee.into_iter();
    sites.filter_map(|(callee, calls)| Some(CallSite { item: call_item(view, callee)?, calls })).collect()
}

pub(crate) fn incoming(view: &View<'_>, selection: usize) -> Cancellable<Vec<CallSite>> {
    let Some(place) = view.place(selection) else { return Ok(Vec::new()) };
    let Some(name) = place.item.function().and_then(|_| place.item.name()) else { return Ok(Vec::new()) };
    let mut sites = Vec::new();
    for (index, item) in view.module.items().iter().enumerate() {
        view.cancel.check()?;
        if !item.text().contains(name) {
            continue;
        }
        let own = calls(view, index).into_iter().filter(|call| call.name == name);
        let calls: Vec<_> = own.map(|call| token_range(item, view.start(index), call.token)).collect();
        if !calls.is_empty() {
            sites.extend(call_item(view, index).map(|item| CallSite { item, calls }));
        }
    }
    Ok(sites)
}

/// Names of all functions in text order. Each name is at its definition, otherwise at its first
/// declaration.
pub(crate) fn all_names(view: &View<'_>) -> Cancellable<Vec<NamedFunction>> {
    let mut names = Vec::new();
    for (index, item) in view.module.items().iter().enumerate() {
        view.cancel.check()?;
        let (Some(function), Some(token)) = (item.function(), item.name_token()) else { continue };
        let raw = item.token_text(token);
        if self::function(view, raw) != Some(index) {
            continue;
        }
        names.push(NamedFunction {
            raw: raw.to_owned(),
            name: demangle(raw).unwrap_or_else(|| raw.to_owned()),
            range: placed(view.start(index), &(token.start..token.end())),
            is_kernel: function.kind == FunctionKind::Entry,
        });
    }
    Ok(names)
}

/// Reference to a callee in a direct call or in a `.calltargets` list.
struct Call<'a> {
    /// Token index of the callee's name in the item.
    token: usize,
    name: &'a str,
}

/// Names of functions that an item calls or lists as call targets, in text order.
fn calls<'a>(view: &View<'a>, index: usize) -> Vec<Call<'a>> {
    let item: &'a Item = &view.module.items()[index];
    if item.function().is_none() {
        return Vec::new();
    }
    let facts = view.facts(item);
    let names = facts.names(item);
    let is_function = |what| match what {
        Meaning::Outer => true,
        Meaning::Symbol(symbol, _) => names.symbols()[symbol as usize].kind == SymbolKind::Function,
        _ => false,
    };
    let calls = names.uses().iter().filter(|used| used.kind == UseKind::Call && is_function(used.what));
    calls
        .map(|used| {
            let token = used.token as usize;
            Call { token, name: item.token_text(&item.tokens()[token]) }
        })
        .collect()
}

/// Item index of a function's definition, otherwise of its first declaration.
fn function(view: &View<'_>, name: &str) -> Option<usize> {
    let of_functions = || view.globals().all_of(name).filter(|global| global.kind == SymbolKind::Function);
    let definition = of_functions().find(|global| global.is_definition);
    definition.or_else(|| of_functions().next()).map(|global| global.item)
}

fn call_item(view: &View<'_>, index: usize) -> Option<CallItem> {
    let item = &view.module.items()[index];
    let name = item.name_token().filter(|_| item.function().is_some())?;
    let start = view.start(index);
    let raw = item.token_text(name);
    let readable = demangle(raw).unwrap_or_else(|| raw.to_owned());
    Some(CallItem {
        detail: (readable != raw).then(|| raw.to_owned()),
        name: readable,
        is_kernel: item.function().is_some_and(|function| function.kind == FunctionKind::Entry),
        range: placed(start, &extent(item)?),
        selection: placed(start, &(name.start..name.end())),
    })
}
