//! Merges two shared-memory loads into one wider load in hand-written sources.
//!
//! The line of the second load is removed. The second load's stall count moves to the preceding
//! instruction. The second load's scoreboard waits move to the first load and to the following
//! instruction. The edited text is parsed again and must not have more hazards.

use crate::TextEdit;
use crate::engine::sass_text::with_chunk;
use advisor::steps::Merge;
use machine::{Arch, Flow, Hardware};
use model::{Program, hazards};
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::rewrite::{Replacement, RequestedChanges, apply, rewrite};
use syntax::sass::{Chunk, Control, Instruction, KeplerFlags, Listing, Token, TokenKind};

/// Control code of a Kepler instruction without dual issue. The lower bits, for the stall minus one,
/// are zero.
const KEPLER_ALONE: u8 = 0x20; // Source: `syntax::sass::KeplerFlags`
const KEPLER_CYCLES: u8 = 0xf; // Source: `syntax::sass::KeplerFlags`

/// A listing, and the index of the chunk to edit.
pub(super) struct EditedKernel<'a> {
    pub listing: &'a Listing,
    pub index: usize,
    pub arch: &'a Arc<Arch>,
}

impl EditedKernel<'_> {
    /// Returns the edits that merge pairs of loads, in text order, with offsets in the complete text. `None` unless the
    /// edited text provably computes the same results.
    pub(super) fn merge(&self, merges: &[Merge]) -> Option<Vec<TextEdit>> {
        let chunk = &self.listing.chunks()[self.index];
        let program = Program::decode(chunk, self.arch);
        if !may_lose_lines(self.listing, chunk, &program) {
            return None;
        }
        let mut codes = chunk.instructions().iter().map(|inst| inst.control).collect::<Option<Vec<_>>>()?;
        for merge in merges {
            keep_order(merge, &mut codes)?;
        }
        let mut edits = written_codes(chunk, &codes)?;
        for merge in merges {
            edits.extend(wider(chunk, merge)?);
            edits.push(Replacement { range: without(chunk, merge.second)?, text: String::new() });
        }
        edits.sort_by_key(|edit| edit.range.start);
        let overlap = edits.windows(2).any(|pair| pair[0].range.end > pair[1].range.start);
        let start = self.listing.start(self.index).byte as usize;
        (!overlap && self.is_as_meant(&program, merges, &edits))
            .then(|| edits.into_iter().map(|edit| TextEdit::placed(start, edit)).collect())
    }

    /// True if the edited text is equivalent to the program with merged loads and has no new hazard.
    fn is_as_meant(&self, program: &Program, merges: &[Merge], edits: &[Replacement]) -> bool {
        let chunk = &self.listing.chunks()[self.index];
        let after = with_chunk(self.listing, self.index, &apply(chunk.text(), edits));
        if after.dialect() != self.listing.dialect() || after.chunks().len() != self.listing.chunks().len() {
            return false;
        }
        let new = &after.chunks()[self.index];
        let pairs: Vec<(u32, u32)> = merges.iter().map(|merge| (merge.first, merge.second)).collect();
        let (meant, read) = (program.merged(&pairs), Program::decode(new, self.arch));
        let sorted = |accesses: &[model::Access]| {
            let mut registers: Vec<_> = accesses.iter().map(|access| access.register).collect();
            registers.sort_unstable();
            registers
        };
        let is_same = meant.instructions.iter().zip(&read.instructions).all(|(meant_inst, read_inst)| {
            (meant_inst.opcode, meant_inst.guard, meant_inst.target, meant_inst.memory)
                == (read_inst.opcode, read_inst.guard, read_inst.target, read_inst.memory)
                && sorted(meant.writes(meant_inst)) == sorted(read.writes(read_inst))
        });
        meant.instructions.len() == read.instructions.len()
            && is_same
            && new.errors().len() == chunk.errors().len()
            && hazards::check(&read).hazards.len() <= hazards::check(program).hazards.len()
    }
}

