//! Resources, occupancy and bottlenecks of a kernel as data, for views that draw them.

use crate::engine::cancel::Cancellable;
use crate::engine::lowered::ESTIMATED;
use crate::engine::names;
use crate::engine::sass_view::SassView;
use crate::kernels::access::{self, LaunchAccesses};
use crate::kernels::report::{self, KernelReport};
use serde::Serialize;
use std::sync::Arc;
use syntax::sass::Chunk;

/// One kernel and all its launches.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Name of the kernel, demangled if it was mangled.
    pub title: String,
    /// The GPU that the figures apply to, and why it was chosen.
    pub gpu: String,
    /// Model that predicted the cycles.
    pub model: String,
    /// Remark that applies to all figures, such as `estimated from PTX`. Absent if the document is a SASS listing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated: Option<&'static str>,
    /// One report per launch, without instructions. Never empty.
    pub launches: Vec<KernelReport>,
    /// Memory accesses per launch; empty for a kernel that accesses no memory.
    pub accesses: Vec<LaunchAccesses>,
}

/// Returns the summary of the kernel that contains an offset, otherwise of the next kernel, otherwise
/// of the last kernel. `None` if the document has no kernel.
pub(crate) fn at(sass: &SassView, offset: usize) -> Cancellable<Option<Summary>> {
    let Some((index, chunk)) = kernel_at(sass, offset) else { return Ok(None) };
    let kernel = sass.kernel(index);
    let launches = report::of_kernel(&kernel)?;
    let within = u32::try_from(offset.saturating_sub(sass.start(index))).unwrap_or(u32::MAX);
    let line = if offset < sass.start(index) { None } else { chunk.line_at(within) };
    let at = line.and_then(|line| chunk.instruction_on(line as u32)).map(|inst| inst as u32);
    let accesses = access::of_launches(&kernel, at);
    let name = names::kernel_name(chunk);
    Ok(Some(Summary {
        title: names::demangle(name).unwrap_or_else(|| name.to_owned()),
        gpu: kernel.target.describe(),
        model: launches.first().map_or_else(String::new, |launch| launch.cycles_model.to_owned()),
        estimated: kernel.source().map(|_| ESTIMATED),
        launches,
        accesses,
    }))
}

/// Returns the kernel that contains an offset, otherwise the next kernel, otherwise the last kernel.
/// `None` if the document has no kernel.
pub(crate) fn kernel_at(sass: &SassView, offset: usize) -> Option<(usize, &Arc<Chunk>)> {
    let ends_after = |&(index, chunk): &(usize, &Arc<Chunk>)| offset < sass.start(index) + chunk.text().len();
    sass.kernels().find(ends_after).or_else(|| sass.kernels().last())
}
