//! Logarithmic axes.

use super::points;
use crate::cli::predict::text::scale;
use ide::predict::{Ceiling, LaunchPrediction};

/// An axis: the values and positions of its two ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    /// Decimal logarithms of the values at the two ends.
    from: f64,
    to: f64,
    /// Pixel positions of the two ends.
    start: f64,
    end: f64,
}

impl Axis {
    pub(super) fn new((from, to): (f64, f64), start: f64, end: f64) -> Self {
        Self { from: from.log10(), to: to.log10(), start, end }
    }

    pub(super) fn from(&self) -> f64 {
        10_f64.powf(self.from)
    }

    pub(super) fn to(&self) -> f64 {
        10_f64.powf(self.to)
    }

    /// The position of a value, clamped to the ends.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (value.max(f64::MIN_POSITIVE).log10() - self.from) / (self.to - self.from);
        self.start + share.clamp(0.0, 1.0) * (self.end - self.start)
    }

    /// Positions of the powers of 10, and their names.
    pub(super) fn decades(&self) -> impl Iterator<Item = (f64, String)> + '_ {
        let (first, last) = (self.from.ceil() as i32, self.to.floor() as i32);
        (first..=last).map(|power| {
            let value = 10_f64.powi(power);
            (self.at(value), name(value))
        })
    }
}

/// Formats a power of 10: `0.01`, `100`, `10 G`.
fn name(value: f64) -> String {
    match value {
        value if value < 1.0 => format!("{value}"),
        value if value < 1e6 => format!("{value:.0}"),
        value => {
            let (scale, prefix) = scale(value);
            format!("{:.0} {prefix}", value / scale)
        }
    }
}

/// Computes the ends of both axes. All points and all intersections of the lines lie between these ends, with
/// some margin.
pub(super) fn fit(predictions: &[LaunchPrediction], ceilings: &[Ceiling]) -> ((f64, f64), (f64, f64)) {
    let of = |is_bandwidth: bool| {
        let rates = ceilings.iter().filter(move |ceiling| ceiling.is_bandwidth == is_bandwidth);
        rates.map(|ceiling| ceiling.per_second)
    };
    let bandwidth = of(true).fold(f64::INFINITY, f64::min);
    let highest = of(false).fold(0.0, f64::max);
    let intensities: Vec<f64> =
        predictions.iter().filter_map(|prediction| prediction.rates.intensity).collect();
    let rates: Vec<f64> =
        predictions.iter().map(points::operations_per_second).filter(|rate| *rate > 0.0).collect();
    let ridge = if bandwidth.is_finite() && highest > 0.0 { highest / bandwidth } else { 10.0 };
    let least = intensities.iter().copied().fold(ridge / 300.0, f64::min);
    let most = intensities.iter().copied().fold(ridge * 6.0, f64::max);
    let x = (least.max(1e-6) / 2.0, most.min(1e9) * 2.0);
    let top = rates.iter().copied().fold(highest.max(1e9), f64::max) * 2.5;
    let roof = if bandwidth.is_finite() { bandwidth * x.0 } else { top / 1e4 };
    let bottom = rates.iter().copied().fold(roof / 3.0, f64::min).max(top / 1e9) / 2.0;
    (x, (bottom, top))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_between_the_ends() {
        let axis = Axis::new((0.1, 1000.0), 100.0, 500.0);
        assert!((axis.at(0.1) - 100.0).abs() < 1e-9 && (axis.at(10.0) - 300.0).abs() < 1e-9);
        assert!((axis.at(1e9) - 500.0).abs() < 1e-9 && (axis.at(0.0) - 100.0).abs() < 1e-9);
        let decades: Vec<String> = axis.decades().map(|(_, name)| name).collect();
        assert_eq!(decades, ["0.1", "1", "10", "100", "1000"]);
        assert_eq!(name(1e10), "10 G");
    }
}