/// True if lines can be removed without changing other lines. The text must have no addresses and no encodings,
/// branches must name labels, and no wait may count outstanding operations. On Kepler, no instruction may be
/// dual-issued.
fn may_lose_lines(listing: &Listing, chunk: &Chunk, program: &Program) -> bool {
    let is_plain = |inst: &Instruction| inst.address.is_none() && inst.words == [None, None];
    let meets = |at: u32| program.meetings.iter().any(|&(inst, _)| inst == at);
    let names_label = |(inst, at): (&model::Inst, u32)| {
        let text = &chunk.instructions()[at as usize];
        let operands = || chunk.operands(text).flatten();
        let is_named = || operands().any(|token| matches!(token.kind, TokenKind::Label | TokenKind::Name));
        inst.flow != Flow::IndirectBranch && ((inst.target.is_none() && !meets(at)) || is_named())
    };
    let is_kepler = program.instructions.iter().any(|inst| inst.control.is_some_and(|c| c.kepler.is_some()));
    listing.dialect().is_some_and(syntax::sass::Dialect::is_source)
        && chunk.instructions().iter().all(is_plain)
        && program.counted_waits.is_empty()
        && program.instructions.iter().zip(0..).all(names_label)
        && !(is_kepler && program.instructions.iter().any(|inst| inst.dual))
}

/// Moves the second load's stall count to the preceding instruction, and its waits to the following
/// instruction. The first load also waits for all scoreboards that instructions up to the second load
/// wait for. `None` if no control code can express the result, if the loads use different scoreboards,
/// or if one of the instructions is dual-issued.
fn keep_order(merge: &Merge, codes: &mut [Control]) -> Option<()> {
    let (first, second) = (merge.first as usize, merge.second as usize);
    let gone = codes[second];
    let is_pair = |code: &Control| code.dual;
    if is_pair(&gone) || is_pair(&codes[first]) || is_pair(&codes[second - 1]) || gone.reuse_mask != 0 {
        return None;
    }
    let boards = |code: &Control| (code.write_barrier, code.read_barrier);
    if boards(&gone) != boards(&codes[first]) {
        return None;
    }
    let earlier = codes[first + 1..=second].iter().fold(0, |mask, code| mask | code.wait_mask);
    codes[first].wait_mask |= earlier;
    codes.get_mut(second + 1)?.wait_mask |= gone.wait_mask;
    let before = &mut codes[second - 1];
    match (before.kepler, gone.kepler) {
        (None, None) => {
            let stall = before.stall?.checked_add(gone.stall?)?;
            before.stall = Some(stall)
                .filter(|&stall| u32::from(stall) <= Hardware::builtin().most_stall_without_yield.value);
            before.stall?;
        }
        (Some(old), Some(gone)) => {
            let cycles = |flags: KeplerFlags| {
                (flags.code & !KEPLER_CYCLES == KEPLER_ALONE).then_some((flags.code & KEPLER_CYCLES) + 1)
            };
            let both = cycles(old)? + cycles(gone)?;
            let code = KEPLER_ALONE | (both - 1);
            before.kepler = Some(KeplerFlags { code }).filter(|_| both <= KEPLER_CYCLES + 1);
            before.stall = Some(code & KEPLER_CYCLES);
            before.kepler?;
        }
        _ => return None,
    }
    Some(())
}

fn written_codes(chunk: &Chunk, codes: &[Control]) -> Option<Vec<Replacement>> {
    let order: Vec<u32> = (0..codes.len() as u32).collect();
    let codes: Vec<Option<Control>> = codes.iter().copied().map(Some).collect();
    rewrite(chunk, RequestedChanges { order: &order, codes: &codes }, |_| None).ok()
}

/// Edits of the first load's line: width, destination and address.
fn wider(chunk: &Chunk, merge: &Merge) -> Option<Vec<Replacement>> {
    let inst = &chunk.instructions()[merge.first as usize];
    let line = inst.line as usize;
    let start = chunk.lines()[line].start;
    let text = chunk.line_text(line);
    let span = |tokens: &[Token]| {
        let (first, last) = (tokens.first()?, tokens.last()?);
        Some(start + u32::from(first.start)..start + last.end() as u32)
    };
    let all = chunk.tokens(inst.tokens);
    let mnemonic = all.iter().position(|token| token.kind == TokenKind::Mnemonic)?;
    let following = all[mnemonic + 1..].iter().take_while(|token| token.kind == TokenKind::Modifier).count();
    let words = &all[mnemonic..=mnemonic + following];
    let kept: String = words.iter().map(|token| token.text(text)).filter(|word| *word != ".32").collect();
    let mut edits = vec![Replacement { range: span(words)?, text: format!("{kept}.64") }];
    for (tokens, new) in chunk.operands(inst).zip(merge.operands.as_ref()?) {
        let range = span(tokens)?;
        if chunk.text()[range.start as usize..range.end as usize] != **new {
            edits.push(Replacement { range, text: new.clone() });
        }
    }
    Some(edits)
}

