//! Code action that combines four adjacent loads of a thread into a vector load.

use super::gain::{compare, cost};
use super::multiple::is_multiple_of_four;
use super::place::{EditSite, has_word, indexed};
use super::pointer::{Access, access, changed, is_moved, takes_values};
use crate::engine::cancel::Cancellable;
use crate::{AdviceAction, TextEdit};
use model::MemorySpace;
use model::cuda::Site;
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Memory, Stmt, StmtKind};

/// Fields of a vector type, in order.
const FIELDS: [&str; 4] = ["x", "y", "z", "w"];

/// Loads of four elements with consecutive subscripts.
struct Loads<'a> {
    pointer: &'a str,
    /// Vector type of four elements, such as `float4`.
    vector: &'static str,
    /// Byte range of each load, and the index of its element in the vector.
    all: Vec<(Range<u32>, usize)>,
    /// Statements that contain the loads.
    statements: &'a [Stmt],
}

/// Returns the action for one of the loads. `None` if the first subscript might not be a multiple of four, or if code
/// between the loads may change the memory that they read. `None` also if the vector load does not reduce the number
/// of sectors.
pub(super) fn action(place: &EditSite<'_>) -> Cancellable<Option<AdviceAction>> {
    let Some(loads) = loads(place) else { return Ok(None) };
    let (pointer, vector) = (loads.pointer, loads.vector);
    let name = format!("{pointer}4");
    let whole = place.slice(&(0..place.placed.item.length));
    if has_word(whole, &name) || place.is_in_macro(&name) {
        return Ok(None);
    }
    let first = loads.all.iter().find(|(_, element)| *element == 0).map(|(range, _)| place.slice(range));
    let (Some(first), Some(start)) = (first, loads.statements.first().map(|stmt| stmt.range.start)) else {
        return Ok(None);
    };
    let Some(indent) = place.indent(start) else { return Ok(None) };
    let head = format!("const {vector} {name} = ");
    let load = format!("{head}*reinterpret_cast<const {vector} *>(&{first});\n{indent}");
    let mut edits = vec![place.edit(start..start, load)];
    let replaced = loads.all.iter();
    edits.extend(replaced.map(|(range, at)| place.edit(range.clone(), format!("{name}.{}", FIELDS[*at]))));
    edits.sort_by_key(|edit| edit.range.start);
    let figures = figures(place, &loads, &edits, start + head.len() as u32)?;
    Ok(figures.map(|figures| {
        let is_start = place.function.parameters.iter().any(|parameter| parameter.name == pointer);
        let bytes = 4 * FIELDS.len();
        let needs = if is_start { String::new() } else { format!("; needs `{pointer}` aligned to {bytes} bytes") };
        AdviceAction {
            explanation: format!(
                "The subscript is a multiple of four, so the access is aligned to {bytes} bytes if the pointer is. The \
                 start of an allocation is aligned."
            ),
            ..AdviceAction::ready(
                format!("Load four elements of `{pointer}` as one {vector} ({figures}{needs})"),
                edits,
            )
        }
    }))
}

/// Returns the gain of the change: `sectors of the four loads: 64 -> 16`. `None` if there is no gain.
fn figures(
    place: &EditSite<'_>,
    loads: &Loads<'_>,
    edits: &[TextEdit],
    load: u32,
) -> Cancellable<Option<String>> {
    let elements: Vec<u32> = loads.all.iter().map(|(range, _)| range.start).collect();
    compare(place, edits, |before, after| {
        let of = |site: &Site, start: u32| site.place.item == place.item && site.place.start == start;
        let four = cost(before, MemorySpace::Global, |site| elements.iter().any(|start| of(site, *start)));
        let one = cost(after, MemorySpace::Global, |site| of(site, load));
        four.joined_like(one).falls_to(one).map(|figures| format!("sectors of the four loads: {figures}"))
    })
}

fn loads<'a>(place: &EditSite<'a>) -> Option<Loads<'a>> {
    let here = place.innermost(|expr| element(place, expr).is_some())?;
    let (pointer, base, at) = element(place, here)?;
    let vector = vector(place, pointer)?;
    let first = at - at % 4;
    let is_still = access(place, pointer) == Access::Read && !is_moved(place, pointer);
    if !place.function.is_kernel() || !is_still || !base.is_none_or(|base| is_multiple_of_four(place, base)) {
        return None;
    }
    let mut block: Option<(&'a [Stmt], usize)> = None;
    place.body.walk(&mut |stmt| {
        if let StmtKind::Block(all) = &stmt.kind
            && let Some(own) =
                all.iter().position(|stmt| stmt.range.start <= place.byte && place.byte <= stmt.range.end)
        {
            block = Some((all, own));
        }
    });
    let (all, own) = block?;
    let windows =
        (own.saturating_sub(3)..=own).flat_map(|from| (own + 1..=own + 4).map(move |to| (from, to)));
    let found = windows.filter_map(|(from, to)| {
        let statements = all.get(from..to)?;
        let mut found: Vec<(Range<u32>, usize)> = Vec::new();
        for expr in statements.iter().flat_map(expressions) {
            let Some((name, other, at)) = element(place, expr) else { continue };
            let is_adjacent = name == pointer && is_same(place, base, other) && at - at % 4 == first;
            if is_adjacent {
                found.push((expr.range.clone(), (at - first) as usize));
            }
        }
        let has_all = (0..FIELDS.len()).all(|at| found.iter().any(|(_, own)| *own == at));
        (has_all && keeps(place, statements, base)).then_some(Loads {
            pointer,
            vector,
            all: found,
            statements,
        })
    });
    found.min_by_key(|loads| loads.statements.len())
}

