//! Runs a sample of a launch's warps. Counts the executions of each instruction, and measures the cost of its
//! memory requests.

use super::code::Code;
use super::issued::{AccessState, IssuedInstruction};
use super::lanes::WARP;
use super::sample::{place_of, sampled};
use super::warp::Warp;
use crate::Launch;
use crate::address::WarpThreads;
use crate::requests::{Request, Sectors, SharedKind, Wavefronts, global, global_reduction, shared};
use machine::{Arch, MemorySpace};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Limits on the sample of warps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleLimits {
    /// Maximum number of warps.
    pub warps: u64,
    /// Approximate maximum number of instructions over all sampled warps.
    pub instructions: u64,
}

/// Number of instructions after which sampling stops if all warps so far had equal counts and costs.
const ENOUGH: u64 = 200_000; // limit: time

/// Minimum number of sampled warps, which are spread over the grid.
const MIN_WARPS: u64 = 2; // limit: one warp alone may be special

/// Results of a sample of a launch's warps.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// Number of warps that were run.
    pub warps: u64,
    /// Number of warps in the launch.
    pub all_warps: u64,
    /// Counts by instruction.
    pub counts: Vec<Counts>,
    /// Memory use of each instruction that accesses memory and was run.
    pub uses: FxHashMap<u32, MemoryUse>,
    /// Branches of loops whose trip count depends on data and is not stated.
    pub guessed_trips: BTreeSet<u32>,
    /// Branches whose outcome the launch does not determine, and accesses whose active lanes the launch does
    /// not determine.
    pub undecided: BTreeSet<u32>,
    /// Branches whose outcome was assumed, from a loop's stated trip count or because slow paths are rare.
    pub assumed: BTreeSet<u32>,
    /// Atomics whose results are assumed: the counter starts at 0, unless the launch states its contents, and the blocks
    /// add in turn.
    pub counters: BTreeSet<u32>,
    /// True if a warp was stopped because it exceeded the instruction limit.
    pub is_cut: bool,
    /// True if the instruction limit ended the sample before the requested number of warps. A higher limit
    /// may change the means.
    pub is_short: bool,
}

/// Execution counts of one instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    /// Mean number of executions per warp.
    pub executed: f64,
    /// Mean number of active lanes per execution.
    pub lanes: f64,
    /// Mean number of lanes per execution that reach the instruction, whether or not their guard is true.
    pub present: f64,
    /// Share of the executions after which the lanes diverge.
    pub parted: f64,
}

/// Mean cost of an instruction's requests over its executions. An execution without active lanes has no cost.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryUse {
    pub space: MemorySpace,
    pub bytes_per_lane: u32,
    /// Share of executions in which any lane is active, 0 to 1.
    pub on: f64,
    /// True if the addresses of all requests were known. The costs are means over the requests with known
    /// addresses.
    pub known: bool,
    /// Distinct bytes of shared memory that the lanes access.
    pub bytes: f64,
    /// Shared memory wavefronts.
    pub wavefronts: f64,
    pub wavefronts_ideal: f64,
    /// Global memory sectors.
    pub sectors: f64,
    pub sectors_ideal: f64,
    /// Global memory cache lines.
    pub lines: f64,
    /// True if a lane's address is not a multiple of the access size. The hardware raises an error for such
    /// an address.
    pub misaligned: bool,
    /// The costliest request, or a misaligned request, for display.
    pub worst: Option<CostliestRequest>,
}

/// The costliest request of an instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct CostliestRequest {
    pub request: Request,
    /// Addresses in shared memory that a copy writes to.
    pub destination: Option<Request>,
    /// Wavefronts or sectors of the request.
    pub taken: u32,
    pub warp: u32,
    pub ctaid: [u32; 3],
}

impl MemoryUse {
    fn new(space: MemorySpace, bytes_per_lane: u32) -> Self {
        Self {
            space,
            bytes_per_lane,
            on: 0.0,
            known: true,
            bytes: 0.0,
            wavefronts: 0.0,
            wavefronts_ideal: 0.0,
            sectors: 0.0,
            sectors_ideal: 0.0,
            lines: 0.0,
            misaligned: false,
            worst: None,
        }
    }
}

