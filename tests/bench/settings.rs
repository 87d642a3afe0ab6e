//! All that can be switched on, switched on: what is off by default costs, too.

use serde_json::{Map, Value};

/// The table that editors' settings are written from.
const TABLE: &str = include_str!("../../server/ide/src/engine/settings.toml");

/// Every setting that is true or false, as true.
pub(crate) fn all_on() -> Value {
    let mut settings = Map::new();
    for setting in TABLE.split("[[setting]]").filter(|setting| setting.contains("\ntype = \"boolean\"")) {
        let name = setting.split('"').nth(1).expect("a setting's first line is its name");
        let (path, last) = name.rsplit_once('.').map_or((None, name), |(path, last)| (Some(path), last));
        let mut at = &mut settings;
        for step in path.into_iter().flat_map(|path| path.split('.')) {
            let below = at.entry(step).or_insert_with(|| Value::Object(Map::new()));
            at = below.as_object_mut().expect("a setting is no group of others");
        }
        at.insert(last.to_owned(), Value::Bool(true));
    }
    assert!(settings["hints"]["liveRegisters"] == true, "what is off by default is among them");
    Value::Object(settings)
}
