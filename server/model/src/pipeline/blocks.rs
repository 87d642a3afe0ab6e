//! Issue cycles of a single warp in each basic block, which an editor shows next to the instructions.

use super::path::{Branch, Path};
use super::{Code, Issue, Stall, View, simulate};
use crate::Program;
use rustc_hash::FxHashMap;
use syntax::stop;

/// Issue of an instruction by a single warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockIssue {
    /// Cycle of the issue, counted from the first issue of the basic block.
    pub cycle: u32,
    pub stall: Stall,
}

/// Returns the issue of each instruction, counted from the start of its basic block. All scoreboards are
/// clear except the scoreboards set in the preceding block, and caches are warm. Runs in time linear in the number
/// of instructions.
///
/// The preceding block is the block directly above if it is a predecessor, otherwise the first predecessor.
pub fn block_issues(code: &Code, program: &Program) -> Vec<BlockIssue> {
    let mut issues = vec![BlockIssue { cycle: 0, stall: Stall::NONE }; program.instructions.len()];
    for (index, block) in program.blocks.iter().enumerate() {
        stop::check_at(index);
        let range = block.instructions.clone();
        if range.is_empty() {
            continue;
        }
        let mut path =
            Path { start: range.start, end: range.end - 1, rounds: 1, branches: FxHashMap::default() };
        if let Some(above) = before(program, index as u32).filter(|&above| above as usize != index) {
            let above = &program.blocks[above as usize].instructions;
            path.start = above.start;
            let leaves = above.end - 1;
            if above.end != range.start || program.instructions[leaves as usize].target == Some(range.start) {
                path.branches.insert(leaves, Branch { target: range.start, times: None });
            }
        }
        let mut view = BlockView { start: range.start, first: None, issues: &mut issues, is_inside: false };
        let most = 2 * program.instructions.len() as u64 + 2;
        // A path without loops cannot be too long, nor can one warp wait for others.
        let _ = simulate(code, &path, 1, most, &mut view);
    }
    issues
}

/// Returns the block directly above if it is a predecessor, otherwise the first predecessor; `None` if the block has no
/// predecessor.
fn before(program: &Program, block: u32) -> Option<u32> {
    let all = program.flow.predecessors(block);
    all.iter().find(|&&before| before + 1 == block).or(all.first()).copied()
}

struct BlockView<'a> {
    start: u32,
    first: Option<u64>,
    issues: &'a mut [BlockIssue],
    is_inside: bool,
}

impl View for BlockView<'_> {
    fn issued(&mut self, issue: &Issue) -> bool {
        self.is_inside |= issue.inst == self.start;
        if self.is_inside {
            let first = *self.first.get_or_insert(issue.cycle);
            let cycle = u32::try_from(issue.cycle - first).unwrap_or(u32::MAX);
            self.issues[issue.inst as usize] = BlockIssue { cycle, stall: issue.stall };
        }
        true
    }
}
