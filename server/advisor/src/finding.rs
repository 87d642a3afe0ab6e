//! Defects in SASS.

use std::ops::Range;

/// How grave a finding is; settings and outputs write it in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Info,
    Hint,
}

impl Severity {
    /// Returns its name as settings write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }
}

/// A defect at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub code: &'static str,
    /// Index of the instruction.
    pub instruction: u32,
    /// Bytes in the instruction's line.
    pub range: Range<u16>,
    /// Where it is another one than the rule's own.
    pub severity: Option<Severity>,
    pub message: String,
    pub related: Vec<Related>,
}

/// Another instruction that a finding speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// Its index.
    pub instruction: u32,
    pub message: String,
}
