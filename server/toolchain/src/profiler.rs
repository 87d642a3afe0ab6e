//! NVIDIA's profiler, which runs a program of the user.

use crate::folder::PrivateFolder;
use crate::run::{ERROR_BYTES, KeptErrors, RunFolder, failed_with, run_to_end};
use crate::{Consent, Limits, Search, ToolError};
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

/// An installed profiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profiler {
    pub path: PathBuf,
}

/// A run of a program under the profiler.
#[derive(Debug, Clone, Copy)]
pub struct ProfilerRun<'a> {
    /// The program and its arguments.
    pub command: &'a [OsString],
    /// The folder in which the program runs.
    pub folder: &'a Path,
    /// The kernel whose first launches are profiled; `None` profiles all launches of all kernels.
    pub kernel: Option<&'a str>,
    /// Limits of the run. `output_bytes` also limits the size of the report.
    pub limits: Limits,
}

/// Metric sections used by the top-down tree and its guides.
const SECTIONS: [&str; 11] = [
    "ComputeWorkloadAnalysis",
    "InstructionStats",
    "LaunchStats",
    "MemoryWorkloadAnalysis",
    "MemoryWorkloadAnalysis_Chart",
    "MemoryWorkloadAnalysis_Tables",
    "Occupancy",
    "SourceCounters",
    "SpeedOfLight",
    "WarpStateStats",
    "WorkloadDistribution",
];

/// Metrics that are collected in addition to the sections.
const METRICS: &str = "smsp__sass_average_branch_targets_threads_uniform.pct,\
smsp__sass_average_data_bytes_per_sector_mem_global_op_ld,smsp__sass_average_data_bytes_per_sector_mem_global_op_st,\
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum,\
smsp__imc_request_hit_rate.pct,sm__icc_request_hit_rate.pct";

/// Maximum number of profiled launches of a named kernel. Each launch is replayed for each group of counters.
const LAUNCHES: &str = "10";

/// Maximum number of bytes of the profiler's log that are read for its messages. limit: memory.
const LOG_BYTES: usize = 4 << 20;

const REPORT: &str = "profile.ncu-rep";
const LOG: &str = "ncu.log";

/// Part of ncu's message about a program with a non-zero exit code.
const FAILED_PROGRAM: &str = "application returned an error code";

impl Profiler {
    /// Finds the configured profiler or, if no path is configured, ncu on PATH. Runs no program.
    pub fn find(search: &Search) -> Result<Self, ToolError> {
        let found = search.first_of(&["ncu", "nv-nsight-cu-cli"]).map_err(|error| match error {
            ToolError::NoProgram(path) => ToolError::NoProfilerAt(path),
            _ => ToolError::NoProfiler,
        });
        found.map(|(path, _)| Self { path })
    }

    /// Rejects a command whose first word ncu could parse as one of its options.
    pub fn check(command: &[OsString]) -> Result<(), ToolError> {
        let program = command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
        if program.is_empty() || program.starts_with('-') {
            let why = "expected the name of a program first, which must not begin with a dash";
            return Err(ToolError::Argument {
                program: "ncu",
                argument: program.escape_debug().to_string(),
                why,
            });
        }
        Ok(())
    }

    /// The arguments with which ncu profiles a command and writes the report to `report`.
    pub fn arguments(command: &[OsString], report: &Path) -> Vec<OsString> {
        Self::arguments_for(command, report, None)
    }

    fn arguments_for(command: &[OsString], report: &Path, kernel: Option<&str>) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        if let Some(kernel) = kernel {
            arguments.extend(["--kernel-name", kernel, "--launch-count", LAUNCHES].map(OsString::from));
        }
        for section in SECTIONS {
            arguments.extend(["--section".into(), section.into()]);
        }
        let rest = [
            "--metrics",
            METRICS,
            "--import-source",
            "yes",
            "--target-processes",
            "all",
            "--force-overwrite",
            "--export",
        ];
        arguments.extend(rest.map(OsString::from));
        arguments.push(report.into());
        arguments.extend(command.iter().cloned());
        arguments
    }

    /// Profiles a program and returns the report. The callback receives each new line of the profiler's log.
    ///
    /// If the run fails, the error contains the profiler's message. Without one, it contains the last line that
    /// the program wrote to its standard error.
    pub fn profile(
        &self,
        consent: Consent,
        profiled: ProfilerRun<'_>,
        reported: &dyn Fn(&str),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, ToolError> {
        Self::check(profiled.command)?;
        let program = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let in_folder =
            |error: std::io::Error| ToolError::Folder { program: program.clone(), why: error.to_string() };
        let private = PrivateFolder::new().map_err(in_folder)?;
        let (report, log) = (private.path().join(REPORT), private.path().join(LOG));
        let mut arguments: Vec<OsString> = vec!["--log-file".into(), log.clone().into()];
        arguments.extend(Self::arguments_for(profiled.command, &report, profiled.kernel));
        let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
        let absolute = std::path::absolute(&self.path).map_err(in_folder)?;
        let place = RunFolder { folder: profiled.folder, temporary: private.path(), is_private: true };
        let seen = std::cell::Cell::new(0);
        let look = || {
            let text = log_at(&log);
            for line in text.lines().skip(seen.get()) {
                reported(line);
                seen.set(seen.get() + 1);
            }
            cancelled()
        };
        let errors = KeptErrors::Last(ERROR_BYTES);
        let ended = run_to_end(consent, &absolute, &arguments, place, profiled.limits, errors, &look)?;
        let logged = log_at(&log);
        // The profiler's own errors are in its log: "==ERROR== ERR_NVGPUCTRPERM …".
        let complaints = logged
            .lines()
            .filter_map(|line| Some(line.strip_prefix("==ERROR==")?.trim()))
            .collect::<Vec<_>>();
        if !ended.status.success() {
            let text = String::from_utf8_lossy(&ended.errors);
            let of_program = text.lines().map(str::trim).rfind(|line| !line.is_empty());
            // The program's message explains the failure better than the profiler's message.
            let own = complaints.iter().copied().find(|line| !line.contains(FAILED_PROGRAM));
            let why = own.or(of_program).or(complaints.first().copied());
            return Err(failed_with(program, &ended, why));
        }
        let failed = |status: &str, message: &str| ToolError::Failed {
            program: program.clone(),
            status: status.to_owned(),
            message: message.to_owned(),
        };
        let most = profiled.limits.output_bytes;
        match beginning(&report, most.saturating_add(1)) {
            Ok(bytes) if bytes.len() > most => {
                Err(failed("report too large", &format!("expected at most {most} bytes")))
            }
            Ok(bytes) => Ok(bytes),
            Err(_) => {
                Err(failed("no report", complaints.first().copied().unwrap_or("no kernel was profiled")))
            }
        }
    }
}

/// The profiler's log; empty if it cannot be read.
fn log_at(path: &Path) -> String {
    String::from_utf8_lossy(&beginning(path, LOG_BYTES).unwrap_or_default()).into_owned()
}

/// Returns at most the first `most` bytes of a regular file. The profiled program may write to the folder of
/// the file, so links are rejected.
fn beginning(path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
