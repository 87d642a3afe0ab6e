//! Views, which collect statistics during a simulation.

use super::{Code, Issue, Reason, View};
use machine::Rule;
use serde::{Deserialize, Serialize};

/// Cycles from the earliest issue of one instruction to the latest issue of another instruction.
#[derive(Debug, Clone)]
pub struct Region {
    first: u32,
    last: u32,
    /// Number of rounds of the path. Only the last round is timed.
    rounds: u32,
    passed: Vec<u32>,
    begin: Option<u64>,
    end: u64,
}

impl Region {
    /// Creates a region. `rounds` is the number of rounds of the path.
    pub fn new(first: u32, last: u32, rounds: u32, warps: u32) -> Self {
        Self { first, last, rounds, passed: vec![0; warps as usize], begin: None, end: 0 }
    }

    /// Returns the cycles; `None` if no warp has passed the region.
    pub fn cycles(&self) -> Option<u64> {
        self.end.checked_sub(self.begin?)
    }

    /// True if an issue is in the last round of the region, including the region's first and last
    /// instruction.
    pub fn holds(&self, issue: &Issue) -> bool {
        self.passed[issue.warp as usize] == 2 * self.rounds - 1
            || issue.inst == self.last && self.passed[issue.warp as usize] == 2 * self.rounds
    }
}

impl View for Region {
    fn issued(&mut self, issue: &Issue) -> bool {
        let passed = &mut self.passed[issue.warp as usize];
        // In a loop, the region begins with the first iteration.
        if issue.inst == self.first && passed.is_multiple_of(2) {
            *passed += 1;
            if *passed == 2 * self.rounds - 1 {
                self.begin = Some(self.begin.map_or(issue.cycle, |begin| begin.min(issue.cycle)));
            }
        } else if issue.inst == self.last && !passed.is_multiple_of(2) {
            *passed += 1;
            if *passed == 2 * self.rounds {
                self.end = self.end.max(issue.cycle);
            }
        }
        true
    }
}

/// Stall cycles by reason. All cycles between two issues of a warp count for the last stall reason.
#[derive(Debug, Clone, Default)]
pub struct StallReasons {
    cycles: Sums,
}

/// Cycles, indexed by the discriminant of the reason.
type Sums = [u64; Reason::ALL.len()];

impl StallReasons {
    /// Returns the stall reasons with their cycles, in descending order of cycles.
    pub fn total(&self) -> Vec<(Reason, u64)> {
        sorted(self.cycles)
    }
}

fn sorted(sums: Sums) -> Vec<(Reason, u64)> {
    let all = Reason::ALL.into_iter().zip(sums).filter(|(_, cycles)| *cycles > 0);
    let mut all: Vec<(Reason, u64)> = all.collect();
    all.sort_by_key(|(reason, cycles)| (std::cmp::Reverse(*cycles), *reason));
    all
}

impl View for StallReasons {
    fn issued(&mut self, issue: &Issue) -> bool {
        self.cycles[issue.stall.reason as usize] += issue.stall.cycles;
        true
    }
}

/// Cycles in each warp state, comparable to the warp state sampling of Nsight Compute. The cycles between two issues of a
/// warp are split by stall reason.
#[derive(Debug, Clone)]
pub struct WarpStates {
    cycles: Sums,
    /// Number of issues of each instruction, and its cycles by state.
    of_instructions: Vec<(u64, Sums)>,
}

impl WarpStates {
    /// Creates the states of warps that run code of `instructions` instructions.
    pub fn new(instructions: usize) -> Self {
        Self { cycles: Sums::default(), of_instructions: vec![(0, Sums::default()); instructions] }
    }

    /// Returns the stall reasons with their cycles, in descending order of cycles.
    pub fn total(&self) -> Vec<(Reason, u64)> {
        sorted(self.cycles)
    }

    /// Returns the mean cycles per issue of each instruction, including the issue and its stalls, with the
    /// reason for most of the stall cycles. `None` for an instruction that was not issued. Cycles in which
    /// another warp was selected are omitted.
    pub fn per_issue(&self) -> impl Iterator<Item = Option<(f64, Option<Reason>)>> {
        self.of_instructions.iter().map(|(issues, sums)| {
            let waits = sorted(*sums).into_iter().filter(|(reason, _)| *reason != Reason::NotSelected);
            let waits: Vec<(Reason, u64)> = waits.collect();
            let cycles: u64 = waits.iter().map(|(_, cycles)| cycles).sum();
            let reason = waits.first().map(|(reason, _)| *reason);
            (*issues > 0).then(|| (1.0 + cycles as f64 / *issues as f64, reason))
        })
    }
}

impl View for WarpStates {
    fn issued(&mut self, issue: &Issue) -> bool {
        let own = self.of_instructions.get_mut(issue.inst as usize);
        if let Some((issues, sums)) = own {
            *issues += 1;
            for (reason, cycles) in issue.waits {
                self.cycles[reason as usize] += cycles;
                sums[reason as usize] += cycles;
            }
        }
        true
    }
}

/// Busy cycles of each pipe, summed over all sub-cores.
#[derive(Debug, Clone)]
pub struct PipePressure<'a> {
    code: &'a Code,
    /// Busy cycles, indexed by the discriminant of the pipe.
    busy: [u64; Pipe::ALL.len()],
}

