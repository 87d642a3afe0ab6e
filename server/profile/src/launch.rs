//! Measured kernel launches.

use super::instructions::Instructions;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The launches of one profiler run, as the profiler recorded them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// Launches in file order, which is the launch order.
    pub launches: Vec<Launch>,
    /// Reason why reading stopped before the end of the file; `None` if the complete file was read.
    pub cut: Option<String>,
}

/// A profiled launch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Launch {
    pub kernel: Kernel,
    /// Number of launches of the kernel over which the figures are averaged; `None` for a single launch.
    pub averaged: Option<u64>,
    /// Blocks along each axis; `None` if the file does not state the grid size.
    pub grid: Option<[u64; 3]>,
    /// Threads per block along each axis; `None` if the file does not state the block size.
    pub block: Option<[u64; 3]>,
    /// Index of the GPU in the host.
    pub device: Option<u64>,
    /// Name of the GPU.
    pub device_name: Option<String>,
    /// Compute capability: `(9, 0)`.
    pub capability: Option<(u32, u32)>,
    /// Metrics by the names of the profiler's metric interface.
    pub metrics: BTreeMap<Arc<str>, Metric>,
    /// The instructions of the kernel.
    pub instructions: Instructions,
    /// Source lines, with the instructions of the kernel that were compiled from each line. Empty if the file
    /// lacks lines or instructions.
    pub lines: Vec<Line>,
    /// Functions other than the kernel that ran, in address order, or in name order if launches were merged.
    /// For a range or a graph, all functions that ran.
    pub functions: Vec<Function>,
    /// The cubin that ran, if the file contains it. Launches of one cubin share its bytes.
    ///
    /// In reports of Nsight Compute before 2022, symbol values are addresses. In a cubin they are section
    /// offsets.
    pub code: Option<Arc<[u8]>>,
    /// Texts of source files by path, if the file contains them. Launches of one cubin share the texts.
    pub sources: Arc<BTreeMap<Arc<str>, Arc<str>>>,
    /// Figures of the details page.
    pub details: Vec<Detail>,
}

/// A source line from which instructions were compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    pub file: Arc<str>,
    pub number: u32,
    /// Offsets of the instructions in bytes from the start of the kernel or function, in order.
    pub offsets: Vec<u64>,
}

/// A function whose instructions ran in a launch, such as a function that the kernel calls.
///
/// An inlined function, or a function in the kernel's section of the cubin, is part of the kernel.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Function {
    /// The symbol in the cubin if read from a report, or the name with its parameter types if read from a
    /// page. `None` if the file does not state the name.
    pub name: Option<Arc<str>>,
    /// Instructions with offsets from the start of the function. If the start is unknown, offsets count from
    /// the first counted instruction.
    pub instructions: Instructions,
    pub lines: Vec<Line>,
}

/// A figure of the details page, under the titles printed by the profiler.
#[derive(Debug, Clone, PartialEq)]
pub struct Detail {
    pub section: Arc<str>,
    pub title: Arc<str>,
    pub unit: Option<Arc<str>>,
    /// `None` if the figure was not collected.
    pub value: Option<Value>,
}

/// Names of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kernel {
    pub mangled: Option<String>,
    /// Name with parameter types: `saxpy(int, float)`. `range` or `graph` for kernels that were measured
    /// together.
    pub demangled: String,
}

/// A metric of a launch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metric {
    /// `None` if the profiler could not collect it.
    pub value: Option<Value>,
    /// Unit of the value, as named by Nsight Compute: `byte`, `ns`, `hz`, `byte/s`, `%`. `None` in reports.
    ///
    /// Pages print values in larger units, which are scaled back: `Kbyte` is 1000 bytes. Figures in nvprof
    /// logs keep their units, except times. In nvprof, `KB` is 1000 bytes in some versions and 1024 in
    /// others.
    pub unit: Option<String>,
    pub instances: Instances,
}

/// Value of a metric, with the precision of the file.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Count(u64),
    Number(f64),
    Text(String),
}

/// Values of a metric's instances. Instances that are instructions are stored in [`Instructions`] instead.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Instances {
    #[default]
    None,
    /// Values by number, such as the register count of each thread.
    ByNumber(Vec<(u64, Value)>),
    /// Values by name, such as the count of each opcode.
    ByName(Vec<(String, Value)>),
}

impl Value {
    /// A number; `None` if it is not finite, such as a ratio whose terms were not counted.
    pub(crate) fn finite(number: f64) -> Option<Self> {
        number.is_finite().then_some(Self::Number(number))
    }

    /// The value as a number; `None` for a text.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(*count as f64),
            Self::Number(number) => Some(*number),
            Self::Text(_) => None,
        }
    }

    /// The value as a count; `None` for other values.
    pub(crate) fn count(&self) -> Option<u64> {
        match self {
            Self::Count(count) => Some(*count),
            Self::Number(_) | Self::Text(_) => None,
        }
    }
}

impl Launch {
    /// True if a metric has counts for instructions.
    pub(crate) fn has_counts(&self, metric: &str) -> bool {
        let functions = self.functions.iter().map(|function| &function.instructions);
        functions.chain([&self.instructions]).any(|own| own.has(metric))
    }

    /// Sets the GPU's name from the metric that holds it, unless it is already set.
    pub(crate) fn name_device(&mut self) {
        let metric = self.metrics.get("device__attribute_display_name");
        if let (None, Some(Value::Text(name))) =
            (&self.device_name, metric.and_then(|own| own.value.as_ref()))
        {
            self.device_name = Some(name.clone());
        }
    }

    /// The value of a metric as a number, in its base unit; `None` if the metric was not collected or is a
    /// text.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.get(name)?.value.as_ref()?.number()
    }
}
