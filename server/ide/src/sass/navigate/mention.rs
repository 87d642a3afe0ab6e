//! Words of an instruction that name registers, and the registers that each word names.

use model::{Access, Inst, Program, Register, RegisterFile};
use syntax::sass::{Chunk, Token, TokenKind};

/// A word that names registers. For example, `R4` in `[R4.64]` names R4 and R5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub token: Token,
    pub registers: Vec<Register>,
    pub reads: bool,
    pub writes: bool,
}

/// Returns the words of an instruction that name registers, in text order.
pub(super) fn mentions(chunk: &Chunk, program: &Program, index: usize) -> Vec<Mention> {
    let instruction = &chunk.instructions()[index];
    let inst = &program.instructions[index];
    let mut mentions = Vec::new();
    if let Some(guard) = inst.guard
        && let Some(&token) = chunk.guard(instruction).last()
    {
        mentions.push(Mention { token, registers: vec![guard.predicate], reads: true, writes: false });
    }
    for (operand, tokens) in chunk.operands(instruction).enumerate() {
        let mut names = 0;
        for token in tokens {
            let (reads, writes) = operand_registers(program, inst, operand);
            let registers = match token.kind {
                TokenKind::Name => {
                    let read = nth_named(&reads, names);
                    let written = nth_named(&writes, names);
                    names += 1;
                    (read.into_iter().collect(), written.into_iter().collect())
                }
                TokenKind::StateRegister => (all_state(&reads), all_state(&writes)),
                _ => match register(token) {
                    Some(first) => (run(&reads, first), run(&writes, first)),
                    None => continue,
                },
            };
            let (read, written): (Vec<Register>, Vec<Register>) = registers;
            if !read.is_empty() || !written.is_empty() {
                let (reads, writes) = (!read.is_empty(), !written.is_empty());
                let registers = if written.len() > read.len() { written } else { read };
                mentions.push(Mention { token: *token, registers, reads, writes });
            }
        }
    }
    mentions
}

fn operand_registers(program: &Program, inst: &Inst, operand: usize) -> (Vec<Register>, Vec<Register>) {
    let own = |accesses: &[Access]| {
        let own = accesses.iter().filter(|access| access.operand.map(usize::from) == Some(operand));
        own.map(|access| access.register).collect()
    };
    (own(program.reads(inst)), own(program.writes(inst)))
}

fn register(token: &Token) -> Option<Register> {
    Register::named_by(token).filter(|_| token.value <= u16::MAX.into())
}

/// Returns `first` and the consecutive registers that follow it in `accesses`.
fn run(accesses: &[Register], first: Register) -> Vec<Register> {
    let from = accesses.iter().position(|&register| register == first);
    let from = from.map_or(&[][..], |from| &accesses[from..]);
    let follows = |&(at, register): &(usize, &Register)| {
        register.file == first.file && usize::from(register.index) == usize::from(first.index) + at
    };
    from.iter().enumerate().take_while(follows).map(|(_, &register)| register).collect()
}

fn nth_named(accesses: &[Register], nth: usize) -> Option<Register> {
    accesses.iter().filter(|register| register.file == RegisterFile::Named).nth(nth).copied()
}

/// Returns the registers in `accesses` that `CC` and `PR` name.
fn all_state(accesses: &[Register]) -> Vec<Register> {
    let is_state = |file| matches!(file, RegisterFile::ConditionCode | RegisterFile::Predicate);
    accesses.iter().filter(|register| is_state(register.file)).copied().collect()
}
