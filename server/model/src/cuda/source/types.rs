//! Types with their sizes and layouts.

use super::builtins::{Layout, Scalar};
use super::driver_types::driver_type;
use super::launch::TemplateValue;
use machine::Hardware;
use std::sync::Arc;

/// A C++ type, with the layout that the cost model needs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    Int(IntType),
    /// A floating-point type of this size in bytes.
    Float(u32),
    Pointer(Arc<Type>),
    Array(Arc<Type>, u64),
    Record(Arc<RecordType>),
    /// A type of unknown size.
    Unknown,
}

/// Width and signedness of an integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IntType {
    pub bytes: u8,
    pub is_signed: bool,
}

/// A structure and the layout of its fields.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordType {
    pub name: String,
    pub fields: Vec<Field>,
    pub size: u64,
    pub alignment: u64,
    /// Template arguments as written in the source.
    pub templates: Vec<TemplateValue>,
    /// True if a user-defined constructor determines the field values.
    pub has_constructor: bool,
}

/// A field of a structure.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    pub name: String,
    /// Byte offset from the start of the structure.
    pub offset: u64,
    pub of: Type,
}

/// Bytes of the widest access per lane: the maximum that the compiler copies with one instruction.
fn widest() -> u64 {
    Hardware::builtin().widest_access_bytes.value.into()
}

impl IntType {
    pub const INT: Self = Self { bytes: 4, is_signed: true };
    pub const UNSIGNED: Self = Self { bytes: 4, is_signed: false };
    pub const LONG: Self = Self { bytes: 8, is_signed: true };
    pub const BOOL: Self = Self { bytes: 1, is_signed: false };

    /// Truncates a number to the width and signedness of the type.
    pub(crate) fn wrap(self, value: i64) -> i64 {
        match (self.bytes, self.is_signed) {
            (1, true) => i64::from(value as i8),
            (1, false) => i64::from(value as u8),
            (2, true) => i64::from(value as i16),
            (2, false) => i64::from(value as u16),
            (4, true) => i64::from(value as i32),
            (4, false) => i64::from(value as u32),
            _ => value,
        }
    }

    /// Returns the result type of an operation on two integers, by the usual arithmetic conversions of C++.
    pub(crate) fn joined(self, other: Self) -> Self {
        let promoted = |of: Self| if of.bytes < 4 { Self::INT } else { of };
        let (one, other) = (promoted(self), promoted(other));
        match one.bytes.cmp(&other.bytes) {
            std::cmp::Ordering::Greater => one,
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Equal => {
                Self { bytes: one.bytes, is_signed: one.is_signed && other.is_signed }
            }
        }
    }
}

impl Type {
    /// Size of a value in bytes; `None` for `void` and for types of unknown size.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::Int(of) => Some(u64::from(of.bytes)),
            Self::Float(bytes) => Some(u64::from(*bytes)),
            Self::Pointer(_) => Some(8),
            Self::Array(of, count) => of.size()?.checked_mul(*count),
            Self::Record(record) => Some(record.size),
            Self::Void | Self::Unknown => None,
        }
    }

    /// Returns the type that a pointer or an array leads to after this number of steps; the type itself after 0 steps.
    /// `None` if the type has fewer steps or if the result is unknown.
    pub(crate) fn behind(&self, steps: u8) -> Option<Self> {
        let mut of = self;
        for _ in 0..steps {
            of = match of {
                Self::Pointer(to) | Self::Array(to, _) => to,
                _ => return None,
            };
        }
        (*of != Self::Unknown).then(|| of.clone())
    }

    /// Returns the type as in source code. A 2-byte floating-point type may have several names.
    pub(crate) fn spelled(&self) -> String {
        match self {
            Self::Void => "void".to_owned(),
            Self::Int(IntType { bytes, is_signed }) => {
                let name = match bytes {
                    1 => "char",
                    2 => "short",
                    4 => "int",
                    _ => "long long",
                };
                if *is_signed { name.to_owned() } else { format!("unsigned {name}") }
            }
            Self::Float(4) => "float".to_owned(),
            Self::Float(8) => "double".to_owned(),
            Self::Float(bytes) => format!("{}-bit float", 8 * bytes),
            Self::Pointer(to) => format!("{} *", to.spelled()),
            Self::Array(of, count) => format!("{}[{count}]", of.spelled()),
            Self::Record(record) => record.name.clone(),
            Self::Unknown => "?".to_owned(),
        }
    }

    /// Returns the alignment of a value in bytes.
    pub fn alignment(&self) -> u64 {
        match self {
            Self::Array(of, _) => of.alignment(),
            Self::Record(record) => record.alignment,
            _ => self.size().unwrap_or(1).max(1),
        }
    }

    /// Returns the accesses that move a value, each as offset and size in bytes. A structure that is aligned
    /// to its size moves in one access, unless it exceeds the widest access. Any other structure moves field
    /// by field, and an array element by element. `None` if the layout is unknown or the array is too long.
    pub(crate) fn pieces(&self) -> Option<Vec<(u64, u64)>> {
        match self {
            Self::Record(record) if record.alignment < record.size || record.size > widest() => {
                let mut all = Vec::new();
                for field in &record.fields {
                    all.extend(field.of.pieces()?.into_iter().map(|(at, bytes)| (field.offset + at, bytes)));
                }
                Some(all)
            }
            Self::Array(of, count) => {
                // limit: the compiler copies a larger array in a loop.
                const MAX: u64 = 64;
                if *count > MAX {
                    return None;
                }
                let size = of.size()?;
                let inner = of.pieces()?;
                let places = (0..*count).map(|at| at * size);
                Some(
                    places
                        .flat_map(|start| inner.iter().map(move |(at, bytes)| (start + at, *bytes)))
                        .collect(),
                )
            }
            _ => Some(vec![(0, self.size()?)]),
        }
    }
}

