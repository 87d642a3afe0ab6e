//! The real binary under conditions that no user causes on purpose: hostile tools, floods of messages, broken files,
//! sudden deaths.
//!
//! Part of `cargo test`; `cargo xtask torture` runs only these and prints a line for each test. Random choices come
//! from fixed seeds.

#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests read their own files")]
#![expect(clippy::needless_pass_by_value, reason = "a `json!` reads best without a `&` before it")]

#[allow(dead_code, reason = "the `protocol` tests use other parts of it")]
#[path = "../client.rs"]
mod client;
#[allow(dead_code, reason = "the `protocol` tests use other parts of it")]
#[path = "../protocol/folder.rs"]
mod folder;
#[path = "../framing.rs"]
mod framing;
#[path = "../incoming.rs"]
mod incoming;
#[allow(dead_code, reason = "the `protocol` tests use other parts of it")]
#[path = "../protocol/texts.rs"]
mod texts;
mod watch;

mod cubins;
mod edits;
mod hosts;
mod messages;
mod raw;
mod shapes;
mod storms;
mod tools;
