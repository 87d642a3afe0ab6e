//! Places that expressions name: variables, parts of them, memory.

use super::value::{Pointer, Value};

/// A place that an expression names.
#[derive(Debug, Clone)]
pub(crate) enum Lvalue {
    /// A variable of a frame, or a part of it.
    Variable {
        frame: usize,
        variable: u32,
        path: Vec<Part>,
    },
    Memory(Pointer),
    /// A value that has no place.
    Value(Box<Value>),
}

/// A part of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A field, or an element, by its number.
    At(usize),
    /// An unknown element.
    Any,
}
