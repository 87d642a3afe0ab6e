//! Texts in tables and manifests: TOML, CSV, VS Code's `package.json`.

use super::sentences::reads_as_words;
use super::text::Text;
use anyhow::Result;

/// Returns the strings of a TOML file that consist of words.
pub(super) fn toml(source: &str) -> Result<Vec<Text>> {
    let document = toml::from_str::<toml::Table>(source)?;
    let mut texts = Vec::new();
    let mut at = 0;
    strings(&toml::Value::Table(document), &mut |text| {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let written = first.replace('\\', "\\\\").replace('"', "\\\"");
        let place = [first, &written].into_iter().find_map(|first| {
            source[at..].find(first).map(|place| at + place).or_else(|| source.find(first))
        });
        at = place.unwrap_or(at);
        if reads_as_words(text) {
            texts.push(Text { line: 1 + source[..at].matches('\n').count(), text: text.to_owned() });
        }
        at = 0;
    });
    texts.sort_by_key(|text| text.line);
    Ok(texts)
}

fn strings(value: &toml::Value, found: &mut dyn FnMut(&str)) {
    match value {
        toml::Value::String(text) => found(text),
        toml::Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        toml::Value::Table(table) => table.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}

/// Returns the cells of a table that consist of words, each preceded by the text of the row's first cell.
pub(super) fn csv(source: &str) -> Vec<Text> {
    let mut texts = Vec::new();
    for (row, line) in source.lines().zip(1..).filter(|(row, _)| !row.starts_with('#')) {
        let cells = cells(row);
        let Some(first) = cells.first() else { continue };
        for cell in cells.iter().skip(1).filter(|cell| reads_as_words(cell)) {
            texts.push(Text { line, text: format!("{first}: {cell}") });
        }
    }
    texts
}

fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for c in row.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            _ => cells.last_mut().expect("there is always a cell").push(c),
        }
    }
    cells
}

/// Returns the titles and descriptions of VS Code's manifest.
pub(super) fn manifest(source: &str) -> Vec<Text> {
    let keys = [
        "\"title\"",
        "\"description\"",
        "\"markdownDescription\"",
        "\"displayName\"",
        "\"contents\"",
        "\"label\"",
    ];
    let mut texts = Vec::new();
    let mut is_list = false;
    for (text, line) in source.lines().zip(1..) {
        let trimmed = text.trim();
        let starts_list = ["\"enumDescriptions\"", "\"markdownEnumDescriptions\"", "\"enumItemLabels\""]
            .iter()
            .any(|key| trimmed.starts_with(key));
        let value = keys.iter().find_map(|key| trimmed.strip_prefix(key)?.trim_start().strip_prefix(':'));
        let value = value.or_else(|| (is_list && trimmed.starts_with('"')).then_some(trimmed));
        is_list = (is_list || starts_list) && !trimmed.contains(']');
        if let Some(value) = value {
            let value = value.trim().trim_end_matches(',');
            let text = serde_json::from_str::<String>(value).unwrap_or_default();
            if !text.is_empty() {
                texts.push(Text { line, text });
            }
        }
    }
    texts
}
