//! A kernel decoded for execution: each instruction's effect on registers, transfer of control and memory access.

use super::asynchronous::AsyncForm;
use super::coordinates::Coordinates;
use super::counts::LaunchCounts;
use super::decode::{FlagInput, Work, work};
use super::file::{ALWAYS, Files, InitialValue};
use super::groups::GroupOrder;
use super::guess::{Guess, Scenario, guesses};
use super::kind::Kind;
use super::needed_slots::wanted_after;
use crate::address::operand::{Operands, Source};
use crate::address::reference::{self, Reference, Sum};
use crate::dataflow::Definitions;
use crate::launch::Origins;
use crate::requests::{SharedKind, is_reduction};
use crate::{Memory, Program, RegisterFile, Trips};
use machine::{Arch, Flow, MemorySpace};
use std::sync::Arc;
use syntax::sass::{Chunk, Encoding};

/// A kernel decoded for execution, with the trip counts that its launches state for loops.
#[derive(Debug, Clone)]
pub struct Code {
    pub(super) scenario: Scenario,
    pub(super) steps: Vec<DecodedInstruction>,
    pub(super) initial: Vec<InitialValue>,
    pub(super) flag_count: usize,
    /// Slots of the predicates that make up `PR`.
    pub(super) predicates: Vec<u16>,
    pub(super) arch: Arc<Arch>,
    /// For each instruction, the number of consecutive unguarded idle instructions that start there.
    pub(super) idle: Box<[u32]>,
    /// Measured execution counts that determine branch outcomes; `None` if the launch was not measured.
    pub(super) counts: Option<Arc<LaunchCounts>>,
    pub(super) order: GroupOrder,
}

/// An instruction, decoded for execution.
#[derive(Debug, Clone)]
pub(super) struct DecodedInstruction {
    pub guard: Option<FlagInput>,
    pub work: Option<Work>,
    /// Slots of registers whose values the instruction makes unknown. Predicate slots are in `lost_flags`.
    pub lost: Box<[u16]>,
    pub lost_flags: Box<[u16]>,
    pub transfer: ControlTransfer,
    pub access: Option<MemoryAccess>,
    pub asynchronous: Option<Box<AsyncForm>>,
    /// True if the instruction has no effect that the execution models. An idle instruction is only counted.
    pub is_idle: bool,
}

/// Transfer of control at an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ControlTransfer {
    Next,
    /// Branches to `target` in the lanes for which all conditions hold.
    Branch {
        target: u32,
        conditions: Box<[FlagInput]>,
        guess: Guess,
    },
    /// Call of the function that starts at this instruction; `None` if the callee is unknown.
    Call(Option<u32>),
    Return,
    /// Jump to an unknown target.
    Lost,
    Exit,
    /// `BSSY`: the active lanes will reconverge at this barrier.
    Gather(u8),
    /// `BSYNC`: waits for the barrier's lanes that have not exited.
    Meet(u8),
    /// `BREAK`: removes the active lanes from the barrier.
    Leave(u8),
    /// `SSY`, `PBK`, `PCNT`: pushes the target of `SYNC`, `BRK`, `CONT`.
    Push(Frame, u32),
    Pop(Frame),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    Join,
    Break,
    Continue,
    Call,
}

/// Memory access of an instruction.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact about the access")]
pub(super) struct MemoryAccess {
    pub space: MemorySpace,
    pub kind: SharedKind,
    /// See [`is_reduction`].
    pub is_reduction: bool,
    /// True for an operation on floats.
    pub is_float: bool,
    pub bytes: u32,
    /// Addends of the address; `None` if the address does not parse or a register has no slot.
    pub address: Option<Box<[Addend]>>,
    /// Coordinates that determine the address of an access to a texture or a surface.
    pub coordinates: Option<Box<Coordinates>>,
    /// The address in shared memory that `LDGSTS` copies to.
    pub destination: Option<Box<[Addend]>>,
    /// True for a copy that bypasses the L1 cache.
    pub bypasses: bool,
    /// Predicate operand of a copy. Lanes in which it is false copy zeros.
    pub condition: Option<FlagInput>,
    /// Slots of the registers that an access to local or shared memory stores or loads.
    pub data: Box<[u16]>,
    /// Slots of the registers that a load from global memory fills.
    pub loaded: Box<[u16]>,
    /// Slots of the result and the addend of an atomic addition that draws a ticket.
    pub ticket: Option<Ticket>,
    /// True if a loaded number of less than 4 bytes is signed.
    pub is_signed: bool,
    pub loads: bool,
}

