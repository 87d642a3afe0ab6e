//! The program that runs generated kernels. It is built with nvcc, reads lists of launches, and prints a line
//! per launch.

use crate::Device;
use crate::measured::{BUILDING, Error};
use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;
use toolchain::{Compiler, Consent, Limits, Product, WorkingFolder};
use tuner::{Element, Launch};

const SOURCES: [(&str, &str); 2] = [
    ("measure.cu", include_str!("../../../host/tune/measure.cu")),
    ("reference.cuh", include_str!("../../../host/tune/reference.cuh")),
];

const PROGRAM: (&str, &str) = ("measure.cu", "measure");
const LIST: &str = "launches.txt";

/// Limits on a run. A list of launches takes seconds. If it takes minutes, one of its kernels hangs.
const RUNNING: Limits = Limits { time: Duration::from_mins(5), output_bytes: 64 << 20, memory_bytes: None };

/// Number of failed launches in a list after which the remaining launches are skipped. Each failure costs a
/// start of the driver.
const MAX_FAILURES: usize = 32; // limit: each failure costs a start of the driver

/// The architecture to build for before the GPU is known. Source: the oldest architecture that nvcc 13
/// compiles for.
const ANY_SM: u16 = 75;

/// The built measuring program, and the folder that contains it and the kernel files.
#[derive(Debug)]
pub(super) struct Bench {
    consent: Consent,
    pub(super) place: WorkingFolder,
    pub(super) device: Device,
    /// The driver's version: `13.0`.
    pub(super) driver: String,
    /// Highest SM clock, in MHz.
    pub(super) clock_mhz: u32,
}

/// A launch of a kernel file, for a timing or for a check.
#[derive(Debug, Clone)]
pub(super) struct TimedLaunch {
    pub(super) file: String,
    pub(super) element: Element,
    pub(super) launch: Launch,
    /// Number of bytes of C that are zeroed before the launch, if the kernel adds to C.
    pub(super) zeroed_bytes: u64,
    /// Integers in the table that the kernel's parameter `t` points to; empty if the kernel has no such
    /// parameter.
    pub(super) table: Vec<i32>,
    /// The kernel's parameters in the notation of the measuring program, or the problem sizes for a check.
    pub(super) parameters: Vec<String>,
}

/// The outcome of one launch.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// Microseconds per launch, and registers per thread.
    Time(f64, u32),
    /// Number of wrong elements in the result.
    Wrong(u64),
    /// The driver's error message.
    Failed(String),
}

/// Operation performed on each launch of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LaunchOperation {
    Time,
    /// Compare the results with sums in double precision. The field is the name of the problem kind: `gemm` or
    /// `conv`.
    Check(&'static str),
}

impl Bench {
    /// Builds the measuring program and queries the GPU.
    pub(super) fn begin(consent: Consent) -> Result<Self, Error> {
        let compiler = Compiler::from_environment()?;
        let place = WorkingFolder::private()?;
        for (name, text) in SOURCES {
            place.write(name, text.as_bytes())?;
        }
        let build = |sm| compiler.compile(consent, &place, PROGRAM, Product::Program(sm), BUILDING);
        build(ANY_SM)?;
        let output = place.run_own(consent, PROGRAM.1, &["--device"], RUNNING)?;
        let output = String::from_utf8_lossy(&output).into_owned();
        let device = Device::parse(&output)?;
        let value = |key: &str| {
            let mut lines = output.lines().filter_map(|line| line.split_once(','));
            lines.find(|(found, _)| *found == key).map(|(_, value)| value.to_owned())
        };
        let driver = value("driver").unwrap_or_default();
        let clock_mhz = value("clock").and_then(|clock| clock.parse().ok()).unwrap_or_default();
        // Compiles the program's own kernels for this GPU. Code for an older GPU would be compiled again at
        // each start.
        build(device.sm)?;
        Ok(Self { consent, place, device, driver, clock_mhz })
    }

    /// Removes a kernel file that is no longer launched.
    pub(super) fn remove(&self, file: &str) {
        // The folder is removed at the end, so a leftover file does no harm.
        let _ = self.place.remove(file);
    }

    /// Runs all launches in order. A failure corrupts the driver's state, so the remaining launches run in a
    /// new process.
    pub(super) fn run(
        &self,
        question: LaunchOperation,
        lines: &[TimedLaunch],
    ) -> Result<Vec<Option<Outcome>>, Error> {
        let mut outcomes = vec![None; lines.len()];
        let (mut from, mut failures) = (0, 0);
        while from < lines.len() && failures < MAX_FAILURES {
            let list = list(question, &lines[from..], from);
            self.place.write(LIST, list.as_bytes())?;
            let output = self.place.run_own(self.consent, PROGRAM.1, &[LIST], RUNNING)?;
            let (results, failed) = read(question, &String::from_utf8_lossy(&output));
            for (at, outcome) in results {
                if let Some(place) = outcomes.get_mut(at) {
                    *place = Some(outcome);
                }
            }
            let Some(failed) = failed else { break };
            failures += 1;
            from = failed + 1;
        }
        Ok(outcomes)
    }
}

