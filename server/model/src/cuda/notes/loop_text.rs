//! Checks in the source of a running loop whether a load has the same address in every iteration, and whether
//! all stores were observed.

use crate::cuda::source::syntactic::{
    changed, each_pass, has_call, has_effects, has_open_macro, is_place, root_of, target_of, varies,
};
use crate::cuda::state::WarpState;
use crate::cuda::state::frame::Binding;
use rustc_hash::FxHashSet;
use std::ops::Range;
use syntax::cuda::{Expr, ExprKind, Function, ItemKind, Loop, Memory, StmtKind, UnaryOp};

/// True if every iteration evaluates the lvalue at `range` with the same address, all stores of the loop were
/// observed, and no running function declares a `__restrict__` pointer. `was_seen` returns true if the access
/// at a byte range was observed.
pub(super) fn is_invariant(
    warp: &WarpState<'_>,
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
    !varies(expr, &changed(of, warp.env, true))
        && !has_call(expr)
        && !has_open_macro(expr, warp.env)
        && stores_are_seen(warp, of, was_seen)
        && !has_restrict(warp)
}

/// True if every store in a loop was observed. All arrays that the loop writes are then known.
fn stores_are_seen(warp: &WarpState<'_>, of: &Loop, was_seen: &dyn Fn(&Range<u32>) -> bool) -> bool {
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
            Some(name) => are_seen &= !may_write(warp, name, arguments),
            None => {}
        },
        ExprKind::Unary { op: UnaryOp::AddressOf, .. } => {}
        _ => {
            if let Some(target) = target_of(expr) {
                let range = match expr.kind {
                    ExprKind::Assign { .. } => &target.range,
                    _ => &expr.range,
                };
                are_seen &= was_seen(range) || is_local(warp, target, &locals);
            }
        }
    };
    of.body.walk_expressions(&mut look);
    of.condition.iter().chain(&of.step).for_each(|expr| expr.walk(&mut look));
    are_seen
}

/// True if an lvalue is a local variable, or an element or a field of a local variable.
fn is_local(warp: &WarpState<'_>, target: &Expr, locals: &FxHashSet<&str>) -> bool {
    match &target.kind {
        ExprKind::Name { name, .. } if locals.contains(name.as_str()) => true,
        ExprKind::Name { name, .. } => {
            matches!(warp.lookup(name), Some(Binding::Variable(_) | Binding::Alias(_)))
        }
        ExprKind::Field { of, is_arrow: false, .. } => is_local(warp, of, locals),
        ExprKind::Index { of, .. } => {
            let Some(name) = root_of(of) else { return false };
            locals.contains(name)
                || matches!(warp.lookup(name), Some(Binding::Variable(at)) if warp.is_local_array(*at))
        }
        _ => false,
    }
}

/// True if a call may write memory: a parameter is a pointer or a reference to non-const data, a parameter
/// has a template type, or the callee is a macro with side effects.
fn may_write(warp: &WarpState<'_>, name: &str, arguments: &[Expr]) -> bool {
    if let Some(value) = warp.env.macro_named(name).and_then(|of| of.value.as_ref()) {
        return has_effects(value);
    }
    let takes = |function: &Function, at: usize| {
        function.parameters.get(at).is_some_and(|parameter| {
            let is_template = function.templates.iter().any(|of| of.name == parameter.of.name);
            !parameter.of.is_const && (parameter.of.pointers > 0 || parameter.of.is_reference) || is_template
        })
    };
    warp.env.functions(name).any(|(_, function)| (0..arguments.len()).any(|at| takes(function, at)))
}

/// True if a running function declares a `__restrict__` pointer or parameter. The kernel's own parameters are
/// ignored.
fn has_restrict(warp: &WarpState<'_>) -> bool {
    let function = |item: u32| match warp.env.unit().item(item).map(|placed| &placed.item.kind) {
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
    warp.frames.iter().zip(0..).filter_map(|(frame, at)| Some((function(frame.item)?, at))).any(
        |(function, at): (&Function, usize)| {
            in_body(function) || at > 0 && function.parameters.iter().any(|one| one.of.is_restrict)
        },
    )
}
