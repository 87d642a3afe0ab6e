//! Tests of requests by panels and status lines.

use crate::client::Client;
use crate::texts::ONE;
use serde_json::{Value, json};

/// A listing of the repository with one kernel, `sgemm16`, for Hopper.
const SGEMM: &str = include_str!("../../corpus/sm_90/sgemm.cuobjdump-sass.txt");

fn summary_at(client: &mut Client, line: u32) -> Value {
    let at = json!({"textDocument": {"uri": ONE}, "position": {"line": line, "character": 0}});
    client.call("warplens/kernelSummary", at)
}

fn opened(options: Value, text: &str) -> Client {
    let mut client = Client::with_options(json!({}), options).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, text);
    client
}

#[test]
fn a_kernel_is_summed_up_with_what_it_rests_on() {
    let mut client = opened(json!({}), SGEMM);
    let summary = summary_at(&mut client, 40);
    assert_eq!(summary["title"], "sgemm16");
    assert!(summary["gpu"].as_str().is_some_and(|gpu| gpu.contains("H100")), "{summary}");
    assert_eq!(summary["model"], "pipeline");
    let launch = &summary["launches"][0];
    assert!(launch["resources"]["registers"].as_u64().is_some_and(|count| count > 8), "{summary}");
    let fraction = launch["occupancy"]["fraction"].as_f64().unwrap_or(-1.0);
    assert!((0.0..=1.0).contains(&fraction) && fraction > 0.0, "{summary}");
    for name in ["ilp", "comp", "mem", "pipe"] {
        assert!(launch["bottlenecks"].get(name).is_some(), "{summary}");
    }
}

#[test]
fn a_place_belongs_to_the_kernel_around_it_or_the_nearest_one() {
    let second = SGEMM.replace("sgemm16", "_Z3addIfEvPT_");
    let mut client = opened(json!({}), &format!("{SGEMM}{second}"));
    let lines = u32::try_from(SGEMM.lines().count()).expect("a short listing");
    assert_eq!(summary_at(&mut client, 0)["title"], "sgemm16");
    assert_eq!(summary_at(&mut client, lines + 40)["title"], "void add<float>(float*)");
    assert_eq!(summary_at(&mut client, u32::MAX)["title"], "void add<float>(float*)");
    let mut client = opened(json!({}), "// nothing to see here\n");
    assert_eq!(summary_at(&mut client, 0), Value::Null);
}

#[test]
fn the_gpu_in_use_comes_with_the_reason() {
    let mut client = opened(json!({"gpu": "t4"}), SGEMM);
    let gpu = client.call("warplens/gpu", json!({"uri": ONE}));
    assert_eq!(gpu, json!({"gpu": "Tesla T4 (set; the file is sm_90 code)", "model": "paper"}));
    assert_eq!(client.call("warplens/gpu", json!({"uri": "file:///not-open"})), Value::Null);
}

#[test]
fn a_summary_has_the_accesses_and_draws_the_one_at_the_cursor() {
    let mut client = opened(json!({}), SGEMM);
    let line = SGEMM.lines().position(|line| line.contains(" LDS ")).expect("it loads from shared memory");
    let at =
        |client: &mut Client, line: usize| summary_at(client, u32::try_from(line).expect("a short listing"));
    let summary = at(&mut client, line);
    let accesses = &summary["accesses"][0];
    let rows = accesses["rows"].as_array().expect("rows");
    assert!(rows.iter().any(|row| row["line"] == line && row["space"] == "shared"), "{accesses}");
    assert_eq!(accesses["chosen"]["line"], line);
    let line = SGEMM.lines().position(|line| line.contains(" STG")).expect("it stores a result");
    let summary = at(&mut client, line);
    let chosen = &summary["accesses"][0]["chosen"];
    assert_eq!(chosen["line"], line);
    assert_eq!(chosen["pictures"][0]["of"], "sectors", "{chosen}");
    assert_eq!(chosen["pictures"][0]["lanes"].as_array().map(Vec::len), Some(32));
}
