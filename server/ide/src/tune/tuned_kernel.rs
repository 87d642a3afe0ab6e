//! A kernel of a text that `warplens.toml` tunes, with one of its shapes.

use crate::Shape;
use std::ops::Range;

/// A kernel and a shape that it is to be tuned for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TunedKernel {
    pub kernel: String,
    /// Bytes of the kernel's name.
    pub range: Range<usize>,
    pub shape: Shape,
    /// One line, before anything is known: ``Tune `sgemm` for M=2560 N=16 K=2560``. Where the parameters cannot be written, why.
    pub title: String,
    pub detail: String,
    /// True if nothing can be tuned.
    pub is_refused: bool,
    /// Bytes of the text in which the action that writes a variant is offered: the kernel's name, and the values of its parameters.
    pub places: Vec<Range<usize>>,
}

/// Title and detail for a kernel that cannot be tuned.
pub(super) fn refusal(kernel: &str, done: &str, why: &str) -> (String, String) {
    let title = format!("`{kernel}` cannot be {done}: {why}");
    (title.clone(), title)
}

/// Adds a kernel once for each shape; only once where it is refused.
pub(super) fn add(
    all: &mut Vec<TunedKernel>,
    shapes: &[Shape],
    is_refused: bool,
    of_shape: impl Fn(&Shape) -> TunedKernel,
) {
    let most = if is_refused { 1 } else { shapes.len() };
    all.extend(shapes.iter().take(most).map(|shape| TunedKernel { is_refused, ..of_shape(shape) }));
}

/// The message for a kernel that `warplens.toml` does not tune.
pub(super) fn not_tuned(kernel: &str) -> String {
    format!("no `[tune.{kernel}]` for a kernel of this file")
}
