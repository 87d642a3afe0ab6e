//! Ranks the configurations of a Triton kernel for a problem shape.

use super::TunedTriton;
use super::candidates::Candidate;
use super::error::TritonError;
use super::roles::{Roles, number};
use crate::Shape;
use crate::engine::cancel::{Cancel, Cancellable};
use crate::tune::outcome::{TuningOutcome, TuningRow};
use crate::words::numbers::counted;
use model::Gpu;
use model::OccupancyLimiter;
use model::paper::occupancy::{BlockNeeds, occupancy};
use syntax::triton::Precision;
use tuner::Element;
use tuner::triton::{CannotRun, Estimate, FloatProducts, Product, Tile, estimate};

/// A row with the index of its configuration in the source list, and the rank of the row.
pub(super) struct RankedRow {
    pub row: TuningRow,
    pub number: Option<usize>,
    pub standing: RowRank,
}

/// Rank of a row. Rows with known times come first, configurations that cannot run come last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RowRank {
    /// Estimated seconds.
    Timed(f64),
    /// Unknown time. The value is the fraction of the SMs' time that is idle, computed only from the
    /// distribution of blocks.
    Idle(f64),
    Unknown,
    CannotRun,
}

impl RowRank {
    fn key(self) -> (u8, f64) {
        match self {
            Self::Timed(seconds) => (0, seconds),
            Self::Idle(share) => (1, share),
            Self::Unknown => (2, 0.0),
            Self::CannotRun => (3, 0.0),
        }
    }
}

/// Ranks the configurations of a kernel for a problem shape. `Err` if nothing can be ranked.
pub(crate) fn ranked(
    own: &TunedTriton<'_>,
    shape: &Shape,
    gpu: &Gpu,
    cancel: &Cancel,
) -> Cancellable<Result<TuningOutcome, TritonError>> {
    let placed = match placed(own, shape, gpu, cancel)? {
        Ok(placed) => placed,
        Err(why) => return Ok(Err(why)),
    };
    Ok(Ok(TuningOutcome {
        kernel: own.kernel.name.clone(),
        shape: shape.to_string(),
        gpu: gpu.part.name.clone(),
        of: placed.len(),
        compiled: 0,
        ranked_by: basis(own, gpu),
        rows: placed.into_iter().map(|placed| placed.row).collect(),
        estimated_by: "static",
        is_of_triton: true,
    }))
}

/// Returns the rows sorted by rank. Rows of equal rank keep their order in the source. `Err` if nothing can
/// be ranked.
pub(super) fn placed(
    own: &TunedTriton<'_>,
    shape: &Shape,
    gpu: &Gpu,
    cancel: &Cancel,
) -> Cancellable<Result<Vec<RankedRow>, TritonError>> {
    let candidates = match own.candidates() {
        Ok(candidates) => candidates,
        Err(why) => return Ok(Err(why)),
    };
    let mut all = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        cancel.check()?;
        let of = |name: &str| candidate.number_of(name).or_else(|| shape.size(name));
        if own.tuning.holds(&of) {
            all.push(place(own, shape, gpu, &candidate));
        }
    }
    if all.is_empty() {
        return Ok(Err(TritonError::NoneAllowed { shape: shape.clone() }));
    }
    all.sort_by(|one, other| {
        let (one, other) = (one.standing.key(), other.standing.key());
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
    });
    Ok(Ok(all))
}

fn place(own: &TunedTriton<'_>, shape: &Shape, gpu: &Gpu, candidate: &Candidate) -> RankedRow {
    let mut row = empty_row(candidate);
    let standing = match &candidate.beyond {
        Some(beyond) => {
            row.problem = Some(format!("unknown: the model has no figures for {beyond}"));
            RowRank::Unknown
        }
        None if own.tuning.problem.is_some() => place_product(own, shape, gpu, candidate, &mut row),
        None => place_by_grid(own, shape, gpu, candidate, &mut row),
    };
    RankedRow { row, number: candidate.number, standing }
}

