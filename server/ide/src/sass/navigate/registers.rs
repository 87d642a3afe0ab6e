//! Registers and predicates: reaching definitions, and all uses of a value.

use super::mention::mentions;
use super::referent::RegisterPlace;
use crate::engine::kernel_view::KernelView;
use crate::{NavigationTarget, Reference, Usage};
use model::{Register, RegisterFile};
use std::collections::BTreeMap;
use syntax::sass::Token;

/// Writes that reach a read. For a write, the write itself. For a convergence barrier, the last instruction before it in
/// text order that sets up the barrier.
pub(super) fn definitions(place: &RegisterPlace<'_>) -> Vec<NavigationTarget> {
    let mut targets: Vec<NavigationTarget> = Vec::new();
    if is_convergence_barrier(place) {
        let mut before =
            barrier_uses(place).into_iter().filter(|&(inst, _, sets)| sets && inst <= place.inst);
        targets.extend(before.next_back().map(|(inst, token, _)| target(&place.kernel, inst, &token)));
        return targets;
    }
    if !place.mention.reads {
        return vec![target(&place.kernel, place.inst, &place.mention.token)];
    }
    let program = place.kernel.program();
    let chains = place.kernel.model.definitions();
    for &register in &place.mention.registers {
        for write in chains.reaching(program, place.inst as u32, register).writes {
            let token = named(place, write as usize, register, Usage::Write);
            targets.push(target(&place.kernel, write as usize, &token));
        }
    }
    targets.sort_by_key(|target| target.selection.start);
    targets.dedup();
    targets
}

/// All reads and writes of the values in the registers that the instruction names at this position.
pub(super) fn references(place: &RegisterPlace<'_>) -> Vec<Reference> {
    let at = |inst: usize, token: &Token| target(&place.kernel, inst, token).selection;
    if is_convergence_barrier(place) {
        let usage = |sets| if sets { Usage::Write } else { Usage::Read };
        let uses = barrier_uses(place).into_iter();
        return uses
            .map(|(inst, token, sets)| Reference { range: at(inst, &token), usage: usage(sets) })
            .collect();
    }
    let chains = place.kernel.model.definitions();
    let mut found = BTreeMap::new();
    for &register in &place.mention.registers {
        for written in [false, true] {
            if !(if written { place.mention.writes } else { place.mention.reads }) {
                continue;
            }
            let web = chains.web(place.kernel.program(), place.inst as u32, register, written);
            for (inst, touch) in web {
                for (does, usage) in [(touch.reads, Usage::Read), (touch.writes, Usage::Write)] {
                    if does {
                        let token = named(place, inst as usize, register, usage);
                        let usage = found.entry((inst, token.start)).or_insert((token, usage)).1.max(usage);
                        found.insert((inst, token.start), (token, usage));
                    }
                }
            }
        }
    }
    let found = found.into_iter();
    found.map(|((inst, _), (token, usage))| Reference { range: at(inst as usize, &token), usage }).collect()
}

/// Word with which an instruction accesses a register; the mnemonic if no word does.
fn named(place: &RegisterPlace<'_>, inst: usize, register: Register, usage: Usage) -> Token {
    let does = |reads, writes| if usage == Usage::Read { reads } else { writes };
    let mentions = mentions(place.kernel.chunk, place.kernel.program(), inst);
    let found = mentions
        .iter()
        .find(|mention| mention.registers.contains(&register) && does(mention.reads, mention.writes));
    found.map_or_else(|| *place.kernel.chunk.mnemonic_token(place.kernel.text(inst)), |mention| mention.token)
}

fn is_convergence_barrier(place: &RegisterPlace<'_>) -> bool {
    place.mention.registers.iter().any(|register| register.file == RegisterFile::Barrier)
}

/// Words that name the same convergence barrier. The flag is true for instructions that set up the
/// barrier (`BSSY`).
fn barrier_uses(place: &RegisterPlace<'_>) -> Vec<(usize, Token, bool)> {
    let program = place.kernel.program();
    let barrier = place.mention.registers[0];
    let mut uses = Vec::new();
    for (inst, described) in program.instructions.iter().enumerate() {
        let names = |accesses: &[model::Access]| accesses.iter().any(|access| access.register == barrier);
        if !names(program.reads(described)) && !names(program.writes(described)) {
            continue;
        }
        let sets = place.kernel.mnemonic(inst) == "BSSY";
        for mention in mentions(place.kernel.chunk, program, inst) {
            if mention.registers.contains(&barrier) {
                uses.push((inst, mention.token, sets || mention.writes));
            }
        }
    }
    uses
}

pub(super) fn target(kernel: &KernelView<'_>, inst: usize, token: &Token) -> NavigationTarget {
    let range = kernel.sass.line_range(kernel.index, kernel.text(inst).line as usize);
    let selection = range.start + token.start as usize..range.start + token.end();
    NavigationTarget { range, selection }
}
