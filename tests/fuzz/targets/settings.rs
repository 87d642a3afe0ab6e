//! Any `warplens.toml` and any settings: read, or refused in one line.

#![no_main]

use ide::{Config, LaunchFile};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = LaunchFile::parse("warplens.toml", text) {
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    if let Ok(value) = serde_json::from_str(text)
        && let Err(error) = Config::from_json(&value)
    {
        assert!(!error.to_string().contains('\n'), "{error}");
    }
});