/// Ranks a matrix product by its estimated time, and fills in the row.
fn place_product(
    own: &TunedTriton<'_>,
    shape: &Shape,
    gpu: &Gpu,
    candidate: &Candidate,
    row: &mut TuningRow,
) -> RowRank {
    let tile = Roles::from_tuned(own).and_then(|roles| roles.tile(own, candidate));
    let estimated = tile.and_then(|tile| {
        let product = product(own, shape)?;
        Ok((tile, estimate(&product, &tile, gpu)?))
    });
    match estimated {
        Ok((tile, Ok(estimate))) => {
            let seconds = estimate.cycles / (f64::from(gpu.part.boost_mhz.value) * 1e6);
            fill(row, &estimate, &tile, shape, own, gpu);
            row.estimated_microseconds = Some(seconds * 1e6);
            RowRank::Timed(seconds)
        }
        Ok((_, Err(why))) => {
            if let CannotRun::Shared { needed, .. } = why {
                row.shared = Some(needed);
            }
            row.problem = Some(why.to_string());
            RowRank::CannotRun
        }
        Err(why) => {
            row.problem = Some(why.to_string());
            RowRank::Unknown
        }
    }
}

/// Returns the matrix product that the kernel computes for a problem shape.
fn product(own: &TunedTriton<'_>, shape: &Shape) -> Result<Product, TritonError> {
    let problem = own.tuning.problem.as_ref().ok_or(TritonError::NoProblem)?;
    let size = |name: &str| {
        let size = problem.size(name, shape).filter(|size| *size > 0);
        size.ok_or_else(|| TritonError::ProblemSize { size: name.to_owned(), shape: shape.clone() })
    };
    let floats = match own.kernel.precisions.first() {
        Some(Precision::Ieee) => FloatProducts::Ieee,
        Some(Precision::Tf32x3) => FloatProducts::Tf32x3,
        Some(Precision::Tf32 | Precision::Unknown(_)) | None => FloatProducts::Tf32,
    };
    Ok(Product { m: size("m")?, n: size("n")?, k: size("k")?, element: problem.element, floats })
}

fn fill(row: &mut TuningRow, own: &Estimate, tile: &Tile, shape: &Shape, of: &TunedTriton<'_>, gpu: &Gpu) {
    row.registers = Some(own.needs.registers);
    row.shared = Some(own.needs.shared);
    row.occupancy = Some(own.occupancy);
    row.occupancy_limit = Some(limiter(own.occupancy_limiter).to_owned());
    row.waves = Some(own.waves);
    row.l2_bytes = Some(own.l2_bytes).filter(|_| own.is_l2_known);
    row.dram_bytes = Some(own.dram_bytes);
    row.limiter = Some(own.limit.name().to_owned());
    row.grid = [u32::try_from(own.blocks).unwrap_or(u32::MAX), 1, 1];
    row.block = [own.needs.threads, 1, 1];
    row.sms = f64::from(gpu.part.sm_count.value);
    row.active_blocks = f64::from(own.resident_blocks);
    let (blocks, sms) = (own.blocks as f64, row.sms);
    let mut reasons = Vec::new();
    if blocks < sms {
        reasons.push(format!("{blocks:.0} of {sms:.0} SMs busy"));
    } else {
        let even = 100.0 * blocks / ((blocks / sms).ceil() * sms);
        reasons.push(format!("{blocks:.0} blocks keep the SMs {even:.0} % busy until the last block ends"));
    }
    let (m, n) = (f64::from(tile.block_m), f64::from(tile.block_n));
    if let Ok(product) = product(of, shape) {
        let reuse = 2.0 * m * n / ((m + n) * f64::from(product.element.bytes()));
        reasons.push(format!("{reuse:.0} operations per byte of the tiles"));
    }
    reasons.push(format!(
        "{} per SM at a time, limited by {}",
        counted(own.resident_blocks as usize, "block"),
        limiter(own.occupancy_limiter)
    ));
    reasons.push(format!("multiplies on {}", own.unit.name()));
    row.why = reasons.join("; ");
}

