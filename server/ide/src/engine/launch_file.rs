//! `warplens.toml` and `--launches` files: GPU, rule levels, limits, launches, listings, and tunings.

mod edit;
mod entry;
mod holds;
mod npy;
mod problem;
mod reader;
mod salvage;
pub(crate) mod statements;
mod tensor;
#[cfg(test)]
mod tests;
mod tune;

use crate::Severity;
use crate::engine::codes::is_code;
use crate::engine::config::{ConfigError, RuleLevel};
use crate::engine::cubins::CubinPattern;
use crate::engine::listings::ListingPattern;
use crate::engine::names::is_launched_as;
use advisor::top_down::Thresholds;
use machine::Machine;
use problem::MAX_REFUSED;
use reader::{Reader, members};
use salvage::salvage;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use tune::read_tunings;

pub use crate::engine::parameters::types::ParamValue;
pub use edit::{StatedLaunch, StatedParameter, StatedTrips};
pub use entry::LaunchEntry;
pub use problem::{Problem, RefusedLaunch, Suggestion};
pub use reader::DataFileReader;
pub(crate) use reader::NO_FILES;
pub use tune::{
    Condition, Formula, Shape, StatedArgument, StatedProblem, StatedTuning, TunedParameter, Variant,
};
pub(crate) use tune::{LAYOUTS, tuner_parameters};

/// A `warplens.toml` or a `--launches` file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LaunchFile {
    /// Name of the GPU (`h100-sxm`) or of its architecture (`sm_90`).
    pub gpu: Option<String>,
    pub rules: BTreeMap<String, RuleLevel>,
    pub limits: StatedLimits,
    pub launches: Vec<LaunchEntry>,
    /// Names of kernels with a launch whose grid or block is still `"?"`.
    pub unfilled: Vec<String>,
    /// Launches that are ignored because of an error, if the name of the kernel can be read.
    pub refused: Vec<RefusedLaunch>,
    /// Listings whose kernels are found by a workspace search, even if the listings are not open.
    pub listings: Vec<ListingPattern>,
    /// Cubins and programs produced by a build, whose line tables refer to source files.
    pub cubins: Vec<CubinPattern>,
    pub compile: StatedBuild,
    pub profile: StatedProfile,
    pub run: StatedRun,
    /// Tunings of kernels, with the parameters in the kernel's source.
    pub tunings: Vec<StatedTuning>,
}

/// Profiles to attach, and the thresholds for recommendations derived from them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StatedProfile {
    /// Files written by a profiler. Paths are relative to the folder of the launches file.
    pub reports: Vec<String>,
    /// Values that replace the default thresholds of the advice, by threshold name.
    pub thresholds: BTreeMap<String, f64>,
}

impl StatedProfile {
    /// Returns all thresholds. A threshold that is not stated has its default value.
    pub fn thresholds(&self) -> Thresholds {
        let mut thresholds = Thresholds::default();
        for (name, value) in &self.thresholds {
            // The names were checked when the file was read, so setting a threshold does not fail.
            let _ = thresholds.set(name, *value);
        }
        thresholds
    }
}

/// The command that builds and runs a program to measure the gain of a change.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StatedRun {
    /// The program and its arguments. The command builds and runs the code in the folder of the launches
    /// file.
    pub command: Vec<String>,
    /// Time limit of the command in seconds. `None` if it is not stated.
    pub timeout: Option<f64>,
}

impl StatedRun {
    /// Time limit in seconds if the file does not state a limit.
    const USUAL_TIMEOUT: f64 = 600.0; // limit: ten minutes, enough for most builds

    /// Largest time limit that a file may state, in seconds: one week.
    pub const MAX_TIMEOUT: f64 = 604_800.0; // limit: a longer time is probably a mistake

    /// Returns the stated time limit of the command, or the default limit.
    pub fn time_limit(&self) -> Duration {
        Duration::try_from_secs_f64(self.timeout.unwrap_or(Self::USUAL_TIMEOUT)).unwrap_or(Duration::MAX)
    }
}

