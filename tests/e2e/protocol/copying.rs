//! `warplens/copyAs`: instructions in another assembler's notation.

use crate::client::Client;
use crate::texts::{FIRST_ADDITION, ONE, listing};
use serde_json::{Value, json};

fn opened(text: &str) -> Client {
    let mut client = Client::with_options(json!({}), json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, text);
    client
}

fn copy(client: &mut Client, lines: std::ops::Range<u32>, assembler: &str) -> Value {
    let place = |line| json!({"line": line, "character": 0});
    let range = json!({"start": place(lines.start), "end": place(lines.end)});
    client.call(
        "warplens/copyAs",
        json!({"textDocument": {"uri": ONE}, "range": range, "assembler": assembler}),
    )
}

#[test]
fn lines_and_kernels_are_copied_as_an_assembler_has_them() {
    let mut client = opened(&listing(3));
    let one = copy(&mut client, FIRST_ADDITION..FIRST_ADDITION + 1, "turingas");
    assert_eq!(one["assemblers"], json!(["turingas", "cuassembler"]), "{one}");
    assert_eq!(
        (&one["copied"]["instructions"], &one["copied"]["assembler"]),
        (&json!(1), &json!("TuringAs"))
    );
    let text = one["copied"]["text"].as_str().expect("a text");
    assert!(text.starts_with("01:-:-:Y:2 ") && text.ends_with(";\n") && text.lines().count() == 1, "{text}");

    let whole = copy(&mut client, FIRST_ADDITION..FIRST_ADDITION, "cuassembler");
    let text = whole["copied"]["text"].as_str().expect("a text");
    assert_eq!(whole["copied"]["instructions"], text.lines().count(), "{text}");
    assert!(text.lines().all(|line| line.starts_with("      [B")), "{text}");
}

#[test]
fn what_cannot_be_copied_says_why_in_one_line() {
    let mut client = opened(&listing(3));
    let refused = copy(&mut client, FIRST_ADDITION..FIRST_ADDITION, "maxas");
    assert_eq!(refused["copied"], Value::Null);
    let why = refused["refused"].as_str().expect("a reason");
    assert!(why.contains("TuringAs or CuAssembler") && !why.contains('\n'), "{why}");
    let asked = json!({"textDocument": {"uri": "file:///none"}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}});
    assert_eq!(client.call("warplens/copyAs", asked), Value::Null);
}

#[test]
fn the_server_says_that_it_copies() {
    let mut client = Client::start(&["lsp"]);
    let offered = client.call("initialize", json!({"capabilities": {}}));
    assert_eq!(offered["capabilities"]["experimental"]["copyAs"], true);
}
