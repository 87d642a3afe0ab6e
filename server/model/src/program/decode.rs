//! Decodes a listing, with the opcode table, into a [`Program`].

use super::Program;
use super::accumulator::{Scale, scale};
use super::blocks::{Jumps, blocks};
use super::bound::bound;
use super::descriptor::Descriptor;
use super::forms::{Form, Forms};
use super::instruction::{Access, CountedWait, Guard, Inst, Register, RegisterFile};
use super::operands::{Accesses, NamedRegisters, Operands, UNKNOWN_ROLES, mask};
use super::targets::Targets;
use super::texture::Texels;
use super::word_mask::WordMask;
use machine::{Arch, Flow, MemorySpace};
use std::sync::Arc;
use syntax::sass::{Chunk, Instruction, RegisterMapping, SmVersion, Token, TokenKind};
use syntax::stop;

/// Decodes all instructions of a chunk, in time linear in its text.
pub(super) fn decode(chunk: &Chunk, arch: &Arc<Arch>) -> Program {
    let instruction_bytes = SmVersion::new(arch.sm).encoding().instruction_bytes();
    let address = |index: usize, instruction: &Instruction| {
        instruction.address.unwrap_or((index as u32).wrapping_mul(instruction_bytes))
    };
    let addresses =
        chunk.instructions().iter().enumerate().map(|(index, instruction)| address(index, instruction));
    let targets = Targets::new(chunk, addresses.clone(), instruction_bytes);
    let mut decoder = Decoder {
        chunk,
        arch,
        targets,
        forms: Forms::new(arch),
        names: NamedRegisters::default(),
        descriptor: Descriptor::new(arch.sm),
        gathered: Accesses::default(),
        accesses: Vec::with_capacity(chunk.instructions().len() * 4),
        jumps: Jumps::default(),
        meetings: Vec::new(),
        counted_waits: Vec::new(),
    };
    let mut instructions = Vec::with_capacity(chunk.instructions().len());
    for (index, (instruction, address)) in chunk.instructions().iter().zip(addresses).enumerate() {
        stop::check_at(index);
        instructions.push(decoder.instruction(index as u32, instruction, address));
    }
    pair(&mut instructions);
    let (blocks, flow) = blocks(&mut instructions, &decoder.jumps);
    let names = decoder.names.all();
    Program {
        arch: arch.clone(),
        instructions,
        accesses: decoder.accesses,
        blocks,
        flow,
        mapped: if names.is_empty() { 0 } else { mapped(chunk) },
        names,
        meetings: decoder.meetings,
        counted_waits: decoder.counted_waits,
    }
}

fn mapped(chunk: &Chunk) -> u16 {
    RegisterMapping::read(chunk).highest().map_or(0, |highest| highest.saturating_add(1))
}

struct Decoder<'a> {
    chunk: &'a Chunk,
    arch: &'a Arch,
    targets: Targets<'a>,
    forms: Forms<'a>,
    names: NamedRegisters<'a>,
    descriptor: Descriptor,
    gathered: Accesses,
    accesses: Vec<Access>,
    jumps: Jumps,
    meetings: Vec<(u32, u32)>,
    counted_waits: Vec<CountedWait>,
}

