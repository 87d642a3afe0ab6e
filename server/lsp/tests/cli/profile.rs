//! `warplens profile`: two profiles before and after a change.

use crate::run::Folder;
use serde_json::Value;

const COUNTED: &str = include_str!("counted.csv");

fn folder() -> Folder {
    Folder::new().file("before.csv", COUNTED).file("after.csv", COUNTED)
}

#[test]
fn stall_reasons_of_two_profiles_stand_side_by_side() {
    let text = folder().run("profile after.csv --against before.csv").ok();
    assert!(text.starts_with("before.csv -> after.csv\n\nuncounted()\n"), "{text}");
    assert!(text.contains("wait    100.0 %  100.0 %"), "{text}");
    let json = folder().run("profile after.csv --against before.csv --format json").ok();
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&json["schema"], &json["before"], &json["after"]),
        (&1.into(), &"before.csv".into(), &"after.csv".into())
    );
    assert_eq!(json["launches"].as_array().map(Vec::len), Some(2));
    let stall = &json["launches"][0]["stalls"][0];
    assert_eq!((&stall["reason"], &stall["share_after"]), (&"wait".into(), &1.0.into()));
    assert_eq!(
        (&json["only_before"], &json["launches"][0]["times_as_fast"]),
        (&Value::Array(vec![]), &Value::Null)
    );
}

#[test]
fn what_only_one_of_them_has_is_listed_and_pictures_are_refused() {
    let folder = folder().file("other.csv", COUNTED.replace("uncounted", "other"));
    let text = folder.run("profile other.csv --against before.csv").ok();
    assert!(text.contains("No kernel is in both."), "{text}");
    assert!(text.contains("Only in before.csv\n\n- uncounted()\n- uncounted()\n"), "{text}");
    let refused = folder.run("profile after.csv --against before.csv --format svg").refusal();
    assert!(refused.contains("expected --format text or json"), "{refused}");
}
