//! Addresses in brackets: base, offset and state space, and coordinates of tensors and textures.

use super::code::Code;
use super::facts::Facts;
use super::findings::Findings;
use super::operands::{SINK_IS_READ, bare};
use super::spelled_instruction::SpelledInstruction;
use super::value::ScalarKind;
use super::vector;
use model::ptx::{Instruction, Meaning, Space, SymbolKind, index_of};
use syntax::ptx::{FunctionKind, Operand, OperandKind, Token, TokenKind};

/// Checks an address operand. `at` is the operand's index among the instruction's addresses.
pub(super) fn address<'a>(
    out: &mut Findings<'a>,
    instruction: SpelledInstruction<'_, 'a>,
    operand: &Operand<'a>,
    parts: &[Box<str>],
    at: usize,
) {
    let opcode = instruction.form.opcode();
    let is_texture = matches!(opcode, "tex" | "tld4" | "txq" | "suld" | "sust" | "sured" | "suq");
    if operand.kind() == OperandKind::Element {
        element(out, instruction, operand, at);
        return;
    }
    let elements: Vec<Operand<'a>> = operand.elements().collect();
    let least = parts.iter().filter(|part| !part.ends_with('?')).count();
    if elements.len() < least || elements.len() > parts.len() {
        let names: Vec<&str> = parts.iter().map(|part| part.trim_end_matches('?')).collect();
        let message = format!("{instruction} takes [{}] here, not `{}`", names.join(", "), operand.text());
        return out.error(Code::OperandKind, operand, message);
    }
    if let Some(nested) = elements.iter().find(|one| one.kind() == OperandKind::Address) {
        let message = format!("an address has one pair of brackets, not two: `{}`", nested.text());
        return out.error(Code::OperandKind, operand, message);
    }
    let Some(first) = elements.first() else { return };
    if is_texture {
        handle(out, first, opcode, instruction.spelling);
    } else {
        base(out, instruction, first, parts.first().map_or("", |part| part), at);
    }
    if let (Some(coordinates), Some("coords")) = (elements.last(), parts.last().map(|part| &**part))
        && elements.len() > 1
    {
        check_coordinates(out, instruction, coordinates, is_texture);
    }
}

/// Checks the base register or variable of an address, and its offset.
fn base<'a>(
    out: &mut Findings<'a>,
    instruction: SpelledInstruction<'_, 'a>,
    operand: &Operand<'a>,
    part: &str,
    at: usize,
) {
    let facts = out.facts;
    let (base, offset) = operand.base_and_offset();
    if let Some(offset) = offset {
        let starts_with_sign = offset.tokens().first().is_some_and(|token| token.is(b'-'));
        let is_number = offset.tokens().iter().all(|token| {
            token.kind != TokenKind::Float
                && (token.kind != TokenKind::Name || facts.item.token_text(token) == "WARP_SZ")
        });
        if !is_number {
            let message =
                format!("the offset of an address must be an integer constant, not `{}`", offset.text());
            return out.error(Code::OperandKind, &offset, message);
        }
        let follows_plus = text_before(facts, &offset) == Some("+");
        if starts_with_sign && !follows_plus && base.kind() == OperandKind::Name {
            let text = offset.text().trim_start_matches('-');
            let message = format!("an offset can only be added: write `{}+-{}`", base.text(), text.trim());
            return out.error(Code::OperandKind, operand, message);
        }
    }
    let begins = base.tokens().iter().take_while(|token| token.kind != TokenKind::Name).count();
    let has_name = begins < base.tokens().len() && base.name().is_none_or(|name| !is_word(facts, name));
    if has_name && (begins > 0 || base.kind() != OperandKind::Name) {
        let message = format!("an address starts with a register or a variable, not `{}`", base.text());
        return out.error(Code::OperandKind, operand, message);
    }
    let spaces = spaces(&instruction, part, at);
    match facts.given(&base) {
        ScalarKind::Register(register) => {
            let text = bare(base.text());
            let is_fit = register.ty.is_bits_or_integer() && register.ty.bits <= 64;
            if instruction.words.has("param::func") && is_kernel(facts) {
                let message = format!(
                    "{instruction} takes a call parameter here; in a kernel, register `{text}` cannot hold the address of a call parameter"
                );
                out.error(Code::WrongSpace, &base, message);
            } else if base.sign().is_some() || register.selector.is_some() {
                let message = format!("an address starts with a register, not `{}`", base.text());
                out.error(Code::OperandKind, &base, message);
            } else if !is_fit {
                let message = format!("`{text}` is .{}, which cannot hold an address", register.word);
                out.error(Code::OperandType, &base, message);
            } else if register.ty.bits == 32 && wants_wide(facts, &instruction, spaces) {
                let message = format!("`{text}` has 32 bits, but {instruction} takes a 64-bit address here");
                out.error(Code::OperandType, &base, message);
            } else if register.ty.bits == 64 && spaces == Spaces::Tensor {
                let message = format!("`{text}` has 64 bits, but tensor memory addresses have 32");
                out.error(Code::OperandType, &base, message);
            }
        }
        ScalarKind::Memory(space) => variable(out, &base, space, spaces, instruction.spelling),
        ScalarKind::Special(special, false) if special.components.is_empty() => {
            let bits = facts.context.tables.type_of(&special.ty).map_or(0, |ty| ty.bits);
            let is_too_narrow = bits == 32 && wants_wide(facts, &instruction, spaces);
            if is_too_narrow || spaces == Spaces::Tensor {
                let message = format!("`{}` has {bits} bits and cannot be an address here", special.name);
                out.error(Code::OperandType, operand, message);
            }
        }
        ScalarKind::Integer => {
            if spaces != Spaces::One(Space::Local) {
                let message = format!(
                    "{instruction} takes a register or a variable here; only local memory can be addressed by \
                     a constant"
                );
                out.error(Code::OperandKind, operand, message);
            }
        }
        ScalarKind::Unknown => {}
        _ => {
            out.error(Code::OperandKind, &base, format!("`{}` is not in memory", base.text()));
        }
    }
}

