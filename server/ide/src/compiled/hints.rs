//! Hints at the ends of source lines: the instruction count of a line, and the line's share of the launch's
//! time.

use super::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::engine::names;
use crate::kernels::heat::{Shares, share_in_words};
use crate::kernels::hints::HintRequest;
use crate::kernels::launch::launches;
use crate::kernels::places::printed;
use crate::kernels::report::line_cost::{InstructionCost, of_instructions};
use crate::words::numbers::counted;
use crate::{Hint, HintKind};
use std::collections::BTreeMap;
use std::fmt::Write;
use syntax::sass::{Chunk, Instruction};

/// Largest number of instructions in a tooltip.
const MAX_LISTED: usize = 12; // limit: keeps a tooltip shorter than a screen

/// Smallest share of the time to show.
const MIN_SHARE: f64 = 0.01; // limit: one percent is about the model's error

/// Smallest share of the time to show at the closing brace of a body.
const MIN_AT_END: f64 = 0.05; // limit: a closing brace needs a hint only for a large share

/// Largest distance, in lines, from an opening brace up to the end of its function or loop header.
const MAX_ABOVE: u32 = 3; // limit: longer signatures are rare

/// Code of a source line in a kernel.
struct LineCode<'a> {
    kernel: &'a str,
    /// Indices of the line's instructions, in code order.
    instructions: Vec<usize>,
    /// The opcode with its modifiers, if the line has only a single instruction.
    only: Option<String>,
    listed: Vec<String>,
    /// Cost of the instructions. Empty if no tooltip is requested.
    cost: InstructionCost,
    /// Share of the time of all warps at the kernel's first launch, 0 to 1. `None` if the launch is not
    /// simulated.
    share: Option<f64>,
    /// [`Self::share`] in a sentence that also names the launch.
    share_in_words: String,
}

impl LineCode<'_> {
    /// False for a single instruction with negligible time, such as the `EXIT` at the closing brace of a
    /// kernel.
    fn is_telling(&self) -> bool {
        self.instructions.len() > 1 || self.share.is_some_and(|share| share >= MIN_SHARE)
    }
}

/// Returns the hints with a position in the requested range, in text order.
pub(crate) fn hints(view: &CodeView<'_>, asked: &HintRequest) -> Cancellable<Vec<Hint>> {
    let mut lines: BTreeMap<u32, Vec<LineCode<'_>>> = BTreeMap::new();
    if !view.sass.context.config.hints.line_cost {
        return Ok(Vec::new());
    }
    for (index, chunk) in view.sass.kernels() {
        view.sass.cancel.check()?;
        of_kernel(view, index, names::kernel_name(chunk), asked, &mut lines)?;
    }
    let mut hints = Vec::new();
    for (line, own) in lines {
        let Some((moved, range)) = view.place(line) else { continue };
        if range.is_empty() {
            continue;
        }
        let tooltip = if asked.tooltips { tooltip(view, line, &own) } else { String::new() };
        // Instances of a template share a source line. The longest instance represents them.
        let Some(most) = own.iter().max_by_key(|code| code.instructions.len()) else { continue };
        let is_end = view.text_of(line) == Some("}");
        if !most.is_telling() || is_end && most.share.is_none_or(|share| share < MIN_AT_END) {
            continue;
        }
        let is_older = moved.is_touched || view.age(most.kernel).is_some();
        let mark = if is_older { " ?" } else { "" };
        let label = format!("{}{mark}", label(most));
        hints.push(Hint { offset: range.end, kind: HintKind::LineCost, label, tooltip });
    }
    hints.sort_by_key(|hint| hint.offset);
    Ok(hints)
}

/// Returns the line whose end shows the hint for `line`. For an opening brace on its own line, this is the
/// last line before the brace that has text, such as the kernel's signature.
fn shown_line(view: &CodeView<'_>, line: u32) -> u32 {
    if view.text_of(line) != Some("{") {
        return line;
    }
    let above = (line.saturating_sub(MAX_ABOVE).max(1)..line).rev();
    let heads = above.map(|line| (line, view.text_of(line).unwrap_or_default()));
    let head = heads.into_iter().find(|(_, text)| !text.is_empty());
    head.filter(|(_, text)| !text.ends_with(['{', '}', ';'])).map_or(line, |(line, _)| line)
}

