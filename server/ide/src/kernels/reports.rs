//! The questions that the command line asks of a listing's kernels.

use crate::engine::cancel::Cancellable;
use crate::engine::names;
use crate::engine::sass_view::SassView;
use crate::kernels::cycles::{self, FunctionCycles, Regions};
use crate::kernels::predict::{self, StatedLaunches};
use crate::kernels::report::{self, Report, Reports, Wanted};

impl SassView {
    /// True where the text is SASS in a notation that is known here.
    pub fn is_recognised(&self) -> bool {
        self.listing().dialect().is_some()
    }

    /// Returns the unknowns of the SASS that a PTX document is estimated to become, a sentence for each function; none for a
    /// listing that people see.
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

    /// Returns the analysis as data without its kernels, which [`Self::kernel_reports`] gives.
    pub fn report_outline(&self) -> Report {
        report::outline(self)
    }

    /// Returns the names of all kernels as the listing has them, in text order, with the number of instructions of each.
    pub fn kernel_names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.kernels().map(|(_, chunk)| (names::kernel_name(chunk), chunk.instructions().len()))
    }

    /// Returns the kernels of this name (all for `None`) at each of their launches, in text order: to be computed one by
    /// one, on any thread. A model is forgotten once its kernel's last report is given, unless instructions are not wanted.
    pub fn kernel_reports(&self, function: Option<&str>, wanted: Wanted) -> Reports<'_> {
        Reports::new(self, function, wanted)
    }

    /// The names of all functions as the listing has them, those without code too, in text order.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        cycles::functions(self).map(|chunk| names::kernel_name(chunk))
    }

    /// Why the `pipeline` model does not apply, of the first function of this name (of all for `None`) to which it does
    /// not; `None` where it applies.
    pub fn pipeline_refusal(&self, function: Option<&str>) -> Option<String> {
        cycles::pipeline_refusal(self, function)
    }

    /// The functions of this name (all for `None`), in text order, each timed when it is asked for.
    pub fn cycles<'a>(
        &'a self,
        function: Option<&'a str>,
        regions: &'a Regions,
        warps: &'a [u32],
    ) -> impl Iterator<Item = Cancellable<FunctionCycles>> + 'a {
        cycles::cycles(self, function, regions, warps)
    }

    /// The launches in force, in their order; of one function only, where it is named as the listing has it.
    pub fn stated_launches(&self, function: Option<&str>) -> StatedLaunches<'_> {
        predict::stated_launches(self, function)
    }

    /// The launch that is assumed of each kernel, or of one that is named as the listing has it: one full wave of its largest
    /// block. Of a kernel with a stated launch, that one.
    pub fn assumed_launches(&self, function: Option<&str>) -> StatedLaunches<'_> {
        predict::assumed_launches(self, function)
    }
}
