//! Conversions of values between types.

use super::lanes::Lanes;
use super::value::{Pointer, Value};
use crate::cuda::source::types::{IntType, Type};
use std::sync::Arc;

/// Converts a value to another type.
pub(crate) fn converted(to: &Type, value: Value) -> Value {
    match (to, value) {
        (Type::Int(of), Value::Int(lanes)) => Value::Int(lanes.to(*of)),
        (Type::Float(_) | Type::Pointer(_), Value::Int(_) | Value::Unknown(_)) => Value::Unknown(to.clone()),
        (Type::Int(of), Value::Unknown(_)) => Value::Int(Lanes::unknown(*of)),
        (Type::Pointer(to), Value::Pointer(pointer)) => {
            // A cast to `void *` keeps the pointee type.
            let to =
                if matches!(**to, Type::Void | Type::Unknown) { pointer.to.clone() } else { (**to).clone() };
            Value::Pointer(Pointer { to, ..pointer })
        }
        // An address that is converted to an integer advances in bytes.
        (Type::Int(_), Value::Pointer(pointer)) => Value::Pointer(Pointer {
            to: Type::Int(IntType { bytes: 1, is_signed: false }),
            within: 0,
            ..pointer
        }),
        (Type::Record(of), value @ Value::Record(..))
            if value.value_type() == Type::Record(Arc::clone(of)) =>
        {
            value
        }
        // `dim3 grid = 5;`
        (Type::Record(of), value @ Value::Int(_)) if of.name == "dim3" => assembled(to, vec![value]),
        (Type::Record(_), Value::Unknown(_)) => Value::unknown(to),
        (_, value) => value,
    }
}

/// Builds a structure or an array from the values of its fields or elements. Missing values are 0, or 1 in a
/// `dim3`. Other types use the first value.
pub(crate) fn assembled(of: &Type, values: Vec<Value>) -> Value {
    match of {
        Type::Record(record) if record.has_constructor => Value::unknown(of),
        Type::Record(record) => {
            let rest = i64::from(record.name == "dim3");
            let mut values = values.into_iter();
            let fields = record.fields.iter().map(|field| match (values.next(), &field.of) {
                (None, Type::Record(_) | Type::Array(..)) => assembled(&field.of, Vec::new()),
                (value, of) => converted(of, value.unwrap_or_else(|| Value::int(rest))),
            });
            Value::Record(Arc::clone(record), fields.collect())
        }
        Type::Array(element, count) => {
            // limit: the elements of longer arrays are not tracked.
            const MAX: u64 = 64;
            if *count > MAX || matches!(**element, Type::Float(_)) {
                return Value::unknown(of);
            }
            let mut values = values.into_iter();
            let all = (0..*count).map(|_| match values.next() {
                Some(value) => converted(element, value),
                None if matches!(**element, Type::Int(_)) => converted(element, Value::int(0)),
                None if matches!(**element, Type::Record(_)) => assembled(element, Vec::new()),
                None => Value::unknown(element),
            });
            Value::Elements((**element).clone(), all.collect())
        }
        _ => match values.into_iter().next() {
            Some(value) => converted(of, value),
            None => converted(of, Value::int(0)),
        },
    }
}

/// Returns the type of a parameter: an array type decays to a pointer.
pub(crate) fn decayed(of: Type) -> Type {
    match of {
        Type::Array(of, _) => Type::Pointer(of),
        other => other,
    }
}
