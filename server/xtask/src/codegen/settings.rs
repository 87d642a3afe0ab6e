//! The settings in VS Code's manifest and on the pages about the settings, generated from the tables of
//! settings.

use super::file::{File, between, text};
use crate::repo::Repo;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use toml::Table;

/// The server's settings, which all editors have.
const SERVER: &str = "server/ide/src/engine/settings.toml";
/// The settings that only VS Code's extension has.
const VSCODE: &str = "editors/vscode/settings.toml";
/// The folder with one folder per chip.
const CHIPS: &str = "server/machine/data";

const MANIFEST: &str = "editors/vscode/package.json";
const PAGE: &str = "server/docs/settings.md";
const VSCODE_README: &str = "editors/vscode/README.md";

const BEGIN: &str = "<!-- generated: settings -->\n";
const END: &str = "<!-- /generated: settings -->";

/// Allowed values, each with its meaning.
pub(super) type Choices = Vec<(String, String)>;

/// The files that list settings, with their current contents.
pub(super) fn files(repo: &Repo) -> Result<Vec<File>> {
    let server = read(&text(repo, SERVER)?).context(SERVER)?;
    let vscode = read(&text(repo, VSCODE)?).context(VSCODE)?;
    let known = AllowedValues::read(repo)?;
    let groups = [("warplens", &server), ("warplens for VS Code", &vscode)];
    let configuration: Vec<Value> = groups
        .iter()
        .map(|(title, settings)| Ok(json!({ "title": title, "properties": properties(settings, &known)? })))
        .collect::<Result<_>>()?;
    let manifest = with_configuration(&text(repo, MANIFEST)?, &configuration).context(MANIFEST)?;
    let all: Vec<Table> = server.iter().chain(&vscode).cloned().collect();
    let page = between(&text(repo, PAGE)?, BEGIN, END, &table(&server, "")?).context(PAGE)?;
    let vscode_readme = between(&text(repo, VSCODE_README)?, BEGIN, END, &table(&all, "warplens.")?)
        .context(VSCODE_README)?;
    Ok(vec![
        (MANIFEST.to_owned(), manifest),
        (PAGE.to_owned(), page),
        (VSCODE_README.to_owned(), vscode_readme),
    ])
}

/// The values that settings of the types `gpu` and `levels` allow.
pub(super) struct AllowedValues {
    /// The first choice is empty and selects no GPU.
    pub(super) gpus: Choices,
    /// The codes of all rules, in alphabetical order.
    pub(super) rules: Vec<String>,
}

impl AllowedValues {
    pub(super) fn read(repo: &Repo) -> Result<Self> {
        let mut rules: Vec<String> = advisor::rules().map(|rule| rule.code.to_owned()).collect();
        rules.sort();
        Ok(Self { gpus: gpus(repo)?, rules })
    }

    /// The schema of a table that sets the levels of rules.
    pub(super) fn levels(&self) -> Value {
        let level = json!({ "type": "string", "enum": ["off", "error", "warning", "info", "hint"] });
        let rules: serde_json::Map<String, Value> =
            self.rules.iter().map(|rule| (rule.clone(), level.clone())).collect();
        json!({ "type": "object", "properties": rules, "additionalProperties": false })
    }
}

fn read(toml: &str) -> Result<Vec<Table>> {
    let mut file: Table = toml.parse()?;
    let settings = file.remove("setting").context("no [[setting]]")?;
    Ok(settings.try_into()?)
}

/// The text of a key that an entry must have.
pub(super) fn word<'a>(setting: &'a Table, key: &str) -> Result<&'a str> {
    let found = setting.get(key).and_then(toml::Value::as_str);
    found.with_context(|| format!("a setting without a text `{key}`: {setting}"))
}

fn gpus(repo: &Repo) -> Result<Choices> {
    let mut choices =
        vec![(String::new(), "Automatic: the usual GPU for the file's architecture".to_owned())];
    let mut architectures = Vec::new();
    let mut known = Vec::new();
    for entry in fs::read_dir(repo.path(CHIPS))? {
        let folder = entry?.file_name().to_string_lossy().into_owned();
        let Some(sm) = folder.strip_prefix("sm_").and_then(|number| number.parse::<u32>().ok()) else {
            continue;
        };
        let path = format!("{CHIPS}/{folder}/parts.toml");
        let listed = text(repo, &path)?;
        let parts: Table = listed.parse().context(path)?;
        for (id, part) in &parts {
            let name =
                part.get("name").and_then(toml::Value::as_str).with_context(|| format!("{id}: no name"))?;
            known.push((sm, id.clone(), name.to_owned()));
        }
        // The first GPU of the file is the usual one.
        let first = listed.lines().find_map(|line| line.strip_prefix('[')?.strip_suffix(']'));
        let usual = known.iter().find(|(_, id, _)| Some(id.as_str()) == first);
        let usual = usual.map_or_else(|| format!("sm_{sm}"), |(_, _, name)| name.clone());
        architectures.push((sm, usual));
    }
    known.sort();
    choices.extend(known.into_iter().map(|(sm, id, name)| (id, format!("{name} (sm_{sm})"))));
    architectures.sort_unstable();
    choices.extend(
        architectures
            .into_iter()
            .map(|(sm, usual)| (format!("sm_{sm}"), format!("the usual GPU of this architecture: {usual}"))),
    );
    Ok(choices)
}

