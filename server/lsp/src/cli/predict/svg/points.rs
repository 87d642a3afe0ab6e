//! The launches as points, each with its position, name, limit and tooltip.

use super::axis::Axis;
use crate::cli::predict::text::title;
use ide::predict::{Ceiling, LaunchPrediction, LimitKind};

/// A launch as a point of the roofline plot. `x` and `y` are in pixels.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) name: String,
    /// Tooltip of the point.
    pub(super) reported: String,
    pub(super) kind: Kind,
    /// True if the launch has no arithmetic or no DRAM traffic, and is therefore drawn at the edge of the plot.
    pub(super) is_off_scale: bool,
}

/// Limiter of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Memory,
    Pipe,
    Latency,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Memory, Self::Pipe, Self::Latency];

    fn from_prediction(prediction: &LaunchPrediction) -> Self {
        match (prediction.limiter.kind, &*prediction.limiter.name) {
            (LimitKind::Busy, "DRAM" | "L2") | (LimitKind::Bottleneck, "mem") => Self::Memory,
            (LimitKind::Busy, _) | (LimitKind::Bottleneck, "comp") => Self::Pipe,
            (
                LimitKind::Latency | LimitKind::Bottleneck | LimitKind::NotTimed | LimitKind::EndlessWait,
                _,
            ) => Self::Latency,
        }
    }

    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Pipe => "pipe",
            Self::Latency => "latency",
        }
    }

    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Self::Memory => "limited by DRAM or L2",
            Self::Pipe => "by the SM's own units",
            Self::Latency => "by latency",
        }
    }
}

/// Sum of the operations per second over all operation types; 0 if the launch's time is not a single number.
pub(super) fn operations_per_second(prediction: &LaunchPrediction) -> f64 {
    prediction.rates.operations.iter().filter_map(|done| done.per_second).sum()
}

/// Selects the lines to draw. Memory, FP32 and tensor cores always have a line; other arithmetic has a line
/// if a launch executes it.
pub(super) fn wanted(ceilings: &[Ceiling], predictions: &[LaunchPrediction]) -> Vec<Ceiling> {
    let is_done = |name: &str| {
        let mut done = predictions.iter().flat_map(|prediction| &prediction.rates.operations);
        done.any(|done| done.name == name && done.share.is_none_or(|share| share > NOTED))
    };
    let mut wanted: Vec<Ceiling> = Vec::new();
    for ceiling in ceilings {
        let always = ceiling.is_bandwidth || matches!(ceiling.name, "FP32" | "tensor FP16");
        // Each of several GPUs has its own lines.
        if (always || is_done(ceiling.name)) && !wanted.contains(ceiling) {
            wanted.push(*ceiling);
        }
    }
    wanted
}

/// Smallest share of a peak at which a type of arithmetic gets a line.
const NOTED: f64 = 0.01; // limit: a smaller share is not visible in the picture

/// Places the launches in the plot. Returns the points, and the names of launches whose rates are unknown.
pub(super) fn place(
    predictions: &[LaunchPrediction],
    ceilings: &[Ceiling],
    x: &Axis,
    y: &Axis,
) -> (Vec<Point>, Vec<String>) {
    let bandwidth = ceilings.iter().find(|ceiling| ceiling.is_bandwidth).map(|ceiling| ceiling.per_second);
    let (mut points, mut left_out) = (Vec::new(), Vec::new());
    for prediction in predictions {
        let name = title(prediction);
        let Some(cycles) = prediction.cycles else {
            left_out.push(format!("{name} ({})", prediction.cycles_in_words));
            continue;
        };
        let rate = operations_per_second(prediction);
        let share = prediction.rates.dram.as_ref().and_then(|dram| dram.share).filter(|share| *share > 0.0);
        let place = match (prediction.rates.intensity, rate > 0.0, share, bandwidth) {
            (Some(intensity), true, ..) => Some((x.at(intensity), y.at(rate), false)),
            (None, true, ..) => Some((x.at(x.to()), y.at(rate), true)),
            // On the left edge the roof is as high as the edge's intensity times the bandwidth.
            (_, false, Some(share), Some(bandwidth)) => {
                Some((x.at(x.from()), y.at(share * bandwidth * x.from()), true))
            }
            _ => None,
        };
        match place {
            Some((x, y, is_off_scale)) => {
                let reported = format!("{name}: {cycles:.0} cycles, {}", prediction.limiter.in_words());
                points.push(Point {
                    x,
                    y,
                    name: shortened(name),
                    reported,
                    kind: Kind::from_prediction(prediction),
                    is_off_scale,
                });
            }
            None => left_out.push(name),
        }
    }
    (points, left_out)
}

/// The name, shortened to the length that a label may have.
fn shortened(name: String) -> String {
    const MAX: usize = 32; // limit: room in the picture, in characters
    if name.chars().count() <= MAX {
        return name;
    }
    let kept: String = name.chars().take(MAX - 1).collect();
    format!("{kept}…")
}
