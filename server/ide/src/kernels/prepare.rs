//! Precomputes the data for hints and hovers of a listing's kernels.

use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::kernels::early::remember;

/// Computes the models and the issue cycles of all kernels, and memoizes them.
pub(crate) fn prepare(sass: &SassView) -> Cancellable<()> {
    for (_, chunk) in sass.kernels() {
        sass.cancel.check()?;
        let model = sass.model(chunk, &sass.target(chunk));
        sass.issues(chunk, &model);
    }
    remember(sass, &(0..sass.listing().len()));
    Ok(())
}
