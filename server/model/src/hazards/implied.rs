//! What a predicate says of another one.

use crate::program::bound::compared;
use crate::{Bound, Guard, Inst, Program, Register, RegisterFile};

/// Predicates that, where they are true, say that a guard holds. Known within a block.
///
/// Hand-scheduled kernels of the vendor's libraries clear the guards of their loads under the opposite of the predicate
/// by which they leave (`@!P1 R2P PR, RZ, 0x78`), and compare into two predicates that are never both true. Loops of maxas's
/// users load where a counter is at least 32 and go round where it is at least 16.
#[derive(Debug, Default)]
pub(super) struct Implied {
    known: Vec<(Register, Guard)>,
    /// Predicates with the register that they were compared from, and what they say of it.
    bounds: Vec<(Register, Register, Bound)>,
}

impl Implied {
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.bounds.clear();
    }

    /// What holds where a guard does.
    pub(super) fn by(&self, guard: Option<Guard>) -> Option<Guard> {
        let guard = guard.filter(|guard| !guard.negated)?;
        self.known.iter().find(|(predicate, _)| *predicate == guard.predicate).map(|(_, implied)| *implied)
    }

    /// Goes on behind an instruction.
    pub(super) fn pass(&mut self, program: &Program, inst: &Inst) {
        let is_predicate = |file| matches!(file, RegisterFile::Predicate | RegisterFile::UniformPredicate);
        let written = || {
            let writes = program.writes(inst).iter().map(|write| write.register);
            writes.filter(|register| is_predicate(register.file))
        };
        if !self.bounds.is_empty() {
            for write in program.writes(inst) {
                self.bounds.retain(|(predicate, compared, _)| {
                    *predicate != write.register && *compared != write.register
                });
            }
        }
        if !self.known.is_empty() {
            for register in written() {
                // What is written only where the guard holds still says that it does.
                self.known.retain(|(predicate, implied)| {
                    implied.predicate != register && (*predicate != register || inst.guard == Some(*implied))
                });
            }
        }
        match inst.guard {
            Some(guard) if clears(program, inst) && written().all(|register| register != guard.predicate) => {
                let otherwise = Guard { negated: !guard.negated, ..guard };
                self.known.extend(written().map(|register| (register, otherwise)));
            }
            None if inst.are_exclusive => {
                let results: Vec<Register> = written().collect();
                if let [one, other] = results[..] {
                    let not = |predicate| Guard { predicate, negated: true };
                    self.known.extend([(one, not(other)), (other, not(one))]);
                } else if let ([predicate], Some(bound)) = (&results[..], inst.bound)
                    && let Some(register) = compared(program.reads(inst))
                {
                    self.compare(*predicate, register, bound);
                }
            }
            _ => {}
        }
    }

    /// Adds a comparison of a register and what it and earlier ones of the same value say of each other.
    fn compare(&mut self, predicate: Register, register: Register, bound: Bound) {
        let guard = |predicate, negated| Guard { predicate, negated };
        for &(earlier, _, known) in self.bounds.iter().filter(|(_, compared, _)| *compared == register) {
            let implications = [(predicate, bound, earlier, known), (earlier, known, predicate, bound)];
            for (one, own, other, others) in implications {
                if others.is_exact && others.holds(own) {
                    self.known.push((one, guard(other, false)));
                } else if !others.meets(own) {
                    self.known.push((one, guard(other, true)));
                }
            }
        }
        self.bounds.push((predicate, register, bound));
    }
}

/// Whether an instruction makes predicates false: `R2P PR, RZ, 0x78`.
fn clears(program: &Program, inst: &Inst) -> bool {
    let form = inst.opcode.map(|opcode| program.arch.isa.form(opcode));
    let reads_value = || program.reads(inst).iter().any(|read| read.register.file == RegisterFile::General);
    form.is_some_and(|form| &*form.mnemonic == "R2P") && !reads_value() && inst.first_source > 0
}
