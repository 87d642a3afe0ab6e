//! Estimated gains from following advice: a warp's remaining time, bounded by the busiest unit's work (a
//! roofline over the units in the profile).

use super::figures::Figures;
use super::guidance::{GainSource, Guide};
use super::node::{Fact, Gain};
use super::thresholds::Thresholds;
use super::units::{UNITS, Unit};

/// Stalls that a guide removes, and their share of a warp's time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stalls {
    /// Fraction of all stalls that the guide removes, 0 to 1.
    pub(super) removed: f64,
    /// Fraction of a warp's time spent in stalls or, if unknown, the stalled fraction of the issue slots.
    /// `None` if the profile has neither.
    pub(super) of_time: Option<f64>,
}

/// The estimated gain from following a guide; `None` if the guide or the profile does not determine it.
///
/// The changed launch has the profile's counts minus the counts that the guide removes. Its time is
/// approximately the larger of a warp's remaining time and the busiest unit's time for its remaining work.
pub(super) fn gain(
    guide: &Guide,
    stalls: Stalls,
    figures: &Figures<'_>,
    thresholds: &Thresholds,
) -> Option<Gain> {
    let part = |figure: &str| Some((figures.get(figure)?.value / 100.0).clamp(0.0, 1.0));
    let fewer = match &guide.head.gain {
        GainSource::Instructions(figure) => part(figure)?,
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
    // Without the figure for the removed fraction, the fraction is only known to be at most 1.
    let is_stated = guide.head.removes.figure().is_none_or(|figure| figures.get(figure).is_some());
    if !is_stated {
        return None;
    }

    let left = |removed: f64| Some(1.0 - stalls.of_time? * removed.min(1.0));
    let time: f64 = match &guide.head.gain {
        // If a saturated unit is relieved, all stalls may disappear.
        GainSource::Stalls | GainSource::Unknown if is_freed => 0.0,
        // Requests have their latency without contention.
        GainSource::Units if is_freed => {
            left(figures.memory_stalls()? * (1.0 - part("unloaded_latency").unwrap_or(0.0)))?
        }
        // If atomics or similar operations cause all waits, only the unloaded latency remains.
        GainSource::Unloaded if guide.head.removes.figure().and_then(part) == Some(1.0) => {
            left(1.0 - figures.memory_stalls()? * part("unloaded_latency").unwrap_or(0.0))?
        }
        GainSource::Unloaded => left(stalls.removed * (1.0 - part("unloaded_latency").unwrap_or(0.0)))?,
        GainSource::Units => left(figures.memory_stalls()? * (1.0 - part("unloaded_latency")?))?,
        GainSource::Stalls | GainSource::OwnStalls | GainSource::Unknown => left(stalls.removed)?,
        GainSource::Instructions(_) => 1.0 - fewer,
        GainSource::Time(figure) => part(figure)?,
    };
    let limit = limit.filter(|_| floor > time);
    let time = match &guide.head.gain {
        // A warp's remaining time includes its waits for a busy unit.
        GainSource::OwnStalls | GainSource::Unloaded | GainSource::Units => time.max(floor),
        _ => together(time, floor_now, floor, thresholds.known("roofline_order").value),
    };
    let time = time.min(1.0);
    let is_bound = match &guide.head.gain {
        GainSource::Unknown => true,
        GainSource::Units => guide.head.bound || !is_freed,
        _ => guide.head.bound,
    };
    (time > 0.0).then(|| Gain { times: 1.0 / time, is_bound, limit })
}

/// Returns the time of the changed launch relative to the current time. The fraction `left` of the warps' time
/// remains, and the busiest unit's load falls from `now` to `floor`.
///
/// The warps' time and the busiest unit's time overlap only in part: near a unit's peak, removing stalls gains
/// little. The two times are combined by a p-norm with p = `order`, in which the larger time dominates. The unchanged
/// launch has the value 1.
fn together(left: f64, now: f64, floor: f64, order: f64) -> f64 {
    let warps = 1.0 - now.min(1.0).powf(order);
    (warps * left.powf(order) + floor.powf(order)).powf(1.0 / order)
}

/// The busiest unit with its utilisation; `None` if the profile contains no unit utilisation.
pub(super) fn busiest(figures: &Figures<'_>) -> Option<Fact> {
    busiest_after(figures, false, |_| 1.0).map(|(_, fact)| fact)
}

/// The busiest unit if each unit keeps the fraction `kept` of its work, with the resulting utilisation in percent;
/// `None` if the profile contains no unit utilisation.
fn busiest_after(figures: &Figures<'_>, balances: bool, kept: impl Fn(&Unit) -> f64) -> Option<(f64, Fact)> {
    let all = UNITS.iter().filter_map(|unit| {
        let fact = figures.get(unit.figure)?;
        // If work moves to idle SMs, the units of the busy SMs have less work.
        let spread = if balances && unit.is_of_active_sms(&fact) { figures.active_sms() } else { 1.0 };
        Some((fact.value * kept(unit) * spread, fact))
    });
    all.max_by(|(one, _), (other, _)| one.total_cmp(other))
}

/// True if the guide relieves a unit that limits the launch: a saturated unit, or the busiest unit if its
/// utilisation is high.
fn is_freed(relieved: impl Fn(&Unit) -> Option<f64>, figures: &Figures<'_>, thresholds: &Thresholds) -> bool {
    let most = busiest_after(figures, false, |_| 1.0).map_or(0.0, |(most, _)| most);
    let (saturated, high) =
        (thresholds.known("saturated").value, thresholds.known("high_dram_throughput").value);
    UNITS.iter().any(|unit| {
        let busy = figures.get(unit.figure).map_or(0.0, |busy| busy.value);
        relieved(unit).is_some() && (busy >= saturated || busy >= high && busy >= most)
    })
}
