//! A number and its source.

use serde::{Deserialize, Deserializer, de};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A value with its source. Every figure of a GPU in the project has a source.
///
/// Data files write `{ value = 132, source = "vendor:…" }`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct Number")]
pub struct Known<T> {
    pub value: T,
    pub source: Source,
}

/// Source of a number. A hover shows its `Display` form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// An NVIDIA document, header or table.
    Vendor(String),
    /// Measured on the GPU `gpu` on the date `date` (`2026-11-21`), by the named program or author.
    Measured { gpu: String, date: String, by: String },
    /// A figure from a publication.
    Paper(String),
    /// Computed from other sourced numbers, with the computation.
    Derived(String),
    /// An estimate, with its basis. A hint that depends on an estimate says "estimated".
    Guess(String),
    /// A substitute for a number that the chip lacks: the number of the nearest generation, with its source
    /// there.
    StandIn { arch: String, source: Box<Source> },
}

impl Source {
    /// True if a hint that depends on this number must say "estimated".
    pub fn is_estimate(&self) -> bool {
        matches!(self, Self::Guess(_) | Self::StandIn { .. })
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vendor(what) => write!(f, "vendor: {what}"),
            Self::Measured { gpu, date, by } if by.is_empty() => write!(f, "measured on {gpu}, {date}"),
            Self::Measured { gpu, date, by } => write!(f, "measured on {gpu}, {date}, by {by}"),
            Self::Paper(what) => write!(f, "paper: {what}"),
            Self::Derived(how) => write!(f, "derived: {how}"),
            Self::Guess(why) => write!(f, "guess: {why}"),
            Self::StandIn { arch, source } => write!(f, "{arch}'s figure is used instead ({source})"),
        }
    }
}

/// A source that is not in the form of data files.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "a source: `vendor:<what>`, `measured:<gpu>:<date>[:<by>]`, `paper:<which>`, `derived:<how>` or `guess:<why>`; \
     not `{0}`"
)]
pub struct SourceSyntax(pub String);

impl FromStr for Source {
    type Err = SourceSyntax;

    /// Parses the form used in data files. [`Source::StandIn`] has no such form, because only the loader
    /// creates it.
    fn from_str(text: &str) -> Result<Self, SourceSyntax> {
        let wrong = || SourceSyntax(text.into());
        let (kind, what) = text.split_once(':').ok_or_else(wrong)?;
        let what = what.trim();
        if what.is_empty() {
            return Err(wrong());
        }
        Ok(match kind {
            "vendor" => Self::Vendor(what.into()),
            "paper" => Self::Paper(what.into()),
            "derived" => Self::Derived(what.into()),
            "guess" => Self::Guess(what.into()),
            "measured" => {
                let (gpu, rest) = what.split_once(':').ok_or_else(wrong)?;
                let (date, by) = rest.split_once(':').unwrap_or((rest, ""));
                let dated = date.len() >= 4 && date.bytes().all(|c| c.is_ascii_digit() || c == b'-');
                if gpu.is_empty() || !dated {
                    return Err(wrong());
                }
                Self::Measured { gpu: gpu.into(), date: date.into(), by: by.into() }
            }
            _ => return Err(wrong()),
        })
    }
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
