//! Predictions as text: a table of all launches, then the facts about each.

use crate::cli::facts::stack;
use crate::cli::output::{counted, grouped, printable};
use crate::cli::palette::Palette;
use crate::cli::table::{self, Align, Cell, Column, Row};
use ide::names::demangle;
use ide::predict::{
    AchievedRate, ConvolutionReport, LaunchPrediction, LimitKind, LimitedBy, UsedProfileData,
};
use ide::report::Resources;
use std::io::{self, Write};

/// Maximum number of stall reasons shown in a line.
const REASONS: usize = 3; // limit: room in a line

const COLUMNS: [Column; 6] = [
    Column { title: "launch", align: Align::Left },
    Column { title: "cycles", align: Align::Right },
    Column { title: "time", align: Align::Right },
    Column { title: "limited by", align: Align::Left },
    Column { title: "occupancy", align: Align::Right },
    Column { title: "model", align: Align::Left },
];

pub(super) fn write(
    out: &mut dyn Write,
    palette: &Palette,
    predictions: &[LaunchPrediction],
) -> io::Result<()> {
    let Palette { plain, dim, strong, .. } = *palette;
    if predictions.len() > 1 {
        let rows = || {
            predictions.iter().map(|prediction| {
                Row::Cells(vec![
                    Cell::new(strong, title(prediction)),
                    Cell::new(plain, cycles(prediction)),
                    Cell::new(plain, prediction.microseconds.map_or_else(String::new, time)),
                    Cell::new(plain, printable(&prediction.limiter.in_words())),
                    Cell::new(plain, format!("{:.0} %", prediction.occupancy.fraction * 100.0)),
                    Cell::new(dim, prediction.model),
                ])
            })
        };
        table::write(out, &COLUMNS, dim, rows)?;
        writeln!(out)?;
    }
    for (number, prediction) in predictions.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        one(out, palette, prediction)?;
    }
    Ok(())
}

/// The launch's name, or else the function's.
pub(super) fn title(prediction: &LaunchPrediction) -> String {
    let name = prediction.launch.clone().or_else(|| demangle(&prediction.function));
    printable(name.as_deref().unwrap_or(&prediction.function)).into_owned()
}

fn one(out: &mut dyn Write, palette: &Palette, prediction: &LaunchPrediction) -> io::Result<()> {
    let Palette { dim, strong, .. } = *palette;
    let function = demangle(&prediction.function).unwrap_or_else(|| prediction.function.clone());
    let function = printable(&function);
    if prediction.launch.is_some() {
        writeln!(out, "{strong}{}{strong:#}  {dim}{function}{dim:#}", title(prediction))?;
    } else {
        writeln!(out, "{strong}{function}{strong:#}")?;
    }
    for (label, text) in facts(prediction) {
        writeln!(out, "  {dim}{label:<10}{dim:#} {}", printable(&text))?;
    }
    Ok(())
}

/// Labels and their values, in reading order.
fn facts(prediction: &LaunchPrediction) -> Vec<(&'static str, String)> {
    let LaunchPrediction { resources, occupancy, rates, .. } = prediction;
    let extent = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    let mut facts = vec![
        (
            "cycles",
            format!(
                "{}{} on {}; estimated by the {} model{}",
                cycles(prediction),
                in_time(prediction),
                prediction.gpu,
                prediction.model,
                if prediction.profile.is_some() { " with profile" } else { "" }
            ),
        ),
        ("limiter", limiter(&prediction.limiter)),
        ("launch", format!("grid {}, block {}", extent(resources.grid), extent(resources.block))),
        (
            "occupancy",
            format!(
                "{:.0} %: {} of {} warps per SM, {}, limited by {} ({} registers per thread, {}{})",
                occupancy.fraction * 100.0,
                occupancy.active_warps,
                occupancy.max_warps,
                counted(occupancy.active_blocks as usize, "block"),
                occupancy.limiter,
                resources.registers,
                shared(resources),
                stack(resources)
            ),
        ),
        ("waves", waves(prediction)),
    ];
    let noted = rates.operations.iter().filter(|done| done.is_noted(&rates.operations));
    facts.extend(noted.filter_map(|done| Some(("rate", rate(done, "FLOP/s")?))));
    facts.extend(rates.dram.iter().filter_map(|done| Some(("memory", rate(done, "B/s")?))));
    facts.extend(rates.l2.iter().filter_map(|done| Some(("", rate(done, "B/s")?))));
    let hits = [("L1", prediction.l1_hit), ("L2", prediction.l2_hit)];
    let hits: Vec<String> = hits
        .into_iter()
        .filter_map(|(cache, share)| Some(format!("{cache} {:.0} %", share? * 100.0)))
        .collect();
    if !hits.is_empty() {
        facts.push(("hits", hits.join(", ")));
    }
    let largest = prediction.stalls.iter().take(REASONS).filter(|(_, share)| *share > 0.0);
    let largest: Vec<String> =
        largest.map(|(reason, share)| format!("{reason} {:.0} %", share * 100.0)).collect();
    if !largest.is_empty() {
        facts.push(("stalls", largest.join(", ")));
    }
    facts.extend(prediction.convolution.iter().map(|layer| ("layer", convolution(layer))));
    if let Some(share) = prediction.simulated.filter(|share| *share < 1.0) {
        let text = format!(
            "{} of an SM's work was simulated; the rest is extrapolated at the same rate",
            percent(share)
        );
        facts.push(("simulated", text));
    }
    facts.extend(prediction.profile.iter().map(|profile| ("profile", taken(profile))));
    if !prediction.assumed.is_empty() {
        facts.push(("assumed", prediction.assumed_in_words.clone()));
    }
    facts.extend(prediction.notes.iter().map(|note| ("note", note.clone())));
    facts
}

