//! Kinds of operands: a typed register, a constant, an address.

use super::facts::Facts;
use machine::ptx::{SpecialRegister, Type, TypeClass};
use model::ptx::{Meaning, Space, Symbol, SymbolKind, index_of};
use syntax::ptx::{Operand, OperandKind, Token, TokenKind, literal};

/// Kind of a scalar operand or of a vector element.
#[derive(Debug, Clone, Copy)]
pub(super) enum ScalarKind<'a> {
    Register(Register<'a>),
    /// A special register. The flag is true if the operand names a component.
    Special(&'a SpecialRegister, bool),
    /// A variable in memory, with its state space.
    Memory(Space),
    Function,
    /// A label, a list of targets or a prototype.
    Label,
    Integer,
    /// A single-precision constant in hexadecimal notation: `0f3F800000`.
    Single,
    /// A double-precision constant in hexadecimal notation: `0d3FF0000000000000`.
    Double,
    /// A floating-point constant in decimal notation: `1.5`.
    Decimal,
    Sink,
    String,
    /// An operand that could not be resolved or that was already reported. Every check accepts such an
    /// operand.
    Unknown,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Register<'a> {
    /// The type without its dot: `u32`.
    pub(super) word: &'a str,
    pub(super) ty: &'a Type,
    /// Number of elements: 4 for `.v4`, and 1 if the operand names a component.
    pub(super) vector: u8,
    /// Selector of bytes or halves of the register: `b0`.
    pub(super) selector: Option<&'a str>,
}

impl ScalarKind<'_> {
    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Self::Integer | Self::Single | Self::Double | Self::Decimal)
    }
}

impl<'a> Facts<'a> {
    /// Returns the kind of a scalar operand.
    pub(super) fn given(&self, operand: &Operand<'a>) -> ScalarKind<'a> {
        match operand.kind() {
            OperandKind::Sink => ScalarKind::Sink,
            OperandKind::Integer => ScalarKind::Integer,
            OperandKind::Float => {
                operand.tokens().last().map_or(ScalarKind::Unknown, |token| self.float(token))
            }
            OperandKind::String => ScalarKind::String,
            OperandKind::Name => operand.name().map_or(ScalarKind::Unknown, |name| {
                self.named(name, operand.selectors().next(), operand.selectors().count())
            }),
            OperandKind::Expression => self.expression(operand),
            _ => ScalarKind::Unknown,
        }
    }

    fn float(&self, token: &Token) -> ScalarKind<'a> {
        match literal::float(self.item.token_text(token)) {
            Some(literal::Float::Single(_)) => ScalarKind::Single,
            Some(literal::Float::Double(_)) => ScalarKind::Double,
            _ => ScalarKind::Decimal,
        }
    }

    /// Returns the kind of a constant expression or of an address with an offset.
    fn expression(&self, operand: &Operand<'a>) -> ScalarKind<'a> {
        let tokens = operand.tokens();
        let name = tokens.iter().find(|token| {
            token.kind == TokenKind::Name && !matches!(self.item.token_text(token), "WARP_SZ" | "generic")
        });
        if let Some(name) = name {
            return match self.named(name, None, 0) {
                // The assembler's parser rejects arithmetic on a register.
                ScalarKind::Register(_) | ScalarKind::Special(..) => ScalarKind::Unknown,
                given => given,
            };
        }
        let compares = |token: &Token| {
            token.kind == TokenKind::Operator || matches!(token.kind, TokenKind::Punct(b'<' | b'>' | b'!'))
        };
        if tokens.iter().any(compares) {
            return ScalarKind::Integer;
        }
        let float = tokens.iter().find(|token| token.kind == TokenKind::Float);
        float.map_or(ScalarKind::Integer, |token| self.float(token))
    }

    /// Returns the meaning of a name; `None` if the token is not a use of a name.
    pub(super) fn meaning(&self, name: &Token) -> Option<Meaning> {
        self.names.use_at(index_of(self.item, name)).map(|used| used.what)
    }

    /// The declaration of a name in this item; `None` if the name is declared elsewhere.
    pub(super) fn symbol(&self, name: &Token) -> Option<&'a Symbol> {
        let Meaning::Symbol(symbol, _) = self.meaning(name)? else { return None };
        self.names.symbols().get(symbol as usize)
    }

