//! Quick fixes: the titles for each finding, and the edits of the first fix.

use crate::session::check;
use testkit::Answer;

#[test]
fn findings_have_fixes() {
    check("fixes", |_, analysis| {
        let mut found = analysis.syntax_diagnostics().expect("nothing cancels it");
        found.extend(analysis.model_diagnostics().expect("nothing cancels it"));
        let answers = found.into_iter().map(|finding| {
            let fixes = analysis.fixes(finding.code, finding.range.clone()).expect("nothing cancels it");
            let lines: Vec<String> = fixes
                .iter()
                .map(|fix| {
                    let preferred = if fix.preferred { " (preferred)" } else { "" };
                    format!("{}{preferred}: `{}`", fix.title, fix.edits[0].text.trim_end())
                })
                .collect();
            Answer::at(finding.range, "fix", lines.join("\n"))
        });
        answers.collect()
    });
}
