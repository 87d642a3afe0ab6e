//! Values of expressions.

use super::lanes::Lanes;
use crate::cuda::source::types::{IntType, RecordType, Type};
use std::sync::Arc;

/// The value of an expression, for all lanes of a warp.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Int(Lanes),
    Pointer(Pointer),
    /// A structure with its field values, in order.
    Record(Arc<RecordType>, Vec<Value>),
    /// An array with its element values.
    Elements(Type, Vec<Value>),
    /// An unknown value of this type. Floating-point numbers are always unknown.
    Unknown(Type),
}

/// An address: the memory region that the pointer points into, and the byte offset within the region.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pointer {
    pub place: MemoryRegion,
    /// 64-bit byte offset from the start of the region.
    pub offset: Lanes,
    /// Type of the pointee.
    pub to: Type,
    /// Alignment in bytes of the structure that contains the pointee field; 0 if the pointee is not a field.
    pub within: u64,
}

/// Memory region that a pointer points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum MemoryRegion {
    /// The array of a parameter, identified by the parameter's position.
    Parameter(u32),
    /// A variable of the translation unit in global memory, identified by its number.
    Global(u32),
    /// The shared memory of a block.
    Shared,
    /// The array of a pointer in memory or in a field of a parameter, identified by a number.
    Loaded(u32),
    /// `__constant__` variables.
    Constant,
    /// Registers or local memory.
    Local,
    /// Unknown memory.
    Unknown,
}

impl Value {
    pub(crate) fn int(value: i64) -> Self {
        Self::Int(Lanes::all(IntType::INT, value))
    }

    pub(crate) fn value_type(&self) -> Type {
        match self {
            Self::Int(lanes) => Type::Int(lanes.of),
            Self::Pointer(pointer) => Type::Pointer(Arc::new(pointer.to.clone())),
            Self::Record(of, _) => Type::Record(Arc::clone(of)),
            Self::Elements(of, all) => Type::Array(Arc::new(of.clone()), all.len() as u64),
            Self::Unknown(of) => of.clone(),
        }
    }

    /// Returns an unknown value of a type. An integer is unknown in all lanes.
    pub(crate) fn unknown(of: &Type) -> Self {
        // limit: the elements of longer arrays are not tracked.
        const MAX: u64 = 64;
        match of {
            Type::Int(of) => Self::Int(Lanes::unknown(*of)),
            Type::Record(record) => Self::Record(
                Arc::clone(record),
                record.fields.iter().map(|field| Self::unknown(&field.of)).collect(),
            ),
            Type::Array(of, count) if *count <= MAX && !matches!(**of, Type::Float(_)) => {
                Self::Elements((**of).clone(), (0..*count).map(|_| Self::unknown(of)).collect())
            }
            other => Self::Unknown(other.clone()),
        }
    }

    pub(crate) fn as_lanes(&self) -> Option<&Lanes> {
        match self {
            Self::Int(lanes) => Some(lanes),
            _ => None,
        }
    }

    /// Returns the value as a pointer; `None` if the type is not a pointer type.
    pub(crate) fn into_pointer(self) -> Option<Pointer> {
        match self {
            Self::Pointer(pointer) => Some(pointer),
            Self::Unknown(Type::Pointer(to)) => Some(Pointer::nowhere((*to).clone())),
            _ => None,
        }
    }

    /// Replaces the lanes in `mask` with the lanes of `new`.
    pub(crate) fn merged(&self, mask: u32, new: &Self) -> Self {
        if mask == 0 {
            return self.clone();
        }
        match (self, new) {
            (Self::Int(old), Self::Int(new)) => Self::Int(old.merged(mask, new)),
            (Self::Int(old), _) => {
                let mut lanes = old.clone();
                lanes.forget(mask);
                Self::Int(lanes)
            }
            (Self::Pointer(old), Self::Pointer(new)) if old.place == new.place => {
                Self::Pointer(Pointer { offset: old.offset.merged(mask, &new.offset), ..new.clone() })
            }
            (Self::Record(of, old), Self::Record(other, new)) if of.fields.len() == other.fields.len() => {
                let fields = old.iter().zip(new).map(|(old, new)| old.merged(mask, new)).collect();
                Self::Record(Arc::clone(of), fields)
            }
            (Self::Elements(of, old), Self::Elements(_, new)) if old.len() == new.len() => Self::Elements(
                of.clone(),
                old.iter().zip(new).map(|(old, new)| old.merged(mask, new)).collect(),
            ),
            (Self::Unknown(Type::Float(_)), _) => self.clone(),
            _ if mask == u32::MAX => new.clone(),
            (Self::Pointer(old), _) => {
                let mut pointer = old.clone();
                pointer.offset.forget(mask);
                Self::Pointer(pointer)
            }
            // A variable that was never written has no old value to preserve.
            (Self::Unknown(_), Self::Pointer(new)) => {
                let mut pointer = new.clone();
                pointer.offset.forget(!mask);
                Self::Pointer(pointer)
            }
            _ => Self::unknown(&self.value_type()),
        }
    }

    /// Marks the value as coming from the launch or from memory.
    pub(crate) fn runtime(mut self) -> Self {
        self.mark_runtime();
        self
    }

    fn mark_runtime(&mut self) {
        match self {
            Self::Int(lanes) => lanes.is_runtime = true,
            Self::Record(_, all) | Self::Elements(_, all) => all.iter_mut().for_each(Self::mark_runtime),
            Self::Pointer(_) | Self::Unknown(_) => {}
        }
    }

    /// Makes the lanes in `mask` unknown.
    pub(crate) fn forget(&mut self, mask: u32) {
        match self {
            Self::Int(lanes) => lanes.forget(mask),
            Self::Pointer(pointer) => pointer.offset.forget(mask),
            Self::Record(_, all) | Self::Elements(_, all) => {
                for each in all {
                    each.forget(mask);
                }
            }
            Self::Unknown(_) => {}
        }
    }
}

impl Pointer {
    /// Returns a pointer into unknown memory, such as a pointer loaded from memory.
    pub(crate) fn nowhere(to: Type) -> Self {
        Self { place: MemoryRegion::Unknown, offset: Lanes::unknown(IntType::LONG), to, within: 0 }
    }
}
