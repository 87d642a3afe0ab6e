//! Origin of an address: the instructions that compute it, and the reason why its value is unknown.

use super::{Memory, SimulatedLaunch};
use crate::finding::{Finding, Related, Site};
use machine::Flow;
use model::{Launch, MemorySpace, Register, RegisterFile};
use std::collections::{BTreeSet, VecDeque};

/// Reason why an address is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The address depends on a value that this instruction loads.
    Loaded(u32),
    /// The address depends on the result of this instruction: a value from other lanes, or a value that no
    /// launch specifies.
    Other(u32),
    /// The address depends on this register, which no path writes.
    Unwritten(Register),
}

/// Maximum number of instructions visited in a search for an origin.
const MAX_STEPS: usize = 2_000; // limit: time for one address

/// Maximum number of related positions per finding.
const MAX_RELATED: usize = 4; // limit: length of a finding

impl Memory<'_> {
    /// The registers in an instruction's address operands.
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

    /// Returns a finding at an access's address, with the instructions that compute the address. If `of_destination`
    /// is true, the finding is at the address that a copy writes.
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

    /// The instructions that write the registers of an access's address, as related positions.
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
        found.into_iter().take(MAX_RELATED).map(related).collect()
    }
}

impl Memory<'_> {
    /// Reason why it is unknown whether a launch reaches an access that no simulated warp reached.
    ///
    /// `None` if the launch determines that the access is not reached.
    pub fn reached_by(&self, inst: u32, launched: &SimulatedLaunch) -> Option<ReachUncertainty> {
        let survey = &launched.survey;
        let reaches = |branch: &u32| {
            let Some(branch) = self.program.instructions.get(*branch as usize) else { return false };
            let own = self.program.instructions[inst as usize].block;
            let after = self.program.flow.successors(branch.block).iter().copied();
            branch.flow != Flow::Next && self.program.flow.reached(after).contains(own as usize)
        };
        let mut branches = survey.undecided.iter().copied().filter(reaches);
        let Some(first) = branches.next() else {
            let assumed = survey.assumed.iter().copied().filter(|branch| *branch < inst && reaches(branch));
            let assumed = assumed.max().map(ReachUncertainty::Assumed);
            return assumed.or_else(|| survey.is_cut.then_some(ReachUncertainty::Cut));
        };
        // The nearest branch before the access is the most informative.
        let nearest = branches.chain([first]).filter(|branch| *branch <= inst).max().unwrap_or(first);
        Some(match self.unstated_value(nearest, &launched.launch) {
            Some(parameter) => ReachUncertainty::Parameter(parameter),
            None => ReachUncertainty::Branch(nearest),
        })
    }

    /// The first kernel parameter that an instruction's operands depend on and whose value the launch does
    /// not specify.
    fn unstated_value(&self, inst: u32, launch: &Launch) -> Option<String> {
        let definitions = self.definitions();
        let mut open = VecDeque::from([inst]);
        let mut seen = BTreeSet::from([inst]);
        while let Some(at) = open.pop_front() {
            let line = self.chunk.line_text(self.chunk.instructions()[at as usize].line as usize);
            let unstated = line.match_indices("c[0x0][0x").find_map(|(start, prefix)| {
                let digits = line[start + prefix.len()..].split(']').next()?;
                let offset = u32::from_str_radix(digits, 16).ok()?;
                let is_stated = launch.constant(self.isa_arch, offset).is_some();
                self.parameters.get(&offset).filter(|_| !is_stated).cloned()
            });
            if unstated.is_some() {
                return unstated;
            }
            let reads = self.program.reads(&self.program.instructions[at as usize]).iter();
            for register in reads.map(|access| access.register) {
                for write in definitions.reaching(self.program, at, register).writes {
                    if seen.len() < MAX_STEPS && seen.insert(write) {
                        open.push_back(write);
                    }
                }
            }
        }
        None
    }
}

/// Reason why it is unknown whether an access is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReachUncertainty {
    /// Execution depends on this parameter, whose value the launch does not specify.
    Parameter(String),
    /// Execution depends on the direction of this branch, which the launch does not determine.
    Branch(u32),
    /// The simulation assumed a direction of this branch that skips the access.
    Assumed(u32),
    /// The simulation stopped before the warps ended.
    Cut,
}

/// The load nearest to the access among the loads that the address depends on. If there is no load, another
/// instruction that makes the address unknown. `None` if the address is computed only from parameters by arithmetic.
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
            if !seen.insert(write) || seen.len() > MAX_STEPS {
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
