//! Types as written in the source.

use super::{Argument, Expr};

/// A type as written: `const float4 *__restrict__`, `T[BM][BN + 1]`.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent word of the declaration")]
pub struct TypeName {
    /// The name without qualifiers such as `const`: `ns::Vec`, `unsigned int`. The words of a built-in type keep
    /// their order.
    pub name: String,
    /// Template arguments.
    pub arguments: Vec<Argument>,
    /// Number of `*` after the name.
    pub pointers: u8,
    pub is_reference: bool,
    /// True if the pointee is `const`. For a type without pointers, true if the value is `const`.
    pub is_const: bool,
    pub is_restrict: bool,
    pub is_volatile: bool,
    /// Sizes of the array's dimensions, the outermost first; `None` for empty brackets.
    pub dimensions: Vec<Option<Expr>>,
}

impl TypeName {
    /// A type that consists only of a name.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}
