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
    /// The instructions of the kernel.
    pub instructions: Instructions,
    /// Lines of source and the kernel's instructions that were compiled for them, where the file has both.
    pub lines: Vec<Line>,
    /// Functions besides the kernel that ran, in the order of their addresses, or of their names where launches were merged. Of a range or
    /// graph these are all that ran.
    pub functions: Vec<Function>,
    /// The binary that ran, a cubin, where the file has it. Launches of one binary share it.
    ///
    /// Reports that Nsight Compute wrote before 2022 have addresses in its symbols where a cubin has places in sections.
    pub code: Option<Arc<[u8]>>,
    /// Texts of source files by their paths, where the file has them. Launches of one binary share them.
    pub sources: Arc<BTreeMap<Arc<str>, Arc<str>>>,
    /// Figures of the page of details.
    pub details: Vec<Detail>,
}

/// A line of source that instructions were compiled for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    pub file: Arc<str>,
    pub number: u32,
    /// The instructions, by their bytes from the start of the kernel or function, in order.
    pub offsets: Vec<u64>,
}

/// A function whose instructions ran in a launch, such as one that the kernel calls.
///
/// An inlined function, or one in the kernel's own section of the binary, is part of the kernel.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Function {
    /// The symbol in the binary, from reports; the name with its parameters' types, from pages. `None` where the file does not say it.
    pub name: Option<Arc<str>>,
    /// Their offsets count from the function's start; from its first instruction that was counted, where the file does not say the start.
    pub instructions: Instructions,
    pub lines: Vec<Line>,
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
    /// With its parameters' types: `saxpy(int, float)`. Of kernels that were measured together it is `range` or `graph`.
    pub demangled: String,
}

/// A metric of a launch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metric {
    /// `None` where the profiler could not collect it.
    pub value: Option<Value>,
    /// The unit, in which the value is, as Nsight Compute names it: `byte`, `ns`, `hz`, `byte/s`, `%`. Reports name none.
    ///
    /// Pages print values in larger ones, which are scaled back: `Kbyte` is 1000 bytes. Logs of nvprof keep theirs, but for times: its
    /// `KB` is 1000 bytes in some versions and 1024 in others.
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
    /// A number; `None` if it is not finite, such as a ratio whose parts were not counted.
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
        let functions = self.functions.iter().map(|function| &function.instructions);
        functions.chain([&self.instructions]).any(|own| own.has(metric))
    }

    /// Takes the name of the GPU from the metric that has it, where nothing else names it.
    pub(crate) fn name_device(&mut self) {
        let metric = self.metrics.get("device__attribute_display_name");
        if let (None, Some(Value::Text(name))) =
            (&self.device_name, metric.and_then(|own| own.value.as_ref()))
        {
            self.device_name = Some(name.clone());
        }
    }

    /// The value of a metric as a number, in its base unit; `None` where it was not collected.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.get(name)?.value.as_ref()?.number()
    }
}
