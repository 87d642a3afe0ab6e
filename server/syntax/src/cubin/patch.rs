//! Replaces a cubin's code: new control codes, and instructions in another order.

use super::CubinError;
use super::elf::{Elf, Section};
use std::collections::HashMap;

/// New code for one section of 128-bit instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePatch {
    /// Name of the function. Its code is in the section `.text.` plus this name.
    pub function: String,
    pub instructions: Vec<PatchedInstruction>,
}

/// An instruction of a section, with its old and its new encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatchedInstruction {
    /// New address, in bytes from the start of the section.
    pub address: u32,
    pub from: u32,
    /// Old words, low word first. The patch fails if the file holds other words.
    pub old_words: [u64; 2],
    pub words: [u64; 2],
}

/// Codes of the attributes in `.nv.info.<function>` that list instructions by address: `EIATTR_EXIT_INSTR_OFFSETS`,
/// `..COOP_GROUP..` and `..INT_WARP_WIDE..`. Source: the attributes' names in the output of `cuobjdump -elf`.
const INSTRUCTION_LISTS: [u8; 3] = [0x1c, 0x28, 0x31];

/// Instruction size in bytes.
const BYTES: u64 = 16; // Source: the encodings from Volta on

const SHT_RELA: u32 = 4; // Source: the ELF specification
const SHT_REL: u32 = 9; // Source: the ELF specification

/// Returns the file with new code. Relocations and instruction lists in attributes are updated for moved instructions.
/// Line tables stay unchanged.
///
/// Returns an error if the file lacks a patched section, or if the words in the section differ from `old_words`.
pub fn with_code(bytes: &[u8], patches: &[CodePatch]) -> Result<Vec<u8>, CubinError> {
    let elf = Elf::parse(bytes)?;
    let mut new = bytes.to_vec();
    for patch in patches {
        let name = format!(".text.{}", patch.function);
        let section = elf.section(&name).ok_or_else(|| {
            CubinError::in_section(&name, "expected this section for the listing's code, but there is none")
        })?;
        patch_words(&mut new, section, &patch.instructions)?;
        let moved: HashMap<u64, u64> = patch
            .instructions
            .iter()
            .filter(|instruction| instruction.address != instruction.from)
            .map(|instruction| (instruction.from.into(), instruction.address.into()))
            .collect();
        if moved.is_empty() {
            continue;
        }
        for other in &elf.sections {
            let is_own = |prefix: &str| other.name.strip_prefix(prefix) == Some(&name);
            if is_own(".rela") && other.kind == SHT_RELA {
                move_relocations(&mut new, other, 24, &moved);
            } else if is_own(".rel") && other.kind == SHT_REL {
                move_relocations(&mut new, other, 16, &moved);
            } else if other.name.strip_prefix(".nv.info.") == Some(&patch.function) {
                move_listed(&mut new, other, &moved);
            }
        }
    }
    Ok(new)
}

fn patch_words(
    new: &mut [u8],
    section: &Section<'_>,
    instructions: &[PatchedInstruction],
) -> Result<(), CubinError> {
    let wrong = |address: u32, why: &str| {
        CubinError::in_section(section.name, format!("at {address:#06x}: expected {why}"))
    };
    for instruction in instructions {
        let old = pair(section.data, instruction.from as usize);
        let old = old.ok_or_else(|| wrong(instruction.from, "code up to this address"))?;
        if old != bytes_of(instruction.old_words) {
            return Err(wrong(instruction.from, "the words of the listing"));
        }
        let at = instruction.address as usize;
        let place = usize::try_from(section.offset).ok().and_then(|start| start.checked_add(at));
        let place = place.filter(|_| at + BYTES as usize <= section.data.len());
        let place = place.and_then(|place| new.get_mut(place..place + BYTES as usize));
        place
            .ok_or_else(|| wrong(instruction.address, "code up to this address"))?
            .copy_from_slice(&bytes_of(instruction.words));
    }
    Ok(())
}

fn pair(data: &[u8], at: usize) -> Option<[u8; BYTES as usize]> {
    data.get(at..)?.first_chunk().copied()
}

fn bytes_of(words: [u64; 2]) -> [u8; BYTES as usize] {
    (u128::from(words[0]) | u128::from(words[1]) << 64).to_le_bytes()
}

