//! Checks operands against their roles in the instruction.

use super::code::Code;
use super::findings::Findings;
use super::spelled_instruction::SpelledInstruction;
use super::value::{Register, ScalarKind, TypeRequirement, fits, is_component};
use super::{address, vector};
use machine::ptx::{
    Access, Operand as Role, OperandKind as RoleKind, Predicate, Type, TypeClass, TypeSource,
};
use model::ptx::{Instruction, Space};
use syntax::ptx::{Operand, OperandKind, literal};

/// The value that an instruction expects as an operand.
#[derive(Clone, Copy)]
pub(super) struct ExpectedOperand<'a> {
    /// Name of the instruction in messages: `add.s32`.
    pub(super) instruction: &'a str,
    pub(super) access: Access,
    pub(super) word: &'a str,
    pub(super) ty: &'a Type,
    pub(super) wanted: TypeRequirement,
    pub(super) may_be_sink: bool,
    /// True if the operand is an element of a vector. A bit type then accepts constants of any kind.
    pub(super) is_element: bool,
    /// True if the operand may be a special register or an address.
    pub(super) is_of_mov: bool,
}

/// Checks an operand that is used as a value.
pub(super) fn value<'a>(
    out: &mut Findings<'a>,
    instruction: SpelledInstruction<'_, 'a>,
    operand: &Operand<'a>,
    role: &'a Role,
) {
    let RoleKind::Value { of, .. } = &role.kind else { return };
    if let Some((first, second)) = operand.pair() {
        one_value(out, instruction, &first, role);
        let Some(ty) = out.facts.context.tables.type_of("pred") else { return };
        let place = ExpectedOperand {
            instruction: instruction.spelling,
            access: Access::Write,
            word: "pred",
            ty,
            wanted: TypeRequirement { is_own: false, may_be_wider: false },
            may_be_sink: true,
            is_element: false,
            is_of_mov: false,
        };
        scalar(out, &second, &place);
    } else if *of == TypeSource::Part {
        parts(out, instruction, operand, role);
    } else {
        one_value(out, instruction, operand, role);
    }
}

fn one_value<'a>(
    out: &mut Findings<'a>,
    instruction: SpelledInstruction<'_, 'a>,
    operand: &Operand<'a>,
    role: &'a Role,
) {
    let facts = out.facts;
    let RoleKind::Value { of, may_be_wider, may_be_sink, predicate, .. } = &role.kind else { return };
    let Some(word) = instruction.type_of(role) else { return };
    let Some(ty) = facts.context.tables.type_of(word) else { return };
    let opcode = instruction.form.opcode();
    let mut place = ExpectedOperand {
        instruction: instruction.spelling,
        access: role.access,
        word,
        ty,
        wanted: TypeRequirement { is_own: matches!(of, TypeSource::Slot(_)), may_be_wider: *may_be_wider },
        may_be_sink: *may_be_sink || role.name.is_empty() || *predicate != Predicate::None,
        is_element: false,
        is_of_mov: matches!(opcode, "mov" | "cvt"),
    };
    let count = instruction.count_of(role);
    if operand.kind() == OperandKind::Vector {
        let elements: Vec<_> = operand.elements().collect();
        check_count(out, operand, elements.len(), count, &place);
        let Ok(together) = vector::together(out, operand, &elements, instruction.spelling) else {
            return;
        };
        // Elements of loaded vectors and of fragments may be discarded.
        place.may_be_sink = role.access == Access::Write;
        place.is_element = true;
        for element in elements {
            // A constant has the type of the registers in the vector.
            let is_typed = together.has_register && facts.given(&element).is_constant();
            if !is_typed || role.access != Access::Read {
                scalar(out, &element, &place);
            }
        }
        return;
    }
    if let ScalarKind::Register(register) = facts.given(operand)
        && register.vector > 1
    {
        match count {
            Some(count) if count == u32::from(register.vector) => {
                let is_fit = fits((register.word, register.ty), (word, ty), place.wanted);
                if !is_fit {
                    wrong_type(out, operand, register.word, &place);
                }
            }
            Some(1)
                if is_whole_of_move(&instruction, operand, &register, &place, |other| facts.given(other)) => {
            }
            Some(1) => {
                let message =
                    format!("`{}` is a vector, but {instruction} takes one value here", operand.text());
                out.error(Code::OperandKind, operand, message);
            }
            Some(count) => {
                let message = format!(
                    "`{}` has {} elements, but {instruction} takes {count} here",
                    operand.text(),
                    register.vector
                );
                out.error(Code::OperandKind, operand, message);
            }
            None => {}
        }
        return;
    }
    if let (ScalarKind::Special(special, false), Some(count)) = (facts.given(operand), count)
        && !special.components.is_empty()
    {
        if count != 4 {
            let component = special.components[0];
            let message =
                format!("`{0}` is a vector; use a component, for example `{0}.{component}`", special.name);
            out.error(Code::OperandKind, operand, message);
        }
        return;
    }
    if let Some(count) = count.filter(|count| *count > 1)
        && !matches!(facts.given(operand), ScalarKind::Unknown | ScalarKind::Sink)
    {
        let message = format!("{instruction} takes {count} values in braces here, not `{}`", operand.text());
        return out.error(Code::OperandKind, operand, message);
    }
    scalar(out, operand, &place);
}

