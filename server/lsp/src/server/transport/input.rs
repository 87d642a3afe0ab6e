//! A filter before the transport, because the transport ends at the first message that it cannot read.
//!
//! Messages pass unchanged. Anything else is replaced by a request that the server refuses, so that the
//! client gets an answer and the next message is read. A message passes if the transport can read it: JSON
//! whose depth and numbers its parser accepts, without a repeated member, and complete if it is a response.

use crate::server::transport::frames::{self, Frame, Frames};
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use std::{fmt, io};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tower_lsp_server::jsonrpc::{Error, Request, Response};

const UNREADABLE: &str = "warplens/unreadable";
const NO_MESSAGE: &str = "warplens/noMessage";

/// Copies messages until the stream ends. Reports each body that is not a message, in one line.
pub(crate) async fn copy_messages(
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    report: impl Fn(&str),
) -> io::Result<()> {
    let mut frames = Frames::new(from);
    loop {
        let body = match frames.next().await? {
            Frame::Body(mut body) => match fault(&mut body) {
                None => body,
                Some(fault) => {
                    report(fault.why);
                    let end = value_end(&body);
                    frames.put_back(&body[end..]);
                    fault.stand_in(&body[..end])
                }
            },
            Frame::Broken { part, why } => {
                report(&why);
                Fault { method: UNREADABLE, why: "" }.stand_in(&part)
            }
            Frame::End { cut: None } => return Ok(()),
            Frame::End { cut: Some(cut) } => {
                report(&format!("the client's stream ended in the middle of {cut}"));
                return Ok(());
            }
        };
        to.write_all(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes()).await?;
        to.write_all(&body).await?;
    }
}

/// Returns the end of the JSON value at the start of a body. If there is no complete value, returns the start of an
/// incomplete header at the end of the body, or else the end of the body.
fn value_end(body: &[u8]) -> usize {
    let mut values = serde_json::Deserializer::from_slice(body).into_iter::<IgnoredAny>();
    let is_whole = values.next().is_some_and(|value| value.is_ok());
    if is_whole { values.byte_offset() } else { frames::cut_head(body) }
}

/// The error for a request that replaces an invalid message; `None` for any other request.
pub(crate) fn refusal(request: &Request) -> Option<Error> {
    match request.method() {
        UNREADABLE => Some(Error::parse_error()),
        NO_MESSAGE => Some(Error::invalid_request()),
        _ => None,
    }
}

/// Reason why a body is not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fault {
    /// The method of the request that replaces the message.
    method: &'static str,
    why: &'static str,
}

const NOT_JSON: Fault = Fault { method: UNREADABLE, why: "a message is not readable JSON" };
const NOT_RPC: Fault = Fault { method: NO_MESSAGE, why: "a message is not JSON-RPC 2.0" };

impl Fault {
    /// Returns the body of the message that replaces an invalid one.
    fn stand_in(self, body: &[u8]) -> Vec<u8> {
        let members = Members::read(body);
        // The server waits for the answer to its request, so the invalid answer is replaced by an error.
        let answers = !members.has_method && (members.has_result || members.has_error);
        match (answers, members.id()) {
            (true, Some(id)) => {
                let error = json!({"code": -32603, "message": "the client's answer cannot be read"});
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            }
            (_, id) => json!({"jsonrpc": "2.0", "id": id, "method": self.method}),
        }
        .to_string()
        .into_bytes()
    }
}

/// Returns the reason why a body is not a message; `None` if the transport accepts the body. First repairs
/// lone surrogates in the body.
fn fault(body: &mut [u8]) -> Option<Fault> {
    mend_surrogates(body);
    let Ok(text) = str::from_utf8(body) else { return Some(NOT_JSON) };
    match serde_json::from_str::<Message>(text) {
        Ok(message) if message.jsonrpc != "2.0" => Some(NOT_RPC),
        Ok(Message { method: Some(_), result: false, error: false, .. }) => None,
        Ok(Message { method: None, .. }) if serde_json::from_str::<Response>(text).is_ok() => None,
        Ok(_) => Some(NOT_RPC),
        Err(error) if error.is_data() => Some(NOT_RPC),
        Err(_) => Some(NOT_JSON),
    }
}

