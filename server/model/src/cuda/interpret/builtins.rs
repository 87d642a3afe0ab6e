//! Functions of CUDA and of the standard library, as far as indices and accesses depend on them.

use super::interpreter::Interpreter;
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::source::types::{IntType, RecordType, Type};
use crate::cuda::values::convert::assembled;
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::value::{Pointer, Value};
use std::sync::Arc;
use syntax::cuda::{BinaryOp, Expr, ExprKind};

impl<'a> Interpreter<'a> {
    /// The value of a call to a built-in function; `None` for other functions.
    pub(super) fn built_in_call(
        &mut self,
        name: &str,
        arguments: &'a [Expr],
        expr: &'a Expr,
    ) -> Option<Value> {
        let name = crate::cuda::source::environment::last_part(name);
        if let Some(vector) = name.strip_prefix("make_") {
            let of = Type::Record(Arc::new(RecordType::vector(vector)?));
            let values = arguments.iter().map(|argument| self.value(argument)).collect();
            return Some(assembled(&of, values));
        }
        if name.starts_with("atomic") {
            return Some(self.atomic(name, arguments, expr));
        }
        match name {
            "__syncthreads"
            | "__syncthreads_count"
            | "__syncthreads_and"
            | "__syncthreads_or"
            | "__barrier_sync" => {
                for argument in arguments {
                    self.value(argument);
                }
                self.barrier(expr);
                Some(Value::Int(Lanes::unknown(IntType::INT)))
            }
            "__syncwarp" | "__threadfence" | "__threadfence_block" | "__threadfence_system" => {
                self.uses.release(None);
                // After a fence, memory may hold what other threads have written.
                match name {
                    "__syncwarp" => self.watch_barrier(&expr.range, false),
                    _ => self.watch_unclear(),
                }
                Some(Value::Unknown(Type::Void))
            }
            "__ldg" | "__ldcg" | "__ldca" | "__ldcs" | "__ldlu" | "__ldcv" => {
                let pointer = self.pointer(arguments.first()?)?;
                Some(self.load(pointer, &expr.range))
            }
            "__stcg" | "__stcs" | "__stwb" | "__stwt" => {
                let pointer = self.pointer(arguments.first()?)?;
                self.value(arguments.get(1)?);
                self.access(&pointer, AccessKind::Store, &expr.range);
                Some(Value::Unknown(Type::Void))
            }
            "min" | "max" | "umin" | "umax" | "ullmin" | "ullmax" => {
                let [one, other] = arguments else { return None };
                let (one, other) = (self.value(one), self.value(other));
                let (Value::Int(one), Value::Int(other)) = (&one, &other) else {
                    return Some(self.binary(BinaryOp::Add, &one, &other));
                };
                Some(Value::Int(self.extreme(name.contains("min"), one, other)))
            }
            "abs" | "labs" | "llabs" => {
                let value = self.value(arguments.first()?);
                let Value::Int(lanes) = &value else { return Some(value) };
                Some(Value::Int(each(lanes, lanes.of, i64::wrapping_abs)))
            }
            "__mul24" | "__umul24" => {
                let [one, other] = arguments else { return None };
                let (one, other) = (self.value(one), self.value(other));
                Some(self.binary(BinaryOp::Multiply, &one, &other))
            }
            "__popc" | "__popcll" => self.bits(arguments, |value, of| match of.bytes {
                8 => i64::from(value.count_ones()),
                _ => i64::from((value as u32).count_ones()),
            }),
            "__clz" => self.bits(arguments, |value, _| i64::from((value as u32).leading_zeros())),
            "__clzll" => self.bits(arguments, |value, _| i64::from(value.leading_zeros())),
            "__ffs" => self.bits(arguments, |value, _| {
                if value as u32 == 0 { 0 } else { i64::from((value as u32).trailing_zeros()) + 1 }
            }),
            "__brev" => self.bits(arguments, |value, _| i64::from((value as u32).reverse_bits())),
            "__cvta_generic_to_shared" | "__cvta_generic_to_global" => Some(self.value(arguments.first()?)),
            "__builtin_assume" | "assert" | "printf" | "__nanosleep" | "__assume" => {
                for argument in arguments {
                    self.value(argument);
                }
                Some(Value::Unknown(Type::Void))
            }
            _ => None,
        }
    }

