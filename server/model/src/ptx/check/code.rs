//! The codes of problems.

/// Code of a problem: that of the rule which reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    AboveTarget,
    AboveVersion,
    CallMismatch,
    InvalidDeclaration,
    InvalidDirective,
    InvalidHeader,
    InvalidInitialiser,
    MisplacedModifier,
    MissingModifier,
    OperandCount,
    OperandKind,
    OperandType,
    OperandValue,
    PrototypeMismatch,
    ReadOnlyWrite,
    RedeclaredName,
    UndeclaredName,
    UndefinedLabel,
    UnknownModifier,
    UnknownOpcode,
    UselessModifier,
    WrongSpace,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 22] = [
        Self::AboveTarget,
        Self::AboveVersion,
        Self::CallMismatch,
        Self::InvalidDeclaration,
        Self::InvalidDirective,
        Self::InvalidHeader,
        Self::InvalidInitialiser,
        Self::MisplacedModifier,
        Self::MissingModifier,
        Self::OperandCount,
        Self::OperandKind,
        Self::OperandType,
        Self::OperandValue,
        Self::PrototypeMismatch,
        Self::ReadOnlyWrite,
        Self::RedeclaredName,
        Self::UndeclaredName,
        Self::UndefinedLabel,
        Self::UnknownModifier,
        Self::UnknownOpcode,
        Self::UselessModifier,
        Self::WrongSpace,
    ];

    /// Returns the code as settings and comments write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AboveTarget => "above-target",
            Self::AboveVersion => "above-version",
            Self::CallMismatch => "call-mismatch",
            Self::InvalidDeclaration => "invalid-declaration",
            Self::InvalidDirective => "invalid-directive",
            Self::InvalidHeader => "invalid-header",
            Self::InvalidInitialiser => "invalid-initialiser",
            Self::MisplacedModifier => "misplaced-modifier",
            Self::MissingModifier => "missing-modifier",
            Self::OperandCount => "operand-count",
            Self::OperandKind => "operand-kind",
            Self::OperandType => "operand-type",
            Self::OperandValue => "operand-value",
            Self::PrototypeMismatch => "prototype-mismatch",
            Self::ReadOnlyWrite => "read-only-write",
            Self::RedeclaredName => "redeclared-name",
            Self::UndeclaredName => "undeclared-name",
            Self::UndefinedLabel => "undefined-label",
            Self::UnknownModifier => "unknown-modifier",
            Self::UnknownOpcode => "unknown-opcode",
            Self::UselessModifier => "useless-modifier",
            Self::WrongSpace => "wrong-space",
        }
    }
}
