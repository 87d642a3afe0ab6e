//! Loops of a kernel, found by backward branches.

use machine::Flow;
use model::Program;
use std::collections::BTreeMap;

/// Returns all loops of a kernel, inner and outer, in text order. Each pair holds the index of the loop's first
/// instruction and the index of the last branch back to that instruction.
pub(crate) fn loops(program: &Program) -> impl Iterator<Item = (u32, u32)> + use<> {
    let mut ends: BTreeMap<u32, u32> = BTreeMap::new();
    for (at, inst) in (0_u32..).zip(&program.instructions) {
        // Many listings end in an endless loop of a single branch. Such a loop is not counted.
        let start = inst.target.filter(|&target| inst.flow == Flow::Branch && target < at);
        if let Some(start) = start {
            ends.insert(start, at);
        }
    }
    ends.into_iter()
}
