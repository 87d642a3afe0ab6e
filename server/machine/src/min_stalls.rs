//! Minimum number of cycles after an opcode, independent of its registers: `data/least_stalls.csv`.

use crate::Source;
use crate::isa::Opcode;
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
    /// The next matrix product of a warpgroup, or the next wait for products. Other instructions may issue earlier.
    Product,
}

/// Minimum number of cycles from issue of an instruction of this form to issue of a later one, and which later
/// instruction the minimum applies to. `None` if no minimum of more than one cycle is known.
///
/// Source: next to each figure.
pub fn min_stall(form: &Opcode, sm: u16) -> Option<(u32, Successor)> {
    let is_of_form = |row: &&MinStall| {
        *row.mnemonic == *form.mnemonic
            && row.archs.contains(&sm)
            && form
                .requires
                .iter()
                .map(|name| &**name)
                .take(row.requires.len())
                .eq(row.requires.iter().map(|name| &**name))
    };
    // The row with the most modifiers is the most precise.
    let row = ROWS.iter().filter(is_of_form).max_by_key(|row| row.requires.len())?;
    Some((row.cycles, row.before))
}

struct MinStall {
    mnemonic: Box<str>,
    /// Modifiers that a form requires if the row applies to that form alone.
    requires: Box<[Box<str>]>,
    archs: RangeInclusive<u16>,
    cycles: u32,
    before: Successor,
}

static ROWS: LazyLock<Vec<MinStall>> = LazyLock::new(|| {
    let header = ["opcode", "from", "to", "cycles", "before", "source"];
    let rows =
        rows::<(String, u16, Option<u16>, u32, Successor, Source)>(data_text!("least_stalls.csv"), &header);
    let rows = rows.expect("the tests read the same file").into_iter();
    rows.map(|(_, (opcode, from, to, cycles, before, _))| MinStall {
        mnemonic: opcode.split('.').next().unwrap_or_default().into(),
        requires: opcode.split('.').skip(1).map(Into::into).collect(),
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
        let isa = &Machine::builtin().gpu_for_sm(90).arch.isa;
        let of = |text: &str| {
            let mut names = text.split('.');
            let mnemonic = names.next().unwrap_or_default();
            min_stall(isa.form(isa.find(mnemonic, names).expect("a form")), 90)
        };
        assert!(matches!(of("BAR"), Some((_, Successor::Memory))));
        assert!(matches!(of("BRA"), Some((_, Successor::All))));
        assert!(matches!(of("WARPGROUP.ARRIVE"), Some((6, Successor::Product))));
        assert!(matches!(of("WARPGROUP.DEPBAR.LE"), Some((2, Successor::All))));
        assert_eq!(of("FFMA"), None);
    }
}
