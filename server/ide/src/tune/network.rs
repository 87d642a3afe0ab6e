//! Ranks variants with the trained neural network. A variant must have the tiling of one of the tuner's
//! kernels.

use super::error::NoNetwork;
use super::plan::PlannedVariant;
use super::ranking::{RankedBy, Ranking, RankingSubject};
use crate::engine::cancel::{Cancel, Cancellable, Cancelled};
use crate::engine::launch_file::StatedProblem;
use crate::{LaunchEntry, Shape};
use machine::Gpu;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use tuner::Problem as _;
use tuner::features::{A_TRANSPOSED, B_TRANSPOSED, ELEMENT_BYTES, element_value};
use tuner::network::Network;
use tuner::{Conv, Gemm, Launch, ProblemKind, Search, SearchError, Space, Target, conv, gemm};

/// The trained network, applied to a kernel's problem on a GPU.
pub(super) struct NetworkRanking<'v> {
    network: &'v Network,
    gpu: &'v Gpu,
    cancel: &'v Cancel,
    problem: Problem,
}

/// A problem with known sizes.
enum Problem {
    Gemm(Gemm),
    Conv(Conv),
}

/// Parameters that a variant must state: at least one of each inner list. The remaining parameters of a tiling follow
/// from the launch or are 1: the kernel then does not split its sums, loads single elements and keeps one tile in
/// shared memory.
const NEEDED_BY_GEMM: [&[&str]; 4] = [&["block_m"], &["block_n"], &["depth"], &["thread_m", "thread_n"]];
const NEEDED_BY_CONV: [&[&str]; 6] =
    [&["block_k"], &["block_p"], &["block_q"], &["depth"], &["thread_k"], &["thread_q"]];

impl<'v> NetworkRanking<'v> {
    /// Creates the ranking for a kernel and a problem shape. `Err` if no network applies.
    pub(super) fn new(subject: &RankingSubject<'v>, variants: &[PlannedVariant]) -> Result<Self, NoNetwork> {
        let RankingSubject { gpu, tuning, .. } = *subject;
        let part = &gpu.part;
        if !ProblemKind::ALL.iter().any(|kind| Network::shipped(*kind, &part.id).is_some()) {
            return Err(NoNetwork::OtherGpu { gpu: part.name.clone() });
        }
        let Some(stated) = &tuning.problem else {
            return Err(NoNetwork::NoProblem { kernel: tuning.kernel.clone() });
        };
        let network = Network::shipped(stated.kind, &part.id)
            .ok_or_else(|| NoNetwork::OtherProblem { kind: stated.kind, gpu: part.name.clone() })?;
        Self::for_problem(network, stated, subject, variants)
    }

    /// Creates the ranking for the kernel's problem. `Err` if the network cannot be applied.
    fn for_problem(
        network: &'v Network,
        stated: &StatedProblem,
        subject: &RankingSubject<'v>,
        variants: &[PlannedVariant],
    ) -> Result<Self, NoNetwork> {
        let RankingSubject { gpu, tuning, shape, .. } = *subject;
        let problem = Problem::new(stated, shape)
            .ok_or_else(|| NoNetwork::NoKernel { kernel: tuning.kernel.clone(), shape: shape.clone() })?;
        let known = |name: &str| variants.first().is_some_and(|own| own.parameter(name).is_some());
        let needed = problem.needed().iter().filter(|names| !names.iter().any(|name| known(name)));
        let missing: Vec<String> = needed.map(|names| names.join(" or ")).collect();
        if !missing.is_empty() {
            return Err(NoNetwork::Unstated { kernel: tuning.kernel.clone(), parameters: missing });
        }
        let ranking = Self { network, gpu, cancel: subject.view.cancel, problem };
        // Ranking an empty list fails if the network cannot be applied.
        match ranking.times_of(&[]) {
            Ok(_) | Err(SearchError::Cancelled) => Ok(ranking),
            Err(error) => Err(NoNetwork::Search(error)),
        }
    }
}

