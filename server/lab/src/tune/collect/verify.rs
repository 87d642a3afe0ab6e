//! Checks of generated kernels: random pairs of tiling and shape are compared with sums in double precision.

use super::Collector;
use super::bench::{LaunchOperation, Outcome, TimedLaunch};
use super::family::Family;
use super::kernels::assemble;
use super::plan::{Sample, Sampler};
use crate::measured::Error;
use machine::Machine;
use rand::SeedableRng;
use rand::rngs::StdRng;
use tuner::Target;

/// The result of checking many pairs of a tiling and a shape.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerificationResult {
    /// Number of pairs whose kernel ran.
    pub pairs: usize,
    /// One line per pair with wrong results or a failed launch.
    pub wrong: Vec<String>,
}

/// Maximum number of floating-point operations per pair.
const MAX_FLOPS: f64 = 2e9; // limit: sums in double precision are slow

/// Checks at least `pairs` pairs. The same seed selects the same pairs.
pub(super) fn verify<F: Family>(
    collector: &Collector,
    pairs: usize,
    seed: u64,
) -> Result<VerificationResult, Error> {
    let Collector { bench, assembler, consent } = collector;
    let sm = bench.device.sm;
    let resources = Machine::builtin().gpu_for_sm(sm).arch.resources.clone();
    let mut random = StdRng::seed_from_u64(seed);
    let sampler = Sampler::<F>::new(resources, Target { sm }, &mut random);
    let mut verified = VerificationResult::default();
    let mut number = seed;
    while verified.pairs + verified.wrong.len() < pairs {
        let batch = sampler.batch(number, pairs.min(KERNELS), SHAPES);
        number = number.wrapping_add(1);
        let is_there = assemble(*consent, assembler, &bench.place, sm, &batch.sources, &|| false);
        let mut lines = Vec::new();
        let mut names = Vec::new();
        for (kernel, sample) in &batch.samples {
            let Sample { shape, tiling } = sample;
            let name = format!("{} {} {:?}", shape.element(), shape.layout(), shape.row(tiling));
            if !is_there[*kernel] {
                verified.wrong.push(format!("{name}: ptxas refused the kernel"));
                continue;
            }
            if shape.flops() > MAX_FLOPS {
                continue;
            }
            lines.push(TimedLaunch {
                file: batch.sources[*kernel].file.clone(),
                element: shape.element(),
                launch: shape.launch(tiling),
                zeroed_bytes: 0,
                table: shape.table(),
                parameters: shape.check_parameters(tiling, &mut random),
            });
            names.push(name);
        }
        for (name, outcome) in names.iter().zip(bench.run(LaunchOperation::Check(F::KIND.name()), &lines)?) {
            match outcome {
                Some(Outcome::Wrong(0)) => verified.pairs += 1,
                Some(Outcome::Wrong(elements)) => {
                    verified.wrong.push(format!("{name}: {elements} elements are wrong"));
                }
                Some(Outcome::Failed(why)) => verified.wrong.push(format!("{name}: {why}")),
                Some(Outcome::Time(..)) | None => verified.wrong.push(format!("{name}: not run")),
            }
        }
    }
    Ok(verified)
}

/// Number of kernels per batch.
const KERNELS: usize = 1000; // limit: the kernels of a batch are compiled together
/// Number of shapes per kernel.
const SHAPES: usize = 2; // limit: time
