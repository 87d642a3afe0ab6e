//! Code action that loads an element with `__ldg`.

use super::place::EditSite;
use super::pointer::{Access, access, is_moved, passes_one_twice};
use crate::AdviceAction;
use syntax::cuda::{Expr, ExprKind, UnaryOp};

/// Types that `__ldg` supports. Source: CUDA C++ programming guide, read-only data cache load function.
const TYPES: [&str; 24] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "char2",
    "char4",
    "short2",
    "short4",
    "int2",
    "int4",
    "uint2",
    "uint4",
    "float2",
    "float4",
];

/// Returns the action for an element of a pointer parameter that the kernel only reads through. `None` if the
/// pointer is `const` and `__restrict__`, because the compiler then emits such loads itself.
pub(super) fn action(place: &EditSite<'_>) -> Option<AdviceAction> {
    let expr =
        place.innermost(|expr| matches!(&expr.kind, ExprKind::Index { of, .. } if of.as_name().is_some()))?;
    let ExprKind::Index { of, .. } = &expr.kind else { return None };
    let name = of.as_name()?;
    let parameter = place.function.parameters.iter().find(|parameter| parameter.name == name)?;
    let of = &parameter.of;
    let is_plain =
        of.pointers == 1 && of.dimensions.is_empty() && !of.is_volatile && TYPES.contains(&&*of.name);
    let is_reported = of.is_const && of.is_restrict;
    if !place.function.is_kernel() || !is_plain || is_reported || is_addressed(place, expr) {
        return None;
    }
    if access(place, name) != Access::Read || is_moved(place, name) || passes_one_twice(place) {
        return None;
    }
    let edit = place.edit(expr.range.clone(), format!("__ldg(&{})", place.slice(&expr.range)));
    let title =
        format!("Load `{name}` with __ldg (promises that nothing writes to it while the kernel runs)");
    Some(AdviceAction {
        explanation: "The load goes through the read-only path. The kernel does not write through this pointer. The \
                      source does not show whether the same memory is written through another pointer or by another \
                      kernel."
            .to_owned(),
        ..AdviceAction::ready(title, vec![edit])
    })
}

/// True if the function takes the address of an element or of a part of the element.
fn is_addressed(place: &EditSite<'_>, element: &Expr) -> bool {
    place.expressions().into_iter().any(|expr| {
        matches!(&expr.kind, ExprKind::Unary { op: UnaryOp::AddressOf, of }
            if of.range.start <= element.range.start && element.range.end <= of.range.end
                && starts_with(of, element))
    })
}

/// True if an lvalue is the element or a part of the element.
fn starts_with(place: &Expr, element: &Expr) -> bool {
    place.range == element.range
        || matches!(&place.kind, ExprKind::Field { of, .. } | ExprKind::Index { of, .. } if starts_with(of, element))
}
