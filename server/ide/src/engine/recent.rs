//! The last few results of a kernel's model, for who asks again.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The last few results, each with what it was computed for.
#[derive(Debug)]
pub(crate) struct Recent<T>(Mutex<Vec<T>>);

/// Results that are kept: as many as a kernel has launches, mostly.
const MOST: usize = 16;

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Recent<T> {
    /// Returns what `wanted` picks of the first result that it picks anything of.
    pub(crate) fn find<R>(&self, wanted: impl FnMut(&T) -> Option<R>) -> Option<R> {
        self.all().iter().find_map(wanted)
    }

    /// Keeps one more; the oldest gives way.
    pub(crate) fn keep(&self, one: T) {
        let mut all = self.all();
        if all.len() >= MOST {
            all.remove(0);
        }
        all.push(one);
    }

    fn all(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_gives_way() {
        let memo = Recent::default();
        for number in 0..=MOST {
            memo.keep(number);
        }
        assert_eq!(memo.find(|&number| (number == 0).then_some(())), None);
        assert_eq!(memo.find(|&number| (number >= 1).then_some(number)), Some(1));
        assert_eq!(memo.find(|&number| (number == MOST).then_some(number)), Some(MOST));
    }
}
