//! A register that is read but not written on any path.

mod ptx;

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};
use fixedbitset::FixedBitSet;
use machine::Hardware;
use model::flow::{Analysis, Direction, solve, unite};
use model::{Access, Flow, Register, RegisterFile, Scale, scale};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const RULE: Rule = Rule {
    code: "uninitialised-register",
    rank: 310,
    group: Group::Style,
    severity: Severity::Warning,
    summary: "An instruction reads a register that no path has written.",
    page: include_str!("uninitialised_register.md"),
    checks: &[Check::Codes(check), Check::Ptx(ptx::check)],
};

/// Register that is initialised when a kernel starts. It points to the thread's local memory.
const STACK_POINTER: Register = Register { file: RegisterFile::General, index: 1 };

/// Index of a store's address operand.
const STORE_ADDRESS: u8 = 0; // Source: the order of operands in cuobjdump's listings

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    if !is_whole(codes) {
        return;
    }
    let mut written = MaybeWritten::new(codes);
    let entries = written.entries();
    let mut reported = BTreeSet::new();
    for (block, entry) in codes.program.blocks.iter().zip(&entries) {
        let Some(mut known) = entry.clone() else { continue };
        for at in block.instructions.clone() {
            let inst = codes.inst(at);
            // Unwritten registers, by the operand that reads them.
            let mut missing: BTreeMap<Option<u8>, Vec<Register>> = BTreeMap::new();
            for access in codes.program.reads(inst).iter().filter(|access| says_value(codes, at, **access)) {
                let Some(&number) = written.numbers.get(&access.register) else { continue };
                if !known.contains(number) {
                    missing.entry(access.operand).or_default().push(access.register);
                }
            }
            leave_out_padding(codes, at, &mut missing);
            for mut registers in missing.into_values() {
                registers.retain(|register| reported.insert(*register));
                if !registers.is_empty() {
                    findings.push(finding(codes, at, &registers));
                }
            }
            written.add(at, &mut known);
        }
    }
}

fn finding(codes: &Codes<'_>, at: u32, registers: &[Register]) -> Finding {
    let names: Vec<String> = registers.iter().map(|register| codes.register(*register)).collect();
    let message = match names.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!(
                "{} and {last} are read here, but no path to this instruction writes them",
                others.join(", ")
            )
        }
        _ => format!("{} is read here, but no path to this instruction writes it", names.join(", ")),
    };
    let range =
        registers.first().map_or_else(|| codes.at_mnemonic(at), |first| codes.place(at, *first, false));
    Codes::finding(RULE.code, at, range, message, None)
}

/// True if the text is a complete kernel that contains all code it executes.
fn is_whole(codes: &Codes<'_>) -> bool {
    let is_named = codes.chunk.name().is_some();
    let ends = codes.instructions().any(|(_, inst)| inst.flow == Flow::Exit);
    let leads_out = |(at, _)| codes.leaves(at);
    is_named && ends && !codes.has_unread() && !codes.instructions().any(leads_out)
}

/// True if the result depends on the value read. False for implicit reads, and for a register that is
/// combined with itself.
fn says_value(codes: &Codes<'_>, at: u32, access: Access) -> bool {
    let inst = codes.inst(at);
    let is_guard = inst.guard.is_some_and(|guard| guard.predicate == access.register);
    let instruction = &codes.chunk.instructions()[at as usize];
    let is_perhaps_unread = || match scale(codes.chunk, instruction) {
        Some(Scale::Sometimes(sums)) => access.operand == Some(sums),
        _ => false,
    };
    access.register != STACK_POINTER
        && !is_set_at_launch(codes, access.register)
        && !is_perhaps_unread()
        && !keeps_bytes(codes, at, access.register)
        && !is_spilled(codes, at, access)
        && !is_unused_half(codes, at, access)
        && !matches!(access.register.file, RegisterFile::Named | RegisterFile::Barrier)
        && (access.operand.is_some() || is_guard)
        && !matches!(
            codes.mnemonic(at),
            "P2R" | "UP2UR" | "R2P" | "UR2UP" | "LOP3" | "PLOP3" | "LOP" | "UPLOP3"
        )
        && inst.opcode.is_some()
}

/// True if the instruction preserves some bytes of the register. Compilers leave unused bytes undefined.
fn keeps_bytes(codes: &Codes<'_>, at: u32, register: Register) -> bool {
    let writes = codes.program.writes(codes.inst(at));
    matches!(codes.mnemonic(at), "PRMT" | "UPRMT") && writes.iter().any(|access| access.register == register)
}

