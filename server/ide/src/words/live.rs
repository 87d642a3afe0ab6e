//! Formatting of the counts and names of live registers.

use crate::words::numbers::listed;
use model::dataflow::LiveCounts;
use model::{Register, RegisterFile};
use std::fmt::Write;

/// Formats the counts of general, predicate, uniform and uniform predicate registers: `12r 2p  4u`. Each
/// count is padded to the width of its maximum in the kernel, so that lines align. Skips register files that
/// the kernel does not use.
pub(crate) fn in_columns(counts: LiveCounts, max: LiveCounts) -> String {
    let named = [
        (counts.general, max.general, "r"),
        (counts.predicate, max.predicate, "p"),
        (counts.uniform, max.uniform, "u"),
        (counts.uniform_predicate, max.uniform_predicate, "up"),
    ];
    let parts = named.into_iter().filter(|&(_, max, unit)| max > 0 || unit == "r");
    let column = |(count, max, unit): (u16, u16, &str)| {
        let width = max.max(1).ilog10() as usize + 1;
        format!("{count:>width$}{unit}")
    };
    parts.map(column).collect::<Vec<_>>().join(" ")
}

/// Formats the counts of live registers in words: `12 general, 2 predicate and 4 uniform registers`.
pub(crate) fn in_words(counts: LiveCounts) -> String {
    let named = [
        (counts.general, "general"),
        (counts.predicate, "predicate"),
        (counts.uniform, "uniform"),
        (counts.uniform_predicate, "uniform predicate"),
    ];
    let parts: Vec<String> = named
        .into_iter()
        .filter(|&(count, kind)| count > 0 || kind == "general")
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    format!("{} registers", listed(&parts, "and"))
}

/// Returns the names of live registers. Consecutive registers are combined into ranges: `R0 R4-R7 R12, P0,
/// UR4-UR5`.
pub(crate) fn names(registers: &[Register]) -> String {
    let mut text = String::new();
    let mut at = 0;
    while let Some(&first) = registers.get(at) {
        let follows = |&(step, register): &(usize, &Register)| {
            register.file == first.file && usize::from(register.index) == usize::from(first.index) + step
        };
        let run = registers[at..].iter().enumerate().take_while(follows).count();
        let before = at.checked_sub(1).map(|before| registers[before].file);
        at += run;
        let Some(prefix) = prefix(first.file) else { continue };
        if !text.is_empty() {
            text.push_str(if before == Some(first.file) { " " } else { ", " });
        }
        let _ = write!(text, "{prefix}{}", first.index);
        if run > 1 {
            let _ = write!(text, "-{prefix}{}", usize::from(first.index) + run - 1);
        }
    }
    text
}

const fn prefix(file: RegisterFile) -> Option<&'static str> {
    match file {
        RegisterFile::General => Some("R"),
        RegisterFile::Uniform => Some("UR"),
        RegisterFile::Predicate => Some("P"),
        RegisterFile::UniformPredicate => Some("UP"),
        RegisterFile::ConditionCode | RegisterFile::Barrier | RegisterFile::Named => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_well() {
        let counts = LiveCounts { general: 12, predicate: 2, uniform: 0, uniform_predicate: 1 };
        let max = LiveCounts { general: 120, predicate: 2, uniform: 10, uniform_predicate: 1 };
        assert_eq!(in_columns(counts, counts), "12r 2p 1up");
        assert_eq!(in_columns(counts, max), " 12r 2p  0u 1up");
        assert_eq!(in_words(counts), "12 general, 2 predicate and 1 uniform predicate registers");
        assert_eq!(in_columns(LiveCounts::default(), LiveCounts::default()), "0r");
        assert_eq!(in_words(LiveCounts::default()), "0 general registers");
    }

    #[test]
    fn runs_are_drawn_together() {
        let register = |file, index| Register { file, index };
        let general = [0, 4, 5, 6, 9].map(|index| register(RegisterFile::General, index));
        let mut all = general.to_vec();
        all.push(register(RegisterFile::Predicate, 0));
        all.push(register(RegisterFile::Barrier, 0));
        assert_eq!(names(&all), "R0 R4-R6 R9, P0");
    }
}
