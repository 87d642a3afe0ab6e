//! Frames of the running functions: names, variables and loops.

use crate::cuda::source::types::Type;
use crate::cuda::values::lvalue::Lvalue;
use crate::cuda::values::value::{Pointer, Value};
use rustc_hash::FxHashMap;
use syntax::cuda::{Expr, Record};

/// The frame of a running function.
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
    /// True if the function returns a reference; `place` is then the lvalue that it returned.
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
    /// Lanes for which it was unknown at the declaration whether they were active.
    pub doubt: u32,
}

/// Meaning of a name in a function.
#[derive(Debug, Clone)]
pub(crate) enum Binding<'a> {
    /// A variable, by its number.
    Variable(u32),
    /// A variable in memory.
    Memory(Pointer),
    /// Another name for an lvalue.
    Alias(Lvalue),
    /// The argument of a macro, and the number of names that its expression can see.
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

impl<'a> Frame<'a> {
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

    /// Adds a variable.
    pub(crate) fn declare(&mut self, name: &'a str, held: Held) {
        let at = self.values.len() as u32;
        self.values.push(held);
        self.names.push((name, Binding::Variable(at)));
    }

    /// Current numbers of names and values. Later ones are dropped when the scope is closed.
    pub(crate) fn open_scope(&self) -> (usize, usize) {
        (self.names.len(), self.values.len())
    }

    pub(crate) fn close_scope(&mut self, (names, values): (usize, usize)) {
        self.names.truncate(names);
        self.values.truncate(values);
    }

    /// Marks lanes as returned, with a value if the function has one. Lanes in `unsure` may or may not return.
    pub(crate) fn leave(&mut self, lanes: u32, unsure: u32, value: Option<Value>) {
        if let Some(value) = value {
            let mut merged = match &self.result {
                Some(before) => before.merged(lanes, &value),
                None => value,
            };
            merged.forget(unsure);
            self.result = Some(merged);
        }
        self.returned |= lanes & !unsure;
        self.doubted |= unsure;
    }

    /// Lanes that have returned, left a running loop or wait for its next trip.
    pub(crate) fn gone(&self) -> u32 {
        self.loops.iter().fold(self.returned, |gone, running| gone | running.left | running.waiting)
    }

    /// Lanes that may have returned, left a running loop or wait for its next trip.
    pub(crate) fn may_be_gone(&self) -> u32 {
        self.loops.iter().fold(self.doubted, |doubted, running| doubted | running.doubted)
    }

    /// Begins the next trip of the innermost loop.
    pub(crate) fn release_waiting(&mut self) {
        if let Some(running) = self.loops.last_mut() {
            running.waiting = 0;
        }
    }
}
