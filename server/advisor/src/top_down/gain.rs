//! Gains of advice that is followed: what remains of its stalls, bounded by the units that its work still keeps
//! busy (a roofline over the units that the profile reports).

use super::figures::Figures;
use super::guidance::{Gains, Guide};
use super::node::{Fact, Gain};
use super::thresholds::Thresholds;
use super::units::{UNITS, Unit};

/// Stalls that a guide takes away, and how they relate to the time of a warp.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stalls {
    /// The part of all stalls that goes, 0 to 1.
    pub(super) removed: f64,
    /// The part of a warp's time that is stalls, or of the issue slots, where the profile lacks the former; `None` where it has neither.
    pub(super) of_time: Option<f64>,
}

/// The gain of a guide; `None` where the guide or the profile does not say enough for one.
///
/// The launch as it would be has the profile's counts, less those that the guide takes away. Its time is the larger of two: what is
/// left of the time of a warp, and the time for which the busiest unit still has work.
pub(super) fn gain(
    guide: &Guide,
    stalls: Stalls,
    figures: &Figures<'_>,
    thresholds: &Thresholds,
) -> Option<Gain> {
    let part = |figure: &str| Some((figures.get(figure)?.value / 100.0).clamp(0.0, 1.0));
    let fewer = match &guide.head.gain {
        Gains::Instructions(figure) => part(figure)?,
        _ => 0.0,
    };
    let relieved = |unit: &Unit| guide.head.relieves.get(unit.name).and_then(|figure| part(figure));
    let busiest = busiest_after(figures, guide.head.balances, |unit| {
        let by_instruction = if unit.by_instruction { 1.0 - fewer } else { 1.0 };
        (1.0 - relieved(unit).unwrap_or(0.0)) * by_instruction
    });
    let attainable = thresholds.known("attainable").value;
    let (floor, limit) = busiest.map_or((0.0, None), |(busy, fact)| (busy / attainable, Some(fact)));
    let floor_now = busiest_after(figures, false, |_| 1.0).map_or(0.0, |(busy, _)| busy / attainable);
    let is_freed = is_freed(relieved, figures, thresholds);
    // Without the figure that says how much goes, all of it is no more than a bound.
    let is_stated = guide.head.removes.figure().is_none_or(|figure| figures.get(figure).is_some());
    if !is_stated {
        return None;
    }

    let left = |removed: f64| Some(1.0 - stalls.of_time? * removed.min(1.0));
    let time: f64 = match &guide.head.gain {
        // All that waits for a unit without a pause goes with the work that it is freed of.
        Gains::Stalls | Gains::Unknown if is_freed => 0.0,
        // Requests take the time that they take when no other is in their way.
        Gains::Units if is_freed => {
            left(figures.memory_stalls()? * (1.0 - part("unloaded_latency").unwrap_or(0.0)))?
        }
        // Where all waits have that one cause, what is left is a launch without it.
        Gains::Unloaded if guide.head.removes.figure().and_then(part) == Some(1.0) => {
            left(1.0 - figures.memory_stalls()? * part("unloaded_latency").unwrap_or(0.0))?
        }
        Gains::Unloaded => left(stalls.removed * (1.0 - part("unloaded_latency").unwrap_or(0.0)))?,
        Gains::Units => left(figures.memory_stalls()? * (1.0 - part("unloaded_latency")?))?,
        Gains::Stalls | Gains::OwnStalls | Gains::Unknown => left(stalls.removed)?,
        Gains::Instructions(_) => 1.0 - fewer,
        Gains::Time(figure) => part(figure)?,
    };
    let limit = limit.filter(|_| floor > time);
    let time = match &guide.head.gain {
        // What is left of the time of warps holds all that waits for a busy unit.
        Gains::OwnStalls | Gains::Unloaded | Gains::Units => time.max(floor),
        _ => together(time, floor_now, floor, thresholds.known("roofline_order").value),
    };
    let time = time.min(1.0);
    let is_bound = match &guide.head.gain {
        Gains::Unknown => true,
        Gains::Units => guide.head.bound || !is_freed,
        _ => guide.head.bound,
    };
    (time > 0.0).then(|| Gain { times: 1.0 / time, is_bound, limit })
}

/// The time where that part of what warps take is left, and the busiest unit has work for `floor` of the time instead of for `now`.
///
/// Neither hides the other wholly: near a unit's peak, warps that wait less gain little. The larger of the two counts most, by a norm of
/// that order, of which the launch as it is has 1.
fn together(left: f64, now: f64, floor: f64, order: f64) -> f64 {
    let warps = 1.0 - now.min(1.0).powf(order);
    (warps * left.powf(order) + floor.powf(order)).powf(1.0 / order)
}

/// The unit that is busiest, with its utilisation; `None` where the profile has none.
pub(super) fn busiest(figures: &Figures<'_>) -> Option<Fact> {
    busiest_after(figures, false, |_| 1.0).map(|(_, fact)| fact)
}

/// The unit that is busiest once each has that part of its work, and how busy it is, in percent; `None` where the profile has no unit.
fn busiest_after(figures: &Figures<'_>, balances: bool, kept: impl Fn(&Unit) -> f64) -> Option<(f64, Fact)> {
    let all = UNITS.iter().filter_map(|unit| {
        let fact = figures.get(unit.figure)?;
        // Where work moves to idle SMs, the units of the busy ones have less of it.
        let spread = if balances && unit.is_of_active_sms(&fact) { figures.active_sms() } else { 1.0 };
        Some((fact.value * kept(unit) * spread, fact))
    });
    all.max_by(|(one, _), (other, _)| one.total_cmp(other))
}

/// True if a unit that the launch waits for is relieved: one without a pause, or the busiest of all, where that is highly busy.
fn is_freed(relieved: impl Fn(&Unit) -> Option<f64>, figures: &Figures<'_>, thresholds: &Thresholds) -> bool {
    let most = busiest_after(figures, false, |_| 1.0).map_or(0.0, |(most, _)| most);
    let (saturated, high) =
        (thresholds.known("saturated").value, thresholds.known("high_dram_throughput").value);
    UNITS.iter().any(|unit| {
        let busy = figures.get(unit.figure).map_or(0.0, |busy| busy.value);
        relieved(unit).is_some() && (busy >= saturated || busy >= high && busy >= most)
    })
}
