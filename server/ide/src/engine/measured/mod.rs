//! Launches of profiles and functions of listings: which belong together.

mod same_code;
use crate::engine::names::{canonical, is_same_function};
pub(crate) use same_code::{Places, places};

/// Whether a launch is of that function, as a listing names it.
pub(crate) fn is_of(launch: &profile::Launch, function: &str) -> bool {
    let kernel = &launch.kernel;
    kernel.mangled.as_deref() == Some(function)
        || is_same_function(function, &kernel.demangled)
        || is_same_function(function, &without_casts(&kernel.demangled))
}

/// Nsight Compute writes `k<(int)4>` where others write `k<4>`.
fn without_casts(name: &str) -> String {
    const TYPES: [&str; 2] = ["(int)", "(bool)"];
    TYPES.iter().fold(canonical(name), |name, cast| name.replace(&canonical(cast), ""))
}
