//! Where the settings in force came from.

use serde_json::Value;

/// Origin of the settings in force; the settings themselves are the engine's.
#[derive(Debug, Default)]
pub(crate) struct SettingsOrigin {
    /// `initializationOptions`: what later settings do not name keeps this value.
    pub(super) options: Value,
    /// The latest question to the client; an answer to an earlier one is out of date.
    pub(super) asked: u64,
    /// Problems of the latest settings, in one line.
    pub(crate) complaint: Option<String>,
}
