//! Settings and the launch context. One flat set, whoever sends it.

use crate::Severity;
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// All settings. Unknown keys are ignored; a value of the wrong type is an error and leaves the previous settings.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Config {
    /// The GPU assumed: a part (`h100-sxm`) or an architecture (`sm_90`). Empty: the usual part of what the file names.
    pub gpu: String,
    /// Inlay hints, each kind by itself.
    pub hints: HintKinds,
    /// A line over each kernel: registers, shared memory, occupancy, cycles, bottlenecks.
    pub code_lens: bool,
    /// Diagnostics of any kind.
    pub diagnostics: bool,
    /// Share of global loads that miss all caches in Equation 7 (`paper` model), 0 to 1.
    pub miss_ratio: f64,
    /// Levels of single rules, as `[rules]` in `warplens.toml`.
    pub rules: BTreeMap<String, RuleLevel>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            gpu: String::new(),
            hints: HintKinds::default(),
            code_lens: true,
            diagnostics: true,
            miss_ratio: 1.0,
            rules: BTreeMap::new(),
        }
    }
}

/// Which inlay hints to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HintKinds {
    /// Cycles until the result can be used.
    pub latency: bool,
    /// The predicted issue cycle.
    pub issue_cycle: bool,
    /// The partner of a dual-issued pair.
    pub dual_issue: bool,
}

impl Default for HintKinds {
    fn default() -> Self {
        Self { latency: true, issue_cycle: true, dual_issue: true }
    }
}

/// `"off"`, or the severity to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleLevel {
    Off,
    Error,
    Warning,
    Info,
    Hint,
}

impl RuleLevel {
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Info => Some(Severity::Info),
            Self::Hint => Some(Severity::Hint),
        }
    }
}

/// Settings or a launches file that does not say what it should; one line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

impl Config {
    /// Reads settings as a client sends them (the object itself, or one with a `warplens` key).
    pub fn from_json(_value: &serde_json::Value) -> Result<Self, ConfigError> {
        unimplemented!()
    }
}

/// A `warplens.toml` or a `--launches` file: a GPU, rule levels and launches.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LaunchFile {
    pub gpu: Option<String>,
    pub rules: BTreeMap<String, RuleLevel>,
    pub launches: Vec<LaunchEntry>,
}

/// One `[[launch]]` as written.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchEntry {
    pub name: Option<String>,
    /// Mangled or demangled.
    pub function: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub static_shared: Option<u32>,
    pub registers: Option<u32>,
    /// By the address of a loop's branch or by label.
    pub trips: BTreeMap<String, u64>,
}

impl LaunchFile {
    /// `path` is only named in the message: `warplens.toml:3: …`.
    pub fn parse(_path: &str, _text: &str) -> Result<Self, ConfigError> {
        unimplemented!()
    }
}
