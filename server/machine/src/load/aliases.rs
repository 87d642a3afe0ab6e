//! Other names that people use for GPUs, as `aliases.csv` has them.

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
    /// Which of several GPUs is meant; empty where the name fits one alone.
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
