//! A warpgroup's asynchronous matrix products, and the registers that they access.
//!
//! A product sets no scoreboard and waits for none. The warp waits for its results at a `WARPGROUP.DEPBAR`, and for
//! its sources at the `WARPGROUP.ARRIVE` before it. Source: the SASS that ptxas 13.0 and 13.5 generate for `sm_90a`
//! from wgmma of every type and shape.

use super::flow::mnemonic;
use super::register_accesses::RegisterAccesses;
use crate::Program;
use machine::ClassTrait;
use rustc_hash::FxHashMap;

/// The registers that the products after each `WARPGROUP.ARRIVE` read or write.
#[derive(Debug, Default)]
pub(super) struct Products {
    /// Numbers of the registers in [`RegisterAccesses`], in ascending order, by the instruction before the products.
    registers: FxHashMap<u32, Vec<u32>>,
}

impl Products {
    /// Collects the registers of the products up to the next `WARPGROUP.ARRIVE` in the text.
    pub(super) fn collect(
        program: &Program,
        touches: &RegisterAccesses,
        modifiers: &impl Fn(u32, &str) -> bool,
    ) -> Self {
        let mut registers = FxHashMap::default();
        let mut following: Vec<u32> = Vec::new();
        for inst in (0..program.instructions.len() as u32).rev() {
            if is_product(program, inst) {
                following.extend(touches.reads(inst));
                following.extend(touches.writes(inst));
            } else if precedes(program, inst, modifiers) {
                following.sort_unstable();
                following.dedup();
                registers.insert(inst, std::mem::take(&mut following));
            }
        }
        Self { registers }
    }

    /// Returns the registers whose accesses must have ended when this instruction issues; empty for instructions that
    /// precede no products.
    pub(super) fn registers(&self, inst: u32) -> &[u32] {
        self.registers.get(&inst).map_or(&[], Vec::as_slice)
    }
}

/// True for a warpgroup's matrix product, such as `HGMMA`.
pub(super) fn is_product(program: &Program, inst: u32) -> bool {
    let class = program.instructions[inst as usize].class;
    // Instructions that open a group of products have the same class.
    class.is_some_and(|class| program.arch.class(class).has(ClassTrait::Unordered))
        && mnemonic(program, inst).ends_with("GMMA")
}

/// True for an instruction at which products wait for their sources.
pub(super) fn precedes(program: &Program, inst: u32, modifiers: &impl Fn(u32, &str) -> bool) -> bool {
    mnemonic(program, inst) == "WARPGROUP" && modifiers(inst, "ARRIVE")
}

/// True for an instruction that waits until products are complete. Its code cannot contain a wait for a scoreboard.
pub(super) fn is_wait(program: &Program, inst: u32, modifiers: &impl Fn(u32, &str) -> bool) -> bool {
    mnemonic(program, inst) == "WARPGROUP" && !modifiers(inst, "ARRIVE")
}
