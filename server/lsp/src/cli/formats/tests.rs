//! All output formats, with handwritten findings.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the snapshots so")]

use super::super::check::{Finding, LineColumn, Outcome};
use super::super::palette::Palette;
use super::*;
use expect_test::expect;
use ide::{RuleInfo, Severity};
use serde_json::Value;
use std::ops::Range;

fn finding(severity: Severity, line: &str, range: Range<usize>) -> Finding {
    let column = |byte: usize| line[..byte].chars().count() as u32 + 1;
    Finding {
        file: "kernels/my gemm.sass".into(),
        start: LineColumn { line: 42, column: column(range.start) },
        end: LineColumn { line: 42, column: column(range.end) },
        function: Some("_Z8sgemm_nnPKfS0_Pfi".into()),
        address: Some(0x1a0),
        code: "unknown-opcode",
        group: "syntax",
        severity,
        message: "sm_90 has no opcode `FROB`: 100%, or\nso".into(),
        related: vec![],
        excerpt: (line.to_owned(), range),
    }
}

fn marked(line: &str, mark: &str) -> Finding {
    let start = line.find(mark).unwrap();
    finding(Severity::Error, line, start..start + mark.len())
}

fn outcome() -> Outcome {
    let mut with_related = marked("        /*01a0*/   FROB R1 ;", "FROB");
    with_related.related.push((LineColumn { line: 7, column: 3 }, "the target is named here".into()));
    let hint =
        Finding { function: None, address: None, code: "unregistered", ..finding(Severity::Hint, "", 0..0) };
    Outcome { findings: vec![with_related, hint], files_checked: 3 }
}

fn text_of(outcome: &Outcome) -> String {
    let mut out = Vec::new();
    text::write(&mut out, &Palette::PLAIN, outcome).unwrap();
    String::from_utf8(out).unwrap()
}

fn plain(findings: Vec<Finding>) -> String {
    text_of(&Outcome { findings, files_checked: 1 })
}

#[test]
fn text_shows_the_line_and_the_mark() {
    expect![[r#"
        kernels/my gemm.sass:42:20: error[unknown-opcode] sm_90 has no opcode `FROB`: 100%, or so
            |
         42 |         /*01a0*/   FROB R1 ;
            |                    ^^^^
            = 7:3: the target is named here
            = in sgemm_nn(float const*, float const*, float*, int) at 01a0

        kernels/my gemm.sass:42:1: hint[unregistered] sm_90 has no opcode `FROB`: 100%, or so
            |
         42 | 
            | ^

        2 findings (1 error, 1 hint), 3 files checked
    "#]]
    .assert_eq(&text_of(&outcome()));
}

#[test]
fn text_is_coloured() {
    let mut coloured = Vec::new();
    text::write(&mut coloured, &Palette::COLOURED, &outcome()).unwrap();
    let coloured = String::from_utf8(coloured).unwrap();
    expect!["ESC[1mkernels/my gemm.sass:42:20:ESC[0m ESC[1mESC[31merror[unknown-opcode]ESC[0m sm_90 has no opcode `FROB`: 100%, or so"].assert_eq(&coloured.lines().next().unwrap().replace('\u{1b}', "ESC"));
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), text_of(&outcome()));
}

