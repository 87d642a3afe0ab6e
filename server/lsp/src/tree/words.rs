//! Texts and numbers of the tree, shared by all its output formats.

use ide::profiles::{Fact, Hotspot, Launch, Tree, name_of};

/// A share as a percentage: `12.3 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A figure with its name: `registers per thread: 32`, `occupancy: 78 %`. The unit is omitted if the name
/// contains it.
pub(crate) fn fact(fact: &Fact) -> String {
    let Fact { title, unit, .. } = fact;
    if unit.len() > 1 && title.contains(unit) {
        let value = figure(&Fact { unit: "", ..fact.clone() });
        // `5 of the GPU's SMs have a block`.
        return if title.starts_with("of ") {
            format!("{value} {title}")
        } else {
            format!("{title}: {value}")
        };
    }
    format!("{title}: {}", figure(fact))
}

/// A figure with its unit, with a number of digits that depends on its magnitude: `0.57`, `78 %`.
pub(crate) fn figure(fact: &Fact) -> String {
    let value = match fact.value.abs() {
        size if size >= 100.0 || fact.value.fract() == 0.0 => format!("{:.0}", fact.value),
        size if size >= 10.0 => format!("{:.1}", fact.value),
        _ => format!("{:.2}", fact.value),
    };
    match fact.unit {
        "" => value,
        "%" => format!("{value} %"),
        unit if value == "1" => format!("1 {unit}"),
        unit => format!("{value} {unit}s"),
    }
}

/// Describes the root of the tree: the share of issue slots without an instruction, if the profile has their number.
pub(crate) fn root(tree: &Tree) -> String {
    match tree.root.of_cycles {
        Some(stalled) => format!("{} of issue slots without an instruction", percent(stalled)),
        None => "stalls; the profile has no number of issue slots".to_owned(),
    }
}

/// The launch in one line: its kernel and its size.
pub(crate) fn launch(launch: &Launch) -> String {
    let three = |dimensions: [u64; 3]| {
        let used = dimensions.iter().rposition(|count| *count > 1).map_or(1, |last| last + 1);
        dimensions[..used].iter().map(u64::to_string).collect::<Vec<_>>().join("x")
    };
    let size = match (launch.grid, launch.block) {
        (Some(grid), Some(block)) => format!("  <<<{}, {}>>>", three(grid), three(block)),
        _ => String::new(),
    };
    let averaged = launch.averaged.map_or_else(String::new, |count| format!("  {count} launches merged"));
    format!("{}{size}{averaged}", launch.kernel.demangled)
}

/// An instruction's location: its source line, if known, and its address.
pub(crate) fn place(place: &Hotspot) -> String {
    let text = place.text.as_deref().unwrap_or_default();
    let line = match (&place.file, place.line) {
        (Some(file), Some(line)) => {
            format!("  {}:{line}", name_of(file))
        }
        _ => String::new(),
    };
    format!("{:#06x} {text}{line}", place.address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_that_the_name_has_is_not_repeated() {
        let said = |title, value, unit| fact(&Fact { name: "", title, value, unit, source: String::new() });
        assert_eq!(said("registers per thread", 32.0, "register"), "registers per thread: 32");
        assert_eq!(said("blocks per SM by registers", 8.0, "block"), "blocks per SM by registers: 8");
        assert_eq!(said("achieved occupancy", 78.25, "%"), "achieved occupancy: 78.2 %");
        assert_eq!(said("IPC per SM", 0.57, ""), "IPC per SM: 0.57");
        assert_eq!(said("of the GPU's SMs have a block", 5.0, "SM"), "5 of the GPU's SMs have a block");
        assert_eq!(said("L1 latency", 33.0, "cycle"), "L1 latency: 33 cycles");
    }
}
