//! How much faster a launch is where an advice is followed: what remains of its stalls, bounded by the units that its work still keeps
//! busy (a roofline over the units that the profile tells of).

use super::figures::Figures;
use super::guidance::{Gains, Guide, Removes};
use super::node::Fact;
use super::thresholds::Thresholds;
use serde::Serialize;
use std::fmt;

/// How much faster a launch is expected to be, an estimate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// The launch's time over the time that is expected: 2 halves it. At least 1.
    pub times: f64,
    /// The unit that limits the launch then, with its utilisation of today; `None` where what remains of the stalls does.
    pub limit: Option<Fact>,
}

/// A unit of the GPU: its name in guides, and the figure that says in percent how much of the time it is busy.
struct Unit {
    name: &'static str,
    figure: &'static str,
    /// Its work is that of instructions: fewer of them keep it busy for less time.
    by_instruction: bool,
}

impl Unit {
    const fn new(name: &'static str, figure: &'static str, by_instruction: bool) -> Self {
        Self { name, figure, by_instruction }
    }
}

static UNITS: [Unit; 9] = [
    Unit::new("issue", "issue_slots", true),
    Unit::new("alu", "alu_pipe", true),
    Unit::new("fma", "fma_pipe", true),
    Unit::new("fp64", "fp64_pipe", true),
    Unit::new("xu", "xu_pipe", true),
    Unit::new("lsu", "lsu_pipe", true),
    Unit::new("l1", "l1_throughput", true),
    Unit::new("l2", "l2_throughput", false),
    Unit::new("dram", "dram_throughput", false),
];

/// Whether guides may name the unit.
pub(super) fn is_unit(name: &str) -> bool {
    UNITS.iter().any(|unit| unit.name == name)
}

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

/// Gains below this share are as good as none.
const SLIGHT: f64 = 0.05;

impl Gain {
    /// Whether the launch is expected to be faster by more than what is as good as none.
    pub fn is_worthwhile(&self) -> bool {
        self.times >= 1.0 + SLIGHT
    }
}

/// `about 2.3 times as fast, estimated; then throughput of device memory (39 % now) is the limit`.
impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_worthwhile() {
            write!(f, "about {:.2} times as fast, estimated", self.times)?;
        } else {
            f.write_str("about as fast, estimated")?;
        }
        match &self.limit {
            Some(limit) => write!(f, "; then the limit is: {} ({:.0} % now)", limit.title, limit.value),
            None => Ok(()),
        }
    }
}
