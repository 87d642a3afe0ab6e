//! Queries of the command line on a listing's kernels.

use crate::engine::cancel::Cancellable;
use crate::engine::names;
use crate::engine::sass_view::SassView;
use crate::kernels::cycles::{self, FunctionCycles, Regions};
use crate::kernels::predict::{self, StatedLaunches};
use crate::kernels::report::{self, Report, Reports, Wanted};

impl SassView {
    /// True if the text is SASS in a known notation.
    pub fn is_recognised(&self) -> bool {
        self.listing().dialect().is_some()
    }

    /// Returns what is unknown in the SASS that a PTX document is estimated to become, one sentence per function; empty
    /// for a listing shown to the user.
    pub fn doubts(&self) -> Vec<String> {
        let chunks = self.kernels().filter_map(|(_, chunk)| self.source(chunk));
        let doubts = chunks.map(|source| (source.name(), source.cost.doubts()));
        let some = doubts.filter(|(_, doubts)| !doubts.is_empty());
        some.map(|(name, doubts)| format!("`{name}`:{doubts}")).collect()
    }

    /// Returns the whole analysis as data.
    pub fn report(&self) -> Cancellable<Report> {
        report::whole_report(self)
    }

    /// Returns the analysis as data without its kernels, which [`Self::kernel_reports`] returns.
    pub fn report_outline(&self) -> Report {
        report::outline(self)
    }

    /// Returns the names of all kernels as in the listing, in text order, with the number of instructions of each.
    pub fn kernel_names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.kernels().map(|(_, chunk)| (names::kernel_name(chunk), chunk.instructions().len()))
    }

    /// Returns the kernels of this name (all for `None`) at each of their launches, in text order: to be computed one
    /// by one, on any thread. A kernel's model is dropped once its last report is computed, unless instructions are not
    /// requested.
    pub fn kernel_reports(&self, function: Option<&str>, wanted: Wanted) -> Reports<'_> {
        Reports::new(self, function, wanted)
    }

    /// Returns the names of all functions as in the listing, in text order, including those without code.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        cycles::functions(self).map(|chunk| names::kernel_name(chunk))
    }

    /// Returns why the `pipeline` model does not apply to the functions of this name (all for `None`): the reason of
    /// the first to which it does not. `None` if it applies to all.
    pub fn pipeline_refusal(&self, function: Option<&str>) -> Option<String> {
        cycles::pipeline_refusal(self, function)
    }

    /// Returns the cycles of the functions of this name (all for `None`), in text order; each is computed when the
    /// iterator reaches it.
    pub fn cycles<'a>(
        &'a self,
        function: Option<&'a str>,
        regions: &'a Regions,
        warps: &'a [u32],
    ) -> impl Iterator<Item = Cancellable<FunctionCycles>> + 'a {
        cycles::cycles(self, function, regions, warps)
    }

    /// Returns the launches in force, in file order; only those of `function`, a name in the listing, if it is given.
    pub fn stated_launches(&self, function: Option<&str>) -> StatedLaunches<'_> {
        predict::stated_launches(self, function)
    }

    /// Returns the assumed launch of each kernel, or of the one with this name in the listing: one full wave of its
    /// largest block. For a kernel with stated launches, returns the first of them instead.
    pub fn assumed_launches(&self, function: Option<&str>) -> StatedLaunches<'_> {
        predict::assumed_launches(self, function)
    }
}
