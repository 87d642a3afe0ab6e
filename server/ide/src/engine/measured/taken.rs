//! Data that a prediction takes from a profile.

use model::Launch;
use profile::Profile;
use serde::Serialize;
use std::sync::{Arc, Weak};

/// Summary of the data that a prediction takes from a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Taken {
    /// Names of what was taken: `launch` (its grid and block), `executed`, `lanes`, `wavefronts`, `lines`, `sectors`,
    /// `l1_hit`, `l2_hit`, `registers`, `shared`.
    pub taken: Vec<&'static str>,
    /// Number of instructions found in the profile, and number of all instructions of the function.
    pub instructions: usize,
    pub of: usize,
    /// True if the profile is of this code; else only instructions that agree have counts.
    pub same_code: bool,
}

impl Taken {
    /// Returns one line if the profile is of different code; `None` if it is of this code.
    pub(crate) fn other_code(&self, function: &str) -> Option<String> {
        let Self { instructions, of, same_code, .. } = self;
        (!same_code).then(|| {
            format!(
                "was recorded with different code than `{function}`: {instructions} of {of} instructions agree, and \
                 only those are used"
            )
        })
    }
}

/// A launch completed from a profile, memoised; `without` is the launch before.
#[derive(Debug)]
pub(crate) struct KnownTaken {
    pub without: Launch,
    /// The profile, and the index of the launch in it.
    pub profile: Weak<Profile>,
    pub number: usize,
    pub launch: Launch,
    pub taken: Taken,
}

impl KnownTaken {
    /// True if it was taken from this launch of this profile.
    pub(crate) fn is_from(&self, profile: &Arc<Profile>, number: usize) -> bool {
        self.number == number && self.profile.ptr_eq(&Arc::downgrade(profile))
    }
}
