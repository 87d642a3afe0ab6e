//! Proof that a kernel behaves the same with a value in another register. Every read sees the same
//! writes, no called function sees a different value, and no register is overwritten while an operation
//! on it is in flight.

use super::register_rename::{Value, shifted};
use super::rename::refuse;
use crate::Refusal;
use crate::TextEdit;
use crate::engine::sass_text::with_edits;
use crate::engine::sass_view::SassView;
use crate::kernels::places::located;
use machine::{Flow, Isa};
use model::dataflow::Definitions;
use model::flow::Direction;
use model::hazards::{self, Hazard, MissingOrder};
use model::{Program, Register, RegisterFile};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use syntax::sass::{Chunk, TokenKind};

/// A kernel before an edit, the value that the edit moves, and the difference between the new and the
/// old register number.
pub(super) struct Proof<'a> {
    pub chunk: &'a Chunk,
    pub before: &'a Program,
    pub isa: &'a Arc<Isa>,
    pub value: &'a Value,
    pub shift: i32,
}

impl Proof<'_> {
    /// Checks the kernel with the edits applied: parses the edited text and compares it with the original.
    pub(super) fn of_edits(&self, sass: &SassView, index: usize, edits: &[TextEdit]) -> Result<(), Refusal> {
        let edited = with_edits(sass.listing(), edits);
        let same = edited.chunks().get(index);
        let Some(chunk) = same.filter(|chunk| chunk.instructions().len() == self.chunk.instructions().len())
        else {
            return refuse("the text would be parsed differently");
        };
        let after = Program::decode(chunk, &self.before.arch);
        self.names_agree(&after)?;
        self.reads_agree(&after)?;
        self.calls_agree(&after)?;
        self.keeps_no_old_value(chunk, &after)?;
        self.is_in_time(&after)
    }

    fn moved(&self, inst: u32, register: Register, written: bool) -> Option<Register> {
        if self.value.touched.contains(&(inst, register, written)) {
            shifted(register, self.shift)
        } else {
            Some(register)
        }
    }

    /// Checks that every operand names the same register as before, except operands of the moved value.
    fn names_agree(&self, after: &Program) -> Result<(), Refusal> {
        for (inst, (old, new)) in (0..).zip(self.before.instructions.iter().zip(&after.instructions)) {
            for (written, old, new) in [
                (false, self.before.reads(old), after.reads(new)),
                (true, self.before.writes(old), after.writes(new)),
            ] {
                let agrees = old.len() == new.len()
                    && old.iter().zip(new).all(|(old, new)| {
                        old.operand == new.operand
                            && self.moved(inst, old.register, written) == Some(new.register)
                    });
                if !agrees {
                    return refuse(format!("{} would be parsed differently", self.located(inst)));
                }
            }
        }
        Ok(())
    }

    /// Checks that every read of the old and new registers sees the same writes as before.
    fn reads_agree(&self, after: &Program) -> Result<(), Refusal> {
        let old_chains = Definitions::compute(self.before, self.isa);
        let new_chains = Definitions::compute(after, self.isa);
        let involved: FxHashSet<Register> = self
            .value
            .touched
            .iter()
            .flat_map(|&(_, register, _)| [Some(register), shifted(register, self.shift)])
            .flatten()
            .collect();
        for (inst, described) in (0..).zip(&self.before.instructions) {
            let mut seen = FxHashSet::default();
            for access in self.before.reads(described) {
                let old = access.register;
                let Some(new) = self.moved(inst, old, false) else { continue };
                if !(involved.contains(&old) || involved.contains(&new)) || !seen.insert(old) {
                    continue;
                }
                let was = old_chains.reaching(self.before, inst, old);
                let is = new_chains.reaching(after, inst, new);
                if was != is {
                    return self.in_use(inst, new, &was.writes, &is.writes);
                }
            }
        }
        Ok(())
    }

    fn in_use(&self, read: u32, register: Register, was: &[u32], is: &[u32]) -> Result<(), Refusal> {
        let name = register.to_string();
        if old_reads(self.value, read, register, self.shift) {
            let other = is.iter().find(|write| !was.contains(write));
            return match other {
                Some(&other) => refuse(format!(
                    "{} writes {name} before the value is read by {}",
                    self.located(other),
                    self.located(read)
                )),
                None => refuse(format!("{name} is in use before {}", self.located(read))),
            };
        }
        let from =
            was.first().map_or_else(String::new, |&from| format!(", written by {},", self.located(from)));
        refuse(format!("{name} is in use{from} until {} reads it", self.located(read)))
    }

    /// Checks that no write of the value reaches a call or return, in the old or the new register. The
    /// value may be an argument or a result.
    fn calls_agree(&self, after: &Program) -> Result<(), Refusal> {
        let leaves = |inst: u32| {
            let inst = &self.before.instructions[inst as usize];
            let is_return = || inst.opcode.is_some_and(|id| &*self.isa.form(id).mnemonic == "RET");
            inst.flow == Flow::Call || inst.flow == Flow::Exit && is_return()
        };
        if !(0..self.before.instructions.len() as u32).any(leaves) {
            return Ok(());
        }
        for &(inst, register, written) in &self.value.touched {
            if !written {
                continue;
            }
            let new = shifted(register, self.shift).unwrap_or(register);
            for (program, register) in [(self.before, register), (after, new)] {
                if let Some(call) = reached(program, inst, register, leaves) {
                    return refuse(format!(
                        "{} would see a different value in {}: it is not known which registers carry arguments and results",
                        self.located(call),
                        register
                    ));
                }
            }
        }
        Ok(())
    }

    /// Checks that the edit adds no `.reuse` on a register that the same instruction overwrites.
    fn keeps_no_old_value(&self, chunk: &Chunk, after: &Program) -> Result<(), Refusal> {
        for inst in 0..after.instructions.len() as u32 {
            if keeps_overwritten(chunk, after, inst) && !keeps_overwritten(self.chunk, self.before, inst) {
                return refuse(format!(
                    "{} would have `.reuse` on a register that it overwrites",
                    self.located(inst)
                ));
            }
        }
        Ok(())
    }

    /// Checks that the unchanged control codes cause no new hazard.
    fn is_in_time(&self, after: &Program) -> Result<(), Refusal> {
        let old = hazards::check(self.before).hazards;
        let known = |new: &Hazard| {
            old.iter().any(|old| (old.first, old.second, old.order) == (new.first, new.second, new.order))
        };
        let Some(new) = hazards::check(after).hazards.into_iter().find(|hazard| !known(hazard)) else {
            return Ok(());
        };
        let name = new.register.to_string();
        let (first, second) = (self.located(new.first), self.located(new.second));
        refuse(match new.lack {
            MissingOrder::Cycles { has, needs } => format!(
                "{first} is not done with {name} when {second} issues {has} cycles later: it takes {}",
                needs.value
            ),
            MissingOrder::Wait { .. } | MissingOrder::Scoreboard => {
                format!(
                    "{first} may still be using {name} when {second} issues, because {second} does not wait for it"
                )
            }
        })
    }

    fn located(&self, inst: u32) -> String {
        located(self.chunk, self.before, inst)
    }
}

