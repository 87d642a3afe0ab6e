//! The instruction that a hover is asked about.

use crate::ModelChoice;
use crate::engine::cancel::Answer;
use crate::engine::issue_simulation::Issues;
use crate::engine::kernel_view::KernelView;
use crate::sass::heat::Shares;
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
    /// Shares of the time of all warps at the first launch; `None` where that is not simulated.
    pub(super) shares: Option<Shares>,
}

impl<'a> View<'a> {
    pub(super) fn new(kernel: &'a KernelView<'a>, place: &'a TokenAt<'a>, inst: usize) -> Answer<Self> {
        let issues = kernel.issues();
        let has_cycles = issues.is_some() || kernel.sass.context.config.model != ModelChoice::Pipeline;
        Ok(Self { kernel, place, issues, has_cycles, inst, shares: Shares::compute(kernel)? })
    }
}
