//! Invalid messages and wrong headers: each gets an error as its answer and has no other effect.

use crate::raw::Raw;
use crate::texts::{Dice, ONE, listing};
use serde_json::{Value, json};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn a_message_that_cannot_be_read_is_refused_under_its_id() {
    let mut server = Raw::ready();
    let request = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":77,"method":"textDocument/hover","params":{params}}}"#)
    };
    let with =
        |member: &str| format!(r#"{{"jsonrpc":"2.0","id":77,"method":"textDocument/hover",{member}}}"#);
    let deep = [127, 128, 200, 100_000].map(|depth| (request(&nested(depth)), json!(77), PARSE_ERROR));
    let objects = format!("{}1{}", "{\"a\":".repeat(126), "}".repeat(126));
    let mut cases = vec![
        (request("[1e999]"), json!(77), PARSE_ERROR),
        (request("[-1e999]"), json!(77), PARSE_ERROR),
        (request(&"9".repeat(400)), json!(77), PARSE_ERROR),
        (with(r#""params":{},"params":{}"#), json!(77), INVALID_REQUEST),
        (with(r#""method":"textDocument/hover""#), json!(77), INVALID_REQUEST),
        (with(r#""id":77"#), json!(77), INVALID_REQUEST),
        (with(r#""id":78"#), Value::Null, INVALID_REQUEST),
        (with(r#""jsonrpc":"2.0""#), json!(77), INVALID_REQUEST),
        (with(r#""result":1"#), json!(77), INVALID_REQUEST),
        (with(r#""params":{"text":"\uzzzz"}"#), json!(77), PARSE_ERROR),
        (request("{"), json!(77), PARSE_ERROR),
        (r#"{"jsonrpc":"2.0","id":"a b","method":7}"#.to_owned(), json!("a b"), INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","method":"initialized","params":1e999}"#.to_owned(), Value::Null, PARSE_ERROR),
        ("null".to_owned(), Value::Null, INVALID_REQUEST),
        (String::new(), Value::Null, PARSE_ERROR),
    ];
    cases.extend(deep);
    cases.push((request(&format!("[{objects}]")), json!(77), PARSE_ERROR));
    for (body, id, code) in cases {
        let shown = body.get(..body.len().min(200)).unwrap_or_default().to_owned();
        server.body(body.as_bytes());
        let others = server.answers();
        assert_eq!(others.len(), 1, "{shown}: {others:?}");
        assert_eq!((&others[0]["id"], &others[0]["error"]["code"]), (&id, &json!(code)), "{shown}");
    }
    // Parameters at the parser's limits are valid.
    for params in [nested(126), "[1e308]".to_owned(), "[123456789012345678901234567890]".to_owned()] {
        server.body(request(&params).as_bytes());
        let others = server.answers();
        assert_eq!((&others[0]["id"], others.len()), (&json!(77), 1), "{others:?}");
    }
    // A lone surrogate, which an editor may send, is replaced.
    server.body(request(r#"{"a":"\ud800 \udc00\ud800"}"#).as_bytes());
    assert_eq!(server.answers()[0]["error"]["code"], -32602);
    // An unreadable response is ignored.
    server.body(br#"{"jsonrpc":"2.0","id":9,"error":{}}"#);
    assert_eq!(server.answers(), [Value::Null; 0]);
    let (_, stderr) = server.end();
    assert!(stderr.contains("warplens: a message is not JSON-RPC 2.0"), "{stderr}");
}

fn question(id: i64) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "warplens/viewText", "params": {"uri": "file:///none"}})
        .to_string()
}

/// The ids and codes of the errors among messages.
fn errors(messages: &[Value]) -> Vec<(Value, i64)> {
    let of = |message: &Value| Some((message["id"].clone(), message["error"]["code"].as_i64()?));
    messages.iter().filter_map(of).collect()
}

#[test]
fn a_wrong_length_costs_one_message() {
    let mut server = Raw::ready();
    let framed = |length: usize, body: &str| format!("Content-Length: {length}\r\n\r\n{body}");
    for (wrong_by, id) in [(-1, 10), (-20, 11), (-60, 12), (1, 13), (5, 14), (500, 15), (1_000_000_000, 16)] {
        let body = question(id);
        let length = (body.len() as i64 + wrong_by) as usize;
        server.bytes(framed(length, &body).as_bytes());
        let reported = errors(&server.answers());
        assert!(!reported.is_empty() && reported.len() <= 2, "{wrong_by}: {reported:?}");
        // The id is at the start of the body, so the id is readable wherever the body was cut.
        let code_of_id = reported.iter().find(|(reported, _)| *reported == json!(id)).map(|(_, code)| *code);
        assert!(code_of_id == Some(PARSE_ERROR) || wrong_by < -50, "{wrong_by}: {reported:?}");
    }
    // No message follows that would reveal the error: the server notices the missing bytes by a timeout.
    for wrong_by in [1, 1000] {
        let body = question(20);
        server.bytes(framed(body.len() + wrong_by, &body).as_bytes());
        let message = server.next("a length that is too long");
        assert_eq!((&message["id"], &message["error"]["code"]), (&json!(20), &json!(PARSE_ERROR)));
    }
    assert_eq!(errors(&server.answers()), []);
    let (code, stderr) = server.end();
    assert_eq!(code, 1);
    assert!(stderr.contains("Content-Length"), "{stderr}");
}

#[test]
fn bytes_that_are_no_messages_are_passed_over() {
    let mut server = Raw::ready();
    let long = "x".repeat(3 << 20);
    for garbage in [
        "garbage\n",
        "garbage\r\n\r\n",
        "\r\n\r\nno head at all ",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}",
        "Content-Length: many\r\n\r\n{}",
        "Content-Length: -1\r\n\r\n{}",
        "Content-Length: 1000000000000\r\n\r\n{}",
        "Content-Length: 99999999999999999999999999\r\n\r\n",
        "Content-Length:\r\n\r\n{}",
        "Content-Type: x\r\n\r\n{\"a\":1}\r\n",
        &long,
        "\u{0}\u{1}\u{2}\r\n\u{7f}",
    ] {
        server.bytes(garbage.as_bytes());
        let reported = errors(&server.answers());
        let shown = &garbage[..garbage.len().min(60)];
        assert_eq!(reported, [(Value::Null, PARSE_ERROR)], "{shown}");
    }
    // Bytes without a line end at the end of the input.
    server.bytes(b"hello");
    assert_eq!(server.next("bytes without a line end")["error"]["code"], PARSE_ERROR);
    assert_eq!(errors(&server.answers()), []);
    // Variants that are valid in a header.
    let body = question(30);
    for head in [
        format!("content-length: {}\n\n", body.len()),
        format!("CONTENT-LENGTH:{}\r\n\r\n", body.len()),
        format!(
            "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
            body.len()
        ),
        format!("\r\n\r\nContent-Length: {}\r\n\r\n", body.len()),
    ] {
        server.bytes(format!("{head}{body}").as_bytes());
        let others = server.answers();
        assert_eq!(
            (others.len(), &others[0]["id"], &others[0]["result"]),
            (1, &json!(30), &Value::Null),
            "{head}"
        );
    }
}

#[test]
fn a_stream_that_ends_within_a_message_ends_the_server_with_a_line() {
    for cut in ["Content-Length: 100\r\n\r\n{\"jsonrpc\"", "Content-Length: 100\r\n", "Content-Le"] {
        let mut server = Raw::ready();
        server.bytes(cut.as_bytes());
        let (code, stderr) = server.end();
        assert_eq!(code, 1, "{cut:?}");
        assert!(stderr.contains("warplens: the client's stream ended in the middle of"), "{cut:?}: {stderr}");
    }
    let (code, stderr) = Raw::ready().end();
    assert_eq!((code, stderr.as_str()), (1, ""), "at the end of a message there is nothing to say");
}

#[test]
fn random_damage_leaves_the_server_serving() {
    let mut server = Raw::ready();
    let mut dice = Dice(15);
    let open = json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {
        "uri": ONE, "languageId": "nvsass", "version": 1, "text": listing(3),
    }}});
    let change = json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
        "textDocument": {"uri": ONE, "version": 2}, "contentChanges": [{"text": "\u{1f680}\u{0}"}],
    }});
    let hover = json!({"jsonrpc": "2.0", "id": 5, "method": "textDocument/hover", "params": {
        "textDocument": {"uri": ONE}, "position": {"line": 3, "character": 40}, "more": [1.5, -2, null, true],
    }});
    let whole =
        [open, change, hover, json!({"jsonrpc": "2.0", "id": 6, "result": null})].map(|one| one.to_string());
    for _ in 0..400 {
        let mut body = whole[dice.roll(whole.len())].clone().into_bytes();
        for _ in 0..=dice.roll(3) {
            let at = dice.roll(body.len());
            match dice.roll(9) {
                0 => drop(body.remove(at)),
                1 => body.insert(at, b"{}[]\",:\\0e9"[dice.roll(11)]),
                2 => body[at] = dice.roll(256) as u8,
                3 => body.truncate(at.max(1)),
                4 => drop(body.splice(at..at, nested(dice.roll(300)).into_bytes())),
                5 => drop(body.splice(at..at, *b"1e999")),
                6 => drop(body.splice(at..at, *b"\\ud83d\\")),
                7 => {
                    let piece = body[at..(at + dice.roll(60)).min(body.len())].to_vec();
                    drop(body.splice(at..at, piece));
                }
                _ => drop(body.splice(1..1, *br#""id":8,"params":[1],"#)),
            }
        }
        let lies = dice.roll(4) == 0;
        let length = if lies { dice.roll(2 * body.len()) } else { body.len() };
        server.bytes(&[format!("Content-Length: {length}\r\n\r\n").as_bytes(), &body].concat());
        server.answers();
    }
    server.ask("shutdown", Value::Null);
    server.body(br#"{"jsonrpc":"2.0","method":"exit"}"#);
    assert_eq!(server.end().0, 0);
}
