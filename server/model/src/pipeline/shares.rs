//! An SM's share of a launch: its blocks, and its share of the chip's resources.

use crate::Launch;
use machine::Gpu;

/// An SM's share of a launch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shares {
    pub sms: u32,
    pub per_block: u32,
    pub resident: u32,
    pub all_blocks: u64,
    /// Number of blocks that the SM runs in the launch.
    pub blocks: f64,
    /// The SM's share of the resources that all SMs use, such as DRAM.
    pub of_chip: f64,
}

impl Shares {
    pub(super) fn compute(gpu: &Gpu, launch: &Launch, resident: u32) -> Self {
        let cluster = launch.cluster.iter().product();
        let at_once = |resident| gpu.part.blocks_at_once(resident, cluster);
        // Clusters leave some SMs unused.
        let sms = (at_once(resident) / u64::from(resident.max(1))).max(1) as u32;
        let all_blocks = launch.blocks().max(1);
        let even = all_blocks as f64 / f64::from(sms);
        // The launch ends with the SM that has the most blocks; with many blocks the difference matters little.
        let most = (1..=FEW as u32).find(|&blocks| at_once(blocks) >= all_blocks);
        let blocks = most.map_or(even, f64::from);
        let per_block = launch.threads_per_block().div_ceil(gpu.arch.resources.warp_size.max(1));
        Self { sms, per_block, resident, all_blocks, blocks, of_chip: blocks / all_blocks as f64 }
    }

    pub(super) fn warps(&self) -> f64 {
        self.blocks * f64::from(self.per_block)
    }

    /// Returns the index of the SM's n-th block; `None` if the SM runs fewer blocks.
    pub(super) fn block(&self, n: u64) -> Option<u64> {
        // The first block is from the middle of the first row, because its ends are rarely typical.
        let first = (u64::from(self.sms) / 2).min(self.all_blocks.saturating_sub(1) / 2);
        let last = self.all_blocks - 1;
        (n < self.blocks.ceil() as u64)
            .then(|| first.saturating_add(n.saturating_mul(u64::from(self.sms))).min(last))
    }
}

/// Maximum blocks per SM for which the SM with the most blocks determines [`Shares::blocks`]. Beyond, the mean does.
const FEW: f64 = 16.0; // limit: 1/16 of an SM's work is within the model's error
