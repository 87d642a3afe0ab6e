//! Completion in a launch file: keys of a table, and values of a key.

use super::KnownKernel;
use super::cursor::{Cursor, Slot, cursor, table_around, unquoted};
use super::keys::{Key, Kind, key, keys_of};
use crate::engine::launch_file::{COMPILERS, LAYOUTS, LEVELS, tuner_parameters};
use crate::engine::parameters::types::{Kind as ParameterKind, ParameterType, parameter_types};
use crate::{Completion, CompletionKind, Completions};
use advisor::top_down::Thresholds;
use machine::Machine;
use toml::de::DeTable;
use tuner::{Element, ProblemKind};

/// Largest number of kernels proposed in one completion.
const MAX_KERNELS: usize = 500; // limit: bounds the size of the answer

/// Possible keys or values, each with a one-line description.
type Names = Vec<(String, String)>;

/// Completions at an offset; `None` if there is nothing to complete, for example in a comment.
pub(crate) fn completions(
    text: &str,
    offset: usize,
    machine: &Machine,
    kernels: impl Fn() -> Vec<KnownKernel>,
) -> Option<Completions> {
    if is_in_comment(text, offset) || follows_header(text, offset) {
        return None;
    }
    let at = cursor(text, offset);
    let mut range = at.word.clone();
    let items = match at.slot {
        Slot::Key { has_value } => keys(text, offset, &at, has_value),
        Slot::Header => {
            range = at.statement.start..text[..at.statement.end].trim_end().len();
            headers()
        }
        Slot::Value { item } => values(text, offset, &at, item, machine, kernels),
    };
    // Propose nothing if the word is complete, so that Enter starts a new line.
    let is_written =
        |item: &Completion| text.get(range.clone()) == Some(&item.label) && item.snippet.is_none();
    let is_done = range.end == offset && items.iter().any(is_written);
    (!items.is_empty() && !is_done).then(|| Completions { range, opcode: String::new(), items })
}

/// True if the offset is after a table header on the same line. Only a comment may follow a table header.
fn follows_header(text: &str, offset: usize) -> bool {
    let before = &text[..text.floor_char_boundary(offset.min(text.len()))];
    let line = before[before.rfind('\n').map_or(0, |end| end + 1)..].trim();
    let is_header =
        |line: &str| line.len() > 1 && line.ends_with(if line.starts_with("[[") { "]]" } else { "]" });
    line.starts_with('[') && is_header(line)
}

/// True if the offset is after a `#` outside quotes on the same line.
fn is_in_comment(text: &str, offset: usize) -> bool {
    let offset = text.floor_char_boundary(offset.min(text.len()));
    let line = &text[text[..offset].rfind('\n').map_or(0, |end| end + 1)..offset];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (None, '#') => return true,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    false
}

fn keys(text: &str, offset: usize, at: &Cursor, has_value: bool) -> Vec<Completion> {
    let named = named_keys(&at.path);
    let is_line = at.member.is_statement && at.statement.start == at.word.start;
    let present: Vec<String> = if is_line { present_keys(text, offset, at) } else { Vec::new() };
    let has_header = |kind: Kind| is_line && at.path.is_empty() && kind.is_table();
    let is_present = |name: &str| present.iter().any(|own| own == name);
    let mut items: Vec<Completion> = keys_of(&at.path)
        .filter(|(name, key)| !is_present(name) && !has_header(key.kind))
        .map(|(name, key)| key_item(name, first_sentence(&key.description), key.kind.skeleton(), has_value))
        .collect();
    for (name, detail, skeleton) in named {
        if !present.contains(&name) {
            items.push(key_item(&name, &detail, skeleton, has_value));
        }
    }
    if is_line && !has_value {
        items.extend(headers());
    }
    items
}

/// Keys that the schema does not list: codes of rules, advice thresholds and parameters of the tuner.
fn named_keys(path: &[String]) -> Vec<(String, String, &'static str)> {
    match key(path).map(|key| key.kind) {
        Some(Kind::Levels) => {
            let rules = crate::engine::rules::rules().iter();
            rules
                .map(|rule| {
                    (rule.code.to_owned(), rule.summary.to_owned(), "\"${1|off,error,warning,info,hint|}\"")
                })
                .collect()
        }
        Some(Kind::Thresholds) => {
            let all = Thresholds::default();
            all.all().map(|(name, own)| (name.to_owned(), own.summary.clone(), "$1")).collect()
        }
        Some(Kind::Tiling) => {
            let names = tuner_parameters(None).into_iter();
            names.map(|name| (name.to_owned(), String::new(), "\"$1\"")).collect()
        }
        _ => Vec::new(),
    }
}

fn key_item(name: &str, detail: &str, skeleton: &str, has_value: bool) -> Completion {
    let snippet = (!has_value).then(|| format!("{name} = {skeleton}"));
    Completion { snippet, ..Completion::new(name, CompletionKind::Key, detail) }
}

/// Keys already present in the table around the cursor, except the key at the cursor.
fn present_keys(text: &str, offset: usize, at: &Cursor) -> Vec<String> {
    let others = table_around(text, offset).into_iter().filter(|range| *range != at.statement);
    others
        .filter_map(|range| {
            let words = text[range].split(['=', '.']).next()?.trim().to_owned();
            Some(unquoted(&words))
        })
        .collect()
}

