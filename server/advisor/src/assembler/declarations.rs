//! Checks declarations: type, space, alignment, size and initial value.

use super::code::Code;
use super::findings::Findings;
use super::value::ScalarKind;
use machine::ptx::{Type, TypeClass};
use model::ptx::{Dimension, Space, Symbol, SymbolKind};
use rustc_hash::FxHashMap;
use syntax::ptx::{
    Declarator, FunctionKind, ItemKind, Operand, OperandKind, StatementKind, Variable, literal,
};

pub(super) fn check(out: &mut Findings<'_>) {
    let facts = out.facts;
    let is_module_scope = facts.item.kind() == ItemKind::Variable;
    let mut by_statement: FxHashMap<u32, Vec<&Symbol>> = FxHashMap::default();
    for symbol in facts.names.symbols() {
        by_statement.entry(symbol.statement).or_default().push(symbol);
    }
    for (index, statement) in facts.item.statements().iter().enumerate() {
        if statement.kind != StatementKind::Variable || facts.is_broken(statement) {
            continue;
        }
        let Some(variable) = facts.item.variable(statement) else { continue };
        variable_head(out, &variable, is_module_scope);
        let by_name: FxHashMap<u32, _> =
            variable.declarators().map(|declarator| (declarator.name.start, declarator)).collect();
        for symbol in by_statement.get(&(index as u32)).into_iter().flatten() {
            let token = facts.item.tokens().get(symbol.token as usize);
            let declarator = token.and_then(|token| by_name.get(&token.start));
            let initialiser = declarator.and_then(Declarator::initialiser);
            check_declarator(out, &variable, symbol, initialiser.as_ref());
        }
    }
    parameters(out);
}

/// Checks the space, linkage, attributes, type and alignment of a declaration.
fn variable_head<'a>(out: &mut Findings<'a>, variable: &Variable<'a>, is_module_scope: bool) {
    let Some(space) = variable.space() else { return };
    let word = out.facts.item.token_text(space);
    match (Space::from_word(word), is_module_scope) {
        (Some(Space::Reg | Space::Local | Space::Param), true) => {
            let message =
                format!("`{word}` variables can only be declared in a function, not at module scope");
            return out.error(Code::InvalidDeclaration, space, message);
        }
        (Some(Space::Tex), _) => {
            let message = "`.tex` is no longer accepted; declare `.global .texref`";
            return out.error(Code::InvalidDeclaration, space, message);
        }
        _ if word.contains('[') => {
            let message = "constant banks are no longer accepted; write `.const`";
            return out.error(Code::InvalidDeclaration, space, message);
        }
        _ => {}
    }
    if let Some(linkage) = variable.linkage() {
        let text = out.facts.item.token_text(linkage);
        if !is_module_scope {
            out.error(Code::InvalidDeclaration, linkage, format!("`{text}` is only allowed at module scope"));
        } else if text == ".common" && word != ".global" {
            out.error(Code::InvalidDeclaration, linkage, "a `.common` variable must be .global");
        }
    }
    for attribute in variable.attributes() {
        if attribute.text() == ".managed" && word != ".global" {
            let message = format!("managed memory must be .global, not {word}");
            out.error(Code::InvalidDeclaration, &attribute, message);
        }
    }
    type_and_alignment(out, variable, space_sort(word));
}

/// Checks the type, vector size and alignment of a declaration. `sort` is the kind of state space in which the
/// variable is declared, see [`Type::spaces`].
fn type_and_alignment<'a>(out: &mut Findings<'a>, variable: &Variable<'a>, sort: &str) {
    let facts = out.facts;
    let Some(token) = variable.ty() else { return };
    let word = facts.item.token_text(token).trim_start_matches('.');
    let Some(ty) = facts.context.tables.type_of(word) else {
        let known = facts.context.tables.types().filter(|(_, ty)| may_be(ty, sort)).map(|(name, _)| name);
        let near = machine::nearest_name(word, known).map(|near| format!(".{near}"));
        let message = format!("`.{word}` is not a type");
        return out.add(Code::InvalidDeclaration, true, token, message).suggest(near.as_deref());
    };
    if !may_be(ty, sort) {
        let message = misfit_type(word, ty, sort);
        return out.error(Code::InvalidDeclaration, token, message);
    }
    if let Some(vector) = variable.vector() {
        let text = facts.item.token_text(vector);
        let count: u16 = text.get(2..).and_then(|digits| digits.parse().ok()).unwrap_or(1);
        let is_basic = !matches!(ty.class, TypeClass::Predicate | TypeClass::Opaque) && ty.bits < 128;
        if sort == "param" || sort == "entry" {
            out.error(Code::InvalidDeclaration, vector, "a parameter cannot be a vector; declare an array");
        } else if count == 8 {
            out.error(Code::InvalidDeclaration, vector, "a variable can only be `.v2` or `.v4`");
        } else if !is_basic {
            out.error(Code::InvalidDeclaration, vector, format!("there are no vectors of .{word}"));
        } else if count * ty.bits > 128 {
            let bits = count * ty.bits;
            let message = format!("a vector has at most 128 bits; `{text}` of .{word} has {bits}");
            out.error(Code::InvalidDeclaration, vector, message);
        }
    }
    let aligns = [variable.align(), variable.pointer().and_then(|pointer| pointer.align)];
    for align in aligns.into_iter().flatten() {
        let text = facts.item.token_text(align);
        if literal::integer(text).is_some_and(|number| !number.is_power_of_two()) {
            let message = format!("an alignment must be a power of two, not {text}");
            out.error(Code::InvalidDeclaration, align, message);
        }
    }
}

