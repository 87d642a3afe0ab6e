//! Where an address comes from: the instructions that compute it, and why it may not be known.

use super::Memory;
use crate::finding::{Finding, Related, Site};
use model::{MemorySpace, Register, RegisterFile};
use std::collections::{BTreeSet, VecDeque};

/// Why an address is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// That instruction loads what it is computed from.
    Loaded(u32),
    /// That instruction takes it from other lanes, or from what no launch states.
    Other(u32),
    /// Nothing writes that register on the way.
    Unwritten(Register),
}

/// Instructions that are looked at for where a value comes from.
const MOST_STEPS: usize = 2_000;

/// Related places of one finding.
const MOST_RELATED: usize = 4;

impl Memory<'_> {
    /// The registers that an instruction's addresses are sums of.
    fn address_registers(&self, inst: u32) -> Vec<Register> {
        let operands: Vec<u8> = self.address_operands(inst).into_iter().map(|(at, _)| at).collect();
        let reads = self.program.reads(&self.program.instructions[inst as usize]).iter();
        let mut registers: Vec<Register> = reads
            .filter(|access| access.operand.is_some_and(|at| operands.contains(&at)))
            .map(|access| access.register)
            .filter(|register| {
                matches!(register.file, RegisterFile::General | RegisterFile::Uniform | RegisterFile::Named)
            })
            .collect();
        registers.dedup();
        registers
    }

    /// A finding on the address of an access, with the places that compute it; `of_destination`: of where a copy writes to.
    pub(crate) fn finding(
        &self,
        code: &'static str,
        inst: u32,
        of_destination: bool,
        message: String,
    ) -> Finding {
        let place = Site::new(inst, self.place(inst, of_destination));
        Finding { related: self.computed_at(inst), ..Finding::new(code, place, message) }
    }

    /// The instructions that write the registers of an access's address, as places that a finding points to.
    fn computed_at(&self, inst: u32) -> Vec<Related> {
        let definitions = self.definitions();
        let mut found = BTreeSet::new();
        for register in self.address_registers(inst) {
            found.extend(definitions.reaching(self.program, inst, register).writes);
        }
        found.remove(&inst);
        let related = |instruction| Related {
            place: Site::whole(instruction),
            message: "the address is computed here".to_owned(),
        };
        found.into_iter().take(MOST_RELATED).map(related).collect()
    }
}

/// The load nearest to an access that its address depends on, else another instruction that makes it unknown; `None` where
/// arithmetic and parameters are all that it is made of.
pub fn origin(memory: &Memory<'_>, inst: u32) -> Option<Origin> {
    let program = memory.program;
    let definitions = memory.definitions();
    let mut open: VecDeque<(u32, Register)> =
        memory.address_registers(inst).into_iter().map(|register| (inst, register)).collect();
    let mut seen = BTreeSet::new();
    let (mut other, mut unwritten) = (None, None);
    while let Some((at, register)) = open.pop_front() {
        let reaching = definitions.reaching(program, at, register);
        if reaching.from_entry && reaching.writes.is_empty() {
            unwritten = unwritten.or(Some(Origin::Unwritten(register)));
        }
        for write in reaching.writes {
            if !seen.insert(write) || seen.len() > MOST_STEPS {
                continue;
            }
            let writer = &program.instructions[write as usize];
            let is_load = writer.memory.is_some_and(|memory| {
                memory.loads && !matches!(memory.space, MemorySpace::Constant | MemorySpace::Local)
            });
            if is_load {
                return Some(Origin::Loaded(write));
            }
            let mnemonic = memory.chunk.mnemonic(&memory.chunk.instructions()[write as usize]);
            if writer.opcode.is_none()
                || matches!(mnemonic, "SHFL" | "REDUX" | "VOTE" | "VOTEU" | "CS2R" | "MATCH" | "TEX" | "TLD")
            {
                other = other.or(Some(Origin::Other(write)));
                continue;
            }
            let files = [RegisterFile::General, RegisterFile::Uniform, RegisterFile::Named];
            let reads = program.reads(writer).iter().map(|access| access.register);
            open.extend(
                reads.filter(|register| files.contains(&register.file)).map(|register| (write, register)),
            );
        }
    }
    other.or(unwritten)
}