fn check_count<'a>(
    out: &mut Findings<'_>,
    operand: &Operand<'a>,
    have: usize,
    count: Option<u32>,
    place: &ExpectedOperand<'a>,
) {
    if let Some(count) = count.filter(|count| *count as usize != have) {
        let values = if count == 1 { "value" } else { "values" };
        let message = format!("{have} values given, but {} takes {count} {values}", place.instruction);
        out.error(Code::OperandKind, operand, message);
    }
}

/// Checks a scalar operand against the type and access that the instruction expects. Reports a mismatch to
/// `out`.
pub(super) fn scalar<'a>(out: &mut Findings<'a>, operand: &Operand<'a>, place: &ExpectedOperand<'a>) {
    let given = out.facts.given(operand);
    let sign = operand.sign().filter(|_| operand.kind() == OperandKind::Name);
    if let Some(sign) = sign
        && !sign_fits(sign, &given, place)
    {
        let sign = sign as char;
        let message = match sign {
            '!' => format!("`!` negates a predicate; {} takes .{} here", place.instruction, place.word),
            _ => format!("{} does not take `{sign}` before a register", place.instruction),
        };
        return out.error(Code::OperandKind, operand, message);
    }
    if place.access != Access::Read {
        return destination(out, operand, &given, place);
    }
    let message = match given {
        ScalarKind::Register(register) => return check_register(out, operand, &register, place),
        ScalarKind::Special(special, _) => return check_special(out, operand, special, place),
        ScalarKind::Memory(space) => return address_value(out, operand, space, place),
        ScalarKind::Integer | ScalarKind::Single | ScalarKind::Double | ScalarKind::Decimal => {
            return constant(out, operand, given, place);
        }
        ScalarKind::Unknown => return,
        ScalarKind::Function if place.is_of_mov => return,
        ScalarKind::Sink if place.may_be_sink => return,
        ScalarKind::Function => format!("{} takes a value here, not a function", place.instruction),
        ScalarKind::Label => format!("{} takes a value here, not a label", place.instruction),
        ScalarKind::String => format!("{} does not take a string", place.instruction),
        ScalarKind::Sink => SINK_IS_READ.to_owned(),
    };
    out.error(Code::OperandKind, operand, message);
}

fn sign_fits(sign: u8, given: &ScalarKind<'_>, place: &ExpectedOperand<'_>) -> bool {
    match (sign, given) {
        (_, ScalarKind::Unknown) => true,
        (b'!', _) => place.ty.class == TypeClass::Predicate && place.access == Access::Read,
        (b'-', ScalarKind::Register(register)) => {
            // Only the video instructions negate a register operand.
            place.instruction.starts_with('v') && register.ty.is_integer()
                || place.instruction.starts_with("vmad")
        }
        (_, given) => given.is_constant(),
    }
}

