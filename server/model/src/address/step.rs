//! Effect of one instruction on the abstract values of registers.

use super::arithmetic::{Results, compute};
use super::forms::{Forms, Value};
use super::operand::{Operand, Operands, Source};
use super::slots::{Slots, State};
use super::term::Op;
use crate::{Inst, Program, Register, RegisterFile};
use machine::MemorySpace;
use syntax::sass::Chunk;

/// Opcodes whose results may differ between lanes even if their inputs do not. Matrix products have the same
/// property.
const BY_LANE: [&str; 12] =
    ["S2R", "CS2R", "S2UR", "SHFL", "MATCH", "ELECT", "PIXLD", "ALD", "IPA", "ISBERD", "FSWZADD", "P2R"];

/// Executes instructions on a [`State`] of abstract values.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    pub chunk: &'a Chunk,
    pub program: &'a Program,
    pub slots: &'a Slots,
    pub forms: &'a mut Forms,
}

impl Machine<'_> {
    /// Applies the effect of an instruction to the state.
    pub(super) fn execute(&mut self, state: &mut State, at: usize) {
        let program = self.program;
        let inst = &program.instructions[at];
        let instruction = &self.chunk.instructions()[at];
        if inst.opcode.is_some() && program.writes(inst).is_empty() {
            return;
        }
        let Some(operands) = Operands::read(self.chunk, instruction, program, inst) else {
            // It is unknown which registers an unknown opcode writes: all that it names become unknown.
            for access in program.reads(inst) {
                self.put(state, access.register, Value::Unknown);
            }
            return;
        };
        let mnemonic = self.chunk.mnemonic(instruction);
        let modifiers: Vec<&str> = self.chunk.modifiers(instruction).collect();
        let results = compute(self, state, mnemonic, &modifiers, inst, &operands);
        let opaque =
            self.is_same_in_all_lanes(state, mnemonic, inst).then(|| self.forms.opaque_pair(false)).flatten();
        let guard = inst.guard.map(|guard| {
            let value = self.slots.get(state, guard.predicate);
            (value, guard.negated)
        });
        for access in program.writes(inst) {
            let register = access.register;
            let value = result_for(&results, &operands, register);
            let value = value.unwrap_or_else(|| self.unexplained(&operands, register, opaque));
            let Some(slot) = self.slots.slot(register) else { continue };
            let value = match guard {
                None => value,
                Some((guard, negated)) => self.merged(state[slot], value, guard, negated),
            };
            self.put(state, register, value);
        }
    }

    pub(super) fn put(&mut self, state: &mut State, register: Register, value: Value) {
        if let Some(slot) = self.slots.slot(register) {
            let unknown = value == Value::Unknown && self.slots.is_uniform(slot);
            state[slot] = if unknown { self.forms.opaque() } else { value };
        }
    }

    /// Returns the value of a result that is not computed: a new symbol if all lanes get the same result, otherwise
    /// unknown.
    fn unexplained(&mut self, operands: &Operands, register: Register, opaque: Option<[u32; 3]>) -> Value {
        let Some([low, high, _]) = opaque else { return Value::Unknown };
        let part = match offset(operands, register) {
            Some(0) => low,
            Some(1) => high,
            _ => return self.forms.opaque(),
        };
        Value::Form(self.forms.symbol(super::Symbol::Opaque(part)))
    }

    /// Joins the old and the new value of a guarded write.
    fn merged(&mut self, old: Value, new: Value, guard: Value, negated: bool) -> Value {
        if old == new {
            return new;
        }
        let (yes, no) = if negated { (old, new) } else { (new, old) };
        if let (Value::Form(guard), Value::Form(yes), Value::Form(no)) = (guard, yes, no) {
            match self.forms.as_constant(guard) {
                Some(0) => return Value::Form(no),
                Some(_) => return Value::Form(yes),
                None => {
                    if let Some(form) = self.forms.term(Op::Select, [guard, yes, no]) {
                        return Value::Form(form);
                    }
                }
            }
        }
        let uniform = [old, new, guard].iter().all(|&value| self.forms.uniform(value));
        if uniform { self.forms.opaque() } else { Value::Unknown }
    }

    /// True if all active lanes get the same results.
    fn is_same_in_all_lanes(&self, state: &State, mnemonic: &str, inst: &Inst) -> bool {
        if matches!(mnemonic, "VOTE" | "VOTEU" | "REDUX" | "CREDUX") {
            return true;
        }
        let by_lane = BY_LANE.contains(&mnemonic) || mnemonic.ends_with("MMA");
        let memory = inst.memory.is_none_or(|memory| {
            let shared = matches!(
                memory.space,
                MemorySpace::Shared | MemorySpace::Global | MemorySpace::Generic | MemorySpace::Constant
            );
            // A matrix load distributes the data over the lanes.
            shared && memory.loads && !memory.stores && !matches!(mnemonic, "LDSM" | "LDTRAM")
        });
        let reads = self.program.reads(inst);
        let own = reads
            .iter()
            .filter(|access| access.operand.is_some() || access.register.file == RegisterFile::ConditionCode);
        !by_lane
            && memory
            && own.into_iter().all(|access| self.forms.uniform(self.slots.get(state, access.register)))
    }
}

/// Index of a register among the registers of the first destination operand. `None` if the register is in
/// another file or has a lower index than the operand.
fn offset(operands: &Operands, register: Register) -> Option<usize> {
    let first = operands.written.first()?;
    match first.source {
        Source::Register(first) if first.file == register.file => {
            register.index.checked_sub(first.index).map(usize::from)
        }
        _ => None,
    }
}

fn result_for(results: &Results, operands: &Operands, register: Register) -> Option<Value> {
    match register.file {
        RegisterFile::ConditionCode => results.predicates[0],
        RegisterFile::Predicate | RegisterFile::UniformPredicate => {
            let named = |operand: &Operand| operand.source == Source::Register(register);
            let at = operands.written_predicates.iter().position(named)?;
            *results.predicates.get(at)?
        }
        _ => *results.registers.get(offset(operands, register)?)?,
    }
}
