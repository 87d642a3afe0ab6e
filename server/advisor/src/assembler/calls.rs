//! Checks the arguments and results of calls against the declaration of the function or prototype.

use super::code::Code;
use super::facts::Facts;
use super::findings::Findings;
use super::value::{ScalarKind, TypeRequirement, fits};
use machine::ptx::OperandKind as RoleKind;
use model::ptx::{Instruction, Parameter, Signature, Space, Symbol, SymbolKind};
use syntax::ptx::{Operand, OperandKind, StatementKind, Token, TokenRange};

pub(super) fn call<'a>(out: &mut Findings<'a>, instruction: &Instruction<'a, 'a>) {
    let find = |wanted: &str| {
        let of = |kind: &RoleKind| match kind {
            RoleKind::Function => "function",
            RoleKind::Targets => "targets",
            _ => "list",
        };
        instruction.arguments.iter().find(|argument| {
            argument.role.is_some_and(|role| of(&role.kind) == wanted || *role.name == *wanted)
        })
    };
    let Some(function) = find("function").map(|argument| argument.operand) else { return };
    let list = find("targets").map(|argument| argument.operand);
    let Some(signature) = called(out, &function, list) else { return };
    let results = find("results").map(|argument| argument.operand);
    let arguments = find("arguments").map(|argument| argument.operand);
    call_list(out, &function, results.as_ref(), &signature.results, "result");
    call_list(out, &function, arguments.as_ref(), &signature.parameters, "argument");
}

/// Returns the signature of the called function. `None` if the signature is unknown, or if an error was
/// reported.
fn called<'a>(
    out: &mut Findings<'a>,
    function: &Operand<'a>,
    list: Option<Operand<'a>>,
) -> Option<Signature> {
    let facts = out.facts;
    let name = function.name()?;
    let text = facts.item.token_text(name);
    match facts.named(name, None, 0) {
        ScalarKind::Register(register) => {
            let Some(list) = list else {
                let message = "an indirect call needs a .callprototype or .calltargets after its arguments";
                out.error(Code::CallMismatch, function, message);
                return None;
            };
            if !matches!(register.ty.bits, 32 | 64) || register.word.starts_with('f') {
                let message = format!("`{text}` is .{}, but a function address has 64 bits", register.word);
                out.error(Code::OperandType, function, message);
            }
            return prototype(facts, &list);
        }
        ScalarKind::Function if list.is_some() => {
            let message = format!("`{text}` is a function, so no prototype is needed");
            out.error(Code::CallMismatch, function, message);
        }
        ScalarKind::Function => {
            let signature = signature(facts, name)?;
            if !signature.is_entry {
                return Some(signature);
            }
            let message = format!("`{text}` is a kernel; only a .func can be called");
            out.error(Code::CallMismatch, function, message);
        }
        ScalarKind::Unknown => {}
        _ => out.error(Code::OperandKind, function, format!("`{text}` is not a function")),
    }
    None
}

fn signature(facts: Facts<'_>, name: &Token) -> Option<Signature> {
    // The item's own name is among the globals too.
    facts.context.globals.find(facts.item.token_text(name))?.function.clone()
}

/// Returns the signature of a `.callprototype`. `None` for a list of targets.
fn prototype<'a>(facts: Facts<'a>, list: &Operand<'a>) -> Option<Signature> {
    let symbol = facts.symbol(list.name()?)?;
    if symbol.kind != SymbolKind::Prototype {
        return None;
    }
    let statement = facts.item.statements().get(symbol.statement as usize + 1)?;
    let StatementKind::Directive = statement.kind else { return None };
    let tokens = statement.tokens.start + 1..statement.tokens.end;
    let mut lists = parenthesised(facts, tokens).into_iter();
    let first = lists.next();
    let is_result = first.is_some_and(|(_, is_first)| is_first);
    let (results, parameters) = if is_result { (first, lists.next()) } else { (None, first) };
    let declared = |range: Option<(TokenRange, bool)>| -> Box<[Parameter]> {
        range
            .into_iter()
            .flat_map(|(range, _)| facts.item.parameters(range))
            .flat_map(|one| Symbol::all_of(facts.item, one, SymbolKind::Parameter, 0).collect::<Vec<_>>())
            .map(|symbol| Parameter::from_symbol(&symbol, facts.item))
            .collect()
    };
    Some(Signature {
        is_entry: false,
        results: declared(results),
        parameters: declared(parameters),
        is_noreturn: false,
    })
}

/// Returns the tokens inside each outermost pair of parentheses. The flag is true if only other pairs of parentheses
/// precede the pair.
fn parenthesised(facts: Facts<'_>, tokens: std::ops::Range<u32>) -> Vec<(TokenRange, bool)> {
    let mut found = Vec::new();
    let mut depth = 0_u32;
    let mut start = 0;
    let mut is_first = true;
    for at in tokens {
        let Some(token) = facts.item.tokens().get(at as usize) else { break };
        if token.is(b'(') {
            depth += 1;
            if depth == 1 {
                start = at + 1;
            }
        } else if token.is(b')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                found.push((TokenRange { start, end: at }, is_first));
            }
        } else if depth == 0 {
            is_first = false;
        }
    }
    found
}