impl Ranking for NetworkRanking<'_> {
    fn times(&self, variants: &[PlannedVariant]) -> Cancellable<Vec<Option<f64>>> {
        match self.times_of(variants) {
            Ok(times) => Ok(times),
            Err(SearchError::Cancelled) => Err(Cancelled),
            Err(_) => Ok(vec![None; variants.len()]),
        }
    }

    fn who(&self) -> RankedBy {
        RankedBy::Network { samples: self.network.about().samples }
    }
}

impl NetworkRanking<'_> {
    /// Returns the estimated seconds per variant. `None` if the tuner has no kernel with the tiling and launch of the
    /// variant.
    fn times_of(&self, variants: &[PlannedVariant]) -> Result<Vec<Option<f64>>, SearchError> {
        match self.problem {
            Problem::Gemm(gemm) => self.ask(gemm, variants, gemm_tiling),
            Problem::Conv(conv) => self.ask(conv, variants, conv_tiling),
        }
    }

    fn ask<P: tuner::Problem>(
        &self,
        problem: P,
        variants: &[PlannedVariant],
        tiling: fn(&P, &PlannedVariant, &Gpu) -> Option<P::Tiling>,
    ) -> Result<Vec<Option<f64>>, SearchError> {
        let tilings: Vec<_> = variants.iter().map(|variant| tiling(&problem, variant, self.gpu)).collect();
        let known: Vec<_> = tilings.iter().flatten().copied().collect();
        let network = Some(self.network);
        let search = Search { problem, gpu: self.gpu, network, top: known.len(), threads: NonZeroUsize::MIN };
        let ranked = search.rank(&known, &|| self.cancel.is_cancelled())?;
        let times: HashMap<_, _> =
            ranked.iter().map(|ranked| (ranked.tiling, ranked.microseconds / 1e6)).collect();
        Ok(tilings.iter().map(|tiling| times.get(tiling.as_ref()?).copied()).collect())
    }
}

impl Problem {
    /// Creates the problem for a shape. `None` if no kernel of the tuner supports these sizes.
    fn new(stated: &StatedProblem, shape: &Shape) -> Option<Self> {
        let [a_transposed, b_transposed] = stated.transposed;
        let is = |holds: bool| Some(f64::from(u8::from(holds)));
        let value = |column: &str| match column {
            ELEMENT_BYTES => Some(element_value(stated.element)),
            A_TRANSPOSED => is(a_transposed),
            B_TRANSPOSED => is(b_transposed),
            "padding" => stated.size("pad", shape).map(f64::from),
            size => stated.size(size, shape).map(f64::from),
        };
        match stated.kind {
            ProblemKind::Gemm => {
                let gemm = Gemm::from_values(&value)?;
                (gemm.flops() > 0.0).then_some(Self::Gemm(gemm))
            }
            ProblemKind::Conv => Conv::from_values(&value).map(Self::Conv),
        }
    }

    const fn needed(&self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Gemm(_) => &NEEDED_BY_GEMM,
            Self::Conv(_) => &NEEDED_BY_CONV,
        }
    }
}

/// Returns the tiling of a GEMM variant. `None` if the tuner has no such kernel, or launches it with other
/// thread or block counts.
fn gemm_tiling(gemm: &Gemm, variant: &PlannedVariant, gpu: &Gpu) -> Option<gemm::Tiling> {
    let stated = |name: &str| variant.parameter(name);
    let [threads, blocks] = threads_and_blocks(&variant.launch)?;
    // Rows times columns per thread. `block_k` groups of threads in a block split the sum over K.
    let of_block = stated("block_m")?.checked_mul(stated("block_n")?)?;
    let of_thread = of_block.checked_mul(stated("block_k").unwrap_or(1))?.checked_div(threads)?;
    let other = |name: &str| of_thread.checked_div(stated(name)?);
    let mut tiling = gemm::Tiling::from_values(values(&gemm::SPACE, |name| match name {
        "thread_m" => stated(name).or_else(|| other("thread_n")),
        "thread_n" => stated(name).or_else(|| other("thread_m")),
        _ => Some(stated(name).unwrap_or(1)),
    })?);
    if !gemm.is_legal(&tiling, &gpu.arch.resources, Target { sm: gpu.part.sm }) {
        return None;
    }
    if stated("grid_k").is_none() {
        tiling.grid_k = splits(&gemm.launch(&tiling), blocks, &gemm::SPACE, "grid_k")?;
    }
    (gemm.fits(&tiling) && is_launched(&gemm.launch(&tiling), threads, blocks)).then_some(tiling)
}

