//! Gains of advice that is followed: what remains of its stalls, bounded by the units that its work still keeps
//! busy (a roofline over the units that the profile tells of).

use super::figures::Figures;
use super::guidance::{Gains, Guide, Removes};
use super::node::Gain;
use super::thresholds::Thresholds;
use super::units::{UNITS, Unit};

/// The gain of a guide that takes away `removes` of the stalls, which are `stalled` of the issue slots; `None` where the guide or the
/// profile does not tell.
pub(super) fn gain(
    guide: &Guide,
    removes: f64,
    stalled: Option<f64>,
    figures: &Figures<'_>,
    thresholds: &Thresholds,
) -> Option<Gain> {
    let part = |figure: &str| Some((figures.get(figure)?.value / 100.0).clamp(0.0, 1.0));
    let fewer = match &guide.head.gain {
        Gains::Instructions(figure) => part(figure)?,
        _ => 0.0,
    };
    // Without the figure that says how much goes, all of it is no more than a bound.
    let is_bounded = match &guide.head.removes {
        Removes::All => true,
        Removes::Percent(figure) => figures.get(figure).is_some(),
    };
    if !is_bounded {
        return None;
    }
    let relieved = |unit: &Unit| guide.head.relieves.get(unit.name).and_then(|figure| part(figure));
    let busy = |unit: &Unit| figures.get(unit.figure);
    let attainable = thresholds.known("attainable").value;
    let remaining = |unit: &Unit| {
        let fact = busy(unit)?;
        let by_instruction = if unit.by_instruction { 1.0 - fewer } else { 1.0 };
        let time = fact.value * (1.0 - relieved(unit).unwrap_or(0.0)) * by_instruction / attainable;
        Some((time, fact))
    };
    let busiest = UNITS.iter().filter_map(remaining).max_by(|(one, _), (other, _)| one.total_cmp(other));
    let (floor, limit) = busiest.map_or((0.0, None), |(time, fact)| (time, Some(fact)));
    let saturated = thresholds.known("saturated").value;
    let is_freed = UNITS
        .iter()
        .any(|unit| relieved(unit).is_some() && busy(unit).is_some_and(|busy| busy.value >= saturated));

    let time = match &guide.head.gain {
        // Where a unit without a pause is freed, all that waits for it goes with it.
        Gains::Stalls | Gains::Units if is_freed => 0.0,
        Gains::Stalls => 1.0 - stalled? * removes.min(1.0),
        Gains::Unknown | Gains::Units => return None,
        Gains::Instructions(_) => 1.0 - fewer,
    };
    let limit = limit.filter(|_| floor > time);
    let time = time.max(floor).min(1.0);
    (time > 0.0).then(|| Gain { times: 1.0 / time, limit })
}
