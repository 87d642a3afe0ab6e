//! How messages come in and go out: bytes, the order of messages, the connection to one client, and messages
//! that the server sends by itself.
//!
//! This module owns the client's handle, the message queue, the tickets of jobs under way and the progress
//! that the client shows. Modules of all layers above may take these locks. They are the last in the lock
//! order: no other lock is taken while one of them is held.

pub(crate) mod client_features;
pub(crate) mod connection;
pub(crate) mod faults;
pub(crate) mod frames;
pub(crate) mod in_order;
pub(crate) mod input;
pub(crate) mod job_limits;
pub(crate) mod locked;
pub(crate) mod log;
mod outbox;
pub(crate) mod outgoing;
pub(crate) mod plain_text;
pub(crate) mod position;
pub(crate) mod progress;
pub(crate) mod stale;
pub(crate) mod tickets;
pub(crate) mod tools;
pub(crate) mod trace;
pub(crate) mod uris;
