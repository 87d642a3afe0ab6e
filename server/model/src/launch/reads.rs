//! Reads of constant bank 0 in a kernel's code. If neither a name nor a binary states the width of a parameter, these
//! reads determine it.

use crate::address::operand::{Source, operand};
use crate::dataflow::Definitions;
use crate::program::{operand_roles, registers_in_a_row};
use crate::{Program, Register, RegisterFile};
use machine::RegisterCount;
use std::collections::BTreeSet;
use syntax::sass::{Chunk, Instruction};

/// Reads of constant bank 0, by byte offset. Reads with a register in the offset are omitted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConstantReads {
    /// Byte offsets of the words that are read, each a multiple of 4.
    pub words: BTreeSet<u32>,
    /// Loads of less than a word, as (byte offset, size in bytes).
    pub narrow: BTreeSet<(u32, u32)>,
    /// Byte offsets of words that certainly form a 64-bit number with the next word.
    pub pairs: BTreeSet<u32>,
    /// Byte offsets of words that could be upper halves of 64-bit numbers, but are certainly 32-bit numbers.
    pub singles: BTreeSet<u32>,
}

/// Maximum number of move instructions through which a value is followed.
const MAX_MOVES: u32 = 4; // limit: time

impl ConstantReads {
    /// Finds the reads of constant bank 0 in a kernel. `program` was decoded from `chunk`, for the architecture that
    /// the text states.
    pub fn collect(chunk: &Chunk, program: &Program) -> Self {
        let mut finder = Finder {
            chunk,
            program,
            definitions: Definitions::compute(program, &program.arch.isa),
            found: Self::default(),
        };
        for at in 0..program.instructions.len() as u32 {
            finder.read(at);
        }
        let mut found = finder.found;
        // An upper half may also be tested by itself.
        let pairs = &found.pairs;
        found.singles.retain(|single| !single.checked_sub(4).is_some_and(|low| pairs.contains(&low)));
        found
    }
}

struct Finder<'a> {
    chunk: &'a Chunk,
    program: &'a Program,
    definitions: Definitions,
    found: ConstantReads,
}

