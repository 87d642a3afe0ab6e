//! Properties of a loop that follow from its text alone: which of its expressions have the same value in each pass.

use super::environment::Environment;
use super::frame::Binding;
use super::interpreter::Interpreter;
use rustc_hash::FxHashSet;
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Function, ItemKind, Loop, Memory, Stmt, StmtKind, UnaryOp};

/// Whether each pass of a loop evaluates the place in memory at these bytes, which names the same address each time, and whether all
/// that the loop may store was seen: `was_seen` says of the bytes of a place whether it was.
pub(super) fn is_invariant(
    all: &Interpreter<'_>,
    of: &Loop,
    range: &Range<u32>,
    was_seen: &dyn Fn(&Range<u32>) -> bool,
) -> bool {
    let mut found = None;
    each_pass(of, &mut |expr| {
        if expr.range == *range && is_place(expr) {
            found = Some(expr);
        }
    });
    let Some(expr) = found else { return false };
    !varies(expr, &changed(of, all.env, true))
        && !has_call(expr)
        && !has_open_macro(expr, all.env)
        && stores_are_seen(all, of, was_seen)
        && !has_restrict(all)
}

/// The names that a loop changes from pass to pass: all that it may change, or those that it is sure to assign to.
pub(super) fn changed<'a>(of: &'a Loop, env: &'a Environment, is_all: bool) -> FxHashSet<&'a str> {
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
    // A variable of the body is what it is set to.
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
    // A function may take a variable by reference.
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

/// Functions of CUDA take their arguments by value.
pub(super) fn is_by_value(name: &str) -> bool {
    name.starts_with("__") || name.starts_with("atomic") || matches!(name, "min" | "max" | "abs")
}

/// Whether an expression uses one of these names, assigns, or is not understood.
pub(super) fn varies(expr: &Expr, changed: &FxHashSet<&str>) -> bool {
    expr.any(&|expr| match &expr.kind {
        ExprKind::Name { name, .. } => changed.contains(name.as_str()),
        ExprKind::Assign { .. } | ExprKind::Lambda(_) | ExprKind::Unknown => true,
        _ => false,
    })
}

/// Whether an expression uses a macro that names variables.
fn has_open_macro(expr: &Expr, env: &Environment) -> bool {
    let names_some = |value: &Expr| value.any(&|expr| matches!(expr.kind, ExprKind::Name { .. }));
    expr.any(&|expr| {
        let of = expr.as_name().and_then(|name| env.macro_named(name));
        of.is_some_and(|of| of.value.as_ref().is_none_or(names_some))
    })
}

fn has_call(expr: &Expr) -> bool {
    expr.any(&|expr| matches!(expr.kind, ExprKind::Call { .. }))
}

/// Visits the expressions that each pass of a loop evaluates, whatever conditions say.
fn each_pass<'a>(of: &'a Loop, visit: &mut dyn FnMut(&'a Expr)) {
    if let Some(condition) = &of.condition {
        certain(condition, visit);
    }
    statement(&of.body, visit);
}

/// Returns false if some passes do not reach the code after the statement.
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

/// Whether every store in a loop was seen, so that what it stores to is known.
fn stores_are_seen(all: &Interpreter<'_>, of: &Loop, was_seen: &dyn Fn(&Range<u32>) -> bool) -> bool {
    let mut locals: FxHashSet<&str> = FxHashSet::default();
    of.body.walk(&mut |stmt| {
        if let StmtKind::Declaration(variables) = &stmt.kind {
            let own = variables.iter().filter(|one| one.memory == Memory::Local && one.of.pointers == 0);
            locals.extend(own.map(|one| one.name.as_str()));
        }
    });
    let mut are_seen = true;
    let mut look = |expr: &Expr| match &expr.kind {
        ExprKind::Call { function, arguments } => match function.as_name() {
            Some(name) if name.starts_with("atomic") => are_seen &= was_seen(&expr.range),
            Some(name) => are_seen &= !may_write(all, name, arguments),
            None => {}
        },
        ExprKind::Unary { op: UnaryOp::AddressOf, .. } => {}
        _ => {
            if let Some(target) = target_of(expr) {
                let range = match expr.kind {
                    ExprKind::Assign { .. } => &target.range,
                    _ => &expr.range,
                };
                are_seen &= was_seen(range) || is_local(all, target, &locals);
            }
        }
    };
    of.body.walk_expressions(&mut look);
    of.condition.iter().chain(&of.step).for_each(|expr| expr.walk(&mut look));
    are_seen
}

/// Whether a place is a variable in registers, or a part of one.
fn is_local(all: &Interpreter<'_>, target: &Expr, locals: &FxHashSet<&str>) -> bool {
    match &target.kind {
        ExprKind::Name { name, .. } if locals.contains(name.as_str()) => true,
        ExprKind::Name { name, .. } => {
            matches!(all.lookup(name), Some(Binding::Variable(_) | Binding::Alias(_)))
        }
        ExprKind::Field { of, is_arrow: false, .. } => is_local(all, of, locals),
        ExprKind::Index { of, .. } => {
            let Some(name) = root_of(of) else { return false };
            locals.contains(name)
                || matches!(all.lookup(name), Some(Binding::Variable(at)) if all.is_local_array(*at))
        }
        _ => false,
    }
}

/// Whether a function may write to what a pointer points to in a part of it that was not run.
fn may_write(all: &Interpreter<'_>, name: &str, arguments: &[Expr]) -> bool {
    if let Some(value) = all.env.macro_named(name).and_then(|of| of.value.as_ref()) {
        return has_effects(value);
    }
    let takes = |function: &Function, at: usize| {
        function.parameters.get(at).is_some_and(|parameter| {
            let is_template = function.templates.iter().any(|of| of.name == parameter.of.name);
            !parameter.of.is_const && (parameter.of.pointers > 0 || parameter.of.is_reference) || is_template
        })
    };
    all.env.functions(name).any(|(_, function)| (0..arguments.len()).any(|at| takes(function, at)))
}

/// Whether a running function has a `__restrict__` pointer of its own; the kernel's parameters do not count.
fn has_restrict(all: &Interpreter<'_>) -> bool {
    let function = |item: u32| match all.env.unit().items.get(item as usize).map(|placed| &placed.item.kind) {
        Some(ItemKind::Function(function)) => Some(function),
        _ => None,
    };
    let in_body = |function: &Function| {
        let mut has = false;
        if let Some(body) = &function.body {
            body.walk(&mut |stmt| {
                if let StmtKind::Declaration(variables) = &stmt.kind {
                    has |= variables.iter().any(|one| one.of.is_restrict);
                }
            });
        }
        has
    };
    all.frames.iter().zip(0..).filter_map(|(frame, at)| Some((function(frame.item)?, at))).any(
        |(function, at): (&Function, usize)| {
            in_body(function) || at > 0 && function.parameters.iter().any(|one| one.of.is_restrict)
        },
    )
}

/// Whether an expression names a place in memory.
fn is_place(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Index { .. }
            | ExprKind::Field { .. }
            | ExprKind::Name { .. }
            | ExprKind::Unary { op: UnaryOp::Dereference, .. }
    )
}

/// The expression that another one changes: the left side of an assignment, what is incremented, what has its address taken.
pub(super) fn target_of(expr: &Expr) -> Option<&Expr> {
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

/// The variable that a place is a part of. What a pointer points to is no part of it.
pub(super) fn root_of(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name { name, .. } => Some(name),
        ExprKind::Field { of, is_arrow: false, .. } | ExprKind::Index { of, .. } => root_of(of),
        _ => None,
    }
}

/// The same, through macros that expand to a place: the variable that the macro's text names, or that its argument does.
pub(super) fn root_through_macros<'a>(expr: &'a Expr, env: &'a Environment) -> Option<&'a str> {
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

/// Whether an expression changes a variable or calls a function.
pub(super) fn has_effects(expr: &Expr) -> bool {
    expr.any(&|expr| target_of(expr).is_some() || matches!(expr.kind, ExprKind::Call { .. }))
}
