//! The common part of all kinds of problems, for those who choose among their kernels.

use crate::{Element, Estimate, Launch, ProblemKind, Space, Target};
use machine::{Gpu, SmResources};
use std::fmt::{Debug, Display};
use std::hash::Hash;

/// A problem of some shape, which has kernels of many tilings.
pub trait Problem: Copy + Debug + PartialEq + Send + Sync {
    /// A preparation that a search of the legal tilings makes once for a shape.
    type Outline: Sync;
    /// How a kernel divides the work.
    type Tiling: Copy + Debug + Display + Hash + Ord + Send + Sync;

    const KIND: ProblemKind;
    /// The values that a tiling's parameters may take.
    const SPACE: Space;

    fn element(&self) -> Element;
    /// The word for its layout in data files: `nt`.
    fn layout(&self) -> &'static str;
    /// Multiplications and additions.
    fn flops(&self) -> f64;
    /// Bytes of both inputs and of the output.
    fn bytes(&self) -> [u64; 3];

    /// Numbers for the columns of [`ProblemKind::problem_columns`], in their order.
    fn values(&self) -> Vec<f64>;
    /// The problem of such numbers by name; `None` where one is missing or none of a problem.
    fn from_values(value: &dyn Fn(&str) -> Option<f64>) -> Option<Self>;

    /// The tiling of a point of [`Self::SPACE`].
    ///
    /// # Panics
    /// If it has more or fewer values than the space has parameters.
    fn tiling(point: &[u32]) -> Self::Tiling;
    /// The point of a tiling.
    fn point(tiling: &Self::Tiling) -> Vec<u32>;

    /// Whether a GPU with these resources can run the kernel. Registers are estimated, the rest is exact.
    fn is_legal(&self, tiling: &Self::Tiling, sm: &SmResources, target: Target) -> bool;
    /// Whether the kernel computes this shape.
    fn fits(&self, tiling: &Self::Tiling) -> bool;
    fn outline(&self) -> Self::Outline;
    /// The tilings that a GPU can run for this shape, of points that begin with these values, in lexical order, with the static model's
    /// estimates. Tilings that are worse for this shape than another one without being better are left out, such as blocks that reach further
    /// than twice over an edge. There are none for a GPU whose pipeline was not measured.
    fn each_legal(
        &self,
        outline: &Self::Outline,
        gpu: &Gpu,
        beginning: &[u32],
        found: &mut dyn FnMut(Self::Tiling, Estimate),
    );

    fn launch(&self, tiling: &Self::Tiling) -> Launch;
    /// The static model's estimate; `None` where the GPU's pipeline was not measured, or the kernel cannot run there.
    fn estimate(&self, tiling: &Self::Tiling, gpu: &Gpu) -> Option<Estimate>;
    /// The kernel's text. It depends on the problem's types and layout alone.
    fn kernel(&self, tiling: &Self::Tiling, target: Target, name: &str) -> String;

    /// The tilings of [`Self::each_legal`], whatever they begin with.
    fn all_legal(&self, gpu: &Gpu) -> Vec<Self::Tiling> {
        let mut all = Vec::new();
        self.each_legal(&self.outline(), gpu, &[], &mut |tiling, _| all.push(tiling));
        all
    }
}
