//! Findings that the checks of an item report.

use super::code::Code;
use super::facts::Facts;
use crate::finding::{ItemFinding as Finding, Severity};
use std::ops::Range;
use syntax::ptx::{Operand, Token};

/// An item and its findings so far.
pub(super) struct Findings<'a> {
    pub(super) facts: Facts<'a>,
    found: Vec<Finding>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(facts: Facts<'a>) -> Self {
        Self { facts, found: Vec::new() }
    }

    pub(super) fn error(&mut self, code: Code, place: impl Located, message: impl Into<String>) {
        self.add(code, true, place, message);
    }

    pub(super) fn warning(&mut self, code: Code, place: impl Located, message: impl Into<String>) {
        self.add(code, false, place, message);
    }

    pub(super) fn add(
        &mut self,
        code: Code,
        is_error: bool,
        place: impl Located,
        message: impl Into<String>,
    ) -> &mut Finding {
        let at = self.found.len();
        self.found.push(finding(code, is_error, place.bytes(), message.into()));
        &mut self.found[at]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.found.append(&mut other.found);
    }

    /// Moves the start of all findings with this code to byte `byte`.
    pub(super) fn start_at(&mut self, code: Code, byte: u32) {
        for finding in self.found.iter_mut().filter(|finding| finding.code == code.name()) {
            finding.place.start = byte;
        }
    }

    /// Returns the findings in text order.
    pub(super) fn sorted(self) -> Vec<Finding> {
        let mut findings = self.found;
        findings.sort_by_key(|finding| (finding.place.start, finding.place.end));
        findings
    }
}

pub(super) fn finding(code: Code, is_error: bool, range: Range<u32>, message: String) -> Finding {
    let severity = if is_error { Severity::Error } else { Severity::Warning };
    Finding { severity: Some(severity), ..Finding::new(code.name(), range, message) }
}

/// A token, operand or range of an item at which a finding is reported.
pub(super) trait Located {
    fn bytes(self) -> Range<u32>;
}

impl Located for Range<u32> {
    fn bytes(self) -> Range<u32> {
        self
    }
}

impl Located for &Token {
    fn bytes(self) -> Range<u32> {
        self.start..self.end()
    }
}

impl Located for &Operand<'_> {
    fn bytes(self) -> Range<u32> {
        self.range().unwrap_or_default()
    }
}
