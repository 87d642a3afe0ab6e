//! The counts that a prediction has from a profile.

use model::Launch;
use profile::Profile;
use serde::Serialize;
use std::sync::{Arc, Weak};

/// Parts of a prediction that are a profile's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Taken {
    /// `launch` (its grid and block), `executed`, `lanes`, `wavefronts`, `lines`, `sectors`, `l1_hit`, `l2_hit`, `registers`, `shared`.
    pub taken: Vec<&'static str>,
    /// Instructions that have counts, of all those of the function.
    pub instructions: usize,
    pub of: usize,
    /// The profile is of this code; else only instructions that agree have counts.
    pub same_code: bool,
}

impl Taken {
    /// A line for a profile of other code; `None` where it is of this one.
    pub(crate) fn other_code(&self, function: &str) -> Option<String> {
        let Self { instructions, of, same_code, .. } = self;
        (!same_code).then(|| {
            format!("is of other code than `{function}`: {instructions} of its {of} instructions agree, and no others are used")
        })
    }
}

/// A launch with what a profile has of it, kept for who asks again.
#[derive(Debug)]
pub(crate) struct KnownTaken {
    pub without: Launch,
    /// The profile, and the number of the launch in it.
    pub profile: Weak<Profile>,
    pub number: usize,
    pub launch: Launch,
    pub taken: Taken,
}

impl KnownTaken {
    /// Whether it is of this launch of a profile.
    pub(crate) fn is_from(&self, profile: &Arc<Profile>, number: usize) -> bool {
        self.number == number && self.profile.ptr_eq(&Arc::downgrade(profile))
    }
}
