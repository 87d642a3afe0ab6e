//! The result of a search.

use super::super::printed_family::PrintedFamily;
use super::measurement_origin::MeasurementOrigin;
use crate::cli::output::counted;
use lab::tune::{Element, Gpu, NetworkMetadata, RankedTiling};

/// The best tilings of a problem, and the model that ranked them.
pub(super) struct Answer<P: PrintedFamily> {
    pub(super) problem: P,
    pub(super) gpu: Gpu,
    /// The network that ranks, or the reason why no network does.
    pub(super) network: Result<NetworkMetadata, String>,
    /// Number of legal tilings compared.
    pub(super) legal: usize,
    pub(super) best: Vec<RankedTiling<P::Tiling>>,
    pub(super) measured: Option<MeasurementOrigin>,
}

impl<P: PrintedFamily> Answer<P> {
    /// The models that ranked the tilings, one line each.
    pub(super) fn basis(&self) -> Vec<String> {
        let model = match &self.network {
            Err(why) => format!("static model alone: {why}"),
            Ok(NetworkMetadata { gpu, samples, errors, .. }) => {
                let errors: Vec<String> =
                    errors.iter().map(|error| format!("{:.4} ({})", error.value, error.held_out)).collect();
                let errors = if errors.is_empty() { "unknown".to_owned() } else { errors.join(", ") };
                let samples = counted(*samples, "sample");
                format!("network trained on {gpu}, {samples}, mean square error {errors}")
            }
        };
        // Networks are trained on measurable shapes only.
        let is_outside = self.network.is_ok() && !self.problem.is_measurable();
        let outside = "the shape is outside the range that the network was trained on: its times are guesses";
        let outside = is_outside.then(|| outside.to_owned());
        let is_half = self.problem.element() == Element::F16;
        let units = is_half
            .then(|| "these kernels use no tensor cores, unlike the f16 kernels of libraries".to_owned());
        [Some(model), outside, units, self.measured.as_ref().map(MeasurementOrigin::words)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The source of the listed times: `measured`, `network` or `static`.
    pub(super) fn by(&self) -> &'static str {
        match (&self.measured, &self.network) {
            (Some(_), _) => "measured",
            (None, Ok(_)) => "network",
            (None, Err(_)) => "static",
        }
    }
}
