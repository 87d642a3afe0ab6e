//! A picture of tunings: a row for each shape, with the predicted times of the current code, of the best
//! variant, and of the other variants.

use crate::printable::Escaped;
use crate::svg::PictureHead;
use ide::{TuningOutcome, TuningRow};
use std::fmt::Write;
use std::sync::Arc;

const WIDTH: f64 = 960.0; // limit: layout of the picture, in pixels
/// The frame of the plot, in pixels.
const LEFT: f64 = 210.0; // limit: layout of the picture, in pixels
const RIGHT: f64 = 620.0; // limit: layout of the picture, in pixels
const TOP: f64 = 74.0; // limit: layout of the picture, in pixels
const ROW: f64 = 30.0; // limit: layout of the picture, in pixels

/// CSS rules by class, for [`PictureHead`].
const STYLE: &[(&str, &str)] = &[
    (".quiet", "fill: $quiet"),
    (".grid", "stroke: $grid"),
    (".gain", "stroke: $blue; stroke-width: 2"),
    (".best", "fill: $blue"),
    (".now", "fill: $page; stroke: $orange; stroke-width: 2"),
    (".other", "stroke: $line"),
];

/// The picture as SVG; times are on a logarithmic axis.
pub(crate) fn plot(outcomes: &[Arc<TuningOutcome>]) -> String {
    let is_estimated = outcomes.iter().any(|outcome| outcome.compiled == 0);
    let is_timed = outcomes
        .iter()
        .flat_map(|outcome| &outcome.rows)
        .all(|row| is_estimated || row.microseconds.is_some() == row.cycles.is_some());
    let value = |row: &TuningRow| match (is_estimated, is_timed) {
        (true, _) => row.time(),
        (false, true) => row.microseconds,
        (false, false) => row.cycles,
    };
    let all = outcomes.iter().flat_map(|outcome| &outcome.rows).filter_map(value);
    let (low, high) = all.fold((f64::INFINITY, 0.0_f64), |(low, high), own| (low.min(own), high.max(own)));
    let (low, high) = if low <= high { (low.max(1e-6) / 1.15, high * 1.15) } else { (1.0, 10.0) };
    let at =
        |own: f64| LEFT + (RIGHT - LEFT) * (own.max(1e-6).ln() - low.ln()) / (high.ln() - low.ln()).max(1e-9);
    let bottom = TOP + ROW * outcomes.len() as f64;
    let height = bottom + 44.0;
    let mut svg = String::new();
    let kernel = outcomes.first().map_or("", |outcome| outcome.kernel.as_str());
    let gpu = outcomes.first().map_or("", |outcome| outcome.gpu.as_str());
    let predicted = if is_estimated { "estimated without compiling" } else { "predicted" };
    let title = format!("{kernel} on {gpu}: variants by shape, {predicted}");
    let _ = write!(
        svg,
        "{}",
        PictureHead { width: WIDTH, height: height.round(), title: &title, left: 16.0, style: STYLE }
    );
    legend(&mut svg);
    for (place, text) in ticks(low, high).into_iter().map(|own| (at(own), figure(own))) {
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{place:.1}\" y1=\"{TOP}\" x2=\"{place:.1}\" y2=\"{bottom:.1}\"/>\n\
             <text class=\"quiet\" x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
            bottom + 16.0
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"quiet\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        f64::midpoint(LEFT, RIGHT),
        bottom + 36.0,
        if is_timed { "microseconds" } else { "cycles" }
    );
    for (number, outcome) in outcomes.iter().enumerate() {
        let y = TOP + ROW * (number as f64 + 0.5);
        row(&mut svg, outcome, y, &|row| value(row).map(at));
    }
    svg.push_str("</svg>\n");
    svg
}

fn legend(svg: &mut String) {
    let _ = writeln!(
        svg,
        "<circle class=\"now\" cx=\"22\" cy=\"48\" r=\"4.5\"/><text class=\"quiet\" x=\"32\" y=\"52\">now</text>\n\
         <circle class=\"best\" cx=\"82\" cy=\"48\" r=\"5\"/><text class=\"quiet\" x=\"92\" y=\"52\">best</text>\n\
         <line class=\"other\" x1=\"142\" y1=\"43\" x2=\"142\" y2=\"53\"/><text class=\"quiet\" x=\"150\" y=\"52\">other variants</text>"
    );
}

fn row(svg: &mut String, outcome: &TuningOutcome, y: f64, at: &dyn Fn(&TuningRow) -> Option<f64>) {
    let below = y + 4.0;
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{below:.1}\" text-anchor=\"end\">{}</text>",
        LEFT - 12.0,
        Escaped(&outcome.shape)
    );
    for place in outcome.rows.iter().filter_map(at) {
        let (above, under) = (y - 5.0, y + 5.0);
        let _ = writeln!(
            svg,
            "<line class=\"other\" x1=\"{place:.1}\" y1=\"{above:.1}\" x2=\"{place:.1}\" y2=\"{under:.1}\"/>"
        );
    }
    let best = outcome.best();
    let now = outcome.rows.iter().find(|row| row.is_now);
    let (left, right) = (best.and_then(at), now.and_then(at));
    if let (Some(left), Some(right)) = (left, right) {
        let _ = writeln!(
            svg,
            "<line class=\"gain\" x1=\"{left:.1}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\"/>"
        );
    }
    if let Some(place) = left {
        let _ = writeln!(svg, "<circle class=\"best\" cx=\"{place:.1}\" cy=\"{y:.1}\" r=\"5\"/>");
    }
    if let Some(place) = right {
        let _ = writeln!(svg, "<circle class=\"now\" cx=\"{place:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>");
    }
    let words = match best {
        None => "cycles unknown".to_owned(),
        Some(best) if best.is_now => format!("{} (now)", best.variant),
        Some(best) => {
            let times = best.times_as_fast.map(|times| format!("{times:.2} x: ")).unwrap_or_default();
            format!("{times}{}", best.variant)
        }
    };
    let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{below:.1}\">{}</text>", RIGHT + 14.0, Escaped(&words));
}

/// The ticks between two values: one, two and five times each power of 10, or only the powers of 10 if that would be
/// too many ticks.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    const MAX: usize = 8; // limit: room under the axis
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let of = |steps: &[f64]| -> Vec<f64> {
        let all = powers.clone().flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)));
        all.filter(|own| (low..=high).contains(own)).collect()
    };
    let fine = of(&[1.0, 2.0, 5.0]);
    if fine.len() <= MAX { fine } else { of(&[1.0]) }
}

fn figure(number: f64) -> String {
    if number < 1.0 { format!("{number}") } else { format!("{number:.0}") }
}
