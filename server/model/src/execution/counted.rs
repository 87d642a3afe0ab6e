//! Measured counts of a launch, prepared for execution. The counts determine branches and addresses that the
//! code does not determine. They also override branch outcomes that the code determines differently.

use super::code::{Code, ControlTransfer, DecodedInstruction};
use super::counts::LaunchCounts;
use super::divergence::{DivergenceCounts, ExitSide};
use super::edges::Edges;
use super::guess::Guess;
use super::issued::AccessState;
use super::lanes::WARP;
use super::sample::{place_of, sampled};
use super::spread::{self, AccessCounts, Spread};
use super::survey::Survey;
use super::warp::Warp;
use crate::{InstructionCounts, Launch, MeasuredCounts};
use machine::MemorySpace;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Maximum ratio of a measured count to a derived count, or the reverse, at which the two counts are regarded as equal.
const DIFFERENCE: f64 = 1.1; // limit: less may be sampling

/// Maximum difference between a measured and a derived share of lanes at which the two shares are regarded as equal.
const SHARE_DIFFERENCE: f64 = 0.1; // limit: less may be sampling

impl LaunchCounts {
    fn new(steps: &[DecodedInstruction], counted: &[InstructionCounts], derived: &Survey) -> Self {
        let lanes = Edges::of_lanes(steps, counted);
        let warps = Edges::of_warps(steps, counted, &lanes);
        let mut counts = Self::default();
        for (at, (step, counted)) in steps.iter().zip(counted).enumerate() {
            let way = way(step, at, counted, &lanes, &warps);
            counts.differs.push(way.is_some_and(|way| differs(&way, step, at, derived)));
            counts.ways.push(way);
            counts.wavefronts.push(wavefronts(step, at, counted, derived));
            counts.has_sectors.push(counted.sectors.is_some() && counted.executed.is_some());
        }
        counts
    }
}

impl Code {
    /// Returns this code with its execution determined by the measured counts of `launch`. `derived` is a
    /// survey of the same launch without the counts.
    #[must_use]
    pub fn counted(&self, measured: &MeasuredCounts, derived: &Survey, launch: &Launch) -> Self {
        let counted = |at| measured.instructions.get(at).copied().unwrap_or_default();
        let counted: Vec<InstructionCounts> = (0..self.len()).map(counted).collect();
        let mut counts = LaunchCounts::new(&self.steps, &counted, derived);
        let led = Self { counts: Some(Arc::new(counts.clone())), ..self.clone() };
        let warps = measured.warps.unwrap_or(derived.all_warps as f64);
        let arrays = led.undecided(launch);
        counts.spreads = led.spreads(&arrays, &counted, warps);
        for (at, spread) in &counts.spreads {
            if let Spread::Anywhere { lines, .. } = *spread {
                let most = counts.anywhere.entry(arrays[at]).or_default();
                *most = lines.max(*most);
            }
        }
        Self { counts: Some(Arc::new(counts)), ..self.clone() }
    }

    /// Estimates the address distribution of each access at data-dependent addresses, by instruction. The
    /// estimate uses the counts of all such accesses to the same array.
    fn spreads(
        &self,
        arrays: &FxHashMap<u32, u64>,
        counted: &[InstructionCounts],
        warps: f64,
    ) -> FxHashMap<u32, Spread> {
        let lanes = |at: u32| counted[at as usize].on.or(counted[at as usize].lanes);
        let bytes = |at: u32| self.access(at).map_or(0.0, |access| f64::from(access.bytes));
        let mut of_arrays: FxHashMap<u64, f64> = FxHashMap::default();
        for (&at, &array) in arrays {
            *of_arrays.entry(array).or_default() += lanes(at).unwrap_or(0.0) * bytes(at);
        }
        let requests = &self.arch.requests;
        let spread = |(&at, array): (&u32, &u64)| {
            let own = &counted[at as usize];
            let executed = own.executed.filter(|executed| *executed > 0.0)?;
            let asked = AccessCounts {
                lanes: own.each(lanes(at))?,
                lines: own.each(own.lines),
                sectors: own.each(own.sectors)?,
                requests: executed,
                bytes: bytes(at),
                array_bytes: of_arrays[array],
                warps,
                warp_lanes: WARP as f64,
                line_bytes: f64::from(requests.line_bytes.value),
                sector_bytes: f64::from(requests.sector_bytes.value),
            };
            Some((at, Spread::new(&asked)))
        };
        let mut spreads: FxHashMap<u32, Spread> = arrays.iter().filter_map(spread).collect();
        // The access with the most lanes estimates its array's size best.
        let mut sizes: FxHashMap<u64, (f64, u64)> = FxHashMap::default();
        for (at, spread) in &spreads {
            if let Spread::Anywhere { lines, is_sure: true } = *spread {
                let of = sizes.entry(arrays[at]).or_default();
                let lanes = lanes(*at).unwrap_or(0.0);
                if (lanes, lines) > *of {
                    *of = (lanes, lines);
                }
            }
        }
        for (at, spread) in &mut spreads {
            if let (Spread::Anywhere { lines, .. }, Some((_, most))) = (spread, sizes.get(&arrays[at])) {
                *lines = *most;
            }
        }
        spreads
    }

