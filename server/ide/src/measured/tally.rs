//! A profiler's counts per instruction.

use crate::engine::profile_launch::{SAMPLES, samples};
use profile::Launch;
use std::fmt::Write;

/// Counts of one instruction, or combined counts of several instructions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally<'a> {
    pub samples: f64,
    /// Samples per stall reason. Reasons without samples are omitted.
    pub stalls: Vec<(&'a str, f64)>,
    /// Number of warp-level executions. For several instructions: the largest count.
    pub executed: Option<f64>,
    /// Average number of active lanes. For several instructions: the largest average.
    pub lanes: Option<f64>,
    /// Global-memory sectors, and the number of sectors that coalesced accesses would need.
    pub sectors: Option<(f64, f64)>,
    /// Shared-memory wavefronts, and the number of wavefronts without bank conflicts.
    pub wavefronts: Option<(f64, f64)>,
}

impl<'a> Tally<'a> {
    /// Returns the counts of one instruction in a launch.
    pub(crate) fn new(launch: &'a Launch, at: usize) -> Self {
        let count = |metric: &str| launch.instructions.count(metric, at);
        let pair = |metric: &str, ideal: &str| {
            let (all, ideal) = (count(metric)?, count(ideal)?);
            (all > 0.0).then_some((all, ideal))
        };
        let executed = count("inst_executed");
        let threads = count("thread_inst_executed");
        let mut stalls = samples(launch, Some(at));
        stalls.retain(|(_, count)| *count > 0.0);
        let by_reason = stalls.iter().map(|(_, count)| count).sum();
        Self {
            samples: count(SAMPLES).unwrap_or(by_reason),
            stalls,
            executed,
            lanes: threads
                .zip(executed.filter(|executed| *executed > 0.0))
                .map(|(all, executed)| all / executed),
            sectors: pair(
                "memory_l2_theoretical_sectors_global",
                "memory_l2_theoretical_sectors_global_ideal",
            ),
            wavefronts: pair("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"),
        }
    }

    /// Adds the counts of another tally.
    pub(crate) fn add(&mut self, other: &Self) {
        self.samples += other.samples;
        for (reason, count) in &other.stalls {
            match self.stalls.iter_mut().find(|(own, _)| own == reason) {
                Some((_, own)) => *own += count,
                None => self.stalls.push((reason, *count)),
            }
        }
        let most = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        let sum = |one: Option<(f64, f64)>, other: Option<(f64, f64)>| match (one, other) {
            (Some(one), Some(other)) => Some((one.0 + other.0, one.1 + other.1)),
            (one, other) => one.or(other),
        };
        self.executed = most(self.executed, other.executed);
        self.lanes = most(self.lanes, other.lanes);
        self.sectors = sum(self.sectors, other.sectors);
        self.wavefronts = sum(self.wavefronts, other.wavefronts);
    }

    /// Returns the stall reason with the most samples; `None` if no stall was sampled.
    pub(crate) fn top_stall(&self) -> Option<&'a str> {
        let top = self.stalls.iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
        top.map(|(reason, _)| *reason)
    }

    /// Formats all counts as Markdown sentences. `all` is the number of samples of the launch. `kernel`
    /// names the kernel if the location does not identify it.
    pub(crate) fn in_words(&self, all: f64, kernel: Option<&str>) -> String {
        let mut text = String::new();
        if all > 0.0 {
            let share = 100.0 * self.samples / all;
            let of = kernel.map_or_else(String::new, |kernel| format!(" of `{kernel}`"));
            let _ = write!(
                text,
                "**Measured:** {share:.1} % of the samples{of} ({:.0} of {all:.0}).",
                self.samples
            );
        }
        let mut stalls = self.stalls.clone();
        stalls.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let total: f64 = stalls.iter().map(|(_, count)| count).sum();
        if total > 0.0 {
            let words: Vec<String> = stalls
                .iter()
                .map(|(reason, count)| format!("`{reason}` {:.0} %", 100.0 * count / total))
                .collect();
            let _ = write!(text, " Stalled: {}.", words.join(", "));
        }
        if let Some(executed) = self.executed {
            let _ = write!(text, " Executed {executed:.0} times by warps");
            if let Some(lanes) = self.lanes {
                let _ = write!(text, ", {lanes:.1} lanes active");
            }
            text.push('.');
        }
        if let Some((sectors, ideal)) = self.sectors {
            let _ = write!(
                text,
                " {sectors:.0} sectors of global memory; coalesced accesses would take {ideal:.0}."
            );
        }
        if let Some((wavefronts, ideal)) = self.wavefronts {
            let _ = write!(
                text,
                " {wavefronts:.0} wavefronts of shared memory, {ideal:.0} without bank conflicts."
            );
        }
        text.trim_start().to_owned()
    }
}
