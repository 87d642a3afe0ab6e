//! Command-line queries about a listing's kernels.

use crate::engine::cancel::Cancellable;
use crate::engine::names;
use crate::engine::sass_view::SassView;
use crate::kernels::cycles::{self, CyclesError, FunctionCycles, Regions};
use crate::kernels::predict::{self, StatedLaunches};
use crate::kernels::report::{self, Report, ReportSections, Reports};

impl SassView {
    /// True if the text is SASS in a known notation.
    pub fn is_recognised(&self) -> bool {
        self.listing().dialect().is_some()
    }

    /// Returns what is unknown about the SASS estimated from a PTX document, one sentence per function. Empty for a
    /// listing that the user sees.
    pub fn doubts(&self) -> Vec<String> {
        let chunks = self.kernels().filter_map(|(_, chunk)| self.source(chunk));
        let doubts = chunks.map(|source| (source.name(), source.cost.doubts()));
        let some = doubts.filter(|(_, doubts)| !doubts.is_empty());
        some.map(|(name, doubts)| format!("`{name}`:{doubts}")).collect()
    }

    /// Returns the complete analysis as data.
    pub fn report(&self) -> Cancellable<Report> {
        report::whole_report(self)
    }

    /// Returns the analysis without its kernels, as data. [`Self::kernel_reports`] returns the kernels.
    pub fn report_outline(&self) -> Report {
        report::outline(self)
    }

    /// Returns the names of all kernels as in the listing, in text order, with each kernel's
    /// instruction count.
    pub fn kernel_names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.kernels().map(|(_, chunk)| (names::kernel_name(chunk), chunk.instructions().len()))
    }

    /// Returns the kernels named `function` (all for `None`) at each of their launches, in text order. Reports can be
    /// computed one by one, on any thread. If instructions are requested, a kernel's model is dropped after the
    /// kernel's last report.
    pub fn kernel_reports(&self, function: Option<&str>, wanted: ReportSections) -> Reports<'_> {
        Reports::new(self, function, wanted)
    }

    /// Returns the names of all functions as in the listing, in text order. Functions without code are
    /// included.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        cycles::functions(self).map(|chunk| names::kernel_name(chunk))
    }

    /// Returns why the `pipeline` model does not apply to a function named `function` (all functions
    /// for `None`). Reports the first function that the model does not support. `None` if the model
    /// applies to all of them.
    pub fn pipeline_refusal(&self, function: Option<&str>) -> Option<CyclesError> {
        cycles::pipeline_refusal(self, function)
    }

    /// Returns the cycles of the functions named `function` (all for `None`), in text order. Each
    /// function is computed when the iterator reaches it.
    pub fn cycles<'a>(
        &'a self,
        function: Option<&'a str>,
        regions: &'a Regions,
        warps: &'a [u32],
    ) -> impl Iterator<Item = Cancellable<FunctionCycles>> + 'a {
        cycles::cycles(self, function, regions, warps)
    }

    /// Returns the stated launches of the document's kernels, in file order. If `function` is given, returns only
    /// launches of the kernel with that name in the listing.
    pub fn stated_launches(&self, function: Option<&str>) -> StatedLaunches<'_> {
        predict::stated_launches(self, function)
    }

    /// Returns the assumed launch of each kernel, or of the kernel named `function` in the listing. The assumed launch
    /// is one full wave of the largest block. For a kernel with stated launches, returns the first stated launch
    /// instead.
    pub fn assumed_launches(&self, function: Option<&str>) -> StatedLaunches<'_> {
        predict::assumed_launches(self, function)
    }
}
