//! The table of rules, generated from the descriptions of the rules.

use super::file::{File, between, text};
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::fmt::Write;

const PAGE: &str = "server/docs/rules.md";

const BEGIN: &str = "<!-- generated: rules -->\n";
const END: &str = "<!-- /generated: rules -->";

/// The page of rules with its current contents.
pub(super) fn files(repo: &Repo) -> Result<Vec<File>> {
    let mut table = "| rule | group | severity | what | in |\n|---|---|---|---|---|\n".to_owned();
    for rule in advisor::rules() {
        let (code, file) = (rule.code, rule.code.replace('-', "_"));
        let (group, severity, languages) = (rule.group.name(), rule.severity.name(), rule.languages());
        let summary = rule.summary;
        writeln!(
            table,
            "| [{code}](../advisor/src/rules/{file}.md) | {group} | {severity} | {summary} | {languages} |"
        )?;
    }
    let page = between(&text(repo, PAGE)?, BEGIN, END, &table).context(PAGE)?;
    Ok(vec![(PAGE.to_owned(), page)])
}
