//! Lens of a launch that was simulated.

use super::WITH_PROFILE;
use super::facts::facts;
use crate::engine::target::{Target, model_on};
use crate::sass::predict::{Achieved, LaunchPrediction, LimitKind};
use crate::words::numbers::first_of;
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
    // What is not timed stands beside the cycles already.
    let limiter = match prediction.limiter.kind {
        LimitKind::NotTimed => String::new(),
        _ => format!("{}, ", prediction.limiter.in_words()),
    };
    format!(
        "{named}{}{}, {limiter}occupancy {:.0} % | {} | {}, {}{}{}",
        prediction.cycles_in_words,
        in_time(prediction),
        100.0 * prediction.occupancy.fraction,
        facts(launch, live),
        estimate(prediction),
        model_on(ModelName::Pipeline, target),
        if launch.assumed { ", launch assumed" } else { "" },
        if prediction.profile.is_some() { WITH_PROFILE } else { "" },
    )
}

/// Lines of Markdown behind those that need no simulation.
pub(super) fn detail(prediction: &LaunchPrediction) -> String {
    /// Stall reasons that a line has room for.
    const REASONS: usize = 3;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "- Predicted: {}{} (`pipeline` model, {}{})",
        prediction.cycles_in_words,
        in_time(prediction),
        estimate(prediction),
        if prediction.profile.is_some() { WITH_PROFILE } else { "" },
    );
    for note in &prediction.notes {
        let _ = writeln!(text, "- {note}");
    }
    if prediction.limiter.kind != LimitKind::NotTimed {
        let _ = writeln!(text, "- Limited by: {}", prediction.limiter.in_words());
    }
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
        text.extend(rate(done, "FLOP/s").map(|rate| format!("- {rate}\n")));
    }
    for done in rates.dram.iter().chain(&rates.l2) {
        text.extend(rate(done, "B/s").map(|rate| format!("- {rate}\n")));
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
        let _ = writeln!(text, "- Assumed: {}", first_of(&prediction.assumed, NAMED));
    }
    text
}

/// ` (69.6 us at 1.98 GHz)`; nothing where the time is not one number.
fn in_time(prediction: &LaunchPrediction) -> String {
    prediction.microseconds.map_or_else(String::new, |microseconds| {
        format!(" ({} at {:.2} GHz)", time(microseconds), f64::from(prediction.clock_mhz) / 1000.0)
    })
}

const fn estimate(prediction: &LaunchPrediction) -> &'static str {
    if prediction.quick { "quick estimate" } else { "estimated" }
}

/// `FP32: 31.2 TFLOP/s, 47 % of the peak`; `None` where the time is not one number.
fn rate(done: &Achieved, unit: &str) -> Option<String> {
    let per_second = done.per_second?;
    let (scale, prefix) = if per_second >= 1e12 { (1e12, "T") } else { (1e9, "G") };
    let achieved = format!("{}: {:.1} {prefix}{unit}", done.name, per_second / scale);
    Some(match done.share {
        Some(share) => format!("{achieved}, {:.0} % of the peak", 100.0 * share),
        None => achieved,
    })
}

fn time(microseconds: f64) -> String {
    match microseconds {
        time if time >= 1e3 => format!("{:.2} ms", time / 1e3),
        time => format!("{time:.1} us"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_their_unit() {
        assert_eq!([69.58, 1262.0].map(time).join(", "), "69.6 us, 1.26 ms");
    }
}
