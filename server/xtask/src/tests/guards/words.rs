//! Checks comments for words that a native reader would stumble over.

use super::{ALLOWED, sources, tracked};
use crate::repo::Repo;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Percentage points by which a share may be below its ceiling before the ceiling must be lowered.
const SLACK: f64 = 0.3;

/// Folders outside the crates' sources whose programs and scripts are counted together.
const FOLDERS: [&str; 4] = ["editors", "grammars", "tests", "server/lab"];

/// File extensions of programs and scripts, with the openings of their comment lines.
const SCRIPTS: [(&str, &[&str]); 9] = [
    ("c", &["//"]),
    ("cu", &["//"]),
    ("cuh", &["//"]),
    ("js", &["//", "/*", "*"]),
    ("lua", &["--"]),
    ("mjs", &["//", "/*", "*"]),
    ("rs", &["//"]),
    ("scm", &[";"]),
    ("ts", &["//", "/*", "*"]),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Allowed {
    /// Words and phrases in lower case.
    list: Vec<String>,
    /// Largest share of comment lines with one of the words, in percent: by crate, by folder of scripts, and for
    /// maintainers' documents.
    ceilings: BTreeMap<String, f64>,
}

/// Number of comment lines, and number of comment lines with a word of the list.
#[derive(Default)]
struct Share {
    lines: usize,
    with_word: usize,
}

impl Share {
    fn add<'t>(&mut self, lines: impl Iterator<Item = &'t str>) {
        for line in lines {
            self.lines += 1;
            self.with_word += usize::from(has_word(line, &ALLOWED.words.list));
        }
    }

    fn percent(&self) -> f64 {
        100.0 * self.with_word as f64 / self.lines.max(1) as f64
    }
}

#[test]
fn comments_are_in_plain_english() {
    let mut shares = BTreeMap::<String, Share>::new();
    for source in &sources() {
        let comments = source.text.lines().map(str::trim_start).filter(|line| line.starts_with("//"));
        shares.entry(source.package.clone()).or_default().add(comments);
    }
    let repo = Repo::find().unwrap();
    for folder in FOLDERS {
        let share = shares.entry(folder.to_owned()).or_default();
        for (extension, openings) in SCRIPTS {
            let folder = repo.path(folder);
            for path in tracked(&folder, &format!("*.{extension}")).lines() {
                let text = std::fs::read_to_string(folder.join(path)).unwrap();
                let is_comment = |line: &&str| openings.iter().any(|opening| line.starts_with(opening));
                share.add(text.lines().map(str::trim_start).filter(is_comment));
            }
        }
    }
    let documents = [
        ("ARCHITECTURE.md and CONTRIBUTING.md", &["ARCHITECTURE.md", "CONTRIBUTING.md"][..]),
        ("model/README.md", &["model/README.md"]),
        ("docs/decisions", &["docs/decisions"]),
    ];
    for (name, paths) in documents {
        let share = shares.entry(name.to_owned()).or_default();
        for path in paths {
            for text in texts(&repo.path("server").join(path)) {
                share.add(text.lines().filter(|line| !line.trim().is_empty()));
            }
        }
    }
    let ceilings = &ALLOWED.words.ceilings;
    let mut wrong = String::new();
    for (name, share) in &shares {
        let percent = share.percent();
        match ceilings.get(name) {
            Some(ceiling) if percent > *ceiling => {
                let _ = writeln!(wrong, "  {name}: {percent:.2} %; at most {ceiling}");
            }
            Some(ceiling) if percent + SLACK < *ceiling => {
                let _ = writeln!(wrong, "  {name}: {percent:.2} %; lower its ceiling of {ceiling}");
            }
            Some(_) => {}
            None => {
                let _ = writeln!(wrong, "  {name}: {percent:.2} %; it has no ceiling");
            }
        }
    }
    let (lines, with_word) =
        shares.values().fold((0, 0), |(lines, words), share| (lines + share.lines, words + share.with_word));
    println!("{with_word} of {lines} lines");
    assert!(wrong.is_empty(), "words of comments, against server/guards.toml:\n{wrong}");
}

/// The texts of a file, or of the Markdown files in a folder.
fn texts(path: &Path) -> Vec<String> {
    if path.is_file() {
        return vec![std::fs::read_to_string(path).unwrap()];
    }
    let files = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let pages = files.filter(|file| file.extension().is_some_and(|extension| extension == "md"));
    pages.map(|page| std::fs::read_to_string(page).unwrap()).collect()
}

/// True if a line has a word or a phrase of the list, as whole words.
fn has_word(line: &str, list: &[String]) -> bool {
    let line = line.to_lowercase();
    let is_end = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    list.iter().any(|word| {
        line.match_indices(word.as_str()).any(|(at, _)| {
            is_end(line[..at].chars().next_back()) && is_end(line[at + word.len()..].chars().next())
        })
    })
}

#[test]
fn a_word_is_found_as_a_whole() {
    let list = ["stands", "is none"].map(str::to_owned);
    assert!(has_word("What stands there", &list) && has_word("where there is none.", &list));
    assert!(!has_word("`understands`, so it is nonetheless right", &list));
}
