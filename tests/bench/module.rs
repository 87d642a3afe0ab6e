//! Long PTX modules whose functions all differ, generated from kernels of this project, and edits in the
//! middle of the modules.

use crate::listing::{Edit, Listing};
use std::fmt::Write;

/// PTX that nvcc compiles for `sm_90a` from this project's feature samples.
const SAMPLE: &str = include_str!("../corpus/ptx/features.sm_90a.ptx");
/// Start of each kernel.
const ENTRY: &str = ".visible .entry ";
/// Start of an integer addition by nvcc.
const ADDITION: &str = "\tadd.s32 \t";

/// A module of this number of lines, made of the sample's kernels in turn, each with different names.
pub(crate) fn of_lines(lines: usize) -> Listing {
    let (head, kernels) = parts();
    let mut text = String::from(head);
    let mut count = head.lines().count();
    for (number, kernel) in kernels.iter().cycle().enumerate() {
        if count >= lines {
            break;
        }
        // One immediate is different in each kernel, so no two kernels have the same text.
        let (name, rest) = kernel[ENTRY.len()..].split_once('(').expect("a kernel has parameters");
        let body = rest.replace(name, &format!("{name}_{number}"));
        let own = format!("{ADDITION}%r1, %r1, {number};\n");
        let first = body.find(ADDITION).expect("the kernels add integers");
        let _ = write!(text, "{ENTRY}{name}_{number}({}{own}{}", &body[..first], &body[first..]);
        count += kernel.lines().count() + 1;
    }
    Listing::new("ptx", text)
}

/// A module of this number of lines, nearly all in one function. The function repeats the straight-line
/// instructions of the sample's first kernel. It stores their results, so none of them is dead code.
pub(crate) fn of_one_function(lines: usize) -> Listing {
    let (head, kernels) = parts();
    let (before, after) = kernels[0].rsplit_once("\tret;").expect("a kernel returns");
    let mut additions: Vec<&str> = before.lines().filter(|line| is_straight(line)).collect();
    additions.extend(["\tst.global.f32 \t[%rd2], %f7;", "\tst.global.u32 \t[%rd23], %r22;"]);
    let mut text = format!("{head}{before}");
    for line in additions.iter().cycle().take(lines.saturating_sub(text.lines().count())) {
        text.push_str(line);
        text.push('\n');
    }
    let _ = write!(text, "\tret;{after}");
    Listing::new("ptx", text)
}

/// Returns the text before the kernels, and each kernel.
fn parts() -> (&'static str, Vec<&'static str>) {
    let starts: Vec<usize> = SAMPLE.match_indices(ENTRY).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([SAMPLE.len()]);
    (&SAMPLE[..starts[0]], starts.iter().zip(ends).map(|(&start, end)| &SAMPLE[start..end]).collect())
}

/// True for an instruction that may be repeated anywhere.
fn is_straight(line: &str) -> bool {
    ["\tadd", "\tmul", "\tmad", "\tfma", "\tshl", "\tand", "\tld.global", "\tst.global"]
        .iter()
        .any(|opcode| line.starts_with(opcode))
}

/// Replaces the last operand of an addition near `line` with a new immediate, also in the text.
pub(crate) fn edit(module: &mut Listing, line: usize, number: usize) -> Edit {
    let line = (line..module.lines()).find(|&line| module.line(line).starts_with(ADDITION));
    let line = line.expect("the module goes on");
    let text = module.line(line);
    let end = text.find(';').expect("an instruction ends");
    let start = text[..end].rfind(' ').expect("operands follow a blank") + 1;
    module.replace(line, start, end, format!("{}", 100_000 + number))
}
