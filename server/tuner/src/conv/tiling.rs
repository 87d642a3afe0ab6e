//! The tuning parameters of a convolution (section 3.3).

use super::Conv;
use super::kernel::Plan;
use super::patches::Patch;
use super::pixels::AXES;
use crate::Element;
use crate::kernel::{Arrangement, Launch, Target};
use crate::space::parameters;
use machine::{LaunchLimits, SmResources};
use std::fmt;

parameters! {
    /// `K_S`: number of filters that a thread computes.
    thread_k: [1, 2, 4, 8, 16],
    /// `P_S`: number of rows of the output that a thread computes.
    thread_p: [1, 2, 4, 8],
    /// `Q_S`: number of columns of the output that a thread computes.
    thread_q: [1, 2, 4, 8],
    /// `N_S`: number of images that a thread computes.
    thread_n: [1, 2, 4, 8],
    /// `K_L`: number of filters that a block computes.
    block_k: [8, 16, 32, 64, 128, 256],
    /// `P_L`: number of rows of the output that a block computes.
    block_p: [1, 2, 4, 8, 16, 32],
    /// `Q_L`: number of columns of the output that a block computes.
    block_q: [1, 2, 4, 8, 16, 32, 64, 128],
    /// `N_L`: number of images that a block computes.
    block_n: [1, 2, 4, 8, 16, 32, 64],
    /// `U`: number of steps along C R S that a block loads at a time.
    depth: [4, 8, 16, 32, 64],
    /// `C_S`: number of independent sums along C R S in each thread.
    thread_c: [1, 2, 4],
    /// `C_L`: number of groups of threads along C R S in each block.
    block_c: [1, 2, 4, 8, 16],
    /// `C_G`: number of blocks along C R S.
    grid_c: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    /// Number of elements of the filter per load.
    vector_filter: [1, 2, 4, 8],
    /// Number of tiles in shared memory. One or two tiles are filled through registers, three or more by
    /// asynchronous copies.
    stages: [1, 2, 3, 4],
}

impl Tiling {
    pub(super) const fn thread_pixels(&self) -> [u32; AXES] {
        [self.thread_n, self.thread_p, self.thread_q]
    }

    pub(super) const fn block_pixels(&self) -> [u32; AXES] {
        [self.block_n, self.block_p, self.block_q]
    }

    pub(super) const fn patch(&self) -> Patch {
        [self.thread_p, self.thread_q, self.thread_n, self.block_p, self.block_q, self.block_n]
    }

    /// Blocks along images, rows and columns.
    pub(super) fn tiles(&self, conv: &Conv) -> [u32; AXES] {
        let [n, p, q] = self.block_pixels();
        [conv.n.div_ceil(n), conv.p().div_ceil(p), conv.q().div_ceil(q)]
    }

    pub(super) const fn threads(&self) -> Arrangement {
        Arrangement {
            rows: self.block_n / self.thread_n
                * (self.block_p / self.thread_p)
                * (self.block_q / self.thread_q),
            columns: self.block_k / self.thread_k,
            groups: self.block_c,
        }
    }

    /// The kernel's plan; `None` if a GPU with these resources cannot run it. The register count is
    /// estimated, and all other resources are exact.
    pub(super) fn legal_plan(&self, element: Element, sm: &SmResources, target: Target) -> Option<Plan> {
        let divides = self.block_k >= self.thread_k
            && self.block_pixels().iter().zip(self.thread_pixels()).all(|(block, thread)| *block >= thread)
            && self.depth >= self.block_c * self.thread_c;
        // Halves are multiplied in pairs of pixels.
        let has_pairs = element != Element::F16 || self.thread_pixels().iter().product::<u32>() > 1;
        if !divides || !has_pairs {
            return None;
        }
        let plan = Plan::new(element, self);
        let Plan { input, filter, block, .. } = &plan;
        let is_legal = input.is_legal(block.pipeline, target)
            && filter.is_legal(block.pipeline, target)
            && block.is_legal(plan.registers(), sm);
        is_legal.then_some(plan)
    }

