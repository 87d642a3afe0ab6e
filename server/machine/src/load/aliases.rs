//! Common alternative names of GPUs, from `aliases.csv`.

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
    /// Description of the GPU if the name could denote several GPUs; empty if the name is unambiguous.
    pub meaning: String,
}

/// Returns the built-in aliases.
pub(crate) fn aliases() -> &'static [Alias] {
    static ALIASES: LazyLock<Vec<Alias>> = LazyLock::new(|| read().expect("the tests load the same file"));
    &ALIASES
}

fn read() -> Result<Vec<Alias>, DataError> {
    let found = rows(data_text!("aliases.csv"), &["alias", "gpu", "meaning"])?;
    Ok(found.into_iter().map(|(_, alias)| alias).collect())
}