impl Finder<'_> {
    fn instruction(&self, at: u32) -> &Instruction {
        &self.chunk.instructions()[at as usize]
    }

    fn read(&mut self, at: u32) {
        let chunk = self.chunk;
        let instruction = self.instruction(at);
        let line = chunk.line_text(instruction.line as usize);
        let Some(opcode) = self.program.instructions[at as usize].opcode else { return };
        let roles = &self.program.arch.isa.form(opcode).operands;
        let taken = operand_roles(chunk.operands(instruction), roles);
        let constants: Vec<(u8, u32, Option<RegisterCount>)> = (0..)
            .zip(chunk.operands(instruction).zip(taken))
            .filter_map(|(place, (tokens, role))| match operand(line, tokens).source {
                Source::Constant { bank: 0, offset } => {
                    Some((place, offset, role.map(|role| roles[role].registers)))
                }
                _ => None,
            })
            .collect();
        let is_load = matches!(chunk.mnemonic(instruction), "LDC" | "ULDC" | "LDCU");
        for (place, offset, registers) in constants {
            if is_load {
                self.load(at, offset);
            } else {
                let modifiers = chunk.modifiers(self.instruction(at));
                let words = registers.map_or(1, |count| registers_in_a_row(count, modifiers));
                self.found.words.extend((0..u32::from(words)).map(|word| offset + 4 * word));
                if words == 2 {
                    self.found.pairs.insert(offset);
                } else {
                    self.take(at, place, offset, 0);
                }
            }
        }
    }

    /// Records a load (`LDC`, `ULDC`, `LDCU`) of the constants at byte `offset`.
    fn load(&mut self, at: u32, offset: u32) {
        let narrow = self.chunk.modifiers(self.instruction(at)).find_map(|modifier| match modifier {
            "U8" | "S8" => Some(1),
            "U16" | "S16" => Some(2),
            _ => None,
        });
        if let Some(bytes) = narrow {
            self.found.narrow.insert((offset, bytes));
            self.found.words.insert(offset & !3);
            return;
        }
        let mut registers = self.written(at);
        registers.sort_unstable_by_key(|register| register.index);
        for (word, register) in (0..).zip(registers) {
            self.found.words.insert(offset + 4 * word);
            self.follow(at, register, offset + 4 * word, 0);
        }
        // A word is read even if the result is unused.
        self.found.words.insert(offset);
    }

    fn written(&self, at: u32) -> Vec<Register> {
        let accesses = self.program.writes(&self.program.instructions[at as usize]).iter();
        let is_number =
            |register: &Register| matches!(register.file, RegisterFile::General | RegisterFile::Uniform);
        accesses.map(|access| access.register).filter(is_number).collect()
    }

    /// Classifies each read of `register`, which instruction `at` has filled with the word at byte offset `word`.
    fn follow(&mut self, at: u32, register: Register, word: u32, moves: u32) {
        if moves > MAX_MOVES || !is_upper(word) {
            return;
        }
        for user in self.definitions.uses(self.program, at, register) {
            let inst = &self.program.instructions[user as usize];
            // A store writes words side by side that need not belong together.
            let stores = inst.memory.is_some_and(|memory| memory.stores);
            let reads = self.program.reads(inst);
            let mut own = reads.iter().filter(|access| access.register == register);
            let is_wide = own.any(|access| {
                let partner = register.index.checked_sub(1);
                access.operand.is_some()
                    && reads.iter().any(|other| {
                        other.operand == access.operand
                            && other.register.file == register.file
                            && Some(other.register.index) == partner
                    })
            });
            if is_wide && stores {
                continue;
            }
            if is_wide {
                self.found.pairs.insert(word - 4);
            } else {
                let place = reads.iter().find(|access| access.register == register);
                self.take(user, place.and_then(|access| access.operand).unwrap_or_default(), word, moves);
            }
        }
    }

    /// Classifies a read of a word as 32 bits by operand number `place` of an instruction. The word may still be the
    /// upper half of a 64-bit number.
    fn take(&mut self, at: u32, place: u8, word: u32, moves: u32) {
        if !is_upper(word) {
            return;
        }
        let chunk = self.chunk;
        let instruction = self.instruction(at);
        let has = |name: &str| chunk.modifiers(instruction).any(|modifier| modifier == name);
        let mnemonic = chunk.mnemonic(instruction);
        if has("SX32") && place == EXTENDED {
            self.found.singles.insert(word);
        } else if has("X") || has("EX") {
            self.found.pairs.insert(word - 4);
        } else if matches!(mnemonic, "MOV" | "UMOV" | "R2UR") || mnemonic == "IMAD" && has("MOV") {
            for register in self.written(at) {
                self.follow(at, register, word, moves + 1);
            }
        } else if OF_ONE_WORD.contains(&mnemonic) && !self.compares_with_zero(at) {
            self.found.singles.insert(word);
        }
    }

    /// True for a comparison with 0, which may test only the upper half of a 64-bit number for sign or size.
    fn compares_with_zero(&self, at: u32) -> bool {
        let instruction = self.instruction(at);
        let line = self.chunk.line_text(instruction.line as usize);
        matches!(self.chunk.mnemonic(instruction), "ISETP" | "UISETP")
            && self
                .chunk
                .operands(instruction)
                .any(|tokens| matches!(operand(line, tokens).source, Source::Zero | Source::Integer(0)))
    }
}

/// Index of the operand that `LEA.HI.X.SX32` extends from 32 to 64 bits. Its other operands are halves of 64-bit
/// numbers.
const EXTENDED: u8 = 1; // Source: its text, `LEA.HI.X.SX32 R15, R23, R35, 0x2, P5`

/// True if the word at this byte offset can be the upper half of a 64-bit number. 64-bit parameters and the first
/// parameter start at multiples of 8.
const fn is_upper(word: u32) -> bool {
    word % 8 == 4
}

/// Opcodes that are never part of a 64-bit operation, unless they have the modifier `X`. Products are not listed,
/// because they can be part of one.
const OF_ONE_WORD: [&str; 15] = [
    "IADD",
    "IADD3",
    "UIADD3",
    "VIADD",
    "VIADDMNMX",
    "VIMNMX",
    "IMNMX",
    "ISETP",
    "UISETP",
    "I2F",
    "I2FP",
    "FADD",
    "FMUL",
    "FFMA",
    "FSETP",
];
