//! A register that is read before anything has written it.

mod ptx;

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};
use model::{Access, Flow, Register, RegisterFile};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const RULE: Rule = Rule {
    code: "uninitialised-register",
    group: Group::Style,
    severity: Severity::Warning,
    summary: "A register is read that nothing has written on any way.",
    page: include_str!("uninitialised_register.md"),
    checks: &[Check::Codes(check), Check::Ptx(ptx::check)],
};

/// Set when a kernel starts: it points to the thread's local memory.
const STACK_POINTER: Register = Register { file: RegisterFile::General, index: 1 };

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    if !is_whole(codes) {
        return;
    }
    let written = Written::of(codes);
    let mut told = BTreeSet::new();
    for (block, entry) in codes.program.blocks.iter().zip(&written.entries) {
        let Some(mut known) = entry.clone() else { continue };
        for at in block.instructions.clone() {
            let inst = codes.inst(at);
            // By operand, the registers that it reads in vain.
            let mut missing: BTreeMap<Option<u8>, Vec<Register>> = BTreeMap::new();
            for access in codes.program.reads(inst).iter().filter(|access| says_value(codes, at, **access)) {
                let Some(&number) = written.numbers.get(&access.register) else { continue };
                if !has(&known, number) && told.insert(access.register) {
                    missing.entry(access.operand).or_default().push(access.register);
                }
            }
            findings.extend(missing.into_values().map(|registers| finding(codes, at, &registers)));
            written.add(codes, at, &mut known);
        }
    }
}

fn finding(codes: &Codes<'_>, at: u32, registers: &[Register]) -> Finding {
    let names: Vec<String> = registers.iter().map(|register| codes.register(*register)).collect();
    let message = format!("reads {}, which nothing has written on any way here", names.join(", "));
    let range =
        registers.first().map_or_else(|| codes.at_mnemonic(at), |first| codes.place(at, *first, false));
    Codes::finding(RULE.code, at, range, message, None)
}

/// The text is a kernel from its start to its end, and all of what it runs is here.
fn is_whole(codes: &Codes<'_>) -> bool {
    let is_named = codes.chunk.name().is_some();
    let ends = codes.instructions().any(|(_, inst)| inst.flow == Flow::Exit);
    let leads_out = |(at, _)| codes.leaves(at);
    is_named && ends && !codes.has_unread() && !codes.instructions().any(leads_out)
}

/// Whether the instruction does something with the value that it reads: not so of what its opcode implies, nor of a
/// register combined with itself.
fn says_value(codes: &Codes<'_>, at: u32, access: Access) -> bool {
    let inst = codes.inst(at);
    let is_guard = inst.guard.is_some_and(|guard| guard.predicate == access.register);
    access.register != STACK_POINTER
        && !matches!(access.register.file, RegisterFile::Named | RegisterFile::Barrier)
        && (access.operand.is_some() || is_guard)
        && !matches!(codes.mnemonic(at), "P2R" | "R2P" | "LOP3" | "PLOP3" | "LOP" | "UPLOP3")
        && inst.opcode.is_some()
}

/// Registers that some way has written, at the start of each block that something leads to.
struct Written {
    numbers: BTreeMap<Register, usize>,
    entries: Vec<Option<Vec<u64>>>,
}

impl Written {
    fn of(codes: &Codes<'_>) -> Self {
        let mut numbers = BTreeMap::new();
        for access in &codes.program.accesses {
            let next = numbers.len();
            numbers.entry(access.register).or_insert(next);
        }
        let mut written = Self { numbers, entries: vec![None; codes.program.blocks.len()] };
        let Some(first) = written.entries.first_mut() else { return written };
        *first = Some(vec![0; written.numbers.len().div_ceil(64)]);
        let mut waiting = vec![0_u32];
        while let Some(block) = waiting.pop() {
            let Some(mut known) = written.entries[block as usize].clone() else { continue };
            for at in codes.program.blocks[block as usize].instructions.clone() {
                written.add(codes, at, &mut known);
            }
            for &next in &codes.program.blocks[block as usize].successors {
                let entry = &mut written.entries[next as usize];
                let is_new = match entry {
                    None => true,
                    Some(entry) => entry.iter().zip(&known).any(|(own, more)| own | more != *own),
                };
                if is_new {
                    let entry = entry.get_or_insert_with(|| known.clone());
                    for (own, more) in entry.iter_mut().zip(&known) {
                        *own |= more;
                    }
                    waiting.push(next);
                }
            }
        }
        written
    }

    fn add(&self, codes: &Codes<'_>, at: u32, known: &mut [u64]) {
        for access in codes.program.writes(codes.inst(at)) {
            if let Some(&number) = self.numbers.get(&access.register) {
                known[number / 64] |= 1 << (number % 64);
            }
        }
    }
}

fn has(known: &[u64], number: usize) -> bool {
    known[number / 64] >> (number % 64) & 1 == 1
}
