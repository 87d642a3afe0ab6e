//! Findings are pushed unprompted, for the open version, and never twice.

use crate::client::{Client, range};
use crate::texts::{COLUMN, FIRST_ADDITION, ONE, OTHER, listing};
use serde_json::{Value, json};
use std::time::Duration;

/// Longer than the longest pause before the model runs.
const A_WHILE: Duration = Duration::from_millis(900);
const PUBLISH: &str = "textDocument/publishDiagnostics";

fn able() -> Value {
    json!({"textDocument": {"publishDiagnostics": {"versionSupport": true, "relatedInformation": true}}})
}

/// The change that makes the opcode of the first addition unknown.
fn misspell() -> Value {
    json!([{"range": range((FIRST_ADDITION, COLUMN), (FIRST_ADDITION, COLUMN + 5)), "text": "FROB7"}])
}

fn correct() -> Value {
    json!([{"range": range((FIRST_ADDITION, COLUMN), (FIRST_ADDITION, COLUMN + 5)), "text": "IADD3"}])
}

fn codes(findings: &Value) -> Vec<&str> {
    findings["diagnostics"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|found| found["code"].as_str())
        .collect()
}

/// The last findings of a document once no more arrive.
fn settled(client: &mut Client, uri: &str) -> Value {
    let mut last = client.findings(uri);
    client.count_within(PUBLISH, A_WHILE);
    while client.count_within(PUBLISH, Duration::ZERO) > 0 {
        last = client.findings(uri);
    }
    last
}

#[test]
fn a_finding_appears_with_its_version_and_goes_with_the_cause() {
    let mut client = Client::ready(able());
    client.open(ONE, &listing(3));
    let clean = settled(&mut client, ONE);
    assert_eq!(clean["version"], 1);
    assert!(!codes(&clean).contains(&"unknown-opcode"), "{clean}");

    client.change(ONE, 2, misspell());
    let found = settled(&mut client, ONE);
    assert_eq!(found["version"], 2);
    let unknown =
        found["diagnostics"].as_array().into_iter().flatten().find(|found| found["code"] == "unknown-opcode");
    let unknown = unknown.unwrap_or_else(|| panic!("{found}"));
    assert_eq!(unknown["source"], "warplens");
    assert_eq!(unknown["range"]["start"], json!({"line": FIRST_ADDITION, "character": COLUMN}));

    client.change(ONE, 3, correct());
    let gone = settled(&mut client, ONE);
    assert_eq!(gone["version"], 3);
    assert_eq!(gone["diagnostics"], clean["diagnostics"]);
}

#[test]
fn versions_are_for_clients_that_take_them() {
    let mut client = Client::ready(json!({}));
    client.open(ONE, &listing(3));
    let found = settled(&mut client, ONE);
    assert!(found.get("version").is_none_or(Value::is_null), "{found}");
}

#[test]
fn the_same_list_is_not_sent_again() {
    let mut client = Client::ready(able());
    client.open(ONE, &listing(3));
    settled(&mut client, ONE);
    client.change(ONE, 2, json!([{"range": range((0, 0), (0, 0)), "text": ""}]));
    assert_eq!(client.count_within(PUBLISH, A_WHILE), 0);
}

#[test]
fn no_version_is_spoken_of_that_is_over() {
    let mut client = Client::ready(able());
    client.open(ONE, &listing(200));
    client.findings(ONE);
    let mut last = 1;
    for version in 2..200 {
        client.change(ONE, version, if version % 2 == 0 { misspell() } else { correct() });
    }
    // The last list differs from all others, because its finding is one line further down.
    client.change(ONE, 200, misspell());
    client.change(ONE, 202, json!([{"range": range((0, 0), (0, 0)), "text": "\n"}]));
    client.call("warplens/viewText", json!({"uri": ONE}));
    client.count_within(PUBLISH, A_WHILE);
    while client.count_within(PUBLISH, Duration::ZERO) > 0 {
        let found = client.findings(ONE);
        let version = found["version"].as_i64().expect("a version");
        assert!(version >= last, "{version} after {last}");
        // Odd versions are correct, even versions are not.
        assert_eq!(codes(&found).contains(&"unknown-opcode"), version % 2 == 0, "{found}");
        last = version;
    }
    assert_eq!(last, 202);
}