fn destination<'a>(
    out: &mut Findings<'_>,
    operand: &Operand<'a>,
    given: &ScalarKind<'a>,
    place: &ExpectedOperand<'a>,
) {
    let message = match given {
        ScalarKind::Register(register) => return check_register(out, operand, register, place),
        ScalarKind::Unknown => return,
        ScalarKind::Sink if place.may_be_sink => return,
        ScalarKind::Sink => format!("`_` cannot be the result of {}", place.instruction),
        ScalarKind::Special(special, _) => {
            let message = format!("`{}` is read-only", special.name);
            // ptxas 13.5 accepts such a register as an element of a vector.
            out.add(Code::ReadOnlyWrite, !place.is_element, operand, message);
            return;
        }
        _ => format!("{} writes a register here, not `{}`", place.instruction, operand.text()),
    };
    out.error(Code::OperandKind, operand, message);
}

fn check_register<'a>(
    out: &mut Findings<'_>,
    operand: &Operand<'a>,
    register: &Register<'a>,
    place: &ExpectedOperand<'a>,
) {
    if register.vector > 1 {
        let message = format!("`{}` is a vector, but a single value is expected here", operand.text());
        return out.error(Code::OperandKind, operand, message);
    }
    if let Some(selector) = register.selector {
        let is_part = matches!(selector, "b0" | "b1" | "b2" | "b3" | "h0" | "h1");
        if !is_part || !place.instruction.starts_with('v') || place.instruction.starts_with("vote") {
            let message = format!("{} takes the whole register; remove `.{selector}`", place.instruction);
            return out.error(Code::OperandKind, operand, message);
        }
    }
    if !fits((register.word, register.ty), (place.word, place.ty), place.wanted) {
        wrong_type(out, operand, register.word, place);
    }
}

fn wrong_type<'a>(out: &mut Findings<'_>, operand: &Operand<'a>, have: &str, place: &ExpectedOperand<'a>) {
    let does = if place.access == Access::Read { "reads" } else { "writes" };
    let message = format!(
        "`{}` is .{have}, but {} {does} .{} here",
        bare(operand.text()),
        place.instruction,
        place.word
    );
    out.error(Code::OperandType, operand, message);
}

fn check_special<'a>(
    out: &mut Findings<'a>,
    operand: &Operand<'a>,
    special: &machine::ptx::SpecialRegister,
    place: &ExpectedOperand<'a>,
) {
    if let Some(selector) = operand.selectors().next()
        && (special.components.is_empty() || !is_component(selector))
    {
        let message = format!("`{}` has no component `.{selector}`", special.name);
        return out.error(Code::OperandKind, operand, message);
    }
    let Some(ty) = out.facts.context.tables.type_of(&special.ty) else { return };
    let fits = if place.is_element {
        // As a vector element, a special register counts as untyped bits of its width.
        let is_wide = ty.bits == place.ty.bits || place.wanted.may_be_wider && ty.bits > place.ty.bits;
        is_wide && place.ty.class != TypeClass::Predicate
    } else if place.is_of_mov {
        let is_narrow = ty.bits == 32 && place.ty.bits == 16
            || ty.bits == 64 && place.ty.bits == 32 && &*special.name == "%gridid";
        let is_taken = fits((&special.ty, ty), (place.word, place.ty), place.wanted)
            || place.ty.is_integer() && (is_narrow || place.instruction.starts_with("cvt"));
        is_taken && place.ty.class != TypeClass::Float
    } else {
        let message = format!(
            "{} cannot read a special register; move `{}` to a register first",
            place.instruction, special.name
        );
        return out.error(Code::OperandKind, operand, message);
    };
    if !fits {
        let message = format!(
            "`{}` is .{}, but {} reads .{} here",
            special.name, special.ty, place.instruction, place.word
        );
        out.error(Code::OperandType, operand, message);
    }
}

/// Checks the name of a variable that is used as a value.
fn address_value<'a>(
    out: &mut Findings<'a>,
    operand: &Operand<'a>,
    space: Space,
    place: &ExpectedOperand<'a>,
) {
    if !place.instruction.starts_with("mov") && !place.instruction.starts_with("cvta") {
        let name = bare(operand.text());
        let message = if space == Space::Param {
            format!(
                "{} reads a register here; load parameter `{name}` with `ld.param` first",
                place.instruction
            )
        } else {
            format!(
                "{} reads a register here; load `{name}` with `ld.{}`, or its address with `mov`, first",
                place.instruction,
                space.word()
            )
        };
        return out.error(Code::OperandKind, operand, message);
    }
    let takes_address = matches!(place.instruction.split('.').next(), Some("mov" | "cvta"));
    if space == Space::Param && takes_address && address::is_argument(out.facts, operand) {
        let message = format!("`{}` is a call argument and has no address", operand.text());
        out.error(Code::OperandKind, operand, message);
    } else if !place.ty.is_bits_or_integer() || place.ty.bits < 16 {
        out.error(Code::OperandType, operand, format!("an address cannot be .{}", place.word));
    }
}

