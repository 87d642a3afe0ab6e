//! Finds kernels that may be launched with larger blocks because every thread checks its index against a
//! bound before any work.

use super::numbers::LaunchContext;
use super::quantity::{Form, Quantity};
use crate::cuda::source::builtins::is_meeting;
use crate::cuda::source::environment::Environment;
use std::rc::Rc;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Function, Memory, Stmt, StmtKind};

/// True if larger blocks leave a kernel's results unchanged. The kernel computes its thread index once,
/// guards all work by a comparison of this index with a bound, shares nothing within the block, and has no
/// launch bounds.
pub fn guards_its_index(env: &Environment, kernel: &Function) -> bool {
    // Launch bounds may forbid a larger block.
    if !kernel.launch_bounds.is_empty() {
        return false;
    }
    let Some(StmtKind::Block(all)) = kernel.body.as_ref().map(|body| &body.kind) else { return false };
    let Some(at) = LaunchContext::with_arguments(env, kernel, [None; 2], Rc::default(), &[]) else {
        return false;
    };
    let [block, size, thread] =
        [Quantity::Block(0), Quantity::BlockSize(0), Quantity::Thread(0)].map(Form::of_symbol);
    let place = block.multiply(&size).and_then(|start| start.plus(&thread, 1));
    let mut index = None;
    let mut rest = all.iter();
    // Scalar declarations come first, including the index.
    let guard = loop {
        let Some(stmt) = rest.next() else { return false };
        let StmtKind::Declaration(variables) = &stmt.kind else { break stmt };
        for variable in variables {
            let Some(value) = &variable.value else { return false };
            let is_index = at.form(value) == place;
            if variable.memory != Memory::Local
                || !is_index && !is_plain(value)
                || is_index && index.is_some()
            {
                return false;
            }
            if is_index {
                index = Some(variable.name.as_str());
            }
        }
    };
    let Some(index) = index else { return false };
    let StmtKind::If { init: None, condition, then, otherwise: None, .. } = &guard.kind else { return false };
    let is_guarded = if returns(then) {
        is_bound(condition, index, true)
    } else {
        rest.next().is_none() && is_bound(condition, index, false)
    };
    is_guarded && shares_nothing(env, kernel)
}

/// True if an expression consists only of numbers, names, binary operators and casts. Such an expression
/// neither accesses memory nor calls a function.
fn is_plain(expr: &Expr) -> bool {
    !expr.any(&|expr| {
        !matches!(
            expr.kind,
            ExprKind::Integer { .. }
                | ExprKind::Float { .. }
                | ExprKind::Name { .. }
                | ExprKind::Binary { .. }
                | ExprKind::Cast { .. }
        )
    })
}

/// True if a condition is `index < bound`, possibly joined with other conditions by `&&`. If `is_turned`, the
/// condition is `index >= bound`, possibly joined with other conditions by `||`.
fn is_bound(condition: &Expr, index: &str, is_turned: bool) -> bool {
    let ExprKind::Binary { op, left, right } = &condition.kind else { return false };
    let (joins, than) = if is_turned {
        (BinaryOp::Either, [BinaryOp::GreaterEqual, BinaryOp::Greater])
    } else {
        (BinaryOp::Both, [BinaryOp::Less, BinaryOp::LessEqual])
    };
    if *op == joins {
        return is_bound(left, index, is_turned);
    }
    let names_index = right.any(&|expr| expr.as_name() == Some(index));
    than.contains(op) && left.as_name() == Some(index) && is_plain(right) && !names_index
}

fn returns(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(None) => true,
        StmtKind::Block(all) => matches!(all.as_slice(), [only] if returns(only)),
        _ => false,
    }
}

/// True if the threads of a block neither share memory nor synchronize, and if the kernel uses `threadIdx` and the
/// other built-in index variables only to compute its thread index.
fn shares_nothing(env: &Environment, kernel: &Function) -> bool {
    let Some(body) = &kernel.body else { return false };
    let (mut shares, mut indices) = (false, 0);
    body.walk(&mut |stmt| {
        shares |= match &stmt.kind {
            StmtKind::Declaration(all) => all.iter().any(|variable| variable.memory != Memory::Local),
            StmtKind::Asm(_) | StmtKind::Goto | StmtKind::Unknown | StmtKind::Preprocessor(_) => true,
            _ => false,
        };
    });
    body.walk_expressions(&mut |expr| match &expr.kind {
        ExprKind::Name { name, .. } => {
            let is_place = matches!(name.as_str(), "threadIdx" | "blockIdx" | "blockDim" | "gridDim");
            indices += u32::from(is_place);
            shares |=
                env.macro_named(name).is_some_and(|of| of.value.as_ref().is_none_or(|of| !is_plain(of)));
        }
        ExprKind::Call { function, .. } => {
            shares |= function
                .as_name()
                .is_none_or(|name| env.function(name).is_some() || name.contains("::") || is_meeting(name));
        }
        ExprKind::Lambda(_) => shares = true,
        _ => {}
    });
    !shares && indices == 3
}
