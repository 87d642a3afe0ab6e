//! `cargo xtask texts`: prints all texts of the product that users read, by area and file with line numbers.
//! All texts can then be reviewed together.
//!
//! A text is a string literal, a page, a cell of a table or an entry of a manifest that consists of words.

mod data;
mod literals;
mod pages;
pub(crate) mod rust;
mod sentences;
mod text;

use crate::repo::Repo;
use Reader::{Any, Parsed};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use text::Text;

/// Maximum number of words in a sentence that `--long` does not list.
const MAX_WORDS: usize = 25;

#[derive(clap::Args)]
pub(crate) struct TextsOptions {
    /// Lists only the sentences of more than 25 words.
    #[arg(long)]
    long: bool,
    /// Writes to this file instead of stdout.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Parts of the paths of files to print. Default: all
    paths: Vec<String>,
}

/// A function that extracts the texts from a file's contents.
enum Reader {
    /// Accepts any contents.
    Any(fn(&str) -> Vec<Text>),
    /// Parses the contents, which fails if they are invalid.
    Parsed(fn(&str) -> Result<Vec<Text>>),
}

impl Reader {
    fn texts(&self, content: &str) -> Result<Vec<Text>> {
        match self {
            Any(read) => Ok(read(content)),
            Parsed(read) => read(content),
        }
    }
}

/// A group of files of one kind.
struct Source {
    /// The heading for the texts of these files.
    area: &'static str,
    /// Path from the repository's root of a file, or of a folder that is searched.
    path: &'static str,
    extension: &'static str,
    read: Reader,
}

const fn source(area: &'static str, path: &'static str, extension: &'static str, read: Reader) -> Source {
    Source { area, path, extension, read }
}

/// All sources of texts, in the order of the output.
const SOURCES: &[Source] = &[
    source("Findings and advice", "server/advisor/src", "rs", Parsed(rust::texts)),
    source("Findings and advice", "server/advisor/src", "toml", Parsed(data::toml)),
    source("Pages of rules and advice", "server/advisor/src", "md", Any(pages::texts)),
    source("Model", "server/model/src", "rs", Parsed(rust::texts)),
    source("Machine", "server/machine/src", "rs", Parsed(rust::texts)),
    source("Machine: tables of SASS", "server/machine/data/isa", "csv", Any(data::csv)),
    source("Machine: tables of PTX", "server/machine/data/ptx", "csv", Any(data::csv)),
    source("Machine: pages", "server/machine/docs", "md", Any(pages::texts)),
    source("Syntax", "server/syntax/src", "rs", Parsed(rust::texts)),
    source("Profiles", "server/profile/src", "rs", Parsed(rust::texts)),
    source("Tools", "server/toolchain/src", "rs", Parsed(rust::texts)),
    source("Editor features", "server/ide/src", "rs", Parsed(rust::texts)),
    source("Settings and keys of warplens.toml", "server/ide/src/engine", "toml", Parsed(data::toml)),
    source("Server and command line", "server/lsp/src", "rs", Parsed(rust::texts)),
    source("Command line: help", "server/lsp/src/cli/help", "txt", Any(pages::plain)),
    source("VS Code: manifest", "editors/vscode/package.json", "json", Any(data::manifest)),
    source("VS Code: settings", "editors/vscode/settings.toml", "toml", Parsed(data::toml)),
    source("VS Code", "editors/vscode/src", "ts", Any(literals::script)),
    source("VS Code", "editors/vscode/media", "js", Any(literals::script)),
    source("Neovim", "editors/nvim/plugin", "lua", Any(literals::lua)),
    source("Neovim", "editors/nvim/lua", "lua", Any(literals::lua)),
    source("Neovim", "editors/nvim/ftplugin", "lua", Any(literals::lua)),
    source("Documents", "README.md", "md", Any(pages::texts)),
    source("Documents", "server/docs", "md", Any(pages::texts)),
    source("Documents", "editors", "md", Any(pages::texts)),
];

/// Folders without any part of the product.
const PASSED_OVER: [&str; 4] = ["node_modules", "decisions", "tests", ".git"];

/// Prints the texts, or the long sentences among them. Always returns true.
pub(crate) fn run(repo: &Repo, options: &TextsOptions) -> Result<bool> {
    let text = render(repo, options)?;
    match &options.output {
        Some(path) => fs::write(path, text).with_context(|| path.display().to_string())?,
        None => print!("{text}"),
    }
    Ok(true)
}

fn render(repo: &Repo, options: &TextsOptions) -> Result<String> {
    let mut out = String::new();
    let mut area = "";
    for source in SOURCES {
        for file in files(repo, source)? {
            if !options.paths.is_empty() && !options.paths.iter().any(|part| file.contains(part.as_str())) {
                continue;
            }
            let content = fs::read_to_string(repo.path(&file)).with_context(|| file.clone())?;
            let texts = source.read.texts(&content).with_context(|| file.clone())?;
            let texts = if options.long { long(&texts) } else { texts };
            if texts.is_empty() {
                continue;
            }
            if area != source.area {
                area = source.area;
                let _ = writeln!(out, "# {area}\n");
            }
            let _ = writeln!(out, "## {file}");
            for Text { line, text } in texts {
                let _ = writeln!(out, "{line}: {}", text.trim_end().replace('\n', "\n    "));
            }
            out.push('\n');
        }
    }
    Ok(out)
}

/// The sentences of more than [`MAX_WORDS`] words, each with its number of words.
fn long(texts: &[Text]) -> Vec<Text> {
    let sentences = |text: &Text| {
        let line = text.line;
        let of_text: Vec<Text> = sentences::split(&text.text)
            .into_iter()
            .map(|sentence| (sentences::words(&sentence), sentence))
            .filter(|(words, _)| *words > MAX_WORDS)
            .map(|(words, sentence)| Text { line, text: format!("({words}) {sentence}") })
            .collect();
        of_text
    };
    texts.iter().flat_map(sentences).collect()
}

/// The files of a source in sorted order, as paths from the repository's root. Files for tests are left out.
fn files(repo: &Repo, source: &Source) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![source.path.to_owned()];
    while let Some(path) = folders.pop() {
        let whole = repo.path(&path);
        let name = Path::new(&path).file_name().unwrap_or_default();
        if PASSED_OVER.iter().any(|passed| name == *passed) || name == "tests.rs" {
            continue;
        }
        if !whole.is_dir() {
            if whole.extension().is_some_and(|extension| extension == source.extension) {
                files.push(path);
            }
            continue;
        }
        for entry in fs::read_dir(&whole).with_context(|| path.clone())? {
            let name = entry?.file_name();
            folders.push(format!("{path}/{}", name.to_string_lossy()));
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests;