/// Returns the label: `12 instr, 31 %`, or `BAR.SYNC, 8 %` for a line with a single instruction.
fn label(code: &LineCode<'_>) -> String {
    let mut label = match &code.only {
        Some(opcode) => opcode.clone(),
        None => format!("{} instr", code.instructions.len()),
    };
    // A negligible share is not shown.
    if let Some(share) = code.share.filter(|share| *share >= MIN_SHARE) {
        let _ = write!(label, ", {:.0} %", 100.0 * share);
    }
    label
}

/// Appends the code of one kernel to the entries of the requested source lines in `lines`.
fn of_kernel<'a>(
    view: &'a CodeView<'_>,
    index: usize,
    name: &'a str,
    asked: &HintRequest,
    lines: &mut BTreeMap<u32, Vec<LineCode<'a>>>,
) -> Cancellable<()> {
    let kernel = view.sass.kernel(index);
    let mut own: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for inst in 0..kernel.chunk.instructions().len() {
        if let Some(line) = view.line_of(index, inst) {
            own.entry(shown_line(view, line)).or_default().push(inst);
        }
    }
    let is_asked = |line: u32| {
        let end = view.place(line).map(|(_, range)| range.end);
        end.is_some_and(|end| asked.range.contains(&end) || end == asked.range.end)
    };
    own.retain(|line, _| is_asked(*line));
    if own.is_empty() {
        return Ok(());
    }
    let shares = Shares::compute(&kernel)?;
    let source = shares.as_ref().map(|shares| shares.source(&kernel)).unwrap_or_default();
    let costs = match launches(&kernel).first() {
        Some((launch, _)) if asked.tooltips => of_instructions(&kernel, launch),
        _ => Vec::new(),
    };
    for (line, instructions) in own {
        let share = shares.as_ref().map(|shares| instructions.iter().map(|inst| shares.share(*inst)).sum());
        let of = |cost: &dyn Fn(&InstructionCost) -> Option<f64>| -> Option<f64> {
            instructions.iter().map(|inst| cost(costs.get(*inst)?)).sum()
        };
        let cost = InstructionCost {
            issues: of(&|cost| cost.issues),
            stall: of(&|cost| Some(cost.issues? * cost.stall?)),
        };
        let listed = if asked.tooltips {
            instructions.iter().take(MAX_LISTED).map(|inst| printed(kernel.chunk, *inst)).collect()
        } else {
            Vec::new()
        };
        let only = match &instructions[..] {
            [one] => Some(opcode(kernel.chunk, kernel.text(*one))),
            _ => None,
        };
        let words = share.map(|share| format!("{}, {source}.\n\n", share_in_words(&kernel, share)));
        lines.entry(line).or_default().push(LineCode {
            kernel: name,
            instructions,
            only,
            listed,
            cost,
            share,
            share_in_words: words.filter(|_| asked.tooltips).unwrap_or_default(),
        });
    }
    Ok(())
}

fn opcode(chunk: &Chunk, inst: &Instruction) -> String {
    std::iter::once(chunk.mnemonic(inst)).chain(chunk.modifiers(inst)).collect::<Vec<_>>().join(".")
}

fn tooltip(view: &CodeView<'_>, line: u32, own: &[LineCode<'_>]) -> String {
    let mut text = String::new();
    for code in own {
        let name = names::demangle(code.kernel);
        text.push_str(&code.share_in_words);
        let _ = write!(
            text,
            "{}: {} from this line",
            name.as_deref().unwrap_or(code.kernel),
            counted(code.instructions.len(), "instruction")
        );
        if let (Some(issues), Some(stalls)) = (code.cost.issues, code.cost.stall) {
            let _ = write!(
                text,
                ": {issues:.0} issued per warp, with {stalls:.0} stall cycles (estimated for a single warp with warm \
                 caches)"
            );
        }
        let _ = writeln!(text, ".\n\n```nvsass\n{}\n```", code.listed.join("\n"));
        let more = code.instructions.len().saturating_sub(MAX_LISTED);
        if more > 0 {
            let _ = writeln!(text, "and {more} more.\n");
        }
    }
    let from = &view.code.from;
    if let Some(age) = own.iter().find_map(|code| view.age(code.kernel)) {
        let _ = writeln!(text, "{age} At that time, the line number was {line}.\n");
    }
    let gpu = view.sass.kernels().next().map(|(_, chunk)| view.sass.target(chunk).describe());
    let _ = write!(text, "Code: {}. GPU: {}.", from.by, gpu.unwrap_or_default());
    text
}
