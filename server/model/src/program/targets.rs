//! Resolves a branch's operand to its target instruction.

use rustc_hash::FxHashMap;
use syntax::sass::{Chunk, LineKind, Token, TokenKind};

/// Prefix of the name of a code section.
const SECTION: &str = ".text.";

/// Maps the labels and addresses of a kernel to instructions.
#[derive(Debug)]
pub(super) struct Targets<'a> {
    labels: FxHashMap<&'a str, u32>,
    /// Addresses with their instructions, in ascending order.
    addresses: Vec<(u32, u32)>,
    instruction_bytes: u32,
}

impl<'a> Targets<'a> {
    /// Creates the map. `addresses` holds the addresses of the instructions, in text order.
    pub(super) fn new(
        chunk: &'a Chunk,
        addresses: impl Iterator<Item = u32>,
        instruction_bytes: u32,
    ) -> Self {
        let mut addresses: Vec<(u32, u32)> = addresses.zip(0..).collect();
        if !addresses.is_sorted() {
            addresses.sort_unstable();
        }
        Self { labels: labels(chunk), addresses, instruction_bytes }
    }

    /// Returns the instruction that a target operand names; `None` for a target outside the kernel.
    pub(super) fn of_operand(&self, line: &str, operand: &[Token]) -> Option<u32> {
        // `R2 -0x6e0` counts from a register, `-0x10` from the instruction: neither names an address.
        if operand.iter().any(|token| token.is_punct(b'-')) {
            return None;
        }
        operand.iter().find_map(|token| match token.kind {
            TokenKind::Integer => self.at_address(token.value),
            TokenKind::Label | TokenKind::Name => self.labels.get(token.text(line)).copied(),
            _ => None,
        })
    }

    /// Returns the instructions named in `(*"BRANCH_TARGETS .L_x_28,.L_x_29"*)`.
    ///
    /// Section names are omitted: a section's name denotes offset 0, which compilers put into a jump table for
    /// impossible cases (in cuTENSOR for `sm_90`, the code at offset 0 would set up the stack again).
    pub(super) fn of_list(&self, text: &str) -> Vec<u32> {
        let names = text.split(['"', ' ', ',', '`', '(', ')', '*']);
        let names = names.filter(|name| !name.starts_with(SECTION));
        names.filter_map(|name| self.labels.get(name).copied()).collect()
    }

    /// Returns the instruction at an address, or the instruction whose control word is at the address. The control
    /// word is directly before the instruction (Kepler, Maxwell).
    fn at_address(&self, address: u32) -> Option<u32> {
        let at = self.addresses.partition_point(|&(known, _)| known < address);
        let &(known, instruction) = self.addresses.get(at)?;
        (known - address <= self.instruction_bytes).then_some(instruction)
    }
}

/// Maps each label to the first instruction after it. If a label occurs more than once, its first occurrence is used.
fn labels(chunk: &Chunk) -> FxHashMap<&str, u32> {
    let mut labels = FxHashMap::default();
    let instructions = chunk.instructions();
    let mut next = 0;
    for (line, kind) in chunk.lines().iter().map(|line| line.kind).enumerate() {
        if kind == LineKind::Instruction {
            while instructions.get(next).is_some_and(|instruction| instruction.line as usize <= line) {
                next += 1;
            }
        }
        if kind == LineKind::Label && next < instructions.len() {
            let text = chunk.line_text(line);
            for token in chunk.line_tokens(line).iter().filter(|token| token.kind == TokenKind::Label) {
                labels.entry(token.text(text)).or_insert(next as u32);
            }
        }
    }
    labels
}
