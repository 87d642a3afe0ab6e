//! Computes in advance what hints and hovers of a listing's kernels will need.

use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::kernels::early::remember;

/// Computes the models and the issue of all kernels, and keeps them in the memo.
pub(crate) fn prepare(sass: &SassView) -> Cancellable<()> {
    for (_, chunk) in sass.kernels() {
        sass.cancel.check()?;
        let model = sass.model(chunk, &sass.target(chunk));
        sass.issues(chunk, &model);
    }
    remember(sass, &(0..sass.listing().len()));
    Ok(())
}
