//! Renaming. The new text must have the same syntax tree, and every name must refer to the same symbol
//! as before.

use super::navigate::{Mention, mentions};
use super::referent::{self, Referent};
use crate::engine::cancel::Cancellable;
use crate::engine::ptx_text::placed;
use crate::ptx::view::View;
use crate::{Refusal, TextEdit};
use model::ptx::{Globals, Names, SymbolKind};
use std::ops::Range;
use syntax::ptx::{Item, Module};

/// Byte range of the name at an offset; `Err` if the name cannot be renamed.
pub(crate) fn range_at(view: &View<'_>, offset: usize) -> Result<Range<usize>, Refusal> {
    renamed(view, offset).map(|(range, _)| range)
}

/// Edits that rename all mentions of the symbol at an offset, in text order.
pub(crate) fn rename(
    view: &View<'_>,
    offset: usize,
    new: &str,
) -> Cancellable<Result<Vec<TextEdit>, Refusal>> {
    let (range, subject) = match renamed(view, offset) {
        Ok(found) => found,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let Some(place) = view.place(range.start) else { return Ok(Ok(Vec::new())) };
    let old = &place.item.text()[range.start - place.start..range.end - place.start];
    if old == new {
        return Ok(Ok(Vec::new()));
    }
    if !is_identifier(new) {
        return Ok(refuse(format!(
            "`{new}` is not a name: expected a letter, or `_`, `$` or `%` and one more character, then letters, digits, `_` and `$`"
        )));
    }
    let mentions = mentions(view, &place, subject)?;
    if let Some(refusal) = taken(view, subject, &mentions, new) {
        return Ok(Err(refusal));
    }
    // Renaming a family such as `%r<10>` replaces only the stem of its members. The members keep their
    // numbers.
    let edit = |mention: &Mention<'_>| {
        let token = &mention.item.tokens()[mention.token];
        let range = token.start..token.start + old.len() as u32;
        (range, new.to_owned())
    };
    let mut edits = Vec::new();
    for own in mentions.chunk_by(|one, next| one.index == next.index) {
        view.cancel.check()?;
        let changes: Vec<(Range<u32>, String)> = own.iter().map(edit).collect();
        if !means_the_same(own[0].item, &changes) {
            return Ok(refuse(format!(
                "`{new}` would refer to something else, or make another name refer to something else"
            )));
        }
        let start = own[0].start;
        edits
            .extend(changes.into_iter().map(|(range, text)| TextEdit { range: placed(start, &range), text }));
    }
    Ok(Ok(edits))
}

fn refuse<T>(why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(why.into()))
}

fn renamed<'a>(view: &View<'a>, offset: usize) -> Result<(Range<usize>, Referent<'a>), Refusal> {
    const NOTHING: &str = "only registers, labels, variables, parameters and functions can be renamed";
    let Some(place) = view.place(offset) else { return refuse(NOTHING) };
    let facts = view.facts(place.item);
    let names = facts.names(place.item);
    let Some((token, subject)) = referent::at(view, &place, names) else { return refuse(NOTHING) };
    let token = &place.item.tokens()[token];
    match subject {
        Referent::Local { symbol, number: Some(number) } => {
            let family = &names.symbols()[symbol as usize];
            let (stem, count) = (family.name(place.item), family.count.unwrap_or_default());
            return refuse(format!(
                "{stem}{number} is declared by `{stem}<{count}>`: rename {stem} in that declaration, or declare a \
                 separate register"
            ));
        }
        Referent::Global(name) => {
            let is_extern = |word: &Option<Box<str>>| word.as_deref() == Some("extern");
            if view.globals().all_of(name).all(|global| is_extern(&global.linkage)) {
                return refuse(format!("{name} is defined in another module, which uses this name too"));
            }
        }
        Referent::SpecialRegister(name) => return refuse(format!("{name} is a special register")),
        Referent::Unknown(name) => return refuse(format!("nothing in this module declares {name}")),
        Referent::Local { .. } => {}
    }
    Ok((placed(place.start, &(token.start..token.end())), subject))
}

/// True for a valid PTX identifier.
fn is_identifier(name: &str) -> bool {
    let mut letters = name.bytes();
    let is_follow = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    match letters.next() {
        Some(first) if first.is_ascii_alphabetic() => letters.all(is_follow),
        Some(b'_' | b'$' | b'%') => letters.len() > 0 && letters.all(is_follow),
        _ => false,
    }
}

/// Refusal if the new name is a special register or already declared in the same scope; otherwise
/// `None`.
fn taken(view: &View<'_>, subject: Referent<'_>, mentions: &[Mention<'_>], new: &str) -> Option<Refusal> {
    if view.table.special_register(new).is_some() {
        return Some(Refusal(format!("{new} is a special register")));
    }
    match subject {
        Referent::Global(_) if view.globals().find(new).is_some() => {
            Some(Refusal(format!("{new} is already taken in this module")))
        }
        Referent::Local { symbol, .. } => {
            let first = mentions.first()?;
            let facts = view.facts(first.item);
            let names = facts.names(first.item);
            let own = names.symbols().get(symbol as usize)?;
            let same = |other: &&model::ptx::Symbol| {
                other.scope == own.scope && other.name(first.item) == new && other.token != own.token
            };
            let other = names.symbols().iter().find(same)?;
            let kind = match other.kind {
                SymbolKind::Register => "a register",
                SymbolKind::Label => "a label",
                SymbolKind::Parameter => "a parameter",
                SymbolKind::Function => "the function",
                _ => "a variable",
            };
            Some(Refusal(format!("{new} is already taken by {kind} in the same scope")))
        }
        _ => None,
    }
}

/// True if the changed item has the same syntax, and every name refers to the same symbol.
fn means_the_same(item: &Item, changes: &[(Range<u32>, String)]) -> bool {
    let mut text = item.text().to_owned();
    for (range, new) in changes.iter().rev() {
        text.replace_range(range.start as usize..range.end as usize, new);
    }
    let module = Module::parse(&text);
    let [read] = module.items() else { return false };
    let kinds = |item: &Item| item.tokens().iter().map(|token| token.kind).collect::<Vec<_>>();
    let declared = |module: &Module| Globals::collect(module).all().len();
    read.statements() == item.statements()
        && kinds(read) == kinds(item)
        && read.errors().len() == item.errors().len()
        && Names::resolve(read) == Names::resolve(item)
        && declared(&module) == declared(&Module::parse(item.text()))
}
