//! The origin of measured times.

use crate::cli::output::counted;

/// The origin of an answer's measured times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MeasurementOrigin {
    /// The GPU's name and its driver: `NVIDIA H100 80GB HBM3, driver 13.0`.
    pub(super) gpu: String,
    /// Date of the measurement: `2026-11-27`.
    pub(super) date: String,
    /// Number of tilings to measure, and number of tilings that ran.
    pub(super) wanted: usize,
    pub(super) ran: usize,
    /// True if the times come from the cache.
    pub(super) is_cached: bool,
}

impl MeasurementOrigin {
    /// One line about the measurement: `measured on NVIDIA H100 80GB HBM3, driver 13.0, 2026-11-27: 100 of the best
    /// 100 tilings ran`.
    pub(super) fn words(&self) -> String {
        let Self { gpu, date, wanted, ran, is_cached } = self;
        let cached = if *is_cached { " (from the cache; --again measures again)" } else { "" };
        let wanted = counted(*wanted, "tiling");
        format!("measured on {gpu}, {date}: {ran} of the best {wanted} ran{cached}")
    }
}
