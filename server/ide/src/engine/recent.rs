//! Memos: results by key, and the most recent results of a kernel's model.

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most recent results, each with its inputs.
#[derive(Debug)]
pub(crate) struct RecentResults<T>(Mutex<Vec<T>>);

/// Number of results that are kept. Most kernels have fewer launches than this.
const MAX: usize = 16; // limit: bounds memory per kernel

impl<T> Default for RecentResults<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> RecentResults<T> {
    /// Returns the first value that `wanted` extracts from a kept result, oldest result first. `None` if
    /// `wanted` returns `None` for all results.
    pub(crate) fn find<R>(&self, wanted: impl FnMut(&T) -> Option<R>) -> Option<R> {
        self.all().iter().find_map(wanted)
    }

    /// Adds a result. Drops the oldest result if [`MAX`] results are already kept.
    pub(crate) fn keep(&self, one: T) {
        let mut all = self.all();
        if all.len() >= MAX {
            all.remove(0);
        }
        all.push(one);
    }

    /// Adds a result and drops the results that it replaces. Drops the oldest result if `most` results still remain.
    pub(crate) fn keep_instead(&self, is_outdated: impl Fn(&T) -> bool, one: T, most: usize) {
        let mut all = self.all();
        all.retain(|known| !is_outdated(known));
        if all.len() >= most {
            all.remove(0);
        }
        all.push(one);
    }

    fn all(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the value of a key, or computes and inserts it. If another thread inserts a value during the
/// computation, returns the value of the other thread, because other users may already have added data to it.
pub(crate) fn known_or_new<K: Eq + Hash + Copy, V: Clone>(
    known: &DashMap<K, V, FxBuildHasher>,
    key: K,
    new: impl FnOnce() -> V,
) -> V {
    // The guard is dropped at the end of the statement, so no shard is locked during the computation.
    let found = known.get(&key).map(|value| value.clone());
    found.unwrap_or_else(|| {
        let value = new();
        known.entry(key).or_insert(value).clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outdated_gives_way_first() {
        let memo = RecentResults::default();
        for (key, value) in [(1, 'a'), (2, 'b'), (1, 'c'), (3, 'd')] {
            memo.keep_instead(|(known, _)| *known == key, (key, value), 2);
        }
        let of = |wanted: i32| memo.find(|&(key, value)| (key == wanted).then_some(value));
        assert_eq!([of(1), of(2), of(3)], [Some('c'), None, Some('d')]);
    }

    #[test]
    fn the_oldest_gives_way() {
        let memo = RecentResults::default();
        for number in 0..=MAX {
            memo.keep(number);
        }
        assert_eq!(memo.find(|&number| (number == 0).then_some(())), None);
        assert_eq!(memo.find(|&number| (number >= 1).then_some(number)), Some(1));
        assert_eq!(memo.find(|&number| (number == MAX).then_some(number)), Some(MAX));
    }
}
