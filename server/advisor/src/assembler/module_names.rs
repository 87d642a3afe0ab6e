//! Checks names at module scope: each name is declared once, or redeclared with the same signature.

use super::calls::array;
use super::code::Code;
use super::findings::Findings;
use model::ptx::{Global, Parameter, Signature, SymbolKind};
use syntax::ptx::ItemKind;

pub(super) fn check(out: &mut Findings<'_>) {
    let facts = out.facts;
    if !matches!(facts.item.kind(), ItemKind::Variable | ItemKind::Function) {
        return;
    }
    let context = facts.context;
    let own = context.globals.all().iter().filter(|global| global.item == context.item);
    for global in own {
        let is_earlier = |other: &&Global| (other.item, other.token) < (global.item, global.token);
        let earlier: Vec<&Global> = context.globals.all_of(&global.name).filter(is_earlier).collect();
        if let Some(message) = earlier.iter().find_map(|other| conflict(other, global)) {
            let range = facts.range_of(global.token);
            out.error(message.0, range, message.1);
        }
    }
}

/// Returns the rule's code and a message if the later declaration conflicts with the first declaration;
/// otherwise `None`.
fn conflict(first: &Global, later: &Global) -> Option<(Code, String)> {
    let name = &later.name;
    let again = || Some((Code::RedeclaredName, format!("`{name}` is already defined")));
    match (&first.function, &later.function) {
        (Some(have), Some(want)) => {
            if let Some(difference) = difference(have, want) {
                return Some((Code::PrototypeMismatch, format!("`{name}` was declared with {difference}")));
            }
            // A function may be declared again until it has a body.
            if first.is_definition { again() } else { None }
        }
        (None, None) if first.kind == SymbolKind::Label || later.kind == SymbolKind::Label => None,
        (None, None) => {
            let is_extern = |global: &Global| global.linkage.as_deref() == Some("extern");
            if !is_extern(first) && !is_extern(later) {
                return again();
            }
            let shape = |global: &Global| {
                let variable = global.variable.as_ref()?;
                Some((global.ty.clone(), variable.space, variable.vector, variable.dimensions.len()))
            };
            if shape(first) != shape(later) {
                return Some((
                    Code::PrototypeMismatch,
                    format!("`{name}` was declared with another type or space"),
                ));
            }
            let is_static = |global: &Global| global.linkage.is_none();
            (is_extern(first) && is_static(later)).then(|| {
                (
                    Code::PrototypeMismatch,
                    format!("`{name}` was declared `.extern`; its definition must be `.visible`"),
                )
            })
        }
        _ => Some((Code::RedeclaredName, format!("`{name}` is already declared as something else"))),
    }
}

fn difference(first: &Signature, later: &Signature) -> Option<String> {
    if first.is_entry != later.is_entry {
        return Some(if first.is_entry { "`.entry`".into() } else { "`.func`".into() });
    }
    for (have, want, what) in
        [(&first.results, &later.results, "result"), (&first.parameters, &later.parameters, "parameter")]
    {
        if have.len() != want.len() {
            let plural = if have.len() == 1 { "" } else { "s" };
            return Some(format!("{} {what}{plural}", have.len()));
        }
        let differs = |(have, want): &(&Parameter, &Parameter)| have != want;
        if let Some(at) = have.iter().zip(&**want).position(|pair| differs(&pair)) {
            let have = &have[at];
            let array = array(have);
            return Some(format!(".{} .{}{array} as {what} {}", have.space, have.ty, at + 1));
        }
    }
    None
}
