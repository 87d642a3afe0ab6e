//! Codes of the errors that an assembler reports. Each code has its rule's severity, summary and page.

use crate::finding::Severity;

/// Defines the codes from a table: variant, file name of the page, severity and summary.
macro_rules! codes {
    ($($(#[$doc:meta])+ $code:ident, $page:literal, $severity:ident, $summary:literal;)+) => {
        /// Code of a finding: the name of the rule that reports it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Code {
            $($(#[$doc])+ $code,)+
        }

        impl Code {
            /// All codes, in the listing order of rules.
            pub(crate) const ALL: &[Self] = &[$(Self::$code,)+];

            pub(crate) const fn severity(self) -> Severity {
                match self {
                    $(Self::$code => Severity::$severity,)+
                }
            }

            /// Returns a sentence that describes the defect.
            pub(crate) const fn summary(self) -> &'static str {
                match self {
                    $(Self::$code => $summary,)+
                }
            }

            /// Returns the rule's page, in Markdown.
            pub(crate) const fn page(self) -> &'static str {
                match self {
                    $(Self::$code => include_str!(concat!("../rules/", $page, ".md")),)+
                }
            }
        }
    };
}

codes! {
    /// An opcode that PTX does not have. The rule also applies to SASS, see `rules/unknown_opcode.rs`.
    UnknownOpcode, "unknown_opcode", Warning, "An opcode that is not in the opcode table of the file's architecture.";
    /// A name that is not a special register and has no declaration before its use.
    UndeclaredName, "undeclared_name", Error, "A name in PTX that is used before it is declared, or never declared.";
    /// A branch to a label that is not in its scope.
    UndefinedLabel, "undefined_label", Error, "A branch to a label that does not exist in its scope.";
    /// A second declaration of a name in the same scope.
    RedeclaredName, "redeclared_name", Error, "A name that is already declared in its scope.";
    /// Two conflicting declarations of a function or an `.extern` variable.
    PrototypeMismatch, "prototype_mismatch", Error, "A PTX function or variable with two conflicting declarations.";
    /// A declaration whose parts cannot be combined.
    InvalidDeclaration, "invalid_declaration", Error, "A declaration in PTX with an invalid type, space, vector, size or alignment.";
    /// An initialiser that does not fit its variable.
    InvalidInitialiser, "invalid_initialiser", Error, "An initial value that a PTX variable cannot have.";
    /// A directive that is not allowed in its position, or that has an invalid value.
    InvalidDirective, "invalid_directive", Error, "A PTX directive in the wrong place or with an invalid value.";
    /// An invalid start of a module. [`super::check_header`] reports these errors, because they do not belong
    /// to a single item.
    InvalidHeader, "invalid_header", Error, "A PTX module without a `.version` and a matching `.target` at its start.";
    /// A modifier that no form of the instruction has.
    UnknownModifier, "unknown_modifier", Error, "A modifier that the instruction does not have.";
    /// A modifier that cannot be combined with the other modifiers, or is in the wrong position.
    MisplacedModifier, "misplaced_modifier", Error, "A modifier that conflicts with the others or is in the wrong position.";
    /// An instruction without a required modifier: a type, a rounding mode or a comparison.
    MissingModifier, "missing_modifier", Error, "A PTX instruction without a required modifier, usually its type.";
    /// A modifier that is repeated, or that ptxas ignores because it has no effect on the instruction.
    UselessModifier, "useless_modifier", Warning, "A modifier that the assembler ignores.";
    /// An instruction whose modifiers require a different number of operands.
    OperandCount, "operand_count", Error, "An instruction with too many or too few operands.";
    /// An operand of the wrong kind, such as a constant instead of a register, or a register instead of an
    /// address.
    OperandKind, "operand_kind", Error, "An operand of the wrong kind.";
    /// A register or constant whose type does not match the type that the instruction requires.
    OperandType, "operand_type", Error, "A register or constant whose type does not match the instruction.";
    /// A constant that the instruction does not accept. Barrier indices are 0 to 15, for example, and asynchronous
    /// copies have 4, 8 or 16 bytes.
    OperandValue, "operand_value", Error, "A register or number that the instruction cannot encode.";
    /// A variable in a state space other than the state space that the instruction accesses.
    WrongSpace, "wrong_space", Error, "A PTX variable in a state space other than the one that the instruction accesses.";
    /// A write to read-only memory or to a special register.
    ReadOnlyWrite, "read_only_write", Error, "A write to a special register, to constant memory or to a kernel's parameter.";
    /// An argument or result whose number, type, size or alignment differs from the declaration.
    CallMismatch, "call_mismatch", Error, "A call in PTX whose arguments or results do not match the function's declaration.";
    /// An instruction, modifier or special register that requires a different `.target`.
    AboveTarget, "above_target", Error, "An instruction, modifier or special register that the module's target does not have.";
    /// An instruction, modifier or special register that requires a later `.version`.
    AboveVersion, "above_version", Error, "An instruction, modifier or special register that the module's PTX version does not have.";
}

impl Code {
    /// Returns the code as written in settings and comments: the title of the rule's page.
    pub(crate) const fn name(self) -> &'static str {
        let (_, title) = self.page().split_at("# ".len());
        let bytes = title.as_bytes();
        let mut end = 0;
        while bytes[end] != b'\n' {
            end += 1;
        }
        title.split_at(end).0
    }
}
