//! Checks or blesses all fixtures of a folder.

use crate::compare::differences;
use crate::{Answer, Fixture};
use std::fs;
use std::path::Path;

/// File name extensions of fixtures.
const ENDINGS: [&str; 3] = ["nvsass", "ptx", "cu"];

/// Checks every fixture in `folder` against the result of `answers` for the fixture, and lists all
/// differences.
///
/// With `WARPLENS_BLESS=1`, marks are rewritten first. Differences then remain only for answers that depend
/// on their own marks.
///
/// # Panics
///
/// If marks and answers differ, or if the folder has no fixture.
pub fn check_folder(folder: &Path, answers: impl Fn(&Fixture) -> Vec<Answer>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)));
    paths.sort();
    assert!(!paths.is_empty(), "{}: no *.{}", folder.display(), ENDINGS.join(" or *."));
    let bless = std::env::var_os("WARPLENS_BLESS").is_some_and(|value| value == "1");
    let mut report = String::new();
    for path in &paths {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut fixture = Fixture::parse(&text);
        if bless {
            fixture = blessed(fixture, &answers);
            if fixture.text() != text {
                fs::write(path, fixture.text()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            }
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        report += &differences(&name, &fixture, &fixture.as_marks(&answers(&fixture)));
    }
    assert!(
        report.is_empty(),
        "marks (-) and answers (+) differ; `cargo xtask bless` rewrites the marks\n\n{report}"
    );
}

/// The fixture with the answers as its marks. An answer may depend on the marks (such as a line count), so
/// the marks are rewritten until they no longer change. Answers that still change after `ROUNDS` rounds
/// remain as a difference.
fn blessed(mut fixture: Fixture, answers: &impl Fn(&Fixture) -> Vec<Answer>) -> Fixture {
    const ROUNDS: u32 = 4;
    for _ in 0..ROUNDS {
        let next = fixture.with_marks(&fixture.as_marks(&answers(&fixture)));
        if next == fixture.text() {
            break;
        }
        fixture = Fixture::parse(&next);
    }
    fixture
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers for every `EXIT` with the number of lines in the text, including marks.
    fn count_lines(fixture: &Fixture) -> Vec<Answer> {
        let text = fixture.text();
        let exits = text.match_indices("EXIT").map(|(at, word)| at..at + word.len());
        exits.map(|range| Answer::at(range, "lines", text.lines().count().to_string())).collect()
    }

    #[test]
    fn blessing_settles_and_then_nothing_differs() {
        let fixture = blessed(Fixture::parse("    EXIT ;\n//  ^^ lines: 9\n\n    EXIT ;"), &count_lines);
        assert_eq!(fixture.text(), "    EXIT ;\n//  ^^^^ lines: 5\n\n    EXIT ;\n//  ^^^^ lines: 5\n");
        assert_eq!(differences("x", &fixture, &fixture.as_marks(&count_lines(&fixture))), "");
    }

    #[test]
    #[should_panic(expected = "no *.nvsass")]
    fn a_folder_without_fixtures_is_no_success() {
        check_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), |_| Vec::new());
    }
}
