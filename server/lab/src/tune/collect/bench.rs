//! The program that runs generated kernels: built with the user's nvcc, given lists of launches, read line by line.

use crate::Device;
use crate::measured::{BUILDING, Error};
use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;
use toolchain::{Compiler, Consent, Limits, Product, Workplace};
use tuner::{Element, Launch};

const SOURCES: [(&str, &str); 2] = [
    ("measure.cu", include_str!("../../../host/tune/measure.cu")),
    ("reference.cuh", include_str!("../../../host/tune/reference.cuh")),
];

const PROGRAM: (&str, &str) = ("measure.cu", "measure");
const LIST: &str = "launches.txt";

/// A list takes seconds; one that takes minutes has a kernel that does not end.
const RUNNING: Limits =
    Limits { time: Duration::from_mins(5), output_bytes: 64 << 20, memory_bytes: None };

/// How many launches of a list may fail before the rest is given up: each failure costs a start of the driver.
const MOST_FAILURES: usize = 32;

/// The architectures that the program is built for where none is known yet.
const ANY_SM: u16 = 75;

/// The program, in the folder where its kernels are.
#[derive(Debug)]
pub(super) struct Bench {
    consent: Consent,
    pub(super) place: Workplace,
    pub(super) device: Device,
    /// `13.0`.
    pub(super) driver: String,
    /// The SMs' highest clock, in MHz.
    pub(super) clock_mhz: u32,
}

/// A launch of a kernel's file, to be timed or checked.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) file: String,
    pub(super) element: Element,
    pub(super) launch: Launch,
    /// Bytes of C that are zeroed before, where the kernel adds.
    pub(super) zeroed_bytes: u64,
    /// The kernel's parameters by the names of the program, or the sizes that a check takes.
    pub(super) parameters: Vec<String>,
}

/// The outcome of a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// Microseconds of a launch.
    Time(f64),
    /// Elements that are wrong.
    Wrong(u64),
    /// The driver's words.
    Failed(String),
}

/// The question that a list asks of each line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    Time,
    /// Compare with sums in double precision; the word names the kind of problem.
    Check(&'static str),
}

impl Bench {
    /// Builds the program and asks for the GPU.
    pub(super) fn begin(consent: Consent) -> Result<Self, Error> {
        let compiler = Compiler::from_environment()?;
        let place = Workplace::private()?;
        for (name, text) in SOURCES {
            place.write(name, text.as_bytes())?;
        }
        let build = |sm| compiler.compile(consent, &place, PROGRAM, Product::Program(sm), BUILDING);
        build(ANY_SM)?;
        let output = place.run_own(consent, PROGRAM.1, &["--device"], RUNNING)?;
        let output = String::from_utf8_lossy(&output).into_owned();
        let device = Device::parse(&output).map_err(Error::NoDevice)?;
        let value = |key: &str| {
            let mut lines = output.lines().filter_map(|line| line.split_once(','));
            lines.find(|(found, _)| *found == key).map(|(_, value)| value.to_owned())
        };
        let driver = value("driver").unwrap_or_default();
        let clock_mhz = value("clock").and_then(|clock| clock.parse().ok()).unwrap_or_default();
        // The code of its own kernels is for this GPU: that for an older one would be compiled anew at each start.
        build(device.sm)?;
        Ok(Self { consent, place, device, driver, clock_mhz })
    }

    /// Removes a kernel's file that is not launched any more.
    pub(super) fn remove(&self, file: &str) {
        // The folder goes when all is done: a file that stays till then harms nobody.
        let _ = self.place.remove(file);
    }

    /// Runs all lines in order. What fails takes the driver's state with it: those behind it run in a new process.
    pub(super) fn run(&self, question: Question, lines: &[Line]) -> Result<Vec<Option<Outcome>>, Error> {
        let mut outcomes = vec![None; lines.len()];
        let (mut from, mut failures) = (0, 0);
        while from < lines.len() && failures < MOST_FAILURES {
            let list: String =
                lines[from..].iter().enumerate().map(|(at, line)| line.text(question, from + at)).collect();
            self.place.write(LIST, list.as_bytes())?;
            let output = self.place.run_own(self.consent, PROGRAM.1, &[LIST], RUNNING)?;
            let (found, failed) = read(question, &String::from_utf8_lossy(&output));
            for (at, outcome) in found {
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

impl Line {
    fn text(&self, question: Question, id: usize) -> String {
        let Self { file, element, launch, zeroed_bytes, parameters } = self;
        let [x, y, z] = launch.grid;
        let mut text = String::new();
        let word = match question {
            Question::Time => "time",
            Question::Check(problem) => problem,
        };
        let before = match question {
            Question::Time => *zeroed_bytes,
            Question::Check(_) => u64::from(launch.adds),
        };
        let (threads, shared) = (launch.threads, launch.shared_bytes);
        // Writing to a string does not fail.
        let _ = write!(text, "{word} {id} {file} {element} {x} {y} {z} {threads} {shared} {before}");
        for parameter in parameters {
            let _ = write!(text, " {parameter}");
        }
        text.push('\n');
        text
    }
}

/// The outcomes by number, and the number of the line that failed.
fn read(question: Question, output: &str) -> (HashMap<usize, Outcome>, Option<usize>) {
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
                Question::Time => second.parse().ok().map(Outcome::Time),
                Question::Check(_) => second.parse().ok().map(Outcome::Wrong),
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
        let (found, failed) = read(Question::Time, "0,12.5,64\n1,x\nnoise\nfailed,2,an illegal address, or so\n");
        assert_eq!(found[&0], Outcome::Time(12.5));
        assert_eq!(found[&2], Outcome::Failed("an illegal address, or so".into()));
        assert_eq!((found.len(), failed), (2, Some(2)));
    }

    #[test]
    fn a_line_has_the_words_that_the_program_reads() {
        let line = Line {
            file: "k0.cubin".into(),
            element: Element::F32,
            launch: Launch { grid: [4, 2, 8], threads: 128, shared_bytes: 4096, adds: true },
            zeroed_bytes: 1024,
            parameters: vec!["a".into(), "7".into()],
        };
        assert_eq!(line.text(Question::Time, 3), "time 3 k0.cubin f32 4 2 8 128 4096 1024 a 7\n");
        assert_eq!(line.text(Question::Check("gemm"), 3), "gemm 3 k0.cubin f32 4 2 8 128 4096 1 a 7\n");
    }
}
