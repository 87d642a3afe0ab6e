//! Loops of a kernel, from the branches in its text.

use machine::Flow;
use model::Program;
use std::collections::BTreeMap;

/// Returns the loops of a kernel, inner and outer ones, in text order, as indices of the first instruction and of the
/// last branch back to it.
pub(crate) fn loops(program: &Program) -> impl Iterator<Item = (u32, u32)> + use<> {
    let mut ends: BTreeMap<u32, u32> = BTreeMap::new();
    for (at, inst) in (0_u32..).zip(&program.instructions) {
        // Many listings end in an endless loop of a single branch, which is not counted.
        let start = inst.target.filter(|&target| inst.flow == Flow::Branch && target < at);
        if let Some(start) = start {
            ends.insert(start, at);
        }
    }
    ends.into_iter()
}