fn constant<'a>(
    out: &mut Findings<'_>,
    operand: &Operand<'a>,
    given: ScalarKind<'a>,
    place: &ExpectedOperand<'a>,
) {
    let is_integer = matches!(given, ScalarKind::Integer);
    let fits = match place.ty.class {
        TypeClass::Unsigned | TypeClass::Signed | TypeClass::Predicate => is_integer,
        TypeClass::Bits => {
            is_integer
                || place.is_element
                || matches!(given, ScalarKind::Single) && place.ty.bits == 32
                || matches!(given, ScalarKind::Double | ScalarKind::Decimal) && place.ty.bits == 64
        }
        TypeClass::Float if place.ty.bits >= 32 && place.word != "f16x2" => !is_integer,
        TypeClass::Float | TypeClass::Packed | TypeClass::Opaque => false,
    };
    if fits {
        return;
    }
    let text = operand.text();
    let message = match place.ty.class {
        TypeClass::Float if place.ty.bits >= 32 && place.word != "f16x2" => {
            format!(
                "`{text}` is an integer, but {} reads .{} here; write `{text}.0`",
                place.instruction, place.word
            )
        }
        TypeClass::Float | TypeClass::Packed | TypeClass::Opaque => {
            format!(
                "{} does not take a constant here: there are no .{} constants",
                place.instruction, place.word
            )
        }
        _ if matches!(given, ScalarKind::Decimal) || is_integer => {
            format!(
                "`{text}` is a floating-point number, but {} reads .{} here",
                place.instruction, place.word
            )
        }
        _ => format!("`{text}` is not .{}, which {} reads here", place.word, place.instruction),
    };
    out.error(Code::OperandType, operand, message);
}

/// Checks an operand that must be a constant.
pub(super) fn immediate<'a>(
    out: &mut Findings<'a>,
    instruction: SpelledInstruction<'_, 'a>,
    operand: &Operand<'a>,
    role: &'a Role,
) {
    match out.facts.given(operand) {
        ScalarKind::Unknown => {}
        given if given.is_constant() => {
            let word = instruction.type_of(role);
            let is_float = word.is_some_and(|word| matches!(word, "f32" | "f64"));
            if is_float == matches!(given, ScalarKind::Integer) {
                let kind = if is_float { "a floating-point number" } else { "an integer" };
                let message = format!("{instruction} takes {kind} here, not `{}`", operand.text());
                out.error(Code::OperandType, operand, message);
            }
        }
        _ => {
            let message = format!("{instruction} takes a constant here, not `{}`", operand.text());
            out.error(Code::OperandKind, operand, message);
        }
    }
}

/// Checks a constant against the values allowed for the operand.
pub(super) fn limit<'a>(
    out: &mut Findings<'a>,
    instruction: SpelledInstruction<'_, 'a>,
    operand: &Operand<'a>,
    name: &str,
) {
    let (number, is_negative) = match operand.tokens() {
        [number] => (number, false),
        [minus, number] if minus.is(b'-') => (number, true),
        _ => return,
    };
    let Some(value) = literal::integer(out.facts.item.token_text(number)).map(i128::from) else { return };
    let value = if is_negative { -value } else { value };
    let tables = out.facts.context.tables;
    if let Some(values) =
        tables.limit(&instruction.words, instruction.form, name).filter(|all| !all.holds(value))
    {
        let message = format!("{instruction} takes {values} here, not {value}");
        out.error(Code::OperandValue, operand, message);
    }
}

