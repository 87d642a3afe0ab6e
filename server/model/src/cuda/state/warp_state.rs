//! State of a warp: active lanes, running functions, symbols and thread indices.

use super::frame::{Binding, Frame, VariableState};
use super::mask::LaneMask;
use super::shared_layout::SharedLayout;
use crate::cuda::source::builtins::BuiltInVariable;
use crate::cuda::source::environment::Environment;
use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::source::types::{IntType, RecordType, Type};
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::lvalue::{Component, Lvalue};
use crate::cuda::values::per_lane::LANES;
use crate::cuda::values::symbols::{Symbols, UniformSymbol};
use crate::cuda::values::value::{MemoryRegion, Pointer, Value};
use machine::Arch;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;
use syntax::cuda::Parameter;

/// A warp that runs functions of a translation unit.
pub(crate) struct WarpState<'a> {
    pub env: &'a Environment,
    pub arch: &'a Arch,
    pub lanes: LaneMask,
    pub symbols: Symbols,
    pub shared: SharedLayout,
    pub frames: Vec<Frame<'a>>,
    /// `threadIdx`, `blockIdx`, `blockDim` and `gridDim`; `None` on the host.
    pub indices: Option<[Value; 4]>,
    /// Parameters of the kernel.
    pub parameters: &'a [Parameter],
    /// False during evaluations that the program does not perform. Nothing is then recorded in the notes.
    pub counts: bool,
    /// Byte range of the macro use in the frame's item during evaluation of a macro body; otherwise `None`.
    pub used_at: Option<Range<u32>>,
    /// Number of unknown values loaded from memory so far. The number identifies each load.
    loaded: u64,
    /// Arrays of the pointers in memory, by the places of the pointers.
    arrays: FxHashMap<(MemoryRegion, Option<UniformSymbol>, i64), u32>,
}

impl<'a> WarpState<'a> {
    pub(crate) fn new(env: &'a Environment, arch: &'a Arch, parameters: &'a [Parameter]) -> Self {
        Self {
            env,
            arch,
            lanes: LaneMask::new(u32::MAX),
            symbols: Symbols::default(),
            shared: SharedLayout::default(),
            frames: Vec::new(),
            indices: None,
            parameters,
            counts: true,
            used_at: None,
            loaded: 0,
            arrays: FxHashMap::default(),
        }
    }

    /// Starts another warp of the launch with the active lanes `lanes`.
    pub(crate) fn begin(&mut self, lanes: u32, indices: Option<[Value; 4]>) {
        self.lanes = LaneMask::new(lanes);
        self.indices = indices;
        self.frames.clear();
        self.used_at = None;
    }

    pub(crate) fn active(&self) -> u32 {
        self.lanes.active()
    }

    /// True for a variable that holds a pointer.
    pub(crate) fn is_pointer(&self, name: &str) -> bool {
        let held = match (self.frames.last(), self.lookup(name)) {
            (Some(frame), Some(Binding::Variable(variable))) => frame.values.get(*variable as usize),
            _ => None,
        };
        held.is_some_and(|held| matches!(held.value, Value::Pointer(_)))
    }

    /// True for a variable of the kernel's frame that holds a template argument or a parameter.
    pub(crate) fn is_kernel_parameter(&self, frame: usize, variable: u32) -> bool {
        let templates = self.frames.first().map_or(0, |frame| frame.templates);
        frame == 0 && (variable as usize) < templates + self.parameters.len()
    }

    pub(crate) fn is_on_device(&self) -> bool {
        self.indices.is_some()
    }

