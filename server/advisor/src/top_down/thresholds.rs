//! Figures that guides compare with: data that a user can override.

use machine::Known;
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

/// No threshold of that name; the message lists those that there are.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown threshold `{}`; expected one of: {known}", name.escape_debug())]
pub struct UnknownThreshold {
    pub name: String,
    pub known: String,
}

static BUILT_IN: LazyLock<BTreeMap<String, Threshold>> =
    LazyLock::new(|| toml::from_str(include_str!("thresholds.toml")).expect("a test reads the file"));

impl Default for Thresholds {
    fn default() -> Self {
        Self(BUILT_IN.clone())
    }
}

impl Thresholds {
    /// Sets a threshold. Fails where there is none of that name.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), UnknownThreshold> {
        let known = || self.0.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let known = if self.0.contains_key(name) { String::new() } else { known() };
        let own = self.0.get_mut(name).ok_or(UnknownThreshold { name: name.to_owned(), known })?;
        own.value = value;
        own.source = machine::Source::Derived("a setting".to_owned());
        Ok(())
    }

    /// All of them, by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Threshold)> {
        self.0.iter().map(|(name, own)| (&**name, own))
    }

    /// The value under that name; `None` where there is none.
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
