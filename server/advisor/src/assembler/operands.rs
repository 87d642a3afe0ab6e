//! Operands against the places that they stand in.

use super::Check;
use super::code::Code;
use super::value::{Given, Register, Wanted, fits};
use machine::ptx::{Access, Operand as Role, OperandKind as RoleKind, Predicate, Type, TypeClass, TypeOf};
use model::ptx::Instruction;
use model::ptx::Space;
use std::ops::Range;
use syntax::ptx::{Operand, OperandKind, literal};

/// Operand that an instruction expects in a place.
#[derive(Clone, Copy)]
pub(super) struct Expected<'a> {
    /// The instruction as it is spoken of: `add.s32`.
    pub(super) instruction: &'a str,
    pub(super) access: Access,
    pub(super) word: &'a str,
    pub(super) ty: &'a Type,
    pub(super) wanted: Wanted,
    pub(super) may_be_sink: bool,
    /// It is an element of a vector: bits take constants of any kind there.
    pub(super) is_element: bool,
    /// A special register or an address may stand there.
    pub(super) is_of_mov: bool,
}

impl<'a> Check<'a> {
    /// An operand in a place for values.
    pub(super) fn value(
        &mut self,
        instruction: &Instruction<'a, 'a>,
        operand: &Operand<'a>,
        role: &'a Role,
        spelled: &'a str,
    ) {
        let RoleKind::Value { of, .. } = &role.kind else { return };
        if let Some((first, second)) = operand.pair() {
            self.one_value(instruction, &first, role, spelled);
            let Some(ty) = self.context.tables.type_of("pred") else { return };
            let wanted = Wanted { is_own: false, may_be_wider: false };
            let place = Expected {
                instruction: spelled,
                access: Access::Write,
                word: "pred",
                ty,
                wanted,
                may_be_sink: true,
                is_element: false,
                is_of_mov: false,
            };
            self.scalar(&second, &place);
            return;
        }
        if *of == TypeOf::Part {
            self.parts(instruction, operand, role, spelled);
            return;
        }
        self.one_value(instruction, operand, role, spelled);
    }

    fn one_value(
        &mut self,
        instruction: &Instruction<'a, 'a>,
        operand: &Operand<'a>,
        role: &'a Role,
        spelled: &'a str,
    ) {
        let RoleKind::Value { of, may_be_wider, may_be_sink, predicate, .. } = &role.kind else { return };
        let Some(word) = instruction.type_of(role) else { return };
        let Some(ty) = self.context.tables.type_of(word) else { return };
        let opcode = instruction.form.opcode();
        let mut place = Expected {
            instruction: spelled,
            access: role.access,
            word,
            ty,
            wanted: Wanted { is_own: matches!(of, TypeOf::Slot(_)), may_be_wider: *may_be_wider },
            may_be_sink: *may_be_sink || role.name.is_empty() || *predicate != Predicate::None,
            is_element: false,
            is_of_mov: matches!(opcode, "mov" | "cvt"),
        };
        let count = instruction.count_of(role);
        if operand.kind() == OperandKind::Vector {
            let elements: Vec<_> = operand.elements().collect();
            self.count(operand, elements.len(), count, &place);
            let Ok(together) = self.together(operand, &elements, spelled) else { return };
            // Elements of what is loaded and of fragments may be passed over.
            place.may_be_sink = role.access == Access::Write;
            place.is_element = true;
            for element in elements {
                // A constant takes the type of the registers beside it.
                let is_typed = together.has_register && self.given(&element).is_constant();
                if !is_typed || role.access != Access::Read {
                    self.scalar(&element, &place);
                }
            }
            return;
        }
        if let Given::Register(register) = self.given(operand)
            && register.vector > 1
        {
            let range = operand.range().unwrap_or_default();
            match count {
                Some(count) if count == u32::from(register.vector) => {
                    let is_fit = fits((register.word, register.ty), (word, ty), place.wanted);
                    if !is_fit {
                        self.wrong_type(operand, register.word, &place);
                    }
                }
                Some(1)
                    if is_whole_of_move(instruction, operand, &register, &place, |other| {
                        self.given(other)
                    }) => {}
                Some(1) => {
                    let message =
                        format!("`{}` is a vector, but {spelled} takes one value here", operand.text());
                    self.error(Code::OperandKind, range, message);
                }
                Some(count) => {
                    let message = format!(
                        "`{}` has {} elements, but {spelled} takes {count} here",
                        operand.text(),
                        register.vector
                    );
                    self.error(Code::OperandKind, range, message);
                }
                None => {}
            }
            return;
        }
        if let (Given::Special(special, false), Some(count)) = (self.given(operand), count)
            && !special.components.is_empty()
        {
            if count != 4 {
                let component = special.components[0];
                let message =
                    format!("`{0}` is a vector; name a component, as `{0}.{component}`", special.name);
                self.error(Code::OperandKind, operand.range().unwrap_or_default(), message);
            }
            return;
        }
        if let Some(count) = count.filter(|count| *count > 1)
            && !matches!(self.given(operand), Given::Unknown | Given::Sink)
        {
            let message = format!("{spelled} takes {count} values in braces here, not `{}`", operand.text());
            self.error(Code::OperandKind, operand.range().unwrap_or_default(), message);
            return;
        }
        self.scalar(operand, &place);
    }

