//! The tree of each launch in lines, for people.

use super::analysed_launch::AnalysedLaunch;
use crate::cli::output::printable;
use crate::cli::palette::Palette;
use crate::tree::words::{self, percent};
use ide::profiles::{Advice, Fact, Node, Tree};
use std::io::{self, Write};

/// Smallest share of all stalls at which a node is printed. A line reports the number of omitted nodes.
const MIN: f64 = 0.01; // limit: a smaller share says nothing
/// Maximum number of instructions shown per stall reason.
const PLACES: usize = 3; // limit: room for a short report

pub(super) fn write(out: &mut dyn Write, palette: &Palette, all: &[AnalysedLaunch]) -> io::Result<()> {
    for (number, own) in all.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        launch(out, palette, own)?;
    }
    Ok(())
}

fn launch(out: &mut dyn Write, palette: &Palette, own: &AnalysedLaunch) -> io::Result<()> {
    let Palette { strong, dim, .. } = *palette;
    let device = match (&own.launch.device_name, own.launch.capability) {
        (Some(name), _) => name.clone(),
        (None, Some((major, minor))) => format!("a GPU of compute capability {major}.{minor}"),
        (None, None) => "an unnamed GPU".to_owned(),
    };
    writeln!(
        out,
        "{strong}{}{strong:#}  {dim}measured on {}{dim:#}",
        printable(&words::launch(&own.launch)),
        printable(&device)
    )?;
    let Some(tree) = &own.tree else {
        return writeln!(
            out,
            "  no stall reasons in the profile; expected the sections WarpStateStats or SourceCounters"
        );
    };
    writeln!(out, "  {}  {dim}DrGPU, Equation 1{dim:#}", words::root(tree))?;
    if let Some(count) = tree.measured_reasons {
        writeln!(
            out,
            "  {dim}shares are relative to the {count} stall reasons that were measured, not to all stall reasons{dim:#}"
        )?;
    }
    facts(out, palette, 2, &tree.root.facts)?;
    facts(out, palette, 2, &tree.figures)?;
    advice(out, palette, 2, &tree.root.advice)?;
    gains(out, palette, tree)?;
    writeln!(out, "  {dim}from {}; latencies of {}{dim:#}", tree.basis.title(), tree.gpu)?;
    children(out, palette, 1, &tree.root)
}

/// Writes the busiest unit and each piece of advice once, the largest gain first.
fn gains(out: &mut dyn Write, palette: &Palette, tree: &Tree) -> io::Result<()> {
    let Palette { strong, dim, .. } = *palette;
    if let Some(busiest) = &tree.busiest {
        writeln!(out, "  {dim}busiest unit: {busiest}{dim:#}")?;
    }
    let ranked = tree.ranked();
    if !ranked.is_empty() {
        writeln!(out, "  {dim}advice, largest gain first; general advice after it:{dim:#}")?;
    }
    for own in ranked {
        writeln!(out, "    {strong}{}{strong:#}: {}", own.advice.code, own.advice.sentence)?;
    }
    Ok(())
}

fn children(out: &mut dyn Write, palette: &Palette, depth: usize, node: &Node) -> io::Result<()> {
    for child in node.children.iter().filter(|child| child.of_stalls >= MIN) {
        line(out, palette, depth, child)?;
        children(out, palette, depth + 1, child)?;
    }
    match node.children.iter().filter(|child| child.of_stalls < MIN).count() {
        0 => Ok(()),
        less => {
            let Palette { dim, .. } = *palette;
            writeln!(out, "{:indent$}{dim}and {less} below 1 % of the stalls{dim:#}", "", indent = depth * 2)
        }
    }
}

fn line(out: &mut dyn Write, palette: &Palette, depth: usize, node: &Node) -> io::Result<()> {
    let Palette { dim, .. } = *palette;
    let style = palette.bottleneck(node.of_stalls);
    let indent = depth * 2;
    let title = if depth == 2 { format!("  {dim}{}{dim:#}", node.title) } else { String::new() };
    let name = if depth == 2 { &node.name } else { &node.title };
    writeln!(out, "{:indent$}{style}{:>7}{style:#} {name}{title}", "", percent(node.of_stalls))?;
    let below = indent + 10;
    facts(out, palette, below, &node.facts)?;
    for place in node.places.iter().take(PLACES).filter(|place| place.share >= MIN) {
        writeln!(out, "{:below$}{:>7} {}", "", percent(place.share), printable(&words::place(place)))?;
    }
    advice(out, palette, below, &node.advice)
}

fn facts(out: &mut dyn Write, palette: &Palette, indent: usize, facts: &[Fact]) -> io::Result<()> {
    let Palette { dim, .. } = *palette;
    // A few per line, for readability.
    for some in facts.chunks(3) {
        let words: Vec<String> = some.iter().map(words::fact).collect();
        writeln!(out, "{:indent$}{dim}{}{dim:#}", "", words.join(" · "))?;
    }
    Ok(())
}

fn advice(out: &mut dyn Write, palette: &Palette, indent: usize, all: &[Advice]) -> io::Result<()> {
    let Palette { dim, strong, .. } = *palette;
    for advice in all {
        writeln!(out, "{:indent$}{strong}{}{strong:#}: {}", "", advice.code, advice.text)?;
        writeln!(out, "{:indent$}{dim}{}{dim:#}", "", advice.sentence, indent = indent + 2)?;
    }
    Ok(())
}
