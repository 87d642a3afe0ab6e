//! Loops of a kernel as its text shows them.

use machine::Flow;
use model::Program;
use std::collections::BTreeMap;

/// The loops of a kernel, inner and outer ones, in text order: the first instruction and the last branch back to it.
pub(crate) fn loops(program: &Program) -> impl Iterator<Item = (u32, u32)> + use<> {
    let mut ends: BTreeMap<u32, u32> = BTreeMap::new();
    for (at, inst) in (0_u32..).zip(&program.instructions) {
        // An endless loop of one branch ends many listings.
        let start = inst.target.filter(|&target| inst.flow == Flow::Branch && target < at);
        if let Some(start) = start {
            ends.insert(start, at);
        }
    }
    ends.into_iter()
}
