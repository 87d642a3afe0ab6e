//! Guards on the code's quality: spread of types, repeated names, words in comments, sizes, constants, complete
//! lists.
//!
//! Each guard measures the tree and compares it with `server/guards.toml`. Items above a limit are listed there with
//! their figures, which may only go down: a test fails if the tree is worse than the list, and also if it is better.

mod constants;
mod lists;
mod methods;
mod missing_data;
mod names;
mod sizes;
mod words;

use crate::repo::Repo;
use crate::texts::rust::{attributes, is_for_tests};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use syn::Item;

/// A source file of a crate, without its tests.
struct Source {
    /// Path of the crate's folder below `server/`.
    package: String,
    /// The path below `server/`.
    path: String,
    text: String,
    items: Vec<Item>,
}

/// Returns all source files of the server's crates, except `testkit`, which only tests use.
fn sources() -> Vec<Source> {
    let repo = Repo::find().unwrap();
    let listed = tracked(&repo.path("server"), "*.rs");
    let is_source = |path: &&str| {
        let folders: Vec<&str> = path.split('/').collect();
        folders.get(1) == Some(&"src")
            && folders[0] != "testkit"
            && !folders.iter().any(|folder| matches!(*folder, "tests" | "tests.rs"))
    };
    let read = |path: &str| {
        let text = std::fs::read_to_string(repo.path("server").join(path)).unwrap();
        let items = syn::parse_file(&text).unwrap().items;
        let package = path.split('/').next().unwrap_or_default().to_owned();
        Source { package, path: path.to_owned(), text, items: without_tests(items) }
    };
    listed.lines().filter(is_source).map(read).collect()
}

/// The files in a folder that git tracks and that match a pattern, as paths below the folder.
fn tracked(folder: &Path, pattern: &str) -> String {
    let mut git = Command::new("git");
    let listed = git.current_dir(folder).args(["ls-files", pattern]).output().unwrap();
    assert!(listed.status.success(), "git lists the files");
    String::from_utf8(listed.stdout).unwrap()
}

/// The contents of `server/guards.toml`.
static ALLOWED: LazyLock<Allowed> = LazyLock::new(|| {
    let repo = Repo::find().unwrap();
    let text = std::fs::read_to_string(repo.path("server/guards.toml")).unwrap();
    toml::from_str(&text).unwrap()
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Allowed {
    /// Words that make a native reader stumble, and each crate's largest share of comment lines with one, in percent.
    words: words::Allowed,
    /// Types with methods in more than three files, with the number of files.
    spread: BTreeMap<String, usize>,
    /// Types with more than three files whose methods call each other in a circle, with the largest number of such
    /// files.
    circles: BTreeMap<String, usize>,
    /// Type names that occur in more than two modules of a crate, with the number of modules.
    names: BTreeMap<String, usize>,
    /// Vague names of more than two types in all crates together, with the number of these types.
    vague_names: BTreeMap<String, usize>,
    /// Number of functions named `of`, by crate.
    functions_of: BTreeMap<String, usize>,
    /// Files of more than 800 lines.
    files: BTreeMap<String, usize>,
    /// Functions of more than 100 lines that are not tables.
    functions: BTreeMap<String, usize>,
    /// Number of numeric constants without `// limit:` or `// Source:`, by crate.
    constants: BTreeMap<String, usize>,
}

/// Asserts that the figures above a limit equal the allowed figures.
fn compare(what: &str, found: &BTreeMap<String, usize>, allowed: &BTreeMap<String, usize>) {
    let mut wrong = String::new();
    for (name, count) in found {
        match allowed.get(name) {
            Some(known) if known == count => {}
            Some(known) if count < known => {
                let _ = writeln!(wrong, "  {name}: {count} now; lower its entry of {known}");
            }
            known => {
                let known = known.map_or("none".to_owned(), usize::to_string);
                let _ = writeln!(wrong, "  {name}: {count}; allowed: {known}");
            }
        }
    }
    for name in allowed.keys().filter(|name| !found.contains_key(*name)) {
        let _ = writeln!(wrong, "  {name}: within the limit now; remove its entry");
    }
    assert!(wrong.is_empty(), "{what}, against server/guards.toml:\n{wrong}");
}

/// Leaves out modules and functions that are compiled only for tests.
fn without_tests(items: Vec<Item>) -> Vec<Item> {
    let mut kept = Vec::new();
    for mut item in items {
        if attributes(&item).iter().any(is_for_tests) {
            continue;
        }
        if let Item::Mod(module) = &mut item
            && let Some((brace, inner)) = module.content.take()
        {
            module.content = Some((brace, without_tests(inner)));
        }
        kept.push(item);
    }
    kept
}