    fn bits(&mut self, arguments: &'a [Expr], f: impl Fn(i64, IntType) -> i64) -> Option<Value> {
        let value = self.value(arguments.first()?);
        let Value::Int(lanes) = &value else { return Some(Value::Int(Lanes::unknown(IntType::INT))) };
        Some(Value::Int(each(lanes, IntType::INT, |value| f(value, lanes.of))))
    }

    fn extreme(&self, is_least: bool, one: &Lanes, other: &Lanes) -> Lanes {
        let of = one.of.joined(other.of);
        let less = one.compare(BinaryOp::Less, other, &self.symbols);
        let takes_one = if is_least { less.holds } else { !less.holds & !less.unknown };
        let mut result = other.to(of).merged(takes_one, &one.to(of));
        result.forget(less.unknown);
        result
    }

    pub(super) fn pointer(&mut self, argument: &'a Expr) -> Option<Pointer> {
        match self.value(argument) {
            Value::Pointer(pointer) => Some(pointer),
            Value::Unknown(Type::Pointer(to)) => Some(Pointer::nowhere((*to).clone())),
            _ => None,
        }
    }

    fn atomic(&mut self, name: &str, arguments: &'a [Expr], expr: &'a Expr) -> Value {
        let pointer = arguments.first().and_then(|argument| self.pointer(argument));
        for argument in arguments.iter().skip(1) {
            self.value(argument);
        }
        let Some(pointer) = pointer else {
            self.watch_unclear();
            return Value::Unknown(Type::Unknown);
        };
        // Of lanes that change one word in a way that can be combined the compiler sends one.
        let is_combined = ["Add", "Sub", "Min", "Max", "And", "Or", "Xor"]
            .iter()
            .any(|op| name.starts_with(&format!("atomic{op}")));
        let is_word = matches!(pointer.to, Type::Int(of) if of.bytes == 4);
        let is_shared = pointer.offset.shared(self.active).is_some();
        let sent = if is_combined && is_word && is_shared {
            self.active & self.active.wrapping_neg()
        } else {
            self.active
        };
        self.with_lanes(sent, 0, |all| all.access(&pointer, AccessKind::Atomic, &expr.range));
        Value::unknown(&pointer.to)
    }

    /// A barrier of the whole block.
    pub(super) fn barrier(&mut self, expr: &'a Expr) {
        self.uses.release(None);
        self.watch_barrier(&expr.range, true);
        if !self.counts {
            return;
        }
        self.count_barrier(&expr.range);
        let whole = self.whole & !self.frames.first().map_or(0, |frame| frame.returned);
        if self.active != whole && self.doubt == 0 && self.maybe == 0 {
            let range = self.used_at.clone().unwrap_or_else(|| expr.range.clone());
            let found = (self.item(), range);
            if !self.divergent_barriers.contains(&found) {
                self.divergent_barriers.push(found);
            }
        } else if self.active == whole && self.doubt == 0 && self.used_at.is_none() && is_syncthreads(expr) {
            let found = (self.item(), expr.range.clone());
            if !self.plain_barriers.contains(&found) {
                self.plain_barriers.push(found);
            }
        }
    }
}

/// True for `__syncthreads()` itself, not for one of its kin that bring a value.
fn is_syncthreads(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call { function, .. } if function.as_name() == Some("__syncthreads"))
}

/// A function of each known lane, where no part of the number is unknown.
fn each(lanes: &Lanes, of: IntType, f: impl Fn(i64) -> i64) -> Lanes {
    if lanes.base.is_some() {
        return Lanes::unknown(of);
    }
    let at = lanes.at.map(|number| of.wrap(f(number)));
    Lanes { of, at, base: None, strided: None, ..lanes.clone() }
}
