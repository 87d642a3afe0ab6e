//! Registers and predicates: the writes that reach a use, and all uses of a value.

use super::mention::{mentions, mnemonic};
use super::subject::RegisterPlace;
use super::{Reference, Target, Usage};
use crate::engine::sass_view::SassView;
use model::{Register, RegisterFile};
use std::collections::BTreeMap;
use syntax::sass::{Chunk, Token};

/// The writes that reach a read; of a write, itself.
pub(super) fn definitions(sass: &SassView, place: &RegisterPlace) -> Vec<Target> {
    let chunk: &Chunk = &sass.listing().chunks()[place.chunk];
    let mut targets: Vec<Target> = Vec::new();
    if is_convergence_barrier(place) {
        let mut before =
            barrier_uses(chunk, place).into_iter().filter(|&(inst, _, sets)| sets && inst <= place.inst);
        targets.extend(before.next_back().map(|(inst, token, _)| target(sass, place.chunk, inst, &token)));
        return targets;
    }
    if !place.mention.reads {
        return vec![target(sass, place.chunk, place.inst, &place.mention.token)];
    }
    let program = &place.model.program;
    let chains = place.model.definitions();
    for &register in &place.mention.registers {
        for write in chains.reaching(program, place.inst as u32, register).writes {
            let token = named(chunk, place, write as usize, register, Usage::Write);
            targets.push(target(sass, place.chunk, write as usize, &token));
        }
    }
    targets.sort_by_key(|target| target.selection.start);
    targets.dedup();
    targets
}

/// All reads and writes of the values that the place reads or writes.
pub(super) fn references(sass: &SassView, place: &RegisterPlace) -> Vec<Reference> {
    let chunk: &Chunk = &sass.listing().chunks()[place.chunk];
    let at = |inst: usize, token: &Token| target(sass, place.chunk, inst, token).selection;
    if is_convergence_barrier(place) {
        let usage = |sets| if sets { Usage::Write } else { Usage::Read };
        let uses = barrier_uses(chunk, place).into_iter();
        return uses
            .map(|(inst, token, sets)| Reference { range: at(inst, &token), usage: usage(sets) })
            .collect();
    }
    let chains = place.model.definitions();
    let mut found = BTreeMap::new();
    for &register in &place.mention.registers {
        for written in [false, true] {
            if !(if written { place.mention.writes } else { place.mention.reads }) {
                continue;
            }
            let web = chains.web(&place.model.program, place.inst as u32, register, written);
            for (inst, touch) in web {
                for (does, usage) in [(touch.reads, Usage::Read), (touch.writes, Usage::Write)] {
                    if does {
                        let token = named(chunk, place, inst as usize, register, usage);
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

/// The word by which an instruction reads or writes a register; its mnemonic where none does.
fn named(chunk: &Chunk, place: &RegisterPlace, inst: usize, register: Register, usage: Usage) -> Token {
    let does = |reads, writes| if usage == Usage::Read { reads } else { writes };
    let mentions = mentions(chunk, &place.model.program, inst);
    let found = mentions
        .iter()
        .find(|mention| mention.registers.contains(&register) && does(mention.reads, mention.writes));
    found.map_or_else(|| mnemonic(chunk, &chunk.instructions()[inst]), |mention| mention.token)
}

fn is_convergence_barrier(place: &RegisterPlace) -> bool {
    place.mention.registers.iter().any(|register| register.file == RegisterFile::Barrier)
}

/// The words that name the same convergence barrier, and whether they set it up (`BSSY`).
fn barrier_uses(chunk: &Chunk, place: &RegisterPlace) -> Vec<(usize, Token, bool)> {
    let program = &place.model.program;
    let barrier = place.mention.registers[0];
    let mut uses = Vec::new();
    for (inst, described) in program.instructions.iter().enumerate() {
        let names = |accesses: &[model::Access]| accesses.iter().any(|access| access.register == barrier);
        if !names(program.reads(described)) && !names(program.writes(described)) {
            continue;
        }
        let sets = chunk.mnemonic(&chunk.instructions()[inst]) == "BSSY";
        for mention in mentions(chunk, program, inst) {
            if mention.registers.contains(&barrier) {
                uses.push((inst, mention.token, sets || mention.writes));
            }
        }
    }
    uses
}

pub(super) fn target(sass: &SassView, chunk: usize, inst: usize, token: &Token) -> Target {
    let line = sass.listing().chunks()[chunk].instructions()[inst].line as usize;
    let range = sass.line_range(chunk, line);
    let selection = range.start + token.start as usize..range.start + token.end();
    Target { range, selection }
}
