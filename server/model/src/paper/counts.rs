//! Execution counts of basic blocks.

use crate::Program;
use fixedbitset::FixedBitSet;
use machine::Flow;
use std::collections::BTreeMap;

/// Number of executions of each block by one warp, derived from a launch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BlockCounts {
    /// Count of each block. A loop with an unknown trip count counts once, and an unreachable block counts 0.
    pub of_blocks: Vec<f64>,
    /// Back edges whose trip counts the launch does not state, in text order.
    pub unknown_loops: Vec<u32>,
    /// True if there are forward branches, so that some threads skip code that is counted.
    pub has_forward_branches: bool,
}

/// Counts executions of blocks. Straight-line code and both sides of a forward branch count once. A loop counts as many
/// times as `trips` states for the address of its branch, and a function counts once per call. Counts of nested loops
/// multiply.
///
/// A loop is the code from a branch's target to the branch. Branches that share a target are one loop, and their trip
/// counts add up.
pub(super) fn counts(program: &Program, trips: &BTreeMap<u32, u64>) -> BlockCounts {
    let reached = reached(program);
    let mut of_blocks: Vec<f64> =
        (0..program.blocks.len()).map(|block| f64::from(u8::from(reached.contains(block)))).collect();
    let mut unknown_loops = Vec::new();
    let mut has_forward_branches = false;
    // Loops by first block: the last block, and the sum of the trip counts of all back edges.
    let mut loops: BTreeMap<u32, (u32, u64)> = BTreeMap::new();
    for (index, block) in program.blocks.iter().enumerate().filter(|&(index, _)| reached.contains(index)) {
        let is_fork = program.flow.successors(index as u32).len() > 1;
        let last = block.instructions.end - 1;
        let inst = &program.instructions[last as usize];
        let (Flow::Branch, Some(target)) = (inst.flow, inst.target) else {
            has_forward_branches |= inst.flow == Flow::IndirectBranch;
            continue;
        };
        if target > last {
            // An unconditional jump skips nothing that could also run.
            has_forward_branches |= is_fork;
        } else if is_fork || target != last {
            match trips.get(&inst.address) {
                None => unknown_loops.push(last),
                Some(&trips) => {
                    let head = program.instructions[target as usize].block;
                    let entry = loops.entry(head).or_insert((index as u32, 0));
                    *entry = (index as u32, entry.1.saturating_add(trips));
                }
            }
        }
    }
    for (&head, &(latch, trips)) in &loops {
        for count in &mut of_blocks[head as usize..=latch as usize] {
            *count *= trips as f64;
        }
    }
    count_calls(program, &mut of_blocks);
    BlockCounts { of_blocks, unknown_loops, has_forward_branches }
}

/// Returns the blocks reachable from the first block, or all blocks if an indirect branch may lead anywhere.
fn reached(program: &Program) -> FixedBitSet {
    let graph = program.flow_with_calls();
    let mut reached = graph.reached((!graph.is_empty()).then_some(0));
    let leads_anywhere = |block: usize| {
        let last = program.last_of(block as u32);
        last.flow == Flow::IndirectBranch && graph.successors(block as u32).is_empty()
    };
    if reached.ones().any(leads_anywhere) {
        reached.insert_range(..);
    }
    reached
}

