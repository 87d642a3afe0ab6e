//! The search for the best tilings of a shape (section 6). The static model estimates all legal tilings and selects the
//! best ones. A network ranks the selected tilings.

use crate::features::{FeatureError, Features};
use crate::network::{Network, NetworkError};
use crate::{Estimate, Problem, ProblemKind};
use machine::Gpu;
use std::cmp::Ordering;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering as Memory};
use std::sync::{Mutex, PoisonError};

/// Maximum number of tilings that a network predicts. limit: each prediction takes time, and the static model is wrong
/// by factors, not by tens of thousands of ranks.
const ASKED: usize = 50_000;

/// A search: the problem, the GPU, and options.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a, P> {
    pub problem: P,
    pub gpu: &'a Gpu,
    /// Network that ranks the tilings selected by the static model. It must be for this kind of problem, and
    /// the caller ensures that it is for this GPU.
    pub network: Option<&'a Network>,
    /// Number of tilings to return.
    pub top: usize,
    pub threads: NonZeroUsize,
}

/// The best tilings, from fastest to slowest.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking<T> {
    /// Number of legal tilings of the shape that were compared.
    pub legal: usize,
    pub best: Vec<RankedTiling<T>>,
}

/// A tiling and its predicted time in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedTiling<T> {
    pub tiling: T,
    /// The network's prediction if there is a network; otherwise the static model's cycles at the boost clock.
    pub microseconds: f64,
    pub estimate: Estimate,
}

