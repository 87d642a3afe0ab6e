//! Frames of the running functions: names, variables and loops.

use crate::cuda::source::launch::KernelInstance;
use crate::cuda::source::types::Type;
use crate::cuda::values::lvalue::Lvalue;
use crate::cuda::values::value::{Pointer, Value};
use rustc_hash::FxHashMap;
use syntax::cuda::{Expr, Record};

/// The frame of a running function.
pub(crate) struct Frame<'a> {
    pub item: u32,
    pub names: Vec<(&'a str, Binding<'a>)>,
    /// Values of the variables, by variable number.
    pub values: Vec<VariableState>,
    /// Types of template parameters, by name.
    pub types: FxHashMap<&'a str, Type>,
    /// Mask of the lanes that have returned.
    pub returned: u32,
    pub result: Option<Value>,
    /// True if the function returns a reference. `place` is then the lvalue that the reference refers to.
    pub returns_place: bool,
    pub place: Option<Lvalue>,
    /// The structure, if the function is a method; otherwise `None`.
    pub record: Option<&'a Record>,
    /// Mask of the lanes that may have left the function.
    pub doubted: u32,
    /// Running loops, innermost last.
    pub loops: Vec<RunningStatement>,
    /// Number of unknown conditions that the call depends on. Used only for host code.
    pub conditions: u32,
    /// Hash of the template arguments. The hash distinguishes the instances of a template.
    pub instance: u64,
    /// Number of the first variables that hold template arguments.
    pub templates: usize,
}

/// Value and type of a variable.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VariableState {
    pub value: Value,
    pub of: Type,
    /// Mask of the lanes that may have been inactive at the declaration.
    pub doubt: u32,
    /// Number of unknown conditions that the declaration depends on. Used only for host code.
    pub conditions: u32,
}

impl VariableState {
    /// Creates the state of a constant with this value.
    pub(crate) fn constant(value: Value) -> Self {
        Self { of: value.value_type(), value, doubt: 0, conditions: 0 }
    }
}

/// Referent of a name in a function.
#[derive(Debug, Clone)]
pub(crate) enum Binding<'a> {
    /// A variable, identified by its number.
    Variable(u32),
    /// A variable in memory.
    Memory(Pointer),
    /// An alias of an lvalue.
    Alias(Lvalue),
    /// A pointer parameter of a host function, which points to this lvalue.
    Pointer(Lvalue),
    /// A variable or a parameter of a host function that refers to a kernel.
    Kernel(KernelInstance),
    /// The arguments of a parameter pack of a host function.
    Pack(Vec<Value>),
    /// The argument of a macro or the value of a constant field, and the number of names that are visible in this
    /// expression.
    Argument(&'a Expr, usize),
}

/// A running loop or `switch`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RunningStatement {
    /// Mask of the lanes that have left the loop or `switch`.
    pub left: u32,
    /// Mask of the lanes that wait for the next iteration.
    pub waiting: u32,
    /// Mask of the lanes that may have left or may wait.
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
            conditions: 0,
            instance: 0,
            templates: 0,
        }
    }

    /// Adds a variable.
    pub(crate) fn declare(&mut self, name: &'a str, held: VariableState) {
        let at = self.values.len() as u32;
        self.values.push(held);
        self.names.push((name, Binding::Variable(at)));
    }

    /// Returns the current numbers of names and values. Closing the scope drops all later names and values.
    pub(crate) fn open_scope(&self) -> (usize, usize) {
        (self.names.len(), self.values.len())
    }

    pub(crate) fn close_scope(&mut self, (names, values): (usize, usize)) {
        self.names.truncate(names);
        self.values.truncate(values);
    }

    /// Marks lanes as returned, with the return value if there is one. It is unknown whether the lanes in
    /// `unsure` return.
    pub(crate) fn leave(&mut self, lanes: u32, unsure: u32, value: Option<Value>) {
        if let Some(value) = value {
            let (mut merged, doubted) = match &self.result {
                Some(before) => (before.merged(lanes, &value), self.doubted & lanes),
                None => (value, 0),
            };
            merged.forget(unsure | doubted);
            self.result = Some(merged);
        }
        self.returned |= lanes & !unsure;
        self.doubted |= unsure;
    }

    /// Returns the mask of the lanes that have returned, have left a running loop, or wait for its next
    /// iteration.
    pub(crate) fn gone(&self) -> u32 {
        self.loops.iter().fold(self.returned, |gone, running| gone | running.left | running.waiting)
    }

    /// Returns the mask of the lanes that may have returned, may have left a running loop, or may wait for its
    /// next iteration.
    pub(crate) fn may_be_gone(&self) -> u32 {
        self.doubted | self.may_have_left_loop()
    }

    /// Returns the mask of the lanes that may have left a running loop, or may wait for its next iteration.
    pub(crate) fn may_have_left_loop(&self) -> u32 {
        self.loops.iter().fold(0, |doubted, running| doubted | running.doubted)
    }

    /// Releases the lanes that wait for the next iteration of the innermost loop.
    pub(crate) fn release_waiting(&mut self) {
        if let Some(running) = self.loops.last_mut() {
            running.waiting = 0;
        }
    }
}