/// Multiplies the counts of a function's blocks by the counts of the calling blocks. A function is the code
/// from its first instruction to the first unguarded return. Calls within functions are followed in text
/// order only.
fn count_calls(program: &Program, of_blocks: &mut [f64]) {
    let mut callers: BTreeMap<u32, f64> = BTreeMap::new();
    for (block, &count) in (0..).zip(of_blocks.iter()) {
        let last = program.last_of(block);
        if let (Flow::Call, Some(target)) = (last.flow, last.target) {
            *callers.entry(program.instructions[target as usize].block).or_default() += count;
        }
    }
    let mut from = 0;
    for (&first, &calls) in &callers {
        let start = first as usize;
        // A function that starts inside another's text is part of that one.
        if start < from {
            continue;
        }
        for (block, count) in (first..).zip(&mut of_blocks[start..]) {
            *count *= calls;
            from = block as usize + 1;
            if program.last_of(block).flow == Flow::Exit && program.flow.successors(block).is_empty() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::decode;

    fn of(sm: u16, instructions: &[&str], trips: &[(u32, u64)]) -> BlockCounts {
        counts(&decode(sm, instructions), &trips.iter().copied().collect())
    }

    const NESTED: [&str; 7] = [
        "MOV R0, RZ",
        "MOV R1, RZ",
        "FADD R1, R1, R2",
        "@P0 BRA 0x20",
        "FADD R3, R3, R2",
        "@P1 BRA 0x10",
        "EXIT",
    ];

    #[test]
    fn nested_loops_multiply() {
        let counted = of(90, &NESTED, &[(0x30, 10), (0x50, 3)]);
        assert_eq!(counted.of_blocks, [1.0, 3.0, 30.0, 3.0, 1.0]);
        assert!(counted.unknown_loops.is_empty() && !counted.has_forward_branches);
    }

    #[test]
    fn an_unknown_loop_counts_once_and_is_named() {
        let counted = of(90, &NESTED, &[(0x30, 10)]);
        assert_eq!(counted.of_blocks, [1.0, 1.0, 10.0, 1.0, 1.0]);
        assert_eq!(counted.unknown_loops, [5]);
    }

    #[test]
    fn two_branches_back_to_one_place_are_one_loop() {
        let code = ["FADD R1, R1, R2", "@P0 BRA 0x0", "FADD R1, R1, R2", "@P1 BRA 0x0", "EXIT"];
        let counted = of(90, &code, &[(0x10, 2), (0x30, 5)]);
        assert_eq!(counted.of_blocks, [7.0, 7.0, 1.0]);
    }

    #[test]
    fn both_sides_of_a_forward_branch_count_once() {
        let code = ["@P0 BRA 0x30", "FADD R1, R1, R2", "BRA 0x40", "FADD R1, R1, R3", "EXIT"];
        let counted = of(90, &code, &[]);
        assert_eq!(counted.of_blocks, [1.0; 4]);
        assert!(counted.has_forward_branches);
    }

    /// The padding after the last exit starts with a branch to itself, and never runs.
    #[test]
    fn padding_never_runs() {
        let counted = of(90, &["FADD R1, R1, R2", "EXIT", "BRA 0x20", "NOP", "NOP"], &[]);
        assert_eq!(counted.of_blocks, [1.0, 0.0, 0.0]);
        assert!(counted.unknown_loops.is_empty());
    }

    #[test]
    fn a_function_runs_once_for_each_call() {
        let code = ["CAL 0x20", "CAL 0x20", "MOV R0, RZ", "CAL 0x30", "EXIT", "FADD R1, R1, R2", "RET"];
        let code = code.map(|line| line.replace("0x20", "0x28").replace("0x30", "0x28"));
        let lines: Vec<&str> = code.iter().map(String::as_str).collect();
        assert_eq!(of(35, &lines, &[]).of_blocks, [1.0, 1.0, 1.0, 1.0, 3.0]);
    }

    #[test]
    fn a_second_entry_of_a_function_is_part_of_it() {
        let code = [
            "CAL 0x18",
            "CAL 0x20",
            "EXIT",
            "FADD R1, R1, R2",
            "FADD R1, R1, R2",
            "RET",
            "MOV R0, RZ",
            "RET",
        ];
        assert_eq!(of(35, &code, &[]).of_blocks, [1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn an_indirect_branch_may_lead_anywhere() {
        let counted = of(61, &["SYNC", "FADD R1, R1, R2", "EXIT"], &[]);
        assert_eq!(counted.of_blocks, [1.0, 1.0]);
    }
}