/// Updates the offset of each relocation entry (the entry's first eight bytes) if the offset is inside a moved
/// instruction.
fn move_relocations(new: &mut [u8], section: &Section<'_>, entry: usize, moved: &HashMap<u64, u64>) {
    let Ok(start) = usize::try_from(section.offset) else { return };
    for at in (0..section.data.len() / entry).map(|index| index * entry) {
        let Some(bytes) = section.data[at..].first_chunk() else { return };
        let offset = u64::from_le_bytes(*bytes);
        let within = offset % BYTES;
        if let (Some(to), Some(place)) =
            (moved.get(&(offset - within)), new.get_mut(start + at..start + at + bytes.len()))
        {
            place.copy_from_slice(&(to + within).to_le_bytes());
        }
    }
}

fn move_listed(new: &mut [u8], section: &Section<'_>, moved: &HashMap<u64, u64>) {
    let Ok(start) = usize::try_from(section.offset) else { return };
    let mut at = 0;
    while let Some(&[format, code, low, high]) = section.data.get(at..).and_then(|rest| rest.first_chunk()) {
        at += 4;
        if format != 4 {
            continue;
        }
        let end = at + usize::from(u16::from_le_bytes([low, high]));
        for word in (at..end).step_by(4).filter(|_| INSTRUCTION_LISTS.contains(&code)) {
            let listed = section.data.get(word..).and_then(|rest| rest.first_chunk()).copied();
            let to = listed.and_then(|bytes| moved.get(&u32::from_le_bytes(bytes).into()));
            let to = to.and_then(|to| u32::try_from(*to).ok());
            if let (Some(to), Some(place)) = (to, new.get_mut(start + word..start + word + 4)) {
                place.copy_from_slice(&to.to_le_bytes());
            }
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBIN: &[u8] = include_bytes!("../../tests/cubins/sm_90.cubin");

    /// Code of the kernel `tile`, unchanged.
    fn code() -> Vec<PatchedInstruction> {
        let elf = Elf::parse(CUBIN).expect("it is a cubin");
        let section = elf.section(".text.tile").expect("it has the kernel");
        let words = |at: usize| {
            let word = |at: usize| *section.data[at..].first_chunk().expect("whole instructions");
            [u64::from_le_bytes(word(at)), u64::from_le_bytes(word(at + 8))]
        };
        let instruction = |at: usize| PatchedInstruction {
            address: at as u32,
            from: at as u32,
            old_words: words(at),
            words: words(at),
        };
        (0..section.data.len()).step_by(16).map(instruction).collect()
    }

    fn patched(instructions: Vec<PatchedInstruction>) -> Result<Vec<u8>, CubinError> {
        with_code(CUBIN, &[CodePatch { function: "tile".to_owned(), instructions }])
    }

    #[test]
    fn the_same_code_gives_the_same_file() {
        assert_eq!(patched(code()).expect("it fits"), CUBIN);
    }

    #[test]
    fn words_change_where_they_stand_and_nowhere_else() {
        let mut code = code();
        code[3].words[1] ^= 1 << 41;
        let new = patched(code).expect("it fits");
        let other: Vec<usize> = (0..CUBIN.len()).filter(|&at| new[at] != CUBIN[at]).collect();
        assert_eq!(other.len(), 1);
        assert_eq!(new[other[0]] ^ CUBIN[other[0]], 1 << (41 % 8));
    }

    #[test]
    fn lists_of_instructions_follow_a_moved_one() {
        let mut code = code();
        let elf = Elf::parse(CUBIN).expect("it is a cubin");
        let info = elf.section(".nv.info.tile").expect("it has attributes");
        let exits = [4, 0x1c, 4, 0];
        let at = info.data.windows(4).position(|record| record == exits).expect("the kernel exits") + 4;
        let exit = u32::from_le_bytes(*info.data[at..].first_chunk().expect("an address"));
        let (exit, other) = ((exit / 16) as usize, 0);
        let (a, b) = (code[exit], code[other]);
        code[exit] = PatchedInstruction { address: a.address, ..b };
        code[other] = PatchedInstruction { address: b.address, ..a };
        let new = patched(code).expect("it fits");
        let start = info.offset as usize + at;
        assert_eq!(new[start..start + 4], [0; 4]);
    }

    #[test]
    fn another_file_is_left_alone() {
        let mut code = code();
        code[0].old_words[0] ^= 1;
        let refused = patched(code).unwrap_err().to_string();
        assert_eq!(
            refused,
            "broken binary: section .text.tile: at 0x0000: expected the words of the listing"
        );
        let unknown = CodePatch { function: "nobody".to_owned(), instructions: Vec::new() };
        assert!(with_code(CUBIN, &[unknown]).is_err());
    }
}
