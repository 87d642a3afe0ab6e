//! Hovers in a launch file: descriptions of keys, rules, GPUs and kernels.

use super::complete::function_around;
use super::cursor::{Slot, cursor, unquoted};
use super::keys::{Kind, key};
use crate::Hover;
use crate::engine::names::demangle;
use crate::engine::parameters::types::parameter_types;
use advisor::top_down::Thresholds;
use machine::Machine;
use std::fmt::Write;

/// Maximum length, in bytes, of a word that gets a hover.
const LONGEST: usize = 2000; // limit: keeps a hover smaller than a screen

/// Description of the word at an offset; `None` if the word has no description.
pub(crate) fn hover(text: &str, offset: usize, machine: &Machine) -> Option<Hover> {
    let at = cursor(text, offset);
    if at.word.is_empty() {
        return None;
    }
    let word = unquoted(&text[at.word.clone()]);
    if word.len() > LONGEST {
        return None;
    }
    let markdown = match at.slot {
        Slot::Key { .. } | Slot::Header => of_key(&[&at.path[..], &[word]].concat()),
        Slot::Value { item } => of_value(text, offset, &at.path, item, &word, machine),
    }?;
    Some(Hover { range: at.word, markdown, links: Vec::new() })
}

fn of_key(path: &[String]) -> Option<String> {
    if let Some(key) = key(path) {
        return Some(format!("**{}**\n\n{}", path.join("."), key.description));
    }
    let (name, tables) = path.split_last()?;
    match key(tables)?.kind {
        Kind::Levels => of_rule(name),
        Kind::Thresholds => {
            let all = Thresholds::default();
            let (_, own) = all.all().find(|(known, _)| known == name)?;
            let unit = if own.unit.is_empty() { String::new() } else { format!(" {}", own.unit) };
            Some(format!("**{name}**\n\n{} Default: {}{unit} ({}).", own.summary, own.value, own.source))
        }
        Kind::Words => Some(format!("**c[0x0][{name}]**\n\n{}", key(tables)?.description)),
        Kind::Named => Some(format!("**Parameters of {name}**\n\n{}", key(tables)?.description)),
        Kind::Parameters => Some(format!("**Values of {name}**\n\n{}", key(tables)?.description)),
        Kind::Trips => Some(format!("**Trip count of {name}**\n\n{}", key(tables)?.description)),
        _ => None,
    }
}

fn of_rule(code: &str) -> Option<String> {
    let rule = crate::engine::rules::rules().iter().find(|rule| rule.code == code)?;
    let (summary, group) = (rule.summary, rule.group);
    Some(format!("**{code}** ({group})\n\n{summary}\n\nDefault level: {}.", rule.severity.name()))
}

fn of_value(
    text: &str,
    offset: usize,
    path: &[String],
    item: Option<usize>,
    word: &str,
    machine: &Machine,
) -> Option<String> {
    let Some(of) = key(path) else {
        // The level of a rule.
        let (rule, tables) = path.split_last()?;
        return (key(tables)?.kind == Kind::Levels).then(|| of_rule(rule)).flatten();
    };
    match (of.kind, of.name.as_str()) {
        (Kind::Gpu, _) => {
            let gpu = machine.gpu(word).ok()?;
            let (part, arch) = (&gpu.part, &gpu.arch);
            Some(format!(
                "**{}**: {}, {} (sm_{}), {} SMs",
                part.id, part.name, arch.name, part.sm, part.sm_count.value
            ))
        }
        (Kind::Text, "launch.function") => {
            let mut markdown = format!("**{}**\n", demangle(word).as_deref().unwrap_or(word));
            for (number, of) in parameter_types(word).iter().flatten().enumerate() {
                let _ = write!(markdown, "\n- parameter {}: `{}`", number + 1, of.text);
            }
            Some(markdown)
        }
        (Kind::Values, _) => {
            let function = function_around(text, offset)?;
            let types = parameter_types(&function)?;
            let of = types.get(item?)?;
            Some(format!("Parameter {} of `{function}`: `{}`", item? + 1, of.text))
        }
        _ => None,
    }
}
