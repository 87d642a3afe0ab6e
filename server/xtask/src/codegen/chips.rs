//! The architectures and GPUs on the page about input, generated from the chips' data.

use super::file::{File, between, text};
use crate::repo::Repo;
use anyhow::{Context, Result};
use machine::Machine;

const PAGE: &str = "server/docs/reading.md";

/// The page with its current contents.
pub(super) fn files(repo: &Repo) -> Result<Vec<File>> {
    let machine = Machine::builtin();
    let archs = machine.archs.iter().map(|arch| format!("{}.{}", arch.sm / 10, arch.sm % 10));
    let gpus = machine.parts.iter().map(|part| part.name.clone());
    let mut page = text(repo, PAGE)?;
    for (what, names) in [("architectures", archs.collect::<Vec<_>>()), ("GPUs", gpus.collect())] {
        let (begin, end) = (format!("<!-- generated: {what} -->"), format!("<!-- /generated: {what} -->"));
        page = between(&page, &begin, &end, &names.join(", ")).context(PAGE)?;
    }
    Ok(vec![(PAGE.to_owned(), page)])
}
