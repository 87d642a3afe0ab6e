//! Completion in PTX. It is fast in long functions, because it does not resolve all names of a
//! function.

mod items;
mod operands;
mod pages;
mod registers;
mod site;

pub(super) use operands::{forms, possible, present};
pub(crate) use pages::page;
pub(super) use site::{OperandSite, Site, SiteKind};

use crate::Completions;
use crate::ptx::view::View;
use items::Scope;
use std::fmt::Write;

/// Completions at an offset, likeliest first; `None` if nothing can be proposed.
pub(crate) fn completions(view: &View<'_>, offset: usize) -> Option<Completions> {
    if view.module.is_empty() {
        return Some(Completions { range: 0..0, opcode: String::new(), items: items::of_module(view) });
    }
    let site = Site::at(view, offset)?;
    let scope = Scope { view, site: &site };
    let items = match &site.context {
        SiteKind::Statement => scope.instructions(),
        SiteKind::Module => items::of_module(view),
        SiteKind::Directive(place) => items::directives(view, place),
        SiteKind::Declaration { space, place } => scope.declaration(space, place),
        SiteKind::Target => scope.targets(),
        SiteKind::Guard => scope.guards(),
        SiteKind::Modifier(spelled) => scope.modifiers(spelled),
        SiteKind::Operand(operand) => scope.operand(operand),
        SiteKind::Selector(name) => scope.selectors(name),
    };
    let mut opcode = String::new();
    if let SiteKind::Modifier(spelled) = &site.context {
        opcode.clone_from(&spelled.opcode);
        for modifier in &spelled.modifiers {
            let _ = write!(opcode, ".{modifier}");
        }
    }
    let start = site.place.start;
    let range = start + site.word.start as usize..start + site.word.end as usize;
    (!items.is_empty()).then_some(Completions { range, opcode, items })
}
