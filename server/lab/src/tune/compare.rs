//! Compares the chosen kernel with the best of many kernels, and measured times with the models' predictions.

use super::collect::{Collector, Family, random_tilings};
use crate::measured::Error;
use machine::Gpu;
use std::num::NonZeroUsize;
use tuner::network::Network;
use tuner::{RankedTiling, Search, SearchError};

/// Settings for the choice of a problem's kernel and its comparison with other kernels.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "a clock has none")]
pub struct Comparison<'a> {
    pub gpu: &'a Gpu,
    pub network: Option<&'a Network>,
    /// Number of the search's best kernels that are measured.
    pub top: usize,
    /// Number of additional random kernels to measure.
    pub random: usize,
    pub seed: u64,
    pub threads: NonZeroUsize,
    /// A clock: seconds since an arbitrary moment.
    pub clock: &'a dyn Fn() -> f64,
}

/// The results for a problem; times are in microseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemResult {
    /// Number of legal tilings that were ranked, and the ranking time in seconds.
    pub legal: usize,
    pub seconds: f64,
    /// Time of the kernel that the models rank first; `None` if its launch failed.
    pub first: Option<f64>,
    /// Shortest measured time among the search's best kernels. Tuning on a GPU selects this kernel.
    pub chosen: Option<f64>,
    /// Smallest time among the random kernels, and smallest time among all kernels.
    pub best_random: Option<f64>,
    pub best: Option<f64>,
    /// Number of random kernels that ran.
    pub random: usize,
    /// Rank correlations of the static model's and the network's predicted times with measured times, over
    /// the random kernels.
    pub static_correlation: Option<f64>,
    pub network_correlation: Option<f64>,
}

/// Reason why nothing was compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Measure(#[from] Error),
}

impl Comparison<'_> {
    /// Searches the tilings, then measures the best kernels and the random kernels. Ends early if `cancelled`
    /// returns true.
    pub fn run<F: Family>(
        &self,
        collector: &Collector,
        problem: F,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<ProblemResult, CompareError> {
        let Self { gpu, network, top, threads, clock, .. } = *self;
        let search = Search { problem, gpu, network, top, threads };
        let start = clock();
        let ranking = search.run(&mut |_, _| {}, &|| cancelled())?;
        let seconds = clock() - start;
        let time = |tilings: &[F::Tiling]| collector.time(&problem, tilings, &mut |_| {}, cancelled);
        let chosen: Vec<_> = ranking.best.iter().map(|ranked| ranked.tiling).collect();
        let chosen = time(&chosen)?;
        let random = random_tilings(&problem, gpu, self.random, self.seed);
        let random_times = time(&random)?;
        let least = |times: &[Option<f64>]| times.iter().flatten().copied().min_by(f64::total_cmp);
        let (best_chosen, best_random) = (least(&chosen), least(&random_times));
        let alone = Search { network: None, ..search };
        let correlation = |search: &Search<'_, F>| -> Result<Option<f64>, SearchError> {
            let ranked: Vec<RankedTiling<F::Tiling>> = search.rank(&random, &|| cancelled())?;
            let measured = |tiling: &F::Tiling| {
                let at = random.iter().position(|random| random == tiling)?;
                random_times[at]
            };
            let pairs = ranked.iter().filter_map(|one| Some((one.microseconds, measured(&one.tiling)?)));
            Ok(rank_correlation(&pairs.collect::<Vec<_>>()))
        };
        Ok(ProblemResult {
            legal: ranking.legal,
            seconds,
            first: chosen.first().copied().flatten(),
            chosen: best_chosen,
            best_random,
            best: least(&[best_chosen, best_random]),
            random: random_times.iter().flatten().count(),
            static_correlation: correlation(&alone)?,
            network_correlation: network.map(|_| correlation(&search)).transpose()?.flatten(),
        })
    }
}

/// Spearman's rank correlation; `None` for fewer than three pairs.
fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < 3 {
        return None;
    }
    let ranks = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by(|one, other| of(&pairs[*one]).total_cmp(&of(&pairs[*other])));
        let mut ranks = vec![0.0; pairs.len()];
        let mut from = 0;
        // Equal numbers all get the mean of their ranks.
        while from < order.len() {
            let value = of(&pairs[order[from]]);
            let equal =
                order[from..].iter().take_while(|at| of(&pairs[**at]).total_cmp(&value).is_eq()).count();
            for at in &order[from..from + equal] {
                ranks[*at] = from as f64 + (equal - 1) as f64 / 2.0;
            }
            from += equal;
        }
        ranks
    };
    let (one, other) = (ranks(&|pair| pair.0), ranks(&|pair| pair.1));
    let mean = (pairs.len() - 1) as f64 / 2.0;
    let products = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - mean) * (other - mean)).sum()
    };
    let both = (products(&one, &one) * products(&other, &other)).sqrt();
    (both > 0.0).then(|| products(&one, &other) / both)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate_whatever_the_scale() {
        let pairs = |other: [f64; 5]| [1.0, 2.0, 3.0, 4.0, 5.0].into_iter().zip(other).collect::<Vec<_>>();
        assert_eq!(rank_correlation(&pairs([1.0, 10.0, 100.0, 1e3, 1e9])), Some(1.0));
        assert_eq!(rank_correlation(&pairs([5.0, 4.0, 3.0, 2.0, 1.0])), Some(-1.0));
        // d² sums to 4: 1 - 6 * 4 / (5 * 24).
        assert_eq!(rank_correlation(&pairs([2.0, 1.0, 3.0, 5.0, 4.0])), Some(0.8));
        assert_eq!(rank_correlation(&pairs([7.0; 5])), None);
        let tied = rank_correlation(&[(1.0, 1.0), (1.0, 2.0), (2.0, 3.0)]).unwrap();
        assert!((tied - 0.866).abs() < 1e-3, "{tied}");
    }
}
