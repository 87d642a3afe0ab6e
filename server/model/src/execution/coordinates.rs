//! Computes the addresses of texels from the coordinates of a texture fetch or a surface access.
//!
//! An array of two or more dimensions is stored in blocks of 64 bytes and 8 rows. The width of the array is
//! unknown, so the blocks are placed along a curve that keeps neighbours together.

use super::file::Files;
use super::lanes::{Lanes, WARP};
use crate::requests::Request;
use crate::{Program, RegisterFile};
use smallvec::SmallVec;
use syntax::sass::{Chunk, Token};

/// Coordinates of a texture fetch or a surface access.
#[derive(Debug, Clone)]
pub(super) struct Coordinates {
    /// Slots of the coordinates, x first.
    axes: SmallVec<[u16; 3]>,
    /// Slot of the handle of the texture or surface; `None` if the handle is not in a register.
    handle: Option<u16>,
    unit: Unit,
    /// Bytes per texel.
    pub bytes: u32,
}

/// Unit of the first coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// A texture coordinate, as a float.
    Fraction,
    /// A texel index, as an integer.
    Texel,
    /// A byte offset.
    Byte,
}

/// Start of the placeholder addresses of texels.
const FIRST: u64 = 1 << 62; // limit: above all placeholders of arrays
/// Distance in bytes between the placeholder addresses of two textures or surfaces.
const APART: u64 = 1 << 44; // limit: more than any GPU has
/// Number of distinct handles.
const HANDLES: u64 = 1 << 12; // limit: more than a kernel has

/// Width of a block in bytes.
const BLOCK_BYTES: u64 = 64; // Source: Tegra X1 technical reference manual, block linear surfaces
/// Number of rows of a block.
const BLOCK_ROWS: u64 = 8; // Source: the same
/// Width of half a block in bytes.
const HALF_BYTES: u64 = 32; // Source: the same
/// Width of a quarter of a block in bytes.
const QUARTER_BYTES: u64 = 16; // Source: the same

/// Largest coordinate of a texel.
const MAX: f32 = 1_048_576.0; // limit: more than a texture has

impl Coordinates {
    /// Decodes the coordinates; `None` for shapes other than one, two or three dimensions.
    pub(super) fn decode(files: &mut Files, chunk: &Chunk, program: &Program, at: usize) -> Option<Self> {
        let instruction = &chunk.instructions()[at];
        let mnemonic = chunk.mnemonic(instruction);
        let inst = &program.instructions[at];
        let modifiers: SmallVec<[&str; 8]> = chunk.modifiers(instruction).collect();
        let is_surface = mnemonic.starts_with("SU");
        let line = chunk.line_text(inst.line as usize);
        let text = |operand: &[Token]| operand.iter().map(|token| token.text(line)).collect::<String>();
        let words: SmallVec<[String; 8]> = chunk.operands(instruction).map(text).collect();
        let shape = |name: &str| ["1D", "2D", "3D"].iter().position(|shape| *shape == name);
        let dimensions = 1 + if is_surface {
            modifiers.iter().find_map(|name| shape(name))?
        } else {
            words.iter().find_map(|name| shape(name))?
        };
        let unit = match mnemonic {
            "TEX" => Unit::Fraction,
            "TLD" => Unit::Texel,
            _ if is_surface && modifiers.contains(&"BA") => Unit::Byte,
            _ if is_surface => Unit::Texel,
            _ => return None,
        };
        let bytes = if is_surface {
            inst.memory.map_or(4, |memory| u32::from(memory.bytes_per_lane)).max(1)
        } else {
            // The size of a component is not known.
            let mask = words.last().and_then(|word| word.strip_prefix("0x"));
            let mask = mask.and_then(|mask| u32::from_str_radix(mask, 16).ok());
            4 * mask.filter(|mask| *mask != 0).map_or(4, u32::count_ones)
        };
        let reads = program.reads(inst);
        let general = reads.iter().filter(|read| read.register.file == RegisterFile::General);
        let mut register = general.min_by_key(|read| (read.operand, read.register.index))?.register;
        let mut axes = SmallVec::new();
        for dimension in 0..dimensions {
            if dimension > 0 {
                register = register.next()?;
            }
            axes.push(files.register(register)?);
        }
        let handle = reads.iter().find(|read| read.register.file == RegisterFile::Uniform);
        let handle = handle.and_then(|read| files.register(read.register));
        Some(Self { axes, handle, unit, bytes })
    }

    /// Calls `note` for each slot that the address depends on.
    pub(super) fn inputs(&self, note: impl FnMut(u16)) {
        self.axes.iter().copied().chain(self.handle).for_each(note);
    }

    /// True if the fetch blends texels of several rows.
    pub(super) fn is_sampled(&self) -> bool {
        self.unit == Unit::Fraction && self.axes.len() > 1
    }

    /// Writes the address of each lane's texel to `request`. Returns true if the addresses are known.
    ///
    /// The addresses are unknown if all coordinates are floats from 0 to 1: they may be normalized by the
    /// texture's size, which is unknown.
    pub(super) fn place(&self, values: &[Lanes], active: u32, request: &mut Request) -> bool {
        request.active = active;
        let mut is_known = true;
        let mut is_share = self.unit == Unit::Fraction;
        let handle = self.handle.map_or(0, |slot| u64::from(values[usize::from(slot)].values[0]) % HANDLES);
        for (lane, address) in request.addresses.iter_mut().enumerate().take(WARP) {
            let is_active = active >> lane & 1 == 1;
            let mut at = [0_u64; 3];
            for (into, &slot) in at.iter_mut().zip(&self.axes) {
                let value = &values[usize::from(slot)];
                is_known &= !is_active || value.known >> lane & 1 == 1;
                *into = match self.unit {
                    Unit::Fraction => {
                        let place = f32::from_bits(value.values[lane]);
                        is_share &= !is_active || (0.0..=1.0).contains(&place);
                        // A coordinate outside of the texture is moved to its edge.
                        if place > 0.0 { f32::min(place, MAX) as u64 } else { 0 }
                    }
                    Unit::Texel | Unit::Byte => value.values[lane].cast_signed().max(0) as u64,
                };
            }
            if self.unit != Unit::Byte {
                at[0] *= u64::from(self.bytes);
            }
            *address = FIRST + handle * APART + if self.axes.len() == 1 { at[0] } else { in_blocks(at) };
        }
        is_known && !is_share
    }
}

/// Returns the byte offset of an element in an array that is stored in blocks. `x` is in bytes.
fn in_blocks([x, y, z]: [u64; 3]) -> u64 {
    let inside = x % BLOCK_BYTES / HALF_BYTES * 256
        + y % BLOCK_ROWS / 2 * 64
        + x % HALF_BYTES / QUARTER_BYTES * 32
        + y % 2 * QUARTER_BYTES
        + x % QUARTER_BYTES;
    let block = interleaved(x / BLOCK_BYTES) | interleaved(y / BLOCK_ROWS) << 1;
    (z << 32 ^ block) * BLOCK_BYTES * BLOCK_ROWS + inside
}

/// Returns the low 16 bits of a number, with a 0 bit inserted between adjacent bits.
fn interleaved(number: u64) -> u64 {
    (0..16).fold(0, |all, bit| all | (number >> bit & 1) << (2 * bit))
}
