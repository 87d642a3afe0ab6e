//! The text of an overlay: the measured figures in `machine`'s format, each with its source and its formula.

use crate::chip::PART;
use crate::{Device, Figure, OmittedFigure};
use std::fmt::Write;

/// Returns the overlay of a GPU. `arch` is the architecture whose tables apply to the GPU. `part` is the id
/// of the known part with the GPU's name, or `None` for an unknown GPU. `date` has the form `2026-11-21`.
pub(crate) fn text(
    device: &Device,
    (arch, part): (u16, Option<&str>),
    date: &str,
    figures: &[Figure],
    left_out: &[OmittedFigure],
) -> String {
    let (id, sm) = (device.id(), device.sm);
    let mut text = String::new();
    let mut line =
        |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("writing to a string cannot fail");
    line(format_args!("# Measured by `warplens calibrate` on {}, sm_{sm}, on {date}.", device.name));
    line(format_args!(
        "# The programs are in server/lab/programs, in sm_{sm} and launch; formulas are over the cycles that they measure."
    ));
    let own = part.unwrap_or(&id);
    if part.is_none() && figures.iter().any(|figure| figure.place.starts_with(PART)) {
        let name: String =
            device.name.chars().filter(|&c| matches!(c, ' '..='~') && !"\"\\".contains(c)).collect();
        line(format_args!("\n[parts.{own}]\nname = \"{name}\"\nsm = {arch}"));
    }
    let mut table = if part.is_none() { format!("parts.{own}") } else { String::new() };
    let placed = |figure: &Figure| {
        let place = match figure.place.strip_prefix(PART) {
            Some(place) => format!("parts.{own}{place}"),
            None => format!("sm_{sm}.{}", figure.place),
        };
        place
            .rsplit_once('.')
            .map(|(section, name)| (section.to_owned(), name.to_owned()))
            .unwrap_or_default()
    };
    let mut rows: Vec<_> = figures.iter().map(|figure| (placed(figure), figure)).collect();
    // Each table is written once. Its own figures precede those of its subtables.
    rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    for ((section, name), figure) in rows {
        if table != section {
            line(format_args!("\n[{section}]"));
            section.clone_into(&mut table);
        }
        let source = format!("measured:{id}:{date}:{}", figure.by);
        // Figures of the pipeline and of parts are plain numbers. All other figures are times.
        let is_number = section.contains(".pipeline") || section.starts_with("parts.");
        let key = if is_number { "value" } else { "cycles" };
        line(format_args!("# {}", figure.formula));
        line(format_args!("{name} = {{ {key} = {}, source = \"{source}\" }}", figure.value));
    }
    if !left_out.is_empty() {
        line(format_args!("\n# Left out:"));
    }
    for left in left_out {
        line(format_args!("# {}: {}", left.place, left.why));
    }
    text
}
