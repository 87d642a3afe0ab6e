//! Interface of a store for predictions that outlive the process.

use std::fmt::Debug;

/// A key-value store of strings. Keys consist of hexadecimal digits.
///
/// The implementation must never return a string that another version of the model wrote.
pub trait PredictionStore: Debug + Send + Sync {
    /// Returns the last string written for a key. `None` if no string is stored.
    fn read(&self, key: &str) -> Option<String>;
    /// Writes a string for a key. The store may drop the string later.
    fn write(&self, key: &str, text: &str);
}
