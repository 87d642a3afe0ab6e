//! What a message passes on its way in and out: bytes, messages in order, the client's capabilities, and what the server sends by itself.

pub(crate) mod client_capabilities;
pub(crate) mod faults;
pub(crate) mod frames;
pub(crate) mod in_order;
pub(crate) mod input;
pub(crate) mod log;
pub(crate) mod outbox;
pub(crate) mod outgoing;
pub(crate) mod plain_text;
pub(crate) mod position;
pub(crate) mod progress;
pub(crate) mod stale;
pub(crate) mod tools;
pub(crate) mod trace;
pub(crate) mod turns;
