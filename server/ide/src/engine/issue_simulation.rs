//! Issue simulation of a kernel: its inputs from the address analysis, and its results.

use crate::engine::digits::{CYCLE_DIGITS, digits};
use machine::{MemorySpace, Rule};
use model::Program;
use model::address::{Addresses, WarpThreads};
use model::launch::pointers;
use model::pipeline::{BlockIssue, Code, Reason, Stall, block_issues};
use std::ops::Range;
use syntax::sass::Chunk;

/// Results of the address analysis, sorted by instruction index.
#[derive(Debug)]
pub(crate) struct KnownAddresses {
    /// Shared-memory wavefronts or global-memory cache lines per request, for the first warp.
    requests: Box<[(u32, u32)]>,
    /// Trip counts of loops, by the index of the loop's back branch.
    trips: Box<[(u32, u32)]>,
    /// Byte offsets of pointers in constant bank 0, see [`model::launch::pointers`].
    pub pointers: Box<[u32]>,
}

impl KnownAddresses {
    pub(crate) fn new(chunk: &Chunk, program: &Program, block: [u32; 3]) -> Self {
        let addresses = Addresses::compute(chunk, program);
        let lanes = WarpThreads::first(block);
        let request = |inst: usize| match program.instructions[inst].memory?.space {
            MemorySpace::Shared => addresses.wavefronts(inst, &lanes),
            _ => addresses.lines(inst, &lanes),
        };
        let count = program.instructions.len();
        let known = |of: &dyn Fn(usize) -> Option<u32>| -> Box<[(u32, u32)]> {
            (0..count).filter_map(|inst| Some((inst as u32, of(inst)?))).collect()
        };
        Self {
            requests: known(&request),
            trips: known(&|inst| addresses.trips(inst)),
            pointers: pointers(&addresses, program),
        }
    }

    pub(crate) fn requests(&self, inst: u32) -> Option<u32> {
        value(&self.requests, inst)
    }

    pub(crate) fn trips(&self, branch: u32) -> Option<u32> {
        value(&self.trips, branch)
    }
}

fn value(known: &[(u32, u32)], inst: u32) -> Option<u32> {
    let at = known.binary_search_by_key(&inst, |&(inst, _)| inst).ok()?;
    Some(known[at].1)
}

/// Issue cycles of all instructions for a single warp, counted from the start of each basic block.
#[derive(Debug)]
pub(crate) struct Issues {
    rows: Box<[IssueRecord]>,
    /// Indices of the memory instructions with unknown addresses, in ascending order.
    unknown_requests: Box<[u32]>,
    /// Indices of the instructions without measured timing, in ascending order.
    unmeasured: Box<[u32]>,
    /// Decimal digits of the largest cycle, for aligning hints in columns.
    pub cycle_digits: usize,
}

/// Issue timing of an instruction in compact form, because listings have hundreds of thousands of
/// instructions.
#[derive(Debug, Clone, Copy)]
struct IssueRecord {
    cycle: u32,
    stall_cycles: u32,
    /// Index of the instruction that the stall waits for, or [`NO_INSTRUCTION`].
    on: u32,
    reason: Reason,
}

const NO_INSTRUCTION: u32 = u32::MAX; // limit: the largest index, which no instruction has

/// Reason why an issue cycle is only an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EstimateReason {
    /// The addresses of this memory instruction are unknown. Its request is assumed to have the lowest
    /// possible cost.
    Addresses(u32),
    /// The timing of this instruction was not measured.
    Unmeasured(u32),
}

impl Issues {
    pub(crate) fn new(code: &Code, program: &Program) -> Self {
        let issues = block_issues(code, program);
        let unmeasured = (0..code.len()).filter(|&inst| code.rule(inst) == Rule::Other);
        Self {
            rows: issues.iter().map(IssueRecord::from).collect(),
            unknown_requests: code.unknown_requests.clone().into(),
            unmeasured: unmeasured.map(|inst| inst as u32).collect(),
            cycle_digits: digits(issues.iter().map(|issue| issue.cycle).max(), CYCLE_DIGITS),
        }
    }

    pub(crate) fn issue(&self, inst: usize) -> BlockIssue {
        let row = &self.rows[inst];
        let on = (row.on != NO_INSTRUCTION).then_some(row.on);
        BlockIssue {
            cycle: row.cycle,
            stall: Stall { cycles: row.stall_cycles.into(), reason: row.reason, on },
        }
    }

    /// Returns the number of memory instructions with unknown addresses in a range.
    pub(crate) fn unknown_requests(&self, range: Range<u32>) -> u64 {
        self.unknown_requests.iter().filter(|at| range.contains(at)).count() as u64
    }

    /// Returns why the issue cycle of `inst` is an estimate. The reason is an instruction of the same block
    /// up to `inst`, or the instruction that `inst` waits for. `None` if the issue cycle is not an estimate.
    pub(crate) fn doubt(&self, program: &Program, inst: usize) -> Option<EstimateReason> {
        let start = program.blocks[program.instructions[inst].block as usize].instructions.start;
        let own = start..=inst as u32;
        let first = |all: &[u32]| all.get(all.partition_point(|&at| at < start)).copied();
        let of_block = |all: &[u32]| first(all).filter(|at| own.contains(at));
        let on = self.rows[inst].on;
        let waited = |all: &[u32]| all.binary_search(&on).is_ok().then_some(on);
        let find = |all: &[u32]| of_block(all).or_else(|| waited(all));
        let addresses = find(&self.unknown_requests).map(EstimateReason::Addresses);
        addresses.or_else(|| find(&self.unmeasured).map(EstimateReason::Unmeasured))
    }
}

impl From<&BlockIssue> for IssueRecord {
    fn from(issue: &BlockIssue) -> Self {
        Self {
            cycle: issue.cycle,
            stall_cycles: issue.stall.cycles.try_into().unwrap_or(u32::MAX),
            on: issue.stall.on.unwrap_or(NO_INSTRUCTION),
            reason: issue.stall.reason,
        }
    }
}

/// Returns a phrase that follows the name of a stall reason and describes what the warp waits for.
pub(crate) const fn meaning(reason: Reason) -> &'static str {
    match reason {
        Reason::Wait => "the stall count of the previous instruction has to elapse",
        Reason::LongScoreboard => "a load from global or local memory has not returned",
        Reason::ShortScoreboard => {
            "a result from shared memory, a special register or a transcendental function is not ready"
        }
        Reason::MioThrottle => "the queue of memory instructions is full",
        Reason::LgThrottle => "the queue of global and local memory instructions is full",
        Reason::MathPipeThrottle => "its pipe is busy with an earlier instruction",
        Reason::Dispatch => "operands are late: register ports or operand latches are busy",
        Reason::Barrier => "the warps of the block wait at a barrier",
        Reason::Membar => "a memory barrier waits for earlier memory accesses",
        Reason::BranchResolving => "the target of the previous branch is not resolved yet",
        Reason::NoInstruction => "the instruction is being fetched",
        Reason::NotSelected => "another warp was selected to issue",
    }
}