/// Options for compiling CUDA files. They take precedence over the options in `compile_commands.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatedBuild {
    /// The compiler to run, even if `compile_commands.json` names another compiler.
    pub compiler: Option<StatedCompiler>,
    /// Architecture to compile for, such as `sm_90a`.
    pub architecture: Option<String>,
    /// Compiler arguments. Paths are relative to the folder of the launches file.
    pub arguments: Vec<String>,
}

/// A CUDA compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatedCompiler {
    Nvcc,
    Clang,
}

/// The limits of [`crate::Limits`] that the file states. `None` for a limit that is not stated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StatedLimits {
    pub wavefronts: Option<f64>,
    pub sectors: Option<f64>,
}

/// The keys of a launches file.
const KEYS: [&str; 11] =
    ["gpu", "arch", "listings", "cubins", "compile", "profile", "run", "rules", "limits", "launch", "tune"];

/// Largest number of launches in a file. Each launch uses 9 KiB of memory and adds a lens above its kernel.
const MAX_LAUNCHES: usize = 4096; // limit: bounds memory

/// Largest number of patterns in `listings`. Each pattern requires a walk through folders.
const MAX_PATTERNS: usize = 256; // limit: bounds the walks on each change

/// The keys of `[compile]`.
const COMPILE: [&str; 3] = ["compiler", "architecture", "arguments"];

/// The values of `compiler` in `[compile]`.
pub(crate) const COMPILERS: [&str; 2] = ["nvcc", "clang"];

/// The levels of a rule.
pub(crate) const LEVELS: [&str; 5] = ["off", "error", "warning", "info", "hint"];

/// The keys of `[profile]`.
const PROFILE: [&str; 2] = ["reports", "thresholds"];

/// The keys of `[run]`.
const RUN: [&str; 2] = ["command", "timeout"];

/// Largest number of arguments per command.
const MAX_ARGUMENTS: usize = 1024; // limit: bounds memory; commands in use have some dozens

/// The keys of `[limits]`.
const LIMITS: [&str; 2] = ["wavefronts", "sectors"];

/// A reader of launches files that checks GPU names against the machine data of a [`crate::Host`]. Holds no reference
/// to the host.
#[derive(Debug, Clone)]
pub struct LaunchReader(pub(crate) Arc<Machine>);

impl LaunchReader {
    /// Reads a `warplens.toml`. Returns the valid content, and all problems in text order. The host's
    /// settings do not change.
    pub fn read(&self, text: &str, files: &DataFileReader<'_>) -> (LaunchFile, Vec<Problem>) {
        LaunchFile::read_for(text, Some(&self.0), files)
    }
}

impl LaunchFile {
    /// Reads a launches file without its data files. `Err` is the first error. `path` only appears in the error
    /// message: `warplens.toml:3: ...`.
    pub fn parse(path: &str, text: &str) -> Result<Self, ConfigError> {
        Ok(Self::parse_with(path, text, NO_FILES)?.0)
    }

    /// Reads a launches file like [`Self::parse`], and its data files. Also returns the problems that are not
    /// errors.
    pub fn parse_with(
        path: &str,
        text: &str,
        files: &DataFileReader<'_>,
    ) -> Result<(Self, Vec<Problem>), ConfigError> {
        let (file, problems) = Self::read_for(text, None, files);
        match problems.iter().find(|problem| problem.severity == Severity::Error) {
            Some(problem) => Err(ConfigError::new(&format!("{path}:{}: {}", problem.line, problem.message))),
            None => Ok((file, problems)),
        }
    }

    /// Reads a launches file without its data files. Returns the valid content, and all problems in text order.
    /// A launch with an error is skipped.
    pub fn read(text: &str) -> (Self, Vec<Problem>) {
        Self::read_for(text, None, NO_FILES)
    }

