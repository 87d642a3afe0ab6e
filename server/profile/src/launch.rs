//! Launches of kernels, as they were measured.

use super::instructions::Instructions;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The launches of one run, as a profiler wrote them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// In the order of the file, which is that of the run.
    pub launches: Vec<Launch>,
    /// Why the file was not read to its end, where it was not.
    pub cut: Option<String>,
}

/// A launch that was profiled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Launch {
    pub kernel: Kernel,
    /// Launches of the kernel that the figures are averages of; `None` for a single launch.
    pub averaged: Option<u64>,
    /// Blocks along each axis; `None` where the file does not say.
    pub grid: Option<[u64; 3]>,
    /// Threads of a block along each axis.
    pub block: Option<[u64; 3]>,
    /// Number of the GPU among those of the machine.
    pub device: Option<u64>,
    /// Name of the GPU.
    pub device_name: Option<String>,
    /// Compute capability: `(9, 0)`.
    pub capability: Option<(u32, u32)>,
    /// Metrics by the names that the profiler's interface has for them.
    pub metrics: BTreeMap<Arc<str>, Metric>,
    pub instructions: Instructions,
    /// Lines of source and the instructions that were compiled for them, where the file has both.
    pub lines: Vec<Line>,
    /// Figures of the page of details.
    pub details: Vec<Detail>,
}

/// A line of source that instructions were compiled for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    pub file: Arc<str>,
    pub number: u32,
    /// The instructions, by their bytes from the start of the kernel, in order.
    pub offsets: Vec<u64>,
}

/// A figure of the page of details, under the titles that the profiler prints.
#[derive(Debug, Clone, PartialEq)]
pub struct Detail {
    pub section: Arc<str>,
    pub title: Arc<str>,
    pub unit: Option<Arc<str>>,
    /// `None` where it was not collected.
    pub value: Option<Value>,
}

/// Names of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kernel {
    pub mangled: Option<String>,
    /// With its parameters' types: `saxpy(int, float)`.
    pub demangled: String,
}

/// A metric of a launch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metric {
    /// `None` where the profiler could not collect it.
    pub value: Option<Value>,
    /// As the file names it; reports keep none.
    pub unit: Option<String>,
    pub instances: Instances,
}

/// The value of a metric, as exact as the file has it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Count(u64),
    Number(f64),
    Text(String),
}

/// Values of the parts that a metric is made of, where those are no instructions.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Instances {
    #[default]
    None,
    /// By numbers, such as registers of a thread.
    ByNumber(Vec<(u64, Value)>),
    /// By names, such as those of opcodes.
    ByName(Vec<(String, Value)>),
}

impl Value {
    /// The value as a number; `None` for a text.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(*count as f64),
            Self::Number(number) => Some(*number),
            Self::Text(_) => None,
        }
    }

    /// The value as a count; `None` for any other.
    pub(crate) fn count(&self) -> Option<u64> {
        match self {
            Self::Count(count) => Some(*count),
            Self::Number(_) | Self::Text(_) => None,
        }
    }
}

impl Launch {
    /// Whether a metric says something of instructions.
    pub(crate) fn has_counts(&self, metric: &str) -> bool {
        self.instructions.metrics().any(|own| own == metric)
    }

    /// The value of a metric as a number; `None` where it was not collected.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.get(name)?.value.as_ref()?.number()
    }
}
