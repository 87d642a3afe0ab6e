//! The address of a memory instruction, as a form.

use super::forms::{FormId, Value};
use super::operand::Operands;
use super::reference::{Addend, Reference, Sum};
use super::slots::State;
use super::step::Machine;

/// The addresses that an instruction uses.
pub(super) type FormReference = Reference<FormId>;

impl Machine<'_> {
    /// Evaluates the addresses of an instruction to forms; `None` if the instruction does not access memory by an
    /// address.
    pub(super) fn access(&mut self, state: &State, at: usize) -> Option<FormReference> {
        let program = self.program;
        let inst = &program.instructions[at];
        inst.memory?;
        let operands = Operands::read(self.chunk, &self.chunk.instructions()[at], program, inst)?;
        let Reference { memory, kind, address, destination } =
            Reference::read(self.chunk, program, at, &operands)?;
        let mut form = |sum: Option<Sum>| self.address(state, &sum?);
        Some(FormReference { memory, kind, address: form(address), destination: form(destination) })
    }

    fn address(&mut self, state: &State, of: &Sum) -> Option<FormId> {
        let mut sum = FormId::ZERO;
        for addend in &of.addends {
            let (form, times) = match *addend {
                Addend::Number(offset) => (self.forms.constant(offset), 1),
                Addend::Pair { low, high } => {
                    let (low, high) = (self.slots.get(state, low), self.slots.get(state, high));
                    (self.forms.pair(low, high)?, 1)
                }
                Addend::Word { register, times, signed } => {
                    let Value::Form(form) = self.slots.get(state, register) else { return None };
                    (signed.map_or(Some(form), |signed| self.forms.extend(form, signed))?, times)
                }
            };
            sum = if of.is_wide {
                self.forms.add(sum, form, times)?
            } else {
                self.forms.add32(sum, form, times)?
            };
        }
        Some(sum)
    }
}
