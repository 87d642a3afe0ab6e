//! Kernel time by the static model: nothing is compiled, and nothing is trained.
//!
//! Equations (2) and (3) of the paper: the time of a launch is the time of its slowest part. Each part is
//! bound by throughput or, with few warps, by latency. [`Work`] describes a launch, [`Figures`] describes a
//! GPU, and [`Work::time`] is the model. Multiplications and convolutions ([`TiledKernel`]) and Triton's
//! products (`triton`) each compute a [`Work`].

mod figures;
mod work;

mod output_tile;
mod spans;
mod tile_load;
mod tiled;

pub(crate) use figures::Figures;
pub(crate) use output_tile::OutputTile;
pub(crate) use spans::Span;
pub(crate) use tile_load::TileLoad;
pub(crate) use tiled::TiledKernel;
pub(crate) use work::{Fragments, OutputTraffic, Products, Stages, Work};

use machine::Gpu;

/// The static model's figures for a kernel and a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Upper estimate of registers per thread.
    pub registers: u32,
    /// Resident warps as a fraction of an SM's maximum, 0 to 1.
    pub occupancy: f64,
    /// Resident blocks per SM.
    pub resident_blocks: u32,
    /// Cycles from launch to end. They include the launch that zeroes C if the kernel adds to C.
    pub cycles: f64,
    pub limit: Limit,
}

impl Estimate {
    /// Columns in which a network receives the static model's figures.
    pub const COLUMNS: [&str; 3] = ["resident_blocks", "occupancy", "static_cycles"];

    /// Values of [`Self::COLUMNS`]: resident blocks of the entire GPU, occupancy, cycles.
    pub fn columns(&self, gpu: &Gpu) -> [f64; 3] {
        let resident = f64::from(self.resident_blocks * gpu.part.sm_count.value);
        [resident, self.occupancy, self.cycles]
    }
}

/// The component of a full SM that takes the most time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    Products,
    Issue,
    SharedMemory,
    L1Cache,
    L2Cache,
    Dram,
    /// There are too few warps to hide latency.
    Latency,
}

impl Limit {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Products => "products",
            Self::Issue => "issue",
            Self::SharedMemory => "shared memory",
            Self::L1Cache => "L1 cache",
            Self::L2Cache => "L2 cache",
            Self::Dram => "DRAM",
            Self::Latency => "latency",
        }
    }
}
