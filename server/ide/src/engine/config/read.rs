//! Reads settings one by one. An invalid setting is reported by its name, and the others still take effect.

use super::{Config, ConfigError, RuleLevel};
use crate::engine::codes::is_code;
use crate::engine::language::SHARED;
use crate::engine::launch_file::unknown_rule;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The settings table, reduced to the fields that values are checked against. The editors' schemas are
/// generated from the same table.
#[derive(Debug, Deserialize)]
struct Table {
    setting: Vec<Setting>,
}

#[derive(Debug, Deserialize)]
struct Setting {
    name: String,
    #[serde(rename = "type")]
    kind: Kind,
    /// Allowed values of a choice, each with its description.
    #[serde(default)]
    values: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Gpu,
    Choice,
    Boolean,
    Share,
    Factor,
    Seconds,
    Count,
    Text,
    Words,
    Shared,
    Levels,
}

/// Members of the `warplens` section that the engine ignores: options of the server, and members that
/// editors store there. A test compares the list with the settings table of the VS Code extension.
pub(super) const OF_CLIENTS: [&str; 19] = [
    "trusted",
    "costsOnly",
    "lensCommand",
    "tuneCommand",
    "disassembler",
    "heat",
    "relations",
    "encodings",
    "ptxas.path",
    "nvcc",
    "clang",
    "ncu",
    "server",
    "trace",
    "selectionCycles",
    "colourBlocks",
    "recogniseSassFiles",
    // Used by the server's tests.
    "warplensTest",
    // Reference to a JSON schema, which some editors allow among the members.
    "$schema",
];

static TABLE: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let table: Table =
        toml::from_str(include_str!("../settings.toml")).expect("the tests read the same file");
    table.setting
});

/// Largest number of reported problems.
const MAX_PROBLEMS: usize = 20; // limit: more are noise

/// Longest value that a message quotes, in bytes.
const LONGEST_VALUE: usize = 60; // limit: one line of a message

impl Config {
    /// Reads settings as a client sends them: the object itself, or an object with a `warplens` key. A
    /// missing member has its default value. An invalid member has its value from `before`. Also returns one
    /// error per invalid or unknown member, at most `MAX_PROBLEMS` and a note that there are more.
    pub fn read(value: &Value, before: &Self) -> (Self, Vec<ConfigError>) {
        let own = value.get("warplens").unwrap_or(value);
        let mut reader = Reader { problems: Vec::new() };
        let defaults = as_tree(&Self::default());
        let Some(sent) = table(own) else {
            reader.expected("warplens", "a table of settings", own);
            return (before.clone(), reader.problems);
        };
        let mut tree = defaults;
        reader.members("", &sent, &mut tree, &as_tree(before));
        match Self::deserialize(Value::Object(tree)) {
            Ok(config) => (config, reader.problems),
            // Each member was checked. If deserialising still fails, report the error instead of silently
            // dropping all settings.
            Err(error) => {
                reader.say(&format!("settings: {error}"));
                (before.clone(), reader.problems)
            }
        }
    }

    /// True if a member may be meant for this server: its name equals or resembles the name of a setting or of a
    /// group of settings.
    pub fn may_mean(name: &str) -> bool {
        let known = |of: &str| of == name || of.split('.').next() == Some(name);
        TABLE.iter().any(|setting| known(&setting.name))
            || OF_CLIENTS.iter().any(|of| known(of))
            || !near(name).is_empty()
    }
}

struct Reader {
    problems: Vec<ConfigError>,
}

impl Reader {
    fn members(
        &mut self,
        place: &str,
        sent: &Map<String, Value>,
        tree: &mut Map<String, Value>,
        before: &Map<String, Value>,
    ) {
        for (key, value) in sent.iter().filter(|(_, value)| !value.is_null()) {
            let name = format!("{place}{key}");
            if OF_CLIENTS.contains(&&*name) {
                continue;
            }
            let previous = before.get(key).cloned().unwrap_or_default();
            match (TABLE.iter().find(|setting| setting.name == name), tree.get_mut(key)) {
                (Some(setting), Some(slot)) if setting.kind == Kind::Levels => {
                    *slot = self.levels(&name, value, previous);
                }
                (Some(setting), Some(slot)) => {
                    let right = setting.takes(value);
                    *slot = if right { value.clone() } else { previous };
                    if !right {
                        self.expected(&name, &setting.expected(), value);
                    }
                }
                (None, Some(Value::Object(inner))) => match (table(value), previous) {
                    (Some(members), Value::Object(before)) => {
                        self.members(&format!("{name}."), &members, inner, &before);
                    }
                    (_, previous) => {
                        if let Value::Object(previous) = previous {
                            *inner = previous;
                        }
                        self.expected(&name, "a table of settings", value);
                    }
                },
                _ => self.unknown(&name, key),
            }
        }
    }

