//! Figures that guides compare with: data that a user can override.

use machine::{Known, nearest_name};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use thiserror::Error;

/// A figure that guides compare with.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    pub value: f64,
    pub unit: String,
    /// Source of the figure, as data files write it.
    pub source: machine::Source,
    /// One sentence.
    pub summary: String,
}

/// All thresholds, by name, with what a user set of them.
#[derive(Debug, Clone)]
pub struct Thresholds(BTreeMap<String, Threshold>);

/// No threshold of that name; the message says which one may have been meant, else lists those that there are.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown threshold `{}`{}", name.escape_debug(), self.hint())]
pub struct UnknownThreshold {
    pub name: String,
    pub known: Vec<String>,
}

impl UnknownThreshold {
    /// The threshold that may have been meant; `None` where no name is near.
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
    /// Sets a threshold. Fails if no threshold has that name.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), UnknownThreshold> {
        let Some(own) = self.0.get_mut(name) else {
            let known = self.0.keys().cloned().collect();
            return Err(UnknownThreshold { name: name.to_owned(), known });
        };
        own.value = value;
        own.source = machine::Source::Derived("a setting".to_owned());
        Ok(())
    }

    /// All of them, by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Threshold)> {
        self.0.iter().map(|(name, own)| (&**name, own))
    }

    /// The value under that name; `None` if no threshold has it.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.get(name).map(|own| own.value)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Threshold> {
        self.0.get(name)
    }

    /// The figure of the equations under that name, with its source.
    pub(super) fn known(&self, name: &str) -> Known<f64> {
        let own = self.get(name).expect("the equations' figures are in the file");
        Known { value: own.value, source: own.source.clone() }
    }
}