/// The settings in VS Code's format, by their full names.
fn properties(settings: &[Table], known: &AllowedValues) -> Result<Value> {
    let mut properties = serde_json::Map::new();
    for (order, setting) in settings.iter().enumerate() {
        let mut property = schema(setting, known)?;
        property["default"] = serde_json::to_value(setting.get("default").context("no default")?)?;
        property["markdownDescription"] = word(setting, "description")?.into();
        property["scope"] = word(setting, "scope")?.into();
        property["order"] = order.into();
        properties.insert(format!("warplens.{}", word(setting, "name")?), property);
    }
    Ok(Value::Object(properties))
}

fn schema(setting: &Table, known: &AllowedValues) -> Result<Value> {
    let choice = |choices: &Choices| {
        let (names, meanings): (Vec<_>, Vec<_>) = choices.iter().cloned().unzip();
        json!({ "type": "string", "enum": names, "enumDescriptions": meanings })
    };
    Ok(match word(setting, "type")? {
        "gpu" => choice(&known.gpus),
        "boolean" => json!({ "type": "boolean" }),
        "share" => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        "factor" => json!({ "type": "number", "minimum": 1 }),
        "seconds" | "count" => json!({ "type": "integer", "minimum": 1 }),
        "path" | "text" => json!({ "type": "string" }),
        "words" | "shared" => json!({ "type": "array", "items": { "type": "string" } }),
        "choice" => choice(&setting.get("values").context("no values")?.clone().try_into()?),
        "levels" => known.levels(),
        other => bail!("no type {other}"),
    })
}

/// The manifest with its list of settings replaced. All other parts keep their formatting.
fn with_configuration(manifest: &str, configuration: &[Value]) -> Result<String> {
    const KEY: &str = "    \"configuration\": [";
    let (before, rest) = manifest.split_once(KEY).context("no list of settings")?;
    // The list ends at the first bracket with the indentation of its key, or right after its start if it is empty.
    let after = match rest.strip_prefix(']') {
        Some(after) => after,
        None => rest.split_once("\n    ]").context("the list of settings has no end")?.1,
    };
    let list = serde_json::to_string_pretty(configuration)?.replace('\n', "\n    ");
    let made = format!("{before}    \"configuration\": {list}{after}");
    serde_json::from_str::<Value>(&made)?;
    Ok(made)
}

fn table(settings: &[Table], prefix: &str) -> Result<String> {
    let mut table = "| setting | default | what |\n|---|---|---|\n".to_owned();
    for setting in settings {
        let default = serde_json::to_value(setting.get("default").context("no default")?)?;
        let (name, short) = (word(setting, "name")?, word(setting, "short")?);
        writeln!(table, "| `{prefix}{name}` | `{default}` | {short} |")?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> AllowedValues {
        AllowedValues {
            gpus: vec![("t4".to_owned(), "Tesla T4".to_owned())],
            rules: vec!["bank-conflict".to_owned()],
        }
    }

    fn setting(of_type: &str, default: &str) -> Vec<Table> {
        let toml = format!(
            "[[setting]]\nname = \"a.b\"\ntype = \"{of_type}\"\ndefault = {default}\nscope = \"window\"\n\
             short = \"less\"\ndescription = \"more\"\n"
        );
        read(&toml).expect("a table of one setting")
    }

    #[test]
    fn a_setting_is_declared_with_what_it_allows() {
        let made = properties(&setting("gpu", "\"\""), &known()).expect("a type that exists");
        let expected = json!({
            "type": "string", "enum": ["t4"], "enumDescriptions": ["Tesla T4"], "default": "",
            "markdownDescription": "more", "scope": "window", "order": 0,
        });
        assert_eq!(made, json!({ "warplens.a.b": expected }));
        let made = properties(&setting("levels", "{}"), &known()).expect("a type that exists");
        assert_eq!(made["warplens.a.b"]["properties"]["bank-conflict"]["enum"][0], "off");
        assert!(properties(&setting("colour", "1"), &known()).is_err());
    }

    #[test]
    fn a_manifest_keeps_all_but_its_settings() {
        let list = [json!({ "title": "a", "list": [1] })];
        let before = "{\n  \"contributes\": {\n    \"configuration\": [],\n    \"x\": []\n  }\n}\n";
        let made = with_configuration(before, &list).expect("a manifest");
        assert_eq!(with_configuration(&made, &list).expect("a manifest"), made);
        let read: Value = serde_json::from_str(&made).expect("JSON");
        assert_eq!(read["contributes"], json!({ "configuration": list, "x": [] }));
        assert!(with_configuration("{}", &list).is_err());
    }

    #[test]
    fn a_table_has_a_row_for_each_setting() {
        let made = table(&setting("boolean", "true"), "w.").expect("a whole setting");
        assert!(made.ends_with("| `w.a.b` | `true` | less |\n"), "{made}");
        let page = format!("a\n{BEGIN}old\n{END}b\n");
        assert_eq!(between(&page, BEGIN, END, "new\n").expect("marks"), format!("a\n{BEGIN}new\n{END}b\n"));
    }
}
