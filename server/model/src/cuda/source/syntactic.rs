//! Properties of a loop that follow from its syntax, such as the expressions that have the same value in all
//! iterations.

use super::environment::Environment;
use rustc_hash::FxHashSet;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Loop, Memory, Stmt, StmtKind, UnaryOp};

/// Returns the names that may change between iterations of a loop. Names that may change only through calls of
/// unknown functions or of methods, or because their initial value is missing or contains a call, are included only
/// if `is_all` is true.
pub(crate) fn changed<'a>(of: &'a Loop, env: &'a Environment, is_all: bool) -> FxHashSet<&'a str> {
    let mut changed: FxHashSet<&str> = FxHashSet::default();
    let mut declared = Vec::new();
    let mut note = |expr| changes(expr, env, is_all, &mut changed);
    of.body.walk_expressions(&mut note);
    for expr in of.condition.iter().chain(&of.step) {
        expr.walk(&mut note);
    }
    of.body.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Declaration(all) => declared.extend(all),
        StmtKind::Asm(asm) => {
            let outputs = asm.outputs.iter().filter_map(|operand| root_of(operand.value.as_ref()?));
            changed.extend(outputs);
        }
        StmtKind::ForEach { variable, .. } => {
            changed.insert(&variable.name);
        }
        _ => {}
    });
    // A variable declared in the body changes if its initial value changes.
    loop {
        let before = changed.len();
        for variable in &declared {
            let is_same = match &variable.value {
                _ if variable.memory == Memory::Shared => true,
                Some(value) => !(varies(value, &changed) || is_all && has_call(value)),
                None => !is_all,
            };
            if !is_same {
                changed.insert(&variable.name);
            }
        }
        if changed.len() == before {
            return changed;
        }
    }
}

fn changes<'a>(expr: &'a Expr, env: &'a Environment, is_all: bool, changed: &mut FxHashSet<&'a str>) {
    if let Some(name) = target_of(expr).and_then(|target| root_through_macros(target, env)) {
        changed.insert(name);
    }
    let ExprKind::Call { function, arguments } = &expr.kind else { return };
    // A function may take a variable by non-const reference.
    match function.as_name() {
        Some(name) if env.function(name).is_some() => {
            for (_, of) in env.functions(name) {
                let taken = arguments
                    .iter()
                    .zip(&of.parameters)
                    .filter(|(_, of)| of.of.is_reference && !of.of.is_const);
                changed.extend(taken.filter_map(|(argument, _)| root_of(argument)));
            }
        }
        Some(name) if is_by_value(name) => {}
        _ if is_all => changed.extend(arguments.iter().filter_map(root_of)),
        _ => {}
    }
    if let ExprKind::Field { of, .. } = &function.kind {
        changed.extend(root_of(of).filter(|_| is_all));
    }
}

/// True if a function is a CUDA built-in, which takes its arguments by value.
pub(crate) fn is_by_value(name: &str) -> bool {
    name.starts_with("__") || name.starts_with("atomic") || matches!(name, "min" | "max" | "abs")
}

/// True if an expression may differ between iterations: it uses a name in `changed`, contains an assignment
/// or a lambda, or was not parsed.
pub(crate) fn varies(expr: &Expr, changed: &FxHashSet<&str>) -> bool {
    expr.any(&|expr| match &expr.kind {
        ExprKind::Name { name, .. } => changed.contains(name.as_str()),
        ExprKind::Assign { .. } | ExprKind::Lambda(_) | ExprKind::Unknown => true,
        _ => false,
    })
}

/// True if an expression uses a macro whose body contains names or was not parsed.
pub(crate) fn has_open_macro(expr: &Expr, env: &Environment) -> bool {
    let names_some = |value: &Expr| value.any(&|expr| matches!(expr.kind, ExprKind::Name { .. }));
    expr.any(&|expr| {
        let of = expr.as_name().and_then(|name| env.macro_named(name));
        of.is_some_and(|of| of.value.as_ref().is_none_or(names_some))
    })
}

pub(crate) fn has_call(expr: &Expr) -> bool {
    expr.any(&|expr| matches!(expr.kind, ExprKind::Call { .. }))
}

/// Visits the expressions that every iteration of a loop evaluates, regardless of the branches taken.
pub(crate) fn each_pass<'a>(of: &'a Loop, visit: &mut dyn FnMut(&'a Expr)) {
    if let Some(condition) = &of.condition {
        certain(condition, visit);
    }
    statement(&of.body, visit);
}

