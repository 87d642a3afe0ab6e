//! Code action that moves a small table to constant memory.

use super::place::{EditSite, has_word, indexed};
use crate::cuda::view::{CudaView, lines_of};
use crate::{AdviceAction, TextEdit};
use std::ops::Range;
use syntax::cuda::{
    Attribute, Expr, ExprKind, Function, ItemKind, Memory, PlacedItem, Stmt, StmtKind, UnaryOp, Variable,
};

/// Largest size of a small table in bytes: a fraction of the constant cache.
const MAX_BYTES: u64 = 4096; // limit: leaves space for other constants in the cache

/// Returns the action for the declaration of a `const` array in a function. `None` if lanes may read
/// different elements in the same access, because constant memory serves different addresses one after
/// another. `None` also if all subscripts are literals, because the compiler then folds the loads.
pub(super) fn action(place: &EditSite<'_>) -> Option<AdviceAction> {
    let (stmt, variable) = declared_here(place)?;
    let name = &variable.name;
    let is_local = variable.memory == Memory::Local && variable.of.is_const && !variable.is_constexpr;
    if !is_local || !is_small_table(variable) || place.variable(name).is_none() {
        return None;
    }
    let uses = uses(place, variable)?;
    if uses.iter().all(|index| matches!(index.kind, ExprKind::Integer { .. }))
        || uses.into_iter().any(|index| may_differ(place, index, 0))
    {
        return None;
    }
    let text = place.view.text.text();
    let own = place.placed.range(&(0..place.placed.item.length));
    let names = |part: &str| {
        let is_code = |line: &&str| !["//", "/*", "*"].iter().any(|sign| line.trim_start().starts_with(sign));
        part.lines().filter(is_code).any(|line| has_word(line, name))
    };
    if names(&text[..own.start]) || names(&text[own.end..]) {
        return None;
    }
    let declared = place.slice(&stmt.range);
    let declared = declared.strip_prefix("static").map_or(declared, str::trim_start);
    let declared = declared.strip_prefix("const").filter(|rest| rest.starts_with(char::is_whitespace))?;
    let target = insertion(text, own.start)?;
    let indent = place.indent(stmt.range.start).map_or(0, str::len);
    let moved = TextEdit {
        range: target..target,
        text: format!("__constant__ {}\n\n", dedented(declared.trim_start(), indent)),
    };
    let gone = TextEdit { range: whole_line(text, place.placed.range(&stmt.range)), text: String::new() };
    Some(offered(name, vec![moved, gone]))
}

/// Returns the action for the declaration of a `const` array at file scope in global memory.
pub(super) fn of_unit(view: &CudaView<'_>, offset: usize) -> Option<AdviceAction> {
    const WORD: &str = "__device__";
    let unit = view.text.unit();
    let (placed, _) = unit.item_at(offset)?;
    let ItemKind::Variables(variables) = &placed.item.kind else { return None };
    let [variable] = variables.as_slice() else { return None };
    let own = placed.range(&(0..placed.item.length));
    let text = &view.text.text()[own.clone()];
    let is_global = variable.memory == Memory::Global && variable.of.is_const && !variable.is_constexpr;
    if !is_global
        || !placed.item.errors.is_empty()
        || text.contains("__managed__")
        || !is_small_table(variable)
    {
        return None;
    }
    let mut has_reader = false;
    for other in unit.items.iter().filter(|other| other.start != placed.start) {
        let whole = &view.text.text()[other.range(&(0..other.item.length))];
        if !has_word(whole, &variable.name) {
            continue;
        }
        let place = reader(view, other)?;
        let uses = uses(&place, variable)?;
        has_reader |= uses.iter().any(|index| !matches!(index.kind, ExprKind::Integer { .. }));
        if uses.into_iter().any(|index| may_differ(&place, index, 0)) {
            return None;
        }
    }
    let at = text.find(WORD).filter(|_| has_reader)? + own.start;
    Some(offered(
        &variable.name,
        vec![TextEdit { range: at..at + WORD.len(), text: "__constant__".to_owned() }],
    ))
}

