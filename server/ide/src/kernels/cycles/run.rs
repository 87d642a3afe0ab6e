//! Simulates a region with a given number of warps and records its issues.

use super::error::{CyclesError, RegionError};
use super::regions::{Span, TimedFunction};
use super::{Assumption, BusiestPipe, RegionCycles, Run, TimedIssue, Timeline};
use crate::Cancelled;
use crate::engine::cancel::Cancellable;
use crate::kernels::launch::stated;
use crate::kernels::places::printed;
use crate::kernels::region_recorder::RegionRecorder;
use machine::Rule;
use model::Launch;
use model::address::{Addresses, WarpThreads};
use model::pipeline::{Code, InstructionPath, NoPath, Stop, simulate};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Largest number of warp instructions simulated for a region.
const MAX_ISSUES: u64 = 100_000_000; // limit: half a minute
/// Largest number of issues in a timeline.
const MAX_STEPS: usize = 20_000; // limit: bounds the size of the answer

/// A function prepared for timing its regions.
pub(super) struct RegionTimer<'a> {
    subject: &'a TimedFunction<'a>,
    warps: &'a [u32],
    /// The first launch stated by the user; `None` if none is stated.
    launch: Option<Launch>,
    /// Threads per block along x, y and z.
    block: [u32; 3],
    addresses: Addresses,
    code: Code,
    sub_cores: u64,
}

impl<'a> RegionTimer<'a> {
    /// Prepares a function.
    pub(super) fn new(subject: &'a TimedFunction<'a>, warps: &'a [u32]) -> Result<Self, CyclesError> {
        let TimedFunction { sass, chunk, target, program } = subject;
        let gpu = &target.gpu;
        let machine = &sass.context.machine;
        let Some(figures) = &gpu.arch.pipeline else {
            let calibrated = machine.calibrated().map(|part| part.id.clone()).collect();
            return Err(CyclesError::NotCalibrated { gpu: gpu.part.id.clone(), calibrated });
        };
        if machine.gpu_for_sm(target.isa_sm).arch.sm != gpu.arch.sm {
            return Err(CyclesError::OtherArchitecture {
                function: subject.name().to_owned(),
                code_sm: target.isa_sm,
                gpu: gpu.part.id.clone(),
                gpu_sm: gpu.arch.sm,
            });
        }
        let most = gpu.arch.resources.max_warps.value;
        if let Some(&wrong) = warps.iter().find(|&&warps| warps == 0 || warps > most) {
            return Err(CyclesError::Warps { warps: wrong, most, gpu: gpu.part.id.clone() });
        }
        let launch = stated(sass, chunk, program, target);
        // The block is a row of threads. The first warp has the same threads for any length of the row.
        let row = warps.iter().fold(1, |all, &warps| all.max(warps)) * gpu.arch.resources.warp_size;
        let row = row.min(gpu.arch.resources.max_threads_per_block.value);
        let block = launch.as_ref().map_or([row, 1, 1], |launch| launch.block);
        let addresses = Addresses::compute(chunk, program);
        let lanes = WarpThreads::first(block);
        let requests = |inst| addresses.lines(inst, &lanes).or_else(|| addresses.wavefronts(inst, &lanes));
        let code = Code::new(chunk, program, requests)
            .ok_or_else(|| CyclesError::NoControlCodes { function: subject.name().to_owned() })?;
        Ok(Self { subject, warps, launch, block, addresses, code, sub_cores: figures.sub_cores() as u64 })
    }

    /// Times a region.
    pub(super) fn time(&self, span: Span) -> Cancellable<Result<RegionCycles, CyclesError>> {
        let TimedFunction { program, .. } = self.subject;
        let way = match InstructionPath::between(program, |branch| self.trips(branch), span.first, span.last)
        {
            Ok(way) => way,
            Err(why) => return Ok(Err(self.problem(&span, self.no_way(&span, why)))),
        };
        let mut runs = Vec::new();
        let mut seen = BTreeSet::new();
        for &warps in self.warps {
            let cancel = &self.subject.sass.cancel;
            let places = (span.first, span.last);
            let max_steps = if warps == 1 { MAX_STEPS } else { 0 };
            let mut watch =
                RegionRecorder::new(&self.code, places, way.path.rounds, warps, cancel).with_steps(max_steps);
            let end = simulate(&self.code, &way.path, warps, MAX_ISSUES, &mut watch);
            cancel.check()?;
            match end {
                Ok(_) => {}
                Err(Stop::Cancelled) => return Err(Cancelled),
                Err(Stop::TooLong) => {
                    let stop = RegionError::TooLong { warps, most: MAX_ISSUES };
                    return Ok(Err(self.problem(&span, stop)));
                }
            }
            let Some(cycles) = watch.region.cycles() else {
                return Ok(Err(self.problem(&span, RegionError::NotReached)));
            };
            seen.append(&mut watch.seen);
            runs.push(self.run(&watch, warps, cycles));
        }
        let assumptions = self.assumptions(&way, &seen);
        let (from, to) = (self.subject.address(span.first), self.subject.address(span.last));
        Ok(Ok(RegionCycles { name: span.name, from, to, runs, assumptions }))
    }