/// Members that the transport must find in a message. A repeated member is an error.
#[derive(Debug, Deserialize)]
struct Message {
    jsonrpc: String,
    method: Option<String>,
    #[serde(default, rename = "id")]
    _id: Option<Id>,
    #[serde(default, rename = "params", deserialize_with = "present")]
    _params: bool,
    #[serde(default, deserialize_with = "present")]
    result: bool,
    #[serde(default, deserialize_with = "present")]
    error: bool,
    /// All other members, which must also be readable JSON.
    #[serde(flatten)]
    _rest: AnyJson,
}

/// Returns true if the member is present, even as null. `Err` if its value cannot be read.
fn present<'de, D: Deserializer<'de>>(member: D) -> Result<bool, D::Error> {
    AnyJson::deserialize(member).map(|_| true)
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Id {
    Number(#[expect(dead_code, reason = "only its type matters")] i64),
    Text(#[expect(dead_code, reason = "only its type matters")] String),
}

/// Any value that the transport's parser accepts. `IgnoredAny` would accept more values: it does not limit
/// the depth and does not check numbers.
#[derive(Debug)]
struct AnyJson;

impl<'de> Deserialize<'de> for AnyJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for AnyJson {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

/// The members that can still be read from a possibly damaged message.
#[derive(Debug, Default)]
struct Members {
    /// Values of all members `id`, each an integer or a string.
    ids: Vec<Value>,
    has_method: bool,
    has_result: bool,
    has_error: bool,
}

impl Members {
    fn read(body: &[u8]) -> Self {
        let mut members = Self::default();
        // The members before the damage are used.
        drop((&mut members).deserialize(&mut serde_json::Deserializer::from_slice(body)));
        members
    }

    /// The message's id; `None` if it has no id, or several different ids.
    fn id(&self) -> Option<&Value> {
        let (first, others) = self.ids.split_first()?;
        others.iter().all(|other| other == first).then_some(first)
    }
}

impl<'de> DeserializeSeed<'de> for &mut Members {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Members {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            match name.as_str() {
                "id" => {
                    let id = members.next_value::<Value>()?;
                    let is_id = id.is_i64() || id.is_string();
                    if !is_id {
                        return Err(A::Error::custom("no id"));
                    }
                    self.ids.push(id);
                }
                other => {
                    self.has_method |= other == "method";
                    self.has_result |= other == "result";
                    self.has_error |= other == "error";
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Replaces each lone surrogate by U+FFFD: an editor written in JavaScript may send one, and a Rust string
/// cannot hold it. The surrogate and U+FFFD are both one UTF-16 unit, so positions stay valid.
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

/// The code unit of the escape `\uXXXX` at a byte offset; `None` if there is no such escape.
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
    use proptest::prelude::*;

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

    fn nested(depth: usize) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"x","params":{}{}}}"#,
            "[".repeat(depth),
            "]".repeat(depth)
        )
    }

    #[test]
    fn only_messages_pass() {
        let fault = |text: &str| fault(&mut text.as_bytes().to_vec());
        assert_eq!(fault(r#"{"jsonrpc":"2.0","method":"exit"}"#), None);
        assert_eq!(fault(r#"{"jsonrpc":"2.0","id":"a","method":"x","params":{"text":"\ud800"}}"#), None);
        assert_eq!(fault(r#"{"jsonrpc":"2.0","id":1,"result":null}"#), None);
        assert_eq!(fault(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#), None);
        assert_eq!(fault(&nested(126)), None);
        for wrong in [
            r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#,
            r#"{"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":null}"#,
            "[]",
            r#"{"jsonrpc":"2.0","id":1,"error":{}}"#,
            r#"{"jsonrpc":"2.0","result":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","result":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[],"params":[]}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":1,"result":1}"#,
        ] {
            assert_eq!(fault(wrong), Some(NOT_RPC), "{wrong}");
        }
        for wrong in [
            "{".to_owned(),
            String::new(),
            nested(127),
            nested(100_000),
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[1e999]}"#.to_owned(),
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":[{}]}}"#, "9".repeat(400)),
            r#"{"jsonrpc":"2.0","id":1,"method":"x","more":1e999}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":"\uzzzz"}"#.to_owned(),
        ] {
            assert_eq!(fault(&wrong), Some(NOT_JSON), "{wrong}");
        }
    }

    #[test]
    fn a_replacement_for_a_message_has_the_known_id() {
        let stand_in = |text: &str| {
            serde_json::from_slice::<Value>(&NOT_JSON.stand_in(text.as_bytes())).expect("it is a message")
        };
        for (text, id) in [
            (nested(1000), json!(7)),
            (r#"{"id":"a","params":[1e999]}"#.to_owned(), json!("a")),
            (r#"{"id":3,"params":{},"params":{}"#.to_owned(), json!(3)),
            (r#"{"params":[{"id":3}],"id":4,"id":4}"#.to_owned(), json!(4)),
            (r#"{"id":3,"id":4}"#.to_owned(), Value::Null),
            (r#"{"id":1.5,"method":"x"}"#.to_owned(), Value::Null),
            (r#"{"id":{"id":3}}"#.to_owned(), Value::Null),
            ("[1]".to_owned(), Value::Null),
            ("\u{feff}".to_owned(), Value::Null),
        ] {
            assert_eq!(stand_in(&text), json!({"jsonrpc": "2.0", "id": id, "method": UNREADABLE}), "{text}");
        }
        // A damaged answer ends the server's request, and gets no answer itself.
        let answer = stand_in(r#"{"jsonrpc":"2.0","id":5,"error":{}}"#);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(5), &json!(-32603)));
    }

    /// A message as the transport itself parses it.
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum ParsedMessage {
        Answer(#[expect(dead_code, reason = "only its type matters")] Response),
        Question(Request),
    }

    /// JSON texts with unusual values, assembled from pieces.
    fn texts() -> impl Strategy<Value = String> {
        let value = prop_oneof![
            Just("null".to_owned()),
            Just("\"2.0\"".to_owned()),
            Just("\"a/b\"".to_owned()),
            Just("7".to_owned()),
            Just("-1.5e3".to_owned()),
            Just("1e999".to_owned()),
            Just("18446744073709551616".to_owned()),
            Just("{\"code\":1,\"message\":\"m\"}".to_owned()),
            Just("\"\\ud800\"".to_owned()),
            Just("\"\\udc00\\ud800\\u12\"".to_owned()),
            (0_usize..140).prop_map(|depth| "[".repeat(depth) + &"]".repeat(depth)),
            (0_usize..140).prop_map(|depth| "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth)),
            "[\\PC]{0,6}",
        ];
        let name =
            prop::sample::select(vec!["jsonrpc", "method", "id", "params", "result", "error", "more", ""]);
        let member = (name, value).prop_map(|(name, value)| format!("\"{name}\":{value}"));
        let members = prop::collection::vec(member, 0..5);
        let right = prop::sample::select(vec![
            "\"jsonrpc\":\"2.0\"",
            "\"jsonrpc\":\"2.0\",\"method\":\"x\"",
            "\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"",
            "\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1",
        ]);
        (right, members, 0_usize..400, any::<bool>()).prop_map(|(right, members, cut, whole)| {
            let text = format!("{{{}}}", [vec![right.to_owned()], members].concat().join(","));
            let end = if whole { text.len() } else { text.floor_char_boundary(cut.min(text.len())) };
            text[..end].to_owned()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn the_transport_accepts_valid_messages_and_replacements(text in texts()) {
            let mut body = text.clone().into_bytes();
            let fault = fault(&mut body);
            let passed = match fault {
                None => body,
                Some(fault) => fault.stand_in(&body),
            };
            let taken = serde_json::from_slice::<ParsedMessage>(&passed);
            prop_assert!(taken.is_ok(), "{}", text);
            // A request without a method would get an answer although the client sent no request.
            if let Ok(ParsedMessage::Question(question)) = taken {
                prop_assert!(!question.method().is_empty() || text.contains("\"method\":\"\""), "{}", text);
                prop_assert_eq!(fault.is_some(), refusal(&question).is_some());
            }
        }
    }
}