    /// Returns the kind of a name.
    pub(super) fn named(&self, name: &Token, selector: Option<&'a str>, selectors: usize) -> ScalarKind<'a> {
        let Some(meaning) = self.meaning(name) else { return ScalarKind::Unknown };
        match meaning {
            Meaning::Word if self.item.token_text(name) == "WARP_SZ" => ScalarKind::Integer,
            Meaning::Word => ScalarKind::Unknown,
            Meaning::SpecialRegister => {
                let found = self.context.tables.special_register(self.item.token_text(name));
                found.map_or(ScalarKind::Unknown, |found| ScalarKind::Special(found, selectors > 0))
            }
            Meaning::Symbol(symbol, _) => {
                let symbol = &self.names.symbols()[symbol as usize];
                match symbol.kind {
                    SymbolKind::Label | SymbolKind::Targets | SymbolKind::Prototype => ScalarKind::Label,
                    SymbolKind::Function => ScalarKind::Function,
                    _ if symbol.space == Some(Space::Reg) => {
                        let Some(word) = symbol.type_word(self.item) else { return ScalarKind::Unknown };
                        let Some(ty) = self.context.tables.type_of(word) else { return ScalarKind::Unknown };
                        let component = symbol.vector > 1 && selector.is_some_and(is_component);
                        ScalarKind::Register(Register {
                            word,
                            ty,
                            vector: if component { 1 } else { symbol.vector },
                            selector: if component { None } else { selector },
                        })
                    }
                    _ => symbol.space.map_or(ScalarKind::Unknown, ScalarKind::Memory),
                }
            }
            Meaning::Outer => {
                let name = self.item.token_text(name);
                let Some(global) = self.context.globals.find(name) else { return ScalarKind::Unknown };
                match (&global.variable, global.kind) {
                    (_, SymbolKind::Function) => ScalarKind::Function,
                    (Some(variable), _) => variable.space.map_or(ScalarKind::Unknown, ScalarKind::Memory),
                    _ => ScalarKind::Unknown,
                }
            }
        }
    }

    /// The declared type of a register or variable, without its dot.
    pub(super) fn declared_type(&self, name: &Token) -> Option<&'a str> {
        match self.meaning(name)? {
            Meaning::Symbol(symbol, _) => self.names.symbols()[symbol as usize].type_word(self.item),
            Meaning::Outer => self.context.globals.find(self.item.token_text(name))?.ty.as_deref(),
            _ => None,
        }
    }
}

/// True if the selector names a component of a vector.
pub(super) fn is_component(selector: &str) -> bool {
    matches!(selector, "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a")
}

/// Requirements on the type of a register operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TypeRequirement {
    /// True if the instruction's modifiers state the type. False if the operand's role determines it, as for
    /// a shift amount.
    pub(super) is_own: bool,
    /// True if a wider register is accepted.
    pub(super) may_be_wider: bool,
}

/// True if ptxas 13.5 accepts a register of type `have` where type `want` is required.
pub(super) fn fits(have: (&str, &Type), want: (&str, &Type), wanted: TypeRequirement) -> bool {
    let ((word, have), (want_word, want)) = (have, want);
    let is_bits = have.class == TypeClass::Bits;
    let same_size = have.bits == want.bits || wanted.may_be_wider && have.bits > want.bits;
    // ptxas accepts packed halves as 32 bits of any kind.
    let is_halves = word == "f16x2";
    match want.class {
        TypeClass::Predicate => have.class == TypeClass::Predicate,
        TypeClass::Bits => same_size && have.class != TypeClass::Predicate,
        TypeClass::Unsigned | TypeClass::Signed => {
            same_size && (is_bits || have.is_integer() || is_halves && wanted.is_own)
        }
        TypeClass::Float => is_bits && same_size || word == want_word,
        TypeClass::Packed => {
            have.bits == want.bits
                && (is_bits || is_halves && matches!(want_word, "u16x2" | "s16x2" | "u8x4" | "s8x4"))
        }
        TypeClass::Opaque => have.bits == 64 && (is_bits || have.is_integer()),
    }
}
