//! Settings with everything switched on: features that are off by default have costs, too.

use serde_json::{Map, Value};

/// The table from which editors' settings are generated.
const TABLE: &str = include_str!("../../server/ide/src/engine/settings.toml");

/// Every Boolean setting, set to true.
pub(crate) fn all_on() -> Value {
    let mut settings = Map::new();
    for setting in TABLE.split("[[setting]]").filter(|setting| setting.contains("\ntype = \"boolean\"")) {
        let name = setting.split('"').nth(1).expect("a setting's first line is its name");
        let (path, last) = name.rsplit_once('.').map_or((None, name), |(path, last)| (Some(path), last));
        let mut at = &mut settings;
        for step in path.into_iter().flat_map(|path| path.split('.')) {
            let below = at.entry(step).or_insert_with(|| Value::Object(Map::new()));
            at = below.as_object_mut().expect("a setting does not contain other settings");
        }
        at.insert(last.to_owned(), Value::Bool(true));
    }
    assert!(settings["hints"]["liveRegisters"] == true, "what is off by default is among them");
    Value::Object(settings)
}
