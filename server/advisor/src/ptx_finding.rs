//! Defects in PTX.

use crate::finding::Severity;
use std::ops::Range;

/// A defect at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub code: &'static str,
    /// Bytes in the item.
    pub range: Range<u32>,
    /// Where it is another one than the rule's own.
    pub severity: Option<Severity>,
    pub message: String,
    pub related: Vec<Related>,
    pub fixes: Vec<Fix>,
}

/// Another place that a finding speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// Bytes in the item.
    pub range: Range<u32>,
    pub message: String,
}

/// A change of the text that mends a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a menu shows it.
    pub title: String,
    pub edits: Vec<Edit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Bytes in the item that give way.
    pub range: Range<u32>,
    pub text: String,
}

impl Finding {
    /// One without other places and fixes, as grave as its rule.
    pub fn new(code: &'static str, range: Range<u32>, message: String) -> Self {
        Self { code, range, severity: None, message, related: Vec::new(), fixes: Vec::new() }
    }
}