    /// Reads a launches file like [`Self::read`], and its data files. A GPU that `machine` lacks is also a problem and
    /// is ignored.
    pub(crate) fn read_for(
        text: &str,
        machine: Option<&Machine>,
        files: &DataFileReader<'_>,
    ) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(text, files);
        let mut file = Self::default();
        let salvaged;
        let (mut document, mut errors) = DeTable::parse_recoverable(text);
        // The parser's replacement for an invalid statement does not show where the next statement belongs.
        // The file is therefore parsed again without invalid statements.
        if !errors.is_empty() {
            (salvaged, file.refused) = salvage(text, &mut reader);
            (document, errors) = DeTable::parse_recoverable(&salvaged);
        }
        for error in errors {
            reader.unreadable(None, &error.span().unwrap_or(0..0), error.message(), None);
        }
        if document.get_ref().is_empty() {
            reader.break_file();
        }
        for (key, value) in members(document.get_ref(), &KEYS, "the file", &mut reader) {
            match key {
                "gpu" | "arch" => file.read_gpu(key, value, machine, &mut reader),
                "listings" => file.read_listings(value, &mut reader),
                "cubins" => file.read_cubins(value, &mut reader),
                "compile" => file.compile = read_build(value, &mut reader),
                "profile" => file.profile = read_profile(value, &mut reader),
                "run" => file.run = read_run(value, &mut reader),
                "rules" => file.read_rules(value, &mut reader),
                "limits" => file.limits = read_limits(value, &mut reader),
                "tune" => file.tunings = read_tunings(value, &mut reader),
                _ => file.read_launches(value, &mut reader),
            }
        }
        (file, reader.problems())
    }

    /// Returns this file. If its GPU, listings, cubins, profile reports, rules or limits have errors, they are taken
    /// from the earlier file.
    #[must_use]
    pub fn or_earlier(mut self, earlier: &Self, problems: &[Problem]) -> Self {
        let wrong: BTreeSet<&str> = problems.iter().filter_map(|problem| problem.key.as_deref()).collect();
        let is_wrong = |key: &str| wrong.contains(key);
        if self.gpu.is_none() && ["gpu", "arch"].into_iter().any(is_wrong) {
            self.gpu.clone_from(&earlier.gpu);
        }
        for (code, level) in earlier.rules.iter().filter(|(code, _)| is_wrong(code) || is_wrong("rules")) {
            self.rules.entry(code.clone()).or_insert(*level);
        }
        if self.listings.is_empty() && is_wrong("listings") {
            self.listings.clone_from(&earlier.listings);
        }
        if self.cubins.is_empty() && is_wrong("cubins") {
            self.cubins.clone_from(&earlier.cubins);
        }
        if self.profile.reports.is_empty() && is_wrong("reports") {
            self.profile.reports.clone_from(&earlier.profile.reports);
        }
        if is_wrong("wavefronts") || is_wrong("limits") {
            self.limits.wavefronts = self.limits.wavefronts.or(earlier.limits.wavefronts);
        }
        if is_wrong("sectors") || is_wrong("limits") {
            self.limits.sectors = self.limits.sectors.or(earlier.limits.sectors);
        }
        self
    }

    /// Returns the launches of a function, in file order. A launch that names a template without arguments
    /// applies to every instance of the template.
    pub fn launches_of<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a LaunchEntry> {
        self.launches.iter().filter(move |launch| is_launched_as(function, &launch.function))
    }

    /// Returns the function's first launch that was ignored because of an error. `None` if no launch was
    /// ignored.
    pub(crate) fn refused_of(&self, function: &str) -> Option<&RefusedLaunch> {
        let is_its = |launch: &&RefusedLaunch| is_launched_as(function, &launch.function);
        self.refused.iter().find(is_its)
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
            let meant =
                unknown.meant().map(|meant| Suggestion { range: value.span(), text: format!("\"{meant}\"") });
            let message = match meant {
                Some(_) => format!("`{key}`: {unknown}"),
                None => format!(
                    "`{key}`: unknown GPU `{}`; expected a GPU such as `h100-sxm` or an architecture such as `sm_90`",
                    reader::name(&name)
                ),
            };
            reader.error_with(Some(key), &value.span(), &message, meant);
            return;
        }
        // `gpu` takes precedence over `arch`, because `gpu` is read after `arch`.
        self.gpu = Some(name);
    }

    fn read_listings(&mut self, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) {
        for (number, item) in
            reader.array("listings", value, "a list of files or patterns").iter().enumerate()
        {
            if number == MAX_PATTERNS {
                let message = format!(
                    "`listings`: the patterns from here on are ignored; the maximum is {MAX_PATTERNS}"
                );
                reader.error(&item.span(), &message);
                break;
            }
            let Some(text) = reader.string("listings", item) else { continue };
            match ListingPattern::try_from(text) {
                Ok(pattern) => self.listings.push(pattern),
                Err(why) => reader.error_of("listings", &item.span(), &format!("`listings`: {why}")),
            }
        }
    }

    fn read_cubins(&mut self, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) {
        let items = reader.array("cubins", value, "a list of files or patterns");
        if let Some(first) = items.get(MAX_PATTERNS) {
            let message =
                format!("`cubins`: the patterns from here on are ignored; the maximum is {MAX_PATTERNS}");
            reader.error(&first.span(), &message);
        }
        for item in items.iter().take(MAX_PATTERNS) {
            let Some(text) = reader.string("cubins", item) else { continue };
            match CubinPattern::try_from(text) {
                Ok(pattern) => self.cubins.push(pattern),
                Err(why) => reader.error_of("cubins", &item.span(), &format!("`cubins`: {why}")),
            }
        }
    }

    fn read_launches(&mut self, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) {
        if value.get_ref().is_table() {
            let message =
                "expected `[[launch]]`, in double brackets, because a file may have several launches";
            let header = reader.text(&value.span()).filter(|text| text.starts_with('['));
            let list = header.map(|text| Suggestion { range: value.span(), text: format!("[{text}]") });
            reader.watch();
            reader.error_with(None, &value.span(), message, list);
            let function = value.get_ref().as_table().and_then(entry::named_function).map(str::to_owned);
            self.refused.extend(entry::refused(function, reader));
            return;
        }
        let items = reader.array("launch", value, "`[[launch]]` tables");
        if let Some(first) = items.get(MAX_LAUNCHES) {
            let message =
                format!("`[[launch]]`: the launches from here on are ignored; the maximum is {MAX_LAUNCHES}");
            reader.error(&first.span(), &message);
        }
        for launch in items.iter().take(MAX_LAUNCHES) {
            match LaunchEntry::read(launch, reader) {
                Ok(entry) if entry.is_unfilled => self.unfilled.push(entry.function),
                Ok(entry) => self.launches.push(entry),
                Err(refused) if self.refused.len() < MAX_REFUSED => self.refused.extend(refused),
                Err(_) => {}
            }
        }
    }

    fn read_rules(&mut self, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) {
        let Some(table) = reader.table("rules", value) else { return };
        for (code, level) in table {
            if !is_code(code.get_ref()) {
                let message = if reader.is_full() { String::new() } else { unknown_rule(code.get_ref()) };
                let meant = if reader.is_full() { None } else { meant_rule(code.get_ref()) };
                let meant = meant.map(|meant| Suggestion { range: code.span(), text: meant.to_owned() });
                reader.error_with(None, &code.span(), &message, meant);
                continue;
            }
            match RuleLevel::deserialize(toml::de::ValueDeserializer::from(level.clone())) {
                Ok(level) => {
                    self.rules.insert(code.get_ref().clone().into_owned(), level);
                }
                Err(_) => reader.expected_word(code.get_ref(), level, &LEVELS),
            }
        }
    }
}

