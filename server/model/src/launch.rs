//! A launch: the grid, the block, and the resources of an SM that a kernel needs.

mod origins;
mod reads;

pub use origins::Origins;
pub use reads::ConstantReads;

use crate::address::{Addresses, Symbol};
use crate::contents::Contents;
use crate::convolution::Layer;
use crate::paper::occupancy::{BlockNeeds, occupancy};
use crate::tensor_map::TensorMap;
use crate::{MeasuredCounts, Program, RegisterFile};
use machine::{Arch, Gpu};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Trip counts of loops, by the address of the loop's branch.
pub type Trips = BTreeMap<u32, u64>;

/// Configuration of a kernel's launch. Values that are not given are marked as assumed.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    pub name: Option<String>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Number of blocks in a cluster along x, y and z.
    pub cluster: [u32; 3],
    /// Registers per thread.
    pub registers: Stated<u32>,
    /// Bytes of shared memory per block, static and dynamic together.
    pub shared: Stated<u32>,
    pub trips: Trips,
    /// Known words of constant bank 0, by byte offset (a multiple of 4): parameters and other stated words. A
    /// pointer is represented by the placeholder address of its array.
    pub constants: BTreeMap<u32, u32>,
    /// Parameters known to be pointers, in the order of their offsets. The i-th pointer, counted from 0,
    /// points to `(i + 1) * ARRAY_SPACING`.
    pub arrays: Vec<Array>,
    /// Tensor maps that are passed as parameters.
    pub tensor_maps: Vec<TensorMap>,
    pub hit_rate: HitRate,
    /// Measured counts of this launch.
    pub measured: Option<Arc<MeasuredCounts>>,
    /// The layer that the kernel computes, if it is a convolution whose sizes were given.
    pub convolution: Option<Layer>,
    /// Source of `block`. The block may be known although the launch is assumed.
    pub block_by: StatedBy,
    /// True if no launch is stated: grid and block are a full wave of the largest legal block.
    pub assumed: bool,
}

/// Memory that a pointer parameter of a kernel points to.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Offset of the pointer in constant bank 0, in bytes.
    pub offset: u32,
    /// Name of the parameter, such as `arg0` for the first parameter.
    pub label: String,
    /// Contents, if the launch states them.
    pub contents: Option<Contents>,
}

/// Cache hit rates that the user states: the share of sectors found in the cache, 0 to 1; `None` if not stated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HitRate {
    pub l1: Option<f64>,
    pub l2: Option<f64>,
}

/// A value and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stated<T> {
    pub value: T,
    pub by: StatedBy,
}

/// Source of a stated value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatedBy {
    /// `warplens.toml` or a launches file.
    Launch,
    /// The header of the listing.
    Listing,
    /// Inferred from the code: the highest register that the code names plus the registers that the hardware
    /// reserves, or the bytes of shared memory that the warps use.
    Inferred,
    /// Neither stated nor inferred. Shared memory is then 0, and the block is the largest legal block.
    Assumed,
}

impl Launch {
    /// Returns the threads per block: the product of the block dimensions, at most `u32::MAX`.
    pub fn threads_per_block(&self) -> u32 {
        self.block.iter().fold(1, |all, &n| all.saturating_mul(n))
    }

    /// Returns the resources of an SM that a block needs. Shared memory inferred from an assumed launch
    /// counts as 0, because the inference is a guess based on a guess.
    pub(crate) fn block_needs(&self) -> BlockNeeds {
        let is_guess = self.assumed && self.shared.by == StatedBy::Inferred;
        let (registers, shared) = (self.registers.value, if is_guess { 0 } else { self.shared.value });
        BlockNeeds { threads: self.threads_per_block(), registers, shared }
    }

    /// True if neither the launch nor the block is stated, so that results of executing the warps are
    /// guesses.
    pub fn is_guess(&self) -> bool {
        self.assumed && self.block_by == StatedBy::Assumed
    }

    /// Returns the number of blocks in the grid: the product of the grid dimensions, at most `u64::MAX`.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().fold(1, |all, &n| all.saturating_mul(u64::from(n)))
    }

    /// Distance in bytes between the placeholder addresses of neighbouring arrays. No GPU has more memory, so
    /// arrays never overlap.
    pub const ARRAY_SPACING: u64 = 1 << 40; // limit: more than any GPU has

    /// Upper word of the generic addresses of shared memory: below the placeholder addresses of arrays.
    pub(crate) const SHARED_WINDOW: u32 = 1 << 6; // limit: below all placeholders of arrays

    /// Returns the word of constant bank 0 at `offset`: the stated word, otherwise the block or grid
    /// dimension that the driver stores at `offset`. `arch` is the architecture of the code.
    ///
    /// `None` if the word is unknown or the offset is not a multiple of 4.
    pub fn constant(&self, arch: &Arch, offset: u32) -> Option<u32> {
        let dimension = |place: u32, of: &[u32; 3]| {
            let bytes = offset.checked_sub(place).filter(|bytes| bytes % 4 == 0)?;
            of.get(bytes as usize / 4).copied()
        };
        let bank = &arch.constant_bank;
        self.constants
            .get(&offset)
            .copied()
            .or_else(|| dimension(bank.block.value, &self.block))
            .or_else(|| dimension(bank.grid.value, &self.grid))
            .or_else(|| {
                let engine = &arch.pipeline.as_ref()?.engine;
                if offset == engine.cluster.value && self.cluster.iter().any(|&blocks| blocks > 1) {
                    return Some(1);
                }
                let window = engine.window.value;
                let address = TensorMap::PARAMETERS;
                match offset.checked_sub(window)? {
                    0 => Some(address as u32),
                    4 => Some((address >> 32) as u32),
                    _ => None,
                }
            })
    }

    /// Records that a parameter is a 256-byte aligned pointer to its own array, and the stated contents of the array.
    /// Calls must be in ascending order of `offset`.
    pub fn point(&mut self, offset: u32, label: String, contents: Option<Contents>) {
        self.arrays.push(Array { offset, label, contents });
        let address = self.arrays.len() as u64 * Self::ARRAY_SPACING;
        self.constants.insert(offset, address as u32);
        self.constants.insert(offset.saturating_add(4), (address >> 32) as u32);
    }
}

