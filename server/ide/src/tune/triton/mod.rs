//! Configurations of Triton kernels in Python: which there are, what the static model says of each, and which are worth keeping.
//! Nothing is compiled and nothing is run.

mod candidates;
mod keep;
mod rank;
mod roles;
mod table;
#[cfg(test)]
mod tests;
mod view;

pub use keep::KeptConfigurations;
pub(crate) use view::PythonView;

use crate::LaunchFile;
use crate::engine::launch_file::StatedTuning;
use candidates::Candidate;
use roles::Roles;
use syntax::triton::{Kernel, kernels};

/// A Triton kernel of a text that a launches file tunes.
pub(crate) struct TunedTriton<'v> {
    pub tuning: &'v StatedTuning,
    pub kernel: Kernel,
}

/// The Triton kernels of a text that a launches file tunes, in the order of the text.
///
/// A text that names none of them is not read.
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
    /// The configurations to rank. `Err`, in one line, where there are none, or nothing can be said of them.
    pub(crate) fn candidates(&self) -> Result<Vec<Candidate>, String> {
        let name = &self.kernel.name;
        if !self.tuning.is_of_triton() {
            return Err(format!("`[tune.{name}]` has a `block`, which Triton makes"));
        }
        match &self.tuning.problem {
            Some(problem) if problem.kind != tuner::ProblemKind::Gemm => {
                return Err(format!(
                    "of Triton kernels only a problem of kind \"gemm\" is ranked, not \"{}\"",
                    problem.kind
                ));
            }
            Some(_) => drop(Roles::from_tuned(self)?),
            None if self.tuning.grid.is_none() => {
                return Err(format!("`[tune.{name}]` states no `problem`, and no `grid`"));
            }
            None => {}
        }
        candidates::candidates(self)
    }
}
