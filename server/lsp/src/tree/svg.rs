//! The tree as a picture, from the root at the left to the advice at the right, for light and dark pages.

use super::boxes::{BoxKind, TreeBox, boxes};
use super::lines::Font;
use crate::printable::Escaped;
use crate::svg::PictureHead;
use ide::profiles::Tree;
use std::fmt::Write as _;

const WIDTH: f64 = 250.0; // limit: layout of the picture, in pixels
const GAP: f64 = 36.0; // limit: layout of the picture, in pixels
const LINE: f64 = 15.0; // limit: layout of the picture, in pixels
const PADDING: f64 = 8.0; // limit: layout of the picture, in pixels
const BETWEEN: f64 = 10.0; // limit: layout of the picture, in pixels
const TOP: f64 = 44.0; // limit: layout of the picture, in pixels

/// The fonts of [`STYLE`].
const TEXT: Font = Font { size: 12.0, is_bold: false };
const NAME: Font = Font { size: 12.0, is_bold: true };
const TITLE: Font = Font { size: 15.0, is_bold: true };

/// CSS rules by class, for [`PictureHead`].
const STYLE: &[(&str, &str)] = &[
    (".name", "font-weight: 600"),
    (".box", "fill: $surface; stroke: $line"),
    (".heat", "fill: $red"),
    (".advice", "fill: $pale-green; stroke: $green"),
    (".edge", "fill: none; stroke: $line"),
];

/// A box with its position.
struct PositionedBox {
    /// Lines of the title, then lines of the detail.
    lines: [Vec<String>; 2],
    top: f64,
    height: f64,
}

/// The picture of a tree.
pub(crate) fn picture(title: &str, tree: &Tree) -> String {
    let all = boxes(tree);
    let mut placed: Vec<PositionedBox> = all
        .iter()
        .map(|own| {
            let within = WIDTH - 2.0 * PADDING;
            let lines = [NAME.wrapped(&own.title, within), TEXT.wrapped(&own.detail, within)];
            let height = 2.0 * PADDING + LINE * lines.iter().map(Vec::len).sum::<usize>() as f64;
            PositionedBox { lines, top: 0.0, height }
        })
        .collect();
    let mut bottom = TOP;
    place(0, &all, &mut placed, &mut bottom);
    let depth = all.iter().map(|own| own.depth).max().unwrap_or_default() + 1;
    let width = (depth as f64 * (WIDTH + GAP) + GAP).max(TITLE.width(title).ceil() + 2.0 * GAP);
    let height = placed.iter().map(|own| own.top + own.height).fold(bottom, f64::max) + BETWEEN;
    let mut out = String::new();
    let _ = write!(out, "{}", PictureHead { width, height, title, left: GAP, style: STYLE });
    for (at, own) in all.iter().enumerate() {
        draw(&mut out, own, &placed[at], own.parent.map(|parent| &placed[parent]));
    }
    out.push_str("</svg>\n");
    out
}

/// Places a box so that it is vertically centred on its children. The children are placed below all boxes placed so
/// far.
fn place(at: usize, all: &[TreeBox], placed: &mut [PositionedBox], bottom: &mut f64) {
    let children: Vec<usize> = (at + 1..all.len()).filter(|own| all[*own].parent == Some(at)).collect();
    let start = *bottom;
    for child in &children {
        place(*child, all, placed, bottom);
    }
    let middle = match (children.first(), children.last()) {
        (Some(first), Some(last)) => {
            f64::midpoint(placed[*first].top, placed[*last].top + placed[*last].height)
                - placed[at].height / 2.0
        }
        _ => start,
    };
    placed[at].top = middle.max(start);
    *bottom = bottom.max(placed[at].top + placed[at].height + BETWEEN);
}

fn draw(out: &mut String, own: &TreeBox, place: &PositionedBox, parent: Option<&PositionedBox>) {
    let left = GAP + own.depth as f64 * (WIDTH + GAP);
    let (top, height) = (place.top, place.height);
    if let Some(parent) = parent {
        let (from, to) = (parent.top + parent.height / 2.0, top + height / 2.0);
        let (start, half) = (left - GAP, left - GAP / 2.0);
        let _ = writeln!(
            out,
            "<path class=\"edge\" d=\"M{start:.1} {from:.1} C{half:.1} {from:.1} {half:.1} {to:.1} {left:.1} {to:.1}\"/>"
        );
    }
    let class = if own.kind == BoxKind::Advice { "advice" } else { "box" };
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{WIDTH}\" height=\"{height:.1}\" rx=\"4\"/>"
    );
    if own.kind == BoxKind::Stalls {
        let long = (WIDTH - 2.0) * own.of_stalls.clamp(0.0, 1.0);
        let foot = top + height - 4.0;
        let _ = writeln!(
            out,
            "<rect class=\"heat\" x=\"{:.1}\" y=\"{foot:.1}\" width=\"{long:.1}\" height=\"3\"/>",
            left + 1.0
        );
    }
    let mut base = top + PADDING + LINE - 4.0;
    let [names, details] = &place.lines;
    let names = names.iter().map(|line| (" class=\"name\"", line));
    for (class, line) in names.chain(details.iter().map(|line| ("", line))) {
        let _ = writeln!(
            out,
            "<text{class} x=\"{:.1}\" y=\"{base:.1}\">{}</text>",
            left + PADDING,
            Escaped(line)
        );
        base += LINE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ide::profiles::{self, Thresholds};

    /// The source page of a memory-bound launch.
    const PAGE: &str = "\"Kernel Name\",\"f(int)\",\n\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\",\"stall_long_sb\",\"stall_wait\"\n\
        \"0x7f00\",\"      LDG.E R4, [R2]\",\"90\",\"64\",\"90\",\"0\"\n\"0x7f10\",\"      EXIT\",\"9\",\"64\",\"0\",\"9\"\n";

    fn drawn(title: &str) -> String {
        let launch = profiles::read(PAGE.as_bytes()).expect("a page").launches.remove(0);
        let tree = profiles::tree(&launch, None, &Thresholds::default()).expect("no GPU is named");
        picture(title, &tree.expect("it has stall reasons"))
    }

    #[test]
    fn every_line_fits_its_box() {
        let svg = drawn("f");
        let lines = svg
            .lines()
            .filter_map(|line| Some((line.starts_with("<text class=\"name\""), line.split_once("y=\"")?.1)));
        let mut count = 0;
        for (is_name, line) in lines.filter(|(_, line)| line.ends_with("</text>") && !line.starts_with("26"))
        {
            let text = line.split_once('>').expect("the end of the tag").1.trim_end_matches("</text>");
            let font = if is_name { NAME } else { TEXT };
            assert!(font.width(text) <= WIDTH - 2.0 * PADDING, "{text}");
            count += 1;
        }
        assert!(count > 8, "{svg}");
    }

    #[test]
    fn a_long_title_widens_the_picture() {
        let width = |svg: &str| -> f64 {
            let rest = svg.split_once(" width=\"").expect("a width").1;
            rest.split('"').next().and_then(|width| width.parse().ok()).expect("a number")
        };
        let title = "gemm<float, 128, 64, 32>".repeat(20);
        assert!(width(&drawn(&title)) > TITLE.width(&title));
        assert!(width(&drawn("f")) < 2000.0);
    }
}
