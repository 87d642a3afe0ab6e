//! The records of `.nv.info` sections.
//!
//! A record starts with four bytes: the format, the attribute code, and two bytes whose meaning depends on
//! the format. In format 4 the two bytes hold the length of the value, which follows. In other formats they
//! hold the value. Attribute codes have the names that `cuobjdump -elf` and `nvdisasm` print.

use super::CubinError;
use super::elf::Section;

pub(super) const MAX_THREADS: u8 = 0x05; // Source: `cuobjdump -elf`
pub(super) const REQUIRED_THREADS: u8 = 0x10; // Source: `cuobjdump -elf`
pub(super) const MIN_STACK_SIZE: u8 = 0x12; // Source: `cuobjdump -elf`
pub(super) const KPARAM_INFO: u8 = 0x17; // Source: `cuobjdump -elf`
pub(super) const MAXREG_COUNT: u8 = 0x1b; // Source: `cuobjdump -elf`
pub(super) const REGCOUNT: u8 = 0x2f; // Source: `cuobjdump -elf`
pub(super) const CLUSTER_DIMENSIONS: u8 = 0x3d; // Source: `cuobjdump -elf`
/// [`KPARAM_INFO`] in the layout for sizes of more than 14 bits.
pub(super) const KPARAM_INFO_V2: u8 = 0x45; // Source: `cuobjdump -elf`
pub(super) const NUM_BARRIERS: u8 = 0x4c; // Source: `cuobjdump -elf`

/// One attribute record of a section.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attribute<'a> {
    pub code: u8,
    pub value: &'a [u8],
}

impl Attribute<'_> {
    /// The 32-bit word at this index of the value, counted in words.
    pub(super) fn word(&self, index: usize) -> Option<u32> {
        let bytes = self.value.get(index * 4..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    /// The 16-bit number at this index of the value, counted in 16-bit halves.
    pub(super) fn half(&self, index: usize) -> Option<u16> {
        let bytes = self.value.get(index * 2..)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes))
    }

    /// The x, y and z extents, one 32-bit word each. `None` if the value has fewer than three words.
    pub(super) fn extents(&self) -> Option<[u32; 3]> {
        Some([self.word(0)?, self.word(1)?, self.word(2)?])
    }
}

/// All records of a section.
pub(super) fn attributes<'a>(section: &Section<'a>) -> Result<Vec<Attribute<'a>>, CubinError> {
    // In format 4 the value follows the record's four bytes. In formats 1 to 3 those bytes contain the value.
    const FOLLOWS: u8 = 4; // Source: `cuobjdump -elf`
    let mut all = Vec::new();
    let mut rest = section.data;
    while let Some((record, after)) = rest.split_at_checked(4) {
        let wrong = |why: String| {
            let at = section.data.len() - rest.len();
            CubinError::in_section(section.name, format!("record at {at:#x}: {why}"))
        };
        let (format, code, length) = (record[0], record[1], u16::from_le_bytes([record[2], record[3]]));
        rest = match format {
            1..FOLLOWS => {
                all.push(Attribute { code, value: &record[2..] });
                after
            }
            FOLLOWS => {
                let (value, after) = after
                    .split_at_checked(length.into())
                    .ok_or_else(|| wrong(format!("expected {length} bytes, found {}", after.len())))?;
                all.push(Attribute { code, value });
                after
            }
            _ => return Err(wrong(format!("expected format 1 to 4, found {format}"))),
        };
    }
    Ok(all)
}
