//! Code action that adds `__restrict__` to a kernel's pointers, and `const` to pointers that the kernel only
//! reads through.

use super::place::{EditSite, has_word};
use super::pointer::{Access, access, is_kernel, passes_one_twice};
use crate::{AdviceAction, TextEdit};
use syntax::cuda::{Expr, ExprKind, ItemKind, Parameter, StmtKind};

/// Returns the action for a pointer parameter. `None` if all pointers already have these qualifiers, if a launch passes
/// the same array for two pointers, or if the type of another pointer is not understood.
pub(super) fn action(place: &EditSite<'_>) -> Option<AdviceAction> {
    let is_pointer = |parameter: &&Parameter| {
        let of = &parameter.of;
        of.pointers == 1
            && of.dimensions.is_empty()
            && !of.is_reference
            && !of.is_volatile
            && !parameter.name.is_empty()
    };
    let parameters = &place.function.parameters;
    let pointers: Vec<&Parameter> = parameters.iter().filter(is_pointer).collect();
    let is_here =
        |parameter: &&Parameter| parameter.range.start <= place.byte && place.byte <= parameter.range.end;
    let is_asked = place.function.is_kernel() && pointers.iter().any(is_here);
    // A parameter whose type is not understood may alias the other parameters.
    let is_other = |parameter: &Parameter| parameter.of.pointers > 0 && !is_pointer(&parameter);
    if !is_asked || parameters.iter().any(is_other) || passes_one_twice(place) {
        return None;
    }
    let may_change_type = is_only_launched(place);
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut has_const = false;
    for pointer in pointers {
        let text = place.slice(&pointer.range);
        let head = text.strip_suffix(&*pointer.name)?;
        if !pointer.of.is_const && may_change_type && access(place, &pointer.name) == Access::Read {
            has_const = true;
            edits.push(place.edit(pointer.range.start..pointer.range.start, "const "));
        }
        if !pointer.of.is_restrict {
            let at = pointer.range.start + head.len() as u32;
            let blank = if head.ends_with(['*', ' ']) { "" } else { " " };
            edits.push(place.edit(at..at, format!("{blank}__restrict__ ")));
        }
    }
    if edits.is_empty() {
        return None;
    }
    let words = if has_const { "const and __restrict__" } else { "__restrict__" };
    let title = format!(
        "Add {words} to the pointers of `{}` (promises that they do not overlap)",
        place.function.name
    );
    Some(AdviceAction {
        explanation: "The compiler may then keep values in registers and load through the read-only cache. If two \
                      arrays of a launch overlap and one of them is written, the results of the launch change. \
                      `const` also changes the name that the linker sees."
            .to_owned(),
        ..AdviceAction::ready(title, edits)
    })
}

/// True if the other functions in the file only launch the kernel or pass it to functions, so that the kernel's type
/// can be changed.
fn is_only_launched(place: &EditSite<'_>) -> bool {
    let unit = place.view.text.unit();
    let text = place.view.text.text();
    unit.items.iter().filter(|placed| placed.start != place.placed.start).all(|placed| {
        match &placed.item.kind {
            ItemKind::Function(function)
                if function.body.is_some() && function.name != place.function.name =>
            {
                let mut takes = false;
                function.body.iter().for_each(|body| {
                    body.walk(&mut |stmt| {
                        if let StmtKind::Declaration(variables) = &stmt.kind {
                            let values = variables.iter().filter_map(|variable| variable.value.as_ref());
                            takes |= values.into_iter().any(|value| names_kernel(place, value));
                        }
                    });
                    body.walk_expressions(&mut |expr| match &expr.kind {
                        ExprKind::Assign { right, .. } => takes |= names_kernel(place, right),
                        ExprKind::Lambda(_) | ExprKind::Unknown => {
                            let text = text.get(placed.range(&expr.range)).unwrap_or_default();
                            takes |= has_word(text, &place.function.name) && !text.starts_with('"');
                        }
                        _ => {}
                    });
                });
                !takes
            }
            _ => !has_word(&text[placed.range(&(0..placed.item.length))], &place.function.name),
        }
    })
}

/// True if a value may be the address of the kernel.
fn names_kernel(place: &EditSite<'_>, value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Name { name, .. } => is_kernel(place, name),
        ExprKind::Unary { of, .. } | ExprKind::Cast { of, .. } => names_kernel(place, of),
        ExprKind::List(values) => values.iter().any(|value| names_kernel(place, value)),
        ExprKind::Conditional { then, otherwise, .. } => {
            names_kernel(place, then) || names_kernel(place, otherwise)
        }
        _ => false,
    }
}
