//! `warplens/selectionCycles`: the cycles of selected lines.

use crate::client::Client;
use crate::texts::{COLUMN, FIRST_ADDITION, ONE, listing};
use serde_json::{Value, json};

const CONTENT_MODIFIED: i64 = -32801;
const REQUEST_CANCELLED: i64 = -32800;

fn opened(options: Value, text: &str) -> Client {
    let mut client = Client::with_options(json!({}), options).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, text);
    client
}

/// A range of complete lines, including the last line.
fn lines(from: u32, to: u32) -> Value {
    let range = json!({"start": {"line": from, "character": 0}, "end": {"line": to + 1, "character": 0}});
    json!({"textDocument": {"uri": ONE}, "range": range})
}

fn cycles(client: &mut Client, from: u32, to: u32) -> Value {
    client.call("warplens/selectionCycles", lines(from, to))
}

/// A listing whose loop has a parameter as its trip count.
fn endless() -> String {
    let text = listing(3);
    let (before, exit) = text.split_once("        /*0040*/").expect("an instruction follows the additions");
    let branch = format!(
        "        /*0040*/               @P0 BRA 0x10 ;{:40}/* 0xfffffffc00e80947 */\n{:81}/* 0x000fea000383ffff */\n",
        "", ""
    );
    format!("{before}{branch}        /*0050*/{exit}")
}

#[test]
fn the_server_says_that_it_times_selections() {
    let mut client = Client::start(&["lsp"]);
    let offered = client.call("initialize", json!({"capabilities": {}}));
    assert_eq!(offered["capabilities"]["experimental"]["selectionCycles"], true);
}

#[test]
fn selected_lines_have_cycles_from_their_first_instruction_to_their_last() {
    let mut client = opened(json!({}), &listing(3));
    let said = cycles(&mut client, FIRST_ADDITION, FIRST_ADDITION + 4);
    // There are two stall counts of 2 between three additions.
    assert_eq!(said["cycles"], 4, "{said}");
    assert_eq!(said["warps"], 1);
    assert_eq!(said["model"], "pipeline");
    assert_eq!(said["gpu"], "H100 SXM5 80 GB (assumed: the file names sm_90)");
    assert_eq!(said["text"], "4 cycles, 1 warp · 0x0010..0x0030 · wait 2 · pipeline, H100 SXM5 80 GB");
    assert!(said["detail"].as_str().is_some_and(|detail| detail.contains("`wait` 2 cycles")), "{said}");
}

#[test]
fn fewer_than_two_instructions_have_none() {
    let mut client = opened(json!({}), &listing(3));
    assert_eq!(cycles(&mut client, FIRST_ADDITION, FIRST_ADDITION), Value::Null);
    assert_eq!(cycles(&mut client, 0, 2), Value::Null);
    let at = json!({"line": FIRST_ADDITION, "character": COLUMN});
    let cursor = json!({"textDocument": {"uri": ONE}, "range": {"start": at, "end": at}});
    assert_eq!(client.call("warplens/selectionCycles", cursor), Value::Null);
    let two_kernels = format!("{}{}", listing(1), listing(1).replace("saxpy", "daxpy"));
    client.change(ONE, 2, json!([{"text": two_kernels}]));
    assert_eq!(cycles(&mut client, 0, 100), Value::Null);
    client.close(ONE);
    assert_eq!(cycles(&mut client, 0, 100), Value::Null);
}

#[test]
fn what_is_not_known_says_why() {
    let mut client = opened(json!({}), &endless());
    let said = cycles(&mut client, 0, 100);
    assert_eq!(said["cycles"], Value::Null, "{said}");
    let text = said["text"].as_str().unwrap_or_default();
    assert!(text.contains("the iteration count of the loop that ends at 0x0040 is unknown"), "{said}");
    assert!(said["detail"].as_str().is_some_and(|detail| detail.contains("trips = { \"0x40\" = ")), "{said}");

    let mut client = opened(json!({}), &listing(3).replace("sm_90", "sm_86").replace("SM90", "SM86"));
    let said = cycles(&mut client, 0, 100);
    assert_eq!(said["cycles"], Value::Null, "{said}");
    let text = said["text"].as_str().unwrap_or_default();
    assert!(text.contains("not calibrated for RTX A6000") && !text.contains('\n'), "{said}");
}

#[test]
fn a_selection_without_a_waiting_client_is_abandoned() {
    let options = json!({"warplensTest": {"slowOn": "slow", "slowMillis": 600_000}});
    let mut client = opened(options, &format!("{}// slow\n", listing(3)));
    let cancelled = client.request("warplens/selectionCycles", lines(0, 100));
    client.notify("$/cancelRequest", json!({"id": cancelled}));
    assert_eq!(client.response(cancelled), Err(REQUEST_CANCELLED));
    let overtaken = client.request("warplens/selectionCycles", lines(0, 100));
    client.change(ONE, 2, json!([{"text": listing(3)}]));
    assert_eq!(client.response(overtaken), Err(CONTENT_MODIFIED));
    assert!(cycles(&mut client, 0, 100)["cycles"].is_u64());
}

#[test]
fn a_hover_links_to_the_line_that_an_instruction_stalls_on() {
    let capabilities = json!({"textDocument": {"hover": {"contentFormat": ["markdown"]}}});
    let mut client =
        Client::with_options(capabilities, json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, &listing(3));
    let place = json!({"line": FIRST_ADDITION + 4, "character": COLUMN});
    let hover = client.call("textDocument/hover", json!({"textDocument": {"uri": ONE}, "position": place}));
    let text = hover["contents"]["value"].as_str().unwrap_or_default();
    let link = format!("[`IADD3` at 0x0020]({ONE}#L{})", FIRST_ADDITION + 3);
    assert!(text.contains(&link), "{link} in {text}");
}