fn read_build(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> StatedBuild {
    let mut build = StatedBuild::default();
    let Some(table) = reader.table("compile", value) else { return build };
    for (key, value) in members(table, &COMPILE, "[compile]", reader) {
        if key == "compiler" {
            build.compiler = match reader.string(key, value).as_deref() {
                Some("nvcc") => Some(StatedCompiler::Nvcc),
                Some("clang") => Some(StatedCompiler::Clang),
                Some(_) => {
                    reader.expected_word(key, value, &COMPILERS);
                    None
                }
                None => None,
            };
            continue;
        }
        if key == "architecture" {
            let Some(text) = reader.string(key, value) else { continue };
            let is_one = text.strip_prefix("sm_").is_some_and(|rest| {
                rest.starts_with(|c: char| c.is_ascii_digit())
                    && rest.chars().all(|c| c.is_ascii_alphanumeric())
            });
            if is_one {
                build.architecture = Some(text);
            } else {
                reader.expected(key, value, "an architecture such as \"sm_90a\"");
            }
            continue;
        }
        for item in
            reader.array(key, value, "a list of arguments for nvcc or clang").iter().take(MAX_ARGUMENTS)
        {
            build.arguments.extend(reader.string(key, item));
        }
    }
    build
}

fn read_profile(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> StatedProfile {
    let mut profile = StatedProfile::default();
    let Some(table) = reader.table("profile", value) else { return profile };
    for (key, value) in members(table, &PROFILE, "[profile]", reader) {
        if key == "reports" {
            for item in reader.array(key, value, "a list of files").iter().take(MAX_PATTERNS) {
                profile.reports.extend(reader.string(key, item));
            }
            continue;
        }
        let Some(table) = reader.table(key, value) else { continue };
        let known = Thresholds::default();
        for (name, value) in table {
            if known.value(name.get_ref()).is_none() {
                let meant = machine::nearest_name(name.get_ref(), known.all().map(|(name, _)| name));
                let hint = match meant {
                    Some(meant) => format!("; did you mean `{meant}`?"),
                    None => "; `warplens profile --help` explains the advice".to_owned(),
                };
                let message = format!("unknown threshold `{}`{hint}", reader::name(name.get_ref()));
                let meant = meant.map(|meant| Suggestion { range: name.span(), text: meant.to_owned() });
                reader.error_with(None, &name.span(), &message, meant);
                continue;
            }
            let number = reader.number(name.get_ref(), value, 0.0..=f64::MAX, "a number of 0 or more");
            profile.thresholds.extend(number.map(|number| (name.get_ref().clone().into_owned(), number)));
        }
    }
    profile
}

fn read_run(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> StatedRun {
    let mut run = StatedRun::default();
    let Some(table) = reader.table("run", value) else { return run };
    for (key, value) in members(table, &RUN, "[run]", reader) {
        if key == "timeout" {
            let within = f64::MIN_POSITIVE..=StatedRun::MAX_TIMEOUT;
            run.timeout = reader.number(key, value, within, "a number of seconds, at most 604800 (a week)");
            continue;
        }
        let items = reader.array(key, value, "a list: the program and its arguments");
        let words: Vec<String> =
            items.iter().take(MAX_ARGUMENTS).filter_map(|item| reader.string(key, item)).collect();
        if let (Some(word), Some(item)) = (words.first(), items.first())
            && (word.is_empty() || word.starts_with('-'))
        {
            // The profiler would parse such an argument as one of its own options.
            reader.error_of(
                key,
                &item.span(),
                "expected the name of a program, which must not begin with a dash",
            );
            continue;
        }
        // If any argument is invalid, the command is dropped, because it would be a different command without
        // the argument.
        if words.len() == items.len() {
            run.command = words;
        }
    }
    run
}

fn read_limits(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> StatedLimits {
    let mut limits = StatedLimits::default();
    let Some(table) = reader.table("limits", value) else { return limits };
    for (key, value) in members(table, &LIMITS, "[limits]", reader) {
        let limit = reader.number(key, value, 1.0..=f64::MAX, "a factor of 1.0 or more");
        match key {
            "wavefronts" => limits.wavefronts = limit,
            _ => limits.sectors = limit,
        }
    }
    limits
}

/// Returns the rule with the most similar name. `None` if no name is similar.
fn meant_rule(code: &str) -> Option<&'static str> {
    machine::nearest_name(code, advisor::rules().map(|rule| rule.code))
}

/// Returns the error message for an unknown rule. Suggests the rule with the most similar name, if any.
pub(crate) fn unknown_rule(code: &str) -> String {
    let hint = match meant_rule(code) {
        None => "; expected the name of a rule, such as bank-conflict".to_owned(),
        Some(near) => format!("; did you mean `{near}`?"),
    };
    format!("unknown rule `{}`{hint}", reader::name(code))
}