/// Returns the pointer of an array element, and its subscript as the sum of an expression and a constant. `None` if
/// the expression is not an element of such a pointer.
fn element<'e>(place: &EditSite<'_>, expr: &'e Expr) -> Option<(&'e str, Option<&'e Expr>, u64)> {
    let ExprKind::Index { of, index } = &expr.kind else { return None };
    let pointer = of.as_name()?;
    vector(place, pointer)?;
    let whole = |expr: &Expr| match &expr.kind {
        ExprKind::Integer { value, .. } => Some(*value),
        _ => None,
    };
    if let Some(at) = whole(index) {
        return Some((pointer, None, at));
    }
    if let ExprKind::Binary { op: BinaryOp::Add, left, right } = &index.kind {
        if let Some(at) = whole(right) {
            return Some((pointer, Some(left), at));
        }
        if let Some(at) = whole(left) {
            return Some((pointer, Some(right), at));
        }
    }
    Some((pointer, Some(index), 0))
}

/// Returns the vector type for four elements of a pointer's type. `None` if there is no such vector type.
fn vector(place: &EditSite<'_>, pointer: &str) -> Option<&'static str> {
    let of = place.type_of(pointer)?;
    let is_plain = of.pointers == 1 && of.dimensions.is_empty() && !of.is_volatile && !of.is_reference;
    match of.name.as_str() {
        _ if !is_plain => None,
        "float" => Some("float4"),
        "int" => Some("int4"),
        "unsigned int" | "unsigned" | "uint32_t" => Some("uint4"),
        _ => None,
    }
}

fn is_same(place: &EditSite<'_>, one: Option<&Expr>, other: Option<&Expr>) -> bool {
    let text = |of: Option<&Expr>| of.map(|of| place.slice(&of.range).split_whitespace().collect::<String>());
    text(one) == text(other)
}

/// Returns all expressions in a statement.
fn expressions(stmt: &Stmt) -> Vec<&Expr> {
    let mut all = Vec::new();
    stmt.walk_expressions(&mut |expr| all.push(expr));
    all
}

/// True if all statements execute in sequence and change neither global memory nor the subscript.
fn keeps(place: &EditSite<'_>, statements: &[Stmt], base: Option<&Expr>) -> bool {
    let is_plain = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Expression(_) => true,
        StmtKind::Declaration(all) => all.iter().all(|variable| !variable.of.is_reference),
        _ => false,
    };
    let is_harmless = |expr: &Expr| match &expr.kind {
        ExprKind::Conditional { .. } | ExprKind::Binary { op: BinaryOp::Both | BinaryOp::Either, .. } => {
            false
        }
        ExprKind::Call { function, .. } => function.as_name().is_some_and(|name| {
            place.function_named(name).is_none()
                && !name.starts_with("__")
                && !name.starts_with("atomic")
                && takes_values(place, name)
        }),
        _ => changed(expr).is_none_or(|of| is_own(place, of, base)),
    };
    // An assignment by the last statement is executed after the loads.
    let last = statements.last().and_then(|stmt| match &stmt.kind {
        StmtKind::Expression(expr) if matches!(expr.kind, ExprKind::Assign { .. }) => Some(expr),
        _ => None,
    });
    let is_last = |expr: &Expr| last.is_some_and(|last| std::ptr::eq(last, expr));
    let is_harmless = |expr: &Expr| is_last(expr) || is_harmless(expr);
    let keep = |stmt: &Stmt| is_plain(stmt) && expressions(stmt).into_iter().all(is_harmless);
    statements.iter().all(keep) && statements.iter().all(|stmt| declares_none_of(place, stmt, base))
}

/// True if an lvalue is a local or shared variable that the subscript does not use.
fn is_own(place: &EditSite<'_>, of: &Expr, base: Option<&Expr>) -> bool {
    let root = indexed(of).map(|(name, _)| name).or_else(|| of.as_name());
    let Some((name, variable)) = root.and_then(|name| Some((name, place.variable(name)?))) else {
        return false;
    };
    let is_array = variable.of.pointers == 0 && !variable.of.is_reference;
    is_array
        && matches!(variable.memory, Memory::Local | Memory::Shared)
        && !base.is_some_and(|base| has_word(place.slice(&base.range), name))
}

/// True if a statement declares no name that the subscript uses.
fn declares_none_of(place: &EditSite<'_>, stmt: &Stmt, base: Option<&Expr>) -> bool {
    let StmtKind::Declaration(all) = &stmt.kind else { return true };
    let text = base.map(|base| place.slice(&base.range)).unwrap_or_default();
    all.iter().all(|variable| !has_word(text, &variable.name))
}
