//! A launch: the grid, the block, and what a kernel takes of an SM.

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
        self.block.iter().product()
    }

    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }
}
