//! Calibration of the GPU in this computer: compiles the measuring programs with nvcc, runs them, and writes an
//! overlay of the machine data.

use crate::device::Results;
use crate::measured::{BUILDING, Error, MeasuredFigures, RUNNING};
use crate::program::Program;
use crate::values::Exactness;
use crate::{Device, Figure, OmittedFigure, Suite, chip, cubin, overlay, values};
use machine::Machine;
use std::collections::HashMap;
use std::path::Path;
use toolchain::{Compiler, Consent, Product, WorkingFolder};

/// The results of a calibration.
#[derive(Debug)]
pub struct Calibration {
    pub device: Device,
    /// The measured figures, sorted by their keys in the overlay.
    pub figures: Vec<Figure>,
    /// Figures that could not be computed, and programs that failed.
    pub left_out: Vec<OmittedFigure>,
    pub programs: usize,
    /// The text of the overlay. It has been checked to load over the built-in machine data.
    pub overlay: String,
}

/// Whether the folder in which the programs are built is kept.
#[derive(Debug, Clone, Copy)]
pub enum KeptPrograms<'a> {
    /// A private folder, which is removed afterwards.
    No,
    /// This folder, which must be new or empty. It is kept.
    In(&'a Path),
}

fn names(covered: &[u16]) -> String {
    let names: Vec<String> = covered.iter().map(|sm| format!("sm_{sm}")).collect();
    names.join(", ")
}

const KERNEL: (&str, &str) = ("kernel.cu", "kernel.cubin");
const RUNNER: (&str, &str) = ("runner.cpp", "runner");
/// Name of the file that lists the programs for the runner. Each line has a program's name and its file.
const LIST: &str = "programs.txt";

/// Name of the file with the measured cycles, for users who keep the folder. Each line has a program's name and its
/// cycles.
const CYCLES: &str = "cycles.csv";

/// Number of failed programs after which the remaining programs are skipped. Each failure costs a
/// start of the driver.
const MAX_FAILURES: usize = 8; // limit: each failure costs a start of the driver

/// Measures the first GPU in this computer.
///
/// `date` is today's date: `2026-11-21`. Returns `Err` if nvcc or a GPU is missing.
///
/// # Panics
///
/// If a built-in program cannot be encoded. A test encodes all of them.
pub fn calibrate(consent: Consent, kept: KeptPrograms<'_>, date: &str) -> Result<Calibration, Error> {
    let compiler = Compiler::from_environment()?;
    let place = match kept {
        KeptPrograms::No => WorkingFolder::private()?,
        KeptPrograms::In(folder) => WorkingFolder::kept(folder)?,
    };
    place.write(RUNNER.0, include_bytes!("../host/runner.cpp"))?;
    compiler.compile(consent, &place, RUNNER, Product::DriverProgram, BUILDING)?;
    let output = place.run_own(consent, RUNNER.1, &["--device"], RUNNING)?;
    let device = Device::parse(&String::from_utf8_lossy(&output))?;
    let mut measured = measure_sm(consent, &compiler, &place, &device)?;
    let chip = chip::measure(consent, &compiler, &place, &device)?;
    measured.figures.extend(chip.figures);
    measured.left_out.extend(chip.left_out);
    place.write(CYCLES, lines(measured.cycles.into_iter().chain(chip.cycles)).as_bytes())?;
    let machine = Machine::builtin();
    let part = machine.gpu(&device.name).ok().filter(|gpu| gpu.part.sm == device.sm);
    let part = part.as_ref().map(|gpu| &*gpu.part.id);
    let arch = machine.gpu_for_sm(device.sm).arch.sm;
    if arch != device.sm {
        // If the tables of another architecture serve this GPU, only the figures of the part are kept.
        let is_own = |figure: &Figure| figure.place.starts_with(chip::PART);
        let (own, others): (Vec<_>, Vec<_>) = measured.figures.into_iter().partition(is_own);
        let why = format!("sm_{} uses the tables of sm_{arch}", device.sm);
        measured
            .left_out
            .extend(others.into_iter().map(|figure| OmittedFigure { place: figure.place, why: why.clone() }));
        measured.figures = own;
    }
    let overlay = overlay::text(&device, (arch, part), date, &measured.figures, &measured.left_out);
    machine.overlay("overlay", &overlay)?;
    let MeasuredFigures { figures, left_out, programs, .. } = measured;
    Ok(Calibration { device, figures, left_out, programs: programs + 1, overlay })
}

/// Measures the figures of one SM, exact to a cycle. If the architecture has no measuring programs, returns only a
/// note that says so.
fn measure_sm(
    consent: Consent,
    compiler: &Compiler,
    place: &WorkingFolder,
    device: &Device,
) -> Result<MeasuredFigures, Error> {
    let Some(suite) = Suite::for_sm(device.sm) else {
        let place = format!("the SM of sm_{}", device.sm);
        let why =
            format!("programs exist only for {}, so launches are not predicted", names(&Suite::covered()));
        return Ok(MeasuredFigures {
            left_out: vec![OmittedFigure { place, why }],
            ..MeasuredFigures::default()
        });
    };
    place.write(KERNEL.0, include_bytes!("../host/kernel.cu"))?;
    compiler.compile(consent, place, KERNEL, Product::Cubin(device.sm), BUILDING)?;
    let kernel = place.read(KERNEL.1)?;
    let programs: Vec<&Program> = suite.all().map(|(_, program)| program).collect();
    for program in &programs {
        let code = suite.code(program).expect("a test encodes all built-in programs");
        place.write(&file(program), &cubin::with_code(&kernel, &code)?)?;
    }
    let (cycles, mut failed) = run(consent, place, &programs)?;
    let measured = programs.iter().filter_map(|program| Some((&program.name, cycles.get(&program.name)?)));
    let printed = measured.map(|(name, cycles)| format!("{name},{cycles}")).collect();
    let (figures, left_out) =
        values::derive(&suite.values, Exactness::Whole, &|name| cycles.get(name).copied());
    failed.extend(left_out);
    Ok(MeasuredFigures { figures, left_out: failed, cycles: printed, programs: programs.len() })
}

fn file(program: &Program) -> String {
    format!("{}.cubin", program.name)
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

/// Runs all programs. Returns their cycles, and the programs that failed. A failing program corrupts the driver's
/// state, so the programs after it run in a new process.
fn run(
    consent: Consent,
    place: &WorkingFolder,
    programs: &[&Program],
) -> Result<(HashMap<String, u64>, Vec<OmittedFigure>), Error> {
    let (mut cycles, mut failed) = (HashMap::new(), Vec::new());
    let mut rest = programs;
    while !rest.is_empty() && failed.len() < MAX_FAILURES {
        let list = lines(rest.iter().map(|program| format!("{} {}", program.name, file(program))));
        place.write(LIST, list.as_bytes())?;
        let output = place.run_own(consent, RUNNER.1, &[LIST], RUNNING)?;
        let results = Results::parse(&String::from_utf8_lossy(&output));
        cycles.extend(results.cycles);
        let Some((name, why)) = results.failed else { break };
        let at = rest.iter().position(|program| program.name == name).unwrap_or(rest.len() - 1);
        failed.push(OmittedFigure { place: format!("program {name}"), why });
        rest = &rest[at + 1..];
    }
    Ok((cycles, failed))
}