    /// True if the kernel computes this shape: complete vectors of the filter, a part of the sum for each
    /// block, and no more blocks than the largest grid.
    pub(super) fn fits(&self, conv: &Conv) -> bool {
        conv.steps().is_multiple_of(self.vector_filter)
            && self.grid_c <= conv.steps().div_ceil(self.depth)
            && conv.k.div_ceil(self.block_k) <= LaunchLimits::builtin().grid[1].value
    }

    /// The launch for a shape.
    pub(super) fn launch(&self, conv: &Conv, plan: &Plan) -> Launch {
        Launch {
            grid: [self.tiles(conv).iter().product(), conv.k.div_ceil(self.block_k), self.grid_c],
            threads: self.threads().threads(),
            shared_bytes: plan.block.shared_bytes(),
            adds: self.grid_c > 1,
        }
    }
}

impl fmt::Display for Tiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { block_k, block_n, block_p, block_q, thread_k, thread_n, thread_p, thread_q, .. } = self;
        write!(
            f,
            "{block_k} filters x {block_n}x{block_p}x{block_q} pixels x {} block, {thread_k} x {thread_n}x{thread_p}x{thread_q} thread, ",
            self.depth
        )?;
        write!(
            f,
            "C R S split by {} in thread, {} in block, {} in grid, filter vectors {}, {} stages",
            self.thread_c, self.block_c, self.grid_c, self.vector_filter, self.stages
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::SPARE_STEPS;
    use super::super::{arguments, kernel};
    use super::*;
    use crate::Problem as _;
    use machine::Machine;

    const TARGET: Target = Target { sm: 90 };
    const TILING: Tiling = Tiling::from_values([8, 1, 8, 1, 64, 4, 32, 1, 8, 1, 1, 1, 4, 2]);
    const CONV: Conv =
        Conv { n: 3, c: 4, h: 9, w: 40, k: 70, r: 3, s: 3, pad: 1, stride: 1, element: Element::F32 };

    fn is_legal(tiling: Tiling, element: Element) -> bool {
        let machine = Machine::builtin();
        let gpu = machine.gpu("h100-sxm").expect("machine/data has it");
        tiling.legal_plan(element, &gpu.arch.resources, TARGET).is_some()
    }

    #[test]
    fn what_a_gpu_or_an_element_cannot_have_is_illegal() {
        assert!(is_legal(TILING, Element::F32));
        let no_pairs = Tiling { thread_q: 1, block_q: 4, ..TILING };
        assert!(is_legal(no_pairs, Element::F32) && !is_legal(no_pairs, Element::F16));
        assert!(!is_legal(Tiling { thread_p: 8, ..TILING }, Element::F32), "more rows than the block has");
        assert!(!is_legal(Tiling { block_c: 16, ..TILING }, Element::F32), "more groups than steps");
        assert!(!is_legal(Tiling { block_k: 8, block_p: 1, ..TILING }, Element::F32), "less than a warp");
        let copied = Tiling { stages: 3, ..TILING };
        assert!(!is_legal(copied, Element::F32), "the elements of a vector go to several addresses");
        let copied = Tiling { vector_filter: 1, ..copied };
        assert!(
            is_legal(copied, Element::F32) && !is_legal(copied, Element::F16),
            "there are no copies of two bytes"
        );
    }

    #[test]
    fn a_launch_covers_all_pixels_and_filters() {
        let launch = CONV.launch(&Tiling { grid_c: 4, ..TILING });
        assert_eq!((launch.grid, launch.threads, launch.adds), ([3 * 3 * 2, 2, 4], 128, true));
        assert!(TILING.fits(&CONV));
        assert!(!TILING.fits(&Conv { c: 1, ..CONV }), "9 steps are not whole vectors");
        assert!(!Tiling { grid_c: 8, ..TILING }.fits(&CONV), "36 steps are 5 tiles");
    }

    #[test]
    fn a_kernel_takes_the_arguments_of_a_shape() {
        let text = kernel(Element::F32, &TILING, TARGET, "kernel");
        assert_eq!(text.matches(".param .u").count(), arguments(&CONV).len());
    }

    #[test]
    fn the_table_has_spare_steps_for_the_deepest_tile() {
        let deepest = SPACE.parameters.iter().find(|(name, _)| *name == "depth").and_then(|of| of.1.last());
        assert_eq!(deepest, Some(&SPARE_STEPS));
    }
}
