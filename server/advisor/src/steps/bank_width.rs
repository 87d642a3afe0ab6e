//! BW, utilizing bank width: loads from shared memory that are as wide as its banks.
//!
//! On Kepler's 64-bit banks, two `LDS.32` take twice as long as one `LDS.64` for the same bytes (section
//! 4.1.2). On 32-bit banks, the paper's Equation 5 predicts no gain, and the step is not offered.

use super::{Bottleneck, Change, KernelAtLaunch, Step, StepContext, StepName};
use model::{Guard, Inst, MemorySpace, Register, RegisterFile};
use std::ops::Range;

/// Two loads of adjacent words in shared memory. A single load at the position of the first load can replace
/// both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    pub first: u32,
    pub second: u32,
    /// Result and address of the single load: the operands of the lower word, as written (`R4`, `[R8+0x10]`).
    /// `None` if the results are not an aligned register pair, so that registers must be renamed first.
    pub operands: Option<[String; 2]>,
}

pub(super) fn step(scene: &StepContext<'_>) -> Option<Step> {
    if !scene.is_significant(Bottleneck::Mem) {
        return None;
    }
    let subject = scene.subject;
    let merges = merges(subject);
    let pairs: Vec<(u32, u32)> = merges.iter().map(|merge| (merge.first, merge.second)).collect();
    let after = subject.run(&subject.program.merged(&pairs), subject.launch).bottlenecks;
    let lowers = scene.lowered(&[Bottleneck::Mem, Bottleneck::Ilp], &after);
    if !lowers.contains(&Bottleneck::Mem) {
        return None;
    }
    let mut instructions: Vec<u32> = pairs.iter().flat_map(|&(first, second)| [first, second]).collect();
    instructions.sort_unstable();
    let others = merges.iter().filter(|merge| merge.operands.is_none()).count();
    let rename = match others {
        0 => "",
        n if n == merges.len() => ", once their results are aligned register pairs",
        _ => ", some of them once their results are aligned register pairs",
    };
    Some(Step {
        name: StepName::BankWidth,
        lowers,
        message: format!("{} LDS could be {} LDS.64{rename}", instructions.len(), merges.len()),
        instructions,
        after: Some(after),
        change: Change::Merges(merges),
    })
}

/// The pairs of loads in a kernel that a single load can replace, in text order.
///
/// The lower word's address is a multiple of the size of both words in every thread. No instruction between
/// the two loads stores to shared memory or orders accesses to it, writes the address or the guard, or
/// accesses the second load's result.
pub fn merges(subject: &KernelAtLaunch<'_>) -> Vec<Merge> {
    let mut merges = Vec::new();
    for block in &subject.program.blocks {
        let mut is_taken = vec![false; block.instructions.len()];
        for first in block.instructions.clone() {
            let Some(load) = Load::decode(subject, first) else { continue };
            let offset = (first - block.instructions.start) as usize;
            if is_taken[offset] {
                continue;
            }
            let rest = first + 1..block.instructions.end;
            if let Some(merge) =
                partner(subject, &load, rest, |inst| is_taken[(inst - block.instructions.start) as usize])
            {
                is_taken[offset] = true;
                is_taken[(merge.second - block.instructions.start) as usize] = true;
                merges.push(merge);
            }
        }
    }
    merges
}

/// Size in bytes of the words that are joined.
const WORD: i64 = 4; // Source: the width of a register
/// Number of instructions after a load that are searched for a load to merge with it.
const REACH: u32 = 64; // limit: time for one load

/// A load of one word.
struct Load {
    inst: u32,
    result: Register,
    /// Base register of the address; `None` for a constant address.
    base: Option<Register>,
    offset: i64,
    guard: Option<Guard>,
    texts: [String; 2],
}

impl Load {
    fn decode(subject: &KernelAtLaunch<'_>, inst: u32) -> Option<Self> {
        let decoded = &subject.program.instructions[inst as usize];
        let memory = decoded.memory.filter(|memory| memory.space == MemorySpace::Shared && memory.loads)?;
        let instruction = &subject.chunk.instructions()[inst as usize];
        let is_plain = subject.chunk.modifiers(instruction).all(|modifier| matches!(modifier, "32" | "U"));
        let is_word =
            subject.mnemonic(inst) == "LDS" && !memory.stores && memory.bytes_per_lane == WORD as u8;
        if !is_word || !is_plain {
            return None;
        }
        let line = subject.chunk.line_text(instruction.line as usize);
        let texts: Vec<&str> = subject
            .chunk
            .operands(instruction)
            .filter_map(|tokens| Some(&line[tokens.first()?.start as usize..tokens.last()?.end()]))
            .collect();
        let [result, address] = texts[..] else { return None };
        let [written] = subject.program.writes(decoded) else { return None };
        let (base, offset) = sum(address)?;
        let read = subject.program.reads(decoded).iter().filter(|access| access.operand == Some(1));
        let read: Vec<Register> = read.map(|access| access.register).collect();
        let base = match (base, &read[..]) {
            (true, &[register]) if register.file == RegisterFile::General => Some(register),
            (false, []) => None,
            _ => return None,
        };
        let is_number = written.register.file == RegisterFile::General;
        let texts = [result.to_owned(), address.to_owned()];
        is_number.then_some(Self {
            inst,
            result: written.register,
            base,
            offset,
            guard: decoded.guard,
            texts,
        })
    }
}

