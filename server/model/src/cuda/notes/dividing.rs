//! Finds integer divisions in loops by divisors that are unknown at compile time.

use super::divisions::{Division, DivisionState, Divisions};
use super::watched_loops::WatchedLoops;
use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::source::syntactic;
use crate::cuda::state::WarpState;
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::value::Value;
use crate::requests::lanes_of;
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, ExprKind};

impl Divisions {
    /// Records an integer division whose operands change between iterations of a loop.
    ///
    /// The compiler replaces a division by a known divisor with a multiplication or a shift. Divisors that
    /// the compiler may know are therefore ignored: numbers in the source, template arguments, and powers of
    /// two computed by a shift. A division whose operands change in no enclosing loop may be hoisted.
    pub(super) fn note<'a>(
        &mut self,
        warp: &WarpState<'a>,
        watches: &WatchedLoops<'a>,
        op: BinaryOp,
        (left, one): (&'a Expr, &Value),
        (right, other): (&'a Expr, &Value),
        range: &Range<u32>,
    ) {
        let (Value::Int(one), Value::Int(other)) = (one, other) else { return };
        if !other.is_runtime || !warp.is_on_device() || warp.used_at.is_some() || !warp.counts {
            return;
        }
        if !warp.frames.iter().any(|frame| frame.loops.iter().any(|running| running.is_loop)) {
            return;
        }
        let place = SourceSpan::new(warp.item(), range);
        let (active, depth) = (warp.active(), warp.frames.len());
        let own = || watches.loops_at(depth);
        let differs = |one: &Lanes, other: &Lanes| {
            let known = one.known & other.known & active;
            one.base != other.base || lanes_of(known).any(|lane| one.at[lane] != other.at[lane])
        };
        let is_each = match self.met.get(&place) {
            Some(DivisionState::Once | DivisionState::Each(_)) => return,
            Some(DivisionState::Last(last)) => differs(&last.0, one) || differs(&last.1, other),
            None if own().next().is_some() => {
                let varies = own().any(|of| {
                    let changed = syntactic::changed(of, warp.env, false);
                    syntactic::varies(left, &changed) || syntactic::varies(right, &changed)
                });
                if !varies {
                    self.met.insert(place, DivisionState::Once);
                    return;
                }
                true
            }
            None => false,
        };
        let met = if is_each {
            let of = one.of.joined(other.of);
            let is_remainder = op == BinaryOp::Remainder;
            DivisionState::Each(Division {
                place,
                is_remainder,
                bytes: of.bytes,
                is_signed: of.is_signed,
                operands: written(left).zip(written(right)),
            })
        } else {
            DivisionState::Last(Box::new((one.clone(), other.clone())))
        };
        self.met.insert(place, met);
    }

    /// Discards the operands that were recorded for the previous warp.
    pub(super) fn begin_warp(&mut self) {
        self.met.retain(|_, met| !matches!(met, DivisionState::Last(_)));
    }
}

/// Returns the normalised text of an expression that consists of operators, names, members and integers;
/// `None` for other expressions.
fn written(expr: &Expr) -> Option<String> {
    Some(match &expr.kind {
        ExprKind::Name { name, .. } => name.clone(),
        ExprKind::Integer { value, .. } => value.to_string(),
        ExprKind::Field { of, name, .. } => format!("{}.{name}", written(of)?),
        ExprKind::Unary { op, of } => format!("{op:?}({})", written(of)?),
        ExprKind::Binary { op, left, right } => format!("({} {op:?} {})", written(left)?, written(right)?),
        _ => return None,
    })
}