    fn count(&mut self, operand: &Operand<'a>, have: usize, count: Option<u32>, place: &Expected<'a>) {
        if let Some(count) = count.filter(|count| *count as usize != have) {
            let values = if count == 1 { "value" } else { "values" };
            let message =
                format!("{have} values stand here, but {} takes {count} {values}", place.instruction);
            self.error(Code::OperandKind, operand.range().unwrap_or_default(), message);
        }
    }

    /// One value against a place.
    pub(super) fn scalar(&mut self, operand: &Operand<'a>, place: &Expected<'a>) {
        let range = operand.range().unwrap_or_default();
        let given = self.given(operand);
        let sign = operand.sign().filter(|_| operand.kind() == OperandKind::Name);
        if let Some(sign) = sign
            && !Self::sign_fits(sign, &given, place)
        {
            let sign = sign as char;
            let message = match sign {
                '!' => format!("`!` negates a predicate; {} takes .{} here", place.instruction, place.word),
                _ => format!("`{sign}` before a register means nothing to {}", place.instruction),
            };
            self.error(Code::OperandKind, range, message);
            return;
        }
        if place.access != Access::Read {
            self.destination(operand, &given, range, place);
            return;
        }
        match given {
            Given::Register(register) => self.register(operand, &register, place),
            Given::Special(special, _) => self.special(operand, special, place),
            Given::Memory(space) => self.address_value(operand, space, place),
            Given::Function => {
                if !place.is_of_mov {
                    let message = format!("{} takes a value here, not a function", place.instruction);
                    self.error(Code::OperandKind, range, message);
                }
            }
            Given::Label => {
                let message = format!("{} takes a value here, not a label", place.instruction);
                self.error(Code::OperandKind, range, message);
            }
            Given::String => {
                self.error(Code::OperandKind, range, format!("{} takes no string", place.instruction));
            }
            Given::Sink => {
                if !place.may_be_sink {
                    let message = "`_` stands for a result that is not wanted; here a value is read".into();
                    self.error(Code::OperandKind, range, message);
                }
            }
            Given::Integer | Given::Single | Given::Double | Given::Decimal => {
                self.constant(operand, given, place);
            }
            Given::Unknown => {}
        }
    }

    fn sign_fits(sign: u8, given: &Given<'a>, place: &Expected<'a>) -> bool {
        match (sign, given) {
            (_, Given::Unknown) => true,
            (b'!', _) => place.ty.class == TypeClass::Predicate && place.access == Access::Read,
            (b'-', Given::Register(register)) => {
                // Of the video instructions, which negate their operands.
                place.instruction.starts_with('v') && register.ty.is_integer()
                    || place.instruction.starts_with("vmad")
            }
            (_, given) => given.is_constant(),
        }
    }

