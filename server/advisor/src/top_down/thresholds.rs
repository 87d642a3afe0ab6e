//! Thresholds in the conditions of guides. The user can override them.

use machine::{Known, nearest_name};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use thiserror::Error;

/// A value that guides compare with figures.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    pub value: f64,
    pub unit: String,
    /// Source of the value, as written in data files.
    pub source: machine::Source,
    /// One sentence that describes the threshold.
    pub summary: String,
}

/// All thresholds by name, including the user's overrides.
#[derive(Debug, Clone)]
pub struct Thresholds(BTreeMap<String, Threshold>);

/// Error for an unknown threshold name. The message suggests a similar name or lists all names.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown threshold `{}`{}", name.escape_debug(), self.hint())]
pub struct UnknownThreshold {
    pub name: String,
    pub known: Vec<String>,
}

impl UnknownThreshold {
    /// A known threshold with a similar name; `None` if no name is similar.
    pub fn meant(&self) -> Option<&str> {
        nearest_name(&self.name, self.known.iter().map(String::as_str))
    }

    fn hint(&self) -> String {
        match self.meant() {
            Some(meant) => format!("; did you mean `{meant}`?"),
            None => format!("; expected one of: {}", self.known.join(", ")),
        }
    }
}

static BUILT_IN: LazyLock<BTreeMap<String, Threshold>> =
    LazyLock::new(|| toml::from_str(include_str!("thresholds.toml")).expect("a test reads the file"));

impl Default for Thresholds {
    fn default() -> Self {
        Self(BUILT_IN.clone())
    }
}

impl Thresholds {
    /// Sets a threshold. Returns an error if the name is unknown.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), UnknownThreshold> {
        let Some(own) = self.0.get_mut(name) else {
            let known = self.0.keys().cloned().collect();
            return Err(UnknownThreshold { name: name.to_owned(), known });
        };
        own.value = value;
        own.source = machine::Source::Derived("a setting".to_owned());
        Ok(())
    }

    /// All thresholds with their names, sorted by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Threshold)> {
        self.0.iter().map(|(name, own)| (&**name, own))
    }

    /// The value of a threshold; `None` if the name is unknown.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.get(name).map(|own| own.value)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Threshold> {
        self.0.get(name)
    }

    /// The value of a threshold that the equations use, with its source.
    pub(super) fn known(&self, name: &str) -> Known<f64> {
        let own = self.get(name).expect("the equations' figures are in the file");
        Known { value: own.value, source: own.source.clone() }
    }
}
