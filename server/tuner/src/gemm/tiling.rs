//! The tuning parameters of a matrix multiplication (section 3.2, Figure 3).

use super::Gemm;
use super::kernel::{Kind, Plan};
use crate::Element;
use crate::kernel::{Arrangement, Launch, Target};
use crate::space::parameters;
use machine::SmResources;
use std::fmt;

parameters! {
    /// `M_S`: number of rows of C that a thread computes.
    thread_m: [1, 2, 4, 8, 16],
    /// `N_S`: number of columns of C that a thread computes.
    thread_n: [1, 2, 4, 8, 16],
    /// `M_L`: number of rows of C that a block computes.
    block_m: [8, 16, 32, 64, 128, 256],
    /// `N_L`: number of columns of C that a block computes.
    block_n: [8, 16, 32, 64, 128, 256],
    /// `U`: number of steps along K that a block loads at a time.
    depth: [4, 8, 16, 32, 64],
    /// `K_S`: number of independent sums along K in each thread.
    thread_k: [1, 2, 4],
    /// `K_L`: number of groups of threads along K in each block.
    block_k: [1, 2, 4, 8, 16],
    /// `K_G`: number of blocks along K.
    grid_k: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    /// Number of elements of A per load.
    vector_a: [1, 2, 4, 8],
    /// Number of elements of B per load.
    vector_b: [1, 2, 4, 8],
    /// Number of tiles in shared memory. One or two tiles are filled through registers, three or more by
    /// asynchronous copies.
    stages: [1, 2, 3, 4],
}

impl Tiling {
    pub(super) const fn threads(&self) -> Arrangement {
        Arrangement {
            rows: self.block_m / self.thread_m,
            columns: self.block_n / self.thread_n,
            groups: self.block_k,
        }
    }

    /// The kernel's plan; `None` if a GPU with these resources cannot run it. The register count is
    /// estimated, and all other resources are exact.
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

    /// True if the kernel computes this shape: complete vectors, and a part of K for each block.
    pub(super) fn fits(&self, gemm: &Gemm) -> bool {
        let along = |transposed: bool, outer: u32| if transposed { gemm.k } else { outer };
        let a = along(gemm.a_transposed, gemm.m);
        let b = along(!gemm.b_transposed, gemm.n);
        a.is_multiple_of(self.vector_a)
            && b.is_multiple_of(self.vector_b)
            && self.grid_k <= gemm.k.div_ceil(self.depth)
    }

    /// The launch for a shape.
    pub(super) fn launch(&self, gemm: &Gemm, plan: &Plan) -> Launch {
        Launch {
            grid: [gemm.m.div_ceil(self.block_m), gemm.n.div_ceil(self.block_n), self.grid_k],
            threads: self.threads().threads(),
            shared_bytes: plan.block.shared_bytes(),
            adds: self.grid_k > 1,
        }
    }
}

impl fmt::Display for Tiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}x{}x{} block, {}x{} thread, K split by {} in thread, {} in block, {} in grid, vectors {} and {}, {} stages",
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
