//! Lens of a simulated launch.

use super::facts::facts;
use super::{WITH_PROFILE, basis};
use crate::kernels::launch_cycles::LaunchCycles;
use crate::kernels::predict::{AchievedRate, LaunchPrediction, LimitKind, PredictionInputs};
use crate::words::numbers::{percent, thousands};
use std::fmt::Write;

/// Formats the title: `~137,800 cycles (69.6 µs) · limited by DRAM (93 %) · 100 % occupancy`, followed
/// by the basis of the figures.
///
/// The title is short because windows are narrow. Registers, shared memory and the reason for a range
/// of cycles are in the detail. If the limiter is unknown, the title shows registers and shared memory
/// instead.
pub(super) fn title(
    reported: &LaunchCycles,
    prediction: &LaunchPrediction,
    question: &PredictionInputs<'_>,
) -> String {
    let PredictionInputs { kernel, launch, .. } = *question;
    let named = launch.name.as_ref().map_or_else(String::new, |name| format!("{name}: "));
    let time = prediction.microseconds.map_or_else(String::new, |time| format!(" ({})", in_time(time)));
    let occupancy = format!("{:.0} % occupancy", 100.0 * prediction.occupancy.fraction);
    let mut parts = vec![format!("{named}{}{time}", reported.in_short())];
    // The instruction for which the cycles are unknown is already named with them. If values must be stated, the limiter is
    // unknown too.
    if !prediction.limiter.kind.is_unknown() && prediction.to_state.is_none() {
        parts.extend([format!("limited by {}", limit(prediction)), occupancy]);
    } else {
        parts.push(occupancy);
        parts.extend(facts(launch));
    }
    parts.extend(basis(kernel, launch, prediction.profile.is_some()));
    parts.join(" · ")
}

/// Formats the limiter: `DRAM (93 %)`, `latency: long_scoreboard (71 %)`, `unused load/store bandwidth (mem
/// 0.83 of 1)`.
fn limit(prediction: &LaunchPrediction) -> String {
    let name = &prediction.limiter.name;
    let share = prediction.limiter.share.unwrap_or(0.0);
    match prediction.limiter.kind {
        LimitKind::Busy => format!("{name} ({:.0} %)", 100.0 * share),
        LimitKind::Latency => format!("latency: {name} ({:.0} %)", 100.0 * share),
        LimitKind::Bottleneck => prediction.limiter.in_words(),
        LimitKind::NotTimed => format!("unknown: {name} is not timed"),
        LimitKind::EndlessWait => format!("unknown: a wait at {name} does not end"),
    }
}

/// Formats the simulated figures as lines of Markdown, to follow the other facts.
pub(super) fn detail(prediction: &LaunchPrediction) -> String {
    /// Largest number of stall reasons in one line.
    const REASONS: usize = 3; // limit: one line of text
    let mut text = String::new();
    let time = prediction.microseconds.map_or_else(String::new, |time| {
        format!(" ({} at {:.2} GHz)", in_time(time), f64::from(prediction.clock_mhz) / 1000.0)
    });
    let _ = writeln!(
        text,
        "- Predicted: {}{time} (`pipeline` model, estimated{})",
        prediction.cycles_in_words,
        if prediction.profile.is_some() { WITH_PROFILE } else { "" },
    );
    for note in &prediction.notes {
        let _ = writeln!(text, "- {note}");
    }
    if !prediction.limiter.kind.is_unknown() && prediction.to_state.is_none() {
        let _ = writeln!(text, "- Limited by {}", limit(prediction));
    }
    let waves = &prediction.waves;
    let _ = writeln!(
        text,
        "- Waves: {:.2}. {} blocks run at once; the last wave fills {:.0} % of the GPU",
        waves.exact,
        thousands(waves.blocks_at_once as f64),
        100.0 * waves.last,
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
        let _ = writeln!(text, "- Cache hits: {}", hits.join(", "));
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
        let _ = writeln!(text, "- Assumed: {}", prediction.assumed_in_words);
    }
    text
}

/// Formats a rate: `FP32: 31.2 TFLOP/s, 47 % of peak`. `None` if the time is not a single number.
fn rate(done: &AchievedRate, unit: &str) -> Option<String> {
    let per_second = done.per_second?;
    let (scale, prefix) = if per_second >= 1e12 { (1e12, "T") } else { (1e9, "G") };
    let achieved = format!("{}: {:.1} {prefix}{unit}", done.name, per_second / scale);
    Some(match done.share {
        Some(share) => format!("{achieved}, {} of peak{}", percent(share), done.busy_in_words()),
        None => achieved,
    })
}

/// Formats a time: `69.6 µs`, `1.26 ms`.
fn in_time(microseconds: f64) -> String {
    match microseconds {
        time if time >= 1e3 => format!("{:.2} ms", time / 1e3),
        time => format!("{time:.1} µs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_their_unit() {
        assert_eq!([69.58, 1262.0].map(in_time).join(", "), "69.6 µs, 1.26 ms");
    }
}
