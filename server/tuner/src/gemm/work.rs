//! The work of a multiplication kernel for a shape, as input of the static model.

use super::kernel::Plan;
use super::{Gemm, Tiling};
use crate::Problem;
use crate::estimate::{Estimate, OutputTile, TileLoad, TiledKernel};
use machine::Gpu;

impl Tiling {
    /// The static model's estimate; `None` if the GPU's pipeline was not measured, or if the GPU cannot run
    /// the kernel.
    pub(super) fn estimate(&self, gemm: &Gemm, plan: &Plan, gpu: &Gpu) -> Option<Estimate> {
        let is_asynchronous = plan.block.pipeline.is_asynchronous();
        let [lda, ldb, _] = gemm.leading();
        let kernel = TiledKernel {
            element: gemm.element,
            block: &plan.block,
            launch: self.launch(gemm, plan),
            registers: plan.registers(),
            steps: gemm.k,
            depth: self.depth,
            moved: [(&plan.a, lda), (&plan.b, ldb)]
                .map(|(operand, leading)| TileLoad::of_matrix(operand, leading, is_asynchronous)),
            written: self.written(gemm, plan.block.rows.vector),
            bytes: gemm.bytes(),
            fresh: 1.0,
        };
        kernel.estimate(gpu)
    }

    /// The stores of a block's tile of C.
    fn written(&self, gemm: &Gemm, run: u32) -> OutputTile {
        OutputTile {
            element: gemm.element,
            lines: f64::from(self.block_n.min(gemm.n)),
            elements: self.block_m.min(gemm.m),
            run,
            extent: gemm.m,
            adds: self.grid_k > 1,
        }
    }
}
