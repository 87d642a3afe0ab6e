//! The threads of a warp.

/// Threads of a warp, identified by the block and by the warp's index in the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarpThreads {
    /// Number of threads in a block along x, y and z.
    pub block: [u32; 3],
    /// Index of the warp in its block.
    pub warp: u32,
    /// Position of the block in the grid.
    pub ctaid: [u32; 3],
}

impl WarpThreads {
    /// Describes the first warp of the first block, for blocks of the given shape.
    pub fn first(block: [u32; 3]) -> Self {
        Self { block, warp: 0, ctaid: [0; 3] }
    }

    /// `threadIdx` of a lane; `None` beyond the block's last thread.
    pub fn tid(&self, lane: u32, warp_size: u32) -> Option<[u32; 3]> {
        let [x, y, z] = self.block.map(u64::from);
        let thread = u64::from(self.warp) * u64::from(warp_size) + u64::from(lane);
        let row = thread.checked_div(x)?;
        let plane = row.checked_div(y)?;
        (plane < z).then(|| [(thread % x) as u32, (row % y) as u32, plane as u32])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_numbered_x_first() {
        let lanes = WarpThreads { block: [8, 4, 2], warp: 1, ctaid: [0; 3] };
        assert_eq!(lanes.tid(0, 32), Some([0, 0, 1]));
        assert_eq!(lanes.tid(9, 32), Some([1, 1, 1]));
        let small = WarpThreads::first([5, 1, 1]);
        assert_eq!((small.tid(4, 32), small.tid(5, 32)), (Some([4, 0, 0]), None));
        assert_eq!(WarpThreads::first([0, 0, 0]).tid(0, 32), None);
    }
}