/// Describes the limiter of a launch. A bottleneck is described with its model and the scale of its figure.
fn limiter(limiter: &LimitedBy) -> String {
    let scale = match limiter.kind {
        LimitKind::Bottleneck => ": the largest bottleneck of the ICS'17 model, 0 best, 1 worst",
        LimitKind::Busy | LimitKind::Latency | LimitKind::NotTimed | LimitKind::EndlessWait => "",
    };
    format!("{}{scale}", limiter.in_words())
}

/// Formats the size of shared memory: `4,096 bytes of shared memory`, with a mark if the size was inferred.
fn shared(resources: &Resources) -> String {
    if resources.shared_unknown {
        return "unknown shared memory".to_owned();
    }
    format!("{}{} bytes of shared memory", resources.shared_mark(), grouped(u64::from(resources.shared)))
}

/// Describes what was taken from a profile: `executed, lanes, sectors; 41 of 41 instructions`.
fn taken(profile: &UsedProfileData) -> String {
    let UsedProfileData { taken, instructions, of, same_code } = profile;
    let taken = if taken.is_empty() { "nothing".to_owned() } else { taken.join(", ") };
    let other = if *same_code { "" } else { "; the profile is for different code" };
    format!("{taken}; {instructions} of {of} instructions{other}")
}

fn convolution(layer: &ConvolutionReport) -> String {
    let size = format!(
        "output {} x {}, {:.3} GFLOP",
        layer.output_rows,
        layer.output_columns,
        layer.operations / 1e9
    );
    let padding = layer.pad_reduce.map_or_else(String::new, |left| {
        format!(", {} without the zeros of the padding (Eq. 25)", percent(left))
    });
    let intensity = layer.intensity.map_or_else(String::new, |intensity| {
        format!(
            "; {intensity:.2} FLOP per byte of shared memory, {:.2} with {block} x {block} outputs per thread (Eq. 22)",
            layer.block_intensity,
            block = layer.block
        )
    });
    format!("{size}{padding}{intensity}")
}

fn waves(prediction: &LaunchPrediction) -> String {
    let waves = &prediction.waves;
    let blocks = grouped(waves.blocks_at_once);
    if waves.count <= 1 {
        return format!("one, which fills {} of the {blocks} concurrent blocks", percent(waves.last));
    }
    format!(
        "{:.2}: {} of {blocks} concurrent blocks, the last wave {} full",
        waves.exact,
        grouped(waves.count),
        percent(waves.last)
    )
}

/// Formats the cycles of a launch: `137,500`, `12,000 to 118,000`, or a remark that they are unknown.
fn cycles(prediction: &LaunchPrediction) -> String {
    match (prediction.cycles, prediction.low, prediction.high) {
        (Some(cycles), ..) => whole(cycles),
        _ if prediction.to_state.is_some() => prediction.cycles_in_words.clone(),
        (None, Some(low), Some(high)) => format!("{} to {}", whole(low), whole(high)),
        _ => "unknown".to_owned(),
    }
}

/// Formats the time of a launch: `, 69.6 us at 1.98 GHz`. Empty if the time is not a single number.
fn in_time(prediction: &LaunchPrediction) -> String {
    prediction.microseconds.map_or_else(String::new, |microseconds| {
        format!(", {} at {:.2} GHz", time(microseconds), f64::from(prediction.clock_mhz) / 1000.0)
    })
}

/// Formats an achieved rate: `FP32 31.2 TFLOP/s, 47 % of 66.9`. `None` if the time is not a single number.
fn rate(done: &AchievedRate, unit: &str) -> Option<String> {
    let per_second = done.per_second?;
    let (scale, prefix) = scale(done.peak_per_second.unwrap_or(per_second));
    let achieved = format!("{} {} {prefix}{unit}", done.name, digits(per_second / scale));
    Some(match (done.share, done.peak_per_second) {
        (Some(share), Some(peak)) => {
            format!("{achieved}, {} of {}{}", percent(share), digits(peak / scale), done.busy_in_words())
        }
        _ => achieved,
    })
}

/// Returns the unit in which a rate is printed, as a power of 1000 and its SI prefix: `M`, `G` or `T`.
pub(super) fn scale(rate: f64) -> (f64, &'static str) {
    match rate {
        rate if rate >= 1e12 => (1e12, "T"),
        rate if rate >= 1e9 => (1e9, "G"),
        _ => (1e6, "M"),
    }
}

/// Formats a number with three significant digits, or without decimals if its integer part has more digits.
pub(super) fn digits(number: f64) -> String {
    let decimals = match number {
        number if number >= 99.95 => 0,
        number if number >= 9.995 => 1,
        _ => 2,
    };
    format!("{number:.decimals$}")
}

/// Formats a time: `69.6 us`.
fn time(microseconds: f64) -> String {
    match microseconds {
        time if time >= 1e6 => format!("{} s", digits(time / 1e6)),
        time if time >= 1e3 => format!("{} ms", digits(time / 1e3)),
        time => format!("{} us", digits(time)),
    }
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 1.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

fn whole(number: f64) -> String {
    // Above this, 64-bit floats do not represent every whole number.
    if number >= 1e15 {
        return format!("{number:.3e}");
    }
    grouped(number.round().max(0.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(
            [0.5, 9.994, 9.996, 99.94, 99.96, 1234.0].map(digits).join(" "),
            "0.50 9.99 10.0 99.9 100 1234"
        );
        assert_eq!([12.34, 1234.0, 2e6].map(time).join(", "), "12.3 us, 1.23 ms, 2.00 s");
        assert_eq!([0.0, 0.004, 0.014, 1.0].map(percent).join(", "), "0 %, 0.4 %, 1 %, 100 %");
    }
}
