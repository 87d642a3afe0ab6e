//! Counts, lanes and launches in words.

use super::{Counts, Launched, Memory, Taken};

/// Lanes of a list that are named; more are left to a picture.
const LANES_NAMED: usize = 4;

/// A count: whole where it is, else with one digit behind the point.
pub fn counted(count: f64) -> String {
    let whole = count.round();
    if (count - whole).abs() < 0.05 { format!("{whole:.0}") } else { format!("{count:.1}") }
}

/// ` (512 requests per warp, 3584 wasted)`; nothing where nobody states how often the code runs.
pub(crate) fn in_all(counts: Counts, taken: Taken) -> String {
    let about = match counts {
        Counts::Unknown => return String::new(),
        Counts::About => "about ",
        Counts::Known => "",
    };
    let lost = counted(taken.lost());
    match counted(taken.requests).as_str() {
        "1" => format!(" ({about}{lost} wasted in the one request per warp)"),
        requests => format!(" ({about}{requests} requests per warp, {about}{lost} wasted)"),
    }
}

/// `1 sector`, `28 sectors`.
pub(crate) fn quantity(count: f64, what: &str) -> String {
    let counted = counted(count);
    let s = if counted == "1" { "" } else { "s" };
    format!("{counted} {what}{s}")
}

/// `once`, `16 times`.
pub fn times(count: f64) -> String {
    match counted(count).as_str() {
        "1" => "once".to_owned(),
        counted => format!("{counted} times"),
    }
}

/// `lanes 0, 4, 8, …`, or `lanes 0 and 16`.
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

/// For which launches something was found, to stand at the end of a sentence: nothing where there is but one, and it is
/// stated.
pub(crate) fn at_launches(memory: &Memory<'_>, found: &[usize]) -> String {
    let named = |at: usize| {
        let Launched { launch, .. } = &memory.launches[at];
        (launch.name.as_deref(), launch.block, launch.assumed)
    };
    launches_in_words(memory.launches.len(), found, named)
}

/// The same of so many launches, each with its name, its block, and whether it is assumed.
pub(crate) fn launches_in_words<'n>(
    count: usize,
    found: &[usize],
    named: impl Fn(usize) -> (Option<&'n str>, [u32; 3], bool),
) -> String {
    if let Some((_, [x, y, z], true)) = found.first().map(|&at| named(at)) {
        return format!(" (assumed launch: block {x} x {y} x {z})");
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
