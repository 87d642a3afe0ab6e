//! Linear induction variables, which grow by the same step in each iteration of a loop, and the resulting
//! trip counts.

use crate::cuda::notes::Snapshot;
use crate::cuda::source::syntactic::target_of;
use crate::cuda::state::frame::{Frame, VariableState};
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::per_lane::PerLane;
use crate::cuda::values::value::{Pointer, Value};
use syntax::cuda::{Expr, Stmt, StmtKind};

/// Trip count above which a loop counts as endless. Such a loop is bounded only by an unknown size.
const ENDLESS: i64 = 1 << 30; // limit: more than any loop runs

/// State after a loop iteration.
pub(super) struct IterationState {
    pub lanes: u32,
    pub values: Vec<VariableState>,
    pub counters: Snapshot,
}

/// Growth of a variable per iteration.
pub(super) enum Growth {
    None,
    By(PerLane),
}

/// Returns the lvalues that statements and expressions change.
pub(super) fn assigned<'a>(body: &'a Stmt, more: impl IntoIterator<Item = &'a Expr>) -> Vec<&'a Expr> {
    let mut changed: Vec<&'a Expr> = Vec::new();
    let mut note = |expr: &'a Expr| changed.extend(target_of(expr));
    body.walk_expressions(&mut note);
    for expr in more {
        expr.walk(&mut note);
    }
    body.walk(&mut |stmt| {
        if let StmtKind::Asm(asm) = &stmt.kind {
            changed.extend(asm.outputs.iter().filter_map(|operand| operand.value.as_ref()));
        }
    });
    changed
}

/// Returns the last recorded iteration, its active lanes, and the growth of each variable per iteration.
/// `None` if lanes left the loop during the last three iterations, or if a variable does not grow by a
/// constant step.
pub(super) fn steps(history: &[IterationState], gone: u32) -> Option<(&IterationState, u32, Vec<Growth>)> {
    let [.., before, earlier, last] = history else { return None };
    let lanes = last.lanes;
    if before.lanes != lanes || earlier.lanes != lanes || lanes & gone != 0 || lanes == 0 {
        return None;
    }
    let count = before.values.len().min(last.values.len());
    let step = |at: usize| {
        let [one, two, three] = [before, earlier, last].map(|trip| &trip.values[at].value);
        step_of(one, two, three, lanes)
    };
    Some((last, lanes, (0..count).map(step).collect::<Option<_>>()?))
}

/// Returns the minimum number of iterations after which a condition no longer holds; `None` if the condition
/// holds up to the limit `ENDLESS`.
pub(super) fn trips_while(holds_after: &mut impl FnMut(i64) -> bool) -> Option<i64> {
    if !holds_after(0) {
        return Some(0);
    }
    // Find the first power of two after which the condition does not hold, then bisect.
    let mut high = 1;
    while holds_after(high) {
        high *= 2;
        if high > ENDLESS {
            return None;
        }
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low.midpoint(high);
        if holds_after(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}

/// Advances the variables by `trips` iterations, starting from `values`.
pub(super) fn advance(frame: &mut Frame<'_>, values: &[VariableState], steps: &[Growth], trips: i64) {
    for ((held, step), before) in frame.values.iter_mut().zip(steps).zip(values) {
        let Growth::By(step) = step else { continue };
        let moved = |lanes: &Lanes| {
            let at = lanes.at.with(step, |at, by| {
                let next = at.wrapping_add(by.wrapping_mul(trips));
                if lanes.base.is_none() { lanes.of.wrap(next) } else { next }
            });
            Lanes { at, ..lanes.clone() }
        };
        match &before.value {
            Value::Int(lanes) => held.value = Value::Int(moved(lanes)),
            Value::Pointer(pointer) => {
                held.value = Value::Pointer(Pointer { offset: moved(&pointer.offset), ..pointer.clone() });
            }
            _ => {}
        }
    }
}

/// Computes the growth of a value over three iterations; `None` if the value does not grow by a constant
/// step.
fn step_of(one: &Value, two: &Value, three: &Value, mask: u32) -> Option<Growth> {
    let step = |one: &Lanes, two: &Lanes, three: &Lanes| {
        let known = three.known & mask;
        if one.known & mask != known || two.known & mask != known {
            return None;
        }
        if known == 0 {
            return Some(Growth::None);
        }
        if one.base != two.base || two.base != three.base {
            return None;
        }
        let last = three.at.with(&two.at, i64::wrapping_sub);
        let first = two.at.with(&one.at, i64::wrapping_sub);
        if first.holds(&last, |first, last| first == last) & known != known {
            return None;
        }
        let step = PerLane::All(0).replaced(known, &last);
        Some(if step == PerLane::All(0) { Growth::None } else { Growth::By(step) })
    };
    match (one, two, three) {
        (Value::Int(one), Value::Int(two), Value::Int(three)) => step(one, two, three),
        (Value::Pointer(one), Value::Pointer(two), Value::Pointer(three))
            if one.place == two.place && two.place == three.place =>
        {
            step(&one.offset, &two.offset, &three.offset)
        }
        _ => (one == two && two == three).then_some(Growth::None),
    }
}
