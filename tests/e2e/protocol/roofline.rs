//! Tests of the request for the panel's roofline.

use crate::client::Client;
use crate::texts::ONE;
use serde_json::{Value, json};

/// A listing of the repository with one kernel, `sgemm16`, for Hopper.
const SGEMM: &str = include_str!("../../corpus/sm_90/sgemm.cuobjdump-sass.txt");

#[test]
fn a_kernel_is_below_the_roofline_of_its_gpu() {
    let mut client = Client::with_options(json!({}), json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, SGEMM);
    let at = json!({"textDocument": {"uri": ONE}, "position": {"line": 40, "character": 0}});
    let roofline = client.call("warplens/kernelRoofline", at);
    let launch = &roofline["launches"][0];
    assert_eq!(
        (&launch["model"], &launch["resources"]["launch_assumed"]),
        (&json!("pipeline"), &json!(true))
    );
    // The launch does not state the kernel's parameters, on which the trip count of the loop depends.
    assert!(launch["cycles"].is_null(), "{launch}");
    assert!(launch["low"].as_f64() < launch["high"].as_f64(), "{launch}");
    assert!(launch["assumed"].as_array().is_some_and(|words| words.contains(&json!("launch"))), "{launch}");
    let ceilings = roofline["ceilings"].as_array().expect("lines");
    assert_eq!((&ceilings[0]["name"], &ceilings[0]["is_bandwidth"]), (&json!("DRAM"), &json!(true)));
    assert!(ceilings.iter().any(|line| line["name"] == "FP32" && line["per_second"].as_f64() > Some(6e13)));
    let mut client = Client::with_options(json!({}), json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, "// nothing to see here\n");
    let at = json!({"textDocument": {"uri": ONE}, "position": {"line": 0, "character": 0}});
    assert_eq!(client.call("warplens/kernelRoofline", at), Value::Null);
}
