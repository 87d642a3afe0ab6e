//! The commands on the page about the command line, with the titles that `--help` shows.

use super::file::{File, between, text};
use crate::repo::Repo;
use crate::texts::rust::doc_line;
use anyhow::{Context, Result};
use std::fmt::Write;
use syn::Item;

/// The file that declares the commands.
const COMMANDS: &str = "server/lsp/src/cli/mod.rs";
const PAGE: &str = "server/docs/command-line.md";

const BEGIN: &str = "<!-- generated: commands -->\n";
const END: &str = "<!-- /generated: commands -->";

/// The page with its current contents.
pub(super) fn files(repo: &Repo) -> Result<Vec<File>> {
    let list = list(&text(repo, COMMANDS)?).context(COMMANDS)?;
    let page = between(&text(repo, PAGE)?, BEGIN, END, &list).context(PAGE)?;
    Ok(vec![(PAGE.to_owned(), page)])
}

/// A line for each variant of the enum `Command`: the name, and the doc comment, which is the title.
fn list(source: &str) -> Result<String> {
    let file = syn::parse_file(source)?;
    let commands = file.items.iter().find_map(|item| match item {
        Item::Enum(item) if item.ident == "Command" => Some(&item.variants),
        _ => None,
    });
    let mut list = String::new();
    for command in commands.context("no enum `Command`")? {
        let name = command.ident.to_string().to_lowercase();
        let title = command.attrs.iter().find_map(doc_line).with_context(|| format!("{name}: no title"))?;
        writeln!(list, "- `{name}`: {}.", title.value().trim())?;
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_line_with_its_title() {
        let source =
            "enum Other { A }\nenum Command {\n    /// Print a\n    #[command(x)]\n    Print(Args),\n}\n";
        assert_eq!(list(source).expect("a list"), "- `print`: Print a.\n");
        assert!(list("enum Command { Print }").is_err() && list("").is_err());
    }
}
