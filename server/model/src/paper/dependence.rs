//! Dependences and their lengths: Algorithm 2 with Equation 7.

use crate::{DependsOn, LatencyKind, Program, Register, RegisterFile};
use machine::{Arch, Latency, MemorySpace};
use std::ops::Range;

/// Equation 7: `Latency_amat = Latency_global x Miss_ratio + Latency_hit`, in cycles.
///
/// `latency_global` is the latency that a miss adds to a hit. The paper calls this term the latency of global
/// memory and says that it "determines the upper bound" at a miss ratio of 1. A load that misses takes the
/// 190 cycles of Table 2 in total. Adding a hit to these 190 cycles would count the hit twice. See
/// [`global_latency`].
pub fn average_access_time(latency_global: f64, miss_ratio: MissRatio, latency_hit: f64) -> f64 {
    latency_global * miss_ratio.value() + latency_hit
}

/// Share of global accesses that miss, 0 to 1. The default is 1, as in the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MissRatio(f64);

impl MissRatio {
    /// Creates a ratio. A value outside 0 to 1 is clamped, and NaN becomes 1.
    pub fn new(ratio: f64) -> Self {
        Self(if ratio.is_nan() { 1.0 } else { ratio.clamp(0.0, 1.0) })
    }

    /// Returns the ratio, 0 to 1.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl Default for MissRatio {
    fn default() -> Self {
        Self(1.0)
    }
}

/// Returns the latency of a load from global memory, in cycles, by Equation 7 with an L1 hit and DRAM.
pub fn global_latency(arch: &Arch, miss_ratio: MissRatio) -> u32 {
    let hit = f64::from(arch.memory.l1_hit.value);
    let miss = (f64::from(arch.memory.dram.value) - hit).max(0.0);
    average_access_time(miss, miss_ratio, hit).round() as u32
}

/// The latencies of an architecture at a miss ratio.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Latencies<'a> {
    arch: &'a Arch,
    global: u32,
}

impl<'a> Latencies<'a> {
    pub(crate) fn new(arch: &'a Arch, miss_ratio: MissRatio) -> Self {
        Self { arch, global: global_latency(arch, miss_ratio) }
    }

    /// Returns the cycles from the dispatch of an instruction until its result can be used, by the
    /// instruction's class. `None` for an unknown class.
    pub(crate) fn latency(self, program: &Program, writer: usize) -> Option<(u32, LatencyKind)> {
        let inst = &program.instructions[writer];
        let class = self.arch.class(inst.class?);
        if is_global_load(inst.memory) {
            return Some((self.global, LatencyKind::Variable));
        }
        Some((class.latency.cycles().value, kind_of(&class.latency)))
    }

    /// Returns [`Self::latency`] for one reader, because forwarding to the reader's class may be faster or
    /// slower.
    ///
    /// Line 16 of Algorithm 2 looks up the latency by the writer only. A guard therefore counts like any
    /// operand here, although the hardware reads a guard earlier.
    fn between(self, program: &Program, writer: usize, reader: usize) -> (u32, LatencyKind) {
        let class = |index: usize| program.instructions[index].class;
        let pair = class(writer).zip(class(reader));
        match pair.and_then(|(writer, reader)| self.arch.raw_latency(writer, reader)) {
            Some(latency) => (latency.value, LatencyKind::Fixed),
            None => self.latency(program, writer).unwrap_or((0, LatencyKind::Unknown)),
        }
    }
}

pub(crate) fn kind_of(latency: &Latency) -> LatencyKind {
    if latency.is_fixed() { LatencyKind::Fixed } else { LatencyKind::Variable }
}

/// True if the cache-miss equation applies to this access (line 13 of Algorithm 2). Local memory is in DRAM too, but a
/// thread's few words mostly stay in the cache.
pub(crate) fn is_global_load(memory: Option<crate::Memory>) -> bool {
    memory.is_some_and(|memory| {
        memory.loads && matches!(memory.space, MemorySpace::Global | MemorySpace::Generic)
    })
}

/// `regAsm` of Algorithm 2: the instruction that wrote each register last.
#[derive(Debug, Default)]
pub(crate) struct LastWriters {
    /// Last writer by file, then by register index. The value is the writer's index plus 1, or 0 if there is no writer.
    files: [Vec<u32>; RegisterFile::ALL.len()],
}

impl LastWriters {
    fn get(&self, register: Register) -> Option<u32> {
        self.files[register.file as usize].get(usize::from(register.index))?.checked_sub(1)
    }

    fn set(&mut self, register: Register, instruction: u32) {
        let file = &mut self.files[register.file as usize];
        let index = usize::from(register.index);
        if index >= file.len() {
            file.resize(index + 1, 0);
        }
        file[index] = instruction + 1;
    }
}

/// Applies Algorithm 2 to an instruction. Adds the dependences of `reader` to `out`, one entry per writer,
/// and records the registers that `reader` writes.
///
/// Writers before `block` are omitted, because Algorithm 3's DAG covers one block. `dispatch_cycles(i)` is
/// 1/E of instruction `i`. An entry's cycles are the edge weight of Algorithm 3, 1/E plus latency. Latencies
/// that count from issue to issue include 1/E, so only the excess over 1/E is added.
pub(crate) fn dependences(
    program: &Program,
    block: &Range<u32>,
    reader: u32,
    latencies: Latencies<'_>,
    dispatch_cycles: impl Fn(u32) -> u32,
    last: &mut LastWriters,
    out: &mut Vec<DependsOn>,
) {
    let inst = &program.instructions[reader as usize];
    let first = out.len();
    for access in program.reads(inst) {
        let Some(writer) = last.get(access.register).filter(|writer| block.contains(writer)) else {
            continue;
        };
        let (latency, latency_kind) = latencies.between(program, writer as usize, reader as usize);
        let dispatch = dispatch_cycles(writer);
        let cycles = if latencies.arch.latencies_exclude_dispatch {
            dispatch.saturating_add(latency)
        } else {
            dispatch.max(latency)
        };
        let entry = DependsOn { on: writer, register: access.register, cycles, latency_kind };
        match out[first..].iter_mut().find(|known| known.on == writer) {
            None => out.push(entry),
            Some(known) if known.cycles < cycles => *known = entry,
            Some(_) => {}
        }
    }
    for access in program.writes(inst) {
        last.set(access.register, reader);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_costs_the_latency_of_the_next_level() {
        assert!((average_access_time(160.0, MissRatio::default(), 30.0) - 190.0).abs() < 1e-12);
        assert!((average_access_time(160.0, MissRatio::new(0.25), 30.0) - 70.0).abs() < 1e-12);
        assert!((average_access_time(160.0, MissRatio::new(0.0), 30.0) - 30.0).abs() < 1e-12);
        for (ratio, expected) in [(-1.0, 0.0), (2.0, 1.0), (f64::NAN, 1.0), (0.5, 0.5)] {
            assert!((MissRatio::new(ratio).value() - expected).abs() < 1e-12, "{ratio}");
        }
    }
}
