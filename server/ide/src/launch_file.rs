//! `warplens.toml` and `--launches`: a GPU, rule levels, limits, launches and listings, read from their text.

mod edit;
mod entry;
mod reader;
#[cfg(test)]
mod tests;

use crate::Severity;
use crate::config::{ConfigError, RuleLevel};
use crate::listings::ListingPattern;
use machine::Machine;
use reader::{Members, Reader};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use edit::StatedTrips;
pub use entry::{LaunchEntry, ParamValue};

/// A `warplens.toml` or a `--launches` file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LaunchFile {
    /// A part or an architecture.
    pub gpu: Option<String>,
    pub rules: BTreeMap<String, RuleLevel>,
    pub limits: StatedLimits,
    pub launches: Vec<LaunchEntry>,
    /// The listings whose kernels a search over the workspace finds, open or not.
    pub listings: Vec<ListingPattern>,
}

/// Limits as [`crate::Limits`], where the file states them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StatedLimits {
    pub wavefronts: Option<f64>,
    pub sectors: Option<f64>,
}

/// Something in a launches file that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// 1-based.
    pub line: usize,
    /// `Error`: the file says nothing as long as it stands there. `Warning`: only this part says nothing.
    pub severity: Severity,
    /// One line: what was expected.
    pub message: String,
}

/// The keys of a file.
const KEYS: [&str; 6] = ["gpu", "arch", "listings", "rules", "limits", "launch"];

/// The keys of `[limits]`.
const LIMITS: [&str; 2] = ["wavefronts", "sectors"];

impl LaunchFile {
    /// Reads a launches file. `path` is only named in the message: `warplens.toml:3: …`.
    pub fn parse(path: &str, text: &str) -> Result<Self, ConfigError> {
        let (file, problems) = Self::read(text);
        match problems.into_iter().find(|problem| problem.severity == Severity::Error) {
            Some(problem) => Err(ConfigError::new(&format!("{path}:{}: {}", problem.line, problem.message))),
            None => Ok(file),
        }
    }

    /// What a text says as far as it can be read, and all that is wrong with it, in text order.
    pub fn read(text: &str) -> (Self, Vec<Problem>) {
        Self::read_for(text, None)
    }

    /// The same; a GPU that is not among those of `machine` is a problem, too.
    pub(crate) fn read_for(text: &str, machine: Option<&Machine>) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(text);
        let (document, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            reader.unreadable(&error.span().unwrap_or(0..0), error.message());
        }
        let mut file = Self::default();
        for (key, value) in Members::of(document.get_ref(), &KEYS, "the file", &mut reader) {
            match key {
                "gpu" | "arch" => file.read_gpu(key, value, machine, &mut reader),
                "listings" => file.read_listings(value, &mut reader),
                "rules" => file.read_rules(value, &mut reader),
                "limits" => file.limits = read_limits(value, &mut reader),
                _ => file.launches = read_launches(value, &mut reader),
            }
        }
        (file, reader.problems())
    }

    /// The launches of a function, in the file's order.
    pub fn launches_of<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a LaunchEntry> {
        self.launches.iter().filter(move |launch| crate::names::is_same_function(function, &launch.function))
    }

    fn read_gpu(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        machine: Option<&Machine>,
        reader: &mut Reader<'_>,
    ) {
        let Some(name) = reader.string(key, value) else { return };
        if let Some(Err(unknown)) = machine.map(|machine| machine.gpu(&name)) {
            reader.error(&value.span(), &unknown.to_string());
        }
        // `gpu` goes before `arch`, and is read behind it.
        self.gpu = Some(name);
    }

    fn read_listings(&mut self, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) {
        for item in reader.array("listings", value, "a list of files or patterns") {
            let Some(text) = reader.string("listings", item) else { continue };
            match ListingPattern::try_from(text) {
                Ok(pattern) => self.listings.push(pattern),
                Err(why) => reader.error(&item.span(), &why),
            }
        }
    }

    fn read_rules(&mut self, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) {
        let Some(table) = reader.table("rules", value) else { return };
        for (code, level) in table {
            if advisor::rule(code.get_ref()).is_none() {
                let known: Vec<&str> = advisor::RULES.iter().map(|rule| rule.code).collect();
                let message = format!("unknown rule `{}`; known: {}", code.get_ref(), known.join(", "));
                reader.error(&code.span(), &message);
            }
            match RuleLevel::deserialize(toml::de::ValueDeserializer::from(level.clone())) {
                Ok(level) => {
                    self.rules.insert(code.get_ref().clone().into_owned(), level);
                }
                Err(_) => reader.expected(
                    code.get_ref(),
                    level,
                    "\"off\", \"error\", \"warning\", \"info\" or \"hint\"",
                ),
            }
        }
    }
}

fn read_limits(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> StatedLimits {
    let mut limits = StatedLimits::default();
    let Some(table) = reader.table("limits", value) else { return limits };
    for (key, value) in Members::of(table, &LIMITS, "[limits]", reader) {
        let limit = reader.number(key, value, |limit| limit >= 1.0, "a factor of 1.0 or more");
        match key {
            "wavefronts" => limits.wavefronts = limit,
            _ => limits.sectors = limit,
        }
    }
    limits
}

fn read_launches(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Vec<LaunchEntry> {
    if value.get_ref().is_table() {
        reader.error(&value.span(), "expected `[[launch]]`, in two brackets: several may stand side by side");
        return Vec::new();
    }
    let launches = reader.array("launch", value, "`[[launch]]` tables").iter();
    launches.filter_map(|launch| LaunchEntry::read(launch, reader)).collect()
}
