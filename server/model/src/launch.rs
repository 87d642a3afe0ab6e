//! A launch: the grid, the block, and what a kernel takes of an SM.

use crate::paper::occupancy::{BlockNeeds, occupancy};
use crate::{Program, RegisterFile};
use machine::Gpu;
use std::collections::BTreeMap;

/// What a kernel is launched with. What nobody said is marked assumed.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    pub name: Option<String>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Registers a thread.
    pub registers: Stated<u32>,
    /// Bytes a block, static and dynamic together.
    pub shared: Stated<u32>,
    /// Times that a loop runs, by the address of its branch.
    pub trips: BTreeMap<u32, u64>,
    /// True where grid and block are a full wave of the largest legal block, not anybody's launch.
    pub assumed: bool,
}

/// A value and who stated it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stated<T> {
    pub value: T,
    pub by: StatedBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatedBy {
    /// `warplens.toml` or a launches file.
    Launch,
    /// The listing's own header.
    Listing,
    /// Read off the code: the highest register that it names, plus what the hardware keeps back.
    Inferred,
    /// Nobody: the least possible.
    Assumed,
}

impl Launch {
    pub fn threads_per_block(&self) -> u32 {
        self.block.iter().fold(1, |all, &n| all.saturating_mul(n))
    }

    pub fn blocks(&self) -> u64 {
        self.grid.iter().fold(1, |all, &n| all.saturating_mul(u64::from(n)))
    }
}

/// What a listing's own header says of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stating {
    /// Registers a thread.
    pub registers: Option<u32>,
    /// Bytes a block.
    pub shared: Option<u32>,
}

impl Launch {
    /// A full wave of the kernel's largest legal block, for where nobody said how it is launched.
    ///
    /// Registers are the listing's, else read off the code; shared memory is the listing's, else none. The block is the
    /// longest row of whole warps that the part takes with these registers; the grid fills every SM of the part once.
    /// Trips are unknown.
    pub fn assumed(program: &Program, gpu: &Gpu, stating: Stating) -> Self {
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
        let sizes = (1..=warps).rev().map(|warps| warps * resources.warp_size);
        // Where no block is legal at all one warp stands for it, and its occupancy says so.
        let (threads, blocks) = sizes
            .map(|threads| (threads, blocks_of(threads)))
            .find(|&(_, blocks)| blocks > 0)
            .unwrap_or((resources.warp_size, 1));
        Self {
            name: None,
            grid: [blocks.saturating_mul(gpu.part.sm_count.value), 1, 1],
            block: [threads, 1, 1],
            registers,
            shared,
            trips: BTreeMap::new(),
            assumed: true,
        }
    }
}

/// Registers a thread by the highest one that the code names, and those that the hardware keeps for itself; an
/// assembler's names count as one register each.
pub fn inferred_registers(program: &Program) -> u32 {
    let of_file = |file: RegisterFile| {
        let indices = program.accesses.iter().map(|access| access.register);
        indices.filter(|register| register.file == file).map(|register| u32::from(register.index) + 1).max()
    };
    let named = of_file(RegisterFile::Named).unwrap_or(0);
    let numbered = of_file(RegisterFile::General).unwrap_or(0);
    let most = program.arch.resources.max_registers_per_thread.value;
    // A thread has one register at least.
    (named.max(numbered).max(1) + program.arch.resources.registers_kept_per_thread.value).min(most)
}
