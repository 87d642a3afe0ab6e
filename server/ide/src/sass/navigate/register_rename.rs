//! Renames a hardware register by moving one value, from its writers to its readers. All registers of
//! an aligned group move together.

use super::mention::mentions;
use super::referent::RegisterPlace;
use super::register_proof::Proof;
use super::rename::refuse;
use crate::Refusal;
use crate::TextEdit;
use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::SassView;
use crate::kernels::places::located;
use model::dataflow::Definitions;
use model::flow::Direction;
use model::{Guard, Program, Register, RegisterFile};
use std::collections::{BTreeMap, BTreeSet};
use syntax::sass::rewrite::{self, NewRegister, Unwritable};
use syntax::sass::{Chunk, Dialect, Token, TokenKind};

/// Largest alignment of a register group. Larger groups have the same alignment.
const WIDEST_ALIGNMENT: u16 = 4; // limit: alignment of the register groups that compilers write

/// Register in which nvcc keeps the stack pointer.
const STACK_POINTER: Register = Register { file: RegisterFile::General, index: 1 };

/// A register access: the instruction's index, the register, and true for a write.
pub(super) type RegisterAccess = (u32, Register, bool);

/// A value, or several values that can only be moved together.
#[derive(Debug, Default)]
pub(super) struct Value {
    pub touched: BTreeSet<RegisterAccess>,
    /// Words that name the value, keyed by instruction and position in the line, and the registers that
    /// each word names.
    words: BTreeMap<(u32, u16), (Token, Vec<Register>)>,
}

/// Returns the edits, in text order, that move the value at a position to another register.
pub(super) fn edits(sass: &SassView, place: &RegisterPlace<'_>, new: &str) -> Result<Vec<TextEdit>, Refusal> {
    let KernelView { index, chunk, model, .. } = &place.kernel;
    let old = place.mention.registers[0];
    let new = parsed(old.file, new)?;
    if new == old {
        return Ok(Vec::new());
    }
    let program = Program::decode(chunk, &model.isa_arch);
    if !program.names.is_empty() && chunk.dialect().is_some_and(Dialect::is_source) {
        return refuse(format!(
            "this file maps names such as {} to registers; {} may be one of them",
            program.names[0], new
        ));
    }
    let value = Value::find(chunk, &program, place)?;
    let shift = i32::from(new.index) - i32::from(old.index);
    let is_stack = |&(_, register, _): &RegisterAccess| {
        register == STACK_POINTER || shifted(register, shift) == Some(STACK_POINTER)
    };
    if keeps_to_conventions(chunk.dialect()) && value.touched.iter().any(is_stack) {
        return refuse("R1 is the stack pointer, from the first instruction to the last");
    }
    fits(sass, chunk, &program, &value, shift)?;
    let edits = value.edits(sass, *index, &program, shift)?;
    let proof = Proof { chunk, before: &program, isa: model.isa(), value: &value, shift };
    proof.of_edits(sass, *index, &edits)?;
    Ok(edits)
}

/// True if the word names a numbered register, not a register such as `RZ` or `PT`.
pub(super) fn is_numbered(place: &RegisterPlace<'_>) -> bool {
    let kinds =
        [TokenKind::Register, TokenKind::UniformRegister, TokenKind::Predicate, TokenKind::UniformPredicate];
    kinds.contains(&place.mention.token.kind)
}

/// True if the code follows nvcc's conventions, as compiled code does. Sources for maxas, KeplerAs and
/// TuringAs have no stack.
const fn keeps_to_conventions(dialect: Option<Dialect>) -> bool {
    !matches!(dialect, Some(Dialect::Maxas | Dialect::KeplerAs | Dialect::TuringAs))
}

/// Parses the name of a register in a register file.
fn parsed(file: RegisterFile, name: &str) -> Result<Register, Refusal> {
    let prefix = (Register { file, index: 0 }).to_string();
    let prefix = prefix.trim_end_matches('0');
    let number = name.trim().strip_prefix(prefix).filter(|digits| {
        digits.bytes().all(|byte| byte.is_ascii_digit()) && (*digits == "0" || !digits.starts_with('0'))
    });
    match number.and_then(|number| number.parse().ok()) {
        Some(index) if index < count_of(file) => Ok(Register { file, index }),
        Some(_) => refuse(format!("the last such register is {prefix}{}", count_of(file) - 1)),
        None => refuse(format!(
            "`{name}` is not a register of this kind ({prefix}0 to {prefix}{})",
            count_of(file) - 1
        )),
    }
}

