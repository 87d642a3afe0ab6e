//! Findings of an item, as its checks report them.

use super::code::Code;
use crate::finding::{ItemFinding as Finding, Severity};
use std::ops::Range;
use syntax::ptx::{Operand, Token};

/// The findings so far.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
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
        let at = self.0.len();
        self.0.push(finding(code, is_error, place.bytes(), message.into()));
        &mut self.0[at]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Has the findings of a rule begin at a byte.
    pub(super) fn start_at(&mut self, code: Code, byte: u32) {
        for finding in self.0.iter_mut().filter(|finding| finding.code == code.name()) {
            finding.place.start = byte;
        }
    }

    /// In text order.
    pub(super) fn sorted(self) -> Vec<Finding> {
        let mut findings = self.0;
        findings.sort_by_key(|finding| (finding.place.start, finding.place.end));
        findings
    }
}

pub(super) fn finding(code: Code, is_error: bool, range: Range<u32>, message: String) -> Finding {
    let severity = if is_error { Severity::Error } else { Severity::Warning };
    Finding { severity: Some(severity), ..Finding::new(code.name(), range, message) }
}

/// A part of an item at which a finding is reported.
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
