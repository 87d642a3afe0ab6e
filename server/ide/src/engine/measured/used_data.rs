//! Data that a prediction uses from a profile.

use model::Launch;
use profile::Profile;
use serde::Serialize;
use std::sync::{Arc, Weak};

/// Summary of the data that a prediction uses from a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsedProfileData {
    /// Names of the data: `launch` (grid and block), `executed`, `lanes`, `wavefronts`, `lines`, `sectors`,
    /// `l1_hit`, `l2_hit`, `registers`, `shared`.
    pub taken: Vec<&'static str>,
    /// Number of the function's instructions that the profile contains, and the total number of its instructions.
    pub instructions: usize,
    pub of: usize,
    /// True if the profile was recorded with this code. If false, only matching instructions have counts.
    pub same_code: bool,
}

impl UsedProfileData {
    /// Returns a one-line warning if the profile was recorded with different code. `None` if the code is the
    /// same.
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

/// A launch with data from a profile, memoized. `without` is the launch before the data was copied.
#[derive(Debug)]
pub(crate) struct LaunchWithProfile {
    pub without: Launch,
    /// The profile, and the launch index in the profile.
    pub profile: Weak<Profile>,
    pub number: usize,
    pub launch: Launch,
    pub taken: UsedProfileData,
}

impl LaunchWithProfile {
    /// True if the data is from this launch of this profile.
    pub(crate) fn is_from(&self, profile: &Arc<Profile>, number: usize) -> bool {
        self.number == number && self.profile.ptr_eq(&Arc::downgrade(profile))
    }
}