/// Returns the number of registers in a file that an instruction can name, without constant registers
/// such as `RZ` or `PT`.
const fn count_of(file: RegisterFile) -> u16 {
    match file {
        RegisterFile::General => 255,
        RegisterFile::Uniform => 63,
        _ => 7,
    }
}

/// Returns the register of the same file whose number is larger by `shift`; `None` if the register does
/// not exist.
pub(super) fn shifted(register: Register, shift: i32) -> Option<Register> {
    let index = u16::try_from(i32::from(register.index) + shift).ok()?;
    (index < count_of(register.file)).then_some(Register { index, ..register })
}

impl Value {
    /// Finds all accesses to the value at a position, and to all values that an operand groups with it in consecutive
    /// registers.
    fn find(chunk: &Chunk, program: &Program, place: &RegisterPlace<'_>) -> Result<Self, Refusal> {
        let chains = place.kernel.model.definitions();
        let mut value = Self::default();
        let mut open: Vec<RegisterAccess> = Vec::new();
        let own = place.inst as u32;
        for &register in &place.mention.registers {
            open.extend(place.mention.reads.then_some((own, register, false)));
            open.extend(place.mention.writes.then_some((own, register, true)));
        }
        while let Some((inst, register, written)) = open.pop() {
            if value.touched.contains(&(inst, register, written)) {
                continue;
            }
            for (inst, touch) in chains.web(program, inst, register, written) {
                for (does, written) in [(touch.reads, false), (touch.writes, true)] {
                    if does && value.touched.insert((inst, register, written)) {
                        value.name(chunk, program, (inst, register, written), &mut open)?;
                    }
                }
            }
        }
        value.begins_in_kernel(chunk, program, chains)?;
        Ok(value)
    }

    /// Adds the operand words through which an instruction accesses a register to the value. Appends the accesses to
    /// all registers that these words name to the worklist `open`. `Err` if the opcode is unknown, or if no word names
    /// the register.
    fn name(
        &mut self,
        chunk: &Chunk,
        program: &Program,
        (inst, register, written): RegisterAccess,
        open: &mut Vec<RegisterAccess>,
    ) -> Result<(), Refusal> {
        let here = || located(chunk, program, inst);
        if program.instructions[inst as usize].opcode.is_none() {
            return refuse(format!(
                "{} is not an opcode of this architecture: how it uses {} is unknown",
                here(),
                register
            ));
        }
        let mut named = false;
        for mention in mentions(chunk, program, inst as usize) {
            let does = if written { mention.writes } else { mention.reads };
            if !does || !mention.registers.contains(&register) {
                continue;
            }
            if mention.token.kind == TokenKind::StateRegister {
                break;
            }
            named = true;
            for &other in &mention.registers {
                open.extend(mention.reads.then_some((inst, other, false)));
                open.extend(mention.writes.then_some((inst, other, true)));
            }
            self.words.insert((inst, mention.token.start), (mention.token, mention.registers));
        }
        if named {
            return Ok(());
        }
        let does = if written { "may write" } else { "reads" };
        refuse(format!("{} {does} {} without naming it", here(), register))
    }

    /// Refuses a value that may be live at the entry of the kernel.
    fn begins_in_kernel(
        &self,
        chunk: &Chunk,
        program: &Program,
        chains: &Definitions,
    ) -> Result<(), Refusal> {
        let reads = self.touched.iter().filter(|(_, _, written)| !written);
        let mut late = reads.filter(|&&(inst, register, _)| {
            chains.reaching(program, inst, register).from_entry
                && reaches_entry(program, chains, inst, register)
        });
        match late.next() {
            None => Ok(()),
            Some(&(inst, register, _)) => refuse(format!(
                "{} may read the value that {} has when the kernel starts",
                located(chunk, program, inst),
                register
            )),
        }
    }

