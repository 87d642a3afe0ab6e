//! The address of a memory instruction, as a form.

use super::forms::{FormId, Value};
use super::operand::{Operands, Part, Source, Width, parts};
use super::slots::State;
use super::step::Machine;
use crate::requests::SharedKind;
use crate::{Register, RegisterFile};
use machine::MemorySpace;

/// The addresses that an instruction uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    pub space: MemorySpace,
    pub bytes_per_lane: u8,
    /// In the space of the instruction; what it copies from.
    pub address: Option<FormId>,
    /// In shared memory: what `LDGSTS` copies to.
    pub destination: Option<FormId>,
    /// What it does to shared memory, if that is its space or what it copies to.
    pub kind: SharedKind,
}

impl Machine<'_> {
    /// `None` for what is no access to memory by an address.
    pub(super) fn access(&mut self, state: &State, at: usize) -> Option<Access> {
        use MemorySpace::{Generic, Global, Local, Shared};
        let program = self.program;
        let inst = &program.instructions[at];
        let memory = inst.memory?;
        if !matches!(memory.space, Shared | Global | Local | Generic) {
            return None;
        }
        let instruction = &self.chunk.instructions()[at];
        let operands = Operands::of(self.chunk, instruction, program, inst)?;
        let mnemonic = self.chunk.mnemonic(instruction);
        let mut all = operands.addresses.iter().rev();
        let address = *all.next()?;
        let destination = all.next().copied().filter(|_| mnemonic == "LDGSTS");
        let mut form = |(operand, source): (u8, Source)| {
            let Source::Address(tokens) = source else { return None };
            let line = self.chunk.line_text(inst.line as usize);
            let general = |access: &&crate::Access| {
                access.operand == Some(operand) && access.register.file == RegisterFile::General
            };
            let is_pair = program.reads(inst).iter().filter(general).count() == 2;
            self.address(state, &parts(line, tokens)?, is_pair)
        };
        Some(Access {
            space: memory.space,
            bytes_per_lane: memory.bytes_per_lane,
            address: form((address.0, address.1.source)),
            destination: destination.and_then(|(at, operand)| form((at, operand.source))),
            kind: match mnemonic {
                "LDSM" | "STSM" => SharedKind::Matrix,
                "LDGSTS" => SharedKind::Copy,
                _ if memory.loads && memory.stores => {
                    SharedKind::of_atomic(self.chunk.modifiers(instruction))
                }
                _ if memory.stores => SharedKind::Store,
                _ => SharedKind::Load,
            },
        })
    }

    /// The sum of an address's parts. `is_pair`: a lone register stands for two, though the text does not say so.
    fn address(&mut self, state: &State, parts: &[Part], is_pair: bool) -> Option<FormId> {
        let registers = parts.iter().filter(|part| matches!(part, Part::Register { .. })).count();
        let marked = |part: &Part| matches!(part, Part::Register { width: Some(_), .. });
        let is_wide = is_pair || parts.iter().any(marked);
        let mut sum = FormId::ZERO;
        for part in parts {
            let (addend, times) = match *part {
                Part::Offset(offset) => (self.forms.constant(offset), 1),
                Part::Register { register, times, width } => {
                    let value = self.slots.get(state, register);
                    let addend = match (width, value) {
                        (Some(Width::Pair), _) => self.register_pair(state, register)?,
                        (None, _) if is_pair && registers == 1 => self.register_pair(state, register)?,
                        // Beside an index of 32 bits stands a base of 64. Beside a pair it might be either.
                        (None, _) if is_wide => {
                            let by_index = parts.iter().any(|part| {
                                matches!(part, Part::Register { width: Some(Width::Single { .. }), .. })
                            });
                            by_index.then(|| self.register_pair(state, register)).flatten()?
                        }
                        (Some(Width::Single { signed }), Value::Form(form)) if is_wide && registers > 1 => {
                            self.forms.extend(form, signed)?
                        }
                        (_, Value::Form(form)) => form,
                        _ => return None,
                    };
                    (addend, times)
                }
            };
            sum = if is_wide {
                self.forms.add(sum, addend, times)?
            } else {
                self.forms.add32(sum, addend, times)?
            };
        }
        Some(sum)
    }

    fn register_pair(&mut self, state: &State, register: Register) -> Option<FormId> {
        let next = Register { index: register.index.checked_add(1)?, ..register };
        self.forms.pair(self.slots.get(state, register), self.slots.get(state, next))
    }
}