    /// Reads the levels of rules. An invalid level is reported, and the rule keeps its previous level.
    fn levels(&mut self, name: &str, value: &Value, previous: Value) -> Value {
        let Some(sent) = table(value) else {
            self.expected(name, "a table of rules and their levels", value);
            return previous;
        };
        let mut levels = Map::new();
        for (code, level) in sent.iter().filter(|(_, level)| !level.is_null()) {
            if !is_code(code) {
                self.say(&format!("settings: `{name}`: {}", unknown_rule(code)));
                continue;
            }
            if RuleLevel::deserialize(level).is_ok() {
                levels.insert(code.clone(), level.clone());
                continue;
            }
            self.expected(
                &format!("{name}.{code}"),
                "\"off\", \"error\", \"warning\", \"info\" or \"hint\"",
                level,
            );
            if let Some(earlier) = previous.get(code) {
                levels.insert(code.clone(), earlier.clone());
            }
        }
        Value::Object(levels)
    }

    fn unknown(&mut self, name: &str, key: &str) {
        // A full dotted name, in the form of an editor's settings page.
        let is_whole_name = TABLE.iter().any(|setting| setting.name == key);
        let hint = if is_whole_name {
            "; write a table for each part of the name: { \"hints\": { \"latency\": true } }".to_owned()
        } else {
            near(name)
        };
        self.say(&format!("settings: unknown setting `{}`{hint}", shortened(name)));
    }

    fn expected(&mut self, name: &str, expected: &str, found: &Value) {
        self.say(&format!("settings: `{name}`: expected {expected}, not {}", shortened(&found.to_string())));
    }

    fn say(&mut self, message: &str) {
        match self.problems.len() {
            MAX_PROBLEMS => self.problems.push(ConfigError::new("settings: further errors are not shown")),
            reported if reported > MAX_PROBLEMS => {}
            _ => self.problems.push(ConfigError::new(message)),
        }
    }
}

impl Setting {
    fn takes(&self, value: &Value) -> bool {
        match self.kind {
            Kind::Gpu => value.is_string(),
            // `ptxas` architecture: the only text setting with a required form.
            Kind::Text => value.as_str().is_some_and(is_architecture),
            Kind::Choice => {
                value.as_str().is_some_and(|text| self.values.iter().any(|(name, _)| name == text))
            }
            Kind::Boolean => value.is_boolean(),
            Kind::Share => value.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)),
            Kind::Factor => value.as_f64().is_some_and(|factor| (1.0..f64::INFINITY).contains(&factor)),
            Kind::Seconds | Kind::Count => {
                value.as_u64().is_some_and(|number| (1..=u64::from(u32::MAX)).contains(&number))
            }
            Kind::Words => value.as_array().is_some_and(|words| words.iter().all(Value::is_string)),
            Kind::Shared => value.as_array().is_some_and(|names| {
                names.iter().all(|name| SHARED.iter().any(|shared| name == shared.name))
            }),
            Kind::Levels => value.is_object(),
        }
    }

    fn expected(&self) -> String {
        match self.kind {
            Kind::Gpu => "the name of a GPU or an architecture, in quotes".to_owned(),
            Kind::Text => "an architecture such as `sm_90a`, or an empty string".to_owned(),
            Kind::Choice => alternatives(self.values.iter().map(|(name, _)| &**name)),
            Kind::Boolean => "true or false".to_owned(),
            Kind::Share => "a number from 0 to 1".to_owned(),
            Kind::Factor => "a number, 1 or more".to_owned(),
            Kind::Seconds => "whole seconds, 1 or more".to_owned(),
            Kind::Count => "a whole number, 1 or more".to_owned(),
            Kind::Words => "a list of strings".to_owned(),
            Kind::Shared => format!("a list of {}", alternatives(SHARED.iter().map(|shared| shared.name))),
            Kind::Levels => "a table of rules and their levels".to_owned(),
        }
    }
}

/// Lists the alternatives: `"a", "b" or "c"`.
fn alternatives<'a>(names: impl Iterator<Item = &'a str>) -> String {
    machine::any_of(names.map(|name| format!("\"{name}\"")))
}

/// True if the text is `sm_90`, `sm_90a`, `sm_100f` or empty. An empty text selects the architecture that the
/// document names.
fn is_architecture(text: &str) -> bool {
    let number = text.strip_prefix("sm_").unwrap_or_default();
    let digits = number.strip_suffix(['a', 'f']).unwrap_or(number);
    text.is_empty() || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns `; did you mean ...?` with the nearest setting or group name. Empty if no name is near.
fn near(name: &str) -> String {
    let groups = TABLE.iter().filter_map(|setting| setting.name.split_once('.').map(|(group, _)| group));
    let known = TABLE.iter().map(|setting| &*setting.name).chain(groups);
    machine::did_you_mean(name, known)
}

/// Returns the members of a table. Null and an empty list count as an empty table, because Lua encodes empty
/// tables as `[]`. `None` for any other value.
fn table(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(members) => Some(members.clone()),
        Value::Null => Some(Map::new()),
        Value::Array(items) if items.is_empty() => Some(Map::new()),
        _ => None,
    }
}

fn as_tree(config: &Config) -> Map<String, Value> {
    match serde_json::to_value(config) {
        Ok(Value::Object(tree)) => tree,
        // Unreachable: settings are plain data with named fields, so they serialise to a map.
        _ => Map::new(),
    }
}

