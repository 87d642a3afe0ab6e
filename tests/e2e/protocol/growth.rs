//! Long texts: work on long texts ends when it is no longer needed, and texts that are too large are treated
//! as plain text.

use crate::client::{Client, everything};
use serde_json::json;
use std::fmt::Write;
use std::time::{Duration, Instant};

const TEXT: &str = "file:///w/long.ptx";
const REQUEST_CANCELLED: i64 = -32800;

/// A document that is too large is reported once, has no answers, and is read again once it has become
/// shorter.
#[test]
fn a_document_that_is_too_large_stays_plain_text() {
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    let marks = ";".repeat(ide::MAX_TOKENS_PER_LINE + 1);
    client.open(TEXT, &marks);
    let reported = client.notification("window/showMessage");
    let text = reported["message"].as_str().unwrap_or_default();
    assert!(text.contains("plain text"), "{text}");
    let hints = json!({"textDocument": {"uri": TEXT}, "range": everything()});
    assert_eq!(client.call("textDocument/inlayHint", hints.clone()), json!([]));
    // The document is still too large, and is not reported again.
    client.change(TEXT, 2, json!([{"range": everything(), "text": format!("{marks};")}]));
    assert_eq!(client.call("textDocument/inlayHint", hints.clone()), json!([]));
    let kernel = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\t.reg .b32 \t%r<3>;\n\tmov.u32 \t%r1, %tid.x;\n\tadd.s32 \t%r2, %r1, %r1;\n\tbar.sync \t0;\n\tret;\n}\n";
    client.change(TEXT, 3, json!([{"text": kernel}]));
    assert_ne!(client.call("textDocument/inlayHint", hints), json!([]));
}

/// The answer to a cancelled request arrives at once, and the answer for another document right after it.
#[test]
fn a_long_function_gives_the_core_back_when_its_request_is_cancelled() {
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    let block = |at: usize| format!("L{at}: add.s32 %r1, %r1, {at}; @%p1 bra L{};\n", at * 7_919 % 16_000);
    let blocks: String = (0..16_000).map(block).collect();
    let text = format!(
        ".version 8.0\n.target sm_90\n.visible .entry k()\n{{\n.reg .b32 %r<9>; .reg .pred %p<3>;\n{blocks}ret;\n}}\n"
    );
    client.open(TEXT, &text);
    let id = client
        .request("textDocument/inlayHint", json!({"textDocument": {"uri": TEXT}, "range": everything()}));
    std::thread::sleep(Duration::from_millis(50));
    let asked = Instant::now();
    client.notify("$/cancelRequest", json!({"id": id}));
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": TEXT}}));
    assert_eq!(client.response(id), Err(REQUEST_CANCELLED));
    // The shutdown would wait for work that does not end.
    assert_eq!(client.shut_down(), 0);
    let time = asked.elapsed();
    assert!(time < Duration::from_secs(2), "it took {time:?}");
}

/// Hints of a long function arrive at once after an edit, marked where the edit may have changed them. Once
/// the final hints are computed, the server makes the client request them again.
#[test]
fn hints_of_a_long_function_do_not_wait_for_its_costs() {
    const REFRESH: &str = "workspace/inlayHint/refresh";
    let mut body = String::new();
    for at in 0..600 {
        let _ = write!(body, "mad.lo.s32 %r1, %r1, %r1, {at};\nst.global.u32 [%rd1+{}], %r1;\n", at * 4);
    }
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<9>;\n\
         .reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n{body}ret;\n}}\n"
    );
    let line = text.lines().position(|line| line.ends_with(", 300;")).expect("it exists") as u32;
    let around =
        json!({"start": {"line": line - 10, "character": 0}, "end": {"line": line + 10, "character": 0}});
    let hints = json!({"textDocument": {"uri": TEXT}, "range": around});
    let change = json!([{"range": {"start": {"line": line, "character": 4}, "end": {"line": line, "character": 6}}, "text": "hi"}]);
    let capabilities = json!({"workspace": {"inlayHint": {"refreshSupport": true}}});
    for (capabilities, is_reported) in [(capabilities, true), (json!({}), false)] {
        let mut client = Client::ready(capabilities).ignoring("textDocument/publishDiagnostics");
        client.open(TEXT, &text);
        let before = client.call("textDocument/inlayHint", hints.clone()).to_string();
        assert!(!before.contains("?\""), "{before}");
        client.change(TEXT, 2, change.clone());
        let early = client.call("textDocument/inlayHint", hints.clone()).to_string();
        assert_eq!(early.contains("?\""), is_reported, "{early}");
        if is_reported {
            let (question, _) = client.asked(REFRESH);
            client.answer(&question, serde_json::Value::Null);
        }
        let after = client.call("textDocument/inlayHint", hints.clone()).to_string();
        assert!(!after.contains("?\"") && !after.contains('…'), "{after}");
        assert_eq!(client.shut_down(), 0);
    }
}
