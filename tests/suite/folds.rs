//! Folds: the first line of each fold, with the contents of its last line.

use crate::session::check;
use ide::FoldKind;
use testkit::Answer;

#[test]
fn folds_hide_what_belongs_together() {
    check("folds", |fixture, analysis| {
        let folds = analysis.folds().expect("nothing cancels it");
        folds
            .into_iter()
            .map(|fold| {
                let tag = match fold.kind {
                    FoldKind::Region => "fold[region]",
                    FoldKind::Comment => "fold[comment]",
                };
                let last = format!("to {}", fixture.last_line_in(&fold.range));
                Answer::on_line(fold.range, tag, last)
            })
            .collect()
    });
}
