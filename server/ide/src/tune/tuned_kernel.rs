//! A kernel with a `[tune]` table in `warplens.toml`, and one of its shapes.

use crate::Shape;
use std::ops::Range;

/// A kernel and a shape to tune it for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TunedKernel {
    pub kernel: String,
    /// Byte range of the kernel's name.
    pub range: Range<usize>,
    pub shape: Shape,
    /// Title before tuning, ``Tune `sgemm` for M=2560 N=16 K=2560``, or one line on why it cannot be tuned.
    pub title: String,
    /// The title, with an explanation if the kernel can be tuned.
    pub detail: String,
    /// True if the kernel cannot be tuned.
    pub is_refused: bool,
    /// Byte ranges where the action that writes a variant is offered: the kernel's name and its parameters' values.
    pub places: Vec<Range<usize>>,
}

/// Title and detail for a kernel that cannot be tuned.
pub(super) fn refusal(kernel: &str, done: &str, why: &str) -> (String, String) {
    let title = format!("`{kernel}` cannot be {done}: {why}");
    (title.clone(), title)
}

/// Adds an entry per shape, or a single one if the kernel is refused.
pub(super) fn add(
    all: &mut Vec<TunedKernel>,
    shapes: &[Shape],
    is_refused: bool,
    of_shape: impl Fn(&Shape) -> TunedKernel,
) {
    let most = if is_refused { 1 } else { shapes.len() };
    all.extend(shapes.iter().take(most).map(|shape| TunedKernel { is_refused, ..of_shape(shape) }));
}

/// Message for a kernel without a `[tune]` table in `warplens.toml`.
pub(super) fn not_tuned(kernel: &str) -> String {
    format!("no `[tune.{kernel}]` for a kernel of this file")
}
