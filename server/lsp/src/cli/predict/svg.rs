//! A roofline plot: operations per second over operations per byte of DRAM traffic, with one point per launch under
//! the lines of the GPU's limits.

mod axis;
mod labels;
mod points;

use super::text::{digits, scale};
use crate::printable::Escaped;
use crate::svg::PictureHead;
use axis::Axis;
use ide::predict::{Ceiling, LaunchPrediction};
use labels::{Labels, Rect};
use points::Point;
use std::io::{self, Write};

const WIDTH: f64 = 960.0; // limit: layout of the picture, in pixels
const HEIGHT: f64 = 656.0; // limit: layout of the picture, in pixels
/// The frame of the plot, in pixels.
const LEFT: f64 = 84.0; // limit: layout of the picture, in pixels
const RIGHT: f64 = 936.0; // limit: layout of the picture, in pixels
const TOP: f64 = 56.0; // limit: layout of the picture, in pixels
const BOTTOM: f64 = 548.0; // limit: layout of the picture, in pixels
const RADIUS: f64 = 5.0; // limit: layout of the picture, in pixels

/// CSS rules by class, for [`PictureHead`].
const STYLE: &[(&str, &str)] = &[
    (".quiet", "fill: $quiet"),
    (".grid", "stroke: $grid; stroke-width: 1"),
    (".frame", "fill: none; stroke: $line"),
    (".roof", "stroke: $ink; stroke-width: 1.6; fill: none"),
    (".halo", "paint-order: stroke; stroke: $page; stroke-width: 3px; stroke-linejoin: round"),
    (".leader", "stroke: $line; stroke-width: 0.8"),
    (".memory", "fill: $blue; stroke: $blue"),
    (".pipe", "fill: $orange; stroke: $orange"),
    (".latency", "fill: $purple; stroke: $purple"),
    (".hollow", "fill: $page; stroke-width: 1.6"),
];

pub(super) fn write(
    out: &mut dyn Write,
    predictions: &[LaunchPrediction],
    ceilings: &[Ceiling],
) -> io::Result<()> {
    let ceilings = points::wanted(ceilings, predictions);
    let (x, y) = axis::fit(predictions, &ceilings);
    let (x, y) = (Axis::new(x, LEFT, RIGHT), Axis::new(y, BOTTOM, TOP));
    let (points, left_out) = points::place(predictions, &ceilings, &x, &y);
    let title = title(predictions);
    write!(out, "{}", PictureHead { width: WIDTH, height: HEIGHT, title: &title, left: LEFT, style: STYLE })?;
    frame(out, &x, &y)?;
    let mut labels = Labels::new(Rect { left: LEFT, top: TOP, right: RIGHT, bottom: BOTTOM });
    for point in &points {
        labels.keep_free(Rect::around(point.x, point.y, RADIUS + 1.0));
    }
    roofs(out, &ceilings, &x, &y, &mut labels)?;
    for point in &points {
        draw(out, point)?;
    }
    for point in &points {
        label(out, point, &mut labels)?;
    }
    legend(out, &points, &left_out)?;
    writeln!(out, "</svg>")
}

fn title(predictions: &[LaunchPrediction]) -> String {
    let mut gpus: Vec<&str> = predictions.iter().map(|prediction| &*prediction.gpu).collect();
    gpus.sort_unstable();
    gpus.dedup();
    format!("Roofline of {}, predicted", gpus.join(", "))
}

fn frame(out: &mut dyn Write, x: &Axis, y: &Axis) -> io::Result<()> {
    for (at, text) in x.decades() {
        writeln!(out, "<line class=\"grid\" x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{BOTTOM}\"/>")?;
        let below = BOTTOM + 18.0;
        writeln!(
            out,
            "<text class=\"quiet\" x=\"{at:.1}\" y=\"{below}\" text-anchor=\"middle\">{text}</text>"
        )?;
    }
    for (at, text) in y.decades() {
        writeln!(out, "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{RIGHT}\" y2=\"{at:.1}\"/>")?;
        let (adjacent, middle) = (LEFT - 8.0, at + 4.0);
        writeln!(
            out,
            "<text class=\"quiet\" x=\"{adjacent}\" y=\"{middle:.1}\" text-anchor=\"end\">{text}</text>"
        )?;
    }
    let (width, height) = (RIGHT - LEFT, BOTTOM - TOP);
    writeln!(out, "<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{width}\" height=\"{height}\"/>")?;
    let (middle, below) = (f64::midpoint(LEFT, RIGHT), BOTTOM + 38.0);
    writeln!(
        out,
        "<text class=\"quiet\" x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">operations per byte of DRAM traffic</text>"
    )?;
    let above = TOP - 10.0;
    writeln!(out, "<text class=\"quiet\" x=\"{LEFT}\" y=\"{above}\">operations per second</text>")
}

