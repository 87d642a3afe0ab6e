//! Producers and consumers of an instruction's values, and the live ranges of its registers.

use super::mention::mentions;
use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::SassView;
use crate::words::live::names;
use crate::{RegisterLife, RelatedInstruction, Relations};
use model::{Register, RegisterFile};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the relations of the instruction on the line at an offset; `None` if the line has no
/// instruction.
pub(crate) fn relations(sass: &SassView, offset: usize) -> Cancellable<Option<Relations>> {
    let Some((index, inst)) = sass.instruction_at(offset) else { return Ok(None) };
    sass.cancel.check()?;
    let kernel = sass.kernel(index);
    let program = kernel.program();
    let chains = kernel.model.definitions();
    let range = |inst: u32| sass.line_range(index, kernel.text(inst as usize).line as usize);
    let mut producers: BTreeMap<u32, BTreeSet<Register>> = BTreeMap::new();
    let mut consumers: BTreeMap<u32, BTreeSet<Register>> = BTreeMap::new();
    let mut lives: Vec<RegisterLife> = Vec::new();
    let own = inst as u32;
    for mention in mentions(kernel.chunk, program, inst) {
        for &register in &mention.registers {
            // Convergence barriers have their own navigation.
            if register.file == RegisterFile::Barrier {
                continue;
            }
            if mention.reads {
                for write in chains.reaching(program, own, register).writes {
                    producers.entry(write).or_default().insert(register);
                }
            }
            if mention.writes {
                for read in chains.uses(program, own, register) {
                    consumers.entry(read).or_default().insert(register);
                }
            }
            let web = chains.web(program, own, register, mention.writes);
            let (Some(&first), Some(&last)) = (web.keys().next(), web.keys().next_back()) else { continue };
            let name = kernel.program().register_name(register);
            if first < last && lives.iter().all(|life| life.register != name) {
                lives.push(RegisterLife { register: name, first: range(first), last: range(last) });
            }
        }
    }
    let relatives = |found: BTreeMap<u32, BTreeSet<Register>>| {
        let one = |(inst, registers): (u32, BTreeSet<Register>)| RelatedInstruction {
            range: range(inst),
            registers: registers_in_words(&kernel, registers),
        };
        found.into_iter().map(one).collect::<Vec<_>>()
    };
    let (producers, consumers) = (relatives(producers), relatives(consumers));
    Ok(Some(Relations { range: range(own), producers, consumers, lives }))
}

/// Formats registers as `R4-R7 R12, P0`. Names of an assembler are listed as spelled in the text.
fn registers_in_words(kernel: &KernelView<'_>, registers: BTreeSet<Register>) -> String {
    let registers: Vec<Register> = registers.into_iter().collect();
    let listed = names(&registers);
    if listed.is_empty() {
        return registers
            .iter()
            .map(|&register| kernel.program().register_name(register))
            .collect::<Vec<_>>()
            .join(" ");
    }
    listed
}
