//! Passes over the values of a function, in execution order.

mod copy_insertion;
mod dead_code;
mod load_narrowing;
mod load_widening;
mod loop_invariant;
mod peephole;
mod sinking;

use super::graph::Graph;
use super::ir::Body;

/// A pass, with its name in the literature.
#[derive(Clone, Copy)]
pub(super) struct Pass {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests find fixtures by it"))]
    pub name: &'static str,
    pub run: fn(&mut Body, &Graph),
}

/// Passes that run after translation to SSA form (with value numbering) and before instruction selection, in
/// execution order.
pub(super) const PASSES: [Pass; 8] = [
    Pass { name: "dead code elimination", run: dead_code::eliminate },
    Pass { name: "load narrowing", run: load_narrowing::narrow },
    Pass { name: "load widening", run: load_widening::widen },
    Pass { name: "loop-invariant code motion", run: loop_invariant::hoist },
    Pass { name: "peephole", run: peephole::combine },
    // Peephole combining leaves dead nodes.
    Pass { name: "dead code elimination", run: dead_code::eliminate },
    Pass { name: "sinking", run: sinking::sink },
    Pass { name: "copy insertion", run: copy_insertion::insert },
];
