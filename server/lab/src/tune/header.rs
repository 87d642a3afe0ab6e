//! The first lines of a data file: the provenance of its samples, and the names of its columns.

use std::fmt::Write;
use tuner::ProblemKind;

/// Columns that every data file has.
pub(crate) const ELEMENT: &str = "element";
pub(crate) const LAYOUT: &str = "layout";
pub(crate) const MICROSECONDS: &str = "microseconds";

/// Integer columns of a data file of matrix multiplications: first the problem, then the tiling.
const GEMM: &[&str] = &[
    "m", "n", "k", "thread_m", "thread_n", "block_m", "block_n", "depth", "thread_k", "block_k", "grid_k",
    "vector_a", "vector_b", "stages",
];

/// Provenance and columns of a data file. A data file is for one GPU and one kind of problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub gpu: String,
    pub problem: ProblemKind,
    /// Version of the driver.
    pub driver: String,
    /// Date on which the file was begun: `2026-11-27`.
    pub date: String,
    /// Name and version of the measuring program.
    pub program: String,
    /// SM clock during the measurement, and whether the clock was locked.
    pub clock: String,
    /// Names of the integer columns, in order.
    pub columns: Vec<String>,
}

/// Integer columns of a data file of convolutions: first the problem, then the tiling.
const CONV: &[&str] = &[
    "n",
    "p",
    "q",
    "k",
    "c",
    "r",
    "s",
    "stride",
    "padding",
    "h",
    "w",
    "thread_k",
    "thread_p",
    "thread_q",
    "thread_n",
    "block_k",
    "block_p",
    "block_q",
    "block_n",
    "depth",
    "thread_c",
    "block_c",
    "grid_c",
    "vector_filter",
    "stages",
];

impl Header {
    /// The integer columns that a kind of problem must have.
    pub fn required_columns(problem: ProblemKind) -> &'static [&'static str] {
        match problem {
            ProblemKind::Gemm => GEMM,
            ProblemKind::Conv => CONV,
        }
    }

    /// The header as text, the first lines of a file.
    pub fn text(&self) -> String {
        let Self { gpu, problem, driver, date, program, clock, columns } = self;
        let mut text = String::new();
        let entries = [
            ("gpu", gpu.as_str()),
            ("problem", problem.name()),
            ("driver", driver),
            ("date", date),
            ("program", program),
            ("clock", clock),
        ];
        for (key, value) in entries {
            // A value must not span several lines.
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            writeln!(text, "# {key} = {value}").expect("writing to a string cannot fail");
        }
        let columns = columns.join(",");
        writeln!(text, "{ELEMENT},{LAYOUT},{columns},{MICROSECONDS}")
            .expect("writing to a string cannot fail");
        text
    }
}