/// Formats a list of launches for the measuring program: one line per distinct table, then one line per launch. `first`
/// is the number of the first launch.
fn list(question: LaunchOperation, lines: &[TimedLaunch], first: usize) -> String {
    let mut tables: HashMap<&[i32], usize> = HashMap::new();
    let mut text = String::new();
    for line in lines {
        let next = tables.len();
        if line.table.is_empty() || tables.contains_key(line.table.as_slice()) {
            continue;
        }
        tables.insert(&line.table, next);
        // Writing to a string does not fail.
        let _ = write!(text, "table {TABLE}{next} {}", line.table.len());
        for value in &line.table {
            let _ = write!(text, " {value}");
        }
        text.push('\n');
    }
    let lines = lines.iter().enumerate();
    text.extend(
        lines.map(|(at, line)| line.text(question, first + at, tables.get(line.table.as_slice()).copied())),
    );
    text
}

/// Name of the kernel parameter that points to a table.
const TABLE: &str = "t";

impl TimedLaunch {
    fn text(&self, question: LaunchOperation, id: usize, table: Option<usize>) -> String {
        let Self { file, element, launch, zeroed_bytes, parameters, .. } = self;
        let [x, y, z] = launch.grid;
        let mut text = String::new();
        let word = match question {
            LaunchOperation::Time => "time",
            LaunchOperation::Check(problem) => problem,
        };
        let before = match question {
            LaunchOperation::Time => *zeroed_bytes,
            LaunchOperation::Check(_) => u64::from(launch.adds),
        };
        let (threads, shared) = (launch.threads, launch.shared_bytes);
        // Writing to a string does not fail.
        let _ = write!(text, "{word} {id} {file} {element} {x} {y} {z} {threads} {shared} {before}");
        for parameter in parameters {
            let _ = match (parameter.as_str(), table) {
                (TABLE, Some(table)) => write!(text, " {TABLE}{table}"),
                (parameter, _) => write!(text, " {parameter}"),
            };
        }
        text.push('\n');
        text
    }
}

/// The outcomes by launch number, and the number of the failed launch.
fn read(question: LaunchOperation, output: &str) -> (HashMap<usize, Outcome>, Option<usize>) {
    let (mut found, mut failed) = (HashMap::new(), None);
    for line in output.lines() {
        let mut words = line.splitn(3, ',');
        let (Some(first), Some(second)) = (words.next(), words.next()) else { continue };
        if first == "failed" {
            let Ok(at) = second.parse() else { continue };
            failed = Some(at);
            found.insert(at, Outcome::Failed(words.next().unwrap_or_default().to_owned()));
        } else if let Ok(at) = first.parse() {
            let outcome = match question {
                LaunchOperation::Time => {
                    let registers = words.next().and_then(|registers| registers.parse().ok());
                    second.parse().ok().zip(registers).map(|(time, registers)| Outcome::Time(time, registers))
                }
                LaunchOperation::Check(_) => second.parse().ok().map(Outcome::Wrong),
            };
            found.extend(outcome.map(|outcome| (at, outcome)));
        }
    }
    (found, failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_up_to_the_line_that_failed() {
        let (found, failed) =
            read(LaunchOperation::Time, "0,12.5,64\n1,x\nnoise\nfailed,2,an illegal address, or so\n");
        assert_eq!(found[&0], Outcome::Time(12.5, 64));
        assert_eq!(found[&2], Outcome::Failed("an illegal address, or so".into()));
        assert_eq!((found.len(), failed), (2, Some(2)));
    }

    #[test]
    fn a_list_has_the_words_that_the_program_reads_and_each_table_once() {
        let line = |table: Vec<i32>| TimedLaunch {
            file: "k0.cubin".into(),
            element: Element::F32,
            launch: Launch { grid: [4, 2, 8], threads: 128, shared_bytes: 4096, adds: true },
            zeroed_bytes: 1024,
            table,
            parameters: vec!["a".into(), "t".into(), "7".into()],
        };
        let lines = [line(vec![5, -7]), line(vec![5, -7]), line(vec![1])];
        assert_eq!(
            list(LaunchOperation::Time, &lines, 3),
            "table t0 2 5 -7\ntable t1 1 1\n\
             time 3 k0.cubin f32 4 2 8 128 4096 1024 a t0 7\n\
             time 4 k0.cubin f32 4 2 8 128 4096 1024 a t0 7\n\
             time 5 k0.cubin f32 4 2 8 128 4096 1024 a t1 7\n"
        );
        let check = list(LaunchOperation::Check("conv"), &lines[2..], 0);
        assert_eq!(check, "table t0 1 1\nconv 0 k0.cubin f32 4 2 8 128 4096 1 a t0 7\n");
    }
}