/// Cost of a request to shared memory, to global memory, or to both.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    /// Distinct bytes of shared memory that the lanes access.
    pub bytes: u64,
    pub shared: Option<Wavefronts>,
    pub global: Option<Sectors>,
}

/// Totals of the warps that were run so far.
#[derive(Debug, Clone)]
struct SampleTotals {
    /// Executions of each instruction.
    executed: Vec<Executions>,
    /// Sums over the requests of each instruction that accesses memory.
    sums: FxHashMap<u32, Sums>,
}

/// Executions of one instruction by all warps so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Executions {
    times: u64,
    /// Active lanes, summed over the executions.
    lanes: u64,
    /// Lanes that reached the instruction, summed over the executions.
    present: u64,
    /// Number of executions after which the lanes diverged.
    parted: u64,
}

impl Executions {
    fn add(&mut self, lanes: u32, present: u32, has_parted: bool) {
        self.times += 1;
        self.lanes += u64::from(lanes.count_ones());
        self.present += u64::from(present.count_ones());
        self.parted += u64::from(has_parted);
    }

    const fn times(self, factor: u64) -> Self {
        Self {
            times: factor * self.times,
            lanes: factor * self.lanes,
            present: factor * self.present,
            parted: factor * self.parted,
        }
    }

    fn counts(self, warps: f64) -> Counts {
        let each = |sum: u64| if self.times == 0 { 0.0 } else { sum as f64 / self.times as f64 };
        Counts {
            executed: self.times as f64 / warps,
            lanes: each(self.lanes),
            present: each(self.present),
            parted: each(self.parted),
        }
    }
}

impl SampleTotals {
    /// True if every count and every cost is `times` times that of `other`.
    fn is_times(&self, other: &Self, times: u64) -> bool {
        let is_similar = |(own, other): (&Executions, &Executions)| *own == other.times(times);
        self.executed.iter().zip(&other.executed).all(is_similar)
            && self.sums.len() == other.sums.len()
            && self
                .sums
                .iter()
                .all(|(inst, own)| other.sums.get(inst).is_some_and(|other| own.is_times(other, times)))
    }
}

/// Sums over the requests of one instruction.
#[derive(Debug, Clone)]
struct Sums {
    executed: u64,
    requests: u64,
    known: u64,
    of: MemoryUse,
    /// The last request and its cost: a loop mostly repeats the same pattern.
    last: Option<(Pattern, Cost)>,
}

/// Address pattern of a request, which determines its cost.
#[derive(Debug, Clone)]
struct Pattern {
    active: u32,
    /// Byte distance of each active lane's address from the first active lane's address; 0 for inactive lanes.
    distances: [u64; WARP],
    /// Offset of the first lane's address within its line.
    base: u64,
}

impl Pattern {
    fn from_request(request: &Request, line_bytes: u32) -> Self {
        let distances = std::array::from_fn(|lane| distance(request, lane));
        Self { active: request.active, distances, base: base(request, line_bytes) }
    }

    fn is_of(&self, request: &Request, line_bytes: u32) -> bool {
        let differs = |lane: usize| distance(request, lane) ^ self.distances[lane];
        self.active == request.active
            && self.base == base(request, line_bytes)
            && (0..WARP).fold(0, |all, lane| all | differs(lane)) == 0
    }
}

fn first(request: &Request) -> u64 {
    request.addresses[request.active.trailing_zeros() as usize % WARP]
}

fn base(request: &Request, line_bytes: u32) -> u64 {
    first(request) % u64::from(line_bytes.max(1))
}

fn distance(request: &Request, lane: usize) -> u64 {
    let takes_part = u64::from(request.active >> lane & 1).wrapping_neg();
    request.addresses[lane].wrapping_sub(first(request)) & takes_part
}

