//! Containers of cubins: fat binaries, and host programs with one inside.

use super::elf::{self, EM_CUDA};
use super::{Cubin, CubinError};
use object::LittleEndian;
use object::read::elf::FileHeader;
use std::ops::Range;

/// Kind of a file, by its first header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Cubin,
    /// An object, a library or a program for a CPU, as ELF.
    Host,
    FatBinary,
    Other,
}

/// One piece of a fat binary: GPU code for one architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub kind: MemberKind,
    /// 90 for sm_90.
    pub sm: u16,
    /// Only the vendor's tools unpack it: `cuobjdump -xelf all`.
    pub compressed: bool,
    /// Range of its bytes.
    pub range: Range<usize>,
}

/// Kind of code that a piece of a fat binary holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberKind {
    Cubin,
    Ptx,
    /// Intermediate code of link-time optimisation, and what newer tools may add.
    Other,
}

/// First bytes of a fat binary.
const MAGIC: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();

/// Sections in which host compilers put fat binaries: those ready to load, and those still to be linked.
const SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];

/// Tells what bytes are, reading no more than a header.
pub fn content(bytes: &[u8]) -> Content {
    if bytes.starts_with(&MAGIC) {
        return Content::FatBinary;
    }
    match elf::header(bytes) {
        Ok(header) if header.e_machine(LittleEndian).0 == EM_CUDA => Content::Cubin,
        Ok(_) => Content::Host,
        Err(_) if bytes.starts_with(b"\x7fELF") => Content::Host,
        Err(_) => Content::Other,
    }
}

/// The GPU code in a fat binary or in a host's ELF file, in file order; none where it has no section for it.
pub fn members(bytes: &[u8]) -> Result<Vec<Member>, CubinError> {
    let mut found = Vec::new();
    if bytes.starts_with(&MAGIC) {
        read(bytes, 0, &mut found)?;
    } else {
        for section in elf::sections(bytes)? {
            if SECTIONS.contains(&section.name) && !section.data.is_empty() {
                let start = section.data.as_ptr().addr() - bytes.as_ptr().addr();
                read(section.data, start, &mut found)?;
            }
        }
    }
    Ok(found)
}

/// Reads fat binaries that stand one after another, `start` bytes into the file.
///
/// Each has a header of 16 bytes (magic, version, length of the header, length of the rest), then its members, each
/// with a header that tells its kind at 0, its own length at 4, that of what follows at 8, that of the compressed code
/// at 16, where there is some, and the architecture at 28.
fn read(bytes: &[u8], start: usize, found: &mut Vec<Member>) -> Result<(), CubinError> {
    let wrong = |at: usize, why: &str| CubinError::broken(format!("fat binary at {:#x}", start + at), why);
    let half = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let length = |at: usize| {
        let length = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
        usize::try_from(length).ok()
    };
    let mut at = 0;
    while let Some(header) = bytes.get(at..) {
        // Between two there may be zeros, for alignment.
        if !header.starts_with(&MAGIC) {
            let Some(zeros) = header.iter().position(|byte| *byte != 0) else { break };
            if zeros == 0 {
                return Err(wrong(at, "expected 50 ed 55 ba, the start of a fat binary"));
            }
            at += zeros;
            continue;
        }
        let end = half(at + 6).zip(length(at + 8)).and_then(|(header, rest)| {
            let first = at.checked_add(header.into())?;
            Some((first, first.checked_add(rest)?))
        });
        let Some((first, end)) = end.filter(|(first, end)| *first >= at + 16 && *end <= bytes.len()) else {
            return Err(wrong(at, "expected a header whose lengths stay within the file"));
        };
        let mut member = first;
        while member < end {
            let lengths = word(member + 4).zip(length(member + 8));
            let code = lengths.and_then(|(header, rest)| {
                let code = member.checked_add(usize::try_from(header).ok()?)?;
                Some((code, code.checked_add(rest)?))
            });
            let Some((code, next)) = code.filter(|(code, next)| *code >= member + 32 && *next <= end) else {
                return Err(wrong(member, "expected a member whose lengths stay within the fat binary"));
            };
            let (Some(kind), Some(packed), Some(sm)) = (half(member), word(member + 16), word(member + 28))
            else {
                return Err(wrong(member, "expected a member's header of 32 bytes or more"));
            };
            let kind = match kind {
                1 => MemberKind::Ptx,
                2 => MemberKind::Cubin,
                _ => MemberKind::Other,
            };
            let plain = match kind {
                MemberKind::Cubin => bytes[code..next].starts_with(b"\x7fELF"),
                _ => packed == 0,
            };
            found.push(Member { kind, sm: sm as u16, compressed: !plain, range: start + code..start + next });
            member = next;
        }
        at = end;
    }
    Ok(())
}

impl Member {
    /// The cubin itself, out of the bytes that it was found in; `None` where it is compressed or no cubin.
    pub fn cubin(&self, bytes: &[u8]) -> Option<Result<Cubin, CubinError>> {
        let plain = self.kind == MemberKind::Cubin && !self.compressed;
        plain.then(|| bytes.get(self.range.clone())).flatten().map(Cubin::parse)
    }
}
