//! Operands of a form.

/// One operand of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// Name used in the pages: `d`, `a`, `mbar`. The kind lists the parts of an address or a pair.
    pub name: Box<str>,
    pub access: Access,
    pub kind: OperandKind,
    pub presence: Presence,
}

/// Access of an instruction to one of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    /// Read and then written: the accumulator of `wgmma.mma_async`.
    ReadWrite,
}

/// Kind of an operand, with the type of its values if applicable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperandKind {
    /// A register. If the operand is read, also a constant or a special register.
    Value {
        of: TypeSource,
        count: Count,
        /// True if the register may be wider than the type, as in loads, stores and conversions.
        may_be_wider: bool,
        /// True if `_` is allowed. `_` is required if the operand has no name.
        may_be_sink: bool,
        /// Presence of a second result, a predicate after a bar: `d|p`.
        predicate: Predicate,
    },
    /// A constant; a register is not allowed.
    Immediate(TypeSource),
    /// `[a]`, or `[map, coords]`: the names of its parts. A part whose name ends in a question mark may be
    /// missing.
    Address(Box<[Box<str>]>),
    /// A label.
    Label,
    /// The name of a `.branchtargets`, `.calltargets` or `.callprototype` list.
    Targets,
    /// The name of a function, or a register with its address.
    Function,
    /// A list in parentheses: arguments or results of a call.
    Arguments,
}

/// Source of an operand's type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeSource {
    /// The word in the slot with this name.
    Slot(Box<str>),
    /// Always this type: `u32`.
    Fixed(Box<str>),
    /// The width of the other operand divided by the number of elements, as in `mov.b64 {a, b}, d`.
    Part,
}

/// Number of registers in an operand. Several registers are in braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Count {
    One,
    /// This number, in braces even if it is 1: the fragment of a matrix.
    Fixed(u16),
    /// The number in the slot's word (`v4`, `x8`, the `n` of `m64n128k16`), multiplied by `times` and divided
    /// by `by`. 1 if the slot is empty.
    BySlot {
        slot: Box<str>,
        times: u16,
        by: u16,
    },
    /// A scalar or a vector of any length. The shape and the type, or the geometry of a texture, determine the
    /// length.
    Any,
}

/// Condition under which an operand is present in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    Always,
    Optional,
    /// Present if and only if one of these modifiers is present: the policy of `L2::cache_hint`.
    With(Box<[Box<str>]>),
}

/// Presence of a second result, a predicate after a bar: `d|p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predicate {
    None,
    Optional,
    Always,
}