impl Survey {
    /// Runs warps of a launch on a GPU of the given architecture: all warps if the launch is small, otherwise
    /// a sample spread over the grid. The sample is smaller if the warps are long and have equal counts.
    pub fn run(code: &Code, gpu: &Arch, launch: &Launch, effort: SampleLimits) -> Self {
        let per_block = u64::from(launch.threads_per_block().div_ceil(gpu.resources.warp_size.max(1)));
        let all_warps = launch.blocks().saturating_mul(per_block);
        let count = all_warps.min(effort.warps);
        let mut survey = Self { all_warps, ..Self::default() };
        let mut done =
            SampleTotals { executed: vec![Executions::default(); code.len()], sums: FxHashMap::default() };
        let mut first: Option<SampleTotals> = None;
        let mut all = 0_u64;
        let mut left = effort.instructions;
        for index in 0..count {
            let (block, number) = sampled(index, count, launch.blocks(), per_block);
            let place = place_of(launch, block, number as u32);
            let mut warp = Warp::new(code, launch, &place);
            let most = left.max(effort.instructions / 4);
            let mut steps = 0;
            loop {
                if let Some(idle) = warp.run_idle(code, most - steps) {
                    let row = idle.first as usize..(idle.first + idle.count) as usize;
                    for executions in &mut done.executed[row] {
                        executions.add(idle.lanes, idle.lanes, false);
                    }
                    steps += u64::from(idle.count);
                } else {
                    let Some(ran) = warp.step(code) else { break };
                    done.executed[ran.inst as usize].add(ran.active, ran.lanes, warp.has_parted());
                    if ran.is_guessed {
                        survey.guessed_trips.insert(ran.inst);
                    }
                    if ran.is_undecided || ran.is_guessed {
                        survey.undecided.insert(ran.inst);
                    }
                    if ran.is_assumed {
                        survey.assumed.insert(ran.inst);
                    }
                    if ran.access != AccessState::Nothing && code.draws(ran.inst) {
                        survey.counters.insert(ran.inst);
                    }
                    if ran.access != AccessState::Nothing {
                        note(&mut done.sums, code, gpu, &warp, &ran, &place);
                    }
                    steps += 1;
                }
                if steps >= most {
                    survey.is_cut = true;
                    break;
                }
            }
            survey.warps += 1;
            left = left.saturating_sub(steps);
            if left == 0 && survey.warps >= per_block.min(8) {
                survey.is_short = survey.warps < count;
                break;
            }
            all += steps;
            let first = first.get_or_insert_with(|| done.clone());
            if all >= ENOUGH && survey.warps >= MIN_WARPS && done.is_times(first, survey.warps) {
                break;
            }
        }
        let warps = survey.warps.max(1) as f64;
        survey.counts = done.executed.into_iter().map(|executions| executions.counts(warps)).collect();
        survey.uses = done.sums.into_iter().map(|(inst, sums)| (inst, sums.mean())).collect();
        survey
    }
}

/// Estimates the bytes of shared memory that a block uses, from its first and its last warp. `None` if
/// neither warp has an access at a known address, or if the estimate exceeds the shared memory of an SM. The
/// first `kept` bytes belong to the driver; they are excluded if no access reaches them.
pub fn shared_bytes(code: &Code, gpu: &Arch, launch: &Launch, kept: u32) -> Option<u32> {
    /// Maximum number of instructions per warp. Loops mostly reuse the same tiles.
    const MAX: u64 = 20_000; // limit: time
    let last = launch.threads_per_block().div_ceil(gpu.resources.warp_size.max(1)).saturating_sub(1);
    let mut extent: Option<(u64, u64)> = None;
    for number in [0, last] {
        let mut warp = Warp::new(code, launch, &place_of(launch, 0, number));
        for _ in 0..MAX {
            let Some(ran) = warp.step(code) else { break };
            let Some(access) =
                code.steps[ran.inst as usize].access.as_ref().filter(|_| ran.access == AccessState::Known)
            else {
                continue;
            };
            let request = match (access.space, &access.destination) {
                (MemorySpace::Shared, _) => warp.request(),
                (_, Some(_)) => warp.destination(),
                _ => continue,
            };
            let bytes = u64::from(access.kind.lane_bytes(access.bytes));
            for lane in (0..WARP).filter(|lane| request.active >> lane & 1 == 1) {
                let (from, to) = (request.addresses[lane], request.addresses[lane].saturating_add(bytes));
                let known = extent.unwrap_or((from, to));
                extent = Some((known.0.min(from), known.1.max(to)));
            }
        }
    }
    let (from, to) = extent?;
    let driver = if from >= u64::from(kept) { u64::from(kept) } else { 0 };
    u32::try_from(to - driver).ok().filter(|&bytes| bytes <= gpu.resources.shared_per_sm.value)
}