/// Headers of all top-level tables.
fn headers() -> Vec<Completion> {
    let tables = keys_of(&[]).filter(|(_, key)| key.kind.is_table());
    tables
        .map(|(name, key)| {
            let label = match key.kind {
                Kind::Tables => format!("[[{name}]]"),
                Kind::Named => format!("[{name}.kernel]"),
                _ => format!("[{name}]"),
            };
            Completion::new(&label, CompletionKind::Key, first_sentence(&key.description))
        })
        .collect()
}

fn values(
    text: &str,
    offset: usize,
    at: &Cursor,
    item: Option<usize>,
    machine: &Machine,
    kernels: impl Fn() -> Vec<KnownKernel>,
) -> Vec<Completion> {
    if let Some((_, tables)) = at.path.split_last()
        && key(tables).is_some_and(|key| key.kind == Kind::Levels)
    {
        let levels = LEVELS.iter().map(|level| ((*level).to_owned(), String::new()));
        return quoted(levels.collect(), at, text);
    }
    let Some(Key { name, kind, .. }) = key(&at.path) else { return Vec::new() };
    match (kind, name.as_str()) {
        (Kind::Gpu, _) => quoted(gpus(machine), at, text),
        (Kind::Compiler, _) => quoted(words(&COMPILERS), at, text),
        (Kind::Tuned, _) => quoted(words(&tuner_parameters(None)), at, text),
        (Kind::Problem, _) => quoted(words(&ProblemKind::ALL.map(ProblemKind::name)), at, text),
        (Kind::Element, _) => quoted(words(&Element::ALL.map(Element::name)), at, text),
        (Kind::Layout, _) => quoted(words(&LAYOUTS), at, text),
        (Kind::Text, "compile.architecture") => quoted(architectures(machine), at, text),
        (Kind::Text, "launch.function") => {
            let names = kernels().into_iter().take(MAX_KERNELS).map(|kernel| {
                let detail = if kernel.raw == kernel.readable { String::new() } else { kernel.readable };
                (kernel.raw, detail)
            });
            let mut items = quoted(names.collect(), at, text);
            for item in &mut items {
                item.kind = CompletionKind::Function;
            }
            items
        }
        (Kind::Values, _) => parameters(text, offset, at, item),
        _ => Vec::new(),
    }
}

fn words(words: &[&str]) -> Names {
    words.iter().map(|word| ((*word).to_owned(), String::new())).collect()
}

/// Completions for string values. Each label contains the quotes and replaces existing quotes.
fn quoted(names: Names, at: &Cursor, text: &str) -> Vec<Completion> {
    let has_quote = text[at.word.clone()].starts_with(['"', '\'']);
    names
        .into_iter()
        .map(|(name, detail)| {
            let label = toml::Value::from(name.as_str()).to_string();
            let filter = if has_quote { None } else { Some(name) };
            Completion { filter, ..Completion::new(&label, CompletionKind::Value, &detail) }
        })
        .collect()
}

/// Part ids, followed by architectures such as `sm_90`.
fn gpus(machine: &Machine) -> Names {
    let parts = machine.parts.iter().map(|part| (part.id.clone(), format!("{}, sm_{}", part.name, part.sm)));
    parts.chain(architectures(machine)).collect()
}

fn architectures(machine: &Machine) -> Names {
    let archs = machine.archs.iter().map(|arch| (format!("sm_{}", arch.sm), arch.name.clone()));
    archs.collect()
}

/// Completions for the value of `params`. At a list item: values for that parameter. Outside a list
/// item: one list with values for all parameters.
fn parameters(text: &str, offset: usize, at: &Cursor, item: Option<usize>) -> Vec<Completion> {
    let types = function_around(text, offset).as_deref().and_then(parameter_types);
    let Some(item) = item else {
        let Some(types) = types else { return Vec::new() };
        let values: Vec<&str> = types.iter().map(|of| usual(of)).collect();
        let label = format!("[{}]", values.join(", "));
        let detail = types.iter().map(|of| of.text.as_str()).collect::<Vec<_>>().join(", ");
        return vec![Completion::new(&label, CompletionKind::Value, &detail)];
    };
    let own = types.as_ref().map(|types| types.get(item));
    let detail = match own {
        Some(Some(of)) => format!("parameter {} is `{}`", item + 1, of.text),
        Some(None) => return Vec::new(),
        None => String::new(),
    };
    let mut values = vec![("?".to_owned(), detail.clone())];
    if own.flatten().is_none_or(|of| of.kind == ParameterKind::Pointer) {
        values.insert(0, ("ptr".to_owned(), detail.clone()));
    }
    let mut items = quoted(values, at, text);
    if own.flatten().is_some_and(|of| of.kind == ParameterKind::Boolean) {
        items.extend(["true", "false"].map(|value| Completion::new(value, CompletionKind::Value, &detail)));
    }
    items
}

fn usual(of: &ParameterType) -> &'static str {
    if of.kind == ParameterKind::Pointer { "\"ptr\"" } else { "\"?\"" }
}

/// Value of the `function` key in the table around an offset; `None` if the table has no such key.
pub(super) fn function_around(text: &str, offset: usize) -> Option<String> {
    table_around(text, offset).into_iter().find_map(|range| {
        let statement = DeTable::parse(&text[range]).ok()?;
        Some(statement.get_ref().get("function")?.get_ref().as_str()?.to_owned())
    })
}

/// The first sentence of a description, without the final period.
fn first_sentence(description: &str) -> &str {
    let end = description.find(". ").map_or(description.len(), |end| end + 1);
    description[..end].trim_end_matches('.')
}