fn check_declarator<'a>(
    out: &mut Findings<'a>,
    variable: &Variable<'a>,
    symbol: &Symbol,
    initialiser: Option<&Operand<'a>>,
) {
    let facts = out.facts;
    let Some(space) = symbol.space else { return };
    let name = symbol.name(facts.item);
    let range = facts.range_of(symbol.token);
    let is_extern = variable.linkage().is_some_and(|token| facts.item.token_text(token) == ".extern");
    if space == Space::Reg && !symbol.dimensions.is_empty() {
        let message = format!("registers cannot be arrays; `{name}<4>` declares four");
        return out.error(Code::InvalidDeclaration, range, message);
    }
    let has_no_size = symbol.dimensions.iter().any(|one| matches!(one, Dimension::Open | Dimension::Of(0)));
    if has_no_size && initialiser.is_none() && !is_extern && !(space == Space::Param) {
        let message = format!("`{name}` has no size; only an `.extern` array may omit it");
        out.error(Code::InvalidDeclaration, range.clone(), message);
    }
    if let Some(initialiser) = initialiser {
        if is_extern {
            let message = format!("`{name}` is defined elsewhere and cannot be initialised here");
            out.error(Code::InvalidInitialiser, initialiser, message);
        } else if !matches!(space, Space::Global | Space::Const) {
            let message = format!("a variable in .{} cannot be initialised", space.word());
            out.error(Code::InvalidInitialiser, initialiser, message);
        } else {
            check_initialiser(out, symbol, initialiser);
        }
    }
}

fn check_initialiser<'a>(out: &mut Findings<'a>, symbol: &Symbol, value: &Operand<'a>) {
    let Some(word) = symbol.type_word(out.facts.item) else { return };
    let Some(ty) = out.facts.context.tables.type_of(word) else { return };
    if ty.class == TypeClass::Opaque {
        return;
    }
    if !ty.may_be("value") {
        let message = format!("a .{word} variable cannot be initialised; declare it as .b{}", ty.bits);
        return out.error(Code::InvalidInitialiser, value, message);
    }
    let mut sizes: Vec<Dimension> = symbol.dimensions.to_vec();
    if symbol.vector > 1 {
        sizes.push(Dimension::Of(u64::from(symbol.vector)));
    }
    check_elements(out, &sizes, value, (word, ty));
}

/// Checks the initialiser of an array with these dimensions.
fn check_elements<'a>(out: &mut Findings<'a>, sizes: &[Dimension], value: &Operand<'a>, ty: (&str, &Type)) {
    let Some((size, inner)) = sizes.split_first() else { return element_value(out, value, ty) };
    if value.kind() != OperandKind::Vector {
        let message = "initialise an array with values in braces";
        return out.error(Code::InvalidInitialiser, value, message);
    }
    let elements: Vec<Operand<'a>> = value.elements().collect();
    // ptxas 13.5 accepts any number of values for an array of size zero.
    if let Dimension::Of(size) = size
        && *size > 0
        && (elements.len() as u64) > *size
    {
        let message = format!("{} values for {size} elements", elements.len());
        return out.error(Code::InvalidInitialiser, value, message);
    }
    for element in &elements {
        check_elements(out, inner, element, ty);
    }
}

fn element_value<'a>(out: &mut Findings<'a>, value: &Operand<'a>, (word, ty): (&str, &Type)) {
    if value.kind() == OperandKind::Vector {
        let message = "expected one value; braces are for arrays and vectors";
        return out.error(Code::InvalidInitialiser, value, message);
    }
    let given = out.facts.given(value);
    let is_float = matches!(given, ScalarKind::Single | ScalarKind::Double | ScalarKind::Decimal);
    match (ty.class, given) {
        (TypeClass::Unsigned | TypeClass::Signed, _) if is_float => {
            let message =
                format!("`{}` is a floating-point number, but the variable is .{word}", value.text());
            out.error(Code::InvalidInitialiser, value, message);
        }
        (TypeClass::Float, ScalarKind::Integer) => {
            let message =
                format!("`{0}` is an integer, but the variable is .{word}; write `{0}.0`", value.text());
            out.error(Code::InvalidInitialiser, value, message);
        }
        (TypeClass::Float, ScalarKind::Memory(_) | ScalarKind::Function) => {
            out.error(Code::InvalidInitialiser, value, format!("an address cannot be .{word}"));
        }
        (
            _,
            ScalarKind::Memory(Space::Shared | Space::Local | Space::Param)
            | ScalarKind::Register(_)
            | ScalarKind::Special(..),
        ) => {
            let message = format!("`{}` is not a compile-time constant", value.text());
            out.error(Code::InvalidInitialiser, value, message);
        }
        _ => {}
    }
}