fn note(
    sums: &mut FxHashMap<u32, Sums>,
    code: &Code,
    gpu: &Arch,
    warp: &Warp,
    ran: &IssuedInstruction,
    place: &WarpThreads,
) {
    let Some(access) = &code.steps[ran.inst as usize].access else { return };
    // Their requests have neither wavefronts nor sectors of global memory.
    if access.space.is_texels() {
        return;
    }
    let sum = sums.entry(ran.inst).or_insert_with(|| Sums {
        executed: 0,
        requests: 0,
        known: 0,
        of: MemoryUse::new(access.space, access.bytes),
        last: None,
    });
    sum.executed += 1;
    if ran.access == AccessState::Off {
        return;
    }
    sum.requests += 1;
    if ran.access == AccessState::Unknown {
        sum.of.known = false;
        return;
    }
    let (request, line_bytes) = (warp.request(), gpu.requests.line_bytes.value);
    let is_copy = access.destination.is_some();
    let cost = match &sum.last {
        Some((last, cost)) if !is_copy && last.is_of(request, line_bytes) => *cost,
        _ => {
            let cost = code.cost(gpu, ran.inst, request, warp.destination());
            sum.last = Some((Pattern::from_request(request, line_bytes), cost));
            cost
        }
    };
    if cost.shared.is_none() && cost.global.is_none() && access.space != MemorySpace::Local {
        sum.of.known = false;
        let size = access.kind.lane_bytes(access.bytes).next_power_of_two();
        if !warp.request().is_aligned(size) || is_copy && !warp.destination().is_aligned(size) {
            sum.of.misaligned = true;
            sum.of.worst.get_or_insert_with(|| worst(warp, 0, is_copy, place));
        }
        return;
    }
    sum.known += 1;
    sum.of.bytes += cost.bytes as f64;
    if let Some(wavefronts) = cost.shared {
        sum.of.wavefronts += f64::from(wavefronts.taken);
        sum.of.wavefronts_ideal += f64::from(wavefronts.ideal);
    }
    if let Some(sectors) = cost.global {
        sum.of.sectors += f64::from(sectors.taken);
        sum.of.sectors_ideal += f64::from(sectors.ideal);
        sum.of.lines += f64::from(sectors.lines);
    }
    let taken = cost.global.map_or(0, |sectors| sectors.taken).max(cost.shared.map_or(0, |w| w.taken));
    if sum.of.worst.as_ref().is_none_or(|worst| worst.taken < taken) {
        sum.of.worst = Some(worst(warp, taken, is_copy, place));
    }
}

fn worst(warp: &Warp, taken: u32, is_copy: bool, place: &WarpThreads) -> CostliestRequest {
    CostliestRequest {
        request: *warp.request(),
        destination: is_copy.then(|| *warp.destination()),
        taken,
        warp: place.warp,
        ctaid: place.ctaid,
    }
}

/// Memory use of an instruction.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact about the access")]
pub(crate) struct Usage {
    pub space: MemorySpace,
    pub bytes: u32,
    /// True for a store, or for a reduction (`RED`), which the pipeline times like a store.
    pub is_store: bool,
    /// True if the instruction modifies memory and returns the old value.
    pub is_atomic: bool,
    /// Type of the operands of an atomic or a reduction; `None` for other accesses.
    pub changes: Option<AtomicType>,
    /// True for a copy from global to shared memory.
    pub is_copy: bool,
    /// True if the access bypasses the L1 cache.
    pub bypasses: bool,
    /// True for a fetch that blends texels of several rows.
    pub is_sampled: bool,
}

/// Type of the numbers that an atomic or a reduction operates on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicType {
    Integers,
    Floats,
}

impl Code {
    /// Returns the memory access of an instruction; `None` for an instruction without an address.
    pub(crate) fn access(&self, inst: u32) -> Option<Usage> {
        let access = self.steps.get(inst as usize)?.access.as_ref()?;
        Some(Usage {
            space: access.space,
            bytes: access.bytes,
            is_store: access.kind == SharedKind::Store,
            is_atomic: access.kind.is_atomic(),
            changes: (access.kind.is_atomic() || access.is_reduction).then_some(if access.is_float {
                AtomicType::Floats
            } else {
                AtomicType::Integers
            }),
            is_copy: access.destination.is_some(),
            bypasses: access.bypasses,
            is_sampled: access.coordinates.as_ref().is_some_and(|coordinates| coordinates.is_sampled()),
        })
    }