/// Returns the tiling of a convolution variant. `None` as in [`gemm_tiling`].
fn conv_tiling(conv: &Conv, variant: &PlannedVariant, gpu: &Gpu) -> Option<conv::Tiling> {
    let stated = |name: &str| variant.parameter(name);
    let [threads, blocks] = threads_and_blocks(&variant.launch)?;
    let mut tiling = conv::Tiling::from_values(values(&conv::SPACE, |name| Some(stated(name).unwrap_or(1)))?);
    if !conv.is_legal(&tiling, &gpu.arch.resources, Target { sm: gpu.part.sm }) {
        return None;
    }
    if stated("grid_c").is_none() {
        tiling.grid_c = splits(&conv.launch(&tiling), blocks, &conv::SPACE, "grid_c")?;
    }
    (conv.fits(&tiling) && is_launched(&conv.launch(&tiling), threads, blocks)).then_some(tiling)
}

/// Returns the threads per block and the blocks per grid. `None` on overflow.
fn threads_and_blocks(launch: &LaunchEntry) -> Option<[i64; 2]> {
    let product = |sizes: [u32; 3]| sizes.iter().try_fold(1_i64, |all, size| all.checked_mul((*size).into()));
    Some([product(launch.block)?, product(launch.grid)?])
}

/// Returns the number of blocks that a sum is split over: the blocks of the grid divided by the blocks of
/// `whole`, a launch that splits no sums. `None` if the parameter cannot have this value.
fn splits(whole: &Launch, blocks: i64, space: &Space, name: &str) -> Option<u32> {
    let of_whole: i64 = whole.grid.iter().map(|size| i64::from(*size)).product();
    let splits = u32::try_from(blocks.checked_div(of_whole)?).ok()?;
    let (_, values) = space.parameters.iter().find(|(own, _)| *own == name)?;
    values.contains(&splits).then_some(splits)
}

fn is_launched(launch: &Launch, threads: i64, blocks: i64) -> bool {
    let of_launch: i64 = launch.grid.iter().map(|size| i64::from(*size)).product();
    i64::from(launch.threads) == threads && of_launch == blocks
}