/// Returns the function of an item that reads a file-scope table. `None` unless the function runs only on the
/// GPU and parses completely.
fn reader<'a>(view: &'a CudaView<'a>, placed: &PlacedItem) -> Option<EditSite<'a>> {
    let ItemKind::Function(Function { body: Some(body), attributes, .. }) = &placed.item.kind else {
        return None;
    };
    let is_ours = !attributes.contains(&Attribute::Host);
    EditSite::at(view, placed.range(&body.range).start).filter(|_| is_ours)
}

fn offered(name: &str, edits: Vec<TextEdit>) -> AdviceAction {
    AdviceAction {
        explanation:
            "Constant memory serves one element at a time to all lanes of a warp, from a dedicated cache."
                .to_owned(),
        ..AdviceAction::ready(format!("Move `{name}` to constant memory"), edits)
    }
}

/// Returns the declaration at the cursor if it declares a single variable. The cursor must be on the type or
/// the name.
fn declared_here<'a>(place: &EditSite<'a>) -> Option<(&'a Stmt, &'a Variable)> {
    let mut found = None;
    place.body.walk(&mut |stmt| {
        if let StmtKind::Declaration(all) = &stmt.kind
            && let [variable] = all.as_slice()
            && (stmt.range.start..=variable.name_range.end).contains(&place.byte)
        {
            found = Some((stmt, variable));
        }
    });
    found
}

/// True if a variable is a small array that is initialised with literal numbers.
fn is_small_table(variable: &Variable) -> bool {
    let bytes = match variable.of.name.as_str() {
        "char" | "signed char" | "unsigned char" => 1,
        "short" | "unsigned short" => 2,
        "int" | "unsigned int" | "unsigned" | "float" => 4,
        "long long" | "unsigned long long" | "double" => 8,
        _ => return false,
    };
    let is_array =
        !variable.of.dimensions.is_empty() && variable.of.pointers == 0 && !variable.of.is_volatile;
    let Some(ExprKind::List(values)) = variable.value.as_ref().map(|value| &value.kind) else { return false };
    let product = |size: &Option<Expr>| match size.as_ref().map(|size| &size.kind) {
        Some(ExprKind::Integer { value, .. }) => Some(*value),
        // The number of initial values determines the size.
        None => Some(values.len() as u64),
        _ => None,
    };
    let count =
        variable.of.dimensions.iter().map(product).try_fold(bytes, |all: u64, size| all.checked_mul(size?));
    is_array
        && !values.is_empty()
        && values.iter().all(is_number)
        && count.is_some_and(|bytes| bytes <= MAX_BYTES)
}

fn is_number(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Integer { .. } | ExprKind::Float { .. } => true,
        ExprKind::Unary { op: UnaryOp::Minus | UnaryOp::Plus, of } => is_number(of),
        ExprKind::List(values) => values.iter().all(is_number),
        _ => false,
    }
}

/// Returns the subscripts of all reads of an array. `None` if the function uses the array in any other way,
/// or not at all.
fn uses<'a>(place: &EditSite<'a>, variable: &Variable) -> Option<Vec<&'a Expr>> {
    let depth = variable.of.dimensions.len();
    let (mut names, mut elements, mut subscripts) = (0, 0, Vec::new());
    let mut is_read = true;
    for expr in place.expressions() {
        names += usize::from(expr.as_name() == Some(&variable.name));
        if super::pointer::changed(expr).and_then(indexed).is_some_and(|(name, _)| name == variable.name) {
            is_read = false;
        }
        let Some((name, own)) = indexed(expr).filter(|(name, _)| *name == variable.name) else { continue };
        elements += usize::from(own == depth && name == variable.name);
        if let ExprKind::Index { index, .. } = &expr.kind {
            subscripts.push(&**index);
        }
    }
    let mut is_lent = false;
    place.body.walk(&mut |stmt| {
        if let StmtKind::Declaration(all) = &stmt.kind {
            let mut references = all.iter().filter(|variable| variable.of.is_reference);
            is_lent |= references.any(|reference| {
                let root = reference.value.as_ref().and_then(indexed);
                root.is_some_and(|(name, _)| name == variable.name)
            });
        }
    });
    (is_read && !is_lent && names > 0 && names == elements && !place.is_in_macro(&variable.name))
        .then_some(subscripts)
}

