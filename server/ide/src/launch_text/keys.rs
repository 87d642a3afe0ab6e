//! Schema of a launch file: its keys as `launch_file.toml` describes them.

use serde::Deserialize;
use std::sync::LazyLock;

/// A key that a launch file may have.
#[derive(Debug, Deserialize)]
pub(super) struct Key {
    /// Names of the enclosing tables and the name of the key, joined with dots. `*` matches any name.
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    /// Description in Markdown.
    pub(super) description: String,
}

/// Type of a key's value.
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
    Named,
    Shapes,
    Formula,
    Formulas,
    Arguments,
    Parameters,
    Numbers,
    Tuned,
    Problem,
    Element,
    Layout,
    Tiling,
}

impl Kind {
    /// True if the value is a table.
    pub(super) const fn is_table(self) -> bool {
        matches!(
            self,
            Self::Levels
                | Self::Table
                | Self::Tables
                | Self::Words
                | Self::Trips
                | Self::Thresholds
                | Self::Named
                | Self::Parameters
                | Self::Tiling
        )
    }

    /// Snippet of a value with placeholders.
    pub(super) const fn skeleton(self) -> &'static str {
        match self {
            Self::Gpu
            | Self::Compiler
            | Self::Text
            | Self::Formula
            | Self::Tuned
            | Self::Problem
            | Self::Element
            | Self::Layout => "\"$1\"",
            Self::Shapes => "[{ ${1:M} = ${2:1024} }]",
            Self::List | Self::Formulas => "[\"$1\"]",
            Self::Values | Self::Arguments | Self::Numbers => "[$1]",
            Self::Dimensions => "[${1:1}, ${2:1}, ${3:1}]",
            Self::Levels
            | Self::Table
            | Self::Tables
            | Self::Words
            | Self::Trips
            | Self::Thresholds
            | Self::Named
            | Self::Parameters
            | Self::Tiling => "{ $1 }",
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
        toml::from_str(include_str!("../engine/launch_file.toml")).expect("the tests parse the same file");
    table.key
});

/// The key at a path of names, outermost table first; `None` if the schema has no such key.
pub(super) fn key(path: &[String]) -> Option<&'static Key> {
    KEYS.iter().find(|key| is_at(&key.name, path))
}

/// True if a path matches the dotted name of a key. `*` in the name matches any path component.
fn is_at(key: &str, path: &[String]) -> bool {
    let count = if key.is_empty() { 0 } else { key.split('.').count() };
    count == path.len() && key.split('.').zip(path).all(|(own, name)| own == "*" || own == name)
}

/// Keys of the table at a path, in schema order, each with its name in that table. An empty path
/// selects the top-level keys.
pub(super) fn keys_of(table: &[String]) -> impl Iterator<Item = (&'static str, &'static Key)> {
    KEYS.iter().filter_map(move |key| {
        let (tables, name) = key.name.rsplit_once('.').unwrap_or(("", &key.name));
        is_at(tables, table).then_some((name, key))
    })
}
