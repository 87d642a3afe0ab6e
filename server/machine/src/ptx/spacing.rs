//! Spacing that ptxas keeps between instructions of one queue, although the hardware accepts them earlier.

use super::expansion::range;
use crate::load::{DataError, Text, rows};
use crate::{InOrder, Source};
use std::ops::RangeInclusive;

/// A row of `spacing.csv`.
#[derive(Debug)]
pub(super) struct Spacing {
    pub range: RangeInclusive<u16>,
    pub queue: InOrder,
    pub cycles: u32,
}

pub(super) fn read(table: Text<'_>) -> Result<Vec<Spacing>, DataError> {
    let mut all = Vec::new();
    let header = ["sm", "queue", "cycles", "source"];
    for (line, (sm, queue, cycles, _)) in rows::<(String, String, u32, Source)>(table, &header)? {
        let range = range(table, line, &sm)?;
        let known = InOrder::named(&queue);
        let queue =
            known.ok_or_else(|| table.error(line, format!("a queue of classes.csv, not `{queue}`")))?;
        all.push(Spacing { range, queue, cycles });
    }
    Ok(all)
}
