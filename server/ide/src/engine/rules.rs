//! The list of rules for clients, and the severity that settings assign to a rule.

use crate::engine::config::RuleLevel;
use crate::engine::context::Context;
use crate::engine::plain::Severity;

/// Public description of a rule: what `warplens rule` lists and `--select` matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleInfo {
    pub code: &'static str,
    pub group: &'static str,
    /// The default severity.
    pub severity: Severity,
    /// A one-sentence summary.
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

/// Returns the Markdown page of a rule: what it reports, why that matters, and examples. `None` if no rule
/// has this code.
pub fn rule_page(code: &str) -> Option<&'static str> {
    advisor::rule(code).map(|rule| rule.page)
}

/// Returns the Markdown page of a rule or a guide for readers, with examples of reported and unreported code.
/// `None` if neither a rule nor a guide has this code.
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

/// Returns the severity of a finding. `own` is the finding's own severity, if it differs from the rule's
/// severity. `None` if the rule or all diagnostics are switched off. A setting takes precedence over the
/// launches file.
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

/// Start of a comment that suppresses findings.
pub(crate) const ALLOW: &str = "warplens: allow(";

/// True if a comment is of the form `warplens: allow(other, code)` and its list contains the code.
pub(crate) fn allows(comment: &str, code: &str) -> bool {
    let Some((_, rest)) = comment.split_once(ALLOW) else { return false };
    let Some((codes, _)) = rest.split_once(')') else { return false };
    codes.split(',').any(|allowed| allowed.trim() == code)
}

pub(crate) const SYNTAX_ERROR: &str = "syntax-error";

pub(crate) const UNKNOWN_OPCODE: &str = "unknown-opcode";
