//! Code action that replaces mathematical functions with faster, less accurate intrinsics.

use super::place::{EditSite, has_word, indexed};
use crate::AdviceAction;
use syntax::cuda::{BinaryOp, Expr, ExprKind, TypeName, UnaryOp};

/// Single-precision functions with the intrinsics that replace them under `-use_fast_math`. Source: CUDA C++
/// programming guide, intrinsic functions.
const FUNCTIONS: [(&str, &str); 9] = [
    ("expf", "__expf"),
    ("exp10f", "__exp10f"),
    ("logf", "__logf"),
    ("log2f", "__log2f"),
    ("log10f", "__log10f"),
    ("sinf", "__sinf"),
    ("cosf", "__cosf"),
    ("tanf", "__tanf"),
    ("powf", "__powf"),
];

/// Returns the action for the name of one of these functions, or for the operator of a single-precision
/// division. `None` elsewhere, and in `constexpr` code.
pub(super) fn action(place: &EditSite<'_>) -> Option<AdviceAction> {
    if is_constant(place) {
        return None;
    }
    let (title, edit) = function(place).or_else(|| division(place))?;
    Some(AdviceAction {
        explanation:
            "The intrinsic takes fewer instructions and has a larger error. `-use_fast_math` has this effect on the \
             whole file."
                .to_owned(),
        changes_results: true,
        ..AdviceAction::ready(title + " (changes results)", vec![edit])
    })
}

fn function(place: &EditSite<'_>) -> Option<(String, crate::TextEdit)> {
    let is_called = |expr: &Expr| matches!(&expr.kind, ExprKind::Call { .. });
    let ExprKind::Call { function, .. } = &place.innermost(is_called)?.kind else { return None };
    if !(function.range.start..=function.range.end).contains(&place.byte) {
        return None;
    }
    let name = function.as_name()?;
    let (_, fast) = FUNCTIONS.iter().find(|(own, _)| *own == name)?;
    is_of_cuda(place, name).then(|| (format!("Use {fast}"), place.edit(function.range.clone(), *fast)))
}

fn division(place: &EditSite<'_>) -> Option<(String, crate::TextEdit)> {
    let is_division = |expr: &Expr| match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Divide, left, right } => {
            let between = left.range.end..right.range.start;
            (between.start..=between.end).contains(&place.byte) && place.slice(&between).trim() == "/"
        }
        _ => false,
    };
    let expr = place.innermost(is_division)?;
    let ExprKind::Binary { left, right, .. } = &expr.kind else { return None };
    if !meet_in_single(place, left, right) {
        return None;
    }
    let text = format!("__fdividef({}, {})", bare(place, left), bare(place, right));
    Some(("Divide with __fdividef".to_owned(), place.edit(expr.range.clone(), text)))
}

/// True in a `constexpr` function or in the initialiser of a `constexpr` variable, where intrinsics are not
/// allowed.
fn is_constant(place: &EditSite<'_>) -> bool {
    let head = place.slice(&(0..place.function.name_range.start));
    let holds = |value: &Expr| (value.range.start..=value.range.end).contains(&place.byte);
    let mut constants = place.variables().into_iter().filter(|variable| variable.is_constexpr);
    has_word(head, "constexpr") || constants.any(|variable| variable.value.as_ref().is_some_and(holds))
}

/// Returns the text of an expression without its outer parentheses.
fn bare<'a>(place: &EditSite<'a>, expr: &Expr) -> &'a str {
    let text = place.slice(&expr.range);
    match &expr.kind {
        ExprKind::Binary { left, .. } if left.range.start > expr.range.start => {
            text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).map_or(text, str::trim)
        }
        _ => text,
    }
}

/// True if a name refers to a CUDA function, because nothing in the file redefines the name.
fn is_of_cuda(place: &EditSite<'_>, name: &str) -> bool {
    place.function_named(name).is_none() && place.type_of(name).is_none() && !place.is_in_macro(name)
}

/// True if an expression certainly has single precision.
fn is_float(place: &EditSite<'_>, expr: &Expr) -> bool {
    let is_named = |of: &TypeName, depth: usize| {
        of.name == "float" && usize::from(of.pointers) + of.dimensions.len() == depth
    };
    match &expr.kind {
        ExprKind::Float { is_double, .. } => !is_double,
        ExprKind::Name { name, .. } => place.type_of(name).is_some_and(|of| is_named(of, 0)),
        ExprKind::Index { .. } => indexed(expr)
            .is_some_and(|(name, depth)| place.type_of(name).is_some_and(|of| is_named(of, depth))),
        ExprKind::Field { of, is_arrow: false, .. } => {
            let root = indexed(of).or_else(|| of.as_name().map(|name| (name, 0)));
            root.and_then(|(name, depth)| Some((place.type_of(name)?, depth))).is_some_and(|(of, depth)| {
                ["float2", "float3", "float4"].contains(&&*of.name)
                    && usize::from(of.pointers) + of.dimensions.len() == depth
            })
        }
        ExprKind::Call { function, .. } => function.as_name().is_some_and(|name| {
            FUNCTIONS.iter().any(|(slow, fast)| name == *slow || name == *fast) || name == "sqrtf"
        }),
        ExprKind::Unary { op: UnaryOp::Minus | UnaryOp::Plus, of } => is_float(place, of),
        ExprKind::Cast { to, .. } => is_named(to, 0),
        ExprKind::Binary { op, left, right } => {
            use BinaryOp::{Add, Divide, Multiply, Subtract};
            matches!(op, Add | Subtract | Multiply | Divide) && meet_in_single(place, left, right)
        }
        _ => false,
    }
}

/// True if an arithmetic operation on these operands certainly has single precision.
fn meet_in_single(place: &EditSite<'_>, left: &Expr, right: &Expr) -> bool {
    let is_whole = |expr: &Expr| matches!(expr.kind, ExprKind::Integer { .. });
    match (is_float(place, left), is_float(place, right)) {
        (true, true) => true,
        (true, false) => is_whole(right),
        (false, true) => is_whole(left),
        (false, false) => false,
    }
}
