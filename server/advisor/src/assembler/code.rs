//! The codes of what the assembler would say, each with all that its rule says of itself.

use crate::finding::Severity;

/// Makes the codes of a table: the variant, the name of its page, the severity and one sentence.
macro_rules! codes {
    ($($(#[$doc:meta])+ $code:ident, $page:literal, $severity:ident, $summary:literal;)+) => {
        /// Code of a finding: that of the rule which reports it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Code {
            $($(#[$doc])+ $code,)+
        }

        impl Code {
            /// All codes, in the order in which the rules are listed.
            pub(crate) const ALL: &[Self] = &[$(Self::$code,)+];

            pub(crate) const fn severity(self) -> Severity {
                match self {
                    $(Self::$code => Severity::$severity,)+
                }
            }

            /// Returns one sentence.
            pub(crate) const fn summary(self) -> &'static str {
                match self {
                    $(Self::$code => $summary,)+
                }
            }

            /// Returns the page, in Markdown.
            pub(crate) const fn page(self) -> &'static str {
                match self {
                    $(Self::$code => include_str!(concat!("../rules/", $page, ".md")),)+
                }
            }
        }
    };
}

codes! {
    /// An opcode that PTX does not have. Its rule is of SASS, too: `rules/unknown_opcode.rs`.
    UnknownOpcode, "unknown_opcode", Warning, "An opcode that is not in the opcode table of the file's architecture.";
    /// A name that is no special register, and that no declaration explains at this place.
    UndeclaredName, "undeclared_name", Error, "A name in PTX that is used before it is declared, or never declared.";
    /// A branch to a label that its scope does not have.
    UndefinedLabel, "undefined_label", Error, "A branch to a label that does not exist in its scope.";
    /// A second declaration of a name in the same scope.
    RedeclaredName, "redeclared_name", Error, "A name that is already declared in its scope.";
    /// Two declarations of a function or an `.extern` variable that do not agree.
    PrototypeMismatch, "prototype_mismatch", Error, "A function or variable of PTX with two declarations that differ.";
    /// A declaration whose words do not go together.
    InvalidDeclaration, "invalid_declaration", Error, "A declaration in PTX with an invalid type, space, vector, size or alignment.";
    /// An initialiser that does not fit its variable.
    InvalidInitialiser, "invalid_initialiser", Error, "A value that a variable of PTX cannot have.";
    /// A directive that does not belong there, or whose numbers make no sense.
    InvalidDirective, "invalid_directive", Error, "A PTX directive in the wrong place or with an invalid value.";
    /// A wrong beginning of a module. [`super::check_header`] finds these: they concern no single item.
    InvalidHeader, "invalid_header", Error, "A PTX module without a `.version` and a matching `.target` at its start.";
    /// A word after the opcode that no form of the instruction has.
    UnknownModifier, "unknown_modifier", Error, "A modifier that the instruction does not have.";
    /// The instruction has this modifier, but not together with those that are there, or not in this order.
    MisplacedModifier, "misplaced_modifier", Error, "A modifier that conflicts with the others or is in the wrong position.";
    /// The instruction must say more: its type, its rounding, its comparison.
    MissingModifier, "missing_modifier", Error, "A PTX instruction without a required modifier, usually its type.";
    /// A modifier that is repeated, or that means nothing to this instruction and that ptxas ignores silently.
    UselessModifier, "useless_modifier", Warning, "A modifier that the assembler ignores.";
    /// The instruction does not take this number of operands with these modifiers.
    OperandCount, "operand_count", Error, "An instruction with too many or too few operands.";
    /// A constant where a register must be, a register where an address must be, a vector of another length, a label where a value must be.
    OperandKind, "operand_kind", Error, "An operand of the wrong kind.";
    /// The declared type of a register, or the kind of a constant, does not fit the type that the instruction has there.
    OperandType, "operand_type", Error, "A register or constant whose type does not match the instruction.";
    /// The instruction takes some constants only: barriers 0 to 15, copies of 4, 8 or 16 bytes.
    OperandValue, "operand_value", Error, "A register or number that the instruction cannot encode.";
    /// The instruction says one state space, and the variable is declared in another.
    WrongSpace, "wrong_space", Error, "A PTX variable in a state space other than the one that the instruction accesses.";
    /// A write to what can only be read.
    ReadOnlyWrite, "read_only_write", Error, "A write to a special register, to constant memory or to a kernel's parameter.";
    /// Number, type, size or alignment of an argument or a result differ from the declaration.
    CallMismatch, "call_mismatch", Error, "A call in PTX whose arguments or results do not match the function's declaration.";
    /// Something that needs another `.target`.
    AboveTarget, "above_target", Error, "An instruction, modifier or special register that the module's target does not have.";
    /// Something that needs a later `.version`.
    AboveVersion, "above_version", Error, "An instruction, modifier or special register that the module's PTX version does not have.";
}

impl Code {
    /// Returns the code as settings and comments write it: the title of its page.
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
