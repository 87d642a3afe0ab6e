//! SASS instructions with the same result on different pipes. Compilers choose the instruction whose pipe is
//! free.

use super::expansion::{Step, range, step};
use crate::Source;
use crate::load::{DataError, Text, rows};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;

/// An instruction, and an instruction that may replace it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// The original instruction. Its operands: `d` is written; `a`, `b`, `c` are registers, `x` is a number,
    /// `q0` a predicate.
    pub of: Step,
    /// The replacement. Its operands have the same names, and `1<<x` is a power of two.
    pub instead: Step,
    pub source: Source,
}

/// The rows of `alternatives.csv`, by mnemonic.
pub(super) type Alternatives = FxHashMap<Box<str>, Vec<(RangeInclusive<u16>, Alternative)>>;

pub(super) fn read(table: Text<'_>) -> Result<Alternatives, DataError> {
    let mut all = Alternatives::default();
    let header = ["sm", "sass", "instead", "source"];
    for (line, (sm, sass, instead, source)) in rows::<(String, String, String, Source)>(table, &header)? {
        let range = range(table, line, &sm)?;
        let (Some(of), Some(instead)) = (step(&sass), step(&instead)) else {
            return Err(table.error(line, format!("two instructions of SASS, not `{sass}` and `{instead}`")));
        };
        all.entry(of.mnemonic.clone()).or_default().push((range, Alternative { of, instead, source }));
    }
    Ok(all)
}