/// True if addresses in these state spaces are 64 bits wide.
fn wants_wide<'a>(facts: Facts<'a>, instruction: &Instruction<'a, 'a>, spaces: Spaces) -> bool {
    facts.context.module.address_bits == Some(64)
        && spaces.is_wide()
        && matches!(instruction.form.opcode(), "ld" | "ldu" | "st" | "atom" | "red")
}

/// Checks an array element: `name[2]`.
fn element<'a>(
    out: &mut Findings<'a>,
    instruction: SpelledInstruction<'_, 'a>,
    operand: &Operand<'a>,
    at: usize,
) {
    let Some(name) = operand.name() else { return };
    let spaces = spaces(&instruction, "a", at);
    match out.facts.named(name, None, 0) {
        ScalarKind::Memory(space) => variable(out, operand, space, spaces, instruction.spelling),
        ScalarKind::Unknown => {}
        _ => {
            let message = format!("`{}` is not an array", out.facts.item.token_text(name));
            out.error(Code::OperandKind, operand, message);
        }
    }
}

/// Checks that a variable is in a state space that the instruction can access.
fn variable<'a>(out: &mut Findings<'a>, base: &Operand<'a>, space: Space, spaces: Spaces, spelled: &'a str) {
    let facts = out.facts;
    let text = base.text();
    let fits = match spaces {
        Spaces::Any => true,
        Spaces::Generic => space != Space::Param,
        Spaces::One(wanted) => wanted == space,
        Spaces::Tensor => false,
    };
    if !fits {
        let message = match spaces {
            Spaces::Generic => {
                format!("`{text}` is in .{}; {spelled} must name this state space: add `.{0}`", space.word())
            }
            Spaces::One(wanted) => {
                format!("`{text}` is in .{}, but {spelled} accesses .{}", space.word(), wanted.word())
            }
            _ => format!("`{text}` is in .{}, not in tensor memory", space.word()),
        };
        return out.error(Code::WrongSpace, base, message);
    }
    let is_of_kernel = is_parameter(facts, base) && is_kernel(facts);
    let wrong_side = match spelled.split('.').find(|word| word.starts_with("param::")) {
        Some("param::func") if is_of_kernel => Some("a kernel parameter, not a function parameter"),
        Some("param::entry") if !is_of_kernel => Some("not a kernel parameter"),
        _ => None,
    };
    if let Some(what) = wrong_side {
        return out.error(Code::WrongSpace, base, format!("`{text}` is {what}, which contradicts {spelled}"));
    }
    let writes = matches!(spelled.split('.').next(), Some("st" | "red" | "atom"));
    if writes && space == Space::Param && is_parameter(facts, base) {
        out.error(Code::ReadOnlyWrite, base, format!("`{text}` is a parameter, which is read-only"));
    } else if writes && space == Space::Const {
        out.error(Code::ReadOnlyWrite, base, format!("`{text}` is in .const, which is read-only"));
    }
}

