//! Descriptions of counts, lanes and launches for messages.

use super::{CostPerRequest, CountReliability, Memory, SimulatedLaunch};

/// Maximum number of lanes that a message lists.
const LANES_NAMED: usize = 4; // limit: length of a message

/// A count as text. Without decimals if the count is nearly an integer, otherwise with one decimal.
pub fn counted(count: f64) -> String {
    let whole = count.round();
    if (count - whole).abs() < 0.05 { format!("{whole:.0}") } else { format!("{count:.1}") }
}

/// Phrase with the number of requests and the wasted wavefronts or sectors, to append to a message: ` (512 requests
/// per warp, 3584 wasted)`. Empty if the number of executions is unknown.
pub(crate) fn in_all(counts: CountReliability, taken: CostPerRequest) -> String {
    let about = match counts {
        CountReliability::Unknown => return String::new(),
        CountReliability::About => "about ",
        CountReliability::Known => "",
    };
    // A mean over different warps may not be an integer.
    let shown = |number: f64| {
        let is_whole = (number - number.round()).abs() < 0.05;
        let about = if is_whole { about } else { "about " };
        // A mean below one request per warp means that some warps issue no request.
        if number < 1.0 && !is_whole { format!("{about}{number:.1}") } else { format!("{about}{number:.0}") }
    };
    let lost = shown(taken.lost());
    if counted(taken.requests) == "1" {
        format!(" ({lost} wasted in the one request per warp)")
    } else {
        format!(" ({} requests per warp, {lost} wasted)", shown(taken.requests))
    }
}

/// The requests of one access, or of all accesses of a source line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    counts: CountReliability,
    taken: CostPerRequest,
}

impl Loss {
    pub(crate) const fn new(counts: CountReliability, taken: CostPerRequest) -> Self {
        Self { counts, taken }
    }

    /// The phrase of a message that states the number of requests and their waste; empty if the execution
    /// count is unknown.
    pub fn in_words(&self) -> String {
        in_all(self.counts, self.taken)
    }

    /// True if both losses print the same numbers of used and required wavefronts or sectors per request.
    pub fn is_similar(&self, other: &Self) -> bool {
        let both = |of: &CostPerRequest| (counted(of.taken), counted(of.ideal));
        both(&self.taken) == both(&other.taken)
    }

    /// Adds the requests of another access.
    pub fn add(&mut self, other: &Self) {
        let requests = self.taken.requests + other.taken.requests;
        if requests > 0.0 {
            let mean = |of: fn(&CostPerRequest) -> f64| {
                (self.taken.requests * of(&self.taken) + other.taken.requests * of(&other.taken)) / requests
            };
            self.taken = CostPerRequest { requests, taken: mean(|of| of.taken), ideal: mean(|of| of.ideal) };
        }
        if other.counts != CountReliability::Known {
            self.counts = if self.counts == CountReliability::Unknown {
                CountReliability::Unknown
            } else {
                other.counts
            };
        }
    }
}

/// Count and noun: `1 sector`, `28 sectors`.
pub(crate) fn quantity(count: f64, what: &str) -> String {
    let counted = counted(count);
    let s = if counted == "1" { "" } else { "s" };
    format!("{counted} {what}{s}")
}

/// Number of times: `once`, `16 times`.
pub fn times(count: f64) -> String {
    match counted(count).as_str() {
        "1" => "once".to_owned(),
        counted => format!("{counted} times"),
    }
}

/// List of lanes: `lanes 0, 4, 8, …`, `lanes 0 and 16`.
pub(crate) fn lanes_in_words(mask: u32) -> String {
    let lanes: Vec<String> =
        (0..32).filter(|lane| mask >> lane & 1 == 1).map(|lane| lane.to_string()).collect();
    match lanes.as_slice() {
        [] => "no lane".to_owned(),
        [one] => format!("lane {one}"),
        [one, other] => format!("lanes {one} and {other}"),
        _ if mask == u32::MAX => "all lanes".to_owned(),
        few if few.len() <= LANES_NAMED => format!("lanes {}", few.join(", ")),
        many => format!("lanes {}, …", many[..LANES_NAMED - 1].join(", ")),
    }
}

/// Phrase that lists the launches to which a finding applies, to append to a sentence. Empty if the finding
/// applies to all launches and none is assumed.
pub(crate) fn at_launches(memory: &Memory<'_>, found: &[usize]) -> String {
    let named = |at: usize| {
        let SimulatedLaunch { launch, .. } = &memory.launches[at];
        (launch.name.as_deref(), launch.block, LaunchAssumption::new(launch.assumed, !launch.is_guess()))
    };
    launches_in_words(memory.launches.len(), found, named)
}

/// Assumed properties of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaunchAssumption {
    Nothing,
    /// The grid is assumed, and the block is known.
    Grid,
    Launch,
}

impl LaunchAssumption {
    pub(crate) const fn new(is_assumed: bool, knows_block: bool) -> Self {
        match (is_assumed, knows_block) {
            (false, _) => Self::Nothing,
            (true, true) => Self::Grid,
            (true, false) => Self::Launch,
        }
    }
}

/// The launches to which a message applies, to append to the message: ` (launches a, c of 4)`. Empty if the message
/// applies to all `count` launches and no launch is assumed. `found` are indices of launches. `named` returns a
/// launch's name, block and assumed properties.
pub(crate) fn launches_in_words<'n>(
    count: usize,
    found: &[usize],
    named: impl Fn(usize) -> (Option<&'n str>, [u32; 3], LaunchAssumption),
) -> String {
    match found.first().map(|&at| named(at)) {
        Some((_, [x, y, z], LaunchAssumption::Launch)) => {
            return format!(" (assumed launch: block {x} x {y} x {z})");
        }
        Some((_, [x, y, z], LaunchAssumption::Grid)) => {
            return format!(" (block {x} x {y} x {z}, assumed grid)");
        }
        _ => {}
    }
    if count == 1 || found.len() == count {
        return String::new();
    }
    let names: Vec<String> = found
        .iter()
        .map(|&at| named(at).0.map_or_else(|| format!("number {}", at + 1), str::to_owned))
        .collect();
    let s = if names.len() == 1 { "" } else { "es" };
    format!(" (launch{s} {} of {count})", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_read_well() {
        for (mask, text) in [
            (0, "no lane"),
            (4, "lane 2"),
            (0x1_0001, "lanes 0 and 16"),
            (0x0001_0101, "lanes 0, 8, 16"),
            (0x1111_1111, "lanes 0, 4, 8, …"),
            (u32::MAX, "all lanes"),
        ] {
            assert_eq!(lanes_in_words(mask), text);
        }
        assert_eq!((counted(8.0), counted(5.3333), counted(0.0)), ("8".into(), "5.3".into(), "0".into()));
    }
}
