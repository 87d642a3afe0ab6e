//! Names that the statements of a body declare or change, and the counters and trip counts of loops.

use super::numbers::LaunchContext;
use super::quantity::Form;
use crate::cuda::source::environment::Environment;
use crate::cuda::source::syntactic::{is_by_value, root_of, target_of};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::cuda::{BinaryOp, Expr, ExprKind, Function, Loop, Stmt, StmtKind, UnaryOp, Variable};

/// Returns the counter of a `for` loop: the only variable that the loop declares, which the body does not
/// change. `None` for other loops.
pub(crate) fn counter(of: &Loop) -> Option<&Variable> {
    let StmtKind::Declaration(all) = &of.init.as_ref()?.kind else { return None };
    let [only] = all.as_slice() else { return None };
    let mut is_changed = false;
    of.body.walk_expressions(&mut |expr| {
        is_changed |= target_of(expr).and_then(root_of) == Some(&only.name);
    });
    is_changed |= declared_in(&of.body).contains_key(only.name.as_str());
    (!is_changed && only.of.pointers == 0).then_some(only)
}

/// Returns the amount that the step of a loop adds to the loop counter; `None` if the step is not an addition
/// or a subtraction.
pub(crate) fn step<'a>(at: &LaunchContext<'a>, of: &'a Loop) -> Option<Form<'a>> {
    let counter = counter(of)?;
    let is_counter = |expr: &Expr| expr.as_name() == Some(&counter.name);
    match &of.step.as_ref()?.kind {
        ExprKind::Unary { op, of } if is_counter(of) => match op {
            UnaryOp::Increment | UnaryOp::IncrementAfter => Some(Form::from_constant(1)),
            UnaryOp::Decrement | UnaryOp::DecrementAfter => Some(Form::from_constant(-1)),
            _ => None,
        },
        ExprKind::Assign { op: Some(BinaryOp::Add), left, right } if is_counter(left) => at.form(right),
        ExprKind::Assign { op: Some(BinaryOp::Subtract), left, right } if is_counter(left) => {
            at.form(right)?.times(-1)
        }
        _ => None,
    }
}

/// First counter value, step and trip count of a loop that counts up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trips {
    pub first: i64,
    pub step: i64,
    pub count: i64,
}

impl Trips {
    /// Returns the value of the counter in the last iteration; `None` on overflow.
    pub(crate) fn last(self) -> Option<i64> {
        self.first.checked_add(self.step.checked_mul(self.count - 1)?)
    }
}

/// Returns the counter values and the trip count of a loop that counts up between known bounds; `None` for other
/// loops.
pub(crate) fn trips<'a>(at: &LaunchContext<'a>, of: &'a Loop) -> Option<Trips> {
    let counter = counter(of)?;
    let is_counter = |expr: &Expr| expr.as_name() == Some(&counter.name);
    let first = at.number(counter.value.as_ref()?)?;
    let ExprKind::Binary { op, left, right } = &of.condition.as_ref()?.kind else { return None };
    let end = match op {
        BinaryOp::Less if is_counter(left) => at.number(right)?,
        BinaryOp::LessEqual if is_counter(left) => at.number(right)?.checked_add(1)?,
        BinaryOp::Greater if is_counter(right) => at.number(left)?,
        BinaryOp::GreaterEqual if is_counter(right) => at.number(left)?.checked_add(1)?,
        _ => return None,
    };
    let step = step(at, of)?.as_constant()?;
    let length = end.checked_sub(first)?;
    (step > 0 && length > 0 && !of.is_do).then(|| Trips { first, step, count: (length - 1) / step + 1 })
}

/// Returns the names whose values a body changes. A write through a pointer does not change the pointer.
pub(crate) fn changed_in<'a>(env: &Environment, kernel: &'a Function, body: &'a Stmt) -> FxHashSet<&'a str> {
    let mut pointers: FxHashSet<&str> = FxHashSet::default();
    let own = kernel.parameters.iter().filter(|own| own.of.pointers > 0 || !own.of.dimensions.is_empty());
    pointers.extend(own.map(|own| own.name.as_str()));
    body.walk(&mut |stmt| {
        if let StmtKind::Declaration(all) = &stmt.kind {
            let own = all.iter().filter(|own| own.of.pointers > 0 && own.of.dimensions.is_empty());
            pointers.extend(own.map(|own| own.name.as_str()));
        }
    });
    let part = |place: &'a Expr| part_of(place, &pointers);
    let mut changed: FxHashSet<&str> = FxHashSet::default();
    body.walk_expressions(&mut |expr| {
        changed.extend(target_of(expr).and_then(part));
        let ExprKind::Call { function, arguments } = &expr.kind else { return };
        let name = function.as_name().unwrap_or_default();
        let by_reference = |at: usize| match env.function(name) {
            Some(_) => env.functions(name).any(|(_, callee)| {
                callee.parameters.get(at).is_none_or(|own| own.of.is_reference && !own.of.is_const)
            }),
            None => !is_by_value(name),
        };
        let lent = arguments.iter().enumerate().filter(|(at, _)| by_reference(*at));
        changed.extend(lent.filter_map(|(_, argument)| part(argument)));
    });
    body.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Asm(asm) => {
            changed.extend(asm.outputs.iter().filter_map(|operand| part(operand.value.as_ref()?)));
        }
        StmtKind::ForEach { variable, .. } => {
            changed.insert(&variable.name);
        }
        // The variable may change through a reference to it.
        StmtKind::Declaration(all) => {
            let references = all.iter().filter(|variable| variable.of.is_reference);
            changed.extend(references.filter_map(|variable| part(variable.value.as_ref()?)));
        }
        _ => {}
    });
    changed
}

/// Returns the variable that an lvalue is part of; `None` if the lvalue is reached through a pointer.
fn part_of<'a>(place: &'a Expr, pointers: &FxHashSet<&str>) -> Option<&'a str> {
    match &place.kind {
        ExprKind::Name { name, .. } => Some(name),
        ExprKind::Field { of, is_arrow: false, .. } => part_of(of, pointers),
        ExprKind::Index { of, .. } => {
            part_of(of, pointers).filter(|_| !of.as_name().is_some_and(|name| pointers.contains(name)))
        }
        _ => None,
    }
}

/// Returns the declarations in a statement by name; `None` for a name that is declared twice.
pub(crate) fn declared_in(body: &Stmt) -> FxHashMap<&str, Option<&Variable>> {
    let mut found: FxHashMap<&str, Option<&Variable>> = FxHashMap::default();
    body.walk(&mut |stmt| {
        let all = match &stmt.kind {
            StmtKind::Declaration(all) => all.as_slice(),
            StmtKind::ForEach { variable, .. } => std::slice::from_ref(variable),
            _ => return,
        };
        for variable in all {
            found.entry(&variable.name).and_modify(|own| *own = None).or_insert(Some(variable));
        }
    });
    found
}
