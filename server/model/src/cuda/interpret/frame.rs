//! Functions that are running: their names, their variables, their loops.

use crate::cuda::source::types::Type;
use crate::cuda::values::lvalue::Lvalue;
use crate::cuda::values::value::{Pointer, Value};
use rustc_hash::FxHashMap;
use syntax::cuda::{Expr, Record};

/// A function that is running.
pub(crate) struct Frame<'a> {
    pub item: u32,
    pub names: Vec<(&'a str, Binding<'a>)>,
    /// The values of variables.
    pub values: Vec<Held>,
    /// Types of template parameters, by name.
    pub types: FxHashMap<&'a str, Type>,
    /// Lanes that have returned.
    pub returned: u32,
    pub result: Option<Value>,
    /// The function returns a reference, and what it refers to once it has returned.
    pub returns_place: bool,
    pub place: Option<Lvalue>,
    /// The structure whose method it is.
    pub record: Option<&'a Record>,
    /// Lanes that may have left the function.
    pub doubted: u32,
    /// Loops that are running, the innermost last.
    pub loops: Vec<Running>,
    /// Hash of the template arguments, which distinguishes instances of a template.
    pub instance: u64,
}

/// A variable's value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    pub value: Value,
    pub of: Type,
    /// Lanes for which it was unknown at the declaration whether they run.
    pub doubt: u32,
}

/// Meaning of a name in a function.
#[derive(Debug, Clone)]
pub(crate) enum Binding<'a> {
    /// A variable, by its number.
    Variable(u32),
    /// A variable in memory.
    Memory(Pointer),
    /// Another name of something.
    Alias(Lvalue),
    /// The argument of a macro, and how many names its expression sees.
    Argument(&'a Expr, usize),
}

/// A loop, or a `switch`, that is running.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Running {
    /// Lanes that left it.
    pub left: u32,
    /// Lanes that wait for its next trip.
    pub waiting: u32,
    /// Lanes that may have left it, or may wait.
    pub doubted: u32,
    pub is_loop: bool,
}

impl Frame<'_> {
    pub(crate) fn new(item: u32) -> Self {
        Self {
            item,
            names: Vec::new(),
            values: Vec::new(),
            types: FxHashMap::default(),
            returned: 0,
            doubted: 0,
            result: None,
            returns_place: false,
            place: None,
            record: None,
            loops: Vec::new(),
            instance: 0,
        }
    }
}
