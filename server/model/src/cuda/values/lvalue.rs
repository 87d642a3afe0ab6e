//! Lvalues: variables, their fields and elements, and memory.

use super::value::{Pointer, Value};
use crate::cuda::source::types::Type;

/// The location that an expression denotes.
#[derive(Debug, Clone)]
pub(crate) enum Lvalue {
    /// A variable of a frame, or a field or an element of the variable.
    Variable {
        frame: usize,
        variable: u32,
        path: Vec<Component>,
    },
    Memory(Pointer),
    /// A temporary value without a location.
    Value(Box<Value>),
}

/// A field or an element of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Component {
    /// A field or an element, identified by its index.
    At(usize),
    /// An element with an unknown index.
    Any,
}

impl Lvalue {
    pub(crate) fn from_value(value: Value) -> Self {
        Self::Value(Box::new(value))
    }

    /// Returns an unknown lvalue.
    pub(crate) fn unknown() -> Self {
        Self::from_value(Value::Unknown(Type::Unknown))
    }

    /// Returns the memory that a pointer points to; an unknown lvalue if the value is not a pointer.
    pub(crate) fn pointed_to(value: Value) -> Self {
        value.into_pointer().map_or_else(Self::unknown, Self::Memory)
    }
}
