//! The protocol, spoken with the real binary.

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
