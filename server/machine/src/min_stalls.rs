//! Minimum number of cycles after an opcode, independent of its registers: `data/least_stalls.csv`.

use crate::Source;
use crate::isa::Opcode;
use crate::load::{data_text, rows};
use serde::Deserialize;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// The later instruction to which a minimum distance applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Successor {
    /// The next instruction.
    All,
    /// The next memory access, jump or barrier. Other instructions may issue earlier.
    Memory,
    /// The next matrix product of a warpgroup, or the next wait for products. Other instructions may issue earlier.
    Product,
    /// The next arrival at a barrier of the block or the cluster, or the next wait for one. Other instructions may issue
    /// earlier.
    Barrier,
    /// The next instruction that changes the number of registers per thread (`USETMAXREG`). Other instructions may
    /// issue earlier.
    Resize,
}

/// Returns the minimum numbers of cycles from issue of an instruction of this form to issue of a later instruction.
/// Each is paired with the later instructions to which it applies. Empty if the minimum is one cycle.
///
/// Source: next to each figure.
pub fn min_stalls(form: &Opcode, sm: u16) -> impl Iterator<Item = (u32, Successor)> {
    let is_of_form = move |row: &&MinStall| {
        *row.mnemonic == *form.mnemonic
            && row.archs.contains(&sm)
            && form
                .requires
                .iter()
                .map(|name| &**name)
                .take(row.requires.len())
                .eq(row.requires.iter().map(|name| &**name))
    };
    // The rows with the most modifiers are the most precise.
    let most = ROWS.iter().filter(is_of_form).map(|row| row.requires.len()).max();
    ROWS.iter()
        .filter(move |row| is_of_form(row) && Some(row.requires.len()) == most)
        .map(|row| (row.cycles, row.before))
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
    use super::{ROWS, Successor, min_stalls};
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
        let of = |text: &str| -> Vec<(u32, Successor)> {
            let mut names = text.split('.');
            let mnemonic = names.next().unwrap_or_default();
            min_stalls(isa.form(isa.find(mnemonic, names).expect("a form")), 90).collect()
        };
        assert!(matches!(of("BAR")[..], [(_, Successor::Memory)]));
        assert!(matches!(of("BRA")[..], [(_, Successor::All)]));
        assert!(matches!(of("WARPGROUP.ARRIVE")[..], [(6, Successor::Product)]));
        assert!(matches!(of("WARPGROUP.DEPBAR.LE")[..], [(2, Successor::All)]));
        assert!(matches!(of("WARPSYNC")[..], [(5, Successor::All), (9, Successor::Resize)]));
        assert_eq!(of("FFMA"), []);
    }
}