/// Parses `[R8+0x10]`, `[R8]` or `[0x10]`. Returns true if the address has a base register, and the offset in bytes.
/// `None` for other addresses.
fn sum(address: &str) -> Option<(bool, i64)> {
    let inner = address.strip_prefix('[')?.strip_suffix(']')?;
    let number = |text: &str| {
        let text = text.trim();
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits.trim()));
        let value = match digits.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16).ok()?,
            None => digits.parse().ok()?,
        };
        Some(sign * value)
    };
    let is_register = |text: &str| {
        let digits = text.trim().strip_prefix('R').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match inner.split_once('+') {
        Some((base, offset)) if is_register(base) => Some((true, number(offset)?)),
        Some(_) => None,
        None if is_register(inner) => Some((true, 0)),
        None => Some((false, number(inner)?)),
    }
}

/// The load of the adjacent word, if nothing prevents joining it with the first load; otherwise `None`.
fn partner(
    subject: &KernelAtLaunch<'_>,
    first: &Load,
    rest: Range<u32>,
    is_taken: impl Fn(u32) -> bool,
) -> Option<Merge> {
    let program = subject.program;
    let end = rest.end.min(rest.start + REACH);
    let writes = |inst: &Inst, register: Register| {
        program.writes(inst).iter().any(|access| access.register == register)
    };
    let base_changes = |inst: &Inst| first.base.is_some_and(|base| writes(inst, base));
    if base_changes(&program.instructions[first.inst as usize]) {
        return None;
    }
    for at in rest.start..end {
        let inst = &program.instructions[at as usize];
        if let Some(second) = Load::decode(subject, at).filter(|_| !is_taken(at))
            && second.base == first.base
            && second.guard == first.guard
            && (second.offset - first.offset).abs() == WORD
        {
            let is_free = (first.inst + 1..at).all(|between| {
                let inst = &program.instructions[between as usize];
                let reads = program.reads(inst).iter().any(|access| access.register == second.result);
                !reads && !writes(inst, second.result)
            });
            let lower = if first.offset < second.offset { first } else { &second };
            if is_free && second.result != first.result && is_aligned(subject, lower.inst) {
                return Some(merge(first, &second));
            }
        }
        let orders = inst.memory.is_some_and(|memory| memory.stores && is_shared(memory.space))
            || ORDERING.contains(&subject.mnemonic(at))
            || inst.opcode.is_none();
        let guard_changes = first.guard.is_some_and(|guard| writes(inst, guard.predicate));
        if orders || guard_changes || base_changes(inst) {
            return None;
        }
    }
    None
}

/// Calls, and opcodes after which other threads' stores to shared memory may be visible.
const ORDERING: [&str; 12] = [
    "BAR",
    "B2R",
    "R2B",
    "MEMBAR",
    "ERRBAR",
    "WARPSYNC",
    "NANOSLEEP",
    "LDGSTS",
    "ATOMS",
    "SYNCS",
    "UBLKCP",
    "CALL",
];

const fn is_shared(space: MemorySpace) -> bool {
    matches!(space, MemorySpace::Shared | MemorySpace::Generic)
}

fn merge(first: &Load, second: &Load) -> Merge {
    let (lower, upper) = if first.offset < second.offset { (first, second) } else { (second, first) };
    let is_pair = lower.result.index.is_multiple_of(2) && upper.result.index == lower.result.index + 1;
    Merge { first: first.inst, second: second.inst, operands: is_pair.then(|| lower.texts.clone()) }
}

/// True if an access's address is a multiple of two words in every thread.
fn is_aligned(subject: &KernelAtLaunch<'_>, inst: u32) -> bool {
    let Some(address) = subject.addresses().access(inst as usize) else { return false };
    let even = |number: i64| number.rem_euclid(2 * WORD) == 0;
    // All symbols have integer values.
    even(address.constant()) && address.terms().iter().all(|&(_, times)| even(times))
}