fn shortened(text: &str) -> String {
    match text.len() {
        0..=LONGEST_VALUE => text.to_owned(),
        _ => format!("{}…", &text[..text.floor_char_boundary(LONGEST_VALUE)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reported(sent: &Value) -> Vec<String> {
        let (_, problems) = Config::read(sent, &Config::default());
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_wrong_setting_is_named_with_what_it_takes() {
        for (sent, message) in [
            (json!({"hints": 3}), "settings: `hints`: expected a table of settings, not 3"),
            (
                json!({"hints": {"latency": "yes"}}),
                "settings: `hints.latency`: expected true or false, not \"yes\"",
            ),
            (json!({"missRatio": 1e300}), "settings: `missRatio`: expected a number from 0 to 1, not 1e+300"),
            (
                json!({"model": "oracle"}),
                "settings: `model`: expected \"auto\", \"paper\" or \"pipeline\", not \"oracle\"",
            ),
            (
                json!({"limits": {"sectors": 0}}),
                "settings: `limits.sectors`: expected a number, 1 or more, not 0",
            ),
            (
                json!({"ptxas": {"arguments": [1]}}),
                "settings: `ptxas.arguments`: expected a list of strings, not [1]",
            ),
            (
                json!({"leaveAlone": ["ptx"]}),
                "settings: `leaveAlone`: expected a list of \"cuda\", \"c++\", \"python\", \"julia\", \"rust\" or \"mojo\", not [\"ptx\"]",
            ),
            (json!({"gpuu": "t4"}), "settings: unknown setting `gpuu`; did you mean `gpu`?"),
            (
                json!({"hints": {"latncy": true}}),
                "settings: unknown setting `hints.latncy`; did you mean `hints.latency`?",
            ),
            (json!({"hint": {}}), "settings: unknown setting `hint`; did you mean `hints`?"),
            (json!({"elephants": 3}), "settings: unknown setting `elephants`"),
            (
                json!({"rules": {"bank-conflct": "off"}}),
                "settings: `rules`: unknown rule `bank-conflct`; did you mean `bank-conflict`?",
            ),
            (
                json!({"rules": {"bank-conflict": "loud"}}),
                "settings: `rules.bank-conflict`: expected \"off\", \"error\", \"warning\", \"info\" or \"hint\", not \"loud\"",
            ),
            (json!("all"), "settings: `warplens`: expected a table of settings, not \"all\""),
        ] {
            assert_eq!(reported(&sent), [message], "{sent}");
        }
        assert!(reported(&json!({"hints.latency": true}))[0].contains("a table for each part"));
        let long = reported(&json!({"x".repeat(1 << 20): true, "gpu": ["y".repeat(1 << 20)]}));
        assert!(long.len() == 2 && long.iter().all(|line| line.len() < 200), "{long:?}");
        let many: Map<String, Value> = (0..10_000).map(|at| (format!("key{at}"), json!(1))).collect();
        assert_eq!(reported(&Value::Object(many)).len(), MAX_PROBLEMS + 1);
    }

    #[test]
    fn one_wrong_setting_leaves_the_others_in_force() {
        let before = Config { gpu: "t4".to_owned(), miss_ratio: 0.25, ..Config::default() };
        let sent = json!({
            "gpu": 3, "codeLens": false, "missRatio": 0.5, "gpuu": "x",
            "hints": {"latency": false, "dualIssue": "no"},
            "rules": {"bank-conflict": "off", "nope": "off"},
        });
        let (config, problems) = Config::read(&sent, &before);
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert_eq!((config.gpu.as_str(), config.code_lens, config.miss_ratio), ("t4", false, 0.5));
        assert!(!config.hints.latency && config.hints.dual_issue);
        assert_eq!(config.rules.len(), 1);
        // A member that is missing has its default value again.
        assert_eq!(Config::read(&json!({}), &before), (Config::default(), Vec::new()));
    }

    #[test]
    fn keys_of_editors_in_the_section_are_not_reported() {
        let table: toml::Table =
            toml::from_str(include_str!("../../../../../editors/vscode/settings.toml")).unwrap();
        for setting in table["setting"].as_array().unwrap() {
            let name = setting["name"].as_str().unwrap();
            let first = name.split('.').next().unwrap();
            assert!(OF_CLIENTS.contains(&name) || OF_CLIENTS.contains(&first), "{name}");
        }
        let sent = json!({
            "trusted": true, "disassembler": "", "server": {"path": ""}, "trace": {"server": "off"},
            "ptxas": {"path": "", "onSave": true}, "hints": [], "rules": [], "model": null,
        });
        assert_eq!(reported(&sent), [""; 0]);
        assert_eq!(reported(&json!([])), [""; 0]);
    }

    #[test]
    fn a_settings_tree_of_another_server_differs_from_ours() {
        for ours in ["gpu", "hints", "hint", "gpuu", "ptxas", "trace"] {
            assert!(Config::may_mean(ours), "{ours}");
        }
        for other in ["python", "editor", "rust-analyzer", ""] {
            assert!(!Config::may_mean(other), "{other}");
        }
    }
}
