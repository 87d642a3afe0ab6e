//! The keys of a launches file as `launch_file.toml` describes them.

use serde::Deserialize;
use std::sync::LazyLock;

/// A key that is read.
#[derive(Debug, Deserialize)]
pub(super) struct Key {
    /// The tables that it stands in and the key itself, with points between.
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    /// Markdown.
    pub(super) description: String,
}

/// Kind of a key's value, as the schema has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Gpu,
    Compiler,
    Text,
    List,
    Levels,
    Table,
    Tables,
    Dimensions,
    Bytes,
    Count,
    Padding,
    Factor,
    Share,
    Number,
    Values,
    Words,
    Trips,
    Thresholds,
}

impl Kind {
    /// The value is a table.
    pub(super) const fn is_table(self) -> bool {
        matches!(
            self,
            Self::Levels | Self::Table | Self::Tables | Self::Words | Self::Trips | Self::Thresholds
        )
    }

    /// A value to be filled in, as a snippet.
    pub(super) const fn skeleton(self) -> &'static str {
        match self {
            Self::Gpu | Self::Compiler | Self::Text => "\"$1\"",
            Self::List => "[\"$1\"]",
            Self::Values => "[$1]",
            Self::Dimensions => "[${1:1}, ${2:1}, ${3:1}]",
            Self::Levels | Self::Table | Self::Tables | Self::Words | Self::Trips | Self::Thresholds => {
                "{ $1 }"
            }
            Self::Bytes | Self::Count | Self::Padding | Self::Factor | Self::Share | Self::Number => "$1",
        }
    }
}

#[derive(Debug, Deserialize)]
struct Table {
    key: Vec<Key>,
}

static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let table: Table =
        toml::from_str(include_str!("../engine/launch_file.toml")).expect("the tests read the same file");
    table.key
});

/// The key of that name in those tables; `None` where none is read.
pub(super) fn key(path: &[String]) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name.split('.').eq(path))
}

/// The keys of a table, in the order in which they are described; of the file itself for no names.
pub(super) fn keys_of(table: &[String]) -> impl Iterator<Item = (&'static str, &'static Key)> {
    KEYS.iter().filter_map(move |key| {
        let (tables, name) = key.name.rsplit_once('.').unwrap_or(("", &key.name));
        let tables = tables.split('.').filter(|name| !name.is_empty());
        tables.eq(table).then_some((name, key))
    })
}
