//! One-line summary of a source change's effect on the compiled code.

use super::compare::{KernelFigures, figures_of};
use super::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::engine::names;
use crate::kernels::launch::uncounted;
use crate::kernels::places::printed;
use crate::kernels::predict::effort::full;
use std::fmt::Write;

/// Relative difference below which cycle counts are considered equal, given the precision of the simulation.
const NEGLIGIBLE: f64 = 0.005; // limit: half a percent is less than the model's error

/// Returns the summary: `12 % fewer cycles on h100-sxm, 40 -> 32 registers`. Covers the kernel with the
/// largest change in cycles among the kernels whose code differs.
pub(crate) fn in_words(before: &CodeView<'_>, after: &CodeView<'_>) -> Cancellable<String> {
    let mut changed: Vec<(String, KernelFigures, KernelFigures)> = Vec::new();
    let mut differs = false;
    for (new, chunk) in after.sass.kernels() {
        let name = names::kernel_name(chunk);
        let Some(old) = earlier(before, name) else { continue };
        if instructions(before, old) == instructions(after, new) {
            continue;
        }
        differs = true;
        if let (Some(old), Some(new)) = (figures_of(before, old, full)?, figures_of(after, new, full)?) {
            changed.push((name.to_owned(), old, new));
        }
    }
    let count = changed.len();
    let most = changed.into_iter().max_by(|(_, old, new), (_, other_old, other_new)| {
        growth(old, new).abs().total_cmp(&growth(other_old, other_new).abs())
    });
    let Some((symbol, old, new)) = most else {
        let is_same = "the compiled code is the same";
        return Ok(
            if differs { "the compiled code differs, its figures are unknown" } else { is_same }.to_owned()
        );
    };
    let on = basis(after, &symbol);
    let mut words = match (old.cycles.zip(new.cycles), growth(&old, &new)) {
        (None, _) => format!("{} -> {} instructions, cycles unknown", old.instructions, new.instructions),
        (Some(_), growth) if growth.abs() < NEGLIGIBLE => format!("about the same number of cycles {on}"),
        (Some(_), growth) if growth < 0.0 => format!("{} fewer cycles {on}", percent(-growth)),
        (Some(_), growth) => format!("{} more cycles {on}", percent(growth)),
    };
    if old.registers != new.registers {
        let _ = write!(words, ", {} -> {} registers", old.registers, new.registers);
    }
    if count > 1 {
        let name = names::demangle(&symbol).unwrap_or(symbol);
        let _ = write!(words, " in `{name}`");
    }
    Ok(words)
}

/// Returns the chunk of the kernel with this name in the earlier code. If there is no such kernel, returns the only
/// kernel whose name differs from this name only in parameter types; `None` if there is not exactly one.
fn earlier(before: &CodeView<'_>, name: &str) -> Option<usize> {
    let all = || before.sass.kernels().map(|(index, chunk)| (index, names::kernel_name(chunk)));
    let plain =
        |name: &str| names::demangle(name).map(|name| name.split('(').next().unwrap_or_default().to_owned());
    let is_similar = |other: &str| plain(name).is_some_and(|name| plain(other) == Some(name));
    let same = all().find(|(_, other)| *other == name);
    let mut similar = all().filter(|(_, other)| is_similar(other));
    let found = same.or_else(|| similar.next().filter(|_| similar.next().is_none()));
    found.map(|(index, _)| index)
}

/// Returns the GPU of the predicted cycles, and whether the launch is assumed: `on h100-sxm, for an assumed
/// launch`.
fn basis(view: &CodeView<'_>, symbol: &str) -> String {
    let mut kernels = view.sass.kernels();
    let Some((index, _)) = kernels.find(|(_, chunk)| names::kernel_name(chunk) == symbol) else {
        return String::new();
    };
    let kernel = view.sass.kernel(index);
    let is_assumed = uncounted(&kernel).first().is_some_and(|(launch, _)| launch.assumed);
    let launch = if is_assumed { ", for an assumed launch" } else { "" };
    format!("on {}{launch}", kernel.target.gpu.part.id)
}

/// Returns the relative growth of the cycles. 0 if unknown.
fn growth(old: &KernelFigures, new: &KernelFigures) -> f64 {
    old.cycles.zip(new.cycles).map_or(0.0, |(old, new)| new / old - 1.0)
}

fn percent(share: f64) -> String {
    if share < 0.1 { format!("{:.1} %", 100.0 * share) } else { format!("{:.0} %", 100.0 * share) }
}

/// Returns the printed instructions without label names, because labels are numbered across the whole file.
fn instructions(view: &CodeView<'_>, index: usize) -> Vec<String> {
    let chunk = &view.sass.listing().chunks()[index];
    let without_labels = |text: String| match text.split_once("`(.L_") {
        Some((before, after)) => before.to_owned() + after.split_once(')').map_or("", |(_, rest)| rest),
        None => text,
    };
    (0..chunk.instructions().len()).map(|inst| without_labels(printed(chunk, inst))).collect()
}
