//! A sieve before the transport, which ends at the first message that it cannot read.
//!
//! Messages pass as they are. One that is no message is replaced by a request that stands for it and that the server
//! refuses, so that the client gets its answer and the next message is read.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tower_lsp_server::jsonrpc::{Error, Request};

const UNREADABLE: &str = "warplens/unreadable";
const NO_MESSAGE: &str = "warplens/noMessage";

/// The longest message taken: room for 10 million lines.
const MOST_BYTES: usize = 1 << 30;

/// Passes messages on until the stream ends.
pub(super) async fn sift(from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) -> io::Result<()> {
    let mut from = BufReader::with_capacity(1 << 16, from);
    while let Some(length) = header(&mut from).await? {
        let mut body = vec![0; length];
        from.read_exact(&mut body).await?;
        if let Some(fault) = fault(&mut body) {
            body = format!(r#"{{"jsonrpc":"2.0","id":null,"method":"{fault}"}}"#).into_bytes();
        }
        to.write_all(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes()).await?;
        to.write_all(&body).await?;
    }
    Ok(())
}

/// Why a request is to be refused, if it stands for something that was no message.
pub(super) fn refusal(request: &Request) -> Option<Error> {
    match request.method() {
        UNREADABLE => Some(Error::parse_error()),
        NO_MESSAGE => Some(Error::invalid_request()),
        _ => None,
    }
}

/// The length of the next body; `None` at the end of the stream. Headers without a length are skipped.
async fn header(from: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<Option<usize>> {
    let mut length = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() && length.is_some() {
            return Ok(length);
        }
        if let Some((name, value)) = text.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok().filter(|length| *length <= MOST_BYTES);
        }
    }
}

/// The method that stands for a body that is no message. Mends what can be mended.
fn fault(body: &mut [u8]) -> Option<&'static str> {
    mend_surrogates(body);
    let Ok(text) = str::from_utf8(body) else { return Some(UNREADABLE) };
    match serde_json::from_str::<Message>(text) {
        Ok(message) if message.jsonrpc == "2.0" && message.says_something() => None,
        Ok(_) => Some(NO_MESSAGE),
        Err(error) if error.is_data() => Some(NO_MESSAGE),
        Err(_) => Some(UNREADABLE),
    }
}

/// What the transport must find in a message.
#[derive(Debug, Deserialize)]
struct Message {
    jsonrpc: String,
    method: Option<String>,
    #[serde(default, rename = "id")]
    _id: Option<Id>,
    #[serde(default, deserialize_with = "present")]
    result: bool,
    #[serde(default, deserialize_with = "present")]
    error: bool,
}

impl Message {
    /// A question, a notification or an answer. The transport would take anything else for an answer, and say nothing.
    fn says_something(&self) -> bool {
        self.method.is_some() || self.result || self.error
    }
}

/// True for a member that is there, null or not.
fn present<'de, D: Deserializer<'de>>(member: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(member).map(|_| true)
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Id {
    Number(#[expect(dead_code, reason = "only its type matters")] i64),
    Text(#[expect(dead_code, reason = "only its type matters")] String),
}

/// Turns a surrogate without its partner, which an editor written in JavaScript may send and JSON in Rust cannot hold,
/// into U+FFFD. Both are one unit in utf-16, so positions stay.
fn mend_surrogates(body: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = body[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        let Some(unit) = escaped_unit(body, at) else {
            at += 2;
            if at >= body.len() {
                return;
            }
            continue;
        };
        let paired = is_high(unit) && escaped_unit(body, at + 6).is_some_and(is_low);
        if paired {
            at += 12;
        } else {
            if is_high(unit) || is_low(unit) {
                body[at + 2..at + 6].copy_from_slice(b"fffd");
            }
            at += 6;
        }
    }
}

/// The number of an escape `\uXXXX` at a byte.
fn escaped_unit(body: &[u8], at: usize) -> Option<u16> {
    let digits = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

fn is_high(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str) -> String {
        let mut body = text.as_bytes().to_vec();
        mend_surrogates(&mut body);
        String::from_utf8(body).unwrap()
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_kept() {
        assert_eq!(mended(r#""\ud83d""#), r#""\ufffd""#);
        assert_eq!(mended(r#""\ud83d\ude80 \uDE80""#), r#""\ud83d\ude80 \ufffd""#);
        assert_eq!(mended(r#""\ud83d\ud83d\ude80""#), r#""\ufffd\ud83d\ude80""#);
        assert_eq!(mended(r#""\\ud83d \u00e9 \n""#), r#""\\ud83d \u00e9 \n""#);
        assert_eq!(mended(r"\"), r"\");
        assert_eq!(mended(r"\u12"), r"\u12");
    }

    #[test]
    fn only_messages_pass() {
        let fault = |text: &str| fault(&mut text.as_bytes().to_vec());
        assert_eq!(fault(r#"{"jsonrpc":"2.0","method":"exit"}"#), None);
        assert_eq!(fault(r#"{"jsonrpc":"2.0","id":"a","method":"x","params":{"text":"\ud800"}}"#), None);
        assert_eq!(fault(r#"{"jsonrpc":"2.0","id":1,"result":null}"#), None);
        assert_eq!(fault(r#"{"jsonrpc":"2.0","id":null,"error":{}}"#), None);
        assert_eq!(fault(r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#), Some(NO_MESSAGE));
        assert_eq!(fault(r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#), Some(NO_MESSAGE));
        assert_eq!(fault(r#"{"jsonrpc":"2.0"}"#), Some(NO_MESSAGE));
        assert_eq!(fault(r#"{"jsonrpc":"2.0","id":1,"method":null}"#), Some(NO_MESSAGE));
        assert_eq!(fault("[]"), Some(NO_MESSAGE));
        assert_eq!(fault("{"), Some(UNREADABLE));
        assert_eq!(fault(""), Some(UNREADABLE));
    }
}
