//! The grammars' own tests: trees and highlighting by tree-sitter, scopes by VS Code's tokenizer.

use crate::ci::Tally;
use crate::clients::{Node, tree_sitter};
use crate::command::Run;
use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tree-sitter grammars, each with a test that recognises files of its language by their names.
const TREE_SITTER: &[Grammar] = &[
    Grammar { folder: "grammars/tree-sitter-nvsass", holds: is_sass },
    Grammar { folder: "grammars/tree-sitter-ptx", holds: |name| ends_with_any(name, &[".ptx"]) },
];
const TEXTMATE: &str = "grammars/textmate/test";

/// Generated files in a grammar's `src` that must equal the output of `tree-sitter generate`.
const GENERATED: &[&str] = &["parser.c", "grammar.json", "node-types.json"];

/// Version of the parser's format: older than the default, so that older editors can read it.
const ABI: &str = "14";

#[derive(Debug)]
struct Grammar {
    folder: &'static str,
    holds: fn(&str) -> bool,
}

pub(crate) fn run(repo: &Repo) -> Result<Tally> {
    let program = tree_sitter(repo)?;
    let node = Node::find_or_install(repo)?;
    let scratch = repo.target()?.join("grammars");
    let mut steps = vec![scopes_are_right(repo, &node)?];
    for grammar in TREE_SITTER {
        steps.push(parser_is_current(repo, grammar, &node, &program, &scratch)?);
        steps.push(tests_pass(repo, grammar, &program, &scratch)?);
        steps.push(files_parse(repo, grammar, &program, &scratch)?);
    }
    Ok(steps.into_iter().sum())
}

/// True if `src` equals the output generated from `grammar.js`.
fn parser_is_current(
    repo: &Repo,
    grammar: &Grammar,
    node: &Node,
    program: &Path,
    scratch: &Path,
) -> Result<Tally> {
    let folder = grammar.folder;
    let made = scratch.join("src");
    fs::create_dir_all(&made)?;
    node.in_reach(program)
        .args(["generate", "--abi", ABI, "--output"])
        .arg(&made)
        .current_dir(repo.path(folder))
        .ok()?;
    let mut tally = Tally::default();
    for name in GENERATED {
        let committed = format!("{folder}/src/{name}");
        if fs::read(made.join(name))? == fs::read(repo.path(&committed))? {
            tally.passed += 1;
        } else {
            let name =
                format!("{committed} is out of date: run `tree-sitter generate --abi {ABI}` in {folder}");
            println!("not ok {name}");
            tally.failures.push(name);
        }
    }
    Ok(tally)
}

/// Runs `test/corpus` and `test/highlight`.
fn tests_pass(repo: &Repo, grammar: &Grammar, program: &Path, scratch: &Path) -> Result<Tally> {
    let mut tally = Tally::default();
    // Otherwise the program's cache of built parsers would be in the user's home folder.
    let succeeded = Command::new(program)
        .args(["test", "--rebuild"])
        .env("HOME", scratch)
        .env("XDG_CACHE_HOME", scratch)
        .current_dir(repo.path(grammar.folder))
        .watched(|line| {
            if line.contains(['✓', '✗']) {
                tally.add(line.trim(), !line.contains('✗'));
            }
        })?;
    ensure!(succeeded || !tally.failures.is_empty(), "`tree-sitter test` did not finish");
    Ok(tally)
}

/// Parses all files of the language in the repository; each must have a tree without an error.
fn files_parse(repo: &Repo, grammar: &Grammar, program: &Path, scratch: &Path) -> Result<Tally> {
    let mut files = Vec::new();
    for folder in ["tests/corpus", "../shared/corpus", "../shared/hardware"] {
        let path = repo.path(folder);
        if path.exists() {
            collect(&path, grammar.holds, &mut files)?;
        } else {
            println!("left out {folder}: it does not exist");
        }
    }
    ensure!(!files.is_empty(), "{}: there is no file to parse", grammar.folder);
    let names: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
    let list = scratch.join("files");
    fs::write(&list, names.join("\n"))?;
    let said = Command::new(program)
        .args(["parse", "--quiet", "--stat", "--paths"])
        .arg(&list)
        .env("HOME", scratch)
        .env("XDG_CACHE_HOME", scratch)
        .current_dir(repo.path(grammar.folder))
        .output()?;
    let said = String::from_utf8_lossy(&said.stdout);
    println!("{}", said.trim());
    let passed = count(&said, "successful parses: ").context("`tree-sitter parse` printed no statistics")?;
    let failed = files.len().saturating_sub(passed as usize);
    let name = || format!("{}: {failed} files with an error in their tree", grammar.folder);
    Ok(Tally { passed, failures: (failed > 0).then(name).into_iter().collect(), left_out: 0 })
}

/// Collects the files whose names belong to the language.
fn collect(folder: &Path, holds: fn(&str) -> bool, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, holds, files)?;
        } else if holds(&path.file_name().unwrap_or_default().to_string_lossy()) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_sass(name: &str) -> bool {
    let is_listing = || ["cuobjdump", "nvdisasm"].iter().any(|tool| name.contains(tool));
    ends_with_any(name, &[".sass", ".cuasm", ".dsass"]) || ends_with_any(name, &[".txt"]) && is_listing()
}

fn ends_with_any(name: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| name.ends_with(end))
}

/// The number that follows `label`.
fn count(text: &str, label: &str) -> Option<u32> {
    let rest = &text[text.find(label)? + label.len()..];
    rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

/// Runs the scope tests of the TextMate grammars.
fn scopes_are_right(repo: &Repo, node: &Node) -> Result<Tally> {
    let folder = repo.path(TEXTMATE);
    if !folder.join("node_modules/vscode-textmate").exists() {
        node.npm().args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder).ok()?;
    }
    node.node()
        .args(["--test", "--test-reporter=tap", "scopes.test.js"])
        .current_dir(&folder)
        .cases("the tests of the TextMate grammars did not finish")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_how_many_files_have_no_error() {
        let said = "Total parses: 87; successful parses: 84; failed parses: 3; success percentage: 96.55%";
        assert_eq!(count(said, "successful parses: "), Some(84));
        assert_eq!(count("nothing", "successful parses: "), None);
    }
}
