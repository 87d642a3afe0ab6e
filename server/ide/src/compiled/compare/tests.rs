//! Comparisons of listings that differ in a single respect.

use super::{Change, Comparison, InstructionChange};
use crate::{Cancel, CompiledFrom, Host, Language};
use machine::Machine;
use std::fmt::Write;
use std::sync::Arc;

const PATH: &str = "/p/k.cu";

const SOURCE: &str = "__global__ void k(float *x) {\n  int i = threadIdx.x;\n  x[i] = x[i] + 1;\n}\n";

const CODE: [(u32, &str); 7] = [
    (2, "S2R R0, SR_TID.X"),
    (1, "LDC.64 R2, c[0x0][0x210]"),
    (3, "IMAD.WIDE R2, R0, 0x4, R2"),
    (3, "LDG.E R5, desc[UR4][R2.64]"),
    (3, "FADD R5, R5, 1"),
    (3, "STG.E desc[UR4][R2.64], R5"),
    (4, "EXIT"),
];

/// A listing as nvdisasm prints it.
fn listing(code: &[(u32, &str)]) -> String {
    let mut text =
        "\t.target\tsm_90\n//--------------------- .text._Z1kPf --------------------------\n.text._Z1kPf:\n"
            .to_owned();
    for (at, (line, instruction)) in code.iter().enumerate() {
        let _ = writeln!(text, "\t//## File \"{PATH}\", line {line}");
        let _ = writeln!(text, "        /*{:04x}*/                   {instruction} ;", 16 * at);
    }
    text
}

/// A source with the code of its kernel.
type Version<'a> = (&'a str, &'a [(u32, &'a str)]);

fn compared(before: Version<'_>, after: Version<'_>) -> Comparison {
    compared_listings((before.0, &listing(before.1)), (after.0, &listing(after.1)))
}

fn compared_listings(before: (&str, &str), after: (&str, &str)) -> Comparison {
    let machine = Machine::builtin();
    let analysis = |(source, listing): (&str, &str)| {
        let mut host = Host::new(Arc::clone(&machine));
        host.open_as(PATH, 1, Language::Cuda, source);
        let from = CompiledFrom { path: PATH.to_owned(), ..CompiledFrom::default() };
        let analysis = host.snapshot(PATH, Cancel::default()).expect("it is open");
        host.attach(PATH, Some(analysis.read_code(listing, &[], from)));
        host.snapshot(PATH, Cancel::default()).expect("it is open")
    };
    let comparison = analysis(after).compare(&analysis(before));
    comparison.expect("nothing cancels it").expect("both have code")
}

/// The code with one instruction replaced by others.
fn with(at: usize, others: &[(u32, &'static str)]) -> Vec<(u32, &'static str)> {
    let mut code = CODE.to_vec();
    code.splice(at..=at, others.iter().copied());
    code
}

fn changes(comparison: &Comparison) -> Vec<(Change, Option<&str>, Option<&str>)> {
    fn change(one: &InstructionChange) -> (Change, Option<&str>, Option<&str>) {
        (one.change, one.before.as_deref(), one.after.as_deref())
    }
    comparison.instructions.iter().map(change).collect()
}

#[test]
fn a_line_that_moved_is_the_same_line() {
    let moved: Vec<(u32, &str)> = CODE.iter().map(|(line, text)| (line + 1, *text)).collect();
    let found = compared((SOURCE, &CODE), (&format!("// more\n{SOURCE}"), &moved));
    assert_eq!(changes(&found), []);
    assert_eq!(found.before, found.after);
    let lines: Vec<_> = found.lines.iter().map(|line| (line.line_before, line.line_after)).collect();
    assert_eq!(lines, [(Some(1), Some(2)), (Some(2), Some(3)), (Some(3), Some(4)), (Some(4), Some(5))]);
}

#[test]
fn of_an_edited_line_what_changed_is_marked_alone() {
    let source = SOURCE.replace("+ 1", "* 2");
    let code = with(4, &[(3, "FMUL R5, R5, 2")]);
    let found = compared((SOURCE, &CODE), (&source, &code));
    let expected =
        [(Change::Removed, Some("FADD R5, R5, 1"), None), (Change::Added, None, Some("FMUL R5, R5, 2"))];
    assert_eq!(changes(&found), expected);
    let line = &found.lines[2];
    assert_eq!((line.instructions_before, line.instructions_after), (4, 4));
    assert_eq!((line.removed, line.added, line.changed), (1, 1, 0));
    assert!(found.after.starts_with("// line 3: 4 -> 4 instructions, 1 new, 1 gone // x[i] = x[i] * 2;\n"));
    // Each text has exactly one line that the other lacks.
    let other = |one: &str, other: &str| {
        one.lines().filter(|line| !other.lines().any(|known| known == *line)).count()
    };
    assert_eq!((other(&found.before, &found.after), other(&found.after, &found.before)), (1, 1));
}

#[test]
fn an_operand_that_is_another_one_is_no_new_instruction() {
    let found =
        compared((SOURCE, &CODE), (&SOURCE.replace("+ 1", "+ 2"), &with(4, &[(3, "FADD R5, R5, 2")])));
    assert_eq!(changes(&found), [(Change::Changed, Some("FADD R5, R5, 1"), Some("FADD R5, R5, 2"))]);
}

#[test]
fn changed_registers_and_changed_order_are_distinguished() {
    let mut code = with(3, &[(3, "LDG.E R7.reuse, desc[UR4][R2.64]")]);
    code[4].1 = "FADD R5, R7, 1";
    code.swap(0, 1);
    let found = compared((SOURCE, &CODE), (SOURCE, &code));
    let kinds: Vec<Change> = found.instructions.iter().map(|one| one.change).collect();
    assert_eq!(kinds, [Change::Moved, Change::Registers, Change::Registers]);
    let counts = found.kernels.first().map(|kernel| kernel.changes);
    assert_eq!(counts.map(|of| (of.same, of.registers, of.moved, of.added)), Some((4, 2, 1, 0)));
    let row = "FADD R5, R7, 1                                   // R5 -> R7 // x[i] = x[i] + 1;\n";
    assert!(found.before.contains(row) && found.after.contains(row), "{}", found.before);
    assert!(found.after.contains("// 1 moved, 2 with renamed registers\n"), "{}", found.after);
}

#[test]
fn a_kernel_with_other_parameters_is_the_same_kernel() {
    let listing = listing(&CODE);
    let found = compared_listings((SOURCE, &listing), (SOURCE, &listing.replace("_Z1kPf", "_Z1kPfi")));
    assert_eq!(changes(&found), []);
    let kernel = &found.kernels[0];
    assert!(kernel.before.is_some() && kernel.after.is_some());
    assert_eq!(kernel.name, "_Z1kPfi");
}
