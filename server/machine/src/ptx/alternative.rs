//! Instructions of SASS that do the same on another pipe: compilers take the one whose pipe is free.

use super::expansion::{Step, range, step};
use crate::load::{DataError, Text, rows};
use crate::{Source, SourceSyntax};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::ops::RangeInclusive;

/// One instruction, and what may stand instead of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// `d`: what is written, `a`, `b`, `c`: registers, `x`: a number, `q0`: a predicate.
    pub of: Step,
    /// The same names; `1<<x` is a power of two.
    pub instead: Step,
    pub source: Source,
}

/// The rows of `alternatives.csv`, by mnemonic.
pub(super) type Alternatives = FxHashMap<Box<str>, Vec<(RangeInclusive<u16>, Alternative)>>;

#[derive(Deserialize)]
struct Row {
    sm: String,
    sass: String,
    instead: String,
    source: String,
}

pub(super) fn read(table: Text<'_>) -> Result<Alternatives, DataError> {
    let mut all = Alternatives::default();
    for (line, row) in rows::<Row>(table, &["sm", "sass", "instead", "source"])? {
        let bad = |expected: String| table.error(line, expected);
        let range =
            range(&row.sm).ok_or_else(|| bad(format!("architectures like `75-89`, not `{}`", row.sm)))?;
        let source: Source = row.source.parse().map_err(|error: SourceSyntax| bad(format!("{error}")))?;
        let (Some(of), Some(instead)) = (step(&row.sass), step(&row.instead)) else {
            return Err(bad(format!("two instructions of SASS, not `{}` and `{}`", row.sass, row.instead)));
        };
        all.entry(of.mnemonic.clone()).or_default().push((range, Alternative { of, instead, source }));
    }
    Ok(all)
}
