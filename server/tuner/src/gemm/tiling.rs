//! The tuning parameters of a matrix multiplication (section 3.2, Figure 3).

/// How a kernel divides the work. All are powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tiling {
    /// `M_S`: rows of C that a thread computes.
    pub thread_m: u32,
    /// `N_S`: columns of C that a thread computes.
    pub thread_n: u32,
    /// `M_L`: rows of C that a block computes.
    pub block_m: u32,
    /// `N_L`: columns of C that a block computes.
    pub block_n: u32,
    /// `U`: steps along K that a block loads at a time.
    pub depth: u32,
    /// `K_S`: independent sums along K in each thread.
    pub thread_k: u32,
    /// `K_L`: groups of threads along K in each block.
    pub block_k: u32,
    /// `K_G`: blocks along K.
    pub grid_k: u32,
    /// Elements of A in one load.
    pub vector_a: u32,
    /// Elements of B in one load.
    pub vector_b: u32,
    /// Tiles in shared memory: 1 and 2 are filled through registers, 3 and more by asynchronous copies.
    pub stages: u32,
}
