//! The instruction that a hover is asked about.

use crate::ModelChoice;
use crate::engine::issue_simulation::Issues;
use crate::engine::kernel_view::KernelView;
use crate::sass::token_at::TokenAt;

/// One instruction and all that is known of it.
pub(super) struct View<'a> {
    pub(super) kernel: &'a KernelView<'a>,
    pub(super) place: &'a TokenAt<'a>,
    /// Issue cycles by the `pipeline` model, where it applies.
    pub(super) issues: Option<&'a Issues>,
    /// Issue cycles of either model are to be shown.
    pub(super) has_cycles: bool,
    pub(super) inst: usize,
}

impl<'a> View<'a> {
    pub(super) fn new(kernel: &'a KernelView<'a>, place: &'a TokenAt<'a>, inst: usize) -> Self {
        let issues = kernel.issues();
        let has_cycles = issues.is_some() || kernel.sass.context.config.model != ModelChoice::Pipeline;
        Self { kernel, place, issues, has_cycles, inst }
    }
}