/// Returns the range of an instruction's line with its line ending; `None` if the line contains other
/// text.
fn without(chunk: &Chunk, inst: u32) -> Option<Range<u32>> {
    let inst = &chunk.instructions()[inst as usize];
    let line = &chunk.lines()[inst.line as usize];
    let own = chunk.tokens(inst.tokens);
    let own = own.first()?.start as usize..own.last()?.end();
    let mut tokens = chunk.line_tokens(inst.line as usize).iter();
    let is_known = |token: &Token| {
        own.contains(&(token.start as usize)) || matches!(token.kind, TokenKind::Control | TokenKind::Punct)
    };
    tokens.all(is_known).then_some(line.start..line.start + line.len + u32::from(line.ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Machine;

    /// A maxas source with these lines. They follow the mapping block that identifies the dialect.
    fn maxas(lines: &[&str]) -> String {
        let mut text = "<REGISTER_MAPPING>\n    0-15 ~ tid, out\n</REGISTER_MAPPING>\n".to_owned();
        for line in lines {
            text += line;
            text.push('\n');
        }
        text
    }

    /// The source after its third and fifth instructions, which are loads, are merged. `None` if they cannot be merged.
    fn joined(lines: &[&str]) -> Option<String> {
        let mut text = maxas(lines);
        let listing = Listing::parse(&text);
        let index = listing.chunks().iter().position(|chunk| !chunk.instructions().is_empty())?;
        let arch = Machine::builtin().gpu_for_sm(52).arch;
        let operands = Some(["R4".to_owned(), "[R8]".to_owned()]);
        let edits = EditedKernel { listing: &listing, index, arch: &arch }.merge(&[Merge {
            first: 2,
            second: 4,
            operands,
        }])?;
        for edit in edits.into_iter().rev() {
            text.replace_range(edit.range, &edit.text);
        }
        Some(text)
    }

    const LINES: [&str; 7] = [
        "--:-:2:-:1      LDS R0, [R9];",
        "--:-:-:-:6      MOV R8, R10;",
        "--:-:1:-:1      LDS R4, [R8];",
        "--:-:-:-:2      MOV R11, RZ;",
        "02:-:1:-:3      LDS R5, [R8+0x4];",
        "01:-:-:-:6      FADD R4, R4, R5;",
        "--:-:-:-:5      EXIT;",
    ];

    /// The second load's waits move to the first load and to the instruction after the second load. Its stall count moves
    /// to the instruction before it.
    #[test]
    fn what_a_code_keeps_apart_stays_apart() {
        let expected = maxas(&[
            LINES[0],
            LINES[1],
            "02:-:1:-:1      LDS.64 R4, [R8];",
            "--:-:-:-:5      MOV R11, RZ;",
            "03:-:-:-:6      FADD R4, R4, R5;",
            LINES[6],
        ]);
        assert_eq!(joined(&LINES), Some(expected));
    }

    #[test]
    fn what_is_not_certain_is_not_written() {
        let with = |at: usize, line: &'static str| {
            let mut lines = LINES;
            lines[at] = line;
            joined(&lines)
        };
        // A different scoreboard, more cycles than a code can hold, a pair, a comment that would be lost, a counted
        // wait.
        assert_eq!(with(4, "02:-:3:-:3      LDS R5, [R8+0x4];"), None);
        assert_eq!(with(4, "02:-:1:-:b      LDS R5, [R8+0x4];"), None);
        assert_eq!(with(3, "--:-:-:-:0      MOV R11, RZ;"), None);
        assert_eq!(with(4, "02:-:1:-:3      LDS R5, [R8+0x4]; // the upper one"), None);
        assert_eq!(with(0, "--:-:-:-:2      DEPBAR.LE SB0, 0x1;"), None);
        // A result in registers other than the expected ones.
        assert_eq!(with(4, "02:-:1:-:3      LDS R7, [R8+0x4];"), None);
    }
}
