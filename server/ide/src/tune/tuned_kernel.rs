//! A kernel with a `[tune]` table in `warplens.toml`, and one of its problem shapes.

use crate::Shape;
use std::fmt;
use std::ops::Range;

/// A kernel and a problem shape to tune it for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TunedKernel {
    pub kernel: String,
    /// Byte range of the kernel's name.
    pub range: Range<usize>,
    pub shape: Shape,
    /// Title of the lens while tuning has no result yet: ``Tune `sgemm` for M=2560 N=16 K=2560``. If the kernel
    /// cannot be tuned, a one-line reason.
    pub title: String,
    /// The title, followed by an explanation if the kernel can be tuned.
    pub detail: String,
    /// True if the kernel cannot be tuned.
    pub is_refused: bool,
    /// Byte ranges at which the action to write a variant is offered: the kernel's name and the values of its
    /// parameters.
    pub places: Vec<Range<usize>>,
}

/// Returns the title and the detail for a kernel that cannot be tuned.
pub(super) fn refusal(kernel: &str, done: &str, why: &dyn fmt::Display) -> (String, String) {
    let title = format!("`{kernel}` cannot be {done}: {why}");
    (title.clone(), title)
}

/// Adds an entry per shape, or a single entry if the kernel cannot be tuned.
pub(super) fn add(
    all: &mut Vec<TunedKernel>,
    shapes: &[Shape],
    is_refused: bool,
    of_shape: impl Fn(&Shape) -> TunedKernel,
) {
    let most = if is_refused { 1 } else { shapes.len() };
    all.extend(shapes.iter().take(most).map(|shape| TunedKernel { is_refused, ..of_shape(shape) }));
}
