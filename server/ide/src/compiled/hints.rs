//! Hints at the ends of a source's lines: the instructions that each became, and their share of the time.

use super::view::CodeView;
use crate::engine::cancel::Answer;
use crate::engine::names;
use crate::sass::hints::Asked;
use crate::sass::launch::launches;
use crate::sass::places::printed;
use crate::sass::report::line_cost::{InstructionCost, of_instructions};
use crate::words::numbers::counted;
use crate::{Hint, HintKind};
use std::collections::BTreeMap;
use std::fmt::Write;
use syntax::sass::{Chunk, Instruction};

/// Instructions that a tooltip lists.
const MOST_LISTED: usize = 12;

/// The least share of the time that is shown.
const LEAST_SHARE: f64 = 0.01;

/// One line's code in one kernel.
struct LineCode<'a> {
    kernel: &'a str,
    /// Indices of its instructions, in the order of the code.
    instructions: Vec<usize>,
    /// The opcode with its modifiers, where there is one instruction alone.
    only: Option<String>,
    listed: Vec<String>,
    cost: InstructionCost,
    share: Option<Share>,
}

/// A line's share of the time of a warp alone.
#[derive(Clone, Copy)]
struct Share {
    /// 0 to 1.
    of: f64,
    /// Of its loop; else of the kernel.
    in_loop: bool,
}

impl LineCode<'_> {
    /// False for one instruction that takes no time worth a figure, such as the `EXIT` at the brace that ends a kernel.
    fn is_telling(&self) -> bool {
        self.instructions.len() > 1 || self.share.is_none_or(|share| share.of >= LEAST_SHARE)
    }
}

/// The hints whose place is in the range that is asked for, in text order.
pub(crate) fn hints(view: &CodeView<'_>, asked: &Asked) -> Answer<Vec<Hint>> {
    let mut lines: BTreeMap<u32, Vec<LineCode<'_>>> = BTreeMap::new();
    if !view.sass.context.config.hints.line_cost {
        return Ok(Vec::new());
    }
    for (index, chunk) in view.sass.kernels() {
        view.sass.cancel.check()?;
        of_kernel(view, index, names::kernel_name(chunk), asked, &mut lines);
    }
    let mut hints = Vec::new();
    for (line, own) in lines {
        let Some((moved, range)) = view.place(line) else { continue };
        if !(asked.range.contains(&range.end) || range.end == asked.range.end) || range.is_empty() {
            continue;
        }
        let tooltip = if asked.tooltips { tooltip(view, line, &own) } else { String::new() };
        // Instances of a template share a line: the longest stands for them.
        let Some(most) = own.iter().max_by_key(|code| code.instructions.len()) else { continue };
        if !most.is_telling() {
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

/// `12 instr, 31 % of the loop`; `BAR.SYNC, 8 %` for a line of one instruction.
fn label(code: &LineCode<'_>) -> String {
    let mut label = match &code.only {
        Some(opcode) => opcode.clone(),
        None => format!("{} instr", code.instructions.len()),
    };
    // Of what takes no time worth a figure, the instructions are enough.
    let share = code.share.filter(|share| share.of >= LEAST_SHARE);
    if let Some(Share { of, in_loop }) = share {
        let _ = write!(label, ", {:.0} %{}", 100.0 * of, if in_loop { " of the loop" } else { "" });
    }
    label
}

/// Adds what one kernel's code says of the lines.
fn of_kernel<'a>(
    view: &'a CodeView<'_>,
    index: usize,
    name: &'a str,
    asked: &Asked,
    lines: &mut BTreeMap<u32, Vec<LineCode<'a>>>,
) {
    let kernel = view.sass.kernel(index);
    let mut own: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for inst in 0..kernel.chunk.instructions().len() {
        if let Some(line) = view.line_of(index, inst) {
            own.entry(line).or_default().push(inst);
        }
    }
    if own.is_empty() {
        return;
    }
    let all = launches(&kernel);
    let Some((launch, _)) = all.first() else { return };
    let costs = of_instructions(&kernel, launch);
    let loops: Vec<(usize, usize)> =
        kernel.loops().iter().map(|time| (time.start as usize, time.branch as usize)).collect();
    let time = |inst: usize| costs[inst].cycles();
    let total = (0..costs.len()).map(time).sum::<Option<f64>>();
    for (line, instructions) in own {
        let in_loop = loops.iter().copied().find(|(start, end)| {
            let within = instructions.iter().filter(|inst| (start..=end).contains(inst)).count();
            2 * within > instructions.len()
        });
        let share = match in_loop {
            Some((start, end)) => {
                let of_line =
                    instructions.iter().filter(|inst| (start..=end).contains(*inst)).map(|inst| time(*inst));
                share(of_line.sum(), (start..=end).map(time).sum(), true)
            }
            None => share(instructions.iter().map(|inst| time(*inst)).sum(), total, false),
        };
        let cost = InstructionCost {
            issues: instructions.iter().map(|inst| costs[*inst].issues).sum(),
            stall: instructions.iter().map(|inst| Some(costs[*inst].issues? * costs[*inst].stall?)).sum(),
        };
        let listed = if asked.tooltips {
            instructions.iter().take(MOST_LISTED).map(|inst| printed(kernel.chunk, *inst)).collect()
        } else {
            Vec::new()
        };
        let only = match &instructions[..] {
            [one] => Some(opcode(kernel.chunk, kernel.text(*one))),
            _ => None,
        };
        lines.entry(line).or_default().push(LineCode {
            kernel: name,
            instructions,
            only,
            listed,
            cost,
            share,
        });
    }
}

fn opcode(chunk: &Chunk, inst: &Instruction) -> String {
    std::iter::once(chunk.mnemonic(inst)).chain(chunk.modifiers(inst)).collect::<Vec<_>>().join(".")
}

fn share(part: Option<f64>, whole: Option<f64>, in_loop: bool) -> Option<Share> {
    let (part, whole) = (part?, whole.filter(|whole| *whole > 0.0)?);
    Some(Share { of: part / whole, in_loop })
}

fn tooltip(view: &CodeView<'_>, line: u32, own: &[LineCode<'_>]) -> String {
    let mut text = String::new();
    for code in own {
        let name = names::demangle(code.kernel);
        let _ = write!(
            text,
            "{}: {} from this line",
            name.as_deref().unwrap_or(code.kernel),
            counted(code.instructions.len(), "instruction")
        );
        if let (Some(issues), Some(stalls)) = (code.cost.issues, code.cost.stall) {
            let _ = write!(
                text,
                ": {issues:.0} issued per warp, with {stalls:.0} stall cycles (estimated for a single warp)"
            );
        }
        let _ = writeln!(text, ".\n\n```nvsass\n{}\n```", code.listed.join("\n"));
        let more = code.instructions.len().saturating_sub(MOST_LISTED);
        if more > 0 {
            let _ = writeln!(text, "and {more} more.\n");
        }
    }
    let from = &view.code.from;
    if let Some(age) = own.iter().find_map(|code| view.age(code.kernel)) {
        let _ = writeln!(text, "{age} It was line {line} then.\n");
    }
    let gpu = view.sass.kernels().next().map(|(_, chunk)| view.sass.target(chunk).describe());
    let _ = write!(text, "Code: {}. GPU: {}.", from.by, gpu.unwrap_or_default());
    text
}