/// Checks a vector `{a, b}`. Its elements together must be as wide as the other operand of the move.
fn parts<'a>(
    out: &mut Findings<'a>,
    instruction: SpelledInstruction<'_, 'a>,
    operand: &Operand<'a>,
    role: &'a Role,
) {
    let Some(word) = instruction.words.word("T") else { return };
    let Some(whole) = out.facts.context.tables.type_of(word) else { return };
    let elements: Vec<_> = operand.elements().collect();
    let count = elements.len() as u16;
    if !matches!(count, 2 | 4) || whole.bits / count < 8 {
        let message = format!(".{word} splits into 2 or 4 parts of at least 8 bits, not {count}");
        return out.error(Code::OperandKind, operand, message);
    }
    let bits = whole.bits / count;
    if vector::together(out, operand, &elements, instruction.spelling).is_err() {
        return;
    }
    for element in elements {
        part(out, instruction, &element, role, (word, count, bits));
    }
}

/// Checks one of the `count` elements of a packed type. Each element is `bits` wide.
fn part<'a>(
    out: &mut Findings<'a>,
    instruction: SpelledInstruction<'_, 'a>,
    element: &Operand<'a>,
    role: &'a Role,
    (word, count, bits): (&str, u16, u16),
) {
    let given = out.facts.given(element);
    let is_read = role.access == Access::Read;
    let other_width = |have: &str| {
        let text = element.text();
        format!("`{text}` is .{have}, but each of the {count} parts of .{word} has {bits} bits")
    };
    if element.kind() == OperandKind::Name && element.sign().is_some() && !given.is_constant() {
        let message = format!("{instruction} takes whole registers here, not `{}`", element.text());
        return out.error(Code::OperandKind, element, message);
    }
    match given {
        ScalarKind::Register(Register { selector: Some(selector), .. }) => {
            let message = format!("{instruction} takes the whole register; remove `.{selector}`");
            out.error(Code::OperandKind, element, message);
        }
        ScalarKind::Register(Register { word, ty, vector, .. }) => {
            if ty.bits != bits || ty.class == TypeClass::Predicate || vector > 1 {
                out.error(Code::OperandType, element, other_width(word));
            }
        }
        ScalarKind::Sink if is_read => out.error(Code::OperandKind, element, SINK_IS_READ),
        ScalarKind::Sink | ScalarKind::Unknown => {}
        given if given.is_constant() && is_read => {}
        ScalarKind::Special(special, is_named) if is_named || special.components.is_empty() => {
            if !is_read {
                let message = format!("`{}` is read-only", special.name);
                out.warning(Code::ReadOnlyWrite, element, message);
            } else if out.facts.context.tables.type_of(&special.ty).is_none_or(|ty| ty.bits != bits) {
                out.error(Code::OperandType, element, other_width(&special.ty));
            }
        }
        _ => {
            let message = format!("{instruction} takes registers here, not `{}`", element.text());
            out.error(Code::OperandKind, element, message);
        }
    }
}

/// Message for a `_` where a value is read.
pub(super) const SINK_IS_READ: &str = "`_` discards a result, but a value is read here";

/// Returns a name without its leading sign.
pub(super) fn bare(text: &str) -> &str {
    text.trim_start_matches(['-', '+', '!', '~'])
}

/// True if the vector register is the packed operand of a bitwise `mov`. Its elements together then have the
/// width of the type, and the other operand is not a vector.
///
/// ptxas 13.5 accepts `mov.b64` of a `.v2 .u32`, and `mov.b32` of a `.v2 .b16` or a `.v4 .u8`.
fn is_whole_of_move<'a>(
    instruction: &Instruction<'a, 'a>,
    operand: &Operand<'a>,
    register: &Register<'a>,
    place: &ExpectedOperand<'a>,
    given: impl Fn(&Operand<'a>) -> ScalarKind<'a>,
) -> bool {
    let is_vector = |other: &Operand<'a>| {
        other.kind() == OperandKind::Vector
            || matches!(given(other), ScalarKind::Register(register) if register.vector > 1)
    };
    let mut others = instruction.arguments.iter().map(|argument| argument.operand);
    instruction.form.opcode() == "mov"
        && operand.sign().is_none()
        && place.ty.class == TypeClass::Bits
        && u32::from(register.vector) * u32::from(register.ty.bits) == u32::from(place.ty.bits)
        && !others.any(|other| other.range() != operand.range() && is_vector(&other))
}
