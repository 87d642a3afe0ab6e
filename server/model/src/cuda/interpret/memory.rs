//! Reads and writes of lvalues.

use crate::cuda::notes::Notes;
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::source::types::{IntType, Type};
use crate::cuda::state::WarpState;
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::lvalue::{Component, Lvalue};
use crate::cuda::values::value::{MemoryRegion, Pointer, Value};
use std::ops::Range;
use std::sync::Arc;

/// Reads the value of an lvalue. An array in memory decays to a pointer to its first element.
pub(super) fn read<'a>(
    warp: &mut WarpState<'a>,
    notes: &mut Notes<'a>,
    of: Lvalue,
    range: &Range<u32>,
) -> Value {
    match of {
        Lvalue::Variable { frame, variable, path } => match warp.part(frame, variable, &path) {
            Some(part) if path.contains(&Component::Any) => Value::unknown(&part.value_type()),
            Some(part) => part.clone(),
            None => Value::Unknown(Type::Unknown),
        },
        Lvalue::Value(value) => *value,
        Lvalue::Memory(pointer) => load(warp, notes, pointer, range),
    }
}

/// Loads the value that a pointer points to.
pub(super) fn load<'a>(
    warp: &mut WarpState<'a>,
    notes: &mut Notes<'a>,
    pointer: Pointer,
    range: &Range<u32>,
) -> Value {
    match &pointer.to {
        Type::Array(of, _) => {
            let to = (**of).clone();
            return Value::Pointer(Pointer { to, ..pointer });
        }
        Type::Void => {}
        _ => notes.access(warp, &pointer, AccessKind::Load, range),
    }
    let value = warp.loaded(&pointer);
    // The compiler may know the values of unit-level variables.
    match pointer.place {
        MemoryRegion::Parameter(_) | MemoryRegion::Loaded(_) | MemoryRegion::Shared => value.runtime(),
        _ => value,
    }
}

/// Writes a value to an lvalue for the active lanes.
pub(super) fn write<'a>(
    warp: &mut WarpState<'a>,
    notes: &mut Notes<'a>,
    to: &Lvalue,
    value: &Value,
    range: &Range<u32>,
) {
    match to {
        Lvalue::Variable { frame, variable, path } => warp.assign((*frame, *variable), path, value),
        Lvalue::Memory(pointer) => notes.access(warp, pointer, AccessKind::Store, range),
        Lvalue::Value(_) => {}
    }
}

/// Returns the address of an lvalue. A variable whose address is taken becomes unknown.
pub(super) fn address(warp: &mut WarpState<'_>, of: Lvalue) -> Value {
    match of {
        Lvalue::Memory(pointer) => Value::Pointer(pointer),
        Lvalue::Variable { frame, variable, path } => {
            let to = warp.part(frame, variable, &path).map_or(Type::Unknown, Value::value_type);
            // The variable may be written through the address.
            if let Some(held) = warp.held_mut(frame, variable) {
                held.value.forget(u32::MAX);
            }
            let offset = Lanes::unknown(IntType::LONG);
            Value::Pointer(Pointer { place: MemoryRegion::Local, offset, to, within: 0 })
        }
        Lvalue::Value(value) => Value::Unknown(Type::Pointer(Arc::new(value.value_type()))),
    }
}

/// Returns an element of an array, or of the memory that a pointer points to.
pub(super) fn element<'a>(
    warp: &mut WarpState<'a>,
    notes: &mut Notes<'a>,
    of: Lvalue,
    index: &Value,
    range: &Range<u32>,
) -> Lvalue {
    let unknown = Lanes::unknown(IntType::LONG);
    let index = index.as_lanes().unwrap_or(&unknown);
    if let Lvalue::Variable { frame, variable, path } = &of {
        let part = warp.part(*frame, *variable, path);
        if let Some(Value::Elements(_, all)) = part {
            let at = index.constant(warp.active()).and_then(|at| usize::try_from(at).ok());
            let at = at.filter(|at| *at < all.len()).map_or(Component::Any, Component::At);
            let mut path = path.clone();
            path.push(at);
            return Lvalue::Variable { frame: *frame, variable: *variable, path };
        }
        if let Some(Type::Array(element, _)) = part.map(Value::value_type) {
            let place = MemoryRegion::Local;
            return Lvalue::Memory(Pointer { place, offset: unknown, to: (*element).clone(), within: 0 });
        }
    }
    match read(warp, notes, of, range) {
        Value::Pointer(pointer) => Lvalue::Memory(warp.moved(&pointer, index, false)),
        other => Lvalue::pointed_to(other),
    }
}
