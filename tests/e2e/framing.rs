//! JSON-RPC messages in a stream: a header with the body's length, then the body.

use serde_json::Value;
use std::io::{BufRead, Write};

/// The next message; `None` at the end of the stream.
pub(crate) fn read(from: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut header = String::new();
        if from.read_line(&mut header).ok()? == 0 {
            return None;
        }
        let header = header.trim_end();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("Content-Length: ") {
            length = value.parse().ok();
        }
    }
    let mut body = vec![0; length?];
    from.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("the server sends JSON"))
}

/// Sends bytes as the body of a message.
pub(crate) fn write(to: &mut impl Write, body: &[u8]) {
    write_headed(to, &format!("Content-Length: {}\r\n\r\n", body.len()), body);
}

/// Sends bytes as the body of a message with this header.
pub(crate) fn write_headed(to: &mut impl Write, head: &str, body: &[u8]) {
    to.write_all(head.as_bytes()).expect("the server reads");
    to.write_all(body).expect("the server reads");
    to.flush().expect("the server reads");
}
