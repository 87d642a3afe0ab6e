//! The protocol, spoken with the real binary.

#![expect(clippy::needless_pass_by_value, reason = "a `json!` reads best without a `&` before it")]

#[path = "../client.rs"]
mod client;
mod texts;

mod lifecycle;
mod order;

mod cancel;
mod faults;

mod encodings;
mod features;
mod findings;
mod settings;
