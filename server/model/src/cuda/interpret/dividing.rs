//! Finds divisions of integers in loops by what the compiler cannot know.

use super::interpreter::Interpreter;
use crate::cuda::notes::divisions::{Division, Met};
use crate::cuda::source::syntactic;
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::value::Value;
use crate::requests::lanes_of;
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, ExprKind};

impl<'a> Interpreter<'a> {
    /// Notes a division of integers of which each pass of a loop does another one.
    ///
    /// A divisor that the compiler knows, or may know, is multiplied or shifted by: numbers in the text, arguments of templates, powers
    /// of two by a shift. One that changes in no loop around it may be done once, in front of the loop.
    pub(super) fn note_division(
        &mut self,
        op: BinaryOp,
        (left, one): (&'a Expr, &Value),
        (right, other): (&'a Expr, &Value),
        range: &Range<u32>,
    ) {
        let (Value::Int(one), Value::Int(other)) = (one, other) else { return };
        if !other.is_runtime || self.indices.is_none() || self.used_at.is_some() || !self.counts {
            return;
        }
        if !self.frames.iter().any(|frame| frame.loops.iter().any(|running| running.is_loop)) {
            return;
        }
        let place = (self.item(), range.clone());
        let (active, depth) = (self.active, self.frames.len());
        let own = || self.watches.iter().filter(|watch| watch.depth == depth).filter_map(|watch| watch.of);
        let differs = |one: &Lanes, other: &Lanes| {
            let known = one.known & other.known & active;
            one.base != other.base || lanes_of(known).any(|lane| one.at[lane] != other.at[lane])
        };
        let is_each = match self.divisions.get(&place) {
            Some(Met::Once | Met::Each(_)) => return,
            Some(Met::Last(last)) => differs(&last.0, one) || differs(&last.1, other),
            None if own().next().is_some() => {
                let varies = own().any(|of| {
                    let changed = syntactic::changed(of, self.env, false);
                    syntactic::varies(left, &changed) || syntactic::varies(right, &changed)
                });
                if !varies {
                    self.divisions.insert(place, Met::Once);
                    return;
                }
                true
            }
            None => false,
        };
        let met = if is_each {
            let of = one.of.joined(other.of);
            let is_remainder = op == BinaryOp::Remainder;
            Met::Each(Division {
                place: place.clone(),
                is_remainder,
                bytes: of.bytes,
                is_signed: of.is_signed,
                operands: written(left).zip(written(right)),
            })
        } else {
            Met::Last(Box::new((one.clone(), other.clone())))
        };
        self.divisions.insert(place, met);
    }

    /// Forgets what another warp divided.
    pub(super) fn forget_divisions(&mut self) {
        self.divisions.retain(|_, met| !matches!(met, Met::Last(_)));
    }
}

/// An expression of names, members and numbers as text, which is equal for equal expressions; `None` for any other.
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
