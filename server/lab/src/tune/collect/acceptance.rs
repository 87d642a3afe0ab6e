//! Share of points that are legal kernels (the ISAAC paper, Table 1).

use super::family::Family;
use super::plan::Sampler;
use machine::Gpu;
use rand::SeedableRng;
use rand::rngs::StdRng;
use tuner::Target;

/// The shares of points that are legal kernels, for uniform sampling and for the generative model (Table 1).
/// Each share is averaged over all types and layouts.
pub(in crate::tune) fn acceptance<F: Family>(gpu: &Gpu, seed: u64) -> [f64; 2] {
    let (sm, target) = (&gpu.arch.resources, Target { sm: gpu.part.sm });
    let mut random = StdRng::seed_from_u64(seed);
    let layouts = F::layouts();
    let shares = layouts.iter().map(|layout| {
        let accepts = |point: &[u32]| layout.is_legal(&F::tiling(point), sm, target);
        let model = Sampler::<F>::learn(*layout, sm, target, &mut random);
        let uniform = tuner::acceptance(UNIFORM_TRIES, &mut || F::SPACE.uniform(&mut random), &accepts);
        [uniform, tuner::acceptance(MODEL_TRIES, &mut || model.sample(&mut random), &accepts)]
    });
    let shares: Vec<[f64; 2]> = shares.collect();
    [0, 1].map(|at| shares.iter().map(|share| share[at]).sum::<f64>() / shares.len() as f64)
}

/// Number of points that uniform sampling draws to estimate the share.
const UNIFORM_TRIES: usize = 200_000; // limit: few points are legal
/// Number of points that the generative model draws.
const MODEL_TRIES: usize = 20_000; // limit: time
