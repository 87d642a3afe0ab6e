//! Spacing that ptxas keeps between instructions of one queue, though the hardware takes them sooner.

use super::expansion::range;
use crate::load::{DataError, Text, rows};
use crate::{InOrder, Source, SourceSyntax};
use serde::Deserialize;
use std::ops::RangeInclusive;

/// A row of `spacing.csv`.
#[derive(Debug)]
pub(super) struct Spacing {
    pub range: RangeInclusive<u16>,
    pub queue: InOrder,
    pub cycles: u32,
}

#[derive(Deserialize)]
struct Row {
    sm: String,
    queue: String,
    cycles: u32,
    source: String,
}

pub(super) fn read(table: Text<'_>) -> Result<Vec<Spacing>, DataError> {
    let mut all = Vec::new();
    for (line, row) in rows::<Row>(table, &["sm", "queue", "cycles", "source"])? {
        let bad = |expected: String| table.error(line, expected);
        let range =
            range(&row.sm).ok_or_else(|| bad(format!("architectures like `75-89`, not `{}`", row.sm)))?;
        let queue = InOrder::named(&row.queue)
            .ok_or_else(|| bad(format!("a queue of classes.csv, not `{}`", row.queue)))?;
        row.source.parse::<Source>().map_err(|error: SourceSyntax| bad(format!("{error}")))?;
        all.push(Spacing { range, queue, cycles: row.cycles });
    }
    Ok(all)
}
