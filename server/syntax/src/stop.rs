//! Early termination of long work whose result is no longer needed.
//!
//! A thread holds a token while it works. Loops that may run for long call [`check`], which unwinds to the
//! caller that set the token. No function in between passes a token or an error, and unwinding drops all
//! values on the stack. Without a token, no work ends early. rust-analyzer cancels outdated queries in the
//! same way.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static TOKEN: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Error for work that was stopped without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// Runs `work`. Returns `Err` if the token was set during the work and a call to [`check`] ended it. A panic in `work`
/// is propagated.
pub fn unless<T>(token: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let _before = RestoreOnDrop(TOKEN.replace(Some(Arc::clone(token))));
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(value) => Ok(value),
        Err(payload) if payload.is::<Stopped>() => Err(Stopped),
        Err(payload) => resume_unwind(payload),
    }
}

/// Returns if this thread's token is not set. Otherwise unwinds to the innermost [`unless`].
pub fn check() {
    let is_set = TOKEN.with_borrow(|token| token.as_ref().is_some_and(|token| token.load(Ordering::Relaxed)));
    if is_set {
        // This unwinds without a panic: the panic hook is not called, and no message is printed.
        resume_unwind(Box::new(Stopped));
    }
}

/// Number of loop steps between two checks of the token, about ten microseconds in most loops.
const STEPS: usize = 256; // limit: how late a stop is noticed

/// Calls [`check`] once every 256 steps, for loops whose steps are short.
pub fn check_at(step: usize) {
    if step.is_multiple_of(STEPS) {
        check();
    }
}

/// Restores the previous token when dropped.
struct RestoreOnDrop(Option<Arc<AtomicBool>>);

impl Drop for RestoreOnDrop {
    fn drop(&mut self) {
        TOKEN.replace(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_where_it_looks_once_the_token_is_set() {
        let token = Arc::new(AtomicBool::new(false));
        let mut steps = 0;
        let ended = unless(&token, || {
            for step in 0..10_000 {
                check_at(step);
                steps = step;
                token.store(step >= 1_000, Ordering::Relaxed);
            }
        });
        assert_eq!(ended, Err(Stopped));
        assert!((1_000..1_000 + STEPS).contains(&steps), "{steps} steps");
        // The token is no longer set.
        check();
    }

    #[test]
    fn work_within_work_has_a_token_of_its_own() {
        let (outer, inner) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(true)));
        let done = unless(&outer, || {
            let within = unless(&inner, check);
            check();
            within
        });
        assert_eq!(done, Ok(Err(Stopped)));
    }

    #[test]
    fn a_panic_goes_on() {
        let token = Arc::new(AtomicBool::new(false));
        let caught = catch_unwind(AssertUnwindSafe(|| unless(&token, || std::panic::panic_any(7_u8))));
        assert_eq!(caught.expect_err("it panicked").downcast_ref::<u8>(), Some(&7));
    }
}
