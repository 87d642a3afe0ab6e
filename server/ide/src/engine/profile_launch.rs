//! Facts about a profiled launch: its GPU, and the samples of its instructions.

use crate::engine::names::{canonical, is_same_function};
use machine::{Gpu, Machine};
use profile::Launch;

/// The architecture assumed if a launch in a profile has no architecture.
pub(crate) const USUAL_SM: u16 = 90; // limit: an assumption, as for documents without an architecture

/// Returns the GPU that a launch ran on, found by the GPU name that the driver reported, or by the compute capability.
/// `None` if neither identifies a GPU.
pub(crate) fn gpu_of(launch: &Launch, machine: &Machine) -> Option<Gpu> {
    let named = launch.device_name.as_ref().and_then(|name| machine.gpu(name).ok());
    let (major, minor) = launch.capability.unwrap_or_default();
    let sm = u16::try_from(major * 10 + minor).ok().filter(|sm| *sm > 0);
    named.or_else(|| sm.map(|sm| machine.gpu_for_sm(sm)))
}

/// Returns the sample count per stall reason, with the profiler's names of the reasons. Counts the samples of the
/// instruction with index `at`, or of all instructions if `at` is `None`.
pub fn samples(launch: &Launch, at: Option<usize>) -> Vec<(&str, f64)> {
    const START: &str = "smsp__pcsamp_warps_issue_stalled_";
    let own = &launch.instructions;
    let is_reason = |metric: &&str| {
        let reason = metric.strip_prefix(START);
        reason.is_some_and(|reason| !reason.ends_with("_not_issued") && !reason.ends_with("selected"))
    };
    let reasons = own.metrics().filter(is_reason).map(|metric| {
        let samples = match at {
            Some(at) => own.count(metric, at).unwrap_or(0.0),
            None => own.total(metric),
        };
        (&metric[START.len()..], samples)
    });
    reasons.collect()
}

/// The metric that counts all samples of an instruction.
pub(crate) const SAMPLES: &str = "smsp__pcsamp_sample_count";

/// Returns the sample count of a launch. If the profile has no total, sums over the stall reasons.
pub(crate) fn all_samples(launch: &Launch) -> f64 {
    let own = &launch.instructions;
    if own.has(SAMPLES) {
        return own.total(SAMPLES);
    }
    samples(launch, None).iter().map(|(_, count)| count).sum()
}

/// True if a profiled launch is a launch of this function. `function` is the function's name in a listing.
pub(crate) fn is_of(launch: &Launch, function: &str) -> bool {
    let kernel = &launch.kernel;
    kernel.mangled.as_deref() == Some(function)
        || is_same_function(function, &kernel.demangled)
        || is_same_function(function, &without_casts(&kernel.demangled))
        // The demangled name of a C function has no parameters, but profiles may append them.
        || kernel.demangled.split_once('(').is_some_and(|(name, _)| name == function)
}

/// Removes casts from template arguments, because Nsight Compute prints `k<(int)4>` and other tools print
/// `k<4>`.
fn without_casts(name: &str) -> String {
    const TYPES: [&str; 9] = [
        "(int)",
        "(unsigned int)",
        "(bool)",
        "(char)",
        "(unsigned char)",
        "(short)",
        "(long)",
        "(unsigned long)",
        "(unsigned short)",
    ];
    TYPES.iter().fold(canonical(name), |name, cast| name.replace(&canonical(cast), ""))
}

/// Returns the file name in a URI or in a path of any operating system. Profiles may be from other machines.
pub fn name_of(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
