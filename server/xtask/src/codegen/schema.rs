//! The JSON schema of `warplens.toml`, for extensions and language servers that support TOML.

use super::file::{File, text};
use super::settings::{AllowedValues, Choices, word};
use crate::repo::Repo;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use toml::Table;

/// The table of keys with their descriptions.
const KEYS: &str = "server/ide/src/engine/launch_file.toml";

/// The file from which editors read the schema.
const SCHEMA: &str = "editors/vscode/schemas/warplens.schema.json";

pub(super) fn files(repo: &Repo) -> Result<Vec<File>> {
    let known = AllowedValues::read(repo)?;
    let schema = schema(&text(repo, KEYS)?, &known).context(KEYS)?;
    let schema = serde_json::to_string_pretty(&schema)? + "\n";
    Ok(vec![(SCHEMA.to_owned(), schema)])
}

fn schema(toml: &str, known: &AllowedValues) -> Result<Value> {
    let mut file: Table = toml.parse()?;
    let keys: Vec<Table> = file.remove("key").context("no [[key]]")?.try_into()?;
    let mut root = object();
    root["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    root["title"] = "warplens.toml".into();
    root["description"] = "A GPU, levels of rules and launches of kernels, for warplens.".into();
    for key in &keys {
        let name = word(key, "name")?;
        let (tables, name) = name.rsplit_once('.').map_or(("", name), |(tables, name)| (tables, name));
        let place =
            tables.split('.').filter(|table| !table.is_empty()).try_fold(&mut root, |place, table| {
                if table == "*" {
                    let named = &mut place["additionalProperties"];
                    return anyhow::Ok(if named["anyOf"].is_array() {
                        &mut named["anyOf"][1]
                    } else {
                        named
                    });
                }
                let table = place["properties"]
                    .get_mut(table)
                    .context("the entry of a table must precede the entries of its keys")?;
                anyhow::Ok(if table["type"] == "array" { &mut table["items"] } else { table })
            })?;
        let mut property = of_type(word(key, "type")?, known)?;
        property["description"] = word(key, "description")?.into();
        place["properties"][name] = property;
        if key.get("required").and_then(toml::Value::as_bool) == Some(true) {
            let required = place.as_object_mut().context("no table")?.entry("required").or_insert(json!([]));
            required.as_array_mut().context("no list")?.push(name.into());
        }
    }
    Ok(root)
}

/// The schema of a table that allows only the keys in its properties.
fn object() -> Value {
    json!({ "type": "object", "additionalProperties": false, "properties": {} })
}

/// Returns the schema of a tensor map among a kernel's parameters.
fn tensor_map() -> Value {
    let sizes = json!({ "type": "array", "items": { "type": "integer", "minimum": 1 }, "minItems": 1, "maxItems": 5 });
    let map = json!({
        "type": "object",
        "properties": {
            "type": { "type": "string" },
            "shape": sizes,
            "strides": { "type": "array", "items": { "type": "integer", "minimum": 1 }, "maxItems": 4 },
            "box": sizes,
            "swizzle": { "type": "integer", "enum": [0, 32, 64, 128] },
        },
        "required": ["type", "shape", "box"],
        "additionalProperties": false,
    });
    in_braces("tensor_map", &map)
}

/// Returns the schema of a parameter in braces with one key.
fn in_braces(key: &str, value: &Value) -> Value {
    json!({
        "type": "object", "properties": { key: value }, "required": [key], "additionalProperties": false,
    })
}

/// Returns the schema of a pointer with stated contents among a kernel's parameters.
fn holds() -> Value {
    let two = json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 });
    let count = json!({ "type": "integer", "minimum": 1 });
    let holds = json!({
        "type": "object",
        "properties": {
            "range": two,
            "permutation": count,
            "sorted": two,
            "normal": two,
            "zipf": { "type": "number", "minimum": 0, "maximum": 10 },
            "constant": { "type": "number" },
            "file": { "type": "string" },
            "count": count,
            "type": { "type": "string" },
        },
        "additionalProperties": false,
    });
    in_braces("holds", &holds)
}