/// True if an instruction reads the value that moves to `register`.
fn old_reads(value: &Value, inst: u32, register: Register, shift: i32) -> bool {
    shifted(register, -shift).is_some_and(|old| value.touched.contains(&(inst, old, false)))
}

/// Returns an instruction that satisfies `wanted`, reached from `from` on a path that does not unconditionally write
/// the register. `None` if no such path exists.
fn reached(program: &Program, from: u32, register: Register, wanted: impl Fn(u32) -> bool) -> Option<u32> {
    let overwrites = |inst: u32| {
        let inst = &program.instructions[inst as usize];
        inst.guard.is_none() && program.writes(inst).iter().any(|access| access.register == register)
    };
    let mut found = None;
    program.search(from, Direction::Forward, |inst| {
        let is_wanted = wanted(inst);
        if is_wanted {
            found = found.or(Some(inst));
        }
        is_wanted || found.is_some() || overwrites(inst)
    });
    found
}

/// True if an instruction has `.reuse` on a register that it also writes.
fn keeps_overwritten(chunk: &Chunk, program: &Program, inst: u32) -> bool {
    let instruction = &chunk.instructions()[inst as usize];
    let line = chunk.line_text(instruction.line as usize);
    let written = program.writes(&program.instructions[inst as usize]);
    chunk.tokens(instruction.tokens).windows(2).any(|pair| {
        pair[0].kind == TokenKind::Register
            && pair[1].kind == TokenKind::Modifier
            && pair[1].text(line) == ".reuse"
            && written.iter().any(|access| {
                access.register.file == RegisterFile::General
                    && u32::from(access.register.index) == pair[0].value
            })
    })
}
