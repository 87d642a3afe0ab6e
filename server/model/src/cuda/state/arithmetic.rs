//! Operations on values for the active lanes of a warp.

use super::warp_state::WarpState;
use crate::cuda::source::types::{IntType, Type};
use crate::cuda::values::lanes::{LaneCondition, Lanes};
use crate::cuda::values::lvalue::{Component, Lvalue};
use crate::cuda::values::value::{Pointer, Value};
use syntax::cuda::BinaryOp;

impl WarpState<'_> {
    /// Applies an operator to two values.
    pub(crate) fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Value {
        if op.is_comparison() {
            return Value::Int(self.comparison(op, left, right).as_lanes());
        }
        match (left, right) {
            (Value::Int(left), Value::Int(right)) => Value::Int(self.calculate(op, left, right)),
            (Value::Pointer(pointer), Value::Int(by)) if matches!(op, BinaryOp::Add | BinaryOp::Subtract) => {
                Value::Pointer(self.moved(pointer, by, op == BinaryOp::Subtract))
            }
            (Value::Int(by), Value::Pointer(pointer)) if op == BinaryOp::Add => {
                Value::Pointer(self.moved(pointer, by, false))
            }
            (Value::Pointer(left), Value::Pointer(right)) if op == BinaryOp::Subtract => {
                let of = IntType::LONG;
                if left.place != right.place {
                    return Value::Int(Lanes::unknown(of));
                }
                let bytes = self.calculate(op, &left.offset, &right.offset);
                let size = left.to.size().and_then(|size| i64::try_from(size).ok()).unwrap_or(0);
                Value::Int(self.calculate(BinaryOp::Divide, &bytes, &Lanes::all(of, size)))
            }
            (Value::Pointer(_) | Value::Unknown(Type::Pointer(_)), _) => Value::Unknown(left.value_type()),
            (_, Value::Unknown(Type::Float(8))) | (Value::Unknown(Type::Float(8)), _) => {
                Value::Unknown(Type::Float(8))
            }
            (Value::Unknown(Type::Float(_)), _) => left.clone(),
            (_, Value::Unknown(Type::Float(_))) => right.clone(),
            (Value::Record(..), _) => Value::unknown(&left.value_type()),
            (_, Value::Record(..)) => Value::unknown(&right.value_type()),
            _ => Value::Unknown(Type::Unknown),
        }
    }

    /// Applies an arithmetic operator to two numbers.
    pub(crate) fn calculate(&mut self, op: BinaryOp, left: &Lanes, right: &Lanes) -> Lanes {
        left.binary(op, right, self.lanes.active(), &mut self.symbols)
    }

    pub(crate) fn comparison(&self, op: BinaryOp, left: &Value, right: &Value) -> LaneCondition {
        match (left, right) {
            (Value::Int(left), Value::Int(right)) => left.compare(op, right, &self.symbols),
            (Value::Pointer(left), Value::Pointer(right)) if left.place == right.place => {
                left.offset.compare(op, &right.offset, &self.symbols)
            }
            // A pointer argument of a launch is assumed not to be null.
            (Value::Pointer(_), Value::Int(_)) | (Value::Int(_), Value::Pointer(_))
                if op == BinaryOp::NotEqual =>
            {
                LaneCondition::ALL
            }
            (Value::Pointer(_), Value::Int(_)) | (Value::Int(_), Value::Pointer(_))
                if op == BinaryOp::Equal =>
            {
                LaneCondition::ALL.not()
            }
            _ => LaneCondition::UNKNOWN,
        }
    }

    pub(crate) fn is_true(&self, value: &Value) -> LaneCondition {
        match value {
            Value::Int(lanes) => lanes.truth(&self.symbols),
            Value::Pointer(_) => LaneCondition::ALL,
            _ => LaneCondition::UNKNOWN,
        }
    }

    /// Moves a pointer by `by` elements, backward if `is_back`.
    pub(crate) fn moved(&mut self, pointer: &Pointer, by: &Lanes, is_back: bool) -> Pointer {
        let mut moved = pointer.clone();
        moved.within = 0;
        let by = by.to(IntType { bytes: 8, is_signed: true });
        match pointer.to.size() {
            Some(size) => {
                let size = Lanes::all(IntType::LONG, i64::try_from(size).unwrap_or(0));
                let bytes = self.calculate(BinaryOp::Multiply, &by, &size);
                let op = if is_back { BinaryOp::Subtract } else { BinaryOp::Add };
                moved.offset = self.calculate(op, &pointer.offset, &bytes);
            }
            None => moved.offset.forget(u32::MAX),
        }
        moved
    }

    /// Returns a field of the structure that an lvalue denotes.
    pub(crate) fn field(&mut self, of: Lvalue, name: &str) -> Lvalue {
        match of {
            Lvalue::Variable { frame, variable, mut path } => {
                let of = self.part(frame, variable, &path).map(Value::value_type);
                let Some(Type::Record(record)) = of else { return Lvalue::unknown() };
                let Some((at, _)) = record.field(name) else { return Lvalue::unknown() };
                path.push(Component::At(at));
                Lvalue::Variable { frame, variable, path }
            }
            Lvalue::Memory(mut pointer) => {
                let Type::Record(record) = pointer.to.clone() else { return Lvalue::unknown() };
                let Some((_, field)) = record.field(name) else { return Lvalue::unknown() };
                let bytes = Lanes::all(IntType::LONG, field.offset as i64);
                pointer.within = pointer.within.max(record.alignment);
                pointer.offset = self.calculate(BinaryOp::Add, &pointer.offset, &bytes);
                pointer.to = field.of.clone();
                Lvalue::Memory(pointer)
            }
            Lvalue::Value(value) => match *value {
                Value::Record(record, mut fields) => match record.field(name) {
                    Some((at, _)) => Lvalue::from_value(fields.swap_remove(at)),
                    None => Lvalue::unknown(),
                },
                _ => Lvalue::unknown(),
            },
        }
    }
}
