//! Gutter heat map: each line's share of the samples.

use super::kernel::MeasuredKernel;
use super::lines::Lines;
use super::tally::Tally;
use crate::engine::cancel::Cancellable;
use crate::engine::names::short_name;
use crate::engine::sass_view::SassView;
use crate::{Heat, HeatMap};

/// Heat of the listing's lines that have samples; `None` if no attached profile contains a kernel of the listing.
pub(crate) fn of_listing(sass: &SassView) -> Cancellable<Option<HeatMap>> {
    let mut map: Option<HeatMap> = None;
    if sass.context.profiles.files().is_empty() {
        return Ok(map);
    }
    for (index, chunk) in sass.kernels() {
        sass.cancel.check()?;
        let Some(kernel) = MeasuredKernel::find(sass, index).filter(|kernel| kernel.samples > 0.0) else {
            continue;
        };
        let map = map.get_or_insert_with(|| measured(kernel.source()));
        let (is_stale, name) = (!kernel.is_same_code(), short_name(chunk));
        map.lines.extend(chunk.instructions().iter().enumerate().filter_map(|(inst, own)| {
            let tally = kernel.tally(inst)?;
            let share = tally.samples / kernel.samples;
            let words = words(share, &format!("samples of {name}"), &tally);
            let range = sass.line_range(index, own.line as usize);
            (share > 0.0).then_some(Heat { range, share, is_stale, words })
        }));
    }
    Ok(map)
}

/// Heat of the source lines that have samples.
pub(crate) fn of_lines(lines: &Lines<'_>) -> HeatMap {
    let heat = lines.all.iter().map(|own| Heat {
        range: own.range.clone(),
        share: own.share(),
        is_stale: lines.age.is_some() || !own.is_current,
        words: words(own.share(), &format!("samples of {}", own.short_kernel()), &own.tally),
    });
    HeatMap { lines: heat.filter(|heat| heat.share > 0.0).collect(), ..measured(lines.source.clone()) }
}

fn measured(source: String) -> HeatMap {
    HeatMap { source, is_measured: true, lines: Vec::new() }
}

/// Formats a share: `23.4 % of the samples of sgemm; most of them long_scoreboard`.
fn words(share: f64, of: &str, tally: &Tally<'_>) -> String {
    let reason = tally.top_stall().map(|reason| format!("; most of them {reason}")).unwrap_or_default();
    format!("{:.1} % of the {of}{reason}", 100.0 * share)
}
