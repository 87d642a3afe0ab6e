//! Hashes of values, for memoized results.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Returns a hash of a value. The hash is stable only within the process.
pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
