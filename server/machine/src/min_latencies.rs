//! Lower bounds of load latencies, independent of cache contents: `data/least_latencies.csv`.

use crate::Source;
use crate::load::{data_text, rows};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Minimum number of cycles from issue of an instruction of this class until a wait for its result can end; `None` if
/// unknown.
///
/// Source: next to each figure.
pub fn min_latency(class: &str, sm: u16) -> Option<u32> {
    let row = ROWS.iter().find(|row| row.class == class && row.archs.contains(&sm))?;
    Some(row.cycles)
}

/// Minimum latency in cycles of a variable-latency instruction whose guard is false; `None` if unknown.
///
/// Source: next to each figure.
pub fn min_latency_off(sm: u16) -> Option<u32> {
    min_latency(OFF, sm)
}

/// Name in place of a class in the rows for instructions whose guard is false.
const OFF: &str = "off";

struct MinLatency {
    class: String,
    archs: RangeInclusive<u16>,
    cycles: u32,
}

static ROWS: LazyLock<Vec<MinLatency>> = LazyLock::new(|| {
    let header = ["class", "from", "to", "cycles", "source"];
    let rows = rows::<(String, u16, Option<u16>, u32, Source)>(data_text!("least_latencies.csv"), &header);
    let rows = rows.expect("the tests read the same file").into_iter();
    rows.map(|(_, (class, from, to, cycles, _))| MinLatency {
        class,
        archs: from..=to.unwrap_or(u16::MAX),
        cycles,
    })
    .collect()
});

#[cfg(test)]
mod tests {
    use super::{OFF, ROWS, min_latency, min_latency_off};
    use crate::Machine;

    #[test]
    fn every_row_names_a_class_of_variable_latency() {
        for row in ROWS.iter().filter(|row| row.class != OFF) {
            let arch = Machine::builtin().gpu_for_sm(*row.archs.start()).arch;
            let class = arch.class_named(&row.class).unwrap_or_else(|| panic!("no class {}", row.class));
            assert!(!arch.class(class).latency.is_fixed(), "{}", row.class);
            assert!(!row.archs.is_empty() && row.cycles > 0);
        }
    }

    #[test]
    fn a_latency_is_known_by_class_and_architecture() {
        assert_eq!((min_latency("ldg", 52), min_latency("ldg", 90)), (Some(82), Some(27)));
        assert_eq!((min_latency("stg", 90), min_latency("lds", 35)), (None, None));
        assert_eq!((min_latency_off(60), min_latency_off(70)), (Some(13), None));
    }
}
