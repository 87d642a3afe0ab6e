//! Precomputes the data for hints and hovers of a module.

use crate::engine::cancel::Cancellable;
use crate::kernels::prepare::prepare as prepare_sass;
use crate::ptx::view::View;

pub(crate) fn prepare(view: &View<'_>) -> Cancellable<()> {
    for item in view.bodies() {
        view.cancel.check()?;
        if let Some(hidden) = view.cost(item) {
            prepare_sass(&hidden.sass)?;
            view.remember(item);
        }
    }
    Ok(())
}
