//! What a predicate says of another one.

use crate::{Guard, Inst, Program, Register, RegisterFile};

/// Predicates that, where they are true, say that a guard holds. Known within a block.
///
/// Hand-scheduled kernels of the vendor's libraries clear the guards of their loads under the opposite of the predicate
/// by which they leave (`@!P1 R2P PR, RZ, 0x78`), and compare into two predicates that are never both true.
#[derive(Debug, Default)]
pub(super) struct Implied(Vec<(Register, Guard)>);

impl Implied {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// What holds where a guard does.
    pub(super) fn by(&self, guard: Option<Guard>) -> Option<Guard> {
        let guard = guard.filter(|guard| !guard.negated)?;
        self.0.iter().find(|(predicate, _)| *predicate == guard.predicate).map(|(_, implied)| *implied)
    }

    /// Goes on behind an instruction.
    pub(super) fn pass(&mut self, program: &Program, inst: &Inst) {
        let is_predicate = |file| matches!(file, RegisterFile::Predicate | RegisterFile::UniformPredicate);
        let written = || {
            let writes = program.writes(inst).iter().map(|write| write.register);
            writes.filter(|register| is_predicate(register.file))
        };
        if !self.0.is_empty() {
            for register in written() {
                // What is written only where the guard holds still says that it does.
                self.0.retain(|(predicate, implied)| {
                    implied.predicate != register && (*predicate != register || inst.guard == Some(*implied))
                });
            }
        }
        match inst.guard {
            Some(guard) if clears(program, inst) && written().all(|register| register != guard.predicate) => {
                let otherwise = Guard { negated: !guard.negated, ..guard };
                self.0.extend(written().map(|register| (register, otherwise)));
            }
            None if inst.are_exclusive => {
                let results: Vec<Register> = written().collect();
                if let [one, other] = results[..] {
                    let not = |predicate| Guard { predicate, negated: true };
                    self.0.extend([(one, not(other)), (other, not(one))]);
                }
            }
            _ => {}
        }
    }
}

/// Whether an instruction makes predicates false: `R2P PR, RZ, 0x78`.
fn clears(program: &Program, inst: &Inst) -> bool {
    let form = inst.opcode.map(|opcode| program.arch.isa.form(opcode));
    let reads_value = || program.reads(inst).iter().any(|read| read.register.file == RegisterFile::General);
    form.is_some_and(|form| &*form.mnemonic == "R2P") && !reads_value() && inst.first_source > 0
}
