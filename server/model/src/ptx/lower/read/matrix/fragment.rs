//! Fragments of matrices: the part of a matrix that each lane holds, and the accesses that load or store it.
//!
//! PTX does not specify the layout of a fragment. Source: SASS that ptxas 13.5 generates for `sm_80` and `sm_90`.

/// Number of lines that the first operand of a matrix instruction spans.
const WIDE_LINES: u32 = 16; // Source: the shapes m16n8 of the PTX ISA
/// Number of lines of an 8x8 tile. Each line is held by a group of four lanes.
pub(super) const TILE_LINES: u32 = 8; // Source: the PTX ISA, ldmatrix
/// Number of bytes in a line of a tile.
pub(super) const TILE_BYTES: u32 = 16; // Source: the PTX ISA, ldmatrix

/// Extents of a product: `m` by `k` times `k` by `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProductShape {
    pub m: u32,
    pub n: u32,
    pub k: u32,
}

impl ProductShape {
    /// Parses a shape of `wmma` such as `m16n16k16`; `None` for other words.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        let shape = Self { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? };
        let is_known = [shape.m, shape.n].iter().all(|extent| matches!(extent, 8 | 16 | 32))
            && matches!(shape.k, 4 | 8 | 16 | 32 | 128);
        is_known.then_some(shape)
    }

    /// True if the SASS instruction computes the transposed product, because only the second matrix has enough lines
    /// for the instruction's first operand.
    pub(super) fn is_swapped(self) -> bool {
        self.m < WIDE_LINES && self.n >= WIDE_LINES
    }
}

/// Role of a matrix in a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    First,
    Second,
    /// The matrix that the product is added to, or the result.
    Sum,
}

impl Role {
    pub(super) fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "a" => Self::First,
            "b" => Self::Second,
            "c" | "d" => Self::Sum,
            _ => return None,
        })
    }
}

/// Number of bits of a matrix element; `None` for words that are not types.
pub(super) fn element_bits(ty: &str) -> Option<u32> {
    Some(match ty {
        "f64" => 64,
        "f32" | "tf32" | "s32" => 32,
        "f16" | "bf16" => 16,
        "s8" | "u8" => 8,
        "s4" | "u4" => 4,
        "b1" => 1,
        _ => return None,
    })
}

/// A matrix in memory. A line is a row of the first factor, a column of the second factor, or a row of the sum (a column
/// if the product is transposed). In natural order, the elements that a lane holds in one register are adjacent in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix {
    pub role: Role,
    /// Number of lines. The elements of a register lie within one line.
    pub lines: u32,
    /// Number of elements along a line.
    pub along: u32,
    pub bits: u32,
    pub is_natural: bool,
    /// True for the first operand of the matrix instruction, whose registers span 16 lines.
    pub is_wide: bool,
}

impl Matrix {
    pub(super) fn new(role: Role, shape: ProductShape, bits: u32, layout: &str) -> Self {
        let is_swapped = shape.is_swapped();
        let (lines, along, natural, is_wide) = match role {
            Role::First => (shape.m, shape.k, "row", !is_swapped),
            Role::Second => (shape.n, shape.k, "col", is_swapped),
            Role::Sum if is_swapped => (shape.n, shape.m, "col", false),
            Role::Sum => (shape.m, shape.n, "row", false),
        };
        Self { role, lines, along, bits, is_natural: layout == natural, is_wide }
    }

    /// Returns the stride in elements if the instruction states none: the number of elements that are contiguous in memory.
    pub(super) fn line_length(self) -> u32 {
        if self.is_natural { self.along } else { self.lines }
    }

    /// True if the elements of a register are not adjacent in memory, and `movmatrix` transposes tiles of 16-bit
    /// elements in registers.
    pub(super) fn is_transposed_in_registers(self) -> bool {
        self.bits == 16 && !self.is_natural
    }

    /// Returns the accesses with which a lane loads or stores its fragment, in register order.
    pub(super) fn accesses(self) -> Accesses {
        let element = self.bits.div_ceil(8);
        match (self.role, self.bits, self.is_natural) {
            (Role::Sum, 16, _) => self.words(Lane::Pair, 4),
            (Role::Sum, _, true) => self.words(Lane::Pair, 2 * element),
            (Role::Sum, _, false) => self.elements(element),
            (_, 64, true) => Accesses::one(Lane::Line, element),
            (_, 64, false) => Accesses::one(Lane::Column, element),
            (_, 32, _) => self.single(element),
            (_, 8, false) => self.bytes(),
            (_, 8, true) => self.words(Lane::Bytes, 1),
            _ => self.words(Lane::Line, 4),
        }
    }