/// Draws the ceilings: for each bandwidth, a slope from the left edge up to the highest arithmetic peak; for each
/// arithmetic peak, a flat line from the slope of the highest bandwidth to the right edge.
fn roofs(
    out: &mut dyn Write,
    ceilings: &[Ceiling],
    x: &Axis,
    y: &Axis,
    labels: &mut Labels,
) -> io::Result<()> {
    let most = |is_bandwidth: bool| {
        let rates = ceilings.iter().filter(|ceiling| ceiling.is_bandwidth == is_bandwidth);
        rates.map(|ceiling| ceiling.per_second).fold(0.0_f64, f64::max)
    };
    let (bandwidth, highest) = (most(true), most(false));
    for ceiling in ceilings {
        let rate = ceiling.per_second;
        let (scale, prefix) = scale(rate);
        let unit = if ceiling.is_bandwidth { "B/s" } else { "op/s" };
        let text = format!("{} {} {prefix}{unit}", ceiling.name, digits(rate / scale));
        if ceiling.is_bandwidth {
            let from = x.from().max(y.from() / rate);
            let to = if highest > 0.0 { (highest / rate).min(x.to()) } else { x.to() };
            let (x1, y1, x2, y2) = (x.at(from), y.at(from * rate), x.at(to), y.at(to * rate));
            writeln!(
                out,
                "<line class=\"roof\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
            )?;
            let spot = labels.along((x1, y1), (x2, y2), &text);
            let angle = (y2 - y1).atan2(x2 - x1).to_degrees();
            writeln!(
                out,
                "<text class=\"halo\" transform=\"translate({:.1} {:.1}) rotate({angle:.1})\">{}</text>",
                spot.0,
                spot.1,
                Escaped(&text)
            )?;
        } else {
            let from = if bandwidth > 0.0 { (rate / bandwidth).max(x.from()) } else { x.from() };
            let (x1, at) = (x.at(from), y.at(rate));
            writeln!(
                out,
                "<line class=\"roof\" x1=\"{x1:.1}\" y1=\"{at:.1}\" x2=\"{RIGHT}\" y2=\"{at:.1}\"/>"
            )?;
            let end = labels.over_line(at, x1, RIGHT, &text);
            let above = at - 5.0;
            writeln!(
                out,
                "<text class=\"halo\" x=\"{end:.1}\" y=\"{above:.1}\" text-anchor=\"end\">{}</text>",
                Escaped(&text)
            )?;
        }
    }
    Ok(())
}

fn draw(out: &mut dyn Write, point: &Point) -> io::Result<()> {
    let hollow = if point.is_off_scale { " hollow" } else { "" };
    writeln!(
        out,
        "<circle class=\"{}{hollow}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{RADIUS}\"><title>{}</title></circle>",
        point.kind.class(),
        point.x,
        point.y,
        Escaped(&point.reported)
    )
}

fn label(out: &mut dyn Write, point: &Point, labels: &mut Labels) -> io::Result<()> {
    // If no position is free, only the point's tooltip has its name.
    let Some(spot) = labels.near(point.x, point.y, RADIUS, &point.name) else { return Ok(()) };
    if let Some((x, y)) = spot.leader {
        writeln!(
            out,
            "<line class=\"leader\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{y:.1}\"/>",
            point.x, point.y
        )?;
    }
    writeln!(
        out,
        "<text class=\"halo\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        spot.x,
        spot.y,
        Escaped(&point.name)
    )
}

/// Writes the legend of the colours, and a note on launches that are not in the plot.
fn legend(out: &mut dyn Write, points: &[Point], left_out: &[String]) -> io::Result<()> {
    let mut at = LEFT;
    let line = HEIGHT - 48.0;
    for kind in points::Kind::ALL {
        if points.iter().any(|point| point.kind == kind) {
            writeln!(
                out,
                "<circle class=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{RADIUS}\"/>",
                kind.class(),
                at + 5.0,
                line - 4.0
            )?;
            writeln!(out, "<text x=\"{:.1}\" y=\"{line}\">{}</text>", at + 16.0, kind.meaning())?;
            at += 16.0 + labels::width_of(kind.meaning()) + 24.0;
        }
    }
    let mut notes = Vec::new();
    if points.iter().any(|point| point.is_off_scale) {
        notes.push(
            "hollow: on the left edge, launches without arithmetic, placed by their share of DRAM bandwidth; on the \
             right edge, launches without DRAM traffic"
                .to_owned(),
        );
    }
    if !left_out.is_empty() {
        notes.push(format!("not drawn, because rates are unknown: {}", left_out.join(", ")));
    }
    for (note, below) in notes.iter().zip([18.0, 36.0]) {
        writeln!(out, "<text class=\"quiet\" x=\"{LEFT}\" y=\"{}\">{}</text>", line + below, Escaped(note))?;
    }
    Ok(())
}
