//! Findings: severity, code and message.

use crate::session::check;
use ide::Severity;
use testkit::Answer;

#[test]
fn findings_stand_where_the_defect_is() {
    check("diagnostics", |_, analysis| {
        let syntax = analysis.syntax_diagnostics().expect("nothing cancels it");
        let model = analysis.model_diagnostics().expect("nothing cancels it");
        let mut found: Vec<_> = syntax.into_iter().chain(model).collect();
        found.sort_by_key(|diagnostic| diagnostic.range.start);
        let severity = |severity| match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
            Severity::Hint => "hint",
        };
        found
            .into_iter()
            .map(|diagnostic| {
                let tag = format!("{}[{}]", severity(diagnostic.severity), diagnostic.code);
                Answer::at(diagnostic.range, tag, diagnostic.message)
            })
            .collect()
    });
}
