//! Limits for the depth of trees, and the stack size that the deepest trees require.

use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};

/// Maximum depth of a syntax tree of CUDA text, in levels. Deeper nodes are read as unknown.
///
/// A chain of `else if` has one level per branch, and a sum has one level per term. Generated code contains chains and
/// sums with thousands of levels.
pub const DEEPEST_TREE: u32 = 4000; // limit: stack of the functions that descend a tree

/// Maximum number of brackets open at one position of CUDA text. A text with more is not parsed.
pub(crate) const MAX_OPEN_BRACKETS: usize = 25_000; // limit: memory of the parser, up to 7 KB per bracket

/// Maximum number of `<` in a statement that no `>` has closed. A text with more is not parsed.
///
/// `f<f<f<` may be comparisons or templates. The parser follows both, and its time grows faster than the square of their
/// number: half a second for 2,000 and two minutes for 16,000.
pub(crate) const MAX_OPEN_ANGLES: usize = 2_000; // limit: time of the parser

/// Stack size in bytes of each thread that reads texts or works on their trees.
///
/// Functions that descend a tree use up to 10 KB per level. Only touched pages use memory.
pub const STACK_BYTES: usize = 64 << 20; // limit: levels of a tree times the stack of each

/// Runs `work` on a thread with [`STACK_BYTES`] of stack and waits for it. A panic of `work` is propagated.
///
/// If the system cannot create the thread, `work` runs on the current thread.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let mut done = None;
    let result = thread::scope(|scope| {
        let own = || done = work.take().map(|work| work());
        thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, own).map(ScopedJoinHandle::join)
    });
    if let Ok(Err(payload)) = result {
        resume_unwind(payload);
    }
    match (done, work) {
        (Some(done), _) => done,
        (None, Some(work)) => work(),
        (None, None) => unreachable!("the work was started and has ended"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_has_the_stack_and_its_panics_go_on() {
        fn sum(depth: u64) -> u64 {
            let room = std::hint::black_box([depth; 512]);
            if depth == 0 { 0 } else { room[7] + sum(depth - 1) }
        }
        assert_eq!(with_stack(|| sum(4_000)), 4_000 * 4_001 / 2);
        let caught = std::panic::catch_unwind(|| with_stack(|| std::panic::panic_any(7_u8)));
        assert_eq!(caught.expect_err("it panicked").downcast_ref::<u8>(), Some(&7));
    }
}