    /// Returns the tiles of the matrix in register order. A tile is given by its line and its position along the line,
    /// both counted in tiles.
    fn tiles(self, tiles_along: u32) -> Vec<(u32, u32)> {
        let lines = self.lines / TILE_LINES;
        if self.role == Role::Sum {
            return (0..tiles_along).flat_map(|at| (0..lines).map(move |line| (line, at))).collect();
        }
        let group = if self.is_wide { lines.min(2) } else { 1 };
        let groups = (0..lines).step_by(group.max(1) as usize);
        groups
            .flat_map(|first| {
                (0..tiles_along).flat_map(move |at| (0..group).map(move |line| (first + line, at)))
            })
            .collect()
    }

    /// Returns the accesses of a lane, each to one unit of `bytes` bytes per tile.
    fn words(self, lane: Lane, bytes: u32) -> Accesses {
        let width = if lane == Lane::Pair { 4 * bytes } else { TILE_BYTES };
        let tiles_along = match lane {
            Lane::Pair => self.along / TILE_LINES,
            _ => (self.along * self.bits).div_ceil(8 * TILE_BYTES),
        };
        let place = |(line, at): (u32, u32)| {
            let (line, at) = if self.is_natural { (line, at) } else { (at, line) };
            UnitOffset { lines: TILE_LINES * line, bytes: width * at }
        };
        let units = if lane == Lane::Pair && self.bits > 16 { 2 } else { 1 };
        let all = self.tiles(tiles_along).into_iter().map(place).collect();
        Accesses { lane, unit_bytes: bytes, registers: units, is_separate: false, all }
    }

    /// Returns the accesses of a lane to the two elements that it holds of each tile, which are in neighbouring lines.
    fn elements(self, bytes: u32) -> Accesses {
        let place = |(line, at): (u32, u32)| {
            [0, 1].map(|element| UnitOffset {
                lines: element + TILE_LINES * at,
                bytes: TILE_LINES * bytes * line,
            })
        };
        let all = self.tiles(self.along / TILE_LINES).into_iter().flat_map(place).collect();
        Accesses { lane: Lane::Elements, unit_bytes: bytes, registers: 1, is_separate: false, all }
    }

    /// Returns the accesses of a lane to the four bytes of each register, which are in neighbouring lines.
    fn bytes(self) -> Accesses {
        let place = |(line, at): (u32, u32)| {
            [0, 1, 2, 3].map(|byte| UnitOffset { lines: byte + TILE_BYTES * at, bytes: TILE_LINES * line })
        };
        let all = self.tiles(self.along / TILE_BYTES).into_iter().flat_map(place).collect();
        Accesses { lane: Lane::Quarters, unit_bytes: 1, registers: 1, is_separate: false, all }
    }

    /// Returns the accesses of a lane, one element for each register, in tiles of four elements along a line.
    fn single(self, bytes: u32) -> Accesses {
        let place = |(line, at): (u32, u32)| {
            if self.is_natural {
                UnitOffset { lines: TILE_LINES * line, bytes: 4 * bytes * at }
            } else {
                UnitOffset { lines: 4 * at, bytes: TILE_LINES * bytes * line }
            }
        };
        let lane = if self.is_natural { Lane::Line } else { Lane::Column };
        let all = self.tiles(self.along / 4).into_iter().map(place).collect();
        Accesses { lane, unit_bytes: bytes, registers: 1, is_separate: true, all }
    }
}

/// Rule that gives the line and the column of a lane's first unit. Columns are counted in units of
/// [`Accesses::unit_bytes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Each group of four lanes has a line, and each lane has a unit of the line.
    Line,
    /// Each group of four lanes has a line, and each lane has four units of one byte.
    Bytes,
    /// Each group of four lanes has a line, and each lane has a unit of two elements.
    Pair,
    /// Each group of four lanes has a column, and each lane has a line of the column.
    Column,
    /// Each group of four lanes has a column, and each lane has two lines of the column.
    Elements,
    /// Each group of four lanes has a column, and each lane has four lines of the column.
    Quarters,
}

/// Position of an access relative to the lane's first unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnitOffset {
    pub lines: u32,
    pub bytes: u32,
}

/// All accesses of a lane to its fragment.
#[derive(Debug)]
pub(super) struct Accesses {
    pub lane: Lane,
    /// Number of bytes of the unit in which columns are counted.
    pub unit_bytes: u32,
    /// Number of fragment registers that each access reads or writes.
    pub registers: u8,
    /// True if ptxas computes the address of each access from its own line and column.
    pub is_separate: bool,
    pub all: Vec<UnitOffset>,
}

impl Accesses {
    fn one(lane: Lane, bytes: u32) -> Self {
        Self {
            lane,
            unit_bytes: bytes,
            registers: 1,
            is_separate: false,
            all: vec![UnitOffset { lines: 0, bytes: 0 }],
        }
    }
}
