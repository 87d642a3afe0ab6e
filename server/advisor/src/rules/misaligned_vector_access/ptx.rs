//! The rule on PTX: what declarations and constants say of an address.

use super::RULE;
use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use model::ptx::{Body, Meaning, Operand, OperandKind, Space, Statement, Symbol, alignment};

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.body() else { return };
    for at in 0..body.flow.nodes().len() as u32 {
        let statement = body.statement(at);
        let Some(bytes) = bytes(subject, body, statement) else { continue };
        let addresses = body.item.operands(statement).filter(|one| one.kind() == OperandKind::Address);
        findings.extend(addresses.take(1).filter_map(|address| finding(subject, body, at, bytes, &address)));
    }
}

/// Bytes that a lane moves, where it is an access of more than a byte to a space that the instruction names: its type times
/// its vector.
fn bytes(subject: &Subject<'_>, body: &Body<'_>, statement: &Statement) -> Option<u64> {
    let mut modifiers = body.item.modifiers(statement);
    let is_space = |word: &str| matches!(word, "global" | "shared" | "shared::cta" | "local" | "const");
    let is_access = matches!(body.item.opcode(statement)?, "ld" | "st" | "ldu" | "atom" | "red");
    if !is_access || !modifiers.clone().any(is_space) {
        return None;
    }
    let vector = modifiers.clone().find(|word| matches!(*word, "v2" | "v4" | "v8"));
    let elements = vector.and_then(|word| word[1..].parse::<u64>().ok()).unwrap_or(1);
    let bits = modifiers.find_map(|word| subject.tables.type_of(word))?.bits;
    let bytes = u64::from(bits / 8) * elements;
    (bytes > 1 && bytes.is_power_of_two()).then_some(bytes)
}

fn finding(
    subject: &Subject<'_>,
    body: &Body<'_>,
    instruction: u32,
    bytes: u64,
    address: &Operand<'_>,
) -> Option<Finding> {
    let range = address.range()?;
    let known = body.address_low_bits(subject.globals, instruction, address);
    if let Some(past) = known.past(bytes) {
        let message = format!(
            "{bytes}-byte access at an address that is {past} past a multiple of {}: the kernel fails with \
             \"misaligned address\"",
            1_u64 << known.known.min(bytes.trailing_zeros())
        );
        return Some(Finding {
            severity: Some(Severity::Warning),
            ..Finding::new(RULE.code, range, message)
        });
    }
    let (name, align) = directly_named(subject, body, address)?;
    (align < bytes).then(|| {
        let message = format!(
            "{bytes}-byte access to `{name}`, which is declared with an alignment of {align}: the kernel may fail \
             with \"misaligned address\". Declare it with `.align {bytes}`"
        );
        Finding { severity: Some(Severity::Hint), ..Finding::new(RULE.code, range, message) }
    })
}

/// The variable that an address names, with its alignment. `None` for what other modules or launches place.
fn directly_named<'a>(
    subject: &Subject<'a>,
    body: &Body<'_>,
    address: &Operand<'_>,
) -> Option<(&'a str, u64)> {
    let (base, _) = address.elements().next()?.base_and_offset();
    let name = base.name().filter(|_| base.kind() == OperandKind::Name)?;
    let token = body.item.tokens().partition_point(|other| other.start < name.start) as u32;
    let is_memory = |symbol: &Symbol| {
        matches!(symbol.space, Some(Space::Shared | Space::Global | Space::Local | Space::Const))
    };
    let align = match subject.names.use_at(token)?.what {
        Meaning::Symbol(symbol, _) => {
            let symbol = subject.names.symbols().get(symbol as usize)?;
            let is_own = is_memory(symbol)
                && subject
                    .item
                    .variable(subject.item.statements().get(symbol.statement as usize)?)?
                    .linkage()
                    .is_none();
            is_own.then(|| alignment(symbol, symbol.type_word(subject.item), subject.tables))?
        }
        Meaning::Outer => {
            let global = subject.globals.find(subject.item.token_text(name))?;
            let symbol = global.variable.as_ref().filter(|symbol| is_memory(symbol))?;
            let is_own =
                global.is_definition && global.linkage.as_deref().is_none_or(|word| word == "visible");
            is_own.then(|| alignment(symbol, global.ty.as_deref(), subject.tables))?
        }
        _ => None,
    };
    Some((subject.item.token_text(name), align?))
}
