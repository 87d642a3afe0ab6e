//! The tuning parameters of a matrix multiplication (section 3.2, Figure 3).

use super::Gemm;
use super::kernel::{Kind, Plan};
use crate::Element;
use crate::kernel::{Arrangement, Launch, Target};
use crate::space::Space;
use machine::SmResources;
use std::fmt;

/// How a kernel divides the work. All are powers of two, but for the stages.
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

/// The values that tuning parameters may take, in the order of [`Tiling::values`].
pub const SPACE: Space = Space {
    parameters: &[
        ("thread_m", &[1, 2, 4, 8, 16]),
        ("thread_n", &[1, 2, 4, 8, 16]),
        ("block_m", &[8, 16, 32, 64, 128, 256]),
        ("block_n", &[8, 16, 32, 64, 128, 256]),
        ("depth", &[4, 8, 16, 32, 64]),
        ("thread_k", &[1, 2, 4]),
        ("block_k", &[1, 2, 4, 8, 16]),
        ("grid_k", &[1, 2, 4, 8, 16, 32, 64, 128, 256]),
        ("vector_a", &[1, 2, 4, 8]),
        ("vector_b", &[1, 2, 4, 8]),
        ("stages", &[1, 2, 3, 4]),
    ],
};

impl Tiling {
    /// The tiling of a point of [`SPACE`].
    pub const fn from_values(values: [u32; 11]) -> Self {
        let [
            thread_m,
            thread_n,
            block_m,
            block_n,
            depth,
            thread_k,
            block_k,
            grid_k,
            vector_a,
            vector_b,
            stages,
        ] = values;
        Self {
            thread_m,
            thread_n,
            block_m,
            block_n,
            depth,
            thread_k,
            block_k,
            grid_k,
            vector_a,
            vector_b,
            stages,
        }
    }

    pub(super) const fn threads(&self) -> Arrangement {
        Arrangement {
            rows: self.block_m / self.thread_m,
            columns: self.block_n / self.thread_n,
            groups: self.block_k,
        }
    }

    /// Threads of a block.
    pub const fn block_threads(&self) -> u32 {
        self.threads().threads()
    }

    /// Bytes of shared memory of a block.
    pub fn shared_bytes(&self, kind: Kind) -> u32 {
        Plan::new(kind, self).block.shared_bytes()
    }

    /// An upper estimate of a thread's registers.
    pub fn registers(&self, kind: Kind) -> u32 {
        Plan::new(kind, self).registers()
    }

    /// Whether a GPU with these resources can run the kernel. Registers are estimated, the rest is exact.
    pub fn is_legal(&self, kind: Kind, sm: &SmResources, target: Target) -> bool {
        self.legal_plan(kind, sm, target).is_some()
    }

    /// The kernel's plan where it is legal.
    pub(super) fn legal_plan(&self, kind: Kind, sm: &SmResources, target: Target) -> Option<Plan> {
        let divides = self.block_m >= self.thread_m
            && self.block_n >= self.thread_n
            && self.depth >= self.block_k * self.thread_k;
        if !divides || (kind.element == Element::F16 && self.thread_m < 2) {
            return None;
        }
        let plan = Plan::new(kind, self);
        let Plan { a, b, block } = &plan;
        let is_legal = [a, b].iter().all(|operand| operand.is_legal(block.pipeline, target))
            && block.is_legal(plan.registers(), sm);
        is_legal.then_some(plan)
    }

    /// Whether the kernel computes this shape: whole vectors, and some of K for each block.
    pub fn fits(&self, gemm: &Gemm) -> bool {
        let along = |transposed: bool, outer: u32| if transposed { gemm.k } else { outer };
        let a = along(gemm.a_transposed, gemm.m);
        let b = along(!gemm.b_transposed, gemm.n);
        a.is_multiple_of(self.vector_a)
            && b.is_multiple_of(self.vector_b)
            && self.grid_k <= gemm.k.div_ceil(self.depth)
    }

    /// The launch for a shape.
    pub fn launch(&self, gemm: &Gemm) -> Launch {
        self.launch_of(gemm, &Plan::new(gemm.into(), self))
    }

    /// The same for who has the plan.
    pub(super) fn launch_of(&self, gemm: &Gemm, plan: &Plan) -> Launch {
        Launch {
            grid: [gemm.m.div_ceil(self.block_m), gemm.n.div_ceil(self.block_n), self.grid_k],
            threads: self.block_threads(),
            shared_bytes: plan.block.shared_bytes(),
            adds: self.grid_k > 1,
        }
    }

    /// The values by the names that data files and `--emit` use.
    pub const fn values(&self) -> [(&'static str, u32); 11] {
        [
            ("thread_m", self.thread_m),
            ("thread_n", self.thread_n),
            ("block_m", self.block_m),
            ("block_n", self.block_n),
            ("depth", self.depth),
            ("thread_k", self.thread_k),
            ("block_k", self.block_k),
            ("grid_k", self.grid_k),
            ("vector_a", self.vector_a),
            ("vector_b", self.vector_b),
            ("stages", self.stages),
        ]
    }
}

impl fmt::Display for Tiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}x{}x{} block, {}x{} thread, split {} in thread, {} in block, {} in grid, vectors {} and {}, {} stages",
            self.block_m,
            self.block_n,
            self.depth,
            self.thread_m,
            self.thread_n,
            self.thread_k,
            self.block_k,
            self.grid_k,
            self.vector_a,
            self.vector_b,
            self.stages
        )
    }
}