    fn run(&self, watch: &RegionRecorder<'_>, warps: u32, cycles: u64) -> Run {
        let stalls = watch.stalls.total().into_iter().map(|(reason, cycles)| (reason.name(), cycles));
        // If there are fewer warps than sub-cores, some sub-cores stay idle.
        let busiest = watch.pressure.busiest(cycles, self.sub_cores.min(warps.into()));
        Run {
            warps,
            cycles,
            issues: watch.issues,
            stalls: stalls.collect(),
            busiest: busiest.map(|(pipe, share)| BusiestPipe { pipe: pipe.name(), share: share.min(1.0) }),
            timeline: (warps == 1).then(|| self.timeline(watch)),
        }
    }

    fn timeline(&self, watch: &RegionRecorder<'_>) -> Timeline {
        let TimedFunction { chunk, .. } = self.subject;
        let first = watch.steps.first().map_or(0, |issue| issue.cycle);
        let mut texts: BTreeMap<u32, Arc<str>> = BTreeMap::new();
        let steps = watch.steps.iter().map(|issue| {
            let text = texts.entry(issue.inst).or_insert_with(|| printed(chunk, issue.inst as usize).into());
            // The first instruction's stall precedes the region.
            let stall_cycles = if issue.cycle == first { 0 } else { issue.stall.cycles };
            TimedIssue {
                address: self.subject.address(issue.inst),
                text: Arc::clone(text),
                cycle: issue.cycle - first,
                stall_cycles,
                reason: issue.stall.reason.name(),
                on: issue.stall.on.map(|on| self.subject.address(on)),
            }
        });
        let steps = steps.collect();
        Timeline { steps, left_out: watch.issues - watch.steps.len() as u64 }
    }

    fn problem(&self, span: &Span, why: RegionError) -> CyclesError {
        CyclesError::Region { function: self.subject.name().to_owned(), region: span.name.clone(), why }
    }

    /// Returns the loop's trip count as determined by the code, otherwise as stated by the launch.
    fn trips(&self, branch: u32) -> Option<u32> {
        self.addresses.trips(branch as usize).or_else(|| {
            let stated = self.launch.as_ref()?.trips.get(&self.subject.address(branch)).copied()?;
            Some(u32::try_from(stated).unwrap_or(u32::MAX))
        })
    }

    fn assumptions(&self, way: &InstructionPath, seen: &BTreeSet<u32>) -> Vec<Assumption> {
        let mut assumptions = Vec::new();
        let mut assume = |places: Vec<u32>, what: &str| {
            if !places.is_empty() {
                let places = places.into_iter().map(|inst| self.place(inst)).collect();
                assumptions.push(Assumption { what: what.to_owned(), places });
            }
        };
        let unknown = self.code.unknown_requests.iter().copied().filter(|inst| seen.contains(inst));
        assume(unknown.collect(), "accesses at unknown addresses are free of conflicts");
        assume(way.not_taken.clone(), "forward branches are not taken");
        let unmeasured = seen.iter().copied().filter(|&inst| self.code.rule(inst as usize) == Rule::Other);
        assume(unmeasured.collect(), "instructions without measured times have typical times");
        let asks = |inst: &u32| {
            matches!(self.code.rule(*inst as usize), Rule::Shared | Rule::Matrix | Rule::Global | Rule::Copy)
                && !self.code.unknown_requests.contains(inst)
        };
        if self.launch.is_none() && seen.iter().any(asks) {
            let [x, y, z] = self.block;
            let what = format!("a block of {x} x {y} x {z} threads");
            assumptions.push(Assumption { what, places: Vec::new() });
        }
        assumptions
    }

    /// Formats an instruction: `LDS at 0x0240`.
    fn place(&self, inst: u32) -> String {
        let TimedFunction { chunk, .. } = self.subject;
        if let Some(source) = self.subject.sass.source(chunk) {
            return source.place(inst).replace('`', "");
        }
        let mnemonic = chunk.mnemonic(&chunk.instructions()[inst as usize]);
        format!("{mnemonic} at {:#06x}", self.subject.address(inst))
    }

    /// Returns why no control-flow path through a region is known, with the key of a missing trip
    /// count.
    fn no_way(&self, span: &Span, why: NoPath) -> RegionError {
        let is_backward = span.last < span.first;
        let NoPath::Trips { address } = why else { return RegionError::NoPath { is_backward, why } };
        let TimedFunction { sass, chunk, program, .. } = self.subject;
        let branch = program.instructions.partition_point(|inst| inst.address < address) as u32;
        let key = sass.loop_key(chunk, branch, address);
        match sass.source(chunk) {
            Some(source) => RegionError::TripsOfLine { is_backward, line: source.line_of(branch), key },
            None => RegionError::Trips { is_backward, why, key },
        }
    }
}
