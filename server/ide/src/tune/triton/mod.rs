//! Configurations of Triton kernels in Python: parses them, ranks them with the static model, and reduces
//! lists to the best configurations. Nothing is compiled or run.

mod candidates;
mod error;
mod keep;
mod rank;
mod roles;
mod table;
#[cfg(test)]
mod tests;
mod view;

pub use error::TritonError;
pub use keep::KeptConfigurations;
pub(crate) use view::PythonView;

use crate::LaunchFile;
use crate::engine::launch_file::StatedTuning;
use candidates::Candidate;
use roles::Roles;
use syntax::triton::{Kernel, kernels};

/// A Triton kernel with a `[tune]` table in the launches file.
pub(crate) struct TunedTriton<'v> {
    pub tuning: &'v StatedTuning,
    pub kernel: Kernel,
}

/// Returns the Triton kernels of a document that have a `[tune]` table in the launches file, in text order.
///
/// A document that contains none of the kernels' names is not parsed.
pub(crate) fn tuned<'v>(text: &str, file: Option<&'v LaunchFile>) -> Vec<TunedTriton<'v>> {
    let tunings = file.map_or(&[][..], |file| &file.tunings);
    let is_named =
        |tuning: &StatedTuning| memchr::memmem::find(text.as_bytes(), tuning.kernel.as_bytes()).is_some();
    if !tunings.iter().any(is_named) {
        return Vec::new();
    }
    let named = kernels(text).into_iter().filter_map(|kernel| {
        let tuning = tunings.iter().find(|tuning| tuning.kernel == kernel.name)?;
        Some(TunedTriton { tuning, kernel })
    });
    named.collect()
}

impl TunedTriton<'_> {
    /// Returns the configurations to rank. `Err` if there are no configurations, or if they cannot be
    /// ranked.
    pub(crate) fn candidates(&self) -> Result<Vec<Candidate>, TritonError> {
        let kernel = || self.kernel.name.clone();
        if !self.tuning.is_of_triton() {
            return Err(TritonError::HasBlock { kernel: kernel() });
        }
        match &self.tuning.problem {
            Some(problem) if problem.kind != tuner::ProblemKind::Gemm => {
                return Err(TritonError::OtherProblem { kind: problem.kind });
            }
            Some(_) => drop(Roles::from_tuned(self)?),
            None if self.tuning.grid.is_none() => {
                return Err(TritonError::NeitherProblemNorGrid { kernel: kernel() });
            }
            None => {}
        }
        candidates::candidates(self)
    }
}
