//! Long texts: work on them ends when nobody waits, and those that are too large stay plain text.

use crate::client::{Client, everything};
use serde_json::json;
use std::time::{Duration, Instant};

const TEXT: &str = "file:///w/long.ptx";
const REQUEST_CANCELLED: i64 = -32800;

/// A document that is not read says so once, answers nothing, and is read again when it has become shorter.
#[test]
fn a_document_that_is_too_large_stays_plain_text() {
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    let marks = ";".repeat(ide::MOST_TOKENS_OF_A_LINE + 1);
    client.open(TEXT, &marks);
    let told = client.notification("window/showMessage");
    let text = told["message"].as_str().unwrap_or_default();
    assert!(text.contains("plain text"), "{text}");
    let hints = json!({"textDocument": {"uri": TEXT}, "range": everything()});
    assert_eq!(client.call("textDocument/inlayHint", hints.clone()), json!([]));
    // Still too large: nothing is said again.
    client.change(TEXT, 2, json!([{"range": everything(), "text": format!("{marks};")}]));
    assert_eq!(client.call("textDocument/inlayHint", hints.clone()), json!([]));
    let kernel = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\t.reg .b32 \t%r<3>;\n\tmov.u32 \t%r1, %tid.x;\n\tadd.s32 \t%r2, %r1, %r1;\n\tbar.sync \t0;\n\tret;\n}\n";
    client.change(TEXT, 3, json!([{"text": kernel}]));
    assert_ne!(client.call("textDocument/inlayHint", hints), json!([]));
}

/// The answer to a cancelled request comes at once, and another document's right behind it.
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
    // The end of the process waits for work that does not end.
    assert_eq!(client.shut_down(), 0);
    let time = asked.elapsed();
    assert!(time < Duration::from_secs(2), "it took {time:?}");
}
