//! Texts for a Triton kernel: its lens, and the table of its configurations.

use crate::tune::outcome::{TuningOutcome, TuningRow, in_three_digits};
use crate::words::numbers::counted;
use std::fmt::Write;

/// Largest number of rows in the table.
const MAX_ROWS: usize = 16; // limit: the table fits on a screen

/// Number of rows, best first, that are explained.
const EXPLAINED: usize = 3; // limit: each explanation uses a line

/// Returns the title and detail of the lens before any configuration is ranked.
pub(crate) fn invitation(kernel: &str, shape: &str, count: usize, gpu: &str) -> (String, String) {
    let ranks = format!("ranks {}", counted(count, "configuration"));
    let title = format!("Tune `{kernel}` for {shape}: {ranks}");
    let detail = format!("{title} by the static model for {gpu}. Nothing is compiled or run.");
    (title, detail)
}

impl TuningOutcome {
    /// Returns the title: `M=2560 N=16 K=2560: estimated best BLOCK_M = 64, num_warps = 4 (~7.31 µs on H100
    /// SXM5 80 GB)`, followed by the basis of the estimate.
    pub(in crate::tune) fn triton_title(&self) -> String {
        let Self { shape, gpu, .. } = self;
        let Some(best) = self.best() else {
            return format!("{shape}: no configuration has a known time · {}", self.basis());
        };
        let time = best.time().map_or_else(String::new, in_three_digits);
        format!("{shape}: estimated best {} (~{time} µs on {gpu}) · {}", best.variant, self.basis())
    }

    pub(in crate::tune) fn triton_table(&self) -> String {
        let mut text = format!("{} for {} on {}\n{}\n\n", self.kernel, self.shape, self.gpu, self.basis());
        let width = self.rows.iter().map(|row| row.variant.chars().count()).max().unwrap_or(0).max(13);
        let _ = writeln!(
            text,
            "  {:<width$}  {:>9}  {:>7}  {:>5}  {:>7}  {:>5}  {:>7}  limited by",
            "configuration", "µs (est.)", "to best", "regs", "shared", "occ.", "waves"
        );
        let best = self.best().and_then(TuningRow::time);
        for row in self.rows.iter().take(MAX_ROWS) {
            let (Some(time), Some(best)) = (row.time(), best) else {
                let why = row.problem.as_deref().unwrap_or("time unknown");
                let _ = writeln!(text, "  {:<width$}  {why}", row.variant);
                continue;
            };
            let figure = |value: Option<String>| value.unwrap_or_else(|| "?".to_owned());
            let _ = writeln!(
                text,
                "  {:<width$}  {:>9}  {:>7.2}  {:>5}  {:>7}  {:>5}  {:>7}  {}",
                row.variant,
                in_three_digits(time),
                time / best.max(f64::MIN_POSITIVE),
                figure(row.registers.map(|count| format!("~{count}"))),
                figure(row.shared.map(|bytes| bytes.to_string())),
                figure(row.occupancy.map(|share| format!("{:.0} %", 100.0 * share))),
                figure(row.waves.map(|waves| format!("{waves:.2}"))),
                row.limiter.as_deref().unwrap_or("?")
            );
        }
        if self.rows.len() > MAX_ROWS {
            let _ = writeln!(text, "  ... {} more", self.rows.len() - MAX_ROWS);
        }
        let timed = self.rows.iter().filter(|row| row.time().is_some() && !row.why.is_empty());
        for (number, row) in timed.take(EXPLAINED).enumerate() {
            let _ = writeln!(text, "{}{}: {}.", if number == 0 { "\n" } else { "" }, row.variant, row.why);
        }
        text
    }
}