/// Ranks a configuration for which only the grid is known. The row has no time.
fn place_by_grid(
    own: &TunedTriton<'_>,
    shape: &Shape,
    gpu: &Gpu,
    candidate: &Candidate,
    row: &mut TuningRow,
) -> RowRank {
    let default = |name: &str| {
        let parameter = own.kernel.parameters.iter().find(|parameter| parameter.name == name)?;
        number(name, parameter.default.as_ref()?).ok().map(i64::from)
    };
    let of = |name: &str| candidate.number_of(name).or_else(|| shape.size(name)).or_else(|| default(name));
    let warps = match number("num_warps", &candidate.warps) {
        Ok(warps) => warps,
        Err(why) => {
            row.problem = Some(why.to_string());
            return RowRank::Unknown;
        }
    };
    let Some(blocks) = own.tuning.blocks(&of) else {
        row.problem = Some(format!("unknown: `grid` gives no number of blocks for {shape}"));
        return RowRank::Unknown;
    };
    let resources = &gpu.arch.resources;
    let threads = warps.saturating_mul(resources.warp_size);
    let resident = occupancy(resources, BlockNeeds { threads, registers: 0, shared: 0 });
    if resident.active_blocks == 0 {
        let most = resources.max_threads_per_block.value;
        row.problem = Some(CannotRun::Threads { needed: threads, most }.to_string());
        return RowRank::CannotRun;
    }
    let sms = f64::from(gpu.part.sm_count.value);
    let blocks_of = blocks as f64;
    row.grid = [u32::try_from(blocks).unwrap_or(u32::MAX), 1, 1];
    row.block = [threads, 1, 1];
    row.waves = Some(blocks_of / (f64::from(resident.active_blocks) * sms));
    let used = blocks_of / ((blocks_of / sms).ceil() * sms);
    row.why = format!(
        "{blocks_of:.0} blocks on {sms:.0} SMs, {:.0} % busy until the last block ends",
        100.0 * used
    );
    row.problem = Some(format!("time unknown without `problem`; {}", row.why));
    RowRank::Idle(1.0 - used)
}

fn empty_row(candidate: &Candidate) -> TuningRow {
    TuningRow {
        variant: candidate.words(),
        is_now: false,
        grid: [0; 3],
        block: [0; 3],
        cycles: None,
        microseconds: None,
        estimated_microseconds: None,
        times_as_fast: None,
        registers: None,
        shared: None,
        occupancy: None,
        occupancy_limit: None,
        waves: None,
        dram_bytes: None,
        l2_bytes: None,
        limiter: None,
        why: String::new(),
        problem: None,
        edits: Vec::new(),
        known_as: Vec::new(),
        sms: 0.0,
        active_blocks: 0.0,
    }
}

const fn limiter(own: OccupancyLimiter) -> &'static str {
    match own {
        OccupancyLimiter::Warps => "warps",
        OccupancyLimiter::Blocks => "the number of blocks",
        OccupancyLimiter::Registers => "registers (estimated)",
        OccupancyLimiter::Shared => "shared memory",
        OccupancyLimiter::Barriers => "barriers",
        OccupancyLimiter::Impossible => "the resource needs of a block",
    }
}

/// Returns the model and its assumptions as text: `estimated by the static model for H100 SXM5 80 GB (f16)`.
fn basis(own: &TunedTriton<'_>, gpu: &Gpu) -> String {
    let kernel = &own.kernel;
    let mut notes = Vec::new();
    match &own.tuning.problem {
        None => notes.push("only from how evenly blocks fill the GPU: `problem` is not stated".to_owned()),
        Some(problem) => {
            notes.push(match (problem.element, kernel.precisions.as_slice()) {
                (Element::F32, [] | [Precision::Tf32]) => {
                    "f32 multiplied as TF32, Triton's default".to_owned()
                }
                (Element::F32, [Precision::Unknown(why)]) => {
                    format!("f32 assumed to be multiplied as TF32, because its precision is `{why}`")
                }
                (Element::F32, [Precision::Ieee]) => "f32 multiplied as IEEE f32".to_owned(),
                (Element::F32, [Precision::Tf32x3]) => "f32 multiplied as three products of TF32".to_owned(),
                (Element::F32, _) => "f32 multiplied with the first of several precisions".to_owned(),
                (element, _) => format!("{element} with f32 sums"),
            });
            if !kernel.has_dot {
                notes.push(format!("`{}` itself has no `tl.dot`", kernel.name));
            }
            let rates = &gpu.arch.rates;
            if gpu.arch.pipeline.is_none() && rates.l2_bytes.is_none() {
                notes.push("the bandwidth of the L2 cache is unknown and ignored".to_owned());
            }
        }
    }
    let stated = kernel.configurations.as_ref();
    for gap in stated.iter().flat_map(|own| &own.gaps) {
        notes.push(format!("unknown: {gap}; there may be more configurations"));
    }
    if stated.is_none_or(|own| own.all.is_empty()) {
        notes.push("configurations from `warplens.toml`".to_owned());
    }
    format!("estimated by the static model for {} ({})", gpu.part.name, notes.join("; "))
}
