//! Containers of cubins: fat binaries, and host programs with an embedded fat binary.

use super::elf::{self, EM_CUDA};
use super::{CubinError, Packing};
use object::LittleEndian;
use object::read::elf::FileHeader;
use std::borrow::Cow;
use std::ops::Range;

/// Kind of a file, determined from its first header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Cubin,
    /// An ELF object, library or program for a CPU.
    Host,
    FatBinary,
    Other,
}

/// A member of a fat binary: GPU code for one architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub kind: MemberKind,
    /// Architecture number: 90 for sm_90.
    pub sm: u16,
    pub packing: Packing,
    /// Range of the stored bytes in the file.
    pub range: Range<usize>,
    /// Unpacked size in bytes.
    pub length: usize,
}

/// Kind of code that a member of a fat binary holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberKind {
    Cubin,
    Ptx,
    /// Intermediate code for link-time optimisation, and kinds that newer tools may add.
    Other,
}

/// First bytes of a fat binary.
const MAGIC: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();

/// ELF sections that hold fat binaries: `.nv_fatbin` in linked programs, `__nv_relfatbin` in relocatable
/// objects.
const SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];

/// Determines the content of a file. Only the file's header is read.
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

/// Members of the fat binaries in a file or in a host's ELF file, in file order. Empty for an ELF file
/// without a fat binary section.
pub fn members(bytes: &[u8]) -> Result<Vec<Member>, CubinError> {
    let mut found: Vec<Member> = Vec::new();
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
    let unpacked = found.iter().fold(0_usize, |sum, member| sum.saturating_add(member.length));
    let most = bytes.len().saturating_mul(MAX_UNPACK_RATIO).max(MIN_LIMIT);
    if unpacked > most {
        let why = format!(
            "expected members of at most {} MiB when unpacked, but their headers say {} MiB",
            most >> 20,
            unpacked >> 20
        );
        return Err(CubinError::broken("fat binary", why));
    }
    Ok(found)
}

/// Maximum accepted ratio of unpacked size to file size. Members that a compiler writes have a ratio of 2 to 10.
const MAX_UNPACK_RATIO: usize = 32; // limit: a broken file must not fill the memory

/// Unpacked size in bytes that is always accepted, even for a small file.
const MIN_LIMIT: usize = 64 << 20; // limit: a small file may unpack to this much in any case

/// Reads consecutive fat binaries, starting `start` bytes into the file.
///
/// Each fat binary has a 16-byte header (magic, version, header length, length of all members), followed by
/// its members. Fields of a member's header: kind at offset 0, header length at 4, payload length at 8,
/// compressed length at 16 (0 if uncompressed), architecture at 28, flags at 40, and uncompressed length at
/// 56.
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
        // Fat binaries may be separated by zeros, for alignment.
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
            // A toolkit that stores a member uncompressed writes 0 as its compressed length.
            let member_of = |packing, stored: usize, length| Member {
                kind,
                sm: sm as u16,
                packing,
                range: start + code..start + code + stored,
                length,
            };
            let stored = usize::try_from(packed).unwrap_or(usize::MAX);
            found.push(match (length(member + 40), length(member + 56)) {
                (Some(flags), Some(unpacked))
                    if stored != 0 && code >= member + 64 && stored <= next - code =>
                {
                    member_of(Packing::from_flags(flags as u64), stored, unpacked)
                }
                _ if stored != 0 => member_of(Packing::Unknown, next - code, 0),
                _ => member_of(Packing::Plain, next - code, next - code),
            });
            member = next;
        }
        at = end;
    }
    Ok(())
}

impl Member {
    /// Bytes of this member's cubin, unpacked if the member is compressed. `file` must be the file that the
    /// member was found in. `None` if the member is not a cubin, and an error if its bytes cannot be
    /// unpacked.
    pub fn cubin<'a>(&self, file: &'a [u8]) -> Option<Result<Cow<'a, [u8]>, CubinError>> {
        let stored = file.get(self.range.clone()).filter(|_| self.kind == MemberKind::Cubin)?;
        Some(match self.packing {
            Packing::Plain => Ok(Cow::Borrowed(stored)),
            packing => packing.unpack(stored, self.length).map(Cow::Owned),
        })
    }
}
