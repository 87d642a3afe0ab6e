//! The overlay's text: the measured figures as `machine` reads them, each with its source and its formula.

use crate::{Device, Figure, LeftOut};
use std::fmt::Write;

/// The overlay of a GPU. `date` is `2026-11-21`.
pub(crate) fn text(device: &Device, date: &str, figures: &[Figure], left_out: &[LeftOut]) -> String {
    let (id, sm) = (device.id(), device.sm);
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("a string takes all");
    line(format_args!("# What `warplens calibrate` measured on {}, sm_{sm}, on {date}.", device.name));
    line(format_args!(
        "# The programs stand in server/lab/programs/sm_{sm}; a formula is over their cycles."
    ));
    let mut table = String::new();
    for figure in figures {
        let (section, name) = figure.place.rsplit_once('.').unwrap_or(("", &figure.place));
        if table != section {
            line(format_args!("\n[sm_{sm}.{section}]"));
            section.clone_into(&mut table);
        }
        let source = format!("measured:{id}:{date}:{}", figure.by);
        // A figure of the simulation is a number; any other is a time.
        let key = if section.starts_with("pipeline.") { "value" } else { "cycles" };
        line(format_args!("# {}", figure.formula));
        line(format_args!("{name} = {{ {key} = {}, source = \"{source}\" }}", figure.cycles));
    }
    if !left_out.is_empty() {
        line(format_args!("\n# Left out:"));
    }
    for left in left_out {
        line(format_args!("# {}: {}", left.place, left.why));
    }
    text
}
