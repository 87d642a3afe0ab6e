//! Fix that hoists a loop-invariant load out of a loop.

use super::place::{EditSite, has_word, indexed};
use super::pointer::changed;
use crate::{Fix, TextEdit};
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, ExprKind, ItemKind, Loop, Stmt, StmtKind, UnaryOp};

/// Arithmetic types, to which the literal 0 converts.
const NUMBERS: [&str; 14] = [
    "char",
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
    "size_t",
    "float",
    "double",
];

/// A loop and its statement.
struct EnclosingLoop<'a> {
    of: &'a Loop,
    stmt: &'a Stmt,
}

/// Returns the fix that loads the value once before the loop. `None` if the operand uses names declared in
/// the loop, or if the loop is not a statement of a block. If the loop may have no iterations, the load could fault; the
/// fix then loads only if the loop's condition is true at first. `None` if the condition is too complex for that, or if
/// the value has no arithmetic type.
pub(super) fn fix(place: &EditSite<'_>, range: &Range<usize>) -> Option<Fix> {
    let is_load = |expr: &&&Expr| {
        place.placed.range(&expr.range) == *range
            && matches!(
                expr.kind,
                ExprKind::Index { .. }
                    | ExprKind::Field { .. }
                    | ExprKind::Unary { op: UnaryOp::Dereference, .. }
            )
    };
    let expressions = place.expressions();
    let load = *expressions.iter().find(is_load)?;
    let around = innermost(place, load)?;
    if declares_one_of(around.stmt, load) {
        return None;
    }
    let name = free_name(place, load)?;
    let of = type_name(place, load);
    let text = place.slice(&load.range);
    let value = if surely_runs(place, around.of) {
        text.to_owned()
    } else {
        of.filter(|of| NUMBERS.contains(of))?;
        format!("{} ? {text} : 0", first_condition(place, around.of)?)
    };
    let indent = place.indent(around.stmt.range.start)?;
    let start = line_of(place, around.stmt, indent);
    let head = format!("{indent}const {} {name} = {value};\n", of.unwrap_or("auto"));
    let mut edits = vec![TextEdit { range: start..start, text: head }];
    let same = same_loads(place, around.of, load)?;
    edits.extend(same.into_iter().map(|expr| place.edit(expr.range.clone(), name.clone())));
    edits.sort_by_key(|edit| edit.range.start);
    let title = format!(
        "Hoist the load of `{text}` out of the loop (valid only if the loop does not write to this \
                         memory)"
    );
    (!text.contains('\n')).then_some(Fix { title, edits, preferred: false, suppresses: false })
}

/// Returns the innermost loop around an expression. `None` if the loop is not a statement of a block.
fn innermost<'a>(place: &EditSite<'a>, load: &Expr) -> Option<EnclosingLoop<'a>> {
    let holds = |stmt: &Stmt| stmt.range.start <= load.range.start && load.range.end <= stmt.range.end;
    let (mut found, mut of_block): (Option<&Stmt>, Option<&Stmt>) = (None, None);
    place.body.walk(&mut |stmt| {
        if matches!(stmt.kind, StmtKind::Loop(_) | StmtKind::ForEach { .. }) && holds(stmt) {
            found = Some(stmt);
        }
        if let StmtKind::Block(all) = &stmt.kind {
            let own = all.iter().find(|stmt| matches!(stmt.kind, StmtKind::Loop(_)) && holds(stmt));
            of_block = own.or(of_block);
        }
    });
    let stmt = found.filter(|found| of_block.is_some_and(|own| std::ptr::eq(*found, own)))?;
    match &stmt.kind {
        StmtKind::Loop(of) => Some(EnclosingLoop { of, stmt }),
        _ => None,
    }
}

/// Returns the start of the line of a loop, or of the first pragma directly above the loop.
fn line_of(place: &EditSite<'_>, stmt: &Stmt, indent: &str) -> usize {
    let text = place.view.text.text();
    let mut start = place.placed.range(&stmt.range).start - indent.len();
    while let Some(before) = text[..start].strip_suffix('\n') {
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        if !line.trim_start().starts_with("#pragma") {
            break;
        }
        start -= line.len() + 1;
    }
    start
}

/// True if the loop declares a name that the load's operand uses.
fn declares_one_of(stmt: &Stmt, load: &Expr) -> bool {
    let mut declares = false;
    stmt.walk(&mut |stmt| {
        let all = match &stmt.kind {
            StmtKind::Declaration(all) => all.as_slice(),
            StmtKind::ForEach { variable, .. } => std::slice::from_ref(variable),
            _ => return,
        };
        declares |= all.iter().any(|variable| load.any(&|expr| expr.as_name() == Some(&variable.name)));
    });
    declares
}