    fn destination(
        &mut self,
        operand: &Operand<'a>,
        given: &Given<'a>,
        range: Range<u32>,
        place: &Expected<'a>,
    ) {
        match given {
            Given::Register(register) => self.register(operand, register, place),
            Given::Unknown => {}
            Given::Sink => {
                if !place.may_be_sink {
                    let message = format!("`_` cannot stand for the result of {}", place.instruction);
                    self.error(Code::OperandKind, range, message);
                }
            }
            Given::Special(special, _) => {
                let message = format!("`{}` can only be read", special.name);
                // Among the elements of a vector ptxas 13.5 lets it pass.
                self.add(Code::ReadOnlyWrite, !place.is_element, range, message);
            }
            _ => {
                let message =
                    format!("{} writes a register here, not `{}`", place.instruction, operand.text());
                self.error(Code::OperandKind, range, message);
            }
        }
    }

    fn register(&mut self, operand: &Operand<'a>, register: &Register<'a>, place: &Expected<'a>) {
        let range = operand.range().unwrap_or_default();
        if register.vector > 1 {
            let message = format!("`{}` is a vector, but one value belongs here", operand.text());
            self.error(Code::OperandKind, range, message);
            return;
        }
        if let Some(selector) = register.selector {
            let is_part = matches!(selector, "b0" | "b1" | "b2" | "b3" | "h0" | "h1");
            if !is_part || !place.instruction.starts_with('v') || place.instruction.starts_with("vote") {
                let message =
                    format!("{} takes the whole register, without `.{selector}`", place.instruction);
                self.error(Code::OperandKind, range, message);
                return;
            }
        }
        if !fits((register.word, register.ty), (place.word, place.ty), place.wanted) {
            self.wrong_type(operand, register.word, place);
        }
    }

    fn wrong_type(&mut self, operand: &Operand<'a>, have: &str, place: &Expected<'a>) {
        let does = if place.access == Access::Read { "reads" } else { "writes" };
        let message = format!(
            "`{}` is .{have}, but {} {does} .{} here",
            bare(operand.text()),
            place.instruction,
            place.word
        );
        self.error(Code::OperandType, operand.range().unwrap_or_default(), message);
    }

    fn special(
        &mut self,
        operand: &Operand<'a>,
        special: &machine::ptx::SpecialRegister,
        place: &Expected<'a>,
    ) {
        let range = operand.range().unwrap_or_default();
        if let Some(selector) = operand.selectors().next() {
            let is_fit = matches!(selector, "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a");
            if special.components.is_empty() || !is_fit {
                let message = format!("`{}` has no component `.{selector}`", special.name);
                self.error(Code::OperandKind, range, message);
                return;
            }
        }
        if place.is_element {
            // In braces it is bits of its width.
            let bits = self.context.tables.type_of(&special.ty).map_or(0, |ty| ty.bits);
            let fits = bits == place.ty.bits || place.wanted.may_be_wider && bits > place.ty.bits;
            if !fits || place.ty.class == TypeClass::Predicate {
                let message = format!(
                    "`{}` is .{}, but {} reads .{} here",
                    special.name, special.ty, place.instruction, place.word
                );
                self.error(Code::OperandType, range, message);
            }
            return;
        }
        if !place.is_of_mov {
            let message = format!(
                "{} reads no special register; move `{}` to a register first",
                place.instruction, special.name
            );
            self.error(Code::OperandKind, range, message);
            return;
        }
        let Some(ty) = self.context.tables.type_of(&special.ty) else { return };
        let is_narrow = ty.bits == 32 && place.ty.bits == 16
            || ty.bits == 64 && place.ty.bits == 32 && &*special.name == "%gridid";
        let fits = fits((&special.ty, ty), (place.word, place.ty), place.wanted)
            || is_narrow && place.ty.is_integer()
            || place.instruction.starts_with("cvt") && place.ty.is_integer();
        if !fits || place.ty.class == TypeClass::Float {
            let message = format!(
                "`{}` is .{}, but {} reads .{} here",
                special.name, special.ty, place.instruction, place.word
            );
            self.error(Code::OperandType, range, message);
        }
    }