    /// Returns the number of shared memory wavefronts of a request. Accesses to other memory count as plain loads.
    pub(crate) fn wavefronts(&self, gpu: &Arch, inst: u32, request: &Request) -> Option<u32> {
        let access = self.steps[inst as usize].access.as_ref()?;
        let kind = if access.space == MemorySpace::Shared { access.kind } else { SharedKind::Load };
        Some(shared(gpu, kind, access.bytes, request)?.taken)
    }

    /// Returns the number of wavefronts in which a copy writes shared memory.
    pub(crate) fn copied_wavefronts(&self, gpu: &Arch, inst: u32, destination: &Request) -> Option<u32> {
        let access = self.steps[inst as usize].access.as_ref()?;
        Some(shared(gpu, SharedKind::Copy, access.bytes, destination)?.taken)
    }

    /// Returns the number of wavefronts of a shared memory request with unknown addresses: the maximum over typical
    /// patterns if `is_worst`, otherwise the minimum.
    pub(crate) fn unknown_wavefronts(&self, gpu: &Arch, inst: u32, active: u32, is_worst: bool) -> u64 {
        let Some(access) = &self.steps[inst as usize].access else { return 1 };
        let bytes = u64::from(access.kind.lane_bytes(access.bytes).max(1));
        let banks = u64::from(gpu.resources.shared_banks.value * gpu.resources.shared_bank_width.value);
        // One word for all lanes, adjacent words, and words in one bank.
        let patterns = [0, bytes.next_power_of_two(), banks.max(bytes).next_power_of_two()];
        let taken = patterns.into_iter().filter_map(|apart| {
            let addresses = std::array::from_fn(|lane| lane as u64 * apart);
            self.wavefronts(gpu, inst, &Request { active, addresses })
        });
        let taken = if is_worst { taken.max() } else { taken.min() };
        u64::from(taken.unwrap_or(1)).max(1)
    }

    /// Returns the cost of a request of `inst`. The cost of a copy includes its destination.
    fn cost(&self, gpu: &Arch, inst: u32, request: &Request, destination: &Request) -> Cost {
        let Some(access) = &self.steps[inst as usize].access else { return Cost::default() };
        let copied = access
            .destination
            .as_ref()
            .and_then(|_| shared(gpu, SharedKind::Copy, access.bytes, destination));
        match access.space {
            MemorySpace::Shared => {
                let bytes = request.distinct() * u64::from(access.kind.lane_bytes(access.bytes));
                Cost { bytes, shared: shared(gpu, access.kind, access.bytes, request), global: None }
            }
            MemorySpace::Global | MemorySpace::Generic => {
                let sectors = if access.is_reduction { global_reduction } else { global };
                Cost { bytes: 0, global: sectors(gpu, access.bytes, request), shared: copied }
            }
            _ => Cost::default(),
        }
    }
}

impl Sums {
    /// True if every sum is `times` times that of `other`.
    fn is_times(&self, other: &Self, times: u64) -> bool {
        let counts = |of: &Self| [of.executed, of.requests, of.known];
        let costs = |of: &Self| {
            let MemoryUse { bytes, wavefronts, wavefronts_ideal, sectors, sectors_ideal, lines, .. } = of.of;
            [bytes, wavefronts, wavefronts_ideal, sectors, sectors_ideal, lines]
        };
        // The costs are sums of whole numbers, exact in floating point.
        counts(self) == counts(other).map(|count| count * times)
            && costs(self)
                .into_iter()
                .zip(costs(other))
                .all(|(own, cost)| own.total_cmp(&(cost * times as f64)).is_eq())
    }

    fn mean(self) -> MemoryUse {
        let on = self.requests as f64 / self.executed.max(1) as f64;
        // Requests with unknown addresses are assumed to cost what the others cost.
        let known = self.known.max(1) as f64 / on.max(f64::MIN_POSITIVE);
        let of = self.of;
        MemoryUse {
            on,
            bytes: of.bytes / known,
            wavefronts: of.wavefronts / known,
            wavefronts_ideal: of.wavefronts_ideal / known,
            sectors: of.sectors / known,
            sectors_ideal: of.sectors_ideal / known,
            lines: of.lines / known,
            ..of
        }
    }
}
