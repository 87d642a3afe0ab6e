//! The rules as clients list them, and the severity that settings assign to each.

use crate::engine::config::RuleLevel;
use crate::engine::context::Context;
use crate::engine::plain::Severity;

/// A rule, for lists and for `--select`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleInfo {
    pub code: &'static str,
    pub group: &'static str,
    /// The default severity.
    pub severity: Severity,
    /// One sentence.
    pub summary: &'static str,
}

/// Returns all rules.
pub fn rules() -> &'static [RuleInfo] {
    static RULES: std::sync::LazyLock<Vec<RuleInfo>> = std::sync::LazyLock::new(|| {
        let info = |rule: &advisor::Rule| RuleInfo {
            code: rule.code,
            group: rule.group.name(),
            severity: rule.severity,
            summary: rule.summary,
        };
        advisor::rules().map(info).collect()
    });
    &RULES
}

/// Returns a rule's page in Markdown: what it finds, why that matters, an example. `None` if no rule has this code.
pub fn rule_page(code: &str) -> Option<&'static str> {
    advisor::rule(code).map(|rule| rule.page)
}

/// Returns the page of a rule or of a guide for readers, in Markdown: what is found, why that matters, examples of what
/// is reported and what is not. `None` for any other code.
pub fn reader_page(code: &str) -> Option<String> {
    let rule = || {
        Some(
            rule_page(code)?
                .replace("\nFires:\n", "\nReported:\n")
                .replace("\nSilent:\n", "\nNot reported:\n"),
        )
    };
    rule().or_else(|| advisor::top_down::guide_page(code))
}

/// Returns the severity of a rule's findings; `own`: the severity of a single finding, if it has its own. `None` if the
/// rule or all diagnostics are off. A setting takes precedence over the launches file.
pub(crate) fn level(context: &Context, code: &str, own: Option<Severity>) -> Option<Severity> {
    if !context.config.diagnostics {
        return None;
    }
    let in_file = || context.launches.as_ref().and_then(|file| file.rules.get(code));
    match context.config.rules.get(code).or_else(in_file) {
        Some(level) => RuleLevel::severity(*level),
        None => own.or_else(|| advisor::rule(code).map(|rule| rule.severity)),
    }
}

/// The start of a comment that suppresses findings.
pub(crate) const ALLOW: &str = "warplens: allow(";

/// True if a comment is `warplens: allow(other, code)` or similar, with this code in its list.
pub(crate) fn allows(comment: &str, code: &str) -> bool {
    let Some((_, rest)) = comment.split_once(ALLOW) else { return false };
    let Some((codes, _)) = rest.split_once(')') else { return false };
    codes.split(',').any(|allowed| allowed.trim() == code)
}

pub(crate) const SYNTAX_ERROR: &str = "syntax-error";

pub(crate) const UNKNOWN_OPCODE: &str = "unknown-opcode";
