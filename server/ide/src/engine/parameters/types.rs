//! Types of a kernel's parameters, derived from its name, and the values that launches state for the
//! parameters.

use crate::engine::names;
use model::StatedTensor;
use model::cuda::Argument;

/// Value that a launch states for a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum ParamValue {
    /// `"ptr"`: a device pointer, aligned to 256 bytes. No other parameter points to the same memory.
    Pointer,
    /// A device pointer as in [`Self::Pointer`], to memory with known contents.
    Holding(model::Contents),
    /// `"?"`: the value is unknown.
    Unknown,
    Boolean(bool),
    Integer(i128),
    Float(f64),
    /// A tensor map.
    Tensor(StatedTensor),
}

impl ParamValue {
    /// Returns the stated contents of the memory that the parameter points to.
    pub(crate) fn contents(&self) -> Option<model::Contents> {
        match self {
            Self::Holding(contents) => Some(contents.clone()),
            _ => None,
        }
    }

    /// Returns the argument of a kernel that is interpreted from its CUDA source.
    pub(crate) fn argument(&self) -> Argument {
        match *self {
            Self::Pointer | Self::Holding(_) => Argument::Pointer,
            Self::Boolean(is_true) => Argument::Number(i64::from(is_true)),
            Self::Integer(number) => i64::try_from(number).map_or(Argument::Unknown, Argument::Number),
            Self::Float(_) => Argument::Float,
            Self::Tensor(tensor) => Argument::Tensor(tensor),
            Self::Unknown => Argument::Unknown,
        }
    }
}

/// A parameter's type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParameterType {
    /// The type in C++ syntax: `float const*`.
    pub text: String,
    pub kind: Kind,
}

/// Category of a parameter type that determines size and alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A pointer, or a reference, which is passed as a pointer.
    Pointer,
    Boolean,
    /// An integer of this many bytes, signed or unsigned.
    Integer(u32),
    /// A floating-point number of 4 or 8 bytes.
    Float(u32),
    /// A built-in CUDA struct, with its size and alignment in bytes.
    Struct {
        bytes: u32,
        align: u32,
    },
    /// A struct or an enumeration declared in the program. The kernel's name does not state its size.
    Named,
}

impl Kind {
    /// Returns the size and the alignment in bytes. `None` if they are unknown.
    pub(crate) const fn extent(self) -> Option<(u32, u32)> {
        match self {
            Self::Pointer => Some((8, 8)),
            Self::Boolean => Some((1, 1)),
            Self::Integer(bytes) | Self::Float(bytes) => Some((bytes, bytes)),
            Self::Struct { bytes, align } => Some((bytes, align)),
            Self::Named => None,
        }
    }

    fn parse(text: &str) -> Self {
        // In `int (*)(float)` and `float (&) [3]`, the mark is inside the type.
        let inner = text.contains("(*)") || text.contains("(&)") || text.contains("(&&)");
        if inner || text.ends_with(['*', '&']) {
            return Self::Pointer;
        }
        let mut words: Vec<&str> =
            text.split_whitespace().filter(|word| !matches!(*word, "const" | "volatile")).collect();
        // `unsigned int`, `int unsigned` and `unsigned` are the same type.
        if words.len() > 1 {
            words.retain(|word| !matches!(*word, "int" | "signed"));
        }
        words.sort_unstable();
        match *words.as_slice() {
            ["bool"] => Self::Boolean,
            ["char" | "char8_t"] | ["char", "unsigned"] => Self::Integer(1),
            ["short" | "char16_t"] | ["short", "unsigned"] => Self::Integer(2),
            ["int" | "unsigned" | "signed" | "wchar_t" | "char32_t"] | [] => Self::Integer(4),
            // Sizes as on Linux. On Windows, `long` has 4 bytes.
            ["long" | "size_t" | "std::nullptr_t"]
            | ["long", "unsigned" | "long"]
            | ["long", "long", "unsigned"] => Self::Integer(8),
            ["__int128"] | ["__int128", "unsigned"] => Self::Integer(16),
            ["float"] => Self::Float(4),
            ["double"] => Self::Float(8),
            [name] => vendor_struct(name),
            _ => Self::Named,
        }
    }
}