/// Ignores unwritten registers of a stored vector if other registers of the vector are written. The unwritten
/// registers are the padding of a structure.
fn leave_out_padding(codes: &Codes<'_>, at: u32, missing: &mut BTreeMap<Option<u8>, Vec<Register>>) {
    if missing.is_empty() || !matches!(codes.mnemonic(at), "ST" | "STG" | "STS") {
        return;
    }
    let is_value = |operand: &Option<u8>| operand.is_some_and(|operand| operand != STORE_ADDRESS);
    let all = codes.program.reads(codes.inst(at)).iter().filter(|access| is_value(&access.operand)).count();
    let unwritten: usize =
        missing.iter().filter(|(operand, _)| is_value(operand)).map(|(_, registers)| registers.len()).sum();
    if unwritten < all {
        missing.retain(|operand, _| !is_value(operand));
    }
}

/// True if the instruction saves the register on the stack. Compilers also spill variables without a value,
/// and unwritten halves of register pairs.
fn is_spilled(codes: &Codes<'_>, at: u32, access: Access) -> bool {
    let is_on_stack =
        |other: &Access| other.operand == Some(STORE_ADDRESS) && other.register == STACK_POINTER;
    codes.mnemonic(at) == "STL"
        && access.operand.is_some_and(|operand| operand != STORE_ADDRESS)
        && codes.program.reads(codes.inst(at)).iter().any(is_on_stack)
}

/// True if the register belongs to the descriptor half of the first matrix in a warpgroup product, and that
/// matrix is in registers. `HGMMA R24, R40, gdesc[UR4], ...` does not use UR4 and UR5.
fn is_unused_half(codes: &Codes<'_>, at: u32, access: Access) -> bool {
    const DESCRIPTORS: u8 = 2; // Source: the order of operands in cuobjdump's listings
    if access.operand != Some(DESCRIPTORS) || !codes.mnemonic(at).ends_with("GMMA") {
        return false;
    }
    let reads = codes.program.reads(codes.inst(at));
    let first =
        reads.iter().filter(|other| other.operand == access.operand).map(|other| other.register.index);
    access.register.file == RegisterFile::Uniform
        && first.min().is_some_and(|first| access.register.index < first + 2)
}

/// True if the architecture named in the text sets the register before a kernel starts.
fn is_set_at_launch(codes: &Codes<'_>, register: Register) -> bool {
    let sm = codes.chunk.sm().map_or(codes.program.arch.sm, |sm| sm.number);
    register.file == RegisterFile::Uniform
        && Hardware::builtin().uniform_register_set_at_launch(sm) == Some(register.index.into())
}

/// Dataflow analysis of the registers that are written on at least one path.
struct MaybeWritten<'a> {
    codes: &'a Codes<'a>,
    numbers: BTreeMap<Register, usize>,
    /// Registers written on at least one path to the end of the last processed block; `None` if the block is
    /// unreachable.
    leaving: Option<FixedBitSet>,
}

impl<'a> MaybeWritten<'a> {
    fn new(codes: &'a Codes<'a>) -> Self {
        let mut numbers = BTreeMap::new();
        for access in &codes.program.accesses {
            let next = numbers.len();
            numbers.entry(access.register).or_insert(next);
        }
        Self { codes, numbers, leaving: None }
    }

    /// Registers written on at least one path to the start of each block; `None` for unreachable blocks.
    fn entries(&mut self) -> Vec<Option<FixedBitSet>> {
        let flow = &self.codes.program.flow;
        let mut entries = vec![None; flow.len()];
        if let Some(first) = entries.first_mut() {
            *first = Some(FixedBitSet::with_capacity(self.numbers.len()));
        }
        solve(flow, Direction::Forward, self, &mut entries);
        entries
    }

    fn add(&self, at: u32, known: &mut FixedBitSet) {
        for access in self.codes.program.writes(self.codes.inst(at)) {
            known.extend(self.numbers.get(&access.register).copied());
        }
    }
}

impl Analysis for MaybeWritten<'_> {
    type State = Option<FixedBitSet>;

    fn transfer(&mut self, block: u32, state: &Self::State) {
        self.leaving = state.clone().map(|mut known| {
            for at in self.codes.program.blocks[block as usize].instructions.clone() {
                self.add(at, &mut known);
            }
            known
        });
    }

    fn join(&mut self, _: u32, _: u32, state: &mut Self::State) -> bool {
        let Some(leaving) = &self.leaving else { return false };
        if let Some(known) = state {
            return unite(known, leaving);
        }
        *state = Some(leaving.clone());
        true
    }
}
