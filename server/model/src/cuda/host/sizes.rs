//! Recognizes expressions in host code that only compute a size.

use crate::cuda::source::builtins::is_size_by_name;
use crate::cuda::source::environment::Environment;
use crate::cuda::source::syntactic::target_of;
use syntax::cuda::{Expr, ExprKind, Function, StmtKind, UnaryOp};

// limit: hand-written helper functions call each other less deeply. The limit also stops recursion.
const DEEPEST: u32 = 8;

/// True if an expression only computes a size: it changes no variable, and calls only functions and macros
/// that also only compute sizes.
pub(crate) fn is_size(env: &Environment, expr: &Expr) -> bool {
    is_size_at(env, expr, 0)
}

fn is_size_at(env: &Environment, expr: &Expr, depth: u32) -> bool {
    !expr.any(&|expr| match &expr.kind {
        ExprKind::Call { function, .. } => !function.as_name().is_some_and(|name| computes(env, name, depth)),
        ExprKind::Lambda(_) | ExprKind::Launch { .. } | ExprKind::Unknown => true,
        // An address is usually taken for an argument. The check of the call decides whether the callee may
        // write through the address.
        ExprKind::Unary { op: UnaryOp::AddressOf, .. } => false,
        _ => target_of(expr).is_some(),
    })
}

/// True if the macro or function with this name only computes a size. The check uses the body if the
/// translation unit defines it, otherwise the name.
fn computes(env: &Environment, name: &str, depth: u32) -> bool {
    if depth > DEEPEST {
        return false;
    }
    if let Some(value) = env.macro_named(name).and_then(|of| of.value.as_ref()) {
        return is_size_at(env, value, depth + 1);
    }
    let mut bodies = env
        .functions(name)
        .map(|(_, function)| function)
        .filter(|function| function.body.is_some())
        .peekable();
    if bodies.peek().is_some() {
        return bodies.all(|function| is_pure(env, function, depth + 1));
    }
    is_size_by_name(name.trim_start_matches("std::"))
}

/// True if a function has no pointer parameters, and its body consists only of declarations, `if`s and
/// `return`s without side effects.
fn is_pure(env: &Environment, function: &Function, depth: u32) -> bool {
    let Some(body) = &function.body else { return false };
    let mut is_pure = function
        .parameters
        .iter()
        .all(|parameter| parameter.of.pointers == 0 && (!parameter.of.is_reference || parameter.of.is_const));
    body.walk(&mut |stmt| {
        is_pure &= match &stmt.kind {
            StmtKind::Declaration(all) => all.iter().all(|variable| !variable.is_static),
            StmtKind::Block(_) | StmtKind::If { .. } | StmtKind::Return(_) | StmtKind::Empty => true,
            _ => false,
        } && stmt.expressions().into_iter().all(|expr| is_size_at(env, expr, depth));
    });
    is_pure
}
