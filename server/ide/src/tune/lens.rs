//! Texts for a tuned kernel: lens, title of the action that writes the best variant, and table of variants.

use super::outcome::{TuningOutcome, TuningRow, in_three_digits};
use crate::words::numbers::thousands;
use std::fmt::Write;

/// Smallest speed-up for which a variant counts as faster.
const MIN_GAIN: f64 = 1.005; // limit: half a percent is less than the model's error

/// Largest number of rows in the table.
const MAX_ROWS: usize = 12; // limit: the table fits on a screen

/// Returns the title and detail of the lens before any variant is compiled.
pub(crate) fn invitation(kernel: &str, shape: &str, combinations: usize) -> (String, String) {
    let title = format!("Tune `{kernel}` for {shape}");
    let detail = format!(
        "{title}: compiles up to {combinations} variants of the kernel in the background and predicts their cycles. Nothing is run on a \
         GPU."
    );
    (title, detail)
}

impl TuningOutcome {
    /// Returns the title of the lens: `M=2560 N=16 K=2560: best TILE_M = 128, TILE_N = 16, 1.8 times as fast
    /// as now (predicted)`.
    pub fn title(&self) -> String {
        let shape = &self.shape;
        let (time, predicted) =
            if self.compiled > 0 { ("known cycles", "predicted") } else { ("a known time", "estimated") };
        if self.is_of_triton {
            return self.triton_title();
        }
        let Some(best) = self.best() else {
            return format!("{shape}: no variant has {time} ({})", self.basis());
        };
        let gain = match best.times_as_fast {
            _ if best.is_now => "as now".to_owned(),
            Some(times) if times < MIN_GAIN => "about as fast as now".to_owned(),
            Some(times) => format!("{times:.2} times as fast as now"),
            None => "speed-up unknown".to_owned(),
        };
        format!(
            "{shape}: best {}, {gain} ({predicted}, {}) · {}",
            best.variant,
            best.time_in_words(),
            self.basis()
        )
    }

    /// Returns the title of the action that writes the best variant. `None` if the best variant is the current variant,
    /// is not predicted to be noticeably faster, or is unknown.
    pub fn write_title(&self) -> Option<String> {
        let best = self.best().filter(|best| !best.is_now)?;
        let gain = match best.times_as_fast {
            Some(times) if times < MIN_GAIN => return None,
            Some(times) => format!("predicted {times:.2} times as fast"),
            None => "predicted fastest".to_owned(),
        };
        Some(format!("Write {} ({gain} for {})", best.variant, self.shape))
    }

    /// Returns the table of variants as plain text: the first rows, and the row of the current variant.
    pub fn table(&self) -> String {
        if self.is_of_triton {
            return self.triton_table();
        }
        let mut text = format!("{} for {} on {}\n{}\n", self.kernel, self.shape, self.gpu, self.basis());
        if self.compiled > 0 && self.estimated_by == "network" {
            text.push_str("Cycles are predicted from the code of each variant, not by the network.\n");
        }
        text.push('\n');
        let width = self.rows.iter().map(|row| row.variant.chars().count()).max().unwrap_or(0).max(7);
        let _ = if self.compiled > 0 {
            writeln!(
                text,
                "  {:<width$}  {:>12}  {:>9}  {:>7}  {:>4}  {:>7}  {:>5}  {:>6}  limited by",
                "variant", "cycles", "µs", "speedup", "regs", "shared", "occ.", "waves"
            )
        } else {
            writeln!(
                text,
                "  {:<width$}  {:>9}  {:>7}  {:>7}  {:>9}",
                "variant", "µs", "speedup", "threads", "blocks"
            )
        };
        let shown = self.rows.iter().enumerate().filter(|(at, row)| *at < MAX_ROWS || row.is_now);
        for (_, row) in shown {
            if self.compiled > 0 {
                line(&mut text, row, width);
            } else {
                estimated_line(&mut text, row, width);
            }
        }
        if self.rows.len() > MAX_ROWS {
            let _ = writeln!(text, "  ... {} more", self.rows.len() - MAX_ROWS);
        }
        if let Some(best) = self.best().filter(|best| !best.why.is_empty()) {
            let _ = write!(text, "\nWhy {}: {}.\n", best.variant, best.why);
        }
        text
    }
}

/// Appends a row to a table of estimated times.
fn estimated_line(text: &mut String, row: &TuningRow, width: usize) {
    let mark = if row.is_now { '*' } else { ' ' };
    let Some(microseconds) = row.time() else {
        let _ = writeln!(text, "{mark} {:<width$}  {}", row.variant, row.time_in_words());
        return;
    };
    let product = |sizes: [u32; 3]| thousands(sizes.iter().map(|size| f64::from(*size)).product());
    let _ = writeln!(
        text,
        "{mark} {:<width$}  {:>9}  {:>7}  {:>7}  {:>9}",
        row.variant,
        in_three_digits(microseconds),
        row.times_as_fast.map_or_else(|| "?".to_owned(), |times| format!("{times:.2}")),
        product(row.block),
        product(row.grid),
    );
}

fn line(text: &mut String, row: &TuningRow, width: usize) {
    let mark = if row.is_now { '*' } else { ' ' };
    let Some(cycles) = row.cycles else {
        let _ = writeln!(text, "{mark} {:<width$}  {}", row.variant, row.time_in_words());
        return;
    };
    let figure = |value: Option<String>| value.unwrap_or_else(|| "?".to_owned());
    let _ = writeln!(
        text,
        "{mark} {:<width$}  {:>12}  {:>9}  {:>7}  {:>4}  {:>7}  {:>5}  {:>6}  {}",
        row.variant,
        thousands(cycles.round()),
        figure(row.microseconds.map(in_three_digits)),
        figure(row.times_as_fast.map(|times| format!("{times:.2}"))),
        figure(row.registers.map(|count| count.to_string())),
        figure(row.shared.map(|bytes| bytes.to_string())),
        figure(row.occupancy.map(|share| format!("{:.0} %", 100.0 * share))),
        figure(row.waves.map(|waves| format!("{waves:.2}"))),
        row.limiter.as_deref().unwrap_or("?")
    );
}