/// True if a name is a keyword of PTX, such as `WARP_SZ`.
fn is_word(facts: Facts<'_>, name: &Token) -> bool {
    facts.meaning(name) == Some(Meaning::Word)
}

fn symbol_kind<'a>(facts: Facts<'a>, base: &Operand<'a>) -> Option<SymbolKind> {
    let name = base.tokens().iter().find(|token| token.kind == TokenKind::Name)?;
    facts.symbol(name).map(|symbol| symbol.kind)
}

fn is_kernel(facts: Facts<'_>) -> bool {
    facts.item.function().is_some_and(|function| function.kind == FunctionKind::Entry)
}

fn is_parameter<'a>(facts: Facts<'a>, base: &Operand<'a>) -> bool {
    symbol_kind(facts, base) == Some(SymbolKind::Parameter)
}

/// True for a `.param` variable of the body: an argument or result of a call.
pub(super) fn is_argument<'a>(facts: Facts<'a>, base: &Operand<'a>) -> bool {
    symbol_kind(facts, base) == Some(SymbolKind::Variable)
}

fn text_before<'a>(facts: Facts<'a>, operand: &Operand<'a>) -> Option<&'a str> {
    let first = operand.tokens().first()?;
    let before = index_of(facts.item, first).checked_sub(1)?;
    Some(facts.text(before))
}

/// State spaces that the address operand may refer to.
fn spaces(instruction: &Instruction<'_, '_>, part: &str, at: usize) -> Spaces {
    let name = &*instruction.form.name;
    if name.starts_with("tcgen05") {
        let is_other =
            name.starts_with("tcgen05.commit") || name.starts_with("tcgen05.alloc") || part == "lut";
        return if is_other { Spaces::Any } else { Spaces::Tensor };
    }
    if matches!(part, "mbar" | "map" | "le")
        || name.starts_with("fabric")
        || name.starts_with("clusterlaunch")
    {
        return Spaces::Any;
    }
    let words = instruction.words.slots().iter().flatten();
    let mut spaces = words.filter_map(|word| Space::from_word(word));
    match (spaces.nth(at), instruction.form.opcode()) {
        (Some(space), _) => Spaces::One(space),
        (None, "ld" | "st" | "atom" | "red" | "prefetchu" | "prefetch" | "ldu") => Spaces::Generic,
        (None, _) => Spaces::Any,
    }
}

/// Checks the texture or surface of an access.
fn handle<'a>(out: &mut Findings<'a>, operand: &Operand<'a>, opcode: &str, spelled: &'a str) {
    let wanted = if matches!(opcode, "tex" | "tld4" | "txq") { "texref" } else { "surfref" };
    let Some(name) = operand.name() else { return };
    match out.facts.given(operand) {
        ScalarKind::Unknown => {}
        ScalarKind::Register(register) => {
            if register.ty.bits != 64 || !register.ty.is_bits_or_integer() {
                let message = format!(
                    "`{}` is .{}, but {spelled} takes a .{wanted} or a 64-bit register",
                    operand.text(),
                    register.word
                );
                out.error(Code::OperandType, operand, message);
            }
        }
        ScalarKind::Memory(_) => {
            let have = out.facts.declared_type(name).unwrap_or_default();
            // A parameter may hold a handle.
            let is_handle = matches!(have, "texref" | "surfref" | "samplerref");
            if is_handle && have != wanted || !is_handle && !matches!(have, "u64" | "b64" | "s64") {
                let message = format!("`{}` is .{have}, but {spelled} takes a .{wanted}", operand.text());
                out.error(Code::OperandType, operand, message);
            }
        }
        _ => {
            let message = format!("{spelled} takes a .{wanted} here, not `{}`", operand.text());
            out.error(Code::OperandKind, operand, message);
        }
    }
}