impl Decoder<'_> {
    fn instruction(&mut self, index: u32, instruction: &Instruction, address: u32) -> Inst {
        let chunk = self.chunk;
        let line = chunk.line_text(instruction.line as usize);
        let form = self.forms.form(chunk, instruction);
        let roles = form.opcode.map_or(UNKNOWN_ROLES, |id| &*self.arch.isa.form(id).operands);
        self.gathered.reads.clear();
        self.gathered.writes.clear();
        let mask = mask(chunk.tokens(instruction.tokens));
        let is_texture = form.memory.is_some_and(|memory| memory.space == MemorySpace::Texture);
        let texels =
            if is_texture { Texels::read(chunk.tokens(instruction.tokens), line) } else { Texels::UNKNOWN };
        let words = match form.memory {
            Some(memory) if memory.bytes_per_lane == 32 => WordMask::read(chunk.tokens(instruction.tokens)),
            _ => WordMask::ALL,
        };
        let (names, out) = (&mut self.names, &mut self.gathered);
        let mut operands = Operands { line, form, names, out, mask, texels, words, first_source: 0 };
        let guard = guard(chunk.guard(instruction));
        if let Some(guard) = guard {
            operands.implied(guard.predicate);
        }
        if form.reads_condition_code {
            operands.implied(Register::CONDITION_CODE);
        }
        for register in self
            .descriptor
            .registers(chunk, instruction, form.memory.map(|memory| memory.space))
            .into_iter()
            .flatten()
        {
            operands.implied(register);
        }
        let target = operands.read(chunk.operands(instruction), roles);
        let first_source = operands.first_source;
        if let Some(Scale::Never(sums)) = scale(chunk, instruction) {
            self.gathered.reads.retain(|access| access.operand != Some(sums));
        }
        let named = |decoder: &Self| target.and_then(|operand| decoder.targets.of_operand(line, operand));
        let target = match form.flow {
            Flow::Branch | Flow::Call => named(self),
            Flow::Next => {
                self.meetings.extend(named(self).map(|target| (index, target)));
                None
            }
            _ => None,
        };
        self.jumps(index, instruction, form);
        if chunk.mnemonic(instruction) == "DEPBAR" {
            self.counted_waits.extend(counted_wait(index, chunk.tokens(instruction.tokens)));
        }
        Inst {
            line: instruction.line,
            address,
            opcode: form.opcode,
            class: form.class,
            control: instruction.control,
            dual: instruction.control.map_or_else(|| self.opens_pair(instruction), |control| control.dual),
            guard,
            flow: form.flow,
            target,
            // Inline code may determine the width and the address of an access.
            memory: form.memory.filter(|_| !chunk.has_inline_code(instruction)),
            are_exclusive: form.are_exclusive,
            bound: bound(chunk, instruction),
            first_source,
            reads: append(&mut self.accesses, &self.gathered.reads),
            writes: append(&mut self.accesses, &self.gathered.writes),
            block: 0,
        }
    }

    /// True if the disassembler prints an opening brace before this instruction. Braces enclose a dual-issue pair in
    /// text without control codes.
    fn opens_pair(&self, instruction: &Instruction) -> bool {
        let tokens = self.chunk.line_tokens(instruction.line as usize);
        let before = tokens.iter().take_while(|token| token.kind != TokenKind::Mnemonic);
        before.into_iter().any(|token| token.kind == TokenKind::DualOpen)
    }

    fn jumps(&mut self, index: u32, instruction: &Instruction, form: Form) {
        if !matches!(form.flow, Flow::Branch | Flow::IndirectBranch | Flow::Exit) {
            return;
        }
        let guarded = !self.chunk.guard(instruction).is_empty();
        // A branch may test a predicate or the condition code as an operand, too.
        let tests = form.flow == Flow::Branch
            && self.gathered.reads.iter().any(|access| access.register.file != RegisterFile::General);
        if guarded || tests || form.may_fall_through {
            self.jumps.falls_through.push(index);
        }
        if form.flow == Flow::IndirectBranch {
            let line = self.chunk.line_text(instruction.line as usize);
            let tokens = self.chunk.line_tokens(instruction.line as usize);
            let lists = tokens.iter().filter(|token| token.kind == TokenKind::Targets);
            let targets: Vec<u32> = lists.flat_map(|token| self.targets.of_list(token.text(line))).collect();
            self.jumps.lists.push((index, targets));
        }
    }
}

fn guard(tokens: &[Token]) -> Option<Guard> {
    let negated = tokens.iter().any(|token| token.is_punct(b'!'));
    let predicate = Register::named_by(tokens.last()?).filter(|register| register.file.is_predicate())?;
    Some(Guard { predicate, negated })
}

/// Decodes `DEPBAR.LE SB0, 0x1`, `DEPBAR.LE SB0, 0x1, {2,1}`, `DEPBAR {0}`; `None` if the operands name no scoreboard
/// from 0 to 5.
fn counted_wait(inst: u32, tokens: &[Token]) -> Option<CountedWait> {
    let opens = |token: &Token| token.is_punct(b'{');
    let (counted, set) = tokens.split_at(tokens.iter().position(opens).unwrap_or(tokens.len()));
    let numbers = set.iter().filter(|token| token.kind == TokenKind::Integer && token.value < 6);
    let also = numbers.fold(0, |mask, token| mask | 1 << token.value);
    let scoreboard = counted.iter().find(|token| token.kind == TokenKind::Scoreboard && token.value < 6);
    let at_most =
        counted.iter().find(|token| token.kind == TokenKind::Integer).map_or(0, |token| token.value);
    match scoreboard {
        Some(scoreboard) => Some(CountedWait { inst, scoreboard: scoreboard.value as u8, at_most, also }),
        None if also != 0 => {
            let scoreboard = also.trailing_zeros() as u8;
            Some(CountedWait { inst, scoreboard, at_most: 0, also })
        }
        None => None,
    }
}

fn append(all: &mut Vec<Access>, new: &[Access]) -> (u32, u16) {
    let count = new.len().min(usize::from(u16::MAX));
    let start = all.len() as u32;
    all.extend_from_slice(&new[..count]);
    (start, count as u16)
}

/// Clears `dual` of instructions that cannot begin a pair: the second instruction of a pair, and the last
/// instruction.
pub(super) fn pair(instructions: &mut [Inst]) {
    let mut taken = false;
    for inst in instructions.iter_mut() {
        inst.dual &= !taken;
        taken = inst.dual;
    }
    if let Some(last) = instructions.last_mut() {
        last.dual = false;
    }
}
