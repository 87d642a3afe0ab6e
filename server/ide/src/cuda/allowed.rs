//! Comments that suppress a finding.

use super::view::lines_of;
use crate::engine::cuda_text::CudaText;
use crate::engine::rules::allows;
use std::ops::Range;

/// True if a comment `warplens: allow(code)` is on the finding's line, in the comment lines directly above,
/// or above the first line of code. A comment above the first line of code applies to the whole file.
pub(super) fn is_allowed(text: &CudaText, range: &Range<usize>, code: &str) -> bool {
    if !text.allows_some() {
        return false;
    }
    let text = text.text();
    let line = lines_of(text, range);
    if allows(&text[line.clone()], code) {
        return true;
    }
    let is_comment = |line: &str| {
        let line = line.trim();
        line.starts_with("//") || line.starts_with("/*") || line.starts_with('*')
    };
    let above = text[..line.start].lines().rev().take_while(|line| is_comment(line));
    let head = text.lines().take_while(|line| line.trim().is_empty() || is_comment(line));
    above.chain(head).any(|line| allows(line, code))
}
