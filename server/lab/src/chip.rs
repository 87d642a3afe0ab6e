//! The chip outside of its SMs (clock, L2 cache, DRAM, block launches), measured by one CUDA program that
//! runs on any GPU.

use crate::device::Results;
use crate::measured::{BUILDING, Error, MeasuredFigures, RUNNING};
use crate::values::{self, Exactness, Value};
use crate::{Device, OmittedFigure};
use toolchain::{Compiler, Consent, Product, WorkingFolder};

/// First part of the key of a figure that belongs to the measured GPU model: the overlay has it under `parts.ID`.
pub(crate) const PART: &str = "part";

const SOURCES: [(&str, &str); 3] = [
    ("launch.cuh", include_str!("../programs/launch/launch.cuh")),
    ("kernels.cuh", include_str!("../programs/launch/kernels.cuh")),
    ("chip.cu", include_str!("../programs/launch/chip.cu")),
];

const PROGRAM: (&str, &str) = ("chip.cu", "chip");

/// The formulas that compute figures from the program's output.
///
/// # Panics
///
/// If the built-in `chip.toml` cannot be parsed. A test parses it.
pub(crate) fn formulas() -> Vec<Value> {
    values::parse(include_str!("../programs/launch/chip.toml")).expect("the tests read the same text")
}

/// Builds and runs the measuring program. If that fails, the figures are omitted, and the reason is returned.
pub(crate) fn measure(
    consent: Consent,
    compiler: &Compiler,
    place: &WorkingFolder,
    device: &Device,
) -> Result<MeasuredFigures, Error> {
    for (name, text) in SOURCES {
        place.write(name, text.as_bytes())?;
    }
    let output = compiler
        .compile(consent, place, PROGRAM, Product::Program(device.sm), BUILDING)
        .and_then(|()| place.run_own(consent, PROGRAM.1, &[], RUNNING));
    let output = match output {
        Ok(output) => String::from_utf8_lossy(&output).into_owned(),
        Err(error) => {
            let left_out = vec![OmittedFigure { place: "program chip".into(), why: error.to_string() }];
            return Ok(MeasuredFigures { left_out, ..MeasuredFigures::default() });
        }
    };
    let results = Results::parse(&output).cycles;
    let (figures, left_out) =
        values::derive(&formulas(), Exactness::Nearest, &|name| results.get(name).copied());
    let mut cycles: Vec<String> = results.iter().map(|(name, number)| format!("{name},{number}")).collect();
    cycles.sort_unstable();
    Ok(MeasuredFigures { figures, left_out, cycles, programs: 1 })
}
