//! How deep trees may be, and the stack that work on the deepest ones takes.

use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};

/// Most levels of a tree of CUDA text; a part further down is unknown.
///
/// A chain of `else if` and a sum have as many levels as branches and terms, and generated code has thousands of those.
pub const DEEPEST_TREE: u32 = 4000; // limit: the stack that functions which descend a tree take

/// Most brackets of CUDA text that are open at one place; what has more is not parsed.
///
/// The parser takes up to 7 KB for each until it knows what the text is: `f<f<f<` may be comparisons or templates.
pub(crate) const MOST_OPEN_BRACKETS: usize = 25_000; // limit: memory of the parser

/// Bytes of stack of each thread that reads texts or works on their trees.
///
/// The functions that descend a tree take up to 10 KB a level. Only what is touched takes memory.
pub const STACK_BYTES: usize = 64 << 20; // limit: levels of a tree times the stack of each

/// Does work on a thread with [`STACK_BYTES`] of stack, and waits for it. A panic of the work goes on.
///
/// Where the system has no room for the thread, the work is done on the current one.
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
        (None, None) => unreachable!("the work was taken and has ended"),
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
