//! The rule on PTX: what declarations and constants say of an address.

use super::RULE;
use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use machine::Hardware;
use model::ptx::{Body, Meaning, Operand, OperandKind, Space, Statement, Symbol, alignment, literal};

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.body() else { return };
    for at in 0..body.flow.nodes().len() as u32 {
        let statement = body.statement(at);
        let addresses = body.item.operands(statement).filter(|one| one.kind() == OperandKind::Address);
        let units = units(subject, body, statement);
        let both = addresses.zip(units).filter_map(|(address, unit)| Some((address, unit?)));
        findings.extend(both.filter_map(|(address, unit)| finding(subject, body, at, unit, &address)));
    }
}

/// The multiple that an address must be, and what needs it.
#[derive(Clone, Copy)]
struct Unit {
    bytes: u64,
    of: Need,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Access,
    Copy,
    Barrier,
}

/// The units of an instruction's addresses, in text order; `None` for one that may be anywhere.
fn units(subject: &Subject<'_>, body: &Body<'_>, statement: &Statement) -> Vec<Option<Unit>> {
    let hardware = Hardware::builtin();
    let of = |bytes: u64, of: Need| Some(Unit { bytes, of });
    let barrier = of(hardware.mbarrier_alignment.value.into(), Need::Barrier);
    let words: Vec<&str> = body.item.modifiers(statement).collect();
    let has = |word: &str| words.contains(&word);
    match body.item.opcode(statement) {
        Some("cp") if has("async") && has("bulk") => {
            let bulk = of(hardware.bulk_copy_alignment.value.into(), Need::Copy);
            let signals = has("mbarrier::complete_tx::bytes");
            match (has("tensor"), has("prefetch")) {
                // The tensor map is an object of its own.
                (true, true) => Vec::new(),
                (true, false) => {
                    let tile = of(hardware.tensor_copy_alignment.value.into(), Need::Copy);
                    if signals { vec![tile, None, barrier] } else { vec![None, tile] }
                }
                (false, true) => vec![bulk],
                (false, false) if signals => vec![bulk, bulk, barrier],
                (false, false) => vec![bulk, bulk],
            }
        }
        Some("cp") if matches!(words.first(), Some(&"async")) && (has("ca") || has("cg")) => {
            let size = body.item.operands(statement).nth(2);
            let size =
                size.and_then(|size| literal::integer(size.text())).filter(|size| size.is_power_of_two());
            let unit = size.and_then(|size| of(size, Need::Copy));
            vec![unit, unit]
        }
        Some("mbarrier") => vec![barrier],
        _ => vec![bytes(subject, body, statement).and_then(|bytes| of(bytes, Need::Access))],
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
    unit: Unit,
    address: &Operand<'_>,
) -> Option<Finding> {
    let Unit { bytes, of } = unit;
    let what = match of {
        Need::Access => format!("{bytes}-byte access at"),
        Need::Copy => format!("copy that needs {bytes}-byte alignment, at"),
        Need::Barrier => "mbarrier at".to_owned(),
    };
    let range = address.range()?;
    let known = body.address_low_bits(subject.globals, instruction, address);
    if let Some(past) = known.past(bytes) {
        let message = format!(
            "{what} an address that is {past} past a multiple of {}: the kernel fails with \"misaligned address\"",
            1_u64 << known.known.min(bytes.trailing_zeros())
        );
        return Some(Finding {
            severity: Some(Severity::Warning),
            ..Finding::new(RULE.code, range, message)
        });
    }
    let (name, align) = directly_named(subject, body, address)?;
    let what = what.strip_suffix(" at").map_or(&*what, |what| what.trim_end_matches(','));
    (align < bytes).then(|| {
        let message = format!(
            "{what} {} `{name}`, which is declared with an alignment of {align}: the kernel may fail \
             with \"misaligned address\". Declare it with `.align {bytes}`",
            if of == Need::Access { "to" } else { "at" }
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
