//! Places that expressions name: variables, parts of them, memory.

use super::value::{Pointer, Value};
use crate::cuda::source::types::Type;

/// A place that an expression names.
#[derive(Debug, Clone)]
pub(crate) enum Lvalue {
    /// A variable of a frame, or a part of it.
    Variable {
        frame: usize,
        variable: u32,
        path: Vec<Component>,
    },
    Memory(Pointer),
    /// A value that has no place.
    Value(Box<Value>),
}

/// A part of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Component {
    /// A field, or an element, by its number.
    At(usize),
    /// An unknown element.
    Any,
}

impl Lvalue {
    pub(crate) fn from_value(value: Value) -> Self {
        Self::Value(Box::new(value))
    }

    /// A place of which nothing is known.
    pub(crate) fn unknown() -> Self {
        Self::from_value(Value::Unknown(Type::Unknown))
    }

    /// The place that a pointer points to.
    pub(crate) fn pointed_to(value: Value) -> Self {
        value.into_pointer().map_or_else(Self::unknown, Self::Memory)
    }
}
