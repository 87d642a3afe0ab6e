//! Minimum number of cycles after an opcode, independent of its registers: `data/least_stalls.csv`.

use crate::Source;
use crate::load::{data_text, rows};
use serde::Deserialize;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// The later instruction that a distance applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Successor {
    /// The next instruction.
    All,
    /// The next memory access, jump or barrier. Other instructions may issue earlier.
    Memory,
}

/// Minimum number of cycles from issue of an instruction with this mnemonic to issue of a later one, and which later
/// instruction the minimum applies to. `None` if no minimum of more than one cycle is known.
///
/// Source: next to each figure.
pub fn min_stall(mnemonic: &str, sm: u16) -> Option<(u32, Successor)> {
    let row = ROWS.iter().find(|row| row.mnemonic == mnemonic && row.archs.contains(&sm))?;
    Some((row.cycles, row.before))
}

struct MinStall {
    mnemonic: String,
    archs: RangeInclusive<u16>,
    cycles: u32,
    before: Successor,
}

static ROWS: LazyLock<Vec<MinStall>> = LazyLock::new(|| {
    let header = ["opcode", "from", "to", "cycles", "before", "source"];
    let rows =
        rows::<(String, u16, Option<u16>, u32, Successor, Source)>(data_text!("least_stalls.csv"), &header);
    let rows = rows.expect("the tests read the same file").into_iter();
    rows.map(|(_, (mnemonic, from, to, cycles, before, _))| MinStall {
        mnemonic,
        archs: from..=to.unwrap_or(u16::MAX),
        cycles,
        before,
    })
    .collect()
});

#[cfg(test)]
mod tests {
    use super::{ROWS, Successor, min_stall};
    use crate::Machine;

    #[test]
    fn every_row_names_an_opcode() {
        for row in ROWS.iter() {
            let isa = &Machine::builtin().gpu_for_sm(*row.archs.start()).arch.isa;
            assert!(isa.has_mnemonic(&row.mnemonic), "{} of sm_{}", row.mnemonic, row.archs.start());
            assert!((1..=16).contains(&row.cycles), "{}", row.mnemonic);
        }
    }

    #[test]
    fn a_barrier_holds_back_accesses_of_memory_alone() {
        assert!(matches!(min_stall("BAR", 90), Some((_, Successor::Memory))));
        assert!(matches!(min_stall("BRA", 90), Some((_, Successor::All))));
        assert_eq!(min_stall("FFMA", 90), None);
    }
}
