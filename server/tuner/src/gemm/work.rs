//! The work of a multiplication's kernel for a shape, for the static model.

use super::kernel::{Kind, Plan};
use super::{Gemm, Tiling};
use crate::estimate::{Estimate, Moved, Unit, Work};
use crate::{Element, Problem};
use machine::Gpu;

impl Tiling {
    /// The static model's estimate; `None` where the GPU's pipeline was not measured, or the kernel cannot run there.
    pub fn estimate(&self, gemm: &Gemm, gpu: &Gpu) -> Option<Estimate> {
        self.estimate_of(gemm, &Plan::new(Kind::from(gemm), self), gpu)
    }

    /// The same for who has the plan.
    pub(super) fn estimate_of(&self, gemm: &Gemm, plan: &Plan, gpu: &Gpu) -> Option<Estimate> {
        let is_asynchronous = plan.block.pipeline.is_asynchronous();
        let [lda, ldb, _] = gemm.leading();
        let work = Work {
            element: gemm.element,
            block: &plan.block,
            launch: self.launch_of(gemm, plan),
            registers: plan.registers(),
            steps: gemm.k,
            depth: self.depth,
            moved: [(&plan.a, lda), (&plan.b, ldb)]
                .map(|(operand, leading)| Moved::of_matrix(operand, leading, is_asynchronous)),
            written: self.written(gemm),
            adds_halves: self.adds_halves(gemm),
            least_bytes: gemm.bytes().into_iter().sum::<u64>() as f64,
        };
        work.estimate(gpu)
    }

    /// Operations of the L2 cache for a block's part of C: sectors, which lanes side by side write together, or single halves.
    fn written(&self, gemm: &Gemm) -> f64 {
        let bytes = gemm.element.bytes();
        let rows = f64::from(self.block_m.min(gemm.m));
        let columns = f64::from(self.block_n.min(gemm.n));
        if self.adds_halves(gemm) {
            return rows * columns;
        }
        columns * Unit::SECTOR.under(rows * f64::from(bytes), u64::from(gemm.m * bytes))
    }

    fn adds_halves(&self, gemm: &Gemm) -> bool {
        gemm.element == Element::F16 && self.grid_k > 1 && gemm.m % 2 == 1
    }
}
