//! Runs jobs on all cores and delivers their results in order.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Maximum number of results per thread that may wait for the delivery of an earlier result. It is large enough to keep
/// all threads busy, and small enough that the results of a long file are never all in memory at once.
const AHEAD: usize = 8; // limit: memory for waiting results

/// State shared by the threads.
struct State<T> {
    /// Number of the job that the next free thread takes.
    next: usize,
    /// Number of the job whose result is delivered next.
    wanted: usize,
    done: BTreeMap<usize, T>,
    /// True if no further results are wanted, or if a thread has panicked.
    is_over: bool,
}

struct Queue<T> {
    state: Mutex<State<T>>,
    /// Signals a change of the state.
    changed: Condvar,
    count: usize,
    ahead: usize,
}

/// Calls `work` for each number below `count`, on several threads. Passes the results to `take` in the order of their
/// numbers, each as soon as all earlier ones have been passed. `take` runs on the caller's thread. If it returns
/// `Break`, the work ends.
pub(super) fn in_order<T: Send, B>(
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    take: impl FnMut(T) -> ControlFlow<B>,
) -> ControlFlow<B> {
    on_threads(count, usize::MAX, work, take)
}

/// Like [`in_order`], but uses at most `max_threads` threads and returns all results.
pub(super) fn all_in_order<T: Send>(
    count: usize,
    max_threads: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mut results = Vec::with_capacity(count);
    let ControlFlow::Continue(()) = on_threads(count, max_threads, work, |result| {
        results.push(result);
        ControlFlow::<Infallible>::Continue(())
    });
    results
}

fn on_threads<T: Send, B>(
    count: usize,
    max_threads: usize,
    work: impl Fn(usize) -> T + Sync,
    mut take: impl FnMut(T) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(max_threads).min(count);
    if threads <= 1 {
        return (0..count).try_for_each(|number| take(work(number)));
    }
    let state = State { next: 0, wanted: 0, done: BTreeMap::new(), is_over: false };
    let queue = Queue { state: Mutex::new(state), changed: Condvar::new(), count, ahead: AHEAD * threads };
    thread::scope(|scope| {
        // The threads end however this scope is left.
        let _over = EndOnDrop(&queue);
        for _ in 0..threads {
            let own = || {
                let over = EndOnDrop(&queue);
                while let Some(number) = queue.take_piece() {
                    queue.put(number, work(number));
                }
                // A thread that runs out of jobs does not end the others; only a panic does.
                std::mem::forget(over);
            };
            let thread = thread::Builder::new().stack_size(ide::STACK_BYTES);
            thread.spawn_scoped(scope, own).expect("the system has room for a thread");
        }
        while let Some(result) = queue.take_result() {
            take(result)?;
        }
        ControlFlow::Continue(())
    })
}

impl<T> Queue<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, waits: impl FnMut(&mut State<T>) -> bool) -> MutexGuard<'_, State<T>> {
        self.changed.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the next job is not too far ahead of delivery, and returns its number; `None` after the
    /// last job.
    fn take_piece(&self) -> Option<usize> {
        let is_far = |state: &mut State<T>| {
            !state.is_over && state.next < self.count && state.next >= state.wanted + self.ahead
        };
        let mut state = self.wait_while(is_far);
        let number = state.next;
        if state.is_over || number >= self.count {
            return None;
        }
        state.next += 1;
        Some(number)
    }

    fn put(&self, number: usize, result: T) {
        self.lock().done.insert(number, result);
        self.changed.notify_all();
    }

    /// Waits for the next result in order; `None` after the last one.
    fn take_result(&self) -> Option<T> {
        if self.lock().wanted >= self.count {
            return None;
        }
        let is_missing = |state: &mut State<T>| !state.is_over && !state.done.contains_key(&state.wanted);
        let mut state = self.wait_while(is_missing);
        let number = state.wanted;
        let result = state.done.remove(&number);
        state.wanted += 1;
        drop(state);
        self.changed.notify_all();
        result
    }
}

/// Ends the work when this guard is dropped.
struct EndOnDrop<'a, T>(&'a Queue<T>);

impl<T> Drop for EndOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_come_in_order_whatever_the_order_of_the_work() {
        let work = |number: usize| {
            thread::sleep(Duration::from_micros(if number.is_multiple_of(7) { 900 } else { 10 }));
            number
        };
        let mut taken = Vec::new();
        let done = in_order(300, work, |number| {
            taken.push(number);
            ControlFlow::<()>::Continue(())
        });
        assert_eq!(done, ControlFlow::Continue(()));
        assert_eq!(taken, (0..300).collect::<Vec<_>>());
        let none = in_order(0, |_| panic!("there is no work"), |()| ControlFlow::Break(()));
        assert_eq!(none, ControlFlow::Continue(()));
    }

    #[test]
    fn who_takes_no_more_ends_the_work_and_few_results_wait() {
        let begun = AtomicUsize::new(0);
        let work = |number: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            number
        };
        let take = |number| {
            thread::sleep(Duration::from_millis(1));
            if number == 20 { ControlFlow::Break(number) } else { ControlFlow::Continue(()) }
        };
        assert_eq!(in_order(100_000, work, take), ControlFlow::Break(20));
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let begun = begun.into_inner();
        assert!(begun <= 22 + (AHEAD + 1) * threads, "{begun} pieces were begun for 21 results");
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_reaches_the_caller_where_several_threads_work() {
        // On one core there is no thread to panic.
        assert!(thread::available_parallelism().map_or(1, usize::from) > 1, "a scoped thread panicked");
        let work = |number: usize| assert!(number != 5, "this piece is broken");
        let _ = in_order(50, work, |()| ControlFlow::<()>::Continue(()));
    }
}