/// Pipe that instructions compete for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Pipe {
    /// The issue slot of a sub-core.
    Issue,
    Alu,
    Fma,
    Fp64,
    Tensor,
    Xu,
    /// The SM's path to shared memory.
    Shared,
    /// The SM's path to the L1 cache.
    Global,
    /// The SM's texture units.
    Texture,
}

impl Pipe {
    /// True if all sub-cores share the pipe.
    pub(super) fn is_of_sm(self) -> bool {
        matches!(self, Self::Shared | Self::Global | Self::Texture)
    }

    const ALL: [Self; 9] = [
        Self::Issue,
        Self::Alu,
        Self::Fma,
        Self::Fp64,
        Self::Tensor,
        Self::Xu,
        Self::Shared,
        Self::Global,
        Self::Texture,
    ];

    /// Returns the name used in reports, such as `issue slots`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Issue => "issue slots",
            Self::Alu => "ALU",
            Self::Fma => "FMA",
            Self::Fp64 => "FP64",
            Self::Tensor => "Tensor",
            Self::Xu => "XU",
            Self::Shared => "shared memory",
            Self::Global => "L1",
            Self::Texture => "texture units",
        }
    }
}

impl<'a> PipePressure<'a> {
    /// Creates a view that has not seen an issue yet.
    pub fn new(code: &'a Code) -> Self {
        Self { code, busy: [0; Pipe::ALL.len()] }
    }

    /// Returns the busy cycles of each pipe that was used, summed over all sub-cores.
    pub fn busy(&self) -> impl Iterator<Item = (Pipe, u64)> {
        Pipe::ALL.into_iter().zip(self.busy).filter(|(_, cycles)| *cycles > 0)
    }

    /// Returns the pipe with the largest busy share of the SM's `cycles`, and this share, 0 to 1. `None` if
    /// no pipe was used.
    pub fn busiest(&self, cycles: u64, sub_cores: u64) -> Option<(Pipe, f64)> {
        self.shares(cycles, sub_cores).into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    /// Returns the share of the SM's `cycles` for which each pipe was busy, 0 to 1.
    pub fn shares(&self, cycles: u64, sub_cores: u64) -> Vec<(Pipe, f64)> {
        let share = |(pipe, busy): (Pipe, u64)| {
            let copies = if pipe.is_of_sm() { 1 } else { sub_cores };
            (pipe, busy as f64 / (cycles.max(1) * copies.max(1)) as f64)
        };
        self.busy().map(share).collect()
    }
}

impl View for PipePressure<'_> {
    fn issued(&mut self, issue: &Issue) -> bool {
        self.busy[Pipe::Issue as usize] += 1;
        if let Some((pipe, cycles)) = self.code.pressure(issue.inst) {
            self.busy[pipe as usize] += cycles;
        }
        true
    }
}

/// A pair of views. Both views are notified, and each can end the simulation.
impl<A: View, B: View> View for (A, B) {
    fn issued(&mut self, issue: &Issue) -> bool {
        let (one, other) = self;
        one.issued(issue) & other.issued(issue)
    }
}

impl Code {
    /// Returns the cycles for which an arithmetic instruction occupies its pipe; `None` for other
    /// instructions.
    pub(super) fn interval(&self, inst: u32) -> Option<u64> {
        let (pipe, cycles) = self.pressure(inst)?;
        (!pipe.is_of_sm()).then_some(cycles)
    }

    /// Returns the pipe that an instruction occupies, and the number of occupied cycles.
    fn pressure(&self, inst: u32) -> Option<(Pipe, u64)> {
        let op = &self.ops[inst as usize];
        let figures = &self.figures;
        let of = |pipe, figure: &machine::Known<u32>| Some((pipe, u64::from(figure.value)));
        match op.rule {
            Rule::Alu => of(Pipe::Alu, &figures.alu.interval),
            // Each half accepts one instruction in two cycles, so both together accept one per cycle.
            Rule::Fma => Some((Pipe::Fma, u64::from(figures.fma.interval.value).div_ceil(2))),
            Rule::Heavy | Rule::Both => of(Pipe::Fma, &figures.fma.interval),
            Rule::Wide => of(Pipe::Fma, &figures.fma.wide_interval),
            Rule::Fp64 => of(Pipe::Fp64, &figures.fp64.interval),
            Rule::TensorSmall => of(Pipe::Tensor, &figures.tensor_small.interval),
            Rule::TensorDouble => of(Pipe::Fp64, &figures.tensor_double.interval),
            Rule::TensorLarge => of(Pipe::Tensor, &figures.tensor_large.interval),
            Rule::Xu | Rule::Redux => of(Pipe::Xu, &figures.xu.busy),
            Rule::Shared | Rule::Matrix | Rule::Shuffle => Some((Pipe::Shared, op.requests)),
            Rule::Global | Rule::Copy => Some((Pipe::Global, op.requests)),
            Rule::Texture => Some((Pipe::Texture, op.requests)),
            Rule::Product => {
                let columns = u64::from(op.product?.columns);
                Some((Pipe::Tensor, columns * u64::from(figures.product.column_milli.value) / 1000))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_own_sum() {
        for (at, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, at);
        }
    }

    #[test]
    fn each_pipe_has_its_own_sum() {
        for (at, pipe) in Pipe::ALL.into_iter().enumerate() {
            assert_eq!(pipe as usize, at);
        }
    }
}