/// Returns the size and alignment of a built-in CUDA struct: a vector type, a small floating-point type, `dim3` or
/// `CUtensorMap`. [`Kind::Named`] for any other name.
///
/// Source: CUDA C++ programming guide, built-in vector types (alignment requirements).
fn vendor_struct(name: &str) -> Kind {
    let of = |bytes, align| Kind::Struct { bytes, align };
    match name {
        "dim3" => return of(12, 4),
        // Source: cuda.h of CUDA 13; before, the alignment was 64.
        "CUtensorMap" | "CUtensorMap_st" => return of(128, 128),
        "__half" | "__nv_bfloat16" => return of(2, 2),
        "__half2" | "__nv_bfloat162" => return of(4, 4),
        _ => {}
    }
    let Some(lanes) = name.chars().last().and_then(|last| last.to_digit(10)).filter(|n| (1..=4).contains(n))
    else {
        return Kind::Named;
    };
    let bytes = match &name[..name.len() - 1] {
        "char" | "uchar" => 1,
        "short" | "ushort" => 2,
        "int" | "uint" | "float" => 4,
        "long" | "ulong" | "longlong" | "ulonglong" | "double" => 8,
        _ => return Kind::Named,
    };
    // Vectors of three elements have the alignment of an element. Other vectors are aligned to their size, at
    // most 16 bytes.
    of(bytes * lanes, if lanes == 3 { bytes } else { (bytes * lanes).min(16) })
}

/// Returns the types of a function's parameters, in order, from its mangled or demangled name. `None` if the
/// name has no parameter list (`extern "C"`).
pub(crate) fn parameter_types(function: &str) -> Option<Vec<ParameterType>> {
    let demangled = names::demangle(function);
    let list = parameter_list(demangled.as_deref().unwrap_or(function))?;
    let types = split(list)?.into_iter().map(str::trim);
    let types: Vec<&str> = types.filter(|text| !text.is_empty()).collect();
    if types == ["void"] {
        return Some(Vec::new());
    }
    Some(
        types
            .into_iter()
            .map(|text| ParameterType { text: text.to_owned(), kind: Kind::parse(text) })
            .collect(),
    )
}

/// Returns the text in the last top-level pair of parentheses. `None` if there are no parentheses, or if the brackets
/// do not match.
fn parameter_list(function: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let (mut start, mut list) = (0, None);
    for (at, c) in function.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => {
                if depth == 0 && c == '(' {
                    start = at + 1;
                }
                depth += 1;
            }
            ')' | '>' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && c == ')' {
                    list = Some(&function[start..at]);
                }
            }
            _ => {}
        }
    }
    list.filter(|_| depth == 0)
}

/// Splits a list at commas outside of brackets. `None` if the brackets do not match.
fn split(list: &str) -> Option<Vec<&str>> {
    let mut depth = 0_usize;
    let (mut start, mut parts) = (0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(function: &str) -> Option<Vec<Kind>> {
        Some(parameter_types(function)?.into_iter().map(|of| of.kind).collect())
    }

    #[test]
    fn a_mangled_name_yields_its_types() {
        use Kind::{Boolean, Float, Integer, Named, Pointer};
        let vector = |bytes, align| Kind::Struct { bytes, align };
        for (function, expected) in [
            ("_Z5saxpyifPKfPf", vec![Integer(4), Float(4), Pointer, Pointer]),
            ("_Z8sgemm_nnPKfS0_Pfi", vec![Pointer, Pointer, Pointer, Integer(4)]),
            ("_Z5nbodyPK6float4PS_i", vec![Pointer, Pointer, Integer(4)]),
            ("_Z1kbcahstjlmxydf", {
                let integers = [1, 1, 1, 2, 2, 4, 8, 8, 8, 8].map(Integer);
                [Boolean].into_iter().chain(integers).chain([Float(8), Float(4)]).collect()
            }),
            (
                "_Z1k6float35uint47double24dim3",
                vec![vector(12, 4), vector(16, 16), vector(16, 16), vector(12, 4)],
            ),
            ("_Z1k1PRiO6float2", vec![Named, Pointer, Pointer]),
            ("_Z1kPFifEf", vec![Pointer, Float(4)]),
            ("_Z1kRA3_fi", vec![Pointer, Integer(4)]),
            ("_Z3addIfLi32EEvPT_i", vec![Pointer, Integer(4)]),
            ("_ZN12_GLOBAL__N_11kEPfi", vec![Pointer, Integer(4)]),
            ("_ZN2ns1kI4FuncEEvT_Pf", vec![Named, Pointer]),
            ("_Z1kv", vec![]),
            (
                "sgemm_nn(const float *, unsigned int, size_t, bool)",
                vec![Pointer, Integer(4), Integer(8), Boolean],
            ),
            (
                "void ns::k<(int)32, (ns::Kind)1>(ns::Pair<int, float>, unsigned long long)",
                vec![Named, Integer(8)],
            ),
            ("(anonymous namespace)::k(float*, short)", vec![Pointer, Integer(2)]),
        ] {
            assert_eq!(kinds(function), Some(expected), "{function}");
        }
    }

    #[test]
    fn a_c_name_yields_no_types() {
        for function in ["gemm", "", "_Z", "f(", "f)", "a > b(int)", "f(a, b"] {
            assert_eq!(kinds(function), None, "{function}");
        }
    }
}
