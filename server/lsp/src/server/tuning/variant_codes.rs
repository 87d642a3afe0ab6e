//! Cache of the code of kernel variants, so that each variant is compiled once.

use crate::build::NoCode;
use ide::Compiled;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hash, RandomState};

/// The variants compiled last, each with its code, or with the compiler's reason for refusing the variant.
#[derive(Debug, Default)]
pub(crate) struct VariantCodes {
    hasher: RandomState,
    codes: HashMap<u64, Result<Compiled, NoCode>>,
    order: VecDeque<u64>,
}

/// Maximum number of codes kept: the variants of two kernels.
const MAX_CODES: usize = 128; // limit: the variants of two kernels

impl VariantCodes {
    /// Hash of all inputs that a variant's code depends on.
    pub(crate) fn key(&self, origin: &impl Hash) -> u64 {
        self.hasher.hash_one(origin)
    }

    pub(crate) fn find(&self, key: u64) -> Option<&Result<Compiled, NoCode>> {
        self.codes.get(&key)
    }

    pub(crate) fn insert(&mut self, key: u64, code: Result<Compiled, NoCode>) {
        if self.codes.insert(key, code).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > MAX_CODES
            && let Some(oldest) = self.order.pop_front()
        {
            self.codes.remove(&oldest);
        }
    }
}