impl From<Scalar> for Type {
    fn from(of: Scalar) -> Self {
        match of {
            Scalar::Void => Self::Void,
            Scalar::Float(bytes) => Self::Float(bytes),
            Scalar::Signed(bytes) => Self::Int(IntType { bytes, is_signed: true }),
            Scalar::Unsigned(bytes) => Self::Int(IntType { bytes, is_signed: false }),
        }
    }
}

impl RecordType {
    /// Computes the layout of a structure: fields in declaration order, or all fields at offset 0 for a
    /// union. `None` if the size of a field is unknown.
    pub(crate) fn lay_out(
        name: String,
        of: Vec<(String, Type)>,
        min_alignment: u64,
        is_union: bool,
    ) -> Option<Self> {
        let mut record = Self {
            name,
            fields: Vec::new(),
            size: 0,
            alignment: min_alignment.max(1),
            templates: Vec::new(),
            has_constructor: false,
        };
        for (name, of) in of {
            let alignment = of.alignment();
            let offset = if is_union { 0 } else { record.size.next_multiple_of(alignment) };
            record.size = record.size.max(offset.checked_add(of.size()?)?);
            record.alignment = record.alignment.max(alignment);
            record.fields.push(Field { name, offset, of });
        }
        record.size = record.size.next_multiple_of(record.alignment);
        Some(record)
    }

    /// Returns the CUDA vector type with this name, such as `float4`; `None` for other names.
    pub(crate) fn vector(name: &str) -> Option<Self> {
        let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let base = name.strip_suffix(digits)?;
        let count: usize = digits.parse().ok().filter(|count| (1..=4).contains(count))?;
        let of = Type::from(Scalar::of_vector(base).filter(|of| *of != Scalar::Float(2) || count == 2)?);
        let size = of.size()? * count as u64;
        // A three-element vector is aligned like one element; source: CUDA C++ programming guide, built-in
        // vector types.
        let alignment = if count == 3 { of.size()? } else { size.min(widest()) };
        Self::of_fields(name, &of, count, alignment)
    }

    fn of_fields(name: &str, of: &Type, count: usize, alignment: u64) -> Option<Self> {
        let fields = ["x", "y", "z", "w"].iter().take(count).map(|name| ((*name).to_owned(), of.clone()));
        Self::lay_out(name.to_owned(), fields.collect(), alignment, false)
    }

    pub(crate) fn field(&self, name: &str) -> Option<(usize, &Field)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }
}

/// Returns the built-in type with this name; `None` for other names.
pub(crate) fn built_in(name: &str) -> Option<Type> {
    // Source: CUDA C++ programming guide, built-in vector types; `dim3`, `uint3` and pairs of halves are
    // aligned to 4 bytes.
    const ALIGNMENT: u64 = 4;
    if let Some(Layout { of, fields }) = Layout::of_type(name) {
        let of = Type::from(of);
        return match fields {
            0 => Some(of),
            count => RecordType::of_fields(name, &of, count, ALIGNMENT).map(|of| Type::Record(Arc::new(of))),
        };
    }
    let int = |bytes, is_signed| Some(Type::Int(IntType { bytes, is_signed }));
    let mut words: Vec<&str> = name.split(' ').collect();
    let is_unsigned = words.contains(&"unsigned");
    let count = words.len();
    words.retain(|word| !matches!(*word, "unsigned" | "signed" | "int"));
    let is_int = count > words.len();
    match words.as_slice() {
        [] if is_int => int(4, !is_unsigned),
        ["char"] => int(1, !is_unsigned),
        ["short"] => int(2, !is_unsigned),
        // `long` has 8 bytes on every system that CUDA supports except Windows.
        ["long"] | ["long", "long"] => int(8, !is_unsigned),
        _ => RecordType::vector(name).map(|of| Type::Record(Arc::new(of))).or_else(|| driver_type(name)),
    }
}
