//! Launches and parameter names of compiled kernels, found in their CUDA source.

use crate::cuda::kernels::{found_block, found_launches, parameter_names};
use crate::cuda::view::CudaView;
use crate::engine::code::Compiled;
use crate::engine::names;
use crate::engine::source_facts::SourceFacts;

/// Returns launches and parameter names in a CUDA source, for the kernels in its compiled code.
pub(crate) fn source_facts(view: &CudaView<'_>, compiled: &Compiled) -> SourceFacts {
    let chunks = compiled.0.text.listing().chunks().iter();
    let mut facts = SourceFacts::default();
    for chunk in chunks.filter(|chunk| !chunk.instructions().is_empty()) {
        let name = names::kernel_name(chunk);
        let own = found_launches(view, name);
        if own.is_empty() {
            facts.blocks.extend(found_block(view, name).map(|block| (name.to_owned(), block)));
        }
        facts.launches.extend(own);
        facts.parameter_names.extend(parameter_names(view, name).map(|names| (name.to_owned(), names)));
    }
    facts
}