/// Checks the arguments (or results) of a call against the declared parameters: their number, then each type.
/// `what` is the noun in messages: `argument` or `result`.
fn call_list<'a>(
    out: &mut Findings<'a>,
    function: &Operand<'a>,
    list: Option<&Operand<'a>>,
    declared: &[Parameter],
    what: &str,
) {
    let given: Vec<Operand<'a>> = list
        .map(|list| list.elements().filter(|one| one.kind() != OperandKind::Missing).collect())
        .unwrap_or_default();
    let range = list.unwrap_or(function).range().unwrap_or_default();
    let is_open = declared.last().is_some_and(|last| last.elements == Some(None));
    if given.len() != declared.len() && !(is_open && given.len() + 1 == declared.len()) {
        let number = match declared.len() {
            0 => "no".to_owned(),
            number => number.to_string(),
        };
        let plural = if declared.len() == 1 { "" } else { "s" };
        let has = if what == "result" { "has" } else { "takes" };
        let message = format!("`{}` {has} {number} {what}{plural}, not {}", function.text(), given.len());
        return out.error(Code::CallMismatch, range, message);
    }
    for (operand, parameter) in given.iter().zip(declared) {
        argument(out, operand, parameter, what);
    }
}

fn argument<'a>(out: &mut Findings<'a>, operand: &Operand<'a>, parameter: &Parameter, what: &str) {
    let facts = out.facts;
    let tables = facts.context.tables;
    let Some(ty) = tables.type_of(&parameter.ty) else { return };
    let text = operand.text();
    let wanted = TypeRequirement { is_own: true, may_be_wider: false };
    match facts.given(operand) {
        ScalarKind::Register(register) => {
            if parameter.elements.is_some() {
                wrong_argument(out, operand, parameter, what, &format!("a .{} register", register.word));
            } else if !fits((register.word, register.ty), (&parameter.ty, ty), wanted)
                && !fits((&parameter.ty, ty), (register.word, register.ty), wanted)
            {
                wrong_argument(out, operand, parameter, what, &format!(".{}", register.word));
            }
        }
        ScalarKind::Memory(Space::Param) => {
            let Some(symbol) = operand.name().and_then(|name| facts.symbol(name)) else { return };
            if symbol.kind != SymbolKind::Variable {
                let message = format!(
                    "`{text}` is a parameter of this function; an argument must be a .param declared in the body"
                );
                return out.error(Code::CallMismatch, operand, message);
            }
            let have = Parameter::from_symbol(symbol, facts.item);
            let Some(have_ty) = tables.type_of(&have.ty) else { return };
            let size = |elements: Option<Option<u64>>, bits: u16| match elements {
                None => Some(u64::from(bits)),
                Some(elements) => elements.map(|number| number * u64::from(bits)),
            };
            let is_same = if have.elements.is_some() || parameter.elements.is_some() {
                let sizes = (size(have.elements, have_ty.bits), size(parameter.elements, ty.bits));
                have.elements.is_some() == parameter.elements.is_some()
                    && (sizes.1.is_none() || sizes.0 == sizes.1)
            } else {
                fits((&have.ty, have_ty), (&parameter.ty, ty), wanted)
                    || fits((&parameter.ty, ty), (&have.ty, have_ty), wanted)
            };
            if !is_same {
                wrong_argument(out, operand, parameter, what, &format!(".{}{}", have.ty, array(&have)));
                return;
            }
            let natural = |bits: u16| u64::from(bits / 8).max(1);
            let align = |align: Option<u64>, bits| align.unwrap_or_else(|| natural(bits));
            let (have, want) = (align(have.align, have_ty.bits), align(parameter.align, ty.bits));
            if have != want && parameter.elements.is_some() {
                let message = format!("`{text}` is aligned to {have} bytes, but the {what} requires {want}");
                out.error(Code::CallMismatch, operand, message);
            }
        }
        ScalarKind::Memory(space) => {
            let message = format!(
                "`{text}` is in .{}; an argument must be a register, a constant or a .param",
                space.word()
            );
            out.error(Code::CallMismatch, operand, message);
        }
        given if given.is_constant() => {
            let is_float = matches!(parameter.ty.as_bytes().first(), Some(b'f'));
            if is_float == matches!(given, ScalarKind::Integer) && !parameter.ty.starts_with('b') {
                wrong_argument(
                    out,
                    operand,
                    parameter,
                    what,
                    if is_float { "an integer" } else { "a floating-point number" },
                );
            }
        }
        _ => {}
    }
}

fn wrong_argument(
    out: &mut Findings<'_>,
    operand: &Operand<'_>,
    parameter: &Parameter,
    what: &str,
    have: &str,
) {
    let message =
        format!("`{}` is {have}, but the {what} is .{}{}", operand.text(), parameter.ty, array(parameter));
    out.error(Code::CallMismatch, operand, message);
}

/// Formats the size of a parameter: `[16]` for an array, `[]` for an array without a size, an empty string for a
/// scalar.
pub(super) fn array(parameter: &Parameter) -> String {
    match parameter.elements {
        None => String::new(),
        Some(None) => "[]".into(),
        Some(Some(elements)) => format!("[{elements}]"),
    }
}
