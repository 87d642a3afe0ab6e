//! The rule for PTX. It uses the alignment that declarations and constants determine.

use super::RULE;
use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use machine::Hardware;
use model::ptx::{
    Body, Meaning, Operand, OperandKind, POINTER_ALIGNMENT, Space, Spread, Statement, Symbol, alignment,
    literal,
};

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

/// Required alignment of an address, and the reason for it.
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

/// The required alignments of an instruction's addresses, in text order; `None` for an address without a
/// requirement.
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
                // The tensor map is a separate object, whose alignment is not checked.
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

/// Bytes that a lane accesses: the type size times the vector length. `None` for accesses of one byte and for
/// accesses without an explicit state space.
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
    let with = |severity, message| Finding {
        severity: Some(severity),
        ..Finding::new(RULE.code, range.clone(), message)
    };
    let known = body.address_low_bits(subject.globals, instruction, address);
    if let Some(past) = known.past(bytes) {
        let message = format!(
            "{what} an address that is {past} past a multiple of {}: the kernel fails with \"misaligned address\"",
            1_u64 << known.known.min(bytes.trailing_zeros())
        );
        return Some(with(Severity::Warning, message));
    }
    if let Some((thread, past, multiple)) = in_a_thread(subject, body, instruction, bytes, address) {
        let message = format!(
            "{what} an address that is {past} past a multiple of {multiple} in thread {thread} if the parameter is a multiple \
             of {POINTER_ALIGNMENT}: the kernel fails with \"misaligned address\""
        );
        return Some(with(Severity::Warning, message));
    }
    let (name, align) = directly_named(subject, body, address)?;
    let what = what.strip_suffix(" at").map_or(&*what, |what| what.trim_end_matches(','));
    (align < bytes).then(|| {
        let message = format!(
            "{what} {} `{name}`, which is declared with an alignment of {align}: the kernel may fail \
             with \"misaligned address\". Declare it with `.align {bytes}`",
            if of == Need::Access { "to" } else { "at" }
        );
        with(Severity::Hint, message)
    })
}

/// Finds the first thread whose address is misaligned, assuming that the kernel's pointers are aligned. Returns the
/// thread's index, the number of bytes by which its address exceeds a multiple of the required alignment, and that
/// alignment. `None` if all addresses are aligned, or if the misaligned threads might not execute the instruction.
fn in_a_thread(
    subject: &Subject<'_>,
    body: &Body<'_>,
    instruction: u32,
    bytes: u64,
    address: &Operand<'_>,
) -> Option<(u32, u64, u64)> {
    let low_bits = |thread| body.address_low_bits_in_thread(subject.globals, instruction, address, thread);
    let is_off = |thread: u32| low_bits(thread).past(bytes).is_some();
    // The pattern repeats, because addresses are linear in the thread index.
    let first = (0..2).find(|&thread| is_off(thread))?;
    let is_off_in_all = (0..PATTERN).all(is_off);
    // A bound check admits adjacent threads. Another comparison may select exactly the aligned threads.
    let is_off_in_any_two = || (1..PATTERN).all(|thread| is_off(thread - 1) || is_off(thread));
    let is_certain = is_off_in_all || is_in_a_range(body, instruction) && is_off_in_any_two();
    let known = low_bits(first);
    let past = known.past(bytes).filter(|_| is_certain)?;
    Some((first, past, 1_u64 << known.known.min(bytes.trailing_zeros())))
}

/// Number of threads after which the low bits of the addresses repeat, for the widest access.
const PATTERN: u32 = 32; // limit: the widest access has as many bytes

/// True if all threads, or a contiguous range of thread indices, execute the instruction. This is the case if each
/// earlier branch that may diverge within a warp depends only on ordering comparisons. Earlier branches include
/// branches to the end of the kernel.
fn is_in_a_range(body: &Body<'_>, instruction: u32) -> bool {
    let spreads = body.spreads();
    let block = body.flow.nodes()[instruction as usize].block;
    spreads.guard(instruction) == Spread::Same
        && (0..block).all(|before| spreads.branch(before) == Spread::Same || decides_by_order(body, before))
}

/// True if the branch at the end of a block depends only on ordering comparisons, such as less than.
fn decides_by_order(body: &Body<'_>, block: u32) -> bool {
    let Some(last) = body.flow.blocks()[block as usize].instructions.clone().last() else { return false };
    let definitions = body.definitions();
    let writers = body
        .registers
        .reads(last)
        .flat_map(|touch| definitions.reaching(&body.flow, last, touch.register))
        .map(|writer| body.statement(definitions.all()[writer as usize].instruction));
    let is_order = |word: &str| matches!(word, "lt" | "le" | "gt" | "ge" | "lo" | "ls" | "hi" | "hs");
    let mut is_ordered = writers.map(|statement| {
        body.item.opcode(statement) == Some("setp") && body.item.modifiers(statement).any(is_order)
    });
    is_ordered.all(|is_ordered| is_ordered)
}

/// The variable that an address names, with its alignment. `None` if another module or the launch determines
/// the variable's address.
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