/// Resources that a kernel's code declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeclaredResources {
    /// Registers per thread.
    pub registers: Option<u32>,
    /// Bytes of shared memory per block.
    pub shared: Option<u32>,
    /// Block size that the kernel requires, or the largest block size that the kernel allows.
    pub block: Option<[u32; 3]>,
}

impl Launch {
    /// Returns a full wave of the kernel's largest legal block, for a kernel whose launch is not stated.
    ///
    /// Register count and shared memory are from the listing. Without listed values, registers are inferred
    /// from the code, and shared memory is 0. The block is the declared block, otherwise the longest row of
    /// whole warps that the GPU accepts with these registers. The grid fills every SM of the GPU once. Trip
    /// counts are unknown.
    pub fn assumed(program: &Program, gpu: &Gpu, stating: DeclaredResources) -> Self {
        let resources = &gpu.arch.resources;
        let registers = match stating.registers {
            Some(value) => Stated { value, by: StatedBy::Listing },
            None => Stated { value: inferred_registers(program), by: StatedBy::Inferred },
        };
        let shared = match stating.shared {
            Some(value) => Stated { value, by: StatedBy::Listing },
            None => Stated { value: 0, by: StatedBy::Assumed },
        };
        let blocks_of = |threads: u32| {
            occupancy(resources, BlockNeeds { threads, registers: registers.value, shared: shared.value })
                .active_blocks
        };
        let warps = resources.max_threads_per_block.value / resources.warp_size.max(1);
        let rows = (1..=warps).rev().map(|warps| [warps * resources.warp_size, 1, 1]);
        // If no block is legal, one warp is assumed, and its occupancy shows the problem.
        let threads = |block: [u32; 3]| block.into_iter().fold(1, u32::saturating_mul);
        let (block, blocks) = stating
            .block
            .into_iter()
            .chain(rows)
            .map(|block| (block, blocks_of(threads(block))))
            .find(|&(_, blocks)| blocks > 0)
            .unwrap_or(([resources.warp_size, 1, 1], 1));
        Self {
            name: None,
            grid: [blocks.saturating_mul(gpu.part.sm_count.value), 1, 1],
            block,
            registers,
            shared,
            trips: BTreeMap::new(),
            constants: BTreeMap::new(),
            arrays: Vec::new(),
            cluster: [1; 3],
            tensor_maps: Vec::new(),
            hit_rate: HitRate::default(),
            measured: None,
            convolution: None,
            block_by: if stating.block == Some(block) { StatedBy::Listing } else { StatedBy::Assumed },
            assumed: true,
        }
    }
}

/// Returns the registers per thread: all registers up to the highest that the code names or that its mapping
/// assigns to a name, plus the registers that the hardware reserves. Names that no mapping defines count as
/// one register each.
pub fn inferred_registers(program: &Program) -> u32 {
    let of_file = |file: RegisterFile| {
        let indices = program.accesses.iter().map(|access| access.register);
        indices.filter(|register| register.file == file).map(|register| u32::from(register.index) + 1).max()
    };
    let named = match program.mapped {
        0 => of_file(RegisterFile::Named).unwrap_or(0),
        mapped => mapped.into(),
    };
    let numbered = of_file(RegisterFile::General).unwrap_or(0);
    let most = program.arch.resources.max_registers_per_thread.value;
    // A thread has at least one register.
    (named.max(numbered).max(1) + program.arch.resources.registers_kept_per_thread.value).min(most)
}

/// Returns the byte offsets of pointers in constant bank 0. A 64-bit word counts as a pointer if some address is the sum of
/// the word, with factor 1, and terms that contain no other 64-bit word of the bank.
pub fn pointers(addresses: &Addresses, program: &Program) -> Box<[u32]> {
    let pointer = |inst: usize| {
        let form = addresses.access(inst)?;
        let mut of_bank = form.terms().iter().filter_map(|&(symbol, times)| match symbol {
            Symbol::Pointer(offset) => Some((offset, times)),
            _ => None,
        });
        let (offset, times) = of_bank.next()?;
        (times == 1 && of_bank.next().is_none()).then_some(offset)
    };
    (0..program.instructions.len()).filter_map(pointer).collect::<BTreeSet<u32>>().into_iter().collect()
}
