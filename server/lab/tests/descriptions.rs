//! Checks that the launches of `cargo xtask hardware` equal the launches that were measured: the same functions, grids,
//! blocks and numeric arguments.

use std::collections::HashMap;

const DESCRIPTION: &str = include_str!("../programs/compare/kernels.launches");

/// A launch as in `launches.toml`, where each buffer argument is `ptr`.
#[derive(Debug, PartialEq)]
struct Launch {
    function: String,
    grid: Vec<i64>,
    block: Vec<i64>,
    params: Vec<String>,
}

fn extent(text: &str) -> Vec<i64> {
    let mut sides: Vec<i64> = text.split(',').map(|side| side.parse().expect("a side is a number")).collect();
    sides.resize(3, 1);
    sides
}

fn described() -> HashMap<String, Launch> {
    let lines = DESCRIPTION.lines().filter(|line| !line.starts_with('#'));
    let launches = lines.map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next().expect("a line has a name").to_owned();
        let function = words.next().expect("a function follows the name").to_owned();
        let mut launch = Launch { function, grid: extent("1"), block: extent("1"), params: Vec::new() };
        for word in words {
            match word.split_once(['=', ':']) {
                Some(("grid", sides)) => launch.grid = extent(sides),
                Some(("block", sides)) => launch.block = extent(sides),
                Some(("i32" | "f32", number)) => launch.params.push(number.to_owned()),
                _ => launch.params.push("ptr".to_owned()),
            }
        }
        (name, launch)
    });
    launches.collect()
}

fn measured(text: &str) -> HashMap<String, Launch> {
    let table: toml::Table = text.parse().expect("launches.toml is TOML");
    let sides = |launch: &toml::Value, key: &str| {
        let sides = launch[key].as_array().expect("an extent is a list").iter();
        sides.map(|side| side.as_integer().expect("a side is a number")).collect()
    };
    let text = |value: &toml::Value| match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string().trim_end_matches(".0").to_owned(),
    };
    let launches = table["launch"].as_array().expect("launches are a list").iter().map(|launch| {
        let params = launch["params"].as_array().expect("parameters are a list").iter().map(text).collect();
        let function = text(&launch["function"]);
        let found = Launch { function, grid: sides(launch, "grid"), block: sides(launch, "block"), params };
        (text(&launch["name"]), found)
    });
    launches.collect()
}

#[test]
fn the_described_launches_are_the_measured_ones() {
    let path = testkit::measured("kernels").swap_remove(0).join("launches.toml");
    #[expect(clippy::disallowed_methods, reason = "a test that compares with files that are given")]
    let text = std::fs::read_to_string(path).expect("the file is there");
    let (described, measured) = (described(), measured(&text));
    assert_eq!(described.len(), measured.len());
    for (name, launch) in &measured {
        assert_eq!(described.get(name), Some(launch), "{name}");
    }
}

/// Missing arguments would not be noticed at run time, because the driver does not check the number of arguments.
#[test]
fn every_line_has_a_name_a_function_and_an_argument() {
    let described = described();
    assert_eq!(described.len(), DESCRIPTION.lines().filter(|line| !line.starts_with('#')).count());
    for (name, launch) in described {
        assert!(launch.function.starts_with("_Z"), "{name}");
        assert!(launch.params.iter().any(|param| param == "ptr"), "{name}");
    }
}
