//! Random launches, drawn in batches of kernels.

use super::bench::TimedLaunch;
use super::family::{ENTRY, Family};
use super::kernels::Source;
use machine::{Gpu, SmResources};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::HashSet;
use tuner::{Categorical, Problem, Target};

/// A launch whose measured time becomes a row.
#[derive(Debug, Clone)]
pub(super) struct Sample<P: Problem> {
    pub(super) shape: P,
    pub(super) tiling: P::Tiling,
}

/// Kernels and their launches.
#[derive(Debug)]
pub(super) struct Batch<P: Problem> {
    pub(super) sources: Vec<Source>,
    /// The samples, each with the index of its kernel in `sources`. Samples of one kernel are adjacent.
    pub(super) samples: Vec<(usize, Sample<P>)>,
}

/// The distributions from which batches are drawn.
#[derive(Debug)]
pub(super) struct Sampler<F: Family> {
    models: Vec<(F, Categorical)>,
    sm: SmResources,
    target: Target,
}

/// Number of uniform points from which the generative model learns, per type and layout.
const LEARNED_FROM: usize = 500; // limit: time
/// Number of shapes of a batch, per type and layout.
const POOL: usize = 64; // limit: time
/// Number of attempts to find a shape for a kernel.
const TRIES: usize = 200; // limit: time
/// Number of attempts to find each tiling for one problem.
const TRIES_OF_ONE: usize = 2000; // limit: time
/// Duration in seconds of the longest launch that is measured.
const LONGEST_SECONDS: f64 = 0.02; // limit: slower tilings are of no interest

impl<F: Family> Sampler<F> {
    pub(super) fn new(sm: SmResources, target: Target, random: &mut StdRng) -> Self {
        let models = F::layouts().into_iter().map(|shape| (shape, Self::learn(shape, &sm, target, random)));
        Self { models: models.collect(), sm, target }
    }

    pub(super) fn learn(shape: F, sm: &SmResources, target: Target, random: &mut StdRng) -> Categorical {
        let accepts = |values: &[u32]| shape.is_legal(&F::tiling(values), sm, target);
        Categorical::learn(F::SPACE, LEARNED_FROM, random, &accepts)
    }

    /// Draws a batch of `kernels` kernels, each launched for `shapes` shapes. The batch number is the random seed, so
    /// equal numbers give equal batches.
    pub(super) fn batch(&self, number: u64, kernels: usize, shapes: usize) -> Batch<F> {
        let mut random = StdRng::seed_from_u64(number);
        let mut batch = Batch { sources: Vec::new(), samples: Vec::new() };
        let pools: Vec<Vec<F>> = self
            .models
            .iter()
            .map(|(layout, _)| (0..POOL).map(|_| layout.with_random_sizes(&mut random)).collect())
            .collect();
        let mut known: HashSet<(usize, F::Tiling)> = HashSet::new();
        while batch.sources.len() < kernels {
            let which = random.random_range(0..self.models.len());
            let (layout, model) = &self.models[which];
            let tiling = F::tiling(&model.sample(&mut random));
            let key = (which, F::text_of(&tiling));
            if known.contains(&key) || !layout.is_legal(&tiling, &self.sm, self.target) {
                continue;
            }
            let samples = self.samples(&pools[which], &tiling, shapes, &mut random);
            if samples.is_empty() {
                continue;
            }
            let at = batch.sources.len();
            batch.sources.push(Source {
                file: format!("{number}-{at}.cubin"),
                ptx: layout.kernel(&key.1, self.target, ENTRY),
            });
            known.insert(key);
            batch.samples.extend(samples.into_iter().map(|sample| (at, sample)));
        }
        batch
    }

    fn samples(&self, pool: &[F], tiling: &F::Tiling, wanted: usize, random: &mut StdRng) -> Vec<Sample<F>> {
        let mut found = Vec::new();
        for _ in 0..TRIES {
            let shape = pool[random.random_range(0..pool.len())];
            let tiling = F::vary(tiling, random);
            if shape.fits(&tiling) && min_seconds(&shape, &tiling, &self.sm) < LONGEST_SECONDS {
                found.push(Sample { shape, tiling });
                if found.len() == wanted {
                    break;
                }
            }
        }
        found
    }
}

/// A lower bound on the time of a launch in seconds. Only the dependent multiply-adds of each thread are
/// counted.
fn min_seconds<F: Family>(shape: &F, tiling: &F::Tiling, sm: &SmResources) -> f64 {
    let launch = shape.launch(tiling);
    let [x, y, z] = launch.grid.map(f64::from);
    let threads = x * y * z * f64::from(launch.threads);
    let resident = threads.min(f64::from(sm.max_threads.value) * SMS);
    let products = shape.flops() / 2.0;
    products / resident / PRODUCTS_PER_SECOND
}

/// Rough number of SMs of a GPU, for the limits on the size of measured launches.
const SMS: f64 = 100.0; // limit: a rough bound
/// Rough number of dependent multiply-adds per second of one thread, for the limits on the size of measured launches.
const PRODUCTS_PER_SECOND: f64 = 1e8; // limit: a rough bound

/// Distinct random tilings for a problem on a GPU, from the generative model. Fewer than `wanted` if too few
/// tilings are legal.
pub(in crate::tune) fn random_tilings<F: Family>(
    problem: &F,
    gpu: &Gpu,
    wanted: usize,
    seed: u64,
) -> Vec<F::Tiling> {
    let mut random = StdRng::seed_from_u64(seed);
    let (sm, target) = (&gpu.arch.resources, Target { sm: gpu.part.sm });
    let model = Sampler::<F>::learn(*problem, sm, target, &mut random);
    let mut found = Vec::new();
    let mut known = HashSet::new();
    for _ in 0..wanted.saturating_mul(TRIES_OF_ONE) {
        if found.len() == wanted {
            break;
        }
        let tiling = F::tiling(&model.sample(&mut random));
        let is_good = problem.is_legal(&tiling, sm, target)
            && problem.fits(&tiling)
            && min_seconds(problem, &tiling, sm) < LONGEST_SECONDS;
        if is_good && known.insert(tiling) {
            found.push(tiling);
        }
    }
    found
}

/// Converts a sample to a launch for the measuring program.
pub(super) fn line<F: Family>(sample: &Sample<F>, file: &str) -> TimedLaunch {
    let Sample { shape, tiling } = sample;
    let launch = shape.launch(tiling);
    let [_, _, output] = shape.bytes();
    TimedLaunch {
        file: file.to_owned(),
        element: shape.element(),
        launch,
        zeroed_bytes: if launch.adds { output } else { 0 },
        table: shape.table(),
        parameters: shape.parameters(),
    }
}