fn check_coordinates<'a>(
    out: &mut Findings<'a>,
    instruction: SpelledInstruction<'_, 'a>,
    operand: &Operand<'a>,
    is_texture: bool,
) {
    let words: Vec<&str> = instruction.words.slots().iter().flatten().copied().collect();
    let mut sized = words.iter().filter_map(|word| Some((*word, geometry_size(word, is_texture)?)));
    let Some((geometry, size)) = sized.next() else { return };
    let is_gather = words.iter().any(|word| matches!(*word, "tile::gather4" | "tile::scatter4"));
    let count = if is_gather { 5 } else { size };
    if operand.kind() != OperandKind::Vector {
        if !is_texture
            || count > 1
                && matches!(out.facts.given(operand), ScalarKind::Register(register) if register.vector == 1)
        {
            let message =
                format!("{instruction} takes {count} coordinates in braces here, not `{}`", operand.text());
            out.error(Code::OperandKind, operand, message);
        }
        return;
    }
    let elements: Vec<Operand<'a>> = operand.elements().collect();
    if vector::together(out, operand, &elements, instruction.spelling).is_err() {
        return;
    }
    if let Some(sink) = elements.iter().find(|element| element.kind() == OperandKind::Sink) {
        return out.error(Code::OperandKind, sink, SINK_IS_READ);
    }
    if elements.len() != count {
        let message = format!("{} coordinates given, but `.{geometry}` takes {count}", elements.len());
        return out.error(Code::OperandKind, operand, message);
    }
    let coordinate = if is_texture { instruction.words.word("S") } else { None };
    for (at, element) in elements.iter().enumerate() {
        let ScalarKind::Register(register) = out.facts.given(element) else { continue };
        let is_index = geometry.starts_with('a') && at == 0;
        let is_integer = register.ty.is_bits_or_integer();
        let may_be_float = coordinate == Some("f32") && !is_index;
        let fits = register.ty.bits == 32 && (is_integer || may_be_float && register.word == "f32");
        if !fits {
            let wants = if may_be_float { ".f32" } else { "a 32-bit integer" };
            let message =
                format!("`{}` is .{}, but this coordinate must be {wants}", element.text(), register.word);
            out.error(Code::OperandType, element, message);
        }
    }
}

/// Checks the label of a branch.
pub(super) fn target<'a>(out: &mut Findings<'a>, operand: &Operand<'a>, spelled: &'a str) {
    let Some(name) = operand.name() else { return };
    if !is_label(out.facts, name, SymbolKind::Label) {
        let message = format!("{spelled} takes a label, which `{}` is not", operand.text());
        out.error(Code::OperandKind, operand, message);
    }
}

/// Checks the target list of an indexed branch or an indirect call.
pub(super) fn targets<'a>(out: &mut Findings<'a>, operand: &Operand<'a>, opcode: &str, spelled: &'a str) {
    let Some(name) = operand.name() else { return };
    let is_prototype = opcode == "call" && is_label(out.facts, name, SymbolKind::Prototype);
    if !is_prototype && !is_label(out.facts, name, SymbolKind::Targets) {
        let list = if opcode == "call" { ".callprototype or .calltargets" } else { ".branchtargets" };
        let message = format!("{spelled} takes the name of a {list} here, not `{}`", operand.text());
        out.error(Code::OperandKind, operand, message);
    }
}

/// True unless the name is known to denote a symbol of another kind.
fn is_label(facts: Facts<'_>, name: &Token, kind: SymbolKind) -> bool {
    match facts.meaning(name) {
        Some(Meaning::Symbol(symbol, _)) => facts.names.symbols()[symbol as usize].kind == kind,
        // An undeclared name was already reported.
        Some(Meaning::Outer) => facts.context.globals.find(facts.item.token_text(name)).is_none(),
        Some(Meaning::SpecialRegister | Meaning::Word) => false,
        None => true,
    }
}

/// State spaces that an address may refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spaces {
    One(Space),
    /// A generic address, which refers to global, shared, local or constant memory.
    Generic,
    Tensor,
    /// An unknown state space.
    Any,
}

impl Spaces {
    /// True if addresses are as wide as pointers.
    const fn is_wide(self) -> bool {
        matches!(self, Self::One(Space::Global) | Self::Generic)
    }
}

/// Returns the number of coordinates that a geometry requires; `None` for an unknown geometry.
fn geometry_size(word: &str, is_texture: bool) -> Option<usize> {
    Some(match (word, is_texture) {
        ("1d", _) => 1,
        ("2d" | "a1d", _) => 2,
        ("3d", false) => 3,
        ("5d", false) => 5,
        ("4d", false) | ("3d" | "a2d" | "cube" | "acube" | "2dms" | "a2dms", true) => 4,
        _ => return None,
    })
}
