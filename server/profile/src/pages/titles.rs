//! Titles of the source page, and the metrics that they denote.

/// Titles and metric names, found for the same launches in reports of Nsight Compute 2025.3.
const TITLES: [(&str, &str); 26] = [
    ("# Samples", "smsp__pcsamp_sample_count"),
    ("Instructions Executed", "inst_executed"),
    ("Thread Instructions Executed", "thread_inst_executed"),
    ("Predicated-On Thread Instructions Executed", "thread_inst_executed_true"),
    ("Avg. Threads Executed", "derived__avg_thread_executed"),
    ("Avg. Predicated-On Threads Executed", "derived__avg_thread_executed_true"),
    ("Derivative Avg. Predicated-On Threads Executed", "derived__derivative_avg_thread_executed_true"),
    ("Avg. Predicated-On Threads Unexecuted", "derived__avg_thread_unexecuted_true"),
    ("L1 Tag Requests Global", "memory_l1_tag_requests_global"),
    ("L1 Conflicts Shared N-Way", "derived__memory_l1_conflicts_shared_nway"),
    ("L1 Wavefronts Shared Excessive", "derived__memory_l1_wavefronts_shared_excessive"),
    ("L1 Wavefronts Shared", "memory_l1_wavefronts_shared"),
    ("L1 Wavefronts Shared Ideal", "memory_l1_wavefronts_shared_ideal"),
    ("L2 Theoretical Sectors Global Excessive", "derived__memory_l2_theoretical_sectors_global_excessive"),
    ("L2 Theoretical Sectors Global", "memory_l2_theoretical_sectors_global"),
    ("L2 Theoretical Sectors Global Ideal", "memory_l2_theoretical_sectors_global_ideal"),
    ("stall_dispatch", "smsp__pcsamp_warps_issue_stalled_dispatch_stall"),
    ("stall_imc", "smsp__pcsamp_warps_issue_stalled_imc_miss"),
    ("stall_lg", "smsp__pcsamp_warps_issue_stalled_lg_throttle"),
    ("stall_long_sb", "smsp__pcsamp_warps_issue_stalled_long_scoreboard"),
    ("stall_math", "smsp__pcsamp_warps_issue_stalled_math_pipe_throttle"),
    ("stall_mio", "smsp__pcsamp_warps_issue_stalled_mio_throttle"),
    ("stall_no_inst", "smsp__pcsamp_warps_issue_stalled_no_instructions"),
    ("stall_short_sb", "smsp__pcsamp_warps_issue_stalled_short_scoreboard"),
    ("stall_sleep", "smsp__pcsamp_warps_issue_stalled_sleeping"),
    ("stall_tex", "smsp__pcsamp_warps_issue_stalled_tex_throttle"),
];

/// Suffix of the titles of stall reasons that were sampled while no instruction issued.
const NOT_ISSUED: &str = " (Not Issued)";

/// The metric of a column; `None` for a column with an unknown metric or with texts.
pub(super) fn metric(title: &str) -> Option<String> {
    if let Some(reason) = title.strip_suffix(NOT_ISSUED) {
        return Some(format!("{}_not_issued", metric(reason)?));
    }
    if let Some((_, name)) = TITLES.iter().find(|(own, _)| *own == title) {
        return Some((*name).to_owned());
    }
    let reason = title.strip_prefix("stall_")?;
    Some(format!("smsp__pcsamp_warps_issue_stalled_{reason}"))
}
