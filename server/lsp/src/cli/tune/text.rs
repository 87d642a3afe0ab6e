//! Tunings for people: a table for each shape, and the variant that serves all of them best.

use crate::cli::output::printable;
use ide::{TuningOutcome, TuningRow};
use std::io::{self, Write};
use std::sync::Arc;

pub(super) fn write(out: &mut dyn Write, outcomes: &[Arc<TuningOutcome>]) -> io::Result<()> {
    for (number, outcome) in outcomes.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        for line in outcome.table().lines() {
            writeln!(out, "{}", printable(line))?;
        }
    }
    if outcomes.len() > 1
        && let Some((variant, gain)) = best_of_all(outcomes)
    {
        let gain = gain.map_or_else(String::new, |gain| format!(", {gain:.2} times as fast as now"));
        let estimated = if outcomes.iter().any(|outcome| outcome.is_of_triton) { "estimated, " } else { "" };
        writeln!(out, "\nBest for all shapes: {}{gain} ({estimated}geometric mean)", printable(&variant))?;
    }
    if outcomes.iter().any(|outcome| outcome.is_of_triton) {
        writeln!(out, "\nCompare estimates only with each other; Triton's own autotuner measures times.")?;
    } else if outcomes.iter().any(|outcome| outcome.compiled == 0) {
        writeln!(
            out,
            "\nCompare estimates only with each other; --compile predicts cycles from compiled code."
        )?;
    }
    Ok(())
}

/// The variant with the smallest geometric mean of its times over all shapes, and its speedup over the current code in
/// that mean. `None` if no variant has a time for every shape.
fn best_of_all(outcomes: &[Arc<TuningOutcome>]) -> Option<(String, Option<f64>)> {
    let row = |outcome: &TuningOutcome, variant: &str| -> Option<TuningRow> {
        outcome.rows.iter().find(|row| row.variant == variant).cloned()
    };
    let mean = |variant: &str, of: &dyn Fn(&TuningRow) -> Option<f64>| -> Option<f64> {
        let all = outcomes.iter().map(|outcome| Some(of(&row(outcome, variant)?)?.ln()));
        let sum: f64 = all.collect::<Option<Vec<f64>>>()?.iter().sum();
        Some((sum / outcomes.len() as f64).exp())
    };
    let all = outcomes.first()?.rows.iter();
    let known = all.filter_map(|own| Some((own, mean(&own.variant, &TuningRow::time)?)));
    let (best, _) = known.min_by(|(_, one), (_, other)| one.total_cmp(other))?;
    Some((best.variant.clone(), mean(&best.variant, &|row| row.times_as_fast)))
}