fn of_type(name: &str, known: &AllowedValues) -> Result<Value> {
    let choice = |choices: &Choices| {
        let choices = choices.iter().filter(|(name, _)| !name.is_empty());
        let names: Vec<&str> = choices.map(|(name, _)| name.as_str()).collect();
        json!({ "type": "string", "enum": names })
    };
    let word = json!({
        "anyOf": [
            { "type": "string", "enum": ["ptr", "?"] },
            { "type": "number" },
            { "type": "boolean" },
        ],
    });
    let formula = json!({ "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }] });
    let numbers = json!({
        "type": "array", "items": { "type": "integer", "minimum": 0 }, "minItems": 1,
    });
    Ok(match name {
        // A part's full name and `sm_90a` are valid too; the server knows all names.
        "gpu" => json!({ "anyOf": [choice(&known.gpus), { "type": "string" }] }),
        "compiler" => json!({ "type": "string", "enum": ["nvcc", "clang"] }),
        "text" | "tuned" => json!({ "type": "string" }),
        "problem" => json!({ "type": "string", "enum": ["gemm", "conv"] }),
        "element" => json!({ "type": "string", "enum": ["f16", "f32", "f64"] }),
        "layout" => json!({ "type": "string", "enum": ["nn", "nt", "tn", "tt"] }),
        "tiling" => json!({ "type": "object", "additionalProperties": formula }),
        "list" => json!({ "type": "array", "items": { "type": "string" } }),
        "table" => object(),
        "tables" => json!({ "type": "array", "items": object() }),
        "dimensions" => json!({ "anyOf": [
            { "type": "array", "items": { "type": "integer", "minimum": 1 }, "minItems": 1, "maxItems": 3 },
            { "const": "?" },
        ] }),
        "bytes" | "padding" => json!({ "type": "integer", "minimum": 0 }),
        "count" => json!({ "type": "integer", "minimum": 1 }),
        "factor" => json!({ "type": "number", "minimum": 1 }),
        "share" => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        "values" => json!({ "type": "array", "items": { "anyOf": [word, tensor_map(), holds()] } }),
        "words" => json!({
            "type": "object",
            "patternProperties": { "^(0x[0-9A-Fa-f]+|[0-9]+)$": word },
            "additionalProperties": false,
        }),
        "trips" => json!({
            "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 },
        }),
        "named" => json!({ "type": "object", "additionalProperties": object() }),
        "shapes" => json!({
            "type": "array", "minItems": 1,
            "items": {
                "type": "object", "minProperties": 1, "additionalProperties": { "type": "integer", "minimum": 1 },
            },
        }),
        "formula" => formula,
        "formulas" => json!({ "type": "array", "items": formula, "minItems": 1, "maxItems": 3 }),
        "arguments" => json!({
            "type": "array",
            "items": { "anyOf": [{ "type": "string" }, { "type": "number" }, { "type": "boolean" }] },
        }),
        "numbers" => numbers,
        "parameters" => json!({
            "type": "object", "minProperties": 1,
            "additionalProperties": { "anyOf": [numbers, object()] },
        }),
        "number" => json!({ "type": "number", "exclusiveMinimum": 0 }),
        "thresholds" => thresholds(),
        "levels" => known.levels(),
        other => bail!("no type {other}"),
    })
}

/// The thresholds of advice from profiles, each with its description.
fn thresholds() -> Value {
    let mut table = object();
    for (name, threshold) in advisor::top_down::Thresholds::default().all() {
        let unit = if threshold.unit.is_empty() { String::new() } else { format!(" {}", threshold.unit) };
        let description =
            format!("{} Default: {}{unit} ({}).", threshold.summary, threshold.value, threshold.source);
        table["properties"][name] = json!({ "type": "number", "minimum": 0, "description": description });
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(keys: &str) -> Result<Value> {
        let gpus = vec![(String::new(), "none".to_owned()), ("t4".to_owned(), "Tesla T4".to_owned())];
        schema(keys, &AllowedValues { gpus, rules: vec!["bank-conflict".to_owned()] })
    }

    fn key(name: &str, of_type: &str) -> String {
        format!("[[key]]\nname = \"{name}\"\ntype = \"{of_type}\"\ndescription = \"what\"\n")
    }

    #[test]
    fn keys_stand_in_their_tables() {
        let keys = [
            key("gpu", "gpu"),
            key("rules", "levels"),
            key("launch", "tables"),
            key("launch.grid", "dimensions") + "required = true\n",
            key("launch.rate", "table"),
            key("launch.rate.l1", "share"),
        ];
        let schema = made(&keys.concat()).expect("each key is whole");
        assert_eq!(schema["properties"]["gpu"]["anyOf"][0]["enum"], json!(["t4"]));
        assert_eq!(schema["properties"]["rules"]["properties"]["bank-conflict"]["enum"][0], "off");
        let launch = &schema["properties"]["launch"]["items"];
        assert_eq!((&launch["required"], &launch["additionalProperties"]), (&json!(["grid"]), &json!(false)));
        assert_eq!(launch["properties"]["rate"]["properties"]["l1"]["maximum"], 1);
        assert_eq!(launch["properties"]["rate"]["description"], "what");
    }

    #[test]
    fn a_key_that_is_not_whole_is_refused() {
        for wrong in
            [key("gpu", "colour"), key("launch.grid", "dimensions"), "[[key]]\nname = \"a\"\n".into()]
        {
            assert!(made(&wrong).is_err(), "{wrong}");
        }
    }
}
