//! Other names that people use for GPUs, from `aliases.csv`.

use super::table::rows;
use super::text::{DataError, data_text};
use serde::Deserialize;
use std::sync::LazyLock;

/// Another name of a part.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Alias {
    pub alias: String,
    /// The part's id.
    pub gpu: String,
    /// The GPU that is meant if the name fits several; empty if it fits only one.
    pub meaning: String,
}

/// Returns the aliases that ship with the program.
pub(crate) fn aliases() -> &'static [Alias] {
    static ALIASES: LazyLock<Vec<Alias>> = LazyLock::new(|| read().expect("the tests load the same file"));
    &ALIASES
}

fn read() -> Result<Vec<Alias>, DataError> {
    let found = rows(data_text!("aliases.csv"), &["alias", "gpu", "meaning"])?;
    Ok(found.into_iter().map(|(_, alias)| alias).collect())
}