    /// Runs a few warps. Returns, for each access at data-dependent addresses outside shared memory, the start
    /// of the array that it reaches, by instruction.
    fn undecided(&self, launch: &Launch) -> FxHashMap<u32, u64> {
        /// Number of warps to run.
        const WARPS: u64 = 16; // limit: time
        const MAX: u64 = 20_000; // limit: time
        let per_block = u64::from(launch.threads_per_block().div_ceil(self.arch.resources.warp_size.max(1)));
        let count = launch.blocks().saturating_mul(per_block).min(WARPS);
        let mut arrays = FxHashMap::default();
        for index in 0..count {
            let (block, number) = sampled(index, count, launch.blocks(), per_block);
            let mut warp = Warp::new(self, launch, &place_of(launch, block, number as u32));
            let mut left = MAX;
            while left > 0 {
                if let Some(idle) = warp.run_idle(self, left) {
                    left -= u64::from(idle.count);
                    continue;
                }
                let Some(ran) = warp.step(self) else { break };
                left -= 1;
                let is_wide = self.access(ran.inst).is_some_and(|access| access.space != MemorySpace::Shared);
                if ran.access == AccessState::Unknown && is_wide {
                    let request = warp.request();
                    let first = request.addresses[request.active.trailing_zeros() as usize % WARP];
                    arrays.insert(ran.inst, spread::array_of(first));
                }
            }
        }
        arrays
    }

    /// Returns the measured mean number of wavefronts per request to shared memory; `None` if the number derived from
    /// the addresses agrees, or if wavefronts were not counted.
    pub(crate) fn counted_wavefronts(&self, inst: u32) -> Option<f64> {
        *self.counts.as_ref()?.wavefronts.get(inst as usize)?
    }

    /// Returns the number of cache lines of an array over which lanes are scattered at random, according to the
    /// counts; `None` if the lanes are not scattered.
    pub(crate) fn lines_anywhere(&self, array: usize) -> Option<u64> {
        let start = (array as u64 + 1).checked_mul(Launch::ARRAY_SPACING)?;
        self.counts.as_ref()?.anywhere.get(&start).copied()
    }

    /// True if the sectors of this access were counted.
    pub(crate) fn has_counted_sectors(&self, inst: u32) -> bool {
        self.counts.as_ref().is_some_and(|counts| counts.has_sectors.get(inst as usize) == Some(&true))
    }
}

