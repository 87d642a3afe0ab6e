//! The least cycles behind an opcode, whatever the registers: `data/least_stalls.csv`.

use std::sync::LazyLock;

/// Instruction that must come so much later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// The next instruction.
    All,
    /// The next access of memory, jump or barrier; others may come before.
    Memory,
}

/// The least cycles from issue of an instruction with that mnemonic on; `None` where nothing is known beyond one cycle.
///
/// Source: beside each figure.
pub fn least_stall(mnemonic: &str, sm: u16) -> Option<(u32, Before)> {
    let row = ROWS.iter().find(|row| row.mnemonic == mnemonic && (row.from..=row.to).contains(&sm))?;
    Some((row.cycles, row.before))
}

struct Row {
    mnemonic: &'static str,
    from: u16,
    to: u16,
    cycles: u32,
    before: Before,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let lines = include_str!("../data/least_stalls.csv").lines().skip(1);
    lines.map(|line| row(line).expect("the tests read the same file")).collect()
});

/// `BRA,70,,5,all,vendor:…`.
fn row(line: &'static str) -> Option<Row> {
    let mut cells = line.splitn(6, ',');
    let mnemonic = cells.next()?;
    let from = cells.next()?.parse().ok()?;
    let to = match cells.next()? {
        "" => u16::MAX,
        to => to.parse().ok()?,
    };
    let cycles = cells.next()?.parse().ok()?;
    let before = match cells.next()? {
        "all" => Before::All,
        "memory" => Before::Memory,
        _ => return None,
    };
    cells.next().filter(|source| source.contains(':'))?;
    Some(Row { mnemonic, from, to, cycles, before })
}

#[cfg(test)]
mod tests {
    use super::{Before, ROWS, least_stall};
    use crate::Machine;

    #[test]
    fn every_row_names_an_opcode() {
        for row in ROWS.iter() {
            let isa = &Machine::builtin().gpu_for_sm(row.from).arch.isa;
            assert!(isa.has_mnemonic(row.mnemonic), "{} of sm_{}", row.mnemonic, row.from);
            assert!((1..=16).contains(&row.cycles), "{}", row.mnemonic);
        }
    }

    #[test]
    fn a_barrier_holds_back_accesses_of_memory_alone() {
        assert!(matches!(least_stall("BAR", 90), Some((_, Before::Memory))));
        assert!(matches!(least_stall("BRA", 90), Some((_, Before::All))));
        assert_eq!(least_stall("FFMA", 90), None);
    }
}
