//! Common interface of all kinds of problems, for code that selects among their kernels.

use crate::{Element, Estimate, Launch, ProblemKind, Space, Target};
use machine::{Gpu, SmResources};
use std::fmt::{Debug, Display};
use std::hash::Hash;

/// A problem of a given shape. Kernels of many tilings can compute it.
pub trait Problem: Copy + Debug + PartialEq + Send + Sync {
    /// Data that a search of the legal tilings computes once per shape.
    type Outline: Sync;
    /// A kernel's division of the work.
    type Tiling: Copy + Debug + Display + Hash + Ord + Send + Sync;

    const KIND: ProblemKind;
    /// The values that a tiling's parameters may take.
    const SPACE: Space;

    fn element(&self) -> Element;
    /// Name of the layout in data files: `nt`.
    fn layout(&self) -> &'static str;
    /// Number of multiplications and additions.
    fn flops(&self) -> f64;
    /// Bytes of each input and of the output.
    fn bytes(&self) -> [u64; 3];

    /// Values of the columns [`ProblemKind::problem_columns`], in column order.
    fn values(&self) -> Vec<f64>;
    /// Inverse of [`Self::values`], by column name; `None` if a value is missing or invalid for a problem.
    fn from_values(value: &dyn Fn(&str) -> Option<f64>) -> Option<Self>;

    /// The tiling of a point of [`Self::SPACE`].
    ///
    /// # Panics
    /// If the point has more or fewer values than the space has parameters.
    fn tiling(point: &[u32]) -> Self::Tiling;
    /// The point of [`Self::SPACE`] for this tiling.
    fn point(tiling: &Self::Tiling) -> Vec<u32>;

    /// True if a GPU with these resources can run the kernel. The register count is estimated, and all other
    /// resources are exact.
    fn is_legal(&self, tiling: &Self::Tiling, sm: &SmResources, target: Target) -> bool;
    /// True if the kernel computes this shape.
    fn fits(&self, tiling: &Self::Tiling) -> bool;
    fn outline(&self) -> Self::Outline;
    /// Calls `found` with each tiling that the GPU can run for this shape, and with the static model's estimate for the
    /// tiling. The tilings are in lexical order, and their points begin with the values of `beginning`. A tiling that
    /// has no advantage over some other tiling for this shape is skipped, such as a tiling with blocks twice as large
    /// as the output. A GPU whose pipeline was not measured has no tilings.
    fn each_legal(
        &self,
        outline: &Self::Outline,
        gpu: &Gpu,
        beginning: &[u32],
        found: &mut dyn FnMut(Self::Tiling, Estimate),
    );

    fn launch(&self, tiling: &Self::Tiling) -> Launch;
    /// The static model's estimate; `None` if the GPU's pipeline was not measured, or if the GPU cannot run
    /// the kernel.
    fn estimate(&self, tiling: &Self::Tiling, gpu: &Gpu) -> Option<Estimate>;
    /// The kernel's PTX. It depends only on the tiling and on the problem's types and layout.
    fn kernel(&self, tiling: &Self::Tiling, target: Target, name: &str) -> String;

    /// All tilings of [`Self::each_legal`].
    fn all_legal(&self, gpu: &Gpu) -> Vec<Self::Tiling> {
        let mut all = Vec::new();
        self.each_legal(&self.outline(), gpu, &[], &mut |tiling, _| all.push(tiling));
        all
    }
}