/// True if a value may differ between lanes: it depends on `threadIdx`, memory, a call, or a variable that
/// depends on them.
fn may_differ(place: &EditSite<'_>, expr: &Expr, depth: u32) -> bool {
    const DEEPEST: u32 = 8; // limit: bounds the recursion
    match &expr.kind {
        ExprKind::Integer { .. } => false,
        ExprKind::Name { name, .. } => {
            let is_parameter = place.function.is_kernel()
                && place.function.parameters.iter().any(|own| own.name == *name && own.of.pointers == 0);
            let is_template = place.function.templates.iter().any(|own| own.name == *name);
            if is_parameter || is_template || matches!(name.as_str(), "blockIdx" | "blockDim" | "gridDim") {
                return is_parameter && is_changed(place, name);
            }
            let Some(variable) = place.variable(name).filter(|_| depth < DEEPEST) else { return true };
            let is_plain =
                variable.of.dimensions.is_empty() && variable.of.pointers == 0 && !variable.of.is_reference;
            let first = variable.value.as_ref().is_none_or(|first| may_differ(place, first, depth + 1));
            let is_step = |expr: &&Expr| super::pointer::changed(expr).and_then(Expr::as_name) == Some(name);
            !is_plain
                || first
                || place.expressions().into_iter().filter(is_step).any(|expr| match &expr.kind {
                    ExprKind::Assign { right, .. } => may_differ(place, right, depth + 1),
                    ExprKind::Unary { op, .. } => *op == UnaryOp::AddressOf,
                    _ => true,
                })
        }
        ExprKind::Field { of, is_arrow: false, .. }
        | ExprKind::Unary { of, .. }
        | ExprKind::Cast { of, .. } => may_differ(place, of, depth),
        ExprKind::Binary { left, right, .. } => {
            may_differ(place, left, depth) || may_differ(place, right, depth)
        }
        _ => true,
    }
}

fn is_changed(place: &EditSite<'_>, name: &str) -> bool {
    place
        .expressions()
        .into_iter()
        .any(|expr| super::pointer::changed(expr).and_then(Expr::as_name) == Some(name))
}

/// Returns the offset before the comments above a function, where a declaration can be inserted. `None` if other text
/// precedes the function on its line, or if the text above is not the end of a declaration, a comment or a directive.
fn insertion(text: &str, start: usize) -> Option<usize> {
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    if line != start {
        return None;
    }
    let mut target = line;
    while let Some(above) = text[..target].strip_suffix('\n') {
        let from = above.rfind('\n').map_or(0, |end| end + 1);
        if !above[from..].trim_start().starts_with("//") {
            break;
        }
        target = from;
    }
    let before = text[..target].trim_end();
    let last = before.lines().next_back().unwrap_or_default().trim_start();
    let is_end = before.is_empty() || before.ends_with([';', '}', '{']) || before.ends_with("*/");
    (is_end || last.starts_with('#') && !last.ends_with('\\')).then_some(target)
}

/// Returns a declaration with all lines but the first moved left by up to `by` bytes.
fn dedented(text: &str, by: usize) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        all.push_str(if all.is_empty() { line } else { &line[blanks.min(by)..] });
    }
    all
}

/// Returns the byte range of a statement. Extends the range to whole lines if the lines have no other text.
fn whole_line(text: &str, range: Range<usize>) -> Range<usize> {
    let lines = lines_of(text, &range);
    let is_alone =
        text[lines.start..range.start].trim().is_empty() && text[range.end..lines.end].trim().is_empty();
    if is_alone { lines.start..(lines.end + 1).min(text.len()) } else { range }
}