/// Slots of an atomic addition that draws a ticket: it adds to a word of global memory, and the program uses the word's
/// old value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ticket {
    pub result: u16,
    pub addend: u16,
}

impl MemoryAccess {
    /// Creates the access of a texture fetch or of an instruction on a surface.
    fn by_coordinates(memory: Memory, coordinates: Option<Box<Coordinates>>, bytes: u32) -> Self {
        Self {
            space: memory.space,
            kind: if memory.stores { SharedKind::Store } else { SharedKind::Load },
            is_reduction: false,
            is_float: false,
            bytes,
            address: None,
            coordinates,
            destination: None,
            bypasses: false,
            condition: None,
            data: Box::default(),
            loaded: Box::default(),
            ticket: None,
            is_signed: false,
            loads: memory.loads,
        }
    }
}

/// An addend of an address, with registers as slots.
pub(super) type Addend = reference::Addend<u16>;

impl Code {
    /// Prepares `program`, which must have been decoded from `chunk`. Any text is accepted.
    pub fn new(chunk: &Chunk, program: &Program, trips: &Trips) -> Self {
        let mut files = Files::new(program.encoding() != Encoding::Volta);
        let guesses = guesses(chunk, program, trips);
        let mut steps: Vec<DecodedInstruction> = (0..program.instructions.len())
            .map(|at| step(&mut files, chunk, program, at, guesses[at]))
            .collect();
        let predicates = files.predicates();
        keep_what_matters(&mut steps, files.count(), files.flag_count());
        keep_common_counters(&mut steps, chunk, program);
        for step in &mut steps {
            step.is_idle = step.work.is_none()
                && step.lost.is_empty()
                && step.lost_flags.is_empty()
                && step.access.is_none()
                && step.asynchronous.is_none()
                && step.transfer == ControlTransfer::Next;
        }
        let mut idle: Box<[u32]> =
            steps.iter().map(|step| u32::from(step.is_idle && step.guard.is_none())).collect();
        for at in (1..idle.len()).rev() {
            if idle[at - 1] > 0 {
                idle[at - 1] += idle[at];
            }
        }
        Self {
            scenario: Scenario::Usual,
            steps,
            idle,
            flag_count: files.flag_count(),
            initial: files.into_values(),
            predicates,
            arch: program.arch.clone(),
            order: GroupOrder::compute(program),
            counts: None,
        }
    }

    /// Returns this code under another assumption about values that depend on memory contents.
    #[must_use]
    pub fn assuming(&self, scenario: Scenario) -> Self {
        Self { scenario, ..self.clone() }
    }

    /// True if the instruction draws a ticket from a counter that all blocks share.
    pub(super) fn draws(&self, inst: u32) -> bool {
        let access = self.steps[inst as usize].access.as_ref();
        access.is_some_and(|access| access.ticket.is_some())
    }

    /// True if the code has barrier objects, numbered barriers or transfers, which may synchronize warps of one
    /// block.
    pub(crate) fn has_objects(&self) -> bool {
        self.steps.iter().any(|step| step.asynchronous.as_deref().is_some_and(AsyncForm::meets))
    }

    pub(crate) const fn scenario(&self) -> Scenario {
        self.scenario
    }

    pub(crate) fn is_call(&self, inst: u32) -> bool {
        matches!(self.steps[inst as usize].transfer, ControlTransfer::Call(_))
    }