#[test]
fn closing_takes_the_findings_away_and_nothing_comes_after() {
    let mut client = Client::ready(able());
    client.open(OTHER, &listing(3));
    settled(&mut client, OTHER);
    client.open(ONE, &listing(3));
    client.change(ONE, 2, misspell());
    let found = settled(&mut client, ONE);
    assert!(codes(&found).contains(&"unknown-opcode"), "{found}");
    client.change(ONE, 3, json!([{"range": range((0, 0), (0, 0)), "text": "\n"}]));
    client.close(ONE);
    let mut last = client.findings(ONE);
    client.count_within(PUBLISH, A_WHILE);
    while client.count_within(PUBLISH, Duration::ZERO) > 0 {
        last = client.findings(ONE);
    }
    assert_eq!(last["diagnostics"], json!([]));
}

const KERNEL: &str = "\
        .headerflags    @\"EF_CUDA_SM75 EF_CUDA_PTX_SM(EF_CUDA_SM75)\"
        .section        .text.scale,\"ax\",@progbits
  .text.scale:
      [B------:R-:W0:-:S02]         /*0000*/                   S2R R0, SR_TID.X ;
      [B0-----:R-:W-:Y:S04]         /*0010*/                   IMAD.WIDE R2, R0, 0x4, R2 ;
      [B------:R-:W1:-:S01]         /*0020*/                   LDG.E.SYS R4, [R2] ;
      [B-1----:R-:W-:-:S04]         /*0030*/                   FADD R4, R4, 1 ;
      [B------:R-:W-:Y:S05]         /*0040*/                   EXIT ;
";

const ENTRY: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
\t.reg .f32 %f<4>;
\t.reg .b32 %r<8>;
\t.reg .b64 %rd<4>;
\tld.param.u64 %rd1, [a];
\tmov.u32 %r1, %tid.x;
\tmul.wide.u32 %rd2, %r1, 64;
\tadd.s64 %rd3, %rd1, %rd2;
\tld.global.f32 %f1, [%rd3];
\tadd.f32 %f2, %f1, %f3;
\tst.global.f32 [%rd3], %f2;
\tret;
}
";

/// Codes and lines of a document's findings on lines other than `line`.
fn elsewhere(findings: &Value, line: u32) -> Vec<(String, u64)> {
    let all = findings["diagnostics"].as_array().or(findings["items"].as_array()).into_iter().flatten();
    let place = |found: &Value| {
        let line = found["range"]["start"]["line"].as_u64().expect("a line");
        (found["code"].as_str().expect("a code").to_owned(), line)
    };
    let mut found: Vec<_> = all.map(place).filter(|(_, own)| *own != u64::from(line)).collect();
    found.sort();
    found
}

#[test]
fn an_unfinished_statement_leaves_the_findings_elsewhere() {
    for (uri, language, text, line, typed) in [
        ("file:///typed.nvsass", "nvsass", KERNEL, 6, "        FMUL R7, R4, 2"),
        ("file:///typed.nvsass", "nvsass", KERNEL, 5, "      [B------:R-:W-:-:S04]  FADD R7, R8"),
        ("file:///typed.ptx", "ptx", ENTRY, 13, "\tmul.f32 %f2, %f1, %f1"),
        ("file:///typed.ptx", "ptx", ENTRY, 9, "\t@%p1 bra done"),
    ] {
        let mut client = Client::ready(able());
        let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        client.notify("textDocument/didOpen", json!({"textDocument": document}));
        client.change(uri, 2, json!([{"range": range((line, 0), (line, 0)), "text": "\n"}]));
        let before = elsewhere(&settled(&mut client, uri), line);
        assert!(before.len() > 1, "{before:?}");
        for (key, version) in typed.chars().zip(3..) {
            let column = version as u32 - 3;
            let at = range((line, column), (line, column));
            client.change(uri, version, json!([{"range": at, "text": key.to_string()}]));
            // Checks pulled findings, for which the server waits until typing pauses, and pushed findings.
            if column % 5 == 4 {
                let asked = json!({"textDocument": {"uri": uri}});
                let pulled = client.call("textDocument/diagnostic", asked);
                assert_eq!(elsewhere(&pulled, line), before, "pulled after {:?}", &typed[..=column as usize]);
            }
            client.count_within(PUBLISH, Duration::from_millis(30));
            while client.count_within(PUBLISH, Duration::ZERO) > 0 {
                let pushed = client.findings(uri);
                assert_eq!(elsewhere(&pushed, line), before, "pushed after {:?}", &typed[..=column as usize]);
            }
        }
        client.count_within(PUBLISH, A_WHILE);
        while client.count_within(PUBLISH, Duration::ZERO) > 0 {
            assert_eq!(elsewhere(&client.findings(uri), line), before, "{typed:?}");
        }
    }
}
