//! A short session of random messages to the real binary, for `cargo test`. `cargo xtask bench --fuzz` runs a
//! long session.

#![expect(clippy::disallowed_methods, reason = "tests read their own files")]
#![expect(clippy::needless_pass_by_value, reason = "a `json!` reads best without a `&` before it")]

#[path = "../framing.rs"]
mod framing;
#[path = "../incoming.rs"]
mod incoming;
mod messages;
mod session;

/// Enough to send every kind of message some dozen times.
const MESSAGES: usize = 1_500;

#[test]
fn every_request_is_answered_once_by_a_server_for_an_able_client() {
    session::run(MESSAGES, 2);
}

#[test]
fn every_request_is_answered_once_by_a_server_for_a_simple_client() {
    session::run(MESSAGES, 3);
}