/// Returns the expressions in the loop with the same tokens as the load. `None` if one of these expressions
/// is assigned or has its address taken.
fn same_loads<'a>(place: &EditSite<'a>, of: &'a Loop, load: &Expr) -> Option<Vec<&'a Expr>> {
    let words = |expr: &Expr| place.slice(&expr.range).split_whitespace().collect::<String>();
    let wanted = words(load);
    let (mut same, mut is_changed): (Vec<&Expr>, bool) = (Vec::new(), false);
    let mut look = |expr: &'a Expr| {
        is_changed |= changed(expr).is_some_and(|target| words(target) == wanted);
        if words(expr) == wanted && !same.iter().any(|known| known.range == expr.range) {
            same.push(expr);
        }
    };
    of.body.walk_expressions(&mut look);
    of.condition.iter().chain(&of.step).for_each(|expr| expr.walk(&mut look));
    (!is_changed).then_some(same)
}

/// Returns the type name of the loaded value. `None` if the declaration of the pointer or array does not
/// determine the type.
fn type_name<'a>(place: &EditSite<'a>, load: &Expr) -> Option<&'a str> {
    let (root, depth) = match &load.kind {
        ExprKind::Unary { of, .. } => (of.as_name()?, 1),
        _ => indexed(load)?,
    };
    let of = place.type_of(root)?;
    let is_element = usize::from(of.pointers) + of.dimensions.len() == depth && of.arguments.is_empty();
    is_element.then_some(&*of.name)
}

/// Returns a name that the function does not use: `factor_value` for a load through `factor`. `None` if all
/// candidates are used.
fn free_name(place: &EditSite<'_>, load: &Expr) -> Option<String> {
    let mut root = None;
    load.walk(&mut |expr| root = root.or_else(|| expr.as_name()));
    let root = root?.rsplit("::").next()?;
    let text = place.slice(&(0..place.placed.item.length));
    let numbers = (2..9).map(|number| format!("{root}_value{number}"));
    let mut names = std::iter::once(format!("{root}_value")).chain(numbers);
    names.find(|name| !has_word(text, name) && !place.is_in_macro(name))
}

/// True if a loop certainly has at least one iteration.
fn surely_runs(place: &EditSite<'_>, of: &Loop) -> bool {
    let bounds = || {
        let (counter, first) = counter(of)?;
        let ExprKind::Binary { op, left, right } = &of.condition.as_ref()?.kind else { return None };
        let (first, end) = (whole(place, first)?, whole(place, right)?);
        let is_counter = left.as_name() == Some(counter);
        match op {
            _ if !is_counter => None,
            BinaryOp::Less => Some(first < end),
            BinaryOp::LessEqual => Some(first <= end),
            BinaryOp::Greater => Some(first > end),
            BinaryOp::GreaterEqual => Some(first >= end),
            BinaryOp::NotEqual => Some(first != end),
            _ => None,
        }
    };
    of.is_do || of.condition.is_none() || bounds() == Some(true)
}

/// Returns the condition of the first iteration, with values that are known before the loop: `0 < n`. `None`
/// if the condition has another form.
fn first_condition(place: &EditSite<'_>, of: &Loop) -> Option<String> {
    let condition = of.condition.as_ref()?;
    let (counter, first) = counter(of)?;
    let ExprKind::Binary { op, left, right } = &condition.kind else { return None };
    let is_simple = |expr: &Expr| {
        !expr.any(&|expr| {
            !matches!(
                expr.kind,
                ExprKind::Integer { .. }
                    | ExprKind::Name { .. }
                    | ExprKind::Field { .. }
                    | ExprKind::Binary { .. }
            )
        })
    };
    let has_counter = right.any(&|expr| expr.as_name() == Some(counter));
    if !op.is_comparison()
        || left.as_name() != Some(counter)
        || has_counter
        || !is_simple(first)
        || !is_simple(right)
    {
        return None;
    }
    let sign = place.slice(&(left.range.end..right.range.start)).trim();
    // If the bound is in parentheses, the text between the operands is not only the operator.
    let is_sign = matches!(sign, "<" | "<=" | ">" | ">=" | "!=");
    is_sign.then(|| format!("{} {sign} {}", place.slice(&first.range), place.slice(&right.range)))
}

/// Returns the variable that a `for` loop declares, and its initial value. `None` unless the loop declares
/// exactly one variable, with an initial value.
fn counter(of: &Loop) -> Option<(&str, &Expr)> {
    let StmtKind::Declaration(all) = &of.init.as_ref()?.kind else { return None };
    match all.as_slice() {
        [only] => Some((&only.name, only.value.as_ref()?)),
        _ => None,
    }
}

/// Returns the value of an integer literal, or of a macro or `constexpr` variable that is defined exactly
/// once, by a literal.
fn whole(place: &EditSite<'_>, expr: &Expr) -> Option<u64> {
    if let ExprKind::Integer { value, .. } = &expr.kind {
        return Some(*value);
    }
    let name = expr.as_name()?;
    if place.type_of(name).is_some() || place.function.templates.iter().any(|own| own.name == name) {
        return None;
    }
    let mut values = place.view.text.unit().items.iter().filter_map(|placed| match &placed.item.kind {
        ItemKind::Macro(of) if of.name == name && of.parameters.is_none() => of.value.as_ref(),
        ItemKind::Variables(all) => {
            all.iter().find(|own| own.name == name && own.is_constexpr)?.value.as_ref()
        }
        _ => None,
    });
    match (&values.next()?.kind, values.next()) {
        (ExprKind::Integer { value, .. }, None) => Some(*value),
        _ => None,
    }
}
