//! A launch for the user to complete: a possible `warplens.toml` entry for a kernel.

use super::parameters::{Code, Parameters};
use super::{is_stated, refused, uncounted};
use crate::StatedLaunch;
use crate::engine::sass_view::SassView;

/// Returns the launch entry to add to `warplens.toml` for the kernel whose name is on the line at `offset`. `None` if a
/// launch is already stated, even with errors, or if the line does not name a kernel.
pub(crate) fn launch_to_state(sass: &SassView, offset: usize) -> Option<StatedLaunch> {
    let line = sass.line_at(offset)?;
    if line.chunk.instructions().is_empty() {
        return None;
    }
    let name = sass.name_range(line.index);
    let is_head =
        sass.line_at(name.start).is_some_and(|head| (head.index, head.line) == (line.index, line.line));
    if !is_head || is_stated(sass, line.chunk) || refused(sass, line.chunk).is_some() {
        return None;
    }
    let kernel = sass.kernel(line.index);
    let launch = uncounted(&kernel).swap_remove(0).0;
    let parameters = Parameters::new(sass, line.chunk, &kernel.target, Code::Modelled(&kernel.model));
    Some(StatedLaunch {
        function: line.chunk.name()?.to_owned(),
        grid: launch.grid,
        block: launch.block,
        parameters: parameters.to_state(),
        constants: parameters.words_to_state(),
    })
}