    /// The address of something as a value.
    fn address_value(&mut self, operand: &Operand<'a>, space: Space, place: &Expected<'a>) {
        let range = operand.range().unwrap_or_default();
        if !place.instruction.starts_with("mov") && !place.instruction.starts_with("cvta") {
            let message = format!(
                "{} reads a register here; move the address of `{}` to one first",
                place.instruction,
                bare(operand.text())
            );
            self.error(Code::OperandKind, range, message);
            return;
        }
        let takes_address = matches!(place.instruction.split('.').next(), Some("mov" | "cvta"));
        if space == Space::Param && takes_address && self.is_argument(operand) {
            let message = format!("`{}` is an argument of a call and has no address", operand.text());
            self.error(Code::OperandKind, range, message);
        } else if !matches!(place.ty.class, TypeClass::Bits | TypeClass::Unsigned | TypeClass::Signed)
            || place.ty.bits < 16
        {
            let message = format!("an address is no .{}", place.word);
            self.error(Code::OperandType, range, message);
        }
    }

    fn constant(&mut self, operand: &Operand<'a>, given: Given<'a>, place: &Expected<'a>) {
        let is_integer = matches!(given, Given::Integer);
        let fits = match place.ty.class {
            TypeClass::Unsigned | TypeClass::Signed | TypeClass::Predicate => is_integer,
            TypeClass::Bits => {
                is_integer
                    || place.is_element
                    || matches!(given, Given::Single) && place.ty.bits == 32
                    || matches!(given, Given::Double | Given::Decimal) && place.ty.bits == 64
            }
            TypeClass::Float if place.ty.bits >= 32 && place.word != "f16x2" => !is_integer,
            TypeClass::Float | TypeClass::Packed | TypeClass::Opaque => false,
        };
        if fits {
            return;
        }
        let range = operand.range().unwrap_or_default();
        let text = operand.text();
        let message = match place.ty.class {
            TypeClass::Float if place.ty.bits >= 32 && place.word != "f16x2" => {
                format!(
                    "`{text}` is an integer, but {} reads .{} here; write `{text}.0`",
                    place.instruction, place.word
                )
            }
            TypeClass::Float | TypeClass::Packed | TypeClass::Opaque => {
                format!("{} takes no constant here: .{} has none", place.instruction, place.word)
            }
            _ if matches!(given, Given::Decimal) || is_integer => {
                format!(
                    "`{text}` is a floating-point number, but {} reads .{} here",
                    place.instruction, place.word
                )
            }
            _ => format!("`{text}` is not .{}, which {} reads here", place.word, place.instruction),
        };
        self.error(Code::OperandType, range, message);
    }

    /// A constant where nothing else may stand.
    pub(super) fn immediate(
        &mut self,
        instruction: &Instruction<'a, 'a>,
        operand: &Operand<'a>,
        role: &'a Role,
        spelled: &'a str,
    ) {
        let range = operand.range().unwrap_or_default();
        let given = self.given(operand);
        match given {
            Given::Unknown => {}
            given if given.is_constant() => {
                let word = instruction.type_of(role);
                let is_float = word.is_some_and(|word| matches!(word, "f32" | "f64"));
                if is_float == matches!(given, Given::Integer) {
                    let kind = if is_float { "a floating-point number" } else { "an integer" };
                    self.error(
                        Code::OperandType,
                        range,
                        format!("{spelled} takes {kind} here, not `{}`", operand.text()),
                    );
                }
            }
            _ => {
                self.error(
                    Code::OperandKind,
                    range,
                    format!("{spelled} takes a constant here, not `{}`", operand.text()),
                );
            }
        }
    }

    /// A constant against those that its place takes.
    pub(super) fn limit(
        &mut self,
        instruction: &Instruction<'a, 'a>,
        operand: &Operand<'a>,
        name: &str,
        spelled: &str,
    ) {
        let (number, is_negative) = match operand.tokens() {
            [number] => (number, false),
            [minus, number] if minus.is(b'-') => (number, true),
            _ => return,
        };
        let Some(value) = literal::integer(self.item.token_text(number)).map(i128::from) else { return };
        let value = if is_negative { -value } else { value };
        let tables = self.context.tables;
        if let Some(values) =
            tables.limit(&instruction.words, instruction.form, name).filter(|all| !all.holds(value))
        {
            let message = format!("{spelled} takes {values} here, not {value}");
            self.error(Code::OperandValue, operand.range().unwrap_or_default(), message);
        }
    }

