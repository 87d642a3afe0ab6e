//! What a lens says of a launch that was simulated.

use super::{facts, thousands};
use crate::issues::model_on;
use crate::predict::{Achieved, LaunchPrediction};
use crate::target::Target;
use model::dataflow::LiveCounts;
use model::{Launch, ModelName};
use std::fmt::Write;

/// `~137 800 cycles (69.6 us at 1.98 GHz), DRAM 93 %, occupancy 100 %`, and what the kernel takes.
pub(super) fn title(
    prediction: &LaunchPrediction,
    launch: &Launch,
    target: &Target,
    live: LiveCounts,
) -> String {
    let named = launch.name.as_ref().map_or_else(String::new, |name| format!("{name}: "));
    format!(
        "{named}~{} cycles ({} at {:.2} GHz), {}, occupancy {:.0} % | {} | estimated, {}",
        thousands(in_four_digits(prediction.cycles)),
        time(prediction.microseconds),
        f64::from(prediction.clock_mhz) / 1000.0,
        prediction.limiter.in_words(),
        100.0 * prediction.occupancy.fraction,
        facts(launch, live),
        model_on(ModelName::Pipeline, target),
    )
}

/// Lines of Markdown behind those that need no simulation.
pub(super) fn detail(prediction: &LaunchPrediction) -> String {
    /// Stall reasons that a line has room for.
    const REASONS: usize = 3;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "- Predicted: about {} cycles, {} at {:.2} GHz (`pipeline` model, estimated)",
        thousands(in_four_digits(prediction.cycles)),
        time(prediction.microseconds),
        f64::from(prediction.clock_mhz) / 1000.0
    );
    let _ = writeln!(text, "- Limited by: {}", prediction.limiter.in_words());
    let waves = &prediction.waves;
    let _ = writeln!(
        text,
        "- Waves: {:.2}; the last fills {:.0} % of the {} blocks that run at once",
        waves.exact,
        100.0 * waves.last,
        waves.blocks_at_once
    );
    let rates = &prediction.rates;
    for done in rates.operations.iter().filter(|done| done.is_noted(&rates.operations)) {
        let _ = writeln!(text, "- {}", rate(done, "FLOP/s"));
    }
    for done in rates.dram.iter().chain(&rates.l2) {
        let _ = writeln!(text, "- {}", rate(done, "B/s"));
    }
    let hits = [("L1", prediction.l1_hit), ("L2", prediction.l2_hit)];
    let hits: Vec<String> = hits
        .iter()
        .filter_map(|(cache, share)| Some(format!("{cache} {:.0} %", 100.0 * (*share)?)))
        .collect();
    if !hits.is_empty() {
        let _ = writeln!(text, "- Hits: {}", hits.join(", "));
    }
    let stalls: Vec<String> = prediction
        .stalls
        .iter()
        .take(REASONS)
        .map(|(reason, share)| format!("{reason} {:.0} %", 100.0 * share))
        .collect();
    if !stalls.is_empty() {
        let _ = writeln!(text, "- Stalls: {}", stalls.join(", "));
    }
    if !prediction.assumed.is_empty() {
        const NAMED: usize = 6;
        let rest = prediction.assumed.len().saturating_sub(NAMED);
        let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
        let named = prediction.assumed[..prediction.assumed.len().min(NAMED)].join(", ");
        let _ = writeln!(text, "- Assumed: {named}{more}");
    }
    text
}

/// `FP32: 31.2 TFLOP/s, 47 % of the peak`.
fn rate(done: &Achieved, unit: &str) -> String {
    let (scale, prefix) = if done.per_second >= 1e12 { (1e12, "T") } else { (1e9, "G") };
    let achieved = format!("{}: {:.1} {prefix}{unit}", done.name, done.per_second / scale);
    match done.share {
        Some(share) => format!("{achieved}, {:.0} % of the peak", 100.0 * share),
        None => achieved,
    }
}

fn time(microseconds: f64) -> String {
    match microseconds {
        time if time >= 1e3 => format!("{:.2} ms", time / 1e3),
        time => format!("{time:.1} us"),
    }
}

/// No more than are worth reading of an estimate.
fn in_four_digits(number: f64) -> f64 {
    let unit = 10_f64.powi((number.max(1.0).log10().floor() as i32 - 3).max(0));
    (number / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_have_four_digits() {
        assert_eq!(
            [7.4, 137_778.0, 1_262_069.0].map(|cycles| thousands(in_four_digits(cycles))).join(", "),
            "7, 137 800, 1 262 000"
        );
        assert_eq!([69.58, 1262.0].map(time).join(", "), "69.6 us, 1.26 ms");
    }
}