    /// Returns the edits of the operands, and of the encodings if the text has encodings.
    fn edits(
        &self,
        sass: &SassView,
        index: usize,
        program: &Program,
        shift: i32,
    ) -> Result<Vec<TextEdit>, Refusal> {
        let chunk = &sass.listing().chunks()[index];
        let new = |(&(inst, _), (token, registers)): (&(u32, u16), &(Token, Vec<Register>))| {
            Some(NewRegister { inst, token: *token, index: shifted(registers[0], shift)?.index })
        };
        let new: Vec<NewRegister> = self.words.iter().filter_map(new).collect();
        let replacements = rewrite::rename(chunk, &new, |inst, operand| program.is_result(inst, operand));
        let start = sass.start(index);
        match replacements {
            Ok(replacements) => {
                Ok(replacements.into_iter().map(|new| TextEdit::placed(start, new)).collect())
            }
            Err(Unwritable::Encoding(inst)) => refuse(format!(
                "it is unclear which bits of the encoding of {} name this register",
                located(chunk, program, inst)
            )),
            Err(why) => refuse(why.to_string()),
        }
    }
}

/// True if a path leads from a read back to the entry without a write of the register. A guarded write
/// counts as a write if the read has the same guard. Two writes in a block, under a predicate and its
/// negation, also count as a write.
fn reaches_entry(program: &Program, chains: &Definitions, read: u32, register: Register) -> bool {
    let guard_at = |inst: u32| {
        let guard = program.instructions[inst as usize].guard?;
        Some((guard, chains.reaching(program, inst, guard.predicate)))
    };
    let own = guard_at(read);
    let is_written = |stretch: std::ops::Range<u32>| {
        let mut guards = Vec::new();
        stretch.rev().any(|inst| {
            let described = &program.instructions[inst as usize];
            if !program.writes(described).iter().any(|access| access.register == register) {
                return false;
            }
            let Some((guard, set)) = guard_at(inst) else { return true };
            let opposite = Guard { negated: !guard.negated, ..guard };
            let ends = own == Some((guard, set.clone())) || guards.contains(&(opposite, set.clone()));
            guards.push((guard, set));
            ends
        })
    };
    let block = program.instructions[read as usize].block;
    let begins = |block: u32| block == 0 || program.flow.predecessors(block).is_empty();
    if is_written(program.blocks[block as usize].instructions.start..read) {
        return false;
    }
    let mut reaches = begins(block);
    program.flow.search(block, Direction::Backward, |block| {
        let is_open = !is_written(program.blocks[block as usize].instructions.clone());
        reaches |= is_open && begins(block);
        is_open
    });
    reaches
}

/// Checks that every register group exists after the move and is aligned, and that the kernel has these
/// registers.
fn fits(sass: &SassView, chunk: &Chunk, program: &Program, value: &Value, shift: i32) -> Result<(), Refusal> {
    let mut last = 0;
    for (&(inst, _), (_, registers)) in &value.words {
        let row = (registers[0], registers[registers.len() - 1]);
        let (Some(first), Some(end)) = (shifted(row.0, shift), shifted(row.1, shift)) else {
            return refuse(format!(
                "{} names the consecutive registers {} to {}, which cannot be moved that far",
                located(chunk, program, inst),
                row.0,
                row.1
            ));
        };
        let alignment = (registers.len() as u16).next_power_of_two().min(WIDEST_ALIGNMENT);
        if !first.index.is_multiple_of(alignment) && row.0.index.is_multiple_of(alignment) {
            return refuse(format!(
                "{} uses the aligned registers {} to {}, which must start at a multiple of {alignment}; {} does not",
                located(chunk, program, inst),
                row.0,
                row.1,
                first
            ));
        }
        if first.file == RegisterFile::General {
            last = last.max(end.index);
        }
    }
    let stated = sass.text.stated(&sass.context.machine).get(chunk.name().unwrap_or_default());
    match stated.registers {
        Some(registers) if u32::from(last) >= registers => {
            refuse(format!("this kernel has {registers} registers, so R{last} does not exist"))
        }
        _ => Ok(()),
    }
}