#[test]
fn text_aligns_under_tabs_and_wide_characters() {
    expect![[r#"
        kernels/my gemm.sass:42:11: error[unknown-opcode] sm_90 has no opcode `FROB`: 100%, or so
            |
         42 |     /* 全角 */    FROB R1 ;    // x
            |                   ^^^^^^^
            = in sgemm_nn(float const*, float const*, float*, int) at 01a0

        1 finding (1 error), 1 file checked
    "#]]
    .assert_eq(&plain(vec![marked("\t/* 全角 */\tFROB R1 ;\t// x", "FROB R1")]));
}

#[test]
fn text_cuts_long_lines_around_the_mark() {
    let line = format!("{}FROB{}", "a".repeat(500), "b".repeat(500));
    expect![[r#"
        kernels/my gemm.sass:42:501: error[unknown-opcode] sm_90 has no opcode `FROB`: 100%, or so
            |
         42 | …aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaFROBbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…
            |                                          ^^^^
            = in sgemm_nn(float const*, float const*, float*, int) at 01a0

        1 finding (1 error), 1 file checked
    "#]].assert_eq(&plain(vec![marked(&line, "FROB")]));
    let all = finding(Severity::Error, &line, 0..line.len());
    assert!(plain(vec![all]).lines().all(|line| line.chars().count() < 130));
}

#[test]
fn text_without_findings() {
    assert_eq!(plain(vec![]), "no findings, 1 file checked\n");
}

#[test]
fn json_is_the_contract() {
    let mut out = Vec::new();
    json::write(&mut out, &outcome()).unwrap();
    expect![[r#"
        {"schema":1,"findings":[{"file":"kernels/my gemm.sass","line":42,"function":"_Z8sgemm_nnPKfS0_Pfi","demangled":"sgemm_nn(float const*, float const*, float*, int)","address":416,"code":"unknown-opcode","group":"syntax","severity":"error","message":"sm_90 has no opcode `FROB`: 100%, or\nso"},{"file":"kernels/my gemm.sass","line":42,"function":null,"demangled":null,"address":null,"code":"unregistered","group":"syntax","severity":"hint","message":"sm_90 has no opcode `FROB`: 100%, or\nso"}]}
    "#]].assert_eq(&String::from_utf8(out).unwrap());
}

#[test]
fn github_escapes_what_would_end_the_command() {
    let mut out = Vec::new();
    let mut outcome = outcome();
    outcome.findings[0].file = "a,b:c.sass".into();
    github::write(&mut out, &outcome).unwrap();
    expect![[r#"
        ::error file=a%2Cb%3Ac.sass,line=42,endLine=42,col=20,endColumn=24,title=unknown-opcode::sm_90 has no opcode `FROB`: 100%25, or%0Aso
        ::notice file=kernels/my gemm.sass,line=42,endLine=42,col=1,endColumn=1,title=unregistered::sm_90 has no opcode `FROB`: 100%25, or%0Aso
    "#]].assert_eq(&String::from_utf8(out).unwrap());
}

fn sarif_of(outcome: &Outcome) -> Value {
    let rules = [RuleInfo {
        code: "unknown-opcode",
        group: "syntax",
        severity: Severity::Error,
        summary: "An opcode that the architecture does not have.",
    }];
    let mut out = Vec::new();
    sarif::write(&mut out, outcome, &rules).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn sarif_results_point_to_their_rules_and_places() {
    let log = sarif_of(&outcome());
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    expect![[r#"
        {
          "level": "error",
          "locations": [
            {
              "logicalLocations": [
                {
                  "fullyQualifiedName": "_Z8sgemm_nnPKfS0_Pfi",
                  "kind": "function"
                }
              ],
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "kernels/my%20gemm.sass"
                },
                "region": {
                  "endColumn": 24,
                  "endLine": 42,
                  "startColumn": 20,
                  "startLine": 42
                }
              }
            }
          ],
          "message": {
            "text": "sm_90 has no opcode `FROB`: 100%, or\nso"
          },
          "relatedLocations": [
            {
              "message": {
                "text": "the target is named here"
              },
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "kernels/my%20gemm.sass"
                },
                "region": {
                  "startColumn": 3,
                  "startLine": 7
                }
              }
            }
          ],
          "ruleId": "unknown-opcode",
          "ruleIndex": 0
        }
    "#]]
    .assert_eq(&format!("{:#}\n", run["results"][0]));
    assert_eq!(run["results"][1]["level"], "note");
}

#[test]
fn sarif_names_absolute_files_by_scheme() {
    let mut outcome = outcome();
    outcome.findings[0].file = "/src/a b.sass".into();
    outcome.findings[1].file = "./c.sass".into();
    let log = sarif_of(&outcome);
    let uri = |index: usize| {
        let place = &log["runs"][0]["results"][index]["locations"][0]["physicalLocation"];
        place["artifactLocation"]["uri"].as_str().unwrap().to_owned()
    };
    assert_eq!(uri(0), "file:///src/a%20b.sass");
    assert_eq!(uri(1), "c.sass");
}
