//! A stall count larger than any later instruction needs.

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};
use machine::{ClassTrait, Hardware};
use model::hazards::{Need, Needs, Pair, WINDOW, pairs};
use model::{Access, Flow, Inst, Program, Register, RegisterFile};
use std::collections::HashSet;

pub(super) const RULE: Rule = Rule {
    code: "stall-above-need",
    rank: 280,
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "A stall count that is at least two cycles higher than needed.",
    page: include_str!("stall_above_need.md"),
    checks: &[Check::Codes(check)],
};

/// Smallest number of unneeded cycles that is reported.
const MIN: u32 = 2; // limit: less is not worth a finding
/// Number of instructions within which an overwrite of a source register counts as close.
const CLOSE: u32 = 4; // limit: distance of reads and writes in flight

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    if !codes.has_scoreboards() || codes.has_unread() {
        return;
    }
    let spare = UnneededStalls::compute(codes);
    for (at, inst) in codes.instructions() {
        let is_last = codes.program.blocks[inst.block as usize].instructions.end == at + 1;
        let Some(stall) = inst.stall().map(u32::from) else { continue };
        let spare = spare.cycles[at as usize];
        let is_short = is_last || spare < MIN || !codes.is_final(at);
        // Stall counts also pace queues that accept an instruction only every few cycles.
        if is_short || !is_simple(codes, at) || !is_simple(codes, at + 1) || is_overwritten(codes, at) {
            continue;
        }
        let message = format!(
            "stall count {stall} is higher than needed: {} is enough on {} for every result used after it",
            stall - spare,
            codes.arch()
        );
        findings.push(Codes::finding(RULE.code, at, codes.at_code(at), message, None));
    }
}

/// True if the stall count only covers result latency, and does not pace a queue or pipe.
fn is_simple(codes: &Codes<'_>, at: u32) -> bool {
    let inst = codes.inst(at);
    let class = inst.class.map(|class| codes.program.arch.class(class));
    // `NOP` exists only to pass time, matrix instructions pace their own pipe, and reconvergence behaves like a jump.
    let is_meeting = class.is_some_and(|class| class.has(ClassTrait::Convergence));
    let is_pace = is_meeting || codes.mnemonic(at) == "NOP" || codes.mnemonic(at).ends_with("MMA");
    let is_wait = codes.program.counted_wait(at).is_some();
    let is_fixed = class.is_some_and(|class| class.latency.is_fixed());
    // Fences and similar instructions have no result that the stall count could cover, so the purpose of the
    // stall count is unknown.
    let has_result = !codes.program.writes(inst).is_empty();
    is_fixed && has_result && inst.memory.is_none() && inst.flow == Flow::Next && !is_wait && !is_pace
}

/// True if one of the next few instructions overwrites a source register of this instruction or of one of the few
/// instructions before it. Some pipes read the third source late. Source: compilers insert a few cycles before such a
/// write after `IMAD.WIDE`.
fn is_overwritten(codes: &Codes<'_>, at: u32) -> bool {
    let block = &codes.program.blocks[codes.inst(at).block as usize].instructions;
    let before = block.start.max(at.saturating_sub(CLOSE))..at + 1;
    let following = at + 1..block.end.min(at + 1 + CLOSE);
    let writes = |register| {
        let mut following = following.clone().flat_map(|next| codes.program.writes(codes.inst(next)));
        following.any(|access| access.register == register)
    };
    let mut reads = before.flat_map(|at| codes.program.reads(codes.inst(at)));
    reads.any(|access| writes(access.register))
}

/// The accessed registers that are written as names, which an assembler maps to registers.
fn names(accesses: &[Access]) -> impl Iterator<Item = Register> {
    accesses.iter().map(|access| access.register).filter(|register| register.file == RegisterFile::Named)
}

/// Unneeded cycles in the stall count of each instruction.
struct UnneededStalls {
    cycles: Vec<u32>,
}

impl UnneededStalls {
    fn compute(codes: &Codes<'_>) -> Self {
        let program = codes.program;
        let needs = Needs::new(program);
        let visible = Hardware::builtin().scoreboard_visible.value;
        let own = codes.instructions().map(|(at, inst)| {
            let Some(control) = inst.control else { return 0 };
            let sets = control.write_barrier.or(control.read_barrier).is_some();
            let least = needs.after(at).max(if sets { visible } else { 1 });
            u32::from(control.stall.unwrap_or(0)).saturating_sub(least)
        });
        let mut spare = Self { cycles: own.collect() };
        // Limits from dependences across basic blocks apply to each block that is short enough.
        let mut through = u32::MAX;
        pairs(program, |pair| {
            if let Need::Cycles(least) = needs.between(pair.first, pair.second, pair.register, pair.order) {
                spare.limit(program, &pair, pair.cycles.saturating_sub(least), &mut through);
            }
        });
        spare.leave_to_names(program);
        for block in &program.blocks {
            let range = block.instructions.start as usize..block.instructions.end as usize;
            let stall = |inst: &Inst| u32::from(inst.stall().unwrap_or(1));
            if program.instructions[range.clone()].iter().map(stall).sum::<u32>() <= WINDOW {
                spare.lower(range, through);
            }
        }
        spare
    }

    /// Marks no cycles as unneeded before a read of a name that is never written. An assembler may use such a
    /// name for registers that were written under other names (`track` for `track0` and `track1`).
    fn leave_to_names(&mut self, program: &Program) {
        let written: HashSet<Register> =
            program.instructions.iter().flat_map(|inst| names(program.writes(inst))).collect();
        for (at, inst) in program.instructions.iter().enumerate() {
            if names(program.reads(inst)).any(|name| !written.contains(&name)) {
                let first = program.blocks[inst.block as usize].instructions.start as usize;
                self.lower(first..at, 0);
            }
        }
    }

    /// Reduces the unneeded cycles on the way from the first to the second instruction of a pair to at most `by`.
    fn limit(&mut self, program: &Program, pair: &Pair, by: u32, through: &mut u32) {
        let (first, second) = (pair.first as usize, pair.second as usize);
        let block = |inst: usize| program.instructions[inst].block as usize;
        if first < second && block(first) == block(second) {
            self.lower(first..second, by);
            return;
        }
        self.lower(first..program.blocks[block(first)].instructions.end as usize, by);
        self.lower(program.blocks[block(second)].instructions.start as usize..second, by);
        if !program.flow.successors(block(first) as u32).contains(&(block(second) as u32)) {
            *through = (*through).min(by);
        }
    }

    fn lower(&mut self, range: std::ops::Range<usize>, most: u32) {
        for cycles in &mut self.cycles[range] {
            *cycles = (*cycles).min(most);
        }
    }
}