    /// Returns the instructions whose unknown results an address or a branch depends on: loads of data, and
    /// operations that the execution does not model.
    pub fn unknown(&self) -> impl Iterator<Item = usize> {
        let leaves = |step: &DecodedInstruction| !step.lost.is_empty() || !step.lost_flags.is_empty();
        self.steps.iter().enumerate().filter(move |(_, step)| leaves(step)).map(|(at, _)| at)
    }

    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// True if the kernel has no instruction.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

fn step(files: &mut Files, chunk: &Chunk, program: &Program, at: usize, guess: Guess) -> DecodedInstruction {
    let inst = &program.instructions[at];
    let instruction = &chunk.instructions()[at];
    let mnemonic = chunk.mnemonic(instruction);
    let modifiers: Vec<&str> = chunk.modifiers(instruction).collect();
    let operands = Operands::read(chunk, instruction, program, inst);
    files.writes_condition =
        program.writes(inst).iter().any(|access| access.register.file == RegisterFile::ConditionCode);
    let guard = inst
        .guard
        .and_then(|guard| Some(FlagInput { slot: files.flag(guard.predicate)?, inverted: guard.negated }));
    let work = operands.as_ref().and_then(|operands| work(files, mnemonic, &modifiers, operands, inst));
    // It is unknown which registers an unknown opcode writes, so every register that it names counts.
    let written = if inst.opcode.is_some() { program.writes(inst) } else { program.reads(inst) };
    let (mut lost, mut lost_flags) = (Vec::new(), Vec::new());
    for access in written {
        if let Some(slot) = files.register(access.register) {
            let is_computed = work.as_ref().is_some_and(|work| work.values.contains(&Some(slot)));
            lost.extend((!is_computed).then_some(slot));
        } else if let Some(slot) = files.flag(access.register) {
            let is_computed =
                work.as_ref().is_some_and(|work| work.results.contains(&Some(slot)) || unpacks(work));
            lost_flags.extend((!is_computed).then_some(slot));
        }
    }
    let asynchronous = operands
        .as_ref()
        .and_then(|operands| AsyncForm::decode(files, chunk, program, at, operands))
        .map(Box::new);
    let access = operands
        .as_ref()
        .filter(|_| !is_for_other_units(mnemonic))
        .and_then(|operands| access(files, chunk, program, at, operands));
    // `BRA.DIV` branches if lanes of the warp are missing.
    let is_divergence_test = modifiers.contains(&"DIV");
    let transfer = transfer(files, program, at, mnemonic, operands.as_ref(), (guess, is_divergence_test));
    DecodedInstruction {
        guard,
        work,
        lost: lost.into(),
        lost_flags: lost_flags.into(),
        transfer,
        access,
        asynchronous,
        is_idle: false,
    }
}

fn unpacks(work: &Work) -> bool {
    matches!(work.kind, Kind::UnpackPredicates(_))
}

fn transfer(
    files: &mut Files,
    program: &Program,
    at: usize,
    mnemonic: &str,
    operands: Option<&Operands>,
    (guess, is_divergence_test): (Guess, bool),
) -> ControlTransfer {
    let inst = &program.instructions[at];
    let barrier = || {
        let accesses = program.reads(inst).iter().chain(program.writes(inst));
        let mut barriers = accesses.filter(|access| access.register.file == RegisterFile::Barrier);
        barriers.next().map(|access| access.register.index as u8 & 0xf)
    };
    match mnemonic {
        "BSSY" => return barrier().map_or(ControlTransfer::Next, ControlTransfer::Gather),
        "BSYNC" => return barrier().map_or(ControlTransfer::Next, ControlTransfer::Meet),
        "BREAK" => return barrier().map_or(ControlTransfer::Next, ControlTransfer::Leave),
        "SSY" | "PBK" | "PCNT" => {
            let kind = match mnemonic {
                "SSY" => Frame::Join,
                "PBK" => Frame::Break,
                _ => Frame::Continue,
            };
            let named = program.meetings.binary_search_by_key(&(at as u32), |&(inst, _)| inst);
            return named.map_or(ControlTransfer::Next, |named| {
                ControlTransfer::Push(kind, program.meetings[named].1)
            });
        }
        "SYNC" => return ControlTransfer::Pop(Frame::Join),
        "BRK" => return ControlTransfer::Pop(Frame::Break),
        "CONT" => return ControlTransfer::Pop(Frame::Continue),
        "RET" => return ControlTransfer::Return,
        _ => {}
    }
    match inst.flow {
        Flow::Next | Flow::Barrier => ControlTransfer::Next,
        Flow::Branch => {
            let Some(target) = inst.target else { return ControlTransfer::Lost };
            let flags = operands.into_iter().flat_map(|operands| &operands.read_predicates);
            let conditions = flags.filter_map(|operand| match operand.source {
                Source::Register(register) => {
                    Some(FlagInput { slot: files.flag(register)?, inverted: operand.inverted })
                }
                Source::True if operand.inverted => Some(FlagInput { slot: ALWAYS, inverted: true }),
                _ => None,
            });
            // Lanes that a shuffle or a vote needs are assumed to be together.
            let never = is_divergence_test.then_some(FlagInput { slot: ALWAYS, inverted: true });
            ControlTransfer::Branch { target, conditions: conditions.chain(never).collect(), guess }
        }
        Flow::IndirectBranch => ControlTransfer::Lost,
        Flow::Call => ControlTransfer::Call(inst.target),
        Flow::Exit => ControlTransfer::Exit,
    }
}

fn access(
    files: &mut Files,
    chunk: &Chunk,
    program: &Program,
    at: usize,
    operands: &Operands,
) -> Option<MemoryAccess> {
    let mnemonic = chunk.mnemonic(&chunk.instructions()[at]);
    if !files.is_old
        && let Some(memory) = program.instructions[at].memory
        && memory.space.is_texels()
    {
        let coordinates = Coordinates::decode(files, chunk, program, at).map(Box::new);
        let bytes =
            coordinates.as_ref().map_or(u32::from(memory.bytes_per_lane), |coordinates| coordinates.bytes);
        return Some(MemoryAccess::by_coordinates(memory, coordinates, bytes));
    }
    let Reference { memory, kind, address, destination } = Reference::read(chunk, program, at, operands)?;
    let data = match memory.space {
        MemorySpace::Local => moved_data(files, program, at, memory.loads),
        MemorySpace::Shared if matches!(kind, SharedKind::Load | SharedKind::Store) => {
            moved_data(files, program, at, memory.loads)
        }
        _ => Box::default(),
    };
    let is_load = matches!(memory.space, MemorySpace::Global | MemorySpace::Generic)
        && memory.loads
        && !memory.stores
        && kind != SharedKind::Copy;
    Some(MemoryAccess {
        loaded: if is_load { moved_data(files, program, at, true) } else { Box::default() },
        ticket: ticket(files, chunk, program, at),
        is_signed: chunk.modifiers(&chunk.instructions()[at]).any(|own| matches!(own, "S8" | "S16")),
        space: memory.space,
        kind,
        is_reduction: is_reduction(mnemonic),
        is_float: chunk.modifiers(&chunk.instructions()[at]).any(is_float),
        bytes: u32::from(memory.bytes_per_lane),
        address: address.and_then(|sum| addends(files, &sum)),
        coordinates: None,
        destination: destination.and_then(|sum| addends(files, &sum)),
        data,
        loads: memory.loads,
        bypasses: kind == SharedKind::Copy
            && chunk.modifiers(&chunk.instructions()[at]).any(|own| own == "BYPASS"),
        condition: if kind == SharedKind::Copy { condition(files, operands) } else { None },
    })
}

/// Returns the slots of an atomic addition of 32 bits that returns the old value; `None` for other instructions.
fn ticket(files: &mut Files, chunk: &Chunk, program: &Program, at: usize) -> Option<Ticket> {
    let instruction = &chunk.instructions()[at];
    if !matches!(chunk.mnemonic(instruction), "ATOM" | "ATOMG") {
        return None;
    }
    let is_add = chunk.modifiers(instruction).any(|own| own == "ADD");
    let is_other = chunk.modifiers(instruction).any(|own| own == "64" || is_float(own));
    let result = moved_data(files, program, at, true).first().copied();
    let addend = moved_data(files, program, at, false).first().copied();
    (is_add && !is_other).then_some(Ticket { result: result?, addend: addend? })
}

/// Drops each ticket whose counter may differ between blocks, because the counter's address depends on the block index or
/// on memory contents.
fn keep_common_counters(steps: &mut [DecodedInstruction], chunk: &Chunk, program: &Program) {
    let is_drawn =
        |step: &DecodedInstruction| step.access.as_ref().is_some_and(|access| access.ticket.is_some());
    if !steps.iter().any(is_drawn) {
        return;
    }
    let definitions = Definitions::compute(program, &program.arch.isa);
    for (step, at) in steps.iter_mut().zip(0..).filter(|(step, _)| is_drawn(step)) {
        let origins = Origins::trace(chunk, program, &definitions, [at]);
        if (origins.is_of_block || origins.is_of_memory)
            && let Some(access) = &mut step.access
        {
            access.ticket = None;
        }
    }
}

/// True for an instruction that makes the TMA unit or the tensor cores access shared memory.
fn is_for_other_units(mnemonic: &str) -> bool {
    ["UTMA", "UBLK"].iter().any(|unit| mnemonic.starts_with(unit)) || mnemonic.ends_with("GMMA")
}

/// Returns the predicate operand of a copy; `None` if the copy has none.
fn condition(files: &mut Files, operands: &Operands) -> Option<FlagInput> {
    operands.read_predicates.iter().find_map(|operand| match operand.source {
        Source::Register(register) => {
            Some(FlagInput { slot: files.flag(register)?, inverted: operand.inverted })
        }
        Source::True if operand.inverted => Some(FlagInput { slot: ALWAYS, inverted: true }),
        _ => None,
    })
}

/// True if a modifier names a floating-point type: `F32`, `F16x2`, `BF16_V2`.
fn is_float(modifier: &str) -> bool {
    let digits = modifier.strip_prefix("BF").or_else(|| modifier.strip_prefix('F'));
    digits.is_some_and(|digits| digits.starts_with(|first: char| first.is_ascii_digit()))
}

/// Returns the slots of the data registers that a store writes to memory, or that a load fills.
fn moved_data(files: &mut Files, program: &Program, at: usize, loads: bool) -> Box<[u16]> {
    let inst = &program.instructions[at];
    if loads {
        return program.writes(inst).iter().filter_map(|access| files.register(access.register)).collect();
    }
    let operand = program.reads(inst).iter().filter_map(|access| access.operand).max();
    let data =
        program.reads(inst).iter().filter(|access| access.operand.is_some() && access.operand == operand);
    data.filter_map(|access| files.register(access.register)).collect()
}

/// Converts the addends of an address to register slots; `None` if a register has no slot.
fn addends(files: &mut Files, sum: &Sum) -> Option<Box<[Addend]>> {
    let addend = |addend: &reference::Addend| {
        Some(match *addend {
            reference::Addend::Number(offset) => Addend::Number(offset),
            reference::Addend::Word { register, times, signed } => {
                Addend::Word { register: files.register(register)?, times, signed }
            }
            reference::Addend::Pair { low, high } => {
                Addend::Pair { low: files.register(low)?, high: files.register(high)? }
            }
        })
    };
    sum.addends.iter().map(addend).collect()
}

/// Drops computations if no address and no branch depends on their results.
fn keep_what_matters(steps: &mut [DecodedInstruction], values: usize, flags: usize) {
    let (wanted, stores_shared) = wanted_after(steps, values, flags);
    for (step, wanted) in steps.iter_mut().zip(&wanted) {
        if step.work.as_ref().is_some_and(|work| !wanted.wants(work)) {
            step.work = None;
        }
        step.lost = step.lost.iter().copied().filter(|&slot| wanted.values.contains(slot.into())).collect();
        step.lost_flags =
            step.lost_flags.iter().copied().filter(|&slot| wanted.flags.contains(slot.into())).collect();
        if let Some(access) = &mut step.access
            && !access.loaded.iter().any(|&slot| wanted.values.contains(slot.into()))
        {
            access.loaded = Box::default();
        }
        if let Some(access) = &mut step.access {
            access.ticket = access.ticket.filter(|ticket| wanted.values.contains(ticket.result.into()));
        }
        if let Some(access) = &mut step.access
            && (access.loads && !wanted.has_data(access)
                || access.space == MemorySpace::Shared && !stores_shared)
        {
            access.data = Box::default();
        }
    }
}
