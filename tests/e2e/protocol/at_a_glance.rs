//! Requests for views other than hovers: predicted heat, producers and consumers, the occupancy curves, other GPUs.

use crate::client::Client;
use crate::texts::ONE;
use serde_json::{Value, json};

/// Texts of one kernel each: `sgemm16` as SASS for Hopper, and `transpose` as PTX.
const SASS: &str = include_str!("../../corpus/sm_90/sgemm.cuobjdump-sass.txt");
const PTX: &str = include_str!("../../corpus/ptx/transpose.ptx");

fn opened(text: &str) -> Client {
    let mut client = Client::with_options(json!({}), json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, text);
    client
}

/// The 0-based line of the first instruction that contains these words.
fn line_of(text: &str, words: &str) -> usize {
    text.lines().position(|line| line.contains(words)).expect("the listing contains it")
}

fn at(line: usize) -> Value {
    json!({"textDocument": {"uri": ONE}, "position": {"line": line, "character": 30}})
}

fn document() -> Value {
    json!({"textDocument": {"uri": ONE}})
}

#[test]
fn shares_of_a_kernel_are_predicted() {
    let listings = [(SASS, "sgemm16", "(pipeline, H100 SXM5 80 GB)"), (PTX, "transpose", "estimated")];
    for (text, kernel, source) in listings {
        let heat = opened(text).call("warplens/heat", document());
        assert_eq!(heat["isMeasured"], false);
        assert!(heat["source"].as_str().is_some_and(|words| words.contains(source)), "{}", heat["source"]);
        let lines = heat["lines"].as_array().expect("lines");
        let all: f64 = lines.iter().filter_map(|line| line["share"].as_f64()).sum();
        assert!((0.8..=1.000_001).contains(&all), "the hot lines have {all} of the time");
        let words: Vec<&str> = lines.iter().filter_map(|line| line["words"].as_str()).collect();
        let share = format!(" % of the predicted time of {kernel}");
        assert!(words.iter().all(|words| words.contains(&share)), "{words:?}");
    }
    // A request may cover a part of the text.
    let mut client = opened(SASS);
    let head = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}});
    let asked = json!({"textDocument": {"uri": ONE}, "range": head});
    assert_eq!(client.call("warplens/heat", asked), Value::Null);
}

#[test]
fn an_instruction_has_producers_consumers_and_lives() {
    let mut client = opened(SASS);
    let load = line_of(SASS, "LDG.E");
    let found = client.call("warplens/relations", at(load));
    assert_eq!(found["line"], load);
    let lines = |what: &str| -> Vec<usize> {
        let all = found[what].as_array().expect("lines").iter();
        all.filter_map(|line| line["line"].as_u64()).map(|line| line as usize).collect()
    };
    let (producers, consumers) = (lines("producers"), lines("consumers"));
    assert!(!producers.is_empty() && !consumers.is_empty(), "{found}");
    let destination = SASS.lines().nth(load).and_then(|line| {
        line.split(['.', ' ', ','])
            .find(|word| word.strip_prefix('R').is_some_and(|number| number.parse::<u8>().is_ok()))
    });
    let destination = destination.expect("a load writes a register");
    for consumer in consumers {
        let text = SASS.lines().nth(consumer).expect("a line of the text");
        assert!(text.contains(destination), "{text} does not read {destination}");
    }
    let lives = found["registers"].as_array().expect("registers");
    assert!(lives.iter().any(|life| life["name"] == destination && life["from"] != life["to"]), "{found}");
    assert_eq!(client.call("warplens/relations", at(0)), Value::Null);

    let mut client = opened(PTX);
    let add = line_of(PTX, "mul.wide.u32");
    let found = client.call("warplens/relations", at(add));
    assert_eq!(found["line"], add);
    let names = |what: &str| found[what][0]["words"].as_str().unwrap_or_default().to_owned();
    let text = PTX.lines().nth(add).expect("a line of the text");
    for what in ["producers", "consumers"] {
        assert!(names(what).split(' ').all(|name| text.contains(name)) && !names(what).is_empty(), "{found}");
    }
}

#[test]
fn the_occupancy_is_reported_for_each_resource() {
    let curves = opened(SASS).call("warplens/occupancyCurves", at(line_of(SASS, "LDG.E")));
    let axes: Vec<&Value> =
        curves["curves"].as_array().expect("curves").iter().map(|curve| &curve["axis"]).collect();
    assert_eq!(axes, ["block size", "registers", "shared memory"]);
    for curve in curves["curves"].as_array().expect("curves") {
        // The point of the current value is on the curve.
        let now = curve["now"].as_u64().expect("a number");
        let points = curve["points"].as_array().expect("points").iter();
        let step = points.take_while(|point| point["x"].as_u64() <= Some(now)).last().expect("a step");
        assert_eq!((&step["warps"], &step["blocks"]), (&curve["nowWarps"], &curve["nowBlocks"]), "{curve}");
    }
    assert_eq!(opened("// nothing\n").call("warplens/occupancyCurves", at(0)), Value::Null);
}

#[test]
fn a_kernel_is_compared_on_the_gpus_that_run_it() {
    let rows = opened(SASS).call("warplens/compareGpus", at(line_of(SASS, "LDG.E")))["rows"].clone();
    let rows = rows.as_array().expect("rows");
    assert_eq!((&rows[0]["isCurrent"], &rows[0]["gpu"]), (&json!(true), &json!("H100 SXM5 80 GB")));
    assert!(rows.len() > 1 && rows.iter().all(|row| row["sm"] == "sm_90"), "{rows:?}");
    let current = rows.iter().filter(|row| row["isCurrent"] == true).count();
    assert_eq!(current, 1);
    // PTX can be compiled for any later architecture.
    let rows = opened(PTX).call("warplens/compareGpus", at(line_of(PTX, "mul.wide.u32")))["rows"].clone();
    let rows = rows.as_array().expect("rows");
    assert!(rows.iter().any(|row| row["sm"] == "sm_120"), "{rows:?}");
    assert!(rows.iter().all(|row| row["sm"] != "sm_80"), "{rows:?}");
}
