//! Queries about the cost of kernels and about findings.

use crate::engine::cancel::Cancellable;
use crate::kernels::hints::HintRequest;
use crate::kernels::predict::Roofline;
use crate::{
    Diagnostic, Fix, HeatMap, Hint, Hover, Lens, LensLocation, LensSubject, OccupancyCurves, SelectionCycles,
    StatedLaunch, StatedTrips, Summary,
};
use model::Launch;
use model::pipeline::Budget;
use std::ops::Range;

pub(crate) trait Costs {
    fn gpu_name(&self) -> String {
        String::new()
    }
    fn current_sm(&self) -> u16 {
        0
    }
    fn runs_on(&self, _sm: u16) -> bool {
        false
    }
    fn prepare(&self) -> Cancellable<()> {
        Ok(())
    }
    fn syntax_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        Ok(Vec::new())
    }
    fn code_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        Ok(Vec::new())
    }
    fn model_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        Ok(Vec::new())
    }
    fn fixes(&self, _rule: &str, _range: Range<usize>) -> Cancellable<Vec<Fix>> {
        Ok(Vec::new())
    }
    fn launch_to_state(&self, _offset: usize) -> Option<StatedLaunch> {
        None
    }
    fn trips_to_state(&self, _rule: &str, _offset: usize) -> Option<StatedTrips> {
        None
    }
    fn hints(&self, _asked: &HintRequest) -> Cancellable<Vec<Hint>> {
        Ok(Vec::new())
    }
    fn early_hints(&self, _asked: &HintRequest) -> Cancellable<Option<Vec<Hint>>> {
        Ok(None)
    }
    fn hover(&self, _offset: usize) -> Cancellable<Option<Hover>> {
        Ok(None)
    }
    fn lenses(&self) -> Cancellable<Vec<Lens>> {
        let lenses = self.lens_places()?.into_iter().map(|place| self.lens(place.kernel, place.of));
        Ok(lenses.collect::<Cancellable<Vec<_>>>()?.into_iter().flatten().collect())
    }
    fn lens_places(&self) -> Cancellable<Vec<LensLocation>> {
        Ok(Vec::new())
    }
    fn lens(&self, _kernel: usize, _of: LensSubject) -> Cancellable<Option<Lens>> {
        Ok(None)
    }
    fn launches_stated(&self) -> usize {
        0
    }
    fn simulate(&self, _kernel: usize, _launch: usize) -> Cancellable<bool> {
        Ok(false)
    }
    fn simulate_at(&self, _offset: usize) -> Cancellable<bool> {
        Ok(false)
    }
    fn selection_cycles(&self, _range: Range<usize>) -> Cancellable<Option<SelectionCycles>> {
        Ok(None)
    }
    fn summary(&self, _offset: usize) -> Cancellable<Option<Summary>> {
        Ok(None)
    }
    fn roofline(&self, _offset: usize, _budget: fn(&Launch) -> Budget) -> Cancellable<Option<Roofline>> {
        Ok(None)
    }
    fn heat(&self, _range: &Range<usize>) -> Cancellable<Option<HeatMap>> {
        Ok(None)
    }
    fn occupancy_curves(&self, _offset: usize) -> Cancellable<Option<OccupancyCurves>> {
        Ok(None)
    }
}