/// Returns the divergence at a conditional instruction; `None` if the instruction is unconditional or the
/// counts do not determine the divergence.
fn way(
    step: &DecodedInstruction,
    at: usize,
    counted: &InstructionCounts,
    lanes: &Edges,
    warps: &Edges,
) -> Option<DivergenceCounts> {
    if !step.is_conditional() {
        return None;
    }
    let executed = counted.executed.filter(|executed| *executed > 0.0)?;
    let mean = counted.each(counted.lanes).unwrap_or(WARP as f64).clamp(1.0, WARP as f64);
    let way = |taken: f64, warps_taken: f64, warps_stay: f64| DivergenceCounts {
        taken,
        warps_taken,
        warps_stay,
        lanes: mean,
        ends_loop: None,
    };
    if !matches!(step.transfer, ControlTransfer::Branch { .. } | ControlTransfer::Exit) {
        return guarded(counted).map(|(share, some)| {
            // The guard holds either for whole warps or for some lanes of each warp.
            let stay = if some <= share { 1.0 - share } else { 1.0 };
            way(share, some.max(share), stay)
        });
    }
    let share = |part: Option<f64>| part.map(|part| (part / executed).clamp(0.0, 1.0));
    let (taken, stay) = (share(warps.taken[at]), share(warps.falls[at]));
    let of_lanes = match (lanes.taken[at], lanes.falls[at]) {
        (Some(taken), Some(falls)) if taken + falls > 0.0 => Some(taken / (taken + falls)),
        _ => None,
    };
    let (warps_taken, warps_stay, taken) = match (taken, stay, of_lanes) {
        (Some(taken), Some(stay), of_lanes) if taken + stay > 0.0 => {
            (taken, stay, of_lanes.unwrap_or(taken / (taken + stay)))
        }
        (Some(taken), _, of_lanes) => (taken, 1.0 - taken, of_lanes.unwrap_or(taken)),
        (None, Some(stay), of_lanes) => (1.0 - stay, stay, of_lanes.unwrap_or(1.0 - stay)),
        (None, None, Some(taken)) => (taken, 1.0 - taken, taken),
        (None, None, None) => return None,
    };
    // A side needs enough warps to hold its lanes, and every warp takes at least one side.
    let most = mean / WARP as f64;
    let warps_taken = warps_taken.max(taken * most);
    let warps_stay = warps_stay.max((1.0 - taken) * most).max(1.0 - warps_taken);
    Some(DivergenceCounts { ends_loop: ends_loop(step), ..way(taken, warps_taken, warps_stay) })
}

/// Returns the share of a guarded instruction's lanes for which the guard is true, and the share of
/// executions in which the guard is true for any lane; `None` if the lanes were not counted.
fn guarded(counted: &InstructionCounts) -> Option<(f64, f64)> {
    let share = counted.on_share()?;
    let requests = counted.each(counted.lines.or(counted.wavefronts)).filter(|requests| *requests > 0.0);
    Some((share, requests.unwrap_or(1.0).min(1.0)))
}

const fn ends_loop(step: &DecodedInstruction) -> Option<ExitSide> {
    match step.transfer {
        ControlTransfer::Branch { guess: Guess::Back { .. }, .. } => Some(ExitSide::Stay),
        ControlTransfer::Branch { guess: Guess::Out { .. } | Guess::Early, .. } => Some(ExitSide::Taken),
        _ => None,
    }
}

/// True if the measured divergence at this instruction differs from the divergence that a survey derived
/// without the counts.
fn differs(way: &DivergenceCounts, step: &DecodedInstruction, at: usize, derived: &Survey) -> bool {
    let Some(counts) = derived.counts.get(at).filter(|counts| counts.executed > 0.0) else { return false };
    if derived.is_cut || counts.present <= 0.0 || !step.leaves_by_guard() {
        return false;
    }
    let taken = (counts.lanes / counts.present).clamp(0.0, 1.0);
    match way.ends_loop {
        Some(end) => {
            let passes = |taken: f64| {
                let leave = if end == ExitSide::Taken { taken } else { 1.0 - taken };
                1.0 / leave.max(1e-6)
            };
            let factor = passes(taken) / passes(way.taken);
            !(1.0 / DIFFERENCE..=DIFFERENCE).contains(&factor)
        }
        None => (taken - way.taken).abs() > SHARE_DIFFERENCE,
    }
}

/// Returns the measured wavefronts per request to shared memory; `None` if wavefronts were not counted, if
/// the number derived from the addresses agrees, or if the instruction does not access shared memory.
fn wavefronts(
    step: &DecodedInstruction,
    at: usize,
    counted: &InstructionCounts,
    derived: &Survey,
) -> Option<f64> {
    let access = step.access.as_ref()?;
    if access.space != MemorySpace::Shared {
        return None;
    }
    let each = counted.each(counted.wavefronts).filter(|each| *each > 0.0)?;
    let is_said = derived.uses.get(&(at as u32)).is_some_and(|derived| {
        derived.known && (1.0 / DIFFERENCE..=DIFFERENCE).contains(&(derived.wavefronts / each))
    });
    (!is_said).then(|| each.max(1.0))
}