/// Visits a statement's expressions. Returns false if some iterations might not reach the code after the
/// statement.
fn statement<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Expr)) -> bool {
    match &stmt.kind {
        StmtKind::Block(all) => return all.iter().all(|stmt| statement(stmt, visit)),
        // The expressions of an inner loop belong to that loop.
        StmtKind::Loop(_) | StmtKind::ForEach { .. } => {}
        _ => stmt.expressions().into_iter().for_each(|expr| certain(expr, visit)),
    }
    let mut goes_on = true;
    let is_loop = matches!(stmt.kind, StmtKind::Loop(_) | StmtKind::ForEach { .. });
    stmt.walk(&mut |inner| {
        goes_on &= match inner.kind {
            StmtKind::Return(_) | StmtKind::Goto | StmtKind::Unknown => false,
            StmtKind::Break | StmtKind::Continue => is_loop,
            _ => true,
        };
    });
    goes_on
}

fn certain<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Both | BinaryOp::Either, left: first, .. }
        | ExprKind::Conditional { condition: first, .. } => certain(first, visit),
        ExprKind::SizeOf(_) => {}
        _ => expr.children().into_iter().for_each(|child| certain(child, visit)),
    }
}

/// True if an expression is syntactically an lvalue: a name, a subscript, a field or a dereference.
pub(crate) fn is_place(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Index { .. }
            | ExprKind::Field { .. }
            | ExprKind::Name { .. }
            | ExprKind::Unary { op: UnaryOp::Dereference, .. }
    )
}

/// Returns the operand that an assignment, `++` or `--` changes, or whose address `&` takes; `None` for other
/// expressions.
pub(crate) fn target_of(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Assign { left, .. } => Some(left),
        ExprKind::Unary {
            op:
                UnaryOp::Increment
                | UnaryOp::Decrement
                | UnaryOp::IncrementAfter
                | UnaryOp::DecrementAfter
                | UnaryOp::AddressOf,
            of,
        } => Some(of),
        _ => None,
    }
}

/// Returns the variable that an lvalue is part of. `None` for an access through `*` or `->`, and for
/// expressions that are not lvalues.
pub(crate) fn root_of(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name { name, .. } => Some(name),
        ExprKind::Field { of, is_arrow: false, .. } | ExprKind::Index { of, .. } => root_of(of),
        _ => None,
    }
}

/// Like [`root_of`], but expands macros: returns the root variable of the macro body. If the root is a macro
/// parameter, returns the root variable of the argument.
pub(crate) fn root_through_macros<'a>(expr: &'a Expr, env: &'a Environment) -> Option<&'a str> {
    let (name, arguments) = match &expr.kind {
        ExprKind::Call { function, arguments } => (function.as_name()?, &arguments[..]),
        ExprKind::Field { of, is_arrow: false, .. } | ExprKind::Index { of, .. } => {
            return root_through_macros(of, env);
        }
        _ => (root_of(expr)?, &[][..]),
    };
    let Some(of) = env.macro_named(name) else { return root_of(expr) };
    let parameters = of.parameters.as_deref().unwrap_or_default();
    if of.parameters.is_some() != matches!(expr.kind, ExprKind::Call { .. }) {
        return root_of(expr);
    }
    let root = root_of(of.value.as_ref()?)?;
    match parameters.iter().position(|parameter| parameter == root) {
        Some(at) => root_of(arguments.get(at)?),
        None => Some(root),
    }
}

/// True if a condition usually has the value `holds` for few lanes of a warp: it compares for equality, it is a plain
/// variable or call such as `is_leader`, or it depends on such a condition.
pub(crate) fn selects_few(condition: &Expr, holds: bool) -> bool {
    match &condition.kind {
        ExprKind::Binary { op: BinaryOp::Equal, .. } => holds,
        ExprKind::Binary { op: BinaryOp::NotEqual, .. } => !holds,
        ExprKind::Binary { op: BinaryOp::Both, left, right } if holds => {
            selects_few(left, true) || selects_few(right, true)
        }
        ExprKind::Binary { op: BinaryOp::Either, left, right } if !holds => {
            selects_few(left, false) || selects_few(right, false)
        }
        ExprKind::Unary { op: UnaryOp::Not, of } => selects_few(of, !holds),
        ExprKind::Name { .. } | ExprKind::Call { .. } | ExprKind::Unknown => true,
        _ => false,
    }
}

/// True if an expression changes a variable, takes an address or calls a function.
pub(crate) fn has_effects(expr: &Expr) -> bool {
    expr.any(&|expr| target_of(expr).is_some() || matches!(expr.kind, ExprKind::Call { .. }))
}