    /// `{a, b}` whose elements together are as wide as the other operand of a move.
    fn parts(
        &mut self,
        instruction: &Instruction<'a, 'a>,
        operand: &Operand<'a>,
        role: &'a Role,
        spelled: &'a str,
    ) {
        let Some(word) = instruction.words.word("T") else { return };
        let Some(whole) = self.context.tables.type_of(word) else { return };
        let elements: Vec<_> = operand.elements().collect();
        let range = operand.range().unwrap_or_default();
        let count = elements.len() as u16;
        if !matches!(count, 2 | 4) || whole.bits / count < 8 {
            let message = format!(".{word} has 2 or 4 parts of 8 bits or more, not {count}");
            self.error(Code::OperandKind, range, message);
            return;
        }
        let bits = whole.bits / count;
        if self.together(operand, &elements, spelled).is_err() {
            return;
        }
        for element in elements {
            let range = element.range().unwrap_or_default();
            let given = self.given(&element);
            if element.kind() == OperandKind::Name && element.sign().is_some() && !given.is_constant() {
                let message = format!("{spelled} takes whole registers here, not `{}`", element.text());
                self.error(Code::OperandKind, range, message);
                continue;
            }
            match given {
                Given::Register(register) => {
                    if let Some(selector) = register.selector {
                        let message = format!("{spelled} takes the whole register, without `.{selector}`");
                        self.error(Code::OperandKind, range, message);
                    } else if register.ty.bits != bits
                        || register.ty.class == TypeClass::Predicate
                        || register.vector > 1
                    {
                        let message = format!(
                            "`{}` is .{}, but each of {count} parts of .{word} has {bits} bits",
                            element.text(),
                            register.word
                        );
                        self.error(Code::OperandType, range, message);
                    }
                }
                Given::Sink => {
                    if role.access == Access::Read {
                        let message =
                            "`_` stands for a result that is not wanted; here a value is read".into();
                        self.error(Code::OperandKind, range, message);
                    }
                }
                Given::Unknown => {}
                given if given.is_constant() && role.access == Access::Read => {}
                Given::Special(special, is_named) if is_named || special.components.is_empty() => {
                    if role.access != Access::Read {
                        let message = format!("`{}` can only be read", special.name);
                        self.warning(Code::ReadOnlyWrite, range, message);
                    } else if self.context.tables.type_of(&special.ty).is_none_or(|ty| ty.bits != bits) {
                        let message = format!(
                            "`{}` is .{}, but each of {count} parts of .{word} has {bits} bits",
                            element.text(),
                            special.ty
                        );
                        self.error(Code::OperandType, range, message);
                    }
                }
                _ => {
                    let message = format!("{spelled} takes registers here, not `{}`", element.text());
                    self.error(Code::OperandKind, range, message);
                }
            }
        }
    }
}

/// A name without the sign before it.
pub(super) fn bare(text: &str) -> &str {
    text.trim_start_matches(['-', '+', '!', '~'])
}

/// Whether a vector register is one value of a `mov` of bits, which packs or unpacks it: its elements are as many bits, and
/// the other operand is no vector.
///
/// As ptxas 13.5 takes them: `mov.b64` of a `.v2 .u32`, `mov.b32` of a `.v2 .b16` or a `.v4 .u8`.
fn is_whole_of_move<'a>(
    instruction: &Instruction<'a, 'a>,
    operand: &Operand<'a>,
    register: &Register<'a>,
    place: &Expected<'a>,
    given: impl Fn(&Operand<'a>) -> Given<'a>,
) -> bool {
    let is_vector = |other: &Operand<'a>| {
        other.kind() == OperandKind::Vector
            || matches!(given(other), Given::Register(register) if register.vector > 1)
    };
    let mut others = instruction.arguments.iter().map(|argument| argument.operand);
    instruction.form.opcode() == "mov"
        && operand.sign().is_none()
        && place.ty.class == TypeClass::Bits
        && u32::from(register.vector) * u32::from(register.ty.bits) == u32::from(place.ty.bits)
        && !others.any(|other| other.range() != operand.range() && is_vector(&other))
}
