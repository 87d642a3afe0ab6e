//! The directives that open a PTX module: `.version`, `.target`, `.address_size`.

use super::code::Code;
use super::findings::finding;
use crate::finding::ItemFinding as Finding;
use machine::ptx::{Ptx, Target, Version};
use std::ops::Range;
use syntax::ptx::{Item, ItemKind, Module, literal};

/// PTX version, target and address size of a module; `None` for each value that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Heading {
    pub version: Option<Version>,
    pub target: Option<Target>,
    /// The value of `.address_size`.
    pub address_bits: Option<u16>,
    /// True if the module is compiled for a debugger (`.target sm_90, debug`), so that its speed does not matter.
    pub is_debug: bool,
}

impl Heading {
    /// Reads the heading of a module. A value that is missing or cannot be read is `None`.
    pub fn read(module: &Module) -> Self {
        Self {
            version: module.version().and_then(|version| version.parse().ok()),
            target: module.target().find_map(|word| word.parse().ok()),
            address_bits: address_size(module),
            is_debug: module.target().any(|word| word == "debug"),
        }
    }

    /// The version and the target, which determine the features available to a module; `None` if either is
    /// unknown.
    pub(super) fn version_and_target(&self) -> Option<(Version, Target)> {
        self.version.zip(self.target)
    }
}

/// Returns the errors in the directives that open a module. Each error has the index of its item.
pub(crate) fn check_header(module: &Module, tables: &Ptx) -> Vec<(usize, Finding)> {
    let mut problems = Vec::new();
    let mut error = |item: usize, range: Range<u32>, message: String| {
        problems.push((item, finding(Code::InvalidHeader, true, range, message)));
    };
    let mut filled = module.items().iter().enumerate().filter(|(_, item)| item.kind() != ItemKind::Blank);
    let Some((first, item)) = filled.next() else { return problems };
    // The parser reports text that it cannot read.
    if item.kind() == ItemKind::Error || !item.errors().is_empty() {
        return problems;
    }
    if word(item) != Some(".version") {
        error(
            first,
            first_token(item),
            "a module must start with `.version`, for example `.version 8.5`".into(),
        );
        return problems;
    }
    let version = operands(item).next().unwrap_or_default();
    let last = tables
        .targets()
        .map(|(_, version)| version)
        .chain(tables.forms().iter().map(|form| form.need.ptx))
        .max();
    let version = match version.1.parse::<Version>() {
        Ok(known) if last.is_none_or(|last| known <= newest(last)) => Some(known),
        Ok(known) => {
            let last = last.map_or(known, newest);
            error(first, version.0, format!("unknown PTX version {known}; the latest is {last}"));
            None
        }
        Err(()) => {
            error(first, version.0, format!("`{}` is not a version; write for example `9.0`", version.1));
            None
        }
    };
    let Some((second, item)) = filled.next() else {
        error(first, first_token(item), "`.target` must follow, for example `.target sm_90`".into());
        return problems;
    };
    if item.kind() == ItemKind::Error || !item.errors().is_empty() {
        return problems;
    }
    if word(item) != Some(".target") {
        error(second, first_token(item), "`.version` must be followed by `.target`".into());
        return problems;
    }
    for (range, name) in operands(item) {
        if let Some(message) = wrong_target(name, version, tables) {
            error(second, range, message);
        }
    }
    for (at, item) in module.items().iter().enumerate().skip(second + 1) {
        match word(item) {
            Some(name @ (".version" | ".target")) => {
                error(
                    at,
                    first_token(item),
                    format!("`{name}` is allowed only once, at the start of the module"),
                );
            }
            Some(".address_size") => {
                let is_third =
                    module.items()[second + 1..at].iter().all(|item| item.kind() == ItemKind::Blank);
                let (range, size) = operands(item).next().unwrap_or_default();
                if !is_third {
                    error(
                        at,
                        first_token(item),
                        "`.address_size` is allowed only once, after `.target`".into(),
                    );
                } else if !matches!(literal::integer(size), Some(32 | 64)) {
                    error(at, range, format!("addresses have 32 or 64 bits, not {size}"));
                } else if version.is_some_and(|version| version < Version { major: 2, minor: 3 }) {
                    error(at, first_token(item), "`.address_size` needs PTX 2.3".into());
                }
            }
            _ => {}
        }
    }
    problems
}

/// Returns the value of `.address_size`, or `None` if it is missing.
fn address_size(module: &Module) -> Option<u16> {
    let mut items = module.items().iter().filter(|item| word(item) == Some(".address_size"));
    let size = literal::integer(operands(items.next()?).next()?.1)?;
    u16::try_from(size).ok()
}

/// Returns the newest accepted PTX version. It is one minor version newer than the tables, because a version that
/// adds no instructions and no targets leaves no row in them.
fn newest(last: Version) -> Version {
    Version { minor: last.minor + 1, ..last }
}

/// Returns an error if a word of `.target` is unknown or requires a later PTX version; `None` for an accepted
/// word.
fn wrong_target(name: &str, version: Option<Version>, tables: &Ptx) -> Option<String> {
    const OPTIONS: [&str; 4] = ["texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"];
    if OPTIONS.contains(&name) || name.starts_with("compute_") {
        return None;
    }
    let target = name.parse::<Target>().ok();
    let known = target.and_then(|target| tables.targets().find(|(known, _)| *known == target));
    let Some((target, since)) = known else {
        let names: Vec<String> = tables.targets().map(|(target, _)| target.to_string()).collect();
        let known = names.iter().map(|name| &**name).chain(OPTIONS);
        return Some(format!("`{name}` is not a target{}", machine::did_you_mean(name, known)));
    };
    let version = version.filter(|version| *version < since)?;
    Some(format!("{target} requires PTX {since}; the module uses {version}"))
}

fn word(item: &Item) -> Option<&str> {
    item.statements().first().and_then(|statement| item.directive(statement))
}

fn operands(item: &Item) -> impl Iterator<Item = (Range<u32>, &str)> {
    let statement = item.statements().first();
    let all = statement.into_iter().flat_map(|statement| item.operands(statement));
    all.map(|operand| (operand.range().unwrap_or_default(), operand.text()))
}

fn first_token(item: &Item) -> Range<u32> {
    item.tokens().first().map_or(0..0, |token| token.start..token.end())
}