    /// Returns the frame of the running function.
    pub(crate) fn frame(&mut self) -> &mut Frame<'a> {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(0));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(crate) fn item(&self) -> u32 {
        self.frames.last().map_or(0, |frame| frame.item)
    }

    /// Returns the source position to record for `range`. During evaluation of a macro body, this is the
    /// position of the macro use.
    pub(crate) fn place(&self, range: &Range<u32>) -> SourceSpan {
        SourceSpan::new(self.item(), self.used_at.as_ref().unwrap_or(range))
    }

    pub(crate) fn lookup(&self, name: &str) -> Option<&Binding<'a>> {
        let frame = self.frames.last()?;
        frame.names.iter().rev().find(|(own, _)| *own == name).map(|(_, binding)| binding)
    }

    pub(crate) fn declare(&mut self, name: &'a str, of: Type, value: Value) {
        let (doubt, conditions) = (self.lanes.unsure(), self.lanes.conditions());
        self.frame().declare(name, VariableState { value, of, doubt, conditions });
    }

    /// Returns a variable of a running function.
    pub(crate) fn held_mut(&mut self, frame: usize, variable: u32) -> Option<&mut VariableState> {
        self.frames.get_mut(frame)?.values.get_mut(variable as usize)
    }

    /// Returns the value of a field or element of a variable. The first element represents an unknown
    /// element.
    pub(crate) fn part(&self, frame: usize, variable: u32, path: &[Component]) -> Option<&Value> {
        let mut value = &self.frames.get(frame)?.values.get(variable as usize)?.value;
        for part in path {
            value = match (value, part) {
                (Value::Record(_, all) | Value::Elements(_, all), Component::At(at)) => all.get(*at)?,
                (Value::Elements(_, all), Component::Any) => all.first()?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Writes a value to a field or element of a variable, for the active lanes.
    pub(crate) fn assign(&mut self, (frame, variable): (usize, u32), path: &[Component], value: &Value) {
        let (mask, unsure) = (self.active(), self.lanes.unsure_active());
        let host_conditions = (!self.is_on_device()).then(|| self.lanes.conditions());
        // The callees in which the variable of a caller is written may have returned before.
        let may_be_past = self.frames.iter().skip(frame + 1).any(|callee| callee.doubted != 0);
        let Some(held) = self.held_mut(frame, variable) else { return };
        let doubt = match host_conditions {
            None => unsure & !held.doubt,
            Some(conditions) if conditions > held.conditions || may_be_past => mask,
            Some(_) => 0,
        };
        let is_any = path.contains(&Component::Any);
        let Some(target) = part_mut(&mut held.value, path) else { return };
        if is_any {
            // The write may change any element.
            target.forget(u32::MAX);
            return;
        }
        let mut merged = target.merged(mask, value);
        if doubt != 0 && merged != *target {
            merged.forget(doubt);
        }
        *target = merged;
    }

    /// Replaces the value of a variable, or of a field or element of one, in all lanes.
    pub(crate) fn replace(&mut self, of: &Lvalue, value: Value) {
        let Lvalue::Variable { frame, variable, path } = of else { return };
        let held = self.held_mut(*frame, *variable);
        if let Some(part) = held.and_then(|held| part_mut(&mut held.value, path)) {
            *part = value;
        }
    }

    /// Makes the value of a variable unknown in the active lanes. `name` denotes the variable, or is an alias of it,
    /// of a part of it, or a pointer to it.
    pub(crate) fn forget(&mut self, name: &str) {
        let variable = match self.lookup(name) {
            Some(Binding::Variable(variable)) => (self.frames.len() - 1, *variable),
            Some(
                Binding::Alias(Lvalue::Variable { frame, variable, .. })
                | Binding::Pointer(Lvalue::Variable { frame, variable, .. }),
            ) => (*frame, *variable),
            _ => return,
        };
        let active = self.active();
        if let Some(held) = self.held_mut(variable.0, variable.1) {
            held.value.forget(active);
        }
    }

    /// Returns the mask of the active lanes that may not execute the current statement of the running function.
    pub(crate) fn unsure_active(&self) -> u32 {
        let conditions = self.frames.last().map_or(0, |frame| frame.conditions);
        if self.is_on_device() {
            self.lanes.unsure_active()
        } else if self.lanes.conditions() > conditions {
            self.active()
        } else {
            0
        }
    }

    /// Returns the structure type of an lvalue; `None` if the lvalue is not a structure.
    pub(crate) fn record_at<'p>(&'p self, place: &'p Lvalue) -> Option<&'p Arc<RecordType>> {
        let value = match place {
            Lvalue::Variable { frame, variable, path } => self.part(*frame, *variable, path)?,
            Lvalue::Memory(pointer) => match &pointer.to {
                Type::Record(record) => return Some(record),
                _ => return None,
            },
            Lvalue::Value(value) => value,
        };
        match value {
            Value::Record(record, _) | Value::Unknown(Type::Record(record)) => Some(record),
            _ => None,
        }
    }

    /// True if an lvalue is an array variable, or a field or element that is an array.
    pub(crate) fn is_array(&self, of: &Lvalue) -> bool {
        let Lvalue::Variable { frame, variable, path } = of else { return false };
        matches!(
            self.part(*frame, *variable, path),
            Some(Value::Elements(..) | Value::Unknown(Type::Array(..)))
        )
    }

    /// True if a variable of the innermost frame is an array or a structure.
    pub(crate) fn is_local_array(&self, variable: u32) -> bool {
        let held = self.frames.last().and_then(|frame| frame.values.get(variable as usize));
        held.is_some_and(|held| matches!(held.of, Type::Array(..) | Type::Record(_)))
    }

    /// Returns the value of a built-in variable; unknown on the host, except for the warp size.
    pub(crate) fn built_in(&self, variable: BuiltInVariable) -> Value {
        let at = match variable {
            BuiltInVariable::ThreadIndex => 0,
            BuiltInVariable::BlockIndex => 1,
            BuiltInVariable::BlockSize => 2,
            BuiltInVariable::GridSize => 3,
            BuiltInVariable::Lanes => return Value::int(LANES as i64),
        };
        self.indices.as_ref().map_or(Value::Unknown(Type::Unknown), |all| all[at].clone())
    }

    /// Returns the value that the active lanes load from memory. An integer at a uniform address is a new
    /// symbol; any other value is unknown.
    pub(crate) fn loaded(&mut self, from: &Pointer) -> Value {
        match &from.to {
            Type::Int(of) if from.offset.shared(self.active()).is_some() => {
                self.loaded += 1;
                Value::Int(Lanes::symbol(*of, self.symbols.loaded(self.loaded)))
            }
            Type::Pointer(to) => Value::Pointer(self.loaded_pointer(from, to)),
            other => Value::unknown(other),
        }
    }

    /// Returns the pointer at an address. If all lanes load the same pointer from global memory, it points to an array
    /// that is aligned to its elements.
    fn loaded_pointer(&mut self, from: &Pointer, to: &Type) -> Pointer {
        let is_global = matches!(
            from.place,
            MemoryRegion::Parameter(_)
                | MemoryRegion::Global(_)
                | MemoryRegion::Loaded(_)
                | MemoryRegion::Constant
        );
        let (Some(at), Some(size)) = (from.offset.shared(self.active()), to.size()) else {
            return Pointer::nowhere(to.clone());
        };
        if !is_global {
            return Pointer::nowhere(to.clone());
        }
        let next = self.arrays.len() as u32;
        let number = *self.arrays.entry((from.place, from.offset.base, at)).or_insert(next);
        self.loaded += 1;
        let start = self.symbols.loaded(self.loaded);
        let start = self.symbols.scaled(start, i64::try_from(size).unwrap_or(1));
        let offset =
            start.map_or_else(|| Lanes::all(IntType::LONG, 0), |start| Lanes::symbol(IntType::LONG, start));
        Pointer { place: MemoryRegion::Loaded(number), offset, to: to.clone(), within: 0 }
    }
}

fn part_mut<'v>(value: &'v mut Value, path: &[Component]) -> Option<&'v mut Value> {
    let mut value = value;
    for part in path {
        value = match (value, part) {
            (Value::Record(_, all) | Value::Elements(_, all), Component::At(at)) => all.get_mut(*at)?,
            (all @ Value::Elements(..), Component::Any) => return Some(all),
            _ => return None,
        };
    }
    Some(value)
}