/// Checks the parameters and results of the item's function.
fn parameters(out: &mut Findings<'_>) {
    let facts = out.facts;
    let Some(function) = facts.item.function().copied() else { return };
    let is_entry = function.kind == FunctionKind::Entry;
    if let (Some(linkage), Some(_)) = (function.linkage, function.body)
        && facts.text(linkage) == ".extern"
    {
        let message = "an `.extern` function is defined in another module and cannot have a body here";
        out.error(Code::InvalidDeclaration, facts.range_of(linkage), message);
    }
    if !facts.item.errors().is_empty() {
        let head = facts.item.statements().first().map(|statement| facts.item.range(statement));
        if head.is_some_and(|head| facts.item.errors().iter().any(|error| error.range.start <= head.end)) {
            return;
        }
    }
    if is_entry && function.returns.start < function.returns.end {
        let range =
            facts.range_of(function.returns.start).start..facts.range_of(function.returns.end - 1).end;
        out.error(Code::InvalidDeclaration, range, "a kernel cannot return a value");
    }
    let lists = [(function.returns, SymbolKind::Result), (function.parameters, SymbolKind::Parameter)];
    for (range, kind) in lists {
        let all: Vec<Variable<'_>> = facts.item.parameters(range).collect();
        for (at, variable) in all.iter().enumerate() {
            parameter(out, variable, is_entry, kind, at + 1 == all.len());
        }
        let in_memory =
            all.iter().filter(|one| one.space().is_some_and(|space| facts.item.token_text(space) != ".reg"));
        if kind == SymbolKind::Result && all.len() > 1 && in_memory.count() > 0 {
            let range = facts.range_of(range.start).start..facts.range_of(range.end - 1).end;
            let message = "a function can return only one .param; several results must be .reg";
            out.error(Code::InvalidDeclaration, range, message);
        }
    }
}

fn parameter<'a>(
    out: &mut Findings<'a>,
    variable: &Variable<'a>,
    is_entry: bool,
    kind: SymbolKind,
    is_last: bool,
) {
    let Some(space) = variable.space() else { return };
    let word = out.facts.item.token_text(space);
    let sort = match (Space::from_word(word), is_entry) {
        (Some(Space::Param), true) => "entry",
        (Some(Space::Param), false) => "param",
        (Some(Space::Reg), false) => "reg",
        (_, true) => {
            let message = format!("a kernel parameter must be .param, not {word}");
            return out.error(Code::InvalidDeclaration, space, message);
        }
        (_, false) => {
            let message = format!("a function parameter must be .param or .reg, not {word}");
            return out.error(Code::InvalidDeclaration, space, message);
        }
    };
    if let (Some(pointer), false) = (variable.pointer(), is_entry) {
        let at = pointer.space.or(pointer.align).unwrap_or(space);
        out.error(Code::InvalidDeclaration, at, "`.ptr` is only for kernel parameters");
    }
    type_and_alignment(out, variable, sort);
    for one in variable.declarators() {
        let name = out.facts.item.token_text(one.name);
        let is_open = one.dimensions().any(|size| size.is_none());
        if sort == "reg" && one.dimensions().next().is_some() {
            let message = format!("`{name}` is a register and cannot be an array");
            out.error(Code::InvalidDeclaration, one.name, message);
        } else if is_open && (is_entry || !is_last || kind == SymbolKind::Result) {
            let message = format!("`{name}` has no size; only the last parameter of a function may omit it");
            out.error(Code::InvalidDeclaration, one.name, message);
        }
    }
}

/// Returns the kind of a state space, which determines the types that may be declared in it. See [`Type::spaces`].
fn space_sort(word: &str) -> &'static str {
    match Space::from_word(word) {
        Some(Space::Reg) => "reg",
        Some(Space::Param) => "param",
        Some(Space::Global) => "global",
        _ => "memory",
    }
}

/// True if a type may be declared in state spaces of the kind `sort`. Kernel parameters may also have the types of
/// other parameters, and global variables may also have the types of variables in other memory.
fn may_be(ty: &Type, sort: &str) -> bool {
    let also = match sort {
        "entry" => "param",
        "global" => "memory",
        other => other,
    };
    ty.may_be(sort) || ty.may_be(also)
}

fn misfit_type(word: &str, ty: &Type, sort: &str) -> String {
    let wide = match ty.bits {
        0..=8 => 8,
        bits => bits,
    };
    match ty.class {
        TypeClass::Predicate => "a predicate must be a register; store it in memory as an integer".to_owned(),
        TypeClass::Packed => format!("`.{word}` is an instruction type only; declare .b{wide}"),
        TypeClass::Opaque => {
            format!("a .{word} must be .global at module scope or a kernel parameter")
        }
        _ if sort == "param" || sort == "entry" => format!("a parameter cannot be .{word}; declare .b{wide}"),
        _ => format!("nothing can be declared as .{word} here"),
    }
}
