//! The best kernel as PTX, with a comment that explains how to launch it.

use super::super::printed_family::PrintedFamily;
use lab::tune::{Gpu, Launch, Target};
use std::fmt::Write;

/// Dynamic shared memory, in bytes, that a launch can use without a function attribute. Source: CUDA C++
/// programming guide, shared memory.
const USUAL_SHARED_BYTES: u32 = 48 << 10;
/// The line of a module after which the comment is inserted: readers of PTX expect `.version` first.
const BEFORE: &str = ".address_size 64\n";

pub(super) fn ptx<P: PrintedFamily>(problem: &P, gpu: &Gpu, tiling: &P::Tiling) -> String {
    let entry = P::KIND.name();
    let text = problem.kernel(tiling, Target { sm: gpu.part.sm }, entry);
    let place = text.find(BEFORE).map_or(0, |at| at + BEFORE.len());
    let (head, body) = text.split_at(place);
    format!("{head}{}{body}", comment(problem, tiling, entry))
}

fn comment<P: PrintedFamily>(problem: &P, tiling: &P::Tiling, entry: &str) -> String {
    let Launch { grid, threads, shared_bytes, adds } = problem.launch(tiling);
    let grid = grid.map(|blocks| blocks.to_string()).join(", ");
    let mut text = format!(
        "\n// {}\n// {tiling}\n\
         // Launch `{entry}` with a grid of ({grid}), {threads} threads and {shared_bytes} bytes of dynamic shared memory.\n",
        problem.formula(),
    );
    // Writing to a string does not fail.
    for line in PrintedFamily::parameters(problem, tiling) {
        let _ = writeln!(text, "// {line}");
    }
    if adds {
        let _ = writeln!(
            text,
            "// {} must be zero before the launch, because blocks add to it.",
            capitalised(P::OUTPUT)
        );
    }
    if shared_bytes > USUAL_SHARED_BYTES {
        let _ = writeln!(
            text,
            "// Before the launch, set CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = \
                            {shared_bytes}."
        );
    }
    text
}

/// The words with the first letter capitalised.
fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