/// Reason why no ranking was computed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("the search was cancelled")]
    Cancelled,
    #[error("the static model has no figures for {0}; expected a calibrated GPU")]
    NotCalibrated(String),
    #[error("no tiling computes this shape: its grid would have too many blocks")]
    NoTiling,
    #[error("the network is for problem {found}; expected {expected}")]
    WrongProblem { found: ProblemKind, expected: ProblemKind },
    #[error(transparent)]
    Features(#[from] FeatureError),
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl<P: Problem> Search<'_, P> {
    /// Returns the best tilings. The calling thread reports to `progress` the number of started parts of the search and
    /// the total number of parts, and polls `cancelled`.
    pub fn run(
        &self,
        progress: &mut dyn FnMut(usize, usize),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Ranking<P::Tiling>, SearchError> {
        self.check()?;
        let kept = if self.network.is_some() { ASKED.max(self.top) } else { self.top };
        let BestTilings { legal, mut best } = self.estimated(kept, progress, cancelled)?;
        if best.is_empty() {
            return Err(SearchError::NoTiling);
        }
        if let Some(network) = self.network {
            self.ask(network, &mut best, cancelled)?;
        }
        best.truncate(self.top);
        Ok(Ranking { legal, best })
    }

    /// Returns the given tilings in order of their predicted time, without tilings that cannot run.
    pub fn rank(
        &self,
        tilings: &[P::Tiling],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<RankedTiling<P::Tiling>>, SearchError> {
        self.check()?;
        let megahertz = f64::from(self.gpu.part.boost_mhz.value);
        let ranked = tilings.iter().filter_map(|tiling| {
            let estimate = self.problem.estimate(tiling, self.gpu)?;
            Some(RankedTiling { tiling: *tiling, microseconds: estimate.cycles / megahertz, estimate })
        });
        let mut ranked: Vec<_> = ranked.collect();
        match self.network {
            Some(network) => self.ask(network, &mut ranked, cancelled)?,
            None => ranked.sort_unstable_by(order),
        }
        Ok(ranked)
    }

    /// Checks that both models support the problem and the GPU.
    fn check(&self) -> Result<(), SearchError> {
        if self.gpu.arch.pipeline.is_none() {
            return Err(SearchError::NotCalibrated(self.gpu.part.name.clone()));
        }
        match self.network.map(|network| network.about().problem) {
            Some(found) if found != P::KIND => Err(SearchError::WrongProblem { found, expected: P::KIND }),
            _ => Ok(()),
        }
    }

    /// Returns the `kept` best tilings by the static model, from fastest to slowest.
    fn estimated(
        &self,
        kept: usize,
        progress: &mut dyn FnMut(usize, usize),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<BestTilings<P::Tiling>, SearchError> {
        let beginnings = P::SPACE.beginnings(DIVIDED_BY);
        let outline = self.problem.outline();
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let all = Mutex::new(BestTilings::default());
        let work = |go_on: &mut dyn FnMut() -> bool| {
            let mut chosen = BestTilings::default();
            while go_on() {
                let Some(beginning) = beginnings.get(next.fetch_add(1, Memory::Relaxed)) else { break };
                self.estimate_from(&outline, beginning, kept, &mut chosen);
            }
            all.lock().unwrap_or_else(PoisonError::into_inner).add(chosen);
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.get().min(beginnings.len()) {
                scope.spawn(|| work(&mut || !stopped.load(Memory::Relaxed)));
            }
            work(&mut || {
                progress(next.load(Memory::Relaxed).min(beginnings.len()), beginnings.len());
                if cancelled() {
                    stopped.store(true, Memory::Relaxed);
                }
                !stopped.load(Memory::Relaxed)
            });
        });
        if stopped.into_inner() {
            return Err(SearchError::Cancelled);
        }
        let mut chosen = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        chosen.cut(kept);
        chosen.best.sort_unstable_by(order);
        Ok(chosen)
    }

    fn estimate_from(
        &self,
        outline: &P::Outline,
        beginning: &[u32],
        kept: usize,
        chosen: &mut BestTilings<P::Tiling>,
    ) {
        let megahertz = f64::from(self.gpu.part.boost_mhz.value);
        self.problem.each_legal(outline, self.gpu, beginning, &mut |tiling, estimate| {
            chosen.legal += 1;
            chosen.best.push(RankedTiling { tiling, microseconds: estimate.cycles / megahertz, estimate });
            if chosen.best.len() >= 2 * kept.max(MIN_KEPT) {
                chosen.cut(kept);
            }
        });
    }

    /// Replaces the times with the network's predictions and sorts by them.
    fn ask(
        &self,
        network: &Network,
        best: &mut [RankedTiling<P::Tiling>],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), SearchError> {
        let of_problem = self.problem.values();
        let parameters = P::SPACE.parameters.iter().map(|(name, _)| *name);
        let columns: Vec<&str> =
            P::KIND.problem_columns().iter().copied().chain(parameters).chain(Estimate::COLUMNS).collect();
        let row = |ranked: &RankedTiling<P::Tiling>| -> Vec<f64> {
            let tiling = P::point(&ranked.tiling).into_iter().map(f64::from);
            of_problem.iter().copied().chain(tiling).chain(ranked.estimate.columns(self.gpu)).collect()
        };
        let features = Features::new(P::KIND, &columns, &network.about().features)?;
        let Some(first) = best.first() else { return Ok(()) };
        let mut shared = vec![0.0; features.of_problem()];
        features.evaluate_problem(&row(first), &mut shared);
        let query = network.for_problem(&shared)?;
        let fill = |at: usize, out: &mut [f32]| features.evaluate_kernel(&row(&best[at]), out);
        let rates = query.predict(best.len(), &fill, self.threads, cancelled);
        let rates = rates.ok_or(SearchError::Cancelled)?;
        for (ranked, rate) in best.iter_mut().zip(rates) {
            ranked.microseconds = self.problem.flops() / f64::from(rate).exp() * 1e6;
        }
        best.sort_unstable_by(order);
        Ok(())
    }
}

/// Number of leading parameters of the space. Each combination of their values is a part of the search, which one thread
/// handles.
const DIVIDED_BY: usize = 4; // limit: all cores stay busy until the end
/// A thread drops all but the best tilings when it holds twice this number, or twice the number to keep if that is larger.
const MIN_KEPT: usize = 1000; // limit: memory and time of a sort
/// Tilings that a thread has found.
#[derive(Debug)]
struct BestTilings<T> {
    legal: usize,
    best: Vec<RankedTiling<T>>,
}

impl<T> Default for BestTilings<T> {
    fn default() -> Self {
        Self { legal: 0, best: Vec::new() }
    }
}

impl<T: Ord> BestTilings<T> {
    fn add(&mut self, mut other: Self) {
        self.legal += other.legal;
        self.best.append(&mut other.best);
    }

    /// Drops all tilings except the `kept` best.
    fn cut(&mut self, kept: usize) {
        if kept < self.best.len() {
            self.best.select_nth_unstable_by(kept, order);
            self.best.truncate(kept);
        }
    }
}

/// Order of tilings, the fastest first. The order does not depend on the number of threads.
fn order<T: Ord>(one: &RankedTiling<T>, other: &RankedTiling<T>) -> Ordering {
    one.microseconds.total_cmp(&other.microseconds).then_with(|| one.tiling.cmp(&other.tiling))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Conv;
    use crate::Element;
    use crate::gemm::{Gemm, Tiling};
    use crate::network::{Layer, NetworkMetadata, Scaling};
    use machine::Machine;
    use ndarray::{Array1, Array2};

    const GEMM: Gemm =
        Gemm { m: 32, n: 24, k: 64, element: Element::F32, a_transposed: false, b_transposed: true };
    const THREADS: NonZeroUsize = NonZeroUsize::new(3).expect("three is not zero");

    fn h100() -> Gpu {
        Machine::builtin().gpu("h100-sxm").unwrap()
    }

    /// A network whose logarithm of the throughput is a sum of features with these weights.
    fn network(problem: ProblemKind, features: &[(&str, f32)]) -> Network {
        let count = features.len();
        let about = NetworkMetadata {
            problem,
            gpu: "a GPU".to_owned(),
            features: features.iter().map(|(name, _)| (*name).to_owned()).collect(),
            hidden: Vec::new(),
            samples: 1,
            date: "2026-11-27".to_owned(),
            errors: Vec::new(),
        };
        let weights = features.iter().map(|(_, weight)| *weight).collect();
        let layer =
            Layer { weights: Array2::from_shape_vec((count, 1), weights).unwrap(), bias: Array1::zeros(1) };
        Network::new(about, Scaling { mean: vec![0.0; count], scale: vec![1.0; count] }, vec![layer]).unwrap()
    }

    #[test]
    fn all_legal_tilings_are_ranked_by_the_static_model() {
        let gpu = h100();
        let search = Search { problem: GEMM, gpu: &gpu, network: None, top: 200, threads: THREADS };
        let found = search.run(&mut |_, _| {}, &|| false).unwrap();
        let all = GEMM.all_legal(&gpu);
        let mut expected: Vec<(f64, Tiling)> = all
            .iter()
            .filter_map(|tiling| Some((GEMM.estimate(tiling, &gpu)?.cycles / 1980.0, *tiling)))
            .collect();
        expected.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        assert_eq!(found.legal, expected.len());
        assert_eq!(found.best.len(), 200);
        for (ranked, (microseconds, tiling)) in found.best.iter().zip(&expected) {
            assert_eq!((ranked.tiling, ranked.microseconds.to_bits()), (*tiling, microseconds.to_bits()));
        }
        let alone = Search { threads: NonZeroUsize::MIN, ..search };
        assert_eq!(alone.run(&mut |_, _| {}, &|| false).unwrap(), found);
    }

    #[test]
    fn the_order_of_a_network_wins() {
        let gpu = h100();
        // The network prefers many stages, then wide loads of A. No other feature affects it.
        let network = network(
            ProblemKind::Gemm,
            &[("ln(m)", 0.25), ("stages", 2.0), ("vector_a", 0.01), ("occupancy", 0.0)],
        );
        let search = Search { problem: GEMM, gpu: &gpu, network: Some(&network), top: 5, threads: THREADS };
        let best = search.run(&mut |_, _| {}, &|| false).unwrap().best;
        assert_eq!(best.len(), 5);
        let Tiling { stages, vector_a, .. } = best[0].tiling;
        assert_eq!((stages, vector_a), (4, 4));
        let rate = 0.25 * 32_f64.ln() + 2.0 * 4.0 + 0.01 * 4.0;
        let expected = GEMM.flops() / rate.exp() * 1e6;
        assert!((best[0].microseconds / expected - 1.0).abs() < 1e-5, "{} {expected}", best[0].microseconds);
    }

    /// Prints the network's choice among all legal tilings, and its choice among the tilings selected by the
    /// static model.
    #[test]
    #[ignore = "a minute: cargo test --release -p tuner search -- --ignored --nocapture"]
    #[expect(clippy::print_stdout, reason = "the test is of a choice, for people")]
    fn measure_what_is_lost_by_asking_about_some() {
        fn lost<P: Problem>(problem: P) {
            let gpu = h100();
            let network = Network::shipped(P::KIND, "h100-sxm");
            let search = Search { problem, gpu: &gpu, network, top: 1, threads: THREADS };
            let chosen = search.run(&mut |_, _| {}, &|| false).unwrap();
            let all = search.rank(&problem.all_legal(&gpu), &|| false).unwrap();
            let (chosen, best) = (chosen.best[0].microseconds, all[0].microseconds);
            println!("{problem:?}: of {} tilings {best:.3} us, of {ASKED} {chosen:.3} us", all.len());
        }
        let nt = Gemm { m: 512, n: 512, k: 512, b_transposed: true, ..GEMM };
        let nn = Gemm { m: 2560, n: 16, k: 2560, b_transposed: false, ..GEMM };
        let deep = Gemm { m: 32, n: 32, k: 60_000, ..GEMM };
        [nt, nn, deep].into_iter().for_each(lost);
        let conv =
            Conv { n: 16, c: 16, h: 24, w: 240, k: 32, r: 3, s: 3, pad: 1, stride: 1, element: Element::F32 };
        let small =
            Conv { n: 16, c: 832, h: 7, w: 7, k: 128, r: 5, s: 5, pad: 2, stride: 1, element: Element::F32 };
        [conv, small].into_iter().for_each(lost);
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        let gpu = h100();
        let search = Search { problem: GEMM, gpu: &gpu, network: None, top: 5, threads: THREADS };
        assert!(matches!(search.run(&mut |_, _| {}, &|| true), Err(SearchError::Cancelled)));
        let conv = network(ProblemKind::Conv, &[("stages", 1.0)]);
        let refused = Search { network: Some(&conv), ..search }.run(&mut |_, _| {}, &|| false).unwrap_err();
        assert_eq!(refused.to_string(), "the network is for problem conv; expected gemm");
        let unknown = network(ProblemKind::Gemm, &[("moon", 1.0)]);
        let refused =
            Search { network: Some(&unknown), ..search }.run(&mut |_, _| {}, &|| false).unwrap_err();
        assert_eq!(refused.to_string(), "feature `moon` needs a column that is missing");
        let old = Machine::builtin().gpu("sm_70").unwrap();
        let refused = Search { gpu: &old, ..search }.run(&mut |_, _| {}, &|| false).unwrap_err();
        assert!(refused.to_string().starts_with("the static model has no figures for "), "{refused}");
    }
}