/// Returns the values of a tiling's parameters, in the order of the space. `None` if a value is unknown or
/// not in the space.
fn values<const N: usize>(space: &Space, known: impl Fn(&str) -> Option<i64>) -> Option<[u32; N]> {
    let all = space.parameters.iter().map(|(name, values)| {
        let value = u32::try_from(known(name)?).ok()?;
        values.contains(&value).then_some(value)
    });
    all.collect::<Option<Vec<u32>>>()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::launch_file::Variant;
    use machine::Machine;
    use tuner::Element;
    use tuner::gemm::Tiling;

    const GEMM: Gemm =
        Gemm { m: 32, n: 24, k: 64, element: Element::F32, a_transposed: false, b_transposed: true };

    fn h100() -> Gpu {
        Machine::builtin().gpu("h100-sxm").expect("machine/data has it")
    }

    fn ranking<'v>(problem: Problem, gpu: &'v Gpu, cancel: &'v Cancel) -> NetworkRanking<'v> {
        let kind = if matches!(problem, Problem::Gemm(_)) { ProblemKind::Gemm } else { ProblemKind::Conv };
        let network = Network::shipped(kind, "h100-sxm").expect("the project ships this network");
        NetworkRanking { network, gpu, cancel, problem }
    }

    fn variant(launch: &Launch, known_as: &[(&str, u32)]) -> PlannedVariant {
        PlannedVariant {
            variant: Variant(Vec::new()),
            words: String::new(),
            known_as: known_as.iter().map(|(name, value)| ((*name).to_owned(), i64::from(*value))).collect(),
            estimated_seconds: None,
            edits: Vec::new(),
            launch: LaunchEntry {
                grid: launch.grid,
                block: [launch.threads, 1, 1],
                ..LaunchEntry::default()
            },
            templates: Vec::new(),
            is_now: false,
        }
    }

    #[test]
    fn the_network_sees_what_the_search_shows_it() {
        let (gpu, cancel) = (h100(), Cancel::default());
        let ranking = ranking(Problem::Gemm(GEMM), &gpu, &cancel);
        let search = Search {
            problem: GEMM,
            gpu: &gpu,
            network: Some(ranking.network),
            top: 200,
            threads: NonZeroUsize::MIN,
        };
        let best = search.run(&mut |_, _| {}, &|| false).expect("the GPU is calibrated").best;
        let variants: Vec<PlannedVariant> =
            best.iter().map(|own| variant(&GEMM.launch(&own.tiling), &own.tiling.values())).collect();
        let times = ranking.times(&variants).expect("the request is not cancelled");
        assert_eq!(times.len(), 200);
        for (ranked, time) in best.iter().zip(times) {
            let microseconds = 1e6 * time.expect("the tuner has this tiling");
            assert!((microseconds / ranked.microseconds - 1.0).abs() < 1e-4, "{}", ranked.tiling);
        }
    }

    #[test]
    fn what_is_not_named_follows_from_the_launch_or_is_one() {
        let gpu = h100();
        let plain = [("block_m", 32), ("block_n", 16), ("depth", 8), ("thread_n", 2)];
        let tiling =
            |launch: &Launch, known_as: &[(&str, u32)]| gemm_tiling(&GEMM, &variant(launch, known_as), &gpu);
        let expected = Tiling::from_values([4, 2, 32, 16, 8, 1, 1, 1, 1, 1, 1]);
        let launch = GEMM.launch(&expected);
        assert_eq!(tiling(&launch, &plain), Some(expected));
        let split = Launch { grid: [launch.grid[0], launch.grid[1], 4], ..launch };
        assert_eq!(tiling(&split, &plain), Some(Tiling { grid_k: 4, ..expected }));
        let stated = [&plain[..], &[("grid_k", 1)]].concat();
        assert_eq!(tiling(&split, &stated), None, "the grid has more blocks than are stated");
        let more = Launch { threads: 2 * launch.threads, ..launch };
        let stated = [&plain[..], &[("thread_m", 4)]].concat();
        assert_eq!(tiling(&more, &stated), None, "some threads compute nothing");
        for wrong in [("depth", 0), ("depth", 5), ("thread_n", 0), ("block_n", 1 << 20), ("vector_a", 8)] {
            let stated = [&[wrong][..], &plain].concat();
            assert_eq!(tiling(&launch, &stated), None, "{wrong:?}");
        }
    }

    #[test]
    fn convolutions_are_known_too() {
        let (gpu, cancel) = (h100(), Cancel::default());
        let conv =
            Conv { n: 3, c: 4, h: 9, w: 40, k: 70, r: 3, s: 3, pad: 1, stride: 1, element: Element::F32 };
        let tiling = conv::Tiling::from_values([8, 1, 8, 1, 64, 4, 32, 1, 8, 1, 1, 1, 1, 1]);
        let named = [
            ("thread_k", 8),
            ("thread_q", 8),
            ("block_k", 64),
            ("block_p", 4),
            ("block_q", 32),
            ("depth", 8),
        ];
        let launch = conv.launch(&tiling);
        assert_eq!(conv_tiling(&conv, &variant(&launch, &named), &gpu), Some(tiling));
        let split = conv::Tiling { grid_c: 4, ..tiling };
        assert_eq!(conv_tiling(&conv, &variant(&conv.launch(&split), &named), &gpu), Some(split));
        let none = Launch { threads: 32, ..launch };
        assert_eq!(conv_tiling(&conv, &variant(&none, &named), &gpu), None);
        let ranking = ranking(Problem::Conv(conv), &gpu, &cancel);
        let times =
            ranking.times(&[variant(&none, &named), variant(&launch, &named)]).expect("nothing cancels it");
        assert!(times[0].is_none() && times[1].is_some_and(|seconds| seconds > 0.0), "{times:?}");
        cancel.cancel();
        assert_eq!(ranking.times(&[variant(&launch, &named)]), Err(Cancelled));
    }
}
